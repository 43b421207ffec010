/* Headers of functions and call prototypes, and the end of a function: what
 * its body left open is resolved and checked here. */
#include <string.h>

#include "base/suggest.h"
#include "ptx/parser.h"

/* ---- parameters --------------------------------------------------------- */

/* ( .param ..., .param ... ) */
static bool parse_params(parser *p, bool nameless, uint32_t *count,
                         ptx_var ***out)
{
    list params = {0};

    if (!parse_expect(p, '(', "name"))
        return false;
    while (p->t.kind != ')') {
        ptx_var *v;
        if (!parse_param(p, nameless, &v))
            return false;
        v->number = params.count;
        *LIST_PUSH(&params, p->scratch, ptx_var *) = v;
        if (p->t.kind != ')' && !parse_expect(p, ',', "parameter"))
            return false;
    }
    parse_next(p);
    *out = list_take(&params, p->a, count);
    return true;
}

/* ---- directives between header and body --------------------------------- */

/* Up to three numbers; a missing one is 1. */
static bool parse_triple(parser *p, uint32_t to[3])
{
    uint64_t n;

    for (unsigned i = 0; i < 3; i++)
        to[i] = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!parse_uint(p, UINT32_MAX, "a size", &n))
            return false;
        to[i] = (uint32_t)n;
        if (!parse_accept(p, ','))
            break;
    }
    return true;
}

static bool parse_single(parser *p, uint32_t *to)
{
    uint64_t n;

    if (!parse_uint(p, UINT32_MAX, "the limit", &n))
        return false;
    *to = (uint32_t)n;
    return true;
}

static bool parse_func_pragma(parser *p, ptx_func *f, list *pragmas)
{
    do {
        if (p->t.kind != TOK_STRING)
            return parse_error_here(p, "expected a string behind .pragma");
        const char *text = parse_text(p, &p->t);
        f->noinline |= strstr(text, "noinline") != NULL;
        *LIST_PUSH(pragmas, p->scratch, const char *) = text;
        parse_next(p);
    } while (parse_accept(p, ','));
    return parse_expect(p, ';', "pragma");
}

static bool parse_flag(parser *p, ptx_func *f)
{
    if (parse_is_word(p, "noreturn"))
        f->noreturn = true;
    else if (parse_is_word(p, "noinline"))
        f->noinline = true;
    else if (parse_is_word(p, "explicitcluster"))
        f->explicitcluster = true;
    else if (!parse_is_word(p, "unique") &&
             !parse_is_word(p, "blocksareclusters"))
        return false;
    parse_next(p);
    return true;
}

/* .attribute(...), .abi_preserve 8: accepted, without effect here. */
static bool parse_ignored(parser *p)
{
    unsigned depth = 0;

    parse_next(p);
    if (p->t.kind == TOK_NUMBER) {
        parse_next(p);
        return true;
    }
    do {
        if (p->t.kind == TOK_END || p->t.kind == ';')
            return parse_error_here(p, "expected ')'");
        depth += p->t.kind == '(';
        depth -= p->t.kind == ')';
        parse_next(p);
    } while (depth);
    return true;
}

static bool parse_directive(parser *p, ptx_func *f, list *pragmas)
{
    const struct {
        const char *word;
        uint32_t *to;
        bool triple;
    } limits[] = {
        {"maxntid", f->maxntid, true},
        {"reqntid", f->reqntid, true},
        {"minnctapersm", &f->minnctapersm, false},
        {"maxnctapersm", &f->maxnctapersm, false},
        {"maxnreg", &f->maxnreg, false},
        {"reqnctapercluster", f->reqnctapercluster, true},
        {"maxclusterrank", &f->maxclusterrank, false},
    };

    for (unsigned i = 0; i < COUNTOF(limits); i++) {
        if (parse_is_word(p, limits[i].word)) {
            parse_next(p);
            return limits[i].triple ? parse_triple(p, limits[i].to)
                                    : parse_single(p, limits[i].to);
        }
    }
    if (parse_flag(p, f))
        return true;
    if (parse_is_word(p, "pragma")) {
        parse_next(p);
        return parse_func_pragma(p, f, pragmas);
    }
    if (parse_is_word(p, "attribute") || parse_is_word(p, "abi_preserve") ||
        parse_is_word(p, "abi_preserve_control"))
        return parse_ignored(p);
    return parse_error_here(p, "unknown directive '%.*s' of a function",
                            (int)p->t.length, p->t.text);
}

static bool parse_directives(parser *p, ptx_func *f)
{
    list pragmas = {0};

    while (p->t.kind == TOK_DOT)
        if (!parse_directive(p, f, &pragmas))
            return false;
    f->pragmas = list_take(&pragmas, p->a, &f->npragmas);
    return true;
}

/* ---- header ------------------------------------------------------------- */

static bool parse_header(parser *p, ptx_func *f)
{
    bool ok = true;

    while (parse_is_word(p, "attribute"))
        if (!parse_ignored(p))
            return false;
    if (p->t.kind == '(')
        ok = parse_params(p, true, &f->nrets, &f->rets);
    if (!ok)
        return false;
    if (p->t.kind != TOK_NAME)
        return parse_error_here(p, "expected the name of a function");
    f->name = parse_text(p, &p->t);
    f->place = p->t.place;
    parse_next(p);
    if (p->t.kind == '(' &&
        !parse_params(p, !f->entry, &f->nparams, &f->params))
        return false;
    if (f->entry && f->nrets)
        return parse_error(p, f->place, (uint32_t)strlen(f->name),
                           "an .entry returns nothing");
    return parse_directives(p, f);
}

static bool same_params(uint32_t n, ptx_var *const *a, uint32_t m,
                        ptx_var *const *b)
{
    if (n != m)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (a[i]->size != b[i]->size)
            return false;
    return true;
}

/* Joins a new header with what was declared before; NULL after an error. */
static ptx_func *declare_func(parser *p, const ptx_func *header, bool body)
{
    const char *text = header->name;
    uint32_t length = (uint32_t)strlen(text);
    ptx_name *n = symtab_name(p->st, text, length, lex_hash(text, length));
    symbol *s = symtab_here(p->st, n);
    ptx_func *f = s ? s->func : NULL;

    if (!s) {
        f = ARENA_NEW(p->a, ptx_func);
        *f = *header;
        f->number = p->funcs.count;
        *LIST_PUSH(&p->funcs, p->scratch, ptx_func *) = f;
        symtab_add(p->st, n, SYMBOL_FUNC, header->place)->func = f;
    } else if (!f || (f->has_body && body) || f->entry != header->entry) {
        parse_error(p, header->place, length,
                    "'%s' is declared twice; the first time in line %u", text,
                    s->place.line);
        return NULL;
    } else if (!same_params(f->nparams, f->params, header->nparams,
                            header->params) ||
               !same_params(f->nrets, f->rets, header->nrets, header->rets)) {
        parse_error(p, header->place, length,
                    "'%s' has other parameters than where it is declared "
                    "first, in line %u",
                    text, s->place.line);
        return NULL;
    } else if (body) {
        uint32_t number = f->number;
        bool taken = f->taken;
        *f = *header;
        f->number = number;
        f->taken = taken;
    }
    f->has_body |= body;
    return f;
}

/* ---- the end of a body -------------------------------------------------- */

static const char *nearest_mark(parser *p, const char *text, bool label)
{
    uint32_t n = 0;
    const char **texts;

    if (!label || !parse_may_suggest(p))
        return NULL;
    texts = ARENA_ARRAY(p->scratch, const char *, p->labels.count + 1);
    for (uint32_t i = 0; i < p->labels.count && n < 1000; i++)
        texts[n++] = (*LIST_AT(&p->labels, ptx_label *, i))->name;
    return suggest_nearest(text, texts, n);
}

static void unresolved(parser *p, const fixup *x, const char *what)
{
    const char *near = nearest_mark(p, x->name->text, x->label != NULL);

    if (near && !strcmp(near, x->name->text))
        parse_error(p, x->place, x->name->length,
                    "the %s '%s' stands in another scope", what, near);
    else
        parse_error(p, x->place, x->name->length,
                    "no %s '%s' is in scope%s%s%s", what, x->name->text,
                    near ? "; did you mean " : "", near ? near : "",
                    near ? "?" : "");
}

static void resolve_fixup(parser *p, const fixup *x)
{
    const mark *m = symtab_find_mark(p->st, x->name, x->scope);
    const char *what = x->label   ? "label"
                       : x->table ? ".branchtargets"
                                  : ".callprototype";

    if (m && x->label && m->label)
        *x->label = m->label;
    else if (m && x->table && m->table && !m->table->calls)
        *x->table = m->table;
    else if (m && x->proto && m->proto)
        *x->proto = m->proto;
    else {
        unresolved(p, x, what);
    }
}

static void finish_func(parser *p, ptx_func *f)
{
    for (uint32_t i = 0; i < p->fixups.count; i++)
        resolve_fixup(p, LIST_AT(&p->fixups, fixup, i));
    p->fixups.count = 0;
    symtab_end_func(p->st);
    f->regs = list_take(&p->regs, p->a, &f->nregs);
    f->vars = list_take(&p->vars, p->a, &f->nvars);
    f->labels = list_take(&p->labels, p->a, &f->nlabels);
    f->tables = list_take(&p->tables, p->a, &f->ntables);
    f->protos = list_take(&p->protos, p->a, &f->nprotos);
    f->insts = list_take(&p->insts, p->a, &f->ninsts);
    f->regdecls = list_take(&p->regdecls, p->a, &f->nregdecls);
    f->items = list_take(&p->items, p->a, &f->nitems);
    p->f = NULL;
    p->source = (ptx_source){0};
    p->inner_ranges = false;
    p->range_lengths = 0;
}

static void parse_whole_body(parser *p, ptx_func *f)
{
    p->f = f;
    symtab_open(p->st);
    for (uint32_t i = 0; i < f->nrets; i++) {
        f->rets[i]->func = f;
        parse_bind_var(p, f->rets[i]);
    }
    for (uint32_t i = 0; i < f->nparams; i++) {
        f->params[i]->func = f;
        parse_bind_var(p, f->params[i]);
    }
    parse_body(p);
    symtab_close(p->st);
    finish_func(p, f);
}

/* Of a kernel that nobody wants: behind its '}'. */
static bool skip_body(parser *p, ptx_func *f)
{
    if (!lex_skip_braces(&p->lx))
        return parse_error(p, f->place, (uint32_t)strlen(f->name),
                           "the body of '%s' has no end", f->name);
    f->skipped = true;
    parse_next(p);
    return true;
}

bool parse_func(parser *p, ptx_linkage linkage, bool entry)
{
    ptx_func header = {.linkage = linkage, .entry = entry};

    parse_next(p);
    if (!parse_header(p, &header))
        return false;
    bool body = p->t.kind == '{';
    if (body && linkage == PTX_EXTERN)
        return parse_error(p, header.place, (uint32_t)strlen(header.name),
                           "'%s' is .extern and has a body", header.name);
    ptx_func *f = declare_func(p, &header, body);
    if (!f)
        return false;
    parse_add_top(p, body ? PTX_TOP_FUNC : PTX_TOP_PROTOTYPE, f->number, NULL);
    if (!body)
        return parse_expect(p, ';', "function declaration");
    if (entry && p->wanted && !p->wanted(p->wanted_arg, f->name))
        return skip_body(p, f);
    parse_next(p);
    parse_whole_body(p, f);
    return true;
}

/* L: .callprototype (ret) _ (params) .noreturn ; */
bool parse_proto(parser *p, ptx_name *label, ptx_place place)
{
    ptx_func *f = ARENA_NEW(p->a, ptx_func);

    parse_next(p);
    f->name = label->text;
    f->place = place;
    if (p->t.kind == '(' && !parse_params(p, true, &f->nrets, &f->rets))
        return false;
    if (!parse_is_word(p, "_"))
        return parse_error_here(p, "expected _ in the place of a name");
    parse_next(p);
    if (p->t.kind == '(' && !parse_params(p, true, &f->nparams, &f->params))
        return false;
    if (!parse_directives(p, f))
        return false;
    mark *m = symtab_mark(p->st, label, place);
    if (!m)
        return parse_error(p, place, label->length, "'%s' is defined twice",
                           label->text);
    m->proto = f;
    f->number = p->protos.count;
    *LIST_PUSH(&p->protos, p->scratch, ptx_func *) = f;
    parse_item(p, PTX_ITEM_PROTO, f->number);
    return parse_expect(p, ';', "prototype");
}
