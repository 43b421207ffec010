/* Statements of a function. */
#include <string.h>

#include "ptx/parser.h"

ptx_item *parse_item(parser *p, ptx_item_kind kind, uint32_t index)
{
    ptx_item *item = LIST_PUSH(&p->items, p->scratch, ptx_item);

    *item = (ptx_item){kind, index, NULL};
    return item;
}

/* ---- lines without meaning for the machine ------------------------------ */

/* .loc file line column[, function_name ..., inlined_at ...] */
static bool parse_loc(parser *p)
{
    const char *rest;
    size_t n;
    uint64_t part[3] = {0};
    char *text;

    lex_line(&p->lx, &p->t, &rest, &n);
    const char *s = rest, *end = rest + n;
    for (unsigned i = 0; i < 3; i++) {
        while (s < end && (*s == ' ' || *s == '\t'))
            s++;
        if (s == end || *s < '0' || *s > '9')
            return parse_error_here(p, ".loc has three numbers: file, line "
                                       "and column");
        for (; s < end && *s >= '0' && *s <= '9' && part[i] < UINT32_MAX; s++)
            part[i] = part[i] * 10 + (uint64_t)(*s - '0');
    }
    p->source =
        (ptx_source){(uint32_t)part[0], (uint32_t)part[1], (uint32_t)part[2]};
    text = arena_strndup(p->a, rest, n);
    parse_item(p, PTX_ITEM_LOC, 0)->text = text;
    parse_next(p);
    return true;
}

static bool parse_body_pragma(parser *p)
{
    parse_next(p);
    do {
        if (p->t.kind != TOK_STRING)
            return parse_error_here(p, "expected a string behind .pragma");
        parse_item(p, PTX_ITEM_PRAGMA, 0)->text = parse_text(p, &p->t);
        parse_next(p);
    } while (parse_accept(p, ','));
    return parse_expect(p, ';', "pragma");
}

/* ---- labels ------------------------------------------------------------- */

static bool add_mark(parser *p, ptx_name *n, ptx_place place, mark **out)
{
    *out = symtab_mark(p->st, n, place);
    if (*out)
        return true;
    return parse_error(
        p, place, n->length,
        "label '%s' is defined twice; the first time in line %u", n->text,
        symtab_find_mark(p->st, n, symtab_scope(p->st))->place.line);
}

static bool add_label(parser *p, ptx_name *n, ptx_place place)
{
    mark *m;

    if (!add_mark(p, n, place, &m))
        return true; /* goes on behind the colon */
    ptx_label *l = ARENA_NEW(p->a, ptx_label);
    l->name = n->text;
    l->inst = p->insts.count;
    l->scope = m->scope;
    l->place = place;
    m->label = l;
    *LIST_PUSH(&p->labels, p->scratch, ptx_label *) = l;
    parse_item(p, PTX_ITEM_LABEL, p->labels.count - 1);
    return true;
}

static bool add_target(parser *p, bool calls, list *targets)
{
    if (p->t.kind != TOK_NAME)
        return parse_error_here(p, calls ? "expected the name of a function"
                                         : "expected a label");
    if (calls) {
        symbol *s = parse_find_symbol(p, &p->t);
        if (!s || s->kind != SYMBOL_FUNC)
            return parse_error_here(p, "no function is named '%.*s'",
                                    (int)p->t.length, p->t.text);
        *LIST_PUSH(targets, p->scratch, void *) = s->func;
    } else {
        *LIST_PUSH(targets, p->scratch, void *) =
            symtab_name(p->st, p->t.text, p->t.length, p->t.hash);
    }
    parse_next(p);
    return true;
}

static void fix_targets(parser *p, ptx_table *t, const list *names,
                        const list *places)
{
    t->labels = ARENA_ARRAY(p->a, ptx_label *, names->count);
    for (uint32_t i = 0; i < names->count; i++)
        *LIST_PUSH(&p->fixups, p->scratch, fixup) = (fixup){
            .name = *LIST_AT(names, ptx_name *, i),
            .scope = symtab_scope(p->st),
            .place = *LIST_AT(places, ptx_place, i),
            .label = &t->labels[i],
        };
}

/* L: .branchtargets a, b;   L: .calltargets f, g; */
static bool parse_table(parser *p, ptx_name *label, ptx_place place)
{
    bool calls = parse_is_word(p, "calltargets");
    ptx_table *t = ARENA_NEW(p->a, ptx_table);
    list targets = {0}, places = {0};
    mark *m;

    parse_next(p);
    t->name = label->text;
    t->calls = calls;
    t->place = place;
    do {
        *LIST_PUSH(&places, p->scratch, ptx_place) = p->t.place;
        if (!add_target(p, calls, &targets))
            return false;
    } while (parse_accept(p, ','));
    t->count = targets.count;
    if (!add_mark(p, label, place, &m))
        return false;
    if (calls)
        t->funcs = list_take(&targets, p->a, &t->count);
    else
        fix_targets(p, t, &targets, &places);
    m->table = t;
    *LIST_PUSH(&p->tables, p->scratch, ptx_table *) = t;
    parse_item(p, PTX_ITEM_TABLE, p->tables.count - 1);
    return parse_expect(p, ';', "list of targets");
}

/* Behind NAME ':' */
static bool parse_labelled(parser *p, const token *t)
{
    ptx_name *n = symtab_name(p->st, t->text, t->length, t->hash);

    if (p->t.kind == TOK_DOT) {
        if (parse_is_word(p, "branchtargets") ||
            parse_is_word(p, "calltargets"))
            return parse_table(p, n, t->place);
        if (parse_is_word(p, "callprototype"))
            return parse_proto(p, n, t->place);
    }
    return add_label(p, n, t->place);
}

/* ---- statements --------------------------------------------------------- */

static bool parse_directive(parser *p)
{
    ptx_linkage linkage = PTX_LOCAL_SYMBOL;
    ptx_space space;

    if (parse_is_word(p, "reg"))
        return parse_regs(p);
    if (parse_is_word(p, "loc"))
        return parse_loc(p);
    if (parse_is_word(p, "pragma"))
        return parse_body_pragma(p);
    parse_linkage(p, &linkage);
    if (parse_space(p, &space))
        return parse_vars(p, linkage, space);
    return parse_error_here(p, "'%.*s' cannot begin a statement",
                            (int)p->t.length, p->t.text);
}

static bool open_scope(parser *p)
{
    if (symtab_depth(p->st) >= PARSE_MAX_DEPTH)
        return parse_error_here(p, "scopes are nested too deeply");
    parse_next(p);
    symtab_open(p->st);
    p->nopen++;
    parse_item(p, PTX_ITEM_OPEN, 0);
    return true;
}

static bool parse_statement(parser *p)
{
    switch (p->t.kind) {
    case ';': /* an empty statement */
        parse_next(p);
        return true;
    case '{':
        return open_scope(p);
    case TOK_DOT:
        return parse_directive(p);
    case '@':
        return parse_inst(p);
    case TOK_NAME:
        break;
    default:
        return parse_error_here(p, "expected an instruction, found '%.*s'",
                                (int)p->t.length, p->t.text);
    }
    token t = p->t;
    lexer here = p->lx;
    if (here.at < here.end && *here.at == '.') /* add.s32: the usual case */
        return parse_inst(p);
    parse_next(p);
    if (parse_accept(p, ':'))
        return parse_labelled(p, &t);
    p->t = t;
    p->lx = here;
    return parse_inst(p);
}

/* Whether the '}' looked at ends a vector operand and not a scope. */
static bool ends_vector(const parser *p)
{
    lexer lx = p->lx;
    token t;

    lex_next(&lx, &t);
    return t.kind == ',' || t.kind == ';' || t.kind == ']' || t.kind == ')' ||
           t.kind == '|';
}

/* To behind the ';' of the statement with the error, or to the '}' of its
 * scope. */
static void skip_statement(parser *p, const char *statement)
{
    if (p->t.text == statement && p->t.kind != '}' && p->t.kind != ';') {
        if (p->t.kind == '{')
            lex_skip_braces(&p->lx);
        parse_next(p);
    }
    while (p->t.kind != TOK_END && p->t.kind != ';') {
        if (p->t.kind == '}' && !ends_vector(p))
            return;
        if (p->t.kind == '{')
            lex_skip_braces(&p->lx);
        parse_next(p);
    }
    if (p->t.kind == ';')
        parse_next(p);
}

void parse_body(parser *p)
{
    uint32_t depth = p->nopen++;

    for (;;) {
        const char *statement = p->t.text;
        if (p->t.kind == TOK_END) {
            parse_error_here(p,
                             "the text ends inside function '%s'; "
                             "a '}' is missing",
                             p->f->name);
            break;
        }
        if (p->t.kind == '}') {
            parse_next(p);
            if (--p->nopen == depth)
                return;
            symtab_close(p->st);
            parse_item(p, PTX_ITEM_CLOSE, 0);
            continue;
        }
        if (!parse_statement(p))
            skip_statement(p, statement);
    }
    while (--p->nopen > depth)
        symtab_close(p->st);
}
