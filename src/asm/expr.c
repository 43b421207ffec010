/* src/asm/expr.c - precedence climbing over 64-bit integers that wrap, as the
 * machine's do. */
#include "asm/expr.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "isa/isa.h"

enum { DEEPEST = 64, LONGEST_NUMBER = 120 };

static bool number_text(asm_parser *a, const asm_token *t,
                        char text[LONGEST_NUMBER])
{
    if (t->length >= LONGEST_NUMBER)
        return asm_fail(a, t, "the number is too long");
    memcpy(text, t->text, t->length);
    text[t->length] = 0;
    return true;
}

static bool is_hex(const char *text)
{
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

static bool take_literal(asm_parser *a, asm_value *v)
{
    char text[LONGEST_NUMBER], *end;
    uint64_t bits;

    *v = (asm_value){.is_plain = true, .number = a->tok};
    if (!number_text(a, &a->tok, text))
        return false;
    v->is_hex = is_hex(text);
    v->is_float = strpbrk(text, v->is_hex ? ".pP" : ".eE") != NULL;
    errno = 0;
    if (v->is_float) {
        v->is_hex = false;
        strtod(text, &end);
    } else {
        bits = strtoull(text, &end, v->is_hex ? 16 : 10);
        v->i = (int64_t)bits;
        if (errno == ERANGE || (!v->is_hex && v->i < 0))
            return asm_fail(a, &a->tok, "the number does not fit in 64 bits");
    }
    if (*end)
        return asm_fail(a, &a->tok, "this is no number");
    asm_advance(a);
    return true;
}

/* ---- names ---- */

static bool find_param(const asm_parser *a, const char *name, int64_t *value)
{
    for (uint32_t i = 0; i < a->k.param_count; i++) {
        if (!strcmp(a->k.params[i].name, name)) {
            *value = isa_kernel_param_base(&a->k, a->p->arch) +
                     a->k.params[i].offset;
            return true;
        }
    }
    return false;
}

static bool find_name(const asm_parser *a, const char *name, int64_t *value)
{
    const int64_t *set = strmap_get(a->sets, name);
    const isa_var *var = strmap_get(a->var_names, name);
    const asm_label *label;

    if (set) {
        *value = *set;
        return true;
    }
    if (a->in_kernel && find_param(a, name, value))
        return true;
    if (var && var->space != SPACE_GLOBAL) {
        *value = var->offset;
        return true;
    }
    if (a->in_kernel && (label = strmap_get(a->scope->labels, name))) {
        *value = label->index;
        return true;
    }
    return false;
}

bool asm_name_value(asm_parser *a, const asm_token *name, int64_t *value)
{
    char *text = asm_text(name, a->scratch);
    const isa_var *var;

    if (find_name(a, text, value))
        return true;
    var = strmap_get(a->var_names, text);
    if (var)
        return asm_fail(a, name,
                        "the address of a global variable is known when the "
                        "program is loaded; name it with .symbol and read it "
                        "from c[0x4]");
    return asm_fail(a, name, "unknown name %s", text);
}

/* ---- expressions ---- */

static bool parse_binary(asm_parser *a, asm_value *v, unsigned least,
                         unsigned depth);

static bool parse_unary(asm_parser *a, asm_value *v, unsigned depth)
{
    asm_token t = a->tok;

    if (depth > DEEPEST)
        return asm_fail(a, &t, "the expression is nested too deeply");
    if (t.kind == '-' || t.kind == '+' || t.kind == '~') {
        asm_advance(a);
        if (!parse_unary(a, v, depth + 1))
            return false;
        if (v->is_float && t.kind == '~')
            return asm_fail(a, &t, "~ needs an integer");
        if (t.kind == '-') {
            v->minus = !v->minus;
            v->i = (int64_t) - (uint64_t)v->i;
        } else if (t.kind == '~') {
            v->i = ~v->i;
            v->is_plain = false;
        }
        return true;
    }
    if (t.kind == '(') {
        asm_advance(a);
        return parse_binary(a, v, 0, depth + 1) && asm_expect(a, ')', "')'");
    }
    if (t.kind == TOK_NUMBER)
        return take_literal(a, v);
    if (t.kind == TOK_BAD)
        return asm_fail(a, &t, "%s", t.why);
    if (t.kind != TOK_NAME)
        return asm_fail(a, &t, "expected a number");
    asm_advance(a);
    *v = (asm_value){.number = t};
    if (asm_is(&t, "INF")) {
        v->is_float = v->is_plain = true;
        return true;
    }
    return asm_name_value(a, &t, &v->i);
}

static unsigned precedence(int kind)
{
    switch (kind) {
    case '|':
        return 1;
    case '^':
        return 2;
    case '&':
        return 3;
    case TOK_SHL:
    case TOK_SHR:
        return 4;
    case '+':
    case '-':
        return 5;
    case '*':
    case '/':
    case '%':
        return 6;
    default:
        return 0;
    }
}

static bool divide_values(asm_parser *a, const asm_token *op, int64_t *x,
                          int64_t y)
{
    if (y == 0)
        return asm_fail(a, op, "division by zero");
    if (y == -1) /* the quotient of the least number wraps */
        *x = op->kind == '/' ? (int64_t) - (uint64_t)*x : 0;
    else
        *x = op->kind == '/' ? *x / y : *x % y;
    return true;
}

static bool shift_value(asm_parser *a, const asm_token *op, int64_t *x,
                        int64_t y)
{
    if (y < 0 || y > 63)
        return asm_fail(a, op, "a shift by %" PRId64 " is out of range", y);
    *x = op->kind == TOK_SHL ? (int64_t)((uint64_t)*x << y) : *x >> y;
    return true;
}

static bool apply_operator(asm_parser *a, const asm_token *op, int64_t *x,
                           int64_t y)
{
    uint64_t ux = (uint64_t)*x, uy = (uint64_t)y;

    switch (op->kind) {
    case '|':
        *x |= y;
        return true;
    case '^':
        *x ^= y;
        return true;
    case '&':
        *x &= y;
        return true;
    case '+':
        *x = (int64_t)(ux + uy);
        return true;
    case '-':
        *x = (int64_t)(ux - uy);
        return true;
    case '*':
        *x = (int64_t)(ux * uy);
        return true;
    case '/':
    case '%':
        return divide_values(a, op, x, y);
    default:
        return shift_value(a, op, x, y);
    }
}

/* Operators that bind tighter than `least`. */
static bool parse_binary(asm_parser *a, asm_value *v, unsigned least,
                         unsigned depth)
{
    if (!parse_unary(a, v, depth))
        return false;
    for (;;) {
        asm_token op = a->tok;
        unsigned level = precedence(op.kind);
        asm_value right;

        if (level <= least)
            return true;
        asm_advance(a);
        if (!parse_binary(a, &right, level, depth + 1))
            return false;
        if (v->is_float || right.is_float)
            return asm_fail(a, &op, "operators take integers only");
        v->is_plain = v->is_hex = v->minus = false;
        if (!apply_operator(a, &op, &v->i, right.i))
            return false;
    }
}

bool asm_expr(asm_parser *a, asm_value *v) { return parse_binary(a, v, 0, 0); }

bool asm_int(asm_parser *a, int64_t least, int64_t most, int64_t *value)
{
    asm_token at = a->tok;
    asm_value v;

    if (!asm_expr(a, &v))
        return false;
    at = asm_span(a, &at);
    if (v.is_float)
        return asm_fail(a, &at, "expected an integer");
    if (v.i < least || v.i > most)
        return asm_fail(a, &at,
                        "%" PRId64 " is out of range: %" PRId64 " to %" PRId64,
                        v.i, least, most);
    *value = v.i;
    return true;
}

/* ---- floating point ---- */

/* The literal as text that strtod understands. Integers in decimal are values
 * too; hexadecimal ones are bits. */
static bool float_text(asm_parser *a, const asm_value *v, const asm_token *at,
                       char text[LONGEST_NUMBER])
{
    if (!v->is_plain)
        return asm_fail(a, at,
                        "expected a floating-point number, its bits in "
                        "hexadecimal, or a decimal integer");
    return number_text(a, &v->number, text);
}

bool asm_value_f32(asm_parser *a, const asm_value *v, const asm_token *at,
                   uint32_t *bits)
{
    char text[LONGEST_NUMBER];
    float x;

    if (!float_text(a, v, at, text))
        return false;
    if (v->is_hex) {
        if (v->minus || (uint64_t)v->i >> 32)
            return asm_fail(a, at,
                            "32 bits without a sign, or a value with a "
                            "point");
        *bits = (uint32_t)v->i;
        return true;
    }
    x = strtof(text, NULL);
    memcpy(bits, &x, sizeof x);
    if ((*bits & 0x7f800000) == 0x7f800000 && !asm_is(&v->number, "INF"))
        return asm_fail(a, at,
                        "too large for single precision; write INF for "
                        "infinity");
    *bits ^= v->minus ? 1u << 31 : 0;
    return true;
}

bool asm_value_f64(asm_parser *a, const asm_value *v, const asm_token *at,
                   uint64_t *bits)
{
    char text[LONGEST_NUMBER];
    double x;

    if (!float_text(a, v, at, text))
        return false;
    if (v->is_hex) {
        if (v->minus)
            return asm_fail(a, at, "bits have no sign");
        *bits = (uint64_t)v->i;
        return true;
    }
    x = strtod(text, NULL);
    memcpy(bits, &x, sizeof x);
    if (*bits << 1 == 0xffe0000000000000 && !asm_is(&v->number, "INF"))
        return asm_fail(a, at,
                        "too large for double precision; write INF for "
                        "infinity");
    *bits ^= v->minus ? 1ull << 63 : 0;
    return true;
}
