/* src/asm/operand.c - operands as written. */
#include "asm/operand.h"

#include <ctype.h>
#include <string.h>

#include "base/suggest.h"

/* "R12" with prefix 'R' and most 254: 12. */
static bool numbered(const char *s, size_t n, char prefix, unsigned most,
                     unsigned *number)
{
    unsigned v = 0;

    if (n < 2 || n > 4 || s[0] != prefix || (s[1] == '0' && n > 2))
        return false;
    for (size_t i = 1; i < n; i++) {
        if (!isdigit((unsigned char)s[i]))
            return false;
        v = 10 * v + (unsigned)(s[i] - '0');
    }
    *number = v;
    return v <= most;
}

/* Takes the U of uniform registers and predicates off. */
static bool take_u(const char **s, size_t *n)
{
    if (!*n || **s != 'U')
        return false;
    ++*s;
    --*n;
    return true;
}

static bool find_register(const char *s, size_t n, unsigned *reg, bool *uniform)
{
    *uniform = take_u(&s, &n);
    *reg = ISA_RZ;
    return (n == 2 && !memcmp(s, "RZ", 2)) ||
           numbered(s, n, 'R', (*uniform ? ISA_UREGS : ISA_REGS_MAX) - 1, reg);
}

static bool find_pred(const char *s, size_t n, unsigned *pred, bool *uniform)
{
    *uniform = take_u(&s, &n);
    *pred = ISA_PT;
    return (n == 2 && !memcmp(s, "PT", 2)) ||
           numbered(s, n, 'P', ISA_PREDS - 1, pred);
}

static bool find_sreg(const asm_token *t, unsigned *sreg)
{
    for (*sreg = 0; *sreg < ISA_SREGS; ++*sreg)
        if (asm_is(t, isa_sreg_names[*sreg]))
            return true;
    return false;
}

/* Length of a name up to its first point. */
static size_t stem(const asm_token *t)
{
    const char *point = memchr(t->text, '.', t->length);

    return point ? (size_t)(point - t->text) : t->length;
}

static bool is_register(const asm_token *t)
{
    unsigned reg;
    bool uniform;

    return t->kind == TOK_NAME &&
           find_register(t->text, stem(t), &reg, &uniform);
}

bool asm_is_reserved(const asm_token *t)
{
    unsigned x;
    bool uniform;

    return is_register(t) || find_pred(t->text, t->length, &x, &uniform) ||
           numbered(t->text, t->length, 'B', ISA_BARRIERS - 1, &x) ||
           find_sreg(t, &x);
}

/* Takes R1, R1.reuse or, in an address, R1.64. */
static bool parse_register(asm_parser *a, asm_operand *o, bool address)
{
    asm_token t = a->tok;
    size_t n = stem(&t), left = t.length - n;

    find_register(t.text, n, &o->reg, &o->uniform);
    o->reuse = left == 6 && !memcmp(t.text + n, ".reuse", 6) && !address;
    if (address && left == 4 && !memcmp(t.text + n, ".U32", 4) && !o->uniform) {
        o->uaddr = UADDR_U32;
        left = 0;
    }
    o->wide =
        left == 3 && !memcmp(t.text + n, ".64", 3) && address && !o->uniform;
    if (left && !o->reuse && !o->wide)
        return asm_fail(a, &t, "a register has no suffix %.*s here", (int)left,
                        t.text + n);
    asm_advance(a);
    return true;
}

/* The uniform register of an address, [R0+UR0+offset] or [UR0+offset], goes to
 * `uaddr`; of a constant, c[bank][UR0+offset], it is the register. */
static bool parse_uniform_address(asm_parser *a, asm_operand *o, bool wide)
{
    asm_lexer lx = a->lx;
    asm_token next = asm_lex_next(&lx);
    asm_operand plus = {0};

    if (o->uniform && wide) {
        plus = *o;
        o->uniform = false;
        o->reg = ISA_RZ;
    } else if (!o->uniform && wide && a->tok.kind == '+' &&
               next.kind == TOK_NAME && next.text[0] == 'U' &&
               is_register(&next)) {
        asm_advance(a);
        if (!parse_register(a, &plus, false))
            return false;
    } else {
        return true;
    }
    if (plus.reuse)
        return asm_fail(a, &next, "a register of an address takes no .reuse");
    o->uaddr |= plus.reg == ISA_RZ ? 0 : (uint8_t)(plus.reg + 1);
    return true;
}

/* [register+offset], without the first bracket. */
static bool parse_address(asm_parser *a, asm_operand *o, bool wide)
{
    if (!asm_expect(a, '[', "'['"))
        return false;
    o->reg = ISA_RZ;
    if (is_register(&a->tok)) {
        o->has_reg = true;
        if (!parse_register(a, o, wide) || !parse_uniform_address(a, o, wide))
            return false;
        if (a->tok.kind != '+' && a->tok.kind != '-')
            return asm_expect(a, ']', "'+', '-' or ']'");
    }
    return asm_int(a, INT32_MIN, UINT32_MAX, &o->value.i) &&
           asm_expect(a, ']', "']'");
}

static bool take_const(asm_parser *a, asm_operand *o)
{
    o->kind = AO_CONST;
    asm_advance(a);
    return asm_expect(a, '[', "'['") && asm_int(a, 0, CBANKS - 1, &o->bank) &&
           asm_expect(a, ']', "']'") && parse_address(a, o, false);
}

static bool is_const(const asm_parser *a)
{
    return asm_is(&a->tok, "c") && a->lx.at < a->lx.end && *a->lx.at == '[';
}

/* Names that mean something by themselves; false: none does. */
static bool take_reserved(asm_parser *a, asm_operand *o)
{
    asm_token t = a->tok;

    if (find_pred(t.text, t.length, &o->reg, &o->uniform))
        o->kind = AO_PRED;
    else if (numbered(t.text, t.length, 'B', ISA_BARRIERS - 1, &o->reg))
        o->kind = AO_BARRIER;
    else if (find_sreg(&t, &o->reg))
        o->kind = AO_SREG;
    else
        return false;
    asm_advance(a);
    return true;
}

static bool bad_sreg(asm_parser *a)
{
    char *text = asm_text(&a->tok, a->scratch);
    const char *near = suggest_nearest(text, isa_sreg_names, ISA_SREGS);

    return near ? asm_fail(a, &a->tok,
                           "unknown special register %s; did you mean %s?",
                           text, near)
                : asm_fail(a, &a->tok, "unknown special register %s", text);
}

static bool take_value(asm_parser *a, asm_operand *o)
{
    asm_lexer after = a->lx;
    asm_token name = a->tok, next = asm_lex_next(&after);

    if (name.kind == TOK_NAME && !asm_is(&name, "INF") &&
        (next.kind == ',' || next.kind == TOK_EOL || next.kind == TOK_END)) {
        if (name.length > 3 && !memcmp(name.text, "SR_", 3))
            return bad_sreg(a);
        o->kind = AO_NAME;
        asm_advance(a);
        return true;
    }
    o->kind = AO_VALUE;
    return asm_expr(a, &o->value);
}

/* '-' or '~' that belongs to a register or constant, not to a number. */
static bool take_sign(asm_parser *a, asm_operand *o)
{
    asm_lexer lx = a->lx;
    asm_token next = asm_lex_next(&lx);
    bool constant = asm_is(&next, "c") && lx.at < lx.end && *lx.at == '[';

    if (a->tok.kind != '-' && a->tok.kind != '~')
        return false;
    if (next.kind != '|' && !is_register(&next) && !constant)
        return false;
    o->mods = a->tok.kind == '-' ? SRC_NEG : SRC_NOT;
    asm_advance(a);
    return true;
}

/* Register or constant with the modifiers of a source. */
static bool parse_source(asm_parser *a, asm_operand *o)
{
    bool bars = asm_accept(a, '|');

    o->mods |= bars ? SRC_ABS : 0;
    if (is_const(a)) {
        if (!take_const(a, o))
            return false;
    } else if (is_register(&a->tok)) {
        o->kind = AO_REG;
        if (!parse_register(a, o, false))
            return false;
    } else {
        return asm_fail(a, &a->tok, "expected a register or constant");
    }
    return !bars || asm_expect(a, '|', "'|'");
}

bool asm_pred_read(asm_parser *a, unsigned *pred, bool *uniform)
{
    bool negated = asm_accept(a, '!');

    if (a->tok.kind != TOK_NAME ||
        !find_pred(a->tok.text, a->tok.length, pred, uniform))
        return asm_fail(a, &a->tok, "expected a predicate: P0 to P6 or PT");
    *pred |= negated ? PRED_NOT : 0;
    asm_advance(a);
    return true;
}

bool asm_operand_read(asm_parser *a, asm_operand *o)
{
    asm_token first = a->tok;
    bool ok;

    *o = (asm_operand){.kind = AO_VALUE};
    if (a->tok.kind == '[') {
        o->kind = AO_MEM;
        ok = parse_address(a, o, true);
    } else if (a->tok.kind == '!') {
        o->kind = AO_PRED;
        ok = asm_pred_read(a, &o->reg, &o->uniform);
    } else if (take_sign(a, o) || a->tok.kind == '|' || is_const(a) ||
               is_register(&a->tok)) {
        ok = parse_source(a, o);
    } else {
        ok = (a->tok.kind == TOK_NAME && take_reserved(a, o)) ||
             take_value(a, o);
    }
    o->at = asm_span(a, &first);
    return ok;
}

const char *asm_operand_what(const asm_operand *o)
{
    if (o->uniform && o->kind == AO_REG)
        return "a uniform register";
    if (o->uniform && o->kind == AO_PRED)
        return "a uniform predicate";
    static const char *const names[] = {
        [AO_REG] = "a register",
        [AO_PRED] = "a predicate",
        [AO_BARRIER] = "a convergence barrier",
        [AO_SREG] = "a special register",
        [AO_MEM] = "an address",
        [AO_CONST] = "a constant",
        [AO_VALUE] = "a number",
        [AO_NAME] = "a name",
    };

    return names[o->kind];
}
