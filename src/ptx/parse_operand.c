/* Operands of instructions. */
#include <string.h>

#include "base/must.h"
#include "base/suggest.h"
#include "ptx/parser.h"

/* Elements of one vector; wgmma takes 128 registers. */
enum { MAX_ELEMS = 255 };

static bool parse_nested_operand(parser *p, ptx_operand *o, unsigned depth);

/* ---- names -------------------------------------------------------------- */

static const char *nearest_symbol(parser *p, const char *text)
{
    const char **texts, *near;

    if (!parse_may_suggest(p))
        return NULL;
    size_t count = symtab_visible(p->st, p->scratch, &texts);
    near = suggest_nearest(text, texts, count);
    if (!near && text[0] == '%')
        near = words_nearest_sreg(p->scratch, text);
    return near;
}

/* Reports each undeclared name once per function. Always false. */
bool parse_undeclared(parser *p, const token *t)
{
    ptx_name *n = symtab_name(p->st, t->text, t->length, t->hash);
    const char *near = nearest_symbol(p, n->text);

    parse_error(p, t->place, t->length, "'%s' is not declared%s%s%s", n->text,
                near ? "; did you mean " : "", near ? near : "",
                near ? "?" : "");
    symtab_add_at(p->st, n, SYMBOL_BAD, t->place, 1);
    return false;
}

/* 0..3 for .x .y .z .w, and for .r .g .b .a; 4 for what is none. */
static unsigned component(const token *t)
{
    switch (t->kind == TOK_DOT && t->length == 2 ? t->text[1] : 0) {
    case 'x':
        return 0;
    case 'y':
        return 1;
    case 'z':
        return 2;
    case 'w':
        return 3;
    default:
        return 4;
    }
}

static unsigned color(const token *t)
{
    switch (t->kind == TOK_DOT && t->length == 2 ? t->text[1] : 0) {
    case 'r':
        return 0;
    case 'g':
        return 1;
    case 'b':
        return 2;
    case 'a':
        return 3;
    default:
        return 4;
    }
}

static void set_reg(ptx_operand *o, uint32_t reg, ptx_type type)
{
    o->kind = PTX_OPD_REG;
    o->reg = reg;
    o->type = (uint8_t)type;
}

/* r.b0, r.h10: the parts that video instructions select. */
static bool register_part(parser *p, const symbol *s, ptx_operand *o)
{
    if (p->t.kind != TOK_DOT)
        return true;
    if ((p->t.text[1] != 'b' && p->t.text[1] != 'h') || p->t.length < 3 ||
        p->t.length > 6)
        return parse_error_here(p, "'%s' has no part '%.*s'", s->of->text,
                                (int)p->t.length, p->t.text);
    o->part = arena_strndup(p->a, p->t.text + 1, p->t.length - 1);
    parse_next(p);
    return true;
}

/* v alone is {v.x, v.y, ...}. */
static bool vector_reg(parser *p, const symbol *s, ptx_operand *o)
{
    unsigned i = component(&p->t) < 4 ? component(&p->t) : color(&p->t);

    if (p->t.kind == TOK_DOT) {
        if (i >= s->count)
            return parse_error_here(p, "'%s' has no part '%.*s'", s->of->text,
                                    (int)p->t.length, p->t.text);
        set_reg(o, s->first + i, s->type);
        parse_next(p);
        return register_part(p, s, o);
    }
    o->kind = PTX_OPD_VEC;
    o->nelems = (uint8_t)s->count;
    o->elems = ARENA_ARRAY(p->a, ptx_operand, s->count);
    for (i = 0; i < s->count; i++) {
        o->elems[i].place = o->place;
        o->elems[i].length = o->length;
        set_reg(&o->elems[i], s->first + i, s->type);
    }
    return true;
}

static bool special_reg(parser *p, const ptx_word *w, ptx_operand *o)
{
    o->kind = PTX_OPD_SREG;
    o->sreg = (ptx_sreg)w->value;
    unsigned bits = ptx_sreg_bits(o->sreg);
    o->type = bits == 64  ? PTX_TYPE_B64
              : bits == 1 ? PTX_TYPE_PRED
                          : PTX_TYPE_B32;
    if (ptx_sreg_parts(o->sreg) == 1)
        return true;
    o->sel = (uint8_t)component(&p->t);
    if (o->sel != PTX_SREG_WHOLE)
        parse_next(p);
    return true;
}

/* x[3], and + and - constants */
static bool symbol_offset(parser *p, ptx_operand *o)
{
    constant c;

    if (o->kind == PTX_OPD_SYM && o->var && p->t.kind == '[') {
        parse_next(p);
        if (!parse_constant(p, &c) || !parse_expect(p, ']', "index"))
            return false;
        o->imm = (int64_t)(c.bits * ptx_type_bytes(o->var->type) * o->var->vec);
    }
    while (p->t.kind == '+' || p->t.kind == '-') {
        bool minus = p->t.kind == '-';
        parse_next(p);
        if (p->t.kind == TOK_NAME && !parse_is_word(p, "WARP_SZ"))
            return parse_error_here(p, "only a constant can be added here");
        if (!parse_addend(p, &c))
            return false;
        o->imm = (int64_t)((uint64_t)o->imm + (minus ? -c.bits : c.bits));
    }
    return true;
}

static bool named(parser *p, ptx_operand *o)
{
    token t = p->t;
    symbol *s = parse_find_symbol(p, &t);

    parse_next(p);
    o->reg = PTX_NO_REG;
    if (!s) {
        const ptx_word *w = words_find_sreg(p->w, t.text, t.length);
        if (w)
            return special_reg(p, w, o);
        if (t.length == 1 && t.text[0] == '_') {
            o->kind = PTX_OPD_SINK;
            return true;
        }
        return parse_undeclared(p, &t);
    }
    switch (s->kind) {
    case SYMBOL_REG:
        set_reg(o, s->first, s->type);
        return register_part(p, s, o);
    case SYMBOL_VECTOR:
        return vector_reg(p, s, o);
    case SYMBOL_VAR:
        o->kind = PTX_OPD_SYM;
        o->var = s->var;
        return true;
    case SYMBOL_FUNC:
        o->kind = PTX_OPD_SYM;
        o->func = s->func;
        o->func->taken = true;
        return true;
    case SYMBOL_RANGE:
    case SYMBOL_BAD: /* already reported: pass for a register of any type */
        set_reg(o, PTX_NO_REG, PTX_TYPE_NONE);
        if (p->t.kind == TOK_DOT)
            parse_next(p);
        return true;
    }
    MUST(!"every value is above");
}

/* ---- numbers ------------------------------------------------------------ */

static bool parse_number(parser *p, ptx_operand *o)
{
    constant c;

    if (!parse_constant(p, &c))
        return false;
    o->kind = c.is_float ? PTX_OPD_FIMM : PTX_OPD_IMM;
    o->type = (uint8_t)c.type;
    o->is_unsigned = c.is_unsigned;
    o->imm = (int64_t)c.bits;
    return true;
}

/* ---- { } and [ ] -------------------------------------------------------- */

/* Operands up to `close`, which is taken. */
static bool elements(parser *p, ptx_operand *o, int close, unsigned depth)
{
    list elems = {0};
    uint32_t count;

    do {
        ptx_operand e = {0};
        if (!parse_nested_operand(p, &e, depth + 1))
            return false;
        *LIST_PUSH(&elems, p->scratch, ptx_operand) = e;
        if (elems.count > MAX_ELEMS)
            return parse_error_here(p, "more than %d elements", MAX_ELEMS);
    } while (parse_accept(p, ','));
    o->elems = list_take(&elems, p->a, &count);
    o->nelems = (uint8_t)count;
    if (close == '}')
        return parse_expect(p, '}', "elements");
    return parse_expect(p, ']', "address");
}

static bool parse_vector(parser *p, ptx_operand *o, unsigned depth)
{
    if (depth > 1)
        return parse_error_here(p, "a vector cannot stand here");
    parse_next(p);
    o->kind = PTX_OPD_VEC;
    return elements(p, o, '}', depth);
}

static bool address_base(parser *p, ptx_operand *o)
{
    token t = p->t;

    if (t.kind != TOK_NAME || parse_is_word(p, "WARP_SZ")) {
        if (!parse_number(p, o))
            return false;
        return o->kind == PTX_OPD_IMM ||
               parse_error(p, t.place, t.length,
                           "an address is no floating-point number");
    }
    if (!named(p, o))
        return false;
    if (o->kind != PTX_OPD_REG && (o->kind != PTX_OPD_SYM || o->func))
        return parse_error(p, t.place, t.length,
                           "'%.*s' cannot be the base of an address",
                           (int)t.length, t.text);
    return symbol_offset(p, o);
}

static bool parse_address(parser *p, ptx_operand *o)
{
    parse_next(p);
    o->reg = PTX_NO_REG;
    if (!address_base(p, o))
        return false;
    o->kind = PTX_OPD_ADDR;
    if (parse_accept(p, ','))
        return elements(p, o, ']', 0);
    return parse_expect(p, ']', "address");
}

/* ---- operands ----------------------------------------------------------- */

/* Whether a name comes next, and so a register to be negated, no number. */
static bool before_name(const parser *p)
{
    lexer lx = p->lx;
    token t;

    lex_next(&lx, &t);
    return t.kind == TOK_NAME &&
           !(t.length == 7 && !memcmp(t.text, "WARP_SZ", 7));
}

/* !p and -r; !0 and -1 are constants. */
static bool parse_negated(parser *p, ptx_operand *o)
{
    bool predicate = p->t.kind == '!';

    if (!before_name(p))
        return parse_number(p, o);
    parse_next(p);
    if (!named(p, o))
        return false;
    o->negated = true;
    if (o->kind != PTX_OPD_REG ||
        (o->type && (o->type == PTX_TYPE_PRED) != predicate))
        return parse_error(p, o->place, o->length,
                           predicate ? "'!' negates predicates only"
                                     : "'-' negates numbers and registers");
    return true;
}

static bool simple(parser *p, ptx_operand *o, unsigned depth)
{
    switch (p->t.kind) {
    case '{':
        return parse_vector(p, o, depth);
    case '[':
        if (depth)
            return parse_error_here(p, "an address cannot stand here");
        return parse_address(p, o);
    case '!':
    case '-':
        return parse_negated(p, o);
    case TOK_NAME:
        if (parse_is_word(p, "WARP_SZ"))
            return parse_number(p, o);
        return named(p, o) && (o->kind != PTX_OPD_SYM || symbol_offset(p, o));
    case TOK_NUMBER:
    case '(':
    case '+':
    case '~':
        return parse_number(p, o);
    default:
        return parse_error_here(p, "expected an operand, found '%.*s'",
                                p->t.kind == TOK_END ? 3 : (int)p->t.length,
                                p->t.kind == TOK_END ? "end" : p->t.text);
    }
}

static bool parse_nested_operand(parser *p, ptx_operand *o, unsigned depth)
{
    o->place = p->t.place;
    o->length = p->t.length;
    o->reg = PTX_NO_REG;
    if (!simple(p, o, depth))
        return false;
    if (p->t.kind != '|' || depth ||
        (o->kind != PTX_OPD_REG && o->kind != PTX_OPD_SINK &&
         o->kind != PTX_OPD_VEC))
        return true;
    ptx_operand *pair = ARENA_ARRAY(p->a, ptx_operand, 2);
    pair[0] = *o;
    parse_next(p);
    pair[1].place = p->t.place;
    pair[1].length = p->t.length;
    if (p->t.kind != TOK_NAME)
        return parse_error_here(p, "expected a predicate behind '|'");
    if (!named(p, &pair[1]))
        return false;
    *o = (ptx_operand){.kind = PTX_OPD_PAIR,
                       .reg = PTX_NO_REG,
                       .nelems = 2,
                       .elems = pair,
                       .place = o->place,
                       .length = o->length};
    return true;
}

bool parse_operand(parser *p, ptx_operand *out)
{
    *out = (ptx_operand){0};
    return parse_nested_operand(p, out, 0);
}
