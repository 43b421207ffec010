/* Constant expressions [PTX85:constant-expressions]: integers of 64 bits,
 * signed unless an operand is unsigned, and floating point. */
#include <stdlib.h>
#include <string.h>

#include "ptx/parser.h"

/* ---- literals ----------------------------------------------------------- */

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* Exactly `n` hexadecimal digits: the bits of 0f and 0d literals. */
static bool hex_bits(const char *s, size_t n, size_t want, uint64_t *out)
{
    if (n != want)
        return false;
    for (*out = 0; n--; s++) {
        if (digit_of(*s) > 15)
            return false;
        *out = *out << 4 | (unsigned)digit_of(*s);
    }
    return true;
}

static bool bad_number(parser *p, const char *why)
{
    return parse_error_here(p, "%s: '%.*s'", why, (int)p->t.length, p->t.text);
}

static bool float_bits(parser *p, constant *out)
{
    const char *s = p->t.text;
    size_t n = p->t.length;
    bool wide = (s[1] | 0x20) == 'd';

    out->is_float = true;
    out->type = wide ? PTX_TYPE_F64 : PTX_TYPE_F32;
    if (!hex_bits(s + 2, n - 2, wide ? 16 : 8, &out->bits))
        return bad_number(p, wide ? "0d needs 16 hexadecimal digits"
                                  : "0f needs 8 hexadecimal digits");
    return true;
}

static bool decimal_float(parser *p, constant *out)
{
    char text[64], *end;
    double d;

    if (p->t.length >= sizeof text)
        return bad_number(p, "a number with too many digits");
    memcpy(text, p->t.text, p->t.length);
    text[p->t.length] = 0;
    d = strtod(text, &end);
    if (*end)
        return bad_number(p, "not a number");
    out->is_float = true;
    out->type = PTX_TYPE_F64;
    memcpy(&out->bits, &d, sizeof d);
    return true;
}

static bool parse_integer(parser *p, constant *out)
{
    const char *s = p->t.text, *end = s + p->t.length;
    unsigned base = 10;
    uint64_t v = 0;

    if (end - s > 1 && (end[-1] | 0x20) == 'u') {
        out->is_unsigned = true;
        end--;
    }
    if (end - s > 1 && *s == '0') {
        char c = s[1] | 0x20;
        base = c == 'x' ? 16 : c == 'b' ? 2 : 8;
        s += base == 8 ? 1 : 2;
    }
    if (s == end)
        return bad_number(p, "a number without digits");
    for (; s < end; s++) {
        unsigned digit = (unsigned)digit_of(*s);
        if (digit >= base)
            return bad_number(p, "not a number");
        if (__builtin_mul_overflow(v, base, &v) ||
            __builtin_add_overflow(v, digit, &v))
            return bad_number(p, "a number of more than 64 bits");
    }
    if (v > INT64_MAX)
        out->is_unsigned = true;
    out->bits = v;
    return true;
}

static bool is_decimal_float(const char *s, size_t n)
{
    if (n > 1 && s[0] == '0' && (s[1] | 0x20) == 'x')
        return false;
    return memchr(s, '.', n) || memchr(s, 'e', n) || memchr(s, 'E', n);
}

static bool literal(parser *p, constant *out)
{
    const char *s = p->t.text;
    size_t n = p->t.length;
    bool ok;

    *out = (constant){0};
    if (n > 1 && s[0] == '0' && ((s[1] | 0x20) == 'f' || (s[1] | 0x20) == 'd'))
        ok = float_bits(p, out);
    else if (is_decimal_float(s, n))
        ok = decimal_float(p, out);
    else
        ok = parse_integer(p, out);
    if (ok)
        parse_next(p);
    return ok;
}

/* ---- arithmetic --------------------------------------------------------- */

static double constant_double(const constant *c)
{
    double d;
    float f;

    if (!c->is_float)
        return c->is_unsigned ? (double)c->bits : (double)(int64_t)c->bits;
    if (c->type == PTX_TYPE_F32) {
        uint32_t bits = (uint32_t)c->bits;
        memcpy(&f, &bits, sizeof f);
        return (double)f;
    }
    memcpy(&d, &c->bits, sizeof d);
    return d;
}

bool constant_as(const constant *c, ptx_type t, uint64_t *bits)
{
    bool float_type = ptx_type_kind(t) == PTX_KIND_FLOAT;

    *bits = c->bits;
    if (!c->is_float && !float_type)
        return true;
    if (c->is_float && c->type == t)
        return true;
    if (t == PTX_TYPE_F64) {
        double d = constant_double(c);
        memcpy(bits, &d, sizeof d);
        return true;
    }
    if (t == PTX_TYPE_F32) {
        float f = (float)constant_double(c);
        uint32_t narrow;
        memcpy(&narrow, &f, sizeof f);
        *bits = narrow;
        return true;
    }
    /* 0f bits in a .b32, 0d bits in a .b64. */
    return c->is_float && ptx_type_kind(t) == PTX_KIND_BITS &&
           ptx_type_bits(t) == ptx_type_bits(c->type);
}

static void set_double(constant *c, double d)
{
    *c = (constant){.is_float = true, .type = PTX_TYPE_F64};
    memcpy(&c->bits, &d, sizeof d);
}

static void set_bool(constant *c, bool b) { *c = (constant){.bits = b}; }

static bool truth(const constant *c)
{
    return c->is_float ? constant_double(c) != 0 : c->bits != 0;
}

static bool float_binary(parser *p, int op, constant *l, const constant *r)
{
    double x = constant_double(l), y = constant_double(r);

    switch (op) {
    case '+':
        set_double(l, x + y);
        return true;
    case '-':
        set_double(l, x - y);
        return true;
    case '*':
        set_double(l, x * y);
        return true;
    case '/':
        set_double(l, x / y);
        return true;
    case '<':
        set_bool(l, x < y);
        return true;
    case '>':
        set_bool(l, x > y);
        return true;
    case TOK_LE:
        set_bool(l, x <= y);
        return true;
    case TOK_GE:
        set_bool(l, x >= y);
        return true;
    case TOK_EQ:
        set_bool(l, x == y);
        return true;
    case TOK_NE:
        set_bool(l, x != y);
        return true;
    default:
        return parse_error_here(
            p, "this operator takes integers, not floating point");
    }
}

static bool divide_constants(parser *p, int op, constant *l, uint64_t y, bool u)
{
    int64_t sx = (int64_t)l->bits, sy = (int64_t)y;

    if (!y)
        return parse_error_here(p, "a constant is divided by zero");
    if (u)
        l->bits = op == '/' ? l->bits / y : l->bits % y;
    else if (sy == -1) /* the one that would overflow */
        l->bits = op == '/' ? -l->bits : 0;
    else
        l->bits = (uint64_t)(op == '/' ? sx / sy : sx % sy);
    return true;
}

static void shift_constant(int op, constant *l, uint64_t by, bool u)
{
    if (op == TOK_SHL)
        l->bits = by > 63 ? 0 : l->bits << by;
    else if (u)
        l->bits = by > 63 ? 0 : l->bits >> by;
    else
        l->bits = (uint64_t)((int64_t)l->bits >> (by > 63 ? 63 : by));
}

static bool less(const constant *l, uint64_t y, bool u)
{
    return u ? l->bits < y : (int64_t)l->bits < (int64_t)y;
}

static bool int_binary(parser *p, int op, constant *l, const constant *r)
{
    uint64_t x = l->bits, y = r->bits;
    bool u = l->is_unsigned || r->is_unsigned, was = l->is_unsigned;

    l->is_unsigned = u;
    switch (op) {
    case '+':
        l->bits = x + y;
        return true;
    case '-':
        l->bits = x - y;
        return true;
    case '*':
        l->bits = x * y;
        return true;
    case '&':
        l->bits = x & y;
        return true;
    case '|':
        l->bits = x | y;
        return true;
    case '^':
        l->bits = x ^ y;
        return true;
    case '/':
    case '%':
        return divide_constants(p, op, l, y, u);
    case TOK_SHL:
    case TOK_SHR:
        l->is_unsigned = was; /* the type of the left operand */
        shift_constant(op, l, y, was);
        return true;
    case '<':
        set_bool(l, less(l, y, u));
        return true;
    case TOK_GE:
        set_bool(l, !less(l, y, u));
        return true;
    case TOK_EQ:
        set_bool(l, x == y);
        return true;
    case TOK_NE:
        set_bool(l, x != y);
        return true;
    case '>':
        set_bool(l, x != y && !less(l, y, u));
        return true;
    default:
        set_bool(l, x == y || less(l, y, u));
        return true; /* <= */
    }
}

static bool apply_binary(parser *p, int op, constant *l, const constant *r)
{
    if (op == TOK_ANDAND || op == TOK_OROR) {
        set_bool(l, op == TOK_ANDAND ? truth(l) && truth(r)
                                     : truth(l) || truth(r));
        return true;
    }
    if (l->is_float || r->is_float)
        return float_binary(p, op, l, r);
    return int_binary(p, op, l, r);
}

static bool apply_unary(parser *p, int op, constant *c)
{
    if (op == '!') {
        set_bool(c, !truth(c));
        return true;
    }
    if (c->is_float) {
        if (op == '~')
            return parse_error_here(p, "~ takes an integer");
        if (op == '-')
            c->bits ^= 1ull << (ptx_type_bits(c->type) - 1);
        return true;
    }
    if (op == '-')
        c->bits = -c->bits;
    else if (op == '~')
        c->bits = ~c->bits;
    return true;
}

/* ---- grammar ------------------------------------------------------------ */

static bool ternary(parser *p, constant *out, unsigned depth);

static bool cast(parser *p, constant *out, unsigned depth);

/* ( expr ) or (.s64) operand */
static bool parenthesis(parser *p, constant *out, unsigned depth)
{
    parse_next(p);
    if (p->t.kind == TOK_DOT)
        return cast(p, out, depth);
    return ternary(p, out, depth) && parse_expect(p, ')', "expression");
}

static bool parse_primary(parser *p, constant *out, unsigned depth)
{
    int op = p->t.kind;

    if (depth > PARSE_MAX_DEPTH)
        return parse_error_here(p, "an expression nested too deeply");
    switch (op) {
    case TOK_NUMBER:
        return literal(p, out);
    case '(':
        return parenthesis(p, out, depth + 1);
    case '-':
    case '+':
    case '~':
    case '!':
        parse_next(p);
        return parse_primary(p, out, depth + 1) && apply_unary(p, op, out);
    default:
        break;
    }
    if (parse_is_word(p, "WARP_SZ")) {
        *out = (constant){.bits = 32};
        parse_next(p);
        return true;
    }
    return parse_error_here(p, "expected a number, found '%.*s'",
                            (int)p->t.length, p->t.text);
}

static bool cast(parser *p, constant *out, unsigned depth)
{
    bool u = parse_is_word(p, "u64");

    if (!u && !parse_is_word(p, "s64"))
        return parse_error_here(p, "a cast is (.s64) or (.u64)");
    parse_next(p);
    if (!parse_expect(p, ')', "cast") || !parse_primary(p, out, depth + 1))
        return false;
    if (out->is_float) {
        double d = constant_double(out);
        if (!(u ? d > -1 && d < 0x1p64 : d >= -0x1p63 && d < 0x1p63))
            return parse_error_here(p, "the number does not fit in 64 bits");
        *out = (constant){.bits = d < 0 ? (uint64_t)(int64_t)d : (uint64_t)d};
    }
    out->is_unsigned = u;
    return true;
}

/* Higher binds tighter; 0 for what is no binary operator. */
static int binding_strength(const token *t)
{
    switch (t->kind) {
    case '*':
    case '/':
    case '%':
        return 10;
    case '+':
    case '-':
        return 9;
    case TOK_SHL:
    case TOK_SHR:
        return 8;
    case '<':
    case '>':
    case TOK_LE:
    case TOK_GE:
        return 7;
    case TOK_EQ:
    case TOK_NE:
        return 6;
    case '&':
        return 5;
    case '^':
        return 4;
    case '|':
        return 3;
    case TOK_ANDAND:
        return 2;
    case TOK_OROR:
        return 1;
    default:
        return 0;
    }
}

/* `7 %3` comes from the lexer as a register: take the % off again. */
static void split_percent(parser *p)
{
    if (p->t.kind != TOK_NAME || p->t.text[0] != '%' || p->t.length < 2 ||
        p->t.text[1] < '0' || p->t.text[1] > '9')
        return;
    p->lx.at = p->t.text + 1;
    p->t.kind = '%';
    p->t.length = 1;
}

static bool climb(parser *p, constant *out, int least, unsigned depth)
{
    if (depth > PARSE_MAX_DEPTH)
        return parse_error_here(p, "an expression nested too deeply");
    if (!parse_primary(p, out, depth))
        return false;
    for (;;) {
        constant r;
        split_percent(p);
        int op = p->t.kind, s = binding_strength(&p->t);
        if (!s || s < least)
            return true;
        parse_next(p);
        if (!climb(p, &r, s + 1, depth + 1) || !apply_binary(p, op, out, &r))
            return false;
    }
}

static bool ternary(parser *p, constant *out, unsigned depth)
{
    constant no;

    if (!climb(p, out, 1, depth))
        return false;
    if (!parse_accept(p, '?'))
        return true;
    bool yes = truth(out);
    if (!ternary(p, out, depth + 1) || !parse_expect(p, ':', "'?'") ||
        !ternary(p, &no, depth + 1))
        return false;
    if (!yes)
        *out = no;
    return true;
}

bool parse_constant(parser *p, constant *out) { return ternary(p, out, 0); }

bool parse_addend(parser *p, constant *out) { return climb(p, out, 10, 0); }

bool parse_uint(parser *p, uint64_t most, const char *what, uint64_t *out)
{
    token at = p->t;
    constant c;

    if (!parse_constant(p, &c))
        return false;
    if (c.is_float || (!c.is_unsigned && (int64_t)c.bits < 0) || c.bits > most)
        return parse_error(p, at.place, at.length,
                           "%s must be a whole number up to %llu", what,
                           (unsigned long long)most);
    *out = c.bits;
    return true;
}
