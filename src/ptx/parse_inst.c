/* Instructions: guard, opcode with its modifiers, operands, calls. */
#include <string.h>

#include "ptx/parser.h"

/* ---- modifiers ---------------------------------------------------------- */

static bool is_compare(ptx_op op)
{
    return op == PTX_SET || op == PTX_SETP || op == PTX_VSET ||
           op == PTX_VSET2 || op == PTX_VSET4;
}

/* Whether this is what an ambiguous word means behind this opcode. */
static bool means(ptx_op op, const ptx_word *w)
{
    switch (w->group) {
    case WORD_CMP:
        return is_compare(op);
    case WORD_BOOL:
        return op == PTX_SET || op == PTX_SETP || op == PTX_LOP3;
    case WORD_HALF:
        return !is_compare(op);
    case WORD_FLAG:
        return op != PTX_VOTE;
    case WORD_TYPE:
        return op != PTX_ISTYPEP;
    default:
        return false;
    }
}

static const ptx_word *meaning(ptx_op op, const ptx_word *w)
{
    const ptx_word *sub = w;

    if (!w->other)
        return w;
    for (const ptx_word *m = w; m; m = m->other) {
        if (means(op, m))
            return m;
        if (m->group == WORD_SUB)
            sub = m;
    }
    return sub;
}

static bool bad_modifier(parser *p, const rule *r)
{
    char *text = arena_strndup(p->scratch, p->t.text + 1, p->t.length - 1);
    const char *allowed = rule_modifiers(p->scratch, r);

    if (words_find_mod(p->w, text, p->t.length - 1, p->t.hash))
        return parse_error_here(p, "'%s' has no modifier .%s; it has: %s",
                                ptx_op_text(r->op), text,
                                *allowed ? allowed : "none");
    const char *near =
        parse_may_suggest(p) ? words_nearest_mod(p->scratch, text) : NULL;
    return parse_error_here(p, "unknown modifier .%s%s%s%s", text,
                            near ? "; did you mean ." : "", near ? near : "",
                            near ? "?" : "");
}

/* .m16n8k16 */
static bool set_shape(const token *t, ptx_inst *in)
{
    const char *s = t->text + 1, *end = t->text + t->length;
    uint16_t *const to[] = {&in->m, &in->n, &in->k};
    uint16_t part[3] = {0};

    for (unsigned i = 0; i < 3; i++) {
        if (s == end || *s++ != "mnk"[i] || s == end)
            return false;
        for (; s < end && *s >= '0' && *s <= '9' && part[i] < 1000; s++)
            part[i] = (uint16_t)(part[i] * 10 + (*s - '0'));
        if (!part[i])
            return false;
    }
    if (s != end)
        return false;
    for (unsigned i = 0; i < 3; i++)
        *to[i] = part[i];
    return true;
}

/* A field that holds one word: twice is an error, unless all goes. */
static bool set_once(parser *p, const rule *r, uint8_t *field, uint16_t value)
{
    if (*field && !r->open)
        return parse_error_here(
            p,
            *field == value ? "modifier %.*s is repeated"
                            : "modifier %.*s contradicts an earlier one",
            (int)p->t.length, p->t.text);
    *field = (uint8_t)value;
    return true;
}

static bool push_word(parser *p, const rule *r, uint8_t *words, uint8_t *count,
                      unsigned most, uint16_t value)
{
    if (*count < most) {
        words[(*count)++] = (uint8_t)value;
        return true;
    }
    return r->open || parse_error_here(p, "modifier %.*s is one too many",
                                       (int)p->t.length, p->t.text);
}

static bool set_word(parser *p, const rule *r, const ptx_word *w, ptx_inst *in)
{
    uint8_t once = 0;

    switch (w->group) {
    case WORD_TYPE:
        return push_word(p, r, in->types, &in->ntypes,
                         r->open ? PTX_MAX_TYPES : r->types_max, w->value);
    case WORD_ROUND:
        return set_once(p, r, &in->round, w->value);
    case WORD_CMP:
        return set_once(p, r, &in->cmp, w->value);
    case WORD_BOOL:
        return set_once(p, r, &in->boolop, w->value);
    case WORD_HALF:
        return set_once(p, r, &in->half, w->value);
    case WORD_SPACE:
        return push_word(p, r, in->spaces, &in->nspaces, r->open ? 2 : 1,
                         w->value);
    case WORD_CACHE:
        return set_once(p, r, &in->cache, w->value);
    case WORD_ORDER:
        return set_once(p, r, &in->order, w->value);
    case WORD_SCOPE:
        return set_once(p, r, &in->scope, w->value);
    case WORD_VEC:
        once = in->vec > 1;
        in->vec = (uint8_t)w->value;
        return set_once(p, r, &once, 1);
    case WORD_NUM:
        return set_once(p, r, &in->num, w->value);
    case WORD_LAYOUT:
        in->layouts[in->layouts[0] ? 1 : 0] = (uint8_t)w->value;
        return true;
    case WORD_FLAG:
        once = ptx_has(in, (ptx_flag)w->value);
        in->flags |= 1ull << w->value;
        return set_once(p, r, &once, 1);
    default:
        return push_word(p, r, in->subs, &in->nsubs, PTX_MAX_SUBS, w->value);
    }
}

static bool is_hint(const token *t, const char *level)
{
    return t->length > 5 && !memcmp(t->text + 1, level, 4);
}

/* Hints about caches are kept as text (codegen/lower/lower_keep.c), but only
 * those that there are [PTX85:ld]. */
static bool is_known_hint(const token *t)
{
    static const char *const known[] = {"L1::evict_normal",
                                        "L1::evict_unchanged",
                                        "L1::evict_first",
                                        "L1::evict_last",
                                        "L1::no_allocate",
                                        "L2::evict_normal",
                                        "L2::evict_first",
                                        "L2::evict_last",
                                        "L2::evict_unchanged",
                                        "L2::64B",
                                        "L2::128B",
                                        "L2::256B"};

    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == t->length - 1 &&
            !memcmp(t->text + 1, known[i], t->length - 1))
            return true;
    return false;
}

static bool parse_modifier(parser *p, const rule *r, ptx_inst *in)
{
    const ptx_word *w =
        words_find_mod(p->w, p->t.text + 1, p->t.length - 1, p->t.hash);

    if (w && rule_allows(r, w))
        return set_word(p, r, meaning(r->op, w), in);
    if (w && !r->open)
        return bad_modifier(p, r);
    if ((r->hints_l1 && is_hint(&p->t, "L1::")) ||
        (r->hints_l2 && is_hint(&p->t, "L2::")))
        return is_known_hint(&p->t) || bad_modifier(p, r);
    if (!r->open)
        return bad_modifier(p, r);
    if (set_shape(&p->t, in))
        return true;
    return push_word(p, r, in->subs, &in->nsubs, PTX_MAX_SUBS, PTX_SUB_OTHER);
}

static bool parse_modifiers(parser *p, const rule *r, ptx_inst *in)
{
    const char *from = p->t.text, *end = from;
    bool joined = true, ok = true;

    in->vec = 1;
    while (p->t.kind == TOK_DOT) {
        joined = joined && p->t.text == end;
        end = p->t.text + p->t.length;
        ok = parse_modifier(p, r, in) && ok;
        parse_next(p);
    }
    if (from == end)
        in->mods = "";
    else if (joined)
        in->mods = arena_strndup(p->a, from, (size_t)(end - from));
    else { /* `add .s32`: without the blanks */
        char *text = arena_alloc(p->a, (size_t)(end - from) + 1), *to = text;
        lexer lx = p->lx;
        token t;
        for (lx.at = from; lx.at < end;) {
            lex_next(&lx, &t);
            memcpy(to, t.text, t.length);
            to += t.length;
        }
        in->mods = text;
    }
    return ok;
}

/* ---- calls -------------------------------------------------------------- */

/* ( a, b ) */
static bool call_list(parser *p, uint32_t *count, ptx_operand **out)
{
    list all = {0};

    parse_next(p);
    while (p->t.kind != ')') {
        ptx_operand o;
        if (!parse_operand(p, &o))
            return false;
        *LIST_PUSH(&all, p->scratch, ptx_operand) = o;
        if (p->t.kind != ')' && !parse_expect(p, ',', "argument"))
            return false;
    }
    parse_next(p);
    *out = list_take(&all, p->a, count);
    return true;
}

static bool call_target(parser *p, ptx_call *c)
{
    token t = p->t;
    symbol *s = t.kind == TOK_NAME ? parse_find_symbol(p, &t) : NULL;

    if (t.kind != TOK_NAME)
        return parse_error_here(p, "expected the name of a function");
    if (!s)
        return parse_undeclared(p, &t);
    if (s->kind == SYMBOL_FUNC) {
        c->func = s->func;
        parse_next(p);
        return true;
    }
    if (!parse_operand(p, &c->target))
        return false;
    if (c->target.kind != PTX_OPD_REG)
        return parse_error(p, t.place, t.length,
                           "'%.*s' is neither a function nor a register",
                           (int)t.length, t.text);
    return true;
}

/* The label of a .callprototype or .calltargets behind an indirect call. */
static bool call_prototype(parser *p, ptx_call *c)
{
    if (p->t.kind != TOK_NAME)
        return parse_error_here(p, "expected the label of a .callprototype");
    ptx_name *n = symtab_name(p->st, p->t.text, p->t.length, p->t.hash);
    const mark *m = symtab_find_mark(p->st, n, symtab_scope(p->st));
    if (m && m->table && m->table->calls)
        c->targets = m->table;
    else if (m && m->proto)
        c->proto = m->proto;
    else
        *LIST_PUSH(&p->fixups, p->scratch, fixup) =
            (fixup){.name = n,
                    .scope = symtab_scope(p->st),
                    .place = p->t.place,
                    .proto = &c->proto};
    parse_next(p);
    return true;
}

/* call (rets), f, (args), prototype; */
static bool parse_call(parser *p, ptx_inst *in)
{
    ptx_call *c = ARENA_NEW(p->a, ptx_call);

    in->call = c;
    c->target.reg = PTX_NO_REG;
    if (p->t.kind == '(' && (!call_list(p, &c->nrets, &c->rets) ||
                             !parse_expect(p, ',', "list of results")))
        return false;
    if (!call_target(p, c))
        return false;
    if (!parse_accept(p, ','))
        return true;
    if (p->t.kind != '(')
        return call_prototype(p, c);
    if (!call_list(p, &c->nargs, &c->args))
        return false;
    return !parse_accept(p, ',') || call_prototype(p, c);
}

/* ---- branches ----------------------------------------------------------- */

static bool label_operand(parser *p, ptx_operand *o, bool table)
{
    *o = (ptx_operand){.kind = table ? PTX_OPD_TABLE : PTX_OPD_LABEL,
                       .reg = PTX_NO_REG,
                       .place = p->t.place,
                       .length = p->t.length};
    if (p->t.kind != TOK_NAME)
        return parse_error_here(p, "expected a label, found '%.*s'",
                                (int)p->t.length, p->t.text);
    fixup *x = LIST_PUSH(&p->fixups, p->scratch, fixup);
    x->name = symtab_name(p->st, p->t.text, p->t.length, p->t.hash);
    x->scope = symtab_scope(p->st);
    x->place = p->t.place;
    parse_next(p);
    return true;
}

static bool parse_branch(parser *p, ptx_inst *in)
{
    in->nops = in->op == PTX_BRX ? 2 : 1;
    in->ops = ARENA_ARRAY(p->a, ptx_operand, in->nops);
    if (in->op == PTX_BRX &&
        (!parse_operand(p, &in->ops[0]) || !parse_expect(p, ',', "index")))
        return false;
    ptx_operand *o = &in->ops[in->nops - 1];
    if (!label_operand(p, o, in->op == PTX_BRX))
        return false;
    fixup *x = LIST_AT(&p->fixups, fixup, p->fixups.count - 1);
    if (in->op == PTX_BRX)
        x->table = &o->table;
    else
        x->label = &o->label;
    return true;
}

/* ---- the instruction ---------------------------------------------------- */

static bool parse_operands(parser *p, ptx_inst *in)
{
    ptx_operand ops[16];
    unsigned n = 0;

    if (p->t.kind == ';')
        return true;
    do {
        if (n == COUNTOF(ops))
            return parse_error_here(p, "more than %zu operands", COUNTOF(ops));
        if (!parse_operand(p, &ops[n++]))
            return false;
    } while (parse_accept(p, ','));
    in->nops = (uint8_t)n;
    in->ops = ARENA_ARRAY(p->a, ptx_operand, n);
    memcpy(in->ops, ops, n * sizeof *ops);
    return true;
}

static bool parse_guard(parser *p, ptx_inst *in)
{
    ptx_operand o;
    token at;

    parse_next(p);
    in->guard_negated = parse_accept(p, '!');
    at = p->t;
    if (p->t.kind != TOK_NAME)
        return parse_error_here(p, "expected a predicate behind '@'");
    if (!parse_operand(p, &o))
        return false;
    if (o.kind != PTX_OPD_REG || o.part ||
        (o.type != PTX_TYPE_PRED && o.type != PTX_TYPE_NONE))
        return parse_error(p, at.place, at.length, "'%.*s' is no predicate",
                           (int)at.length, at.text);
    in->guarded = true;
    in->guard = o.reg;
    return true;
}

static bool parse_opcode(parser *p, ptx_inst *in)
{
    const ptx_word *w = NULL;

    in->place = p->t.place;
    in->source = p->source;
    if (p->t.kind != TOK_NAME)
        return parse_error_here(p, "expected an instruction, found '%.*s'",
                                (int)p->t.length, p->t.text);
    w = words_find_op(p->w, p->t.text, p->t.length, p->t.hash);
    if (!w) {
        char *text = arena_strndup(p->scratch, p->t.text, p->t.length);
        const char *near = parse_may_suggest(p) ? words_nearest_op(text) : NULL;
        return parse_error_here(p, "unknown instruction '%s'%s%s%s", text,
                                near ? "; did you mean " : "", near ? near : "",
                                near ? "?" : "");
    }
    in->op = (ptx_op)w->value;
    parse_next(p);
    return true;
}

bool parse_inst(parser *p)
{
    ptx_inst in = {.guard = PTX_NO_REG};
    bool ok;

    if (p->t.kind == '@' && !parse_guard(p, &in))
        return false;
    if (!parse_opcode(p, &in))
        return false;
    const rule *r = rules_get(p->rules, in.op);
    bool known = parse_modifiers(p, r, &in);
    if (in.op == PTX_CALL)
        ok = parse_call(p, &in);
    else if (in.op == PTX_BRA || in.op == PTX_BRX)
        ok = parse_branch(p, &in);
    else
        ok = parse_operands(p, &in);
    if (!ok || !parse_expect(p, ';', "instruction"))
        return false;
    if (known && check_inst(p, r, &in)) {
        *LIST_PUSH(&p->insts, p->scratch, ptx_inst) = in;
        parse_item(p, PTX_ITEM_INST, p->insts.count - 1);
    }
    return true; /* an error in check_inst is behind the ';' already */
}
