/* src/asm/inst.c - an instruction: control information, guard, mnemonic, and
 * operands fitted to the form of the operation. */
#include "asm/inst.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "asm/mnemonic.h"
#include "asm/operand.h"
#include "base/must.h"
#include "isa/check.h"
#include "isa/operand.h"

/* Operands as written, and which of them each operand of the form took. */
typedef struct fitting {
    isa_operand form[ISA_OPERANDS_MAX];
    unsigned form_count;
    asm_operand got[ASM_OPERANDS_MAX];
    unsigned got_count;
    int taken[ISA_OPERANDS_MAX]; /* -1: left out */
    unsigned reached;            /* first operand that fitted nowhere */
    unsigned wanted;             /* what the form wanted there */
} fitting;

/* ---- control information ---- */

/* `s` is "R0" or "R-" with the letter given; 7 for none, 8 if it is neither. */
static unsigned scoreboard(const char *s, char letter)
{
    if (s[0] != letter || s[2] != ':')
        return 8;
    if (s[1] == '-')
        return 7;
    return s[1] >= '0' && s[1] <= '5' ? (unsigned)(s[1] - '0') : 8;
}

/* [B0-----:R-:W1:Y:S04], see isa/print.h. */
static bool volta_control(const char *s, size_t n, uint32_t *ctl)
{
    enum {
        LENGTH = 21,
        WAIT = 2,
        READ = 9,
        WRITE = 12,
        YIELD = 15,
        STALL = 17
    };
    unsigned read, write, stall;

    if (n != LENGTH || s[1] != 'B' || s[READ - 1] != ':' ||
        s[STALL - 1] != ':' || s[STALL] != 'S')
        return false;
    for (unsigned i = 0; i < 6; i++) {
        if (s[WAIT + i] == (char)('0' + i))
            *ctl |= 1u << (CTL_WAIT + i);
        else if (s[WAIT + i] != '-')
            return false;
    }
    read = scoreboard(s + READ, 'R');
    write = scoreboard(s + WRITE, 'W');
    if (read > 7 || write > 7 || (s[YIELD] != 'Y' && s[YIELD] != '-'))
        return false;
    if (!isdigit((unsigned char)s[STALL + 1]) ||
        !isdigit((unsigned char)s[STALL + 2]))
        return false;
    stall =
        10 * (unsigned)(s[STALL + 1] - '0') + (unsigned)(s[STALL + 2] - '0');
    *ctl |= read << CTL_READ_BAR | write << CTL_WRITE_BAR |
            (s[YIELD] == 'Y' ? 1u << CTL_YIELD : 0) | stall << CTL_STALL;
    return stall <= 15;
}

/* {0x25} */
static bool kepler_control(asm_parser *a, uint32_t *ctl)
{
    int64_t code;

    asm_advance(a);
    if (!asm_int(a, 0, 255, &code) || !asm_expect(a, '}', "'}'"))
        return false;
    *ctl |= (uint32_t)code << CTL_CODE | CTL_NONE;
    return true;
}

static bool take_control(asm_parser *a, uint32_t *ctl)
{
    asm_lexer behind = a->lx;
    asm_token t = a->tok;

    *ctl = 1u << CTL_HAS;
    if (t.kind == '{' && a->p->arch == ARCH_KEPLER)
        return kepler_control(a, ctl);
    if (t.kind == '[' && a->p->arch >= ARCH_VOLTA) {
        t = asm_lex_until(&behind, &t, ']');
        if (t.kind == TOK_BAD)
            return asm_fail(a, &t, "%s", t.why);
        if (!volta_control(t.text, t.length, ctl))
            return asm_fail(a, &t,
                            "control information looks like "
                            "[B------:R-:W-:-:S01]");
        a->lx = behind; /* no sooner: what is wrong is skipped by tokens */
        asm_advance(a);
        return true;
    }
    if (t.kind == '[' || t.kind == '{')
        return asm_fail(a, &t, "%s has no control information of this kind",
                        isa_arch_names[a->p->arch]);
    *ctl = CTL_NONE;
    return true;
}

/* ---- fitting operands to the form ---- */

static bool is_of_bulk(const isa_operand *f)
{
    return f->letter == 'F' || f->letter == 'J' || f->letter == 'I';
}

static bool operand_fits(const isa_operand *f, const asm_operand *g)
{
    bool file = f->uniform == g->uniform;

    switch (f->kind) {
    case OPND_DST:
    case OPND_DST2:
        return g->kind == AO_REG && file;
    case OPND_REG: /* bulk copies take either */
        return g->kind == AO_REG && (file || (g->uniform && is_of_bulk(f)));
    case OPND_PDST:
        return g->kind == AO_PRED && file;
    case OPND_PSRC: /* a lane's may be a uniform one: PLOP3.LUT */
        return g->kind == AO_PRED && (file || g->uniform);
    case OPND_SRC:
        return (g->kind == AO_REG && (file || g->uniform)) ||
               g->kind == AO_VALUE || g->kind == AO_NAME ||
               (g->kind == AO_CONST && !g->has_reg);
    case OPND_MEM:
        return g->kind == AO_MEM;
    case OPND_CMEM:
        return g->kind == AO_CONST && (file || !g->has_reg);
    case OPND_NUM:
        return g->kind == AO_VALUE || g->kind == AO_NAME;
    case OPND_BAR:
        return g->kind == AO_VALUE || g->kind == AO_NAME ||
               (g->kind == AO_REG && file);
    case OPND_CONV:
        return g->kind == AO_BARRIER;
    case OPND_SREG:
        return g->kind == AO_SREG;
    case OPND_TARGET:
        return g->kind == AO_VALUE || g->kind == AO_NAME;
    }
    return false;
}

/* Gives the form's operands from `i` the written ones from `j`, leaving out
 * optional ones only where it must. */
static bool fit_operands(fitting *x, unsigned i, unsigned j)
{
    if (i == x->form_count) {
        if (j > x->reached || (j == x->reached && x->wanted == i)) {
            x->reached = j;
            x->wanted = i;
        }
        return j == x->got_count;
    }
    if (j < x->got_count && operand_fits(&x->form[i], &x->got[j])) {
        x->taken[i] = (int)j;
        if (fit_operands(x, i + 1, j + 1))
            return true;
    } else if (j >= x->reached) {
        x->reached = j;
        x->wanted = i;
    }
    x->taken[i] = -1;
    return x->form[i].optional && fit_operands(x, i + 1, j);
}

static bool not_fitting(asm_parser *a, const fitting *x, const asm_token *name,
                        const isa_inst *in)
{
    const char *op = isa_table[in->op].text;
    asm_token end = asm_span(a, name);

    if (x->wanted == x->form_count)
        return asm_fail(a, &x->got[x->reached].at,
                        "%s takes no further operand", op);
    if (x->reached == x->got_count) {
        end.column += (unsigned)end.length; /* just behind the last */
        end.length = 1;
        return asm_fail(a, &end, "%s needs another operand: %s", op,
                        x->form[x->wanted].help);
    }
    return asm_fail(a, &x->got[x->reached].at, "expected %s%s, not %s",
                    x->form[x->wanted].uniform ? "uniform " : "",
                    x->form[x->wanted].help,
                    asm_operand_what(&x->got[x->reached]));
}

/* ---- taking them over ---- */

static bool name_as_value(asm_parser *a, asm_operand *g)
{
    if (g->kind != AO_NAME)
        return true;
    g->kind = AO_VALUE;
    g->value = (asm_value){.number = g->at};
    return asm_name_value(a, &g->at, &g->value.i);
}

static bool take_operand_number(asm_parser *a, asm_operand *g, int64_t most,
                                uint32_t *to)
{
    if (!name_as_value(a, g))
        return false;
    if (g->value.is_float)
        return asm_fail(a, &g->at, "expected an integer");
    if (g->value.i < 0 || g->value.i > most)
        return asm_fail(a, &g->at, "%" PRId64 " is out of range: 0 to %" PRId64,
                        g->value.i, most);
    *to = (uint32_t)g->value.i;
    return true;
}

static bool take_int_imm(asm_parser *a, const asm_operand *g, bool is64,
                         uint32_t *to)
{
    const asm_value *v = &g->value;

    if (v->is_float)
        return asm_fail(a, &g->at, "expected an integer");
    if (is64 && (v->i < INT32_MIN || v->i > INT32_MAX))
        return asm_fail(a, &g->at,
                        "an immediate of a 64-bit operand is 32 bits with a "
                        "sign: %" PRId64 " is out of range",
                        v->i);
    if (v->i < INT32_MIN || v->i > UINT32_MAX)
        return asm_fail(a, &g->at, "%" PRId64 " does not fit in 32 bits", v->i);
    *to = (uint32_t)v->i;
    return true;
}

static bool take_imm(asm_parser *a, asm_operand *g, isa_imm kind, uint32_t *to)
{
    uint64_t bits;

    if (!name_as_value(a, g))
        return false;
    switch (kind) {
    case IMM_INT:
        return take_int_imm(a, g, false, to);
    case IMM_INT64:
        return take_int_imm(a, g, true, to);
    case IMM_HALF:
        if (g->value.is_float || (g->value.is_plain && !g->value.is_hex))
            return asm_fail(a, &g->at,
                            "an immediate of half-precision pairs is given as "
                            "32 bits in hexadecimal");
        return take_int_imm(a, g, false, to);
    case IMM_F32:
        return asm_value_f32(a, &g->value, &g->at, to);
    case IMM_F64:
        if (!asm_value_f64(a, &g->value, &g->at, &bits))
            return false;
        if (g->value.is_hex && bits >> 32 == 0)
            bits <<= 32; /* the upper half alone */
        if ((uint32_t)bits)
            return asm_fail(a, &g->at,
                            "the lower half of an immediate double must be 0");
        *to = (uint32_t)(bits >> 32);
        return true;
    }
    return false;
}

static bool set_source_operand(asm_parser *a, isa_inst *in,
                               const isa_operand *f, asm_operand *g)
{
    unsigned i = f->index;

    in->src_mod[i] = (uint8_t)g->mods;
    if (g->kind == AO_REG) {
        in->src_kind[i] = g->uniform && !f->uniform ? SRC_UREG : SRC_REG;
        in->src[i] = (uint8_t)g->reg;
    } else if (g->kind == AO_CONST) {
        if (g->value.i < 0 || g->value.i >= CBANK_BYTES)
            return asm_fail(a, &g->at, "a constant bank has 65536 bytes");
        in->src_kind[i] = SRC_CONST;
        in->val[i] = (uint32_t)(g->bank << 16 | g->value.i);
    } else {
        in->src_kind[i] = SRC_IMM;
        if (!take_imm(a, g, isa_operand_imm((isa_op)in->op, f), &in->val[i]))
            return false;
    }
    if (g->reuse && !(in->ctl >> CTL_HAS))
        return asm_fail(a, &g->at, ".reuse needs control information in front");
    in->ctl |= g->reuse ? 1u << (CTL_REUSE + i) : 0;
    return true;
}

static bool set_address_operand(asm_parser *a, isa_inst *in,
                                const isa_operand *f, const asm_operand *g)
{
    if (g->wide && isa_operand_regs(in, f) != 2)
        return asm_fail(a, &g->at, "a 64-bit address needs the modifier .E");
    in->src_kind[0] = SRC_REG;
    in->src[0] = (uint8_t)g->reg;
    in->val[0] = (uint32_t)g->value.i;
    in->uaddr = g->uaddr;
    if (f->kind == OPND_CMEM)
        in->lut = (uint8_t)g->bank;
    return true;
}

static bool take_target(asm_parser *a, isa_inst *in, asm_operand *g)
{
    const asm_label *label;

    if (g->kind == AO_NAME) {
        char *name = asm_text(&g->at, a->scratch);

        if (!(label = strmap_get(a->scope->labels, name)))
            return asm_fail(a, &g->at, "unknown label %s", name);
        in->val[0] = label->index;
    } else if (!take_operand_number(a, g, UINT32_MAX, &in->val[0])) {
        return false;
    }
    if (in->val[0] >= a->scope->code_count)
        return asm_fail(a, &g->at, "no instruction follows this label");
    return true;
}

/* Operands that are a register and nothing else. */
static bool set_register_operand(asm_parser *a, const asm_operand *g,
                                 uint8_t *reg)
{
    if (g->mods || g->reuse)
        return asm_fail(a, &g->at, "expected a register without modifiers");
    *reg = (uint8_t)g->reg;
    return true;
}

static bool take_lut(asm_parser *a, isa_inst *in, const isa_operand *f,
                     asm_operand *g)
{
    uint32_t number = g->reg;

    if (f->kind == OPND_BAR && g->kind == AO_REG) {
        in->src_kind[0] = SRC_REG;
        return set_register_operand(a, g, &in->src[0]);
    }
    if ((f->kind == OPND_NUM || f->kind == OPND_BAR) &&
        !take_operand_number(a, g, 255, &number))
        return false;
    in->lut = (uint8_t)number;
    return true;
}

static bool take_operand(asm_parser *a, isa_inst *in, const isa_operand *f,
                         asm_operand *g)
{
    switch (f->kind) {
    case OPND_DST:
        return set_register_operand(a, g, &in->dst);
    case OPND_DST2:
        if (!set_register_operand(a, g, &in->uaddr))
            return false;
        in->uaddr = (uint8_t)(in->uaddr + 1); /* RZ: none */
        return true;
    case OPND_REG:
        in->src_kind[f->index] = g->uniform && !f->uniform ? SRC_UREG : SRC_REG;
        return set_register_operand(a, g, &in->src[f->index]);
    case OPND_PDST:
        if (g->reg & PRED_NOT)
            return asm_fail(a, &g->at, "a destination cannot be negated");
        in->pdst[f->index] = (uint8_t)g->reg;
        return true;
    case OPND_PSRC:
        in->psrc[f->index] =
            (uint8_t)(g->reg | (g->uniform && !f->uniform ? PRED_UNIFORM : 0));
        return true;
    case OPND_SRC:
        return set_source_operand(a, in, f, g);
    case OPND_MEM:
    case OPND_CMEM:
        return set_address_operand(a, in, f, g);
    case OPND_TARGET:
        return take_target(a, in, g);
    case OPND_NUM:
    case OPND_BAR:
    case OPND_CONV:
    case OPND_SREG:
        return take_lut(a, in, f, g);
    }
    MUST(!"every value is above");
}

static bool take_operands(asm_parser *a, fitting *x)
{
    while (!asm_at_end(a)) {
        if (x->got_count == ASM_OPERANDS_MAX)
            return asm_fail(a, &a->tok, "too many operands");
        if (!asm_operand_read(a, &x->got[x->got_count++]))
            return false;
        if (!asm_at_end(a) && !asm_expect(a, ',', "',' or the end"))
            return false;
        if (asm_at_end(a) && a->last.kind == ',')
            return asm_fail(a, &a->tok, "expected an operand");
    }
    return true;
}

/* The rules of isa_check, at the operand that breaks them. */
static bool check_encodable(asm_parser *a, const fitting *x,
                            const asm_token *name, const isa_inst *in)
{
    int operand;
    const char *why = isa_check_operand(in, a->p->arch, &operand);

    if (!why)
        return true;
    if (operand >= 0 && x->taken[operand] >= 0)
        name = &x->got[x->taken[operand]].at;
    return asm_fail(a, name, "%s", why);
}

bool asm_inst(asm_parser *a, isa_inst *in)
{
    fitting x = {0};
    unsigned guard = ISA_PT;
    bool uniform = false, guarded = false;
    uint32_t ctl;
    asm_token name;

    if (!take_control(a, &ctl))
        return false;
    if (asm_accept(a, '@')) {
        guarded = true;
        if (!asm_pred_read(a, &guard, &uniform))
            return false;
    }
    name = a->tok;
    if (!asm_expect(a, TOK_NAME, "an instruction") ||
        !asm_mnemonic(a, &name, in))
        return false;
    in->guard = (uint8_t)guard;
    in->ctl = ctl;
    in->line = a->line;
    in->file = a->file_number;
    x.form_count = isa_operands((isa_op)in->op, x.form);
    if (!take_operands(a, &x))
        return false;
    if (!fit_operands(&x, 0, 0))
        return not_fitting(a, &x, &name, in);
    for (unsigned i = 0; i < x.form_count; i++)
        if (x.taken[i] >= 0 &&
            !take_operand(a, in, &x.form[i], &x.got[x.taken[i]]))
            return false;
    if (guarded && uniform != isa_guard_uniform(in))
        return asm_fail(a, &name, "the guard of %s is a %spredicate: %s",
                        isa_table[in->op].text, uniform ? "" : "uniform ",
                        uniform ? "P0 to P6 or PT" : "UP0 to UP6 or UPT");
    isa_finish(in);
    return check_encodable(a, &x, &name, in);
}
