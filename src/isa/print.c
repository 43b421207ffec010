/* src/isa/print.c - text of instructions, following their forms. */
#include "isa/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/operand.h"

static void put_reg(strbuf *b, unsigned reg, bool uniform)
{
    if (uniform)
        strbuf_putc(b, 'U');
    if (reg == ISA_RZ)
        strbuf_puts(b, "RZ");
    else
        strbuf_printf(b, "R%u", reg);
}

static void put_pred(strbuf *b, unsigned pred, bool uniform)
{
    if (pred & PRED_NOT)
        strbuf_putc(b, '!');
    if (uniform)
        strbuf_putc(b, 'U');
    if ((pred & 7) == ISA_PT)
        strbuf_puts(b, "PT");
    else
        strbuf_printf(b, "P%u", pred & 7);
}

static void put_signed(strbuf *b, int64_t value)
{
    if (value < 0)
        strbuf_printf(b, "-0x%" PRIx64, -(uint64_t)value);
    else
        strbuf_printf(b, "0x%" PRIx64, (uint64_t)value);
}

/* The shortest decimal number that reads back as the same value. Numbers
 * without a point or exponent would be integers. */
static void put_double(strbuf *b, double value, bool single)
{
    char text[40];

    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (single ? strtof(text, NULL) == (float)value
                   : strtod(text, NULL) == value)
            break;
    }
    strbuf_puts(b, text);
    if (!strpbrk(text, ".e"))
        strbuf_puts(b, ".0");
}

static void put_f32(strbuf *b, uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    if ((bits & 0x7fffffff) == 0x7f800000)
        strbuf_puts(b, bits >> 31 ? "-INF" : "+INF");
    else if ((bits & 0x7f800000) == 0x7f800000)
        strbuf_printf(b, "0x%" PRIx32, bits);
    else
        put_double(b, (double)value, true);
}

/* `high` is the upper half; the lower one is 0. */
static void put_f64(strbuf *b, uint32_t high)
{
    uint64_t bits = (uint64_t)high << 32;
    double value;

    memcpy(&value, &bits, sizeof value);
    if ((high & 0x7fffffff) == 0x7ff00000)
        strbuf_puts(b, high >> 31 ? "-INF" : "+INF");
    else if ((high & 0x7ff00000) == 0x7ff00000)
        strbuf_printf(b, "0x%" PRIx32, high);
    else
        put_double(b, value, false);
}

/* Small negative numbers of signed arithmetic read better with a sign. */
static bool reads_as_signed(const isa_inst *in, uint32_t value)
{
    const isa_desc *d = &isa_table[in->op];

    if (d->mods >> MOD_U32 & 1 && isa_mod_get(in, MOD_U32))
        return false;
    return value >> 16 == 0xffff &&
           (d->class == ISA_CLASS_INT_ADD || d->class == ISA_CLASS_UNIFORM ||
            d->class == ISA_CLASS_INT_MUL || d->class == ISA_CLASS_INT_CMP);
}

static void put_imm(strbuf *b, const isa_inst *in, const isa_operand *o)
{
    uint32_t value = in->val[o->index];

    switch (isa_operand_imm(in->op, o)) {
    case IMM_F32:
        put_f32(b, value);
        break;
    case IMM_F64:
        put_f64(b, value);
        break;
    case IMM_INT64:
        put_signed(b, (int32_t)value);
        break;
    case IMM_INT:
        put_signed(b, reads_as_signed(in, value) ? (int32_t)value
                                                 : (int64_t)value);
        break;
    case IMM_HALF:
        strbuf_printf(b, "0x%" PRIx32, value);
        break;
    }
}

static void put_source(strbuf *b, const isa_inst *in, const isa_operand *o)
{
    unsigned i = o->index, mod = in->src_mod[i];

    if (mod & SRC_NEG)
        strbuf_putc(b, '-');
    if (mod & SRC_NOT)
        strbuf_putc(b, '~');
    if (mod & SRC_ABS)
        strbuf_putc(b, '|');
    if (in->src_kind[i] == SRC_IMM)
        put_imm(b, in, o);
    else if (in->src_kind[i] == SRC_CONST)
        strbuf_printf(b, "c[0x%x][0x%x]", in->val[i] >> 16,
                      in->val[i] & 0xffff);
    else
        put_reg(b, in->src[i], o->uniform || in->src_kind[i] == SRC_UREG);
    if (in->ctl >> CTL_HAS && in->ctl >> (CTL_REUSE + i) & 1)
        strbuf_puts(b, ".reuse");
    if (o->letter == 'o' && in->val[i])
        strbuf_printf(b, "+0x%x", in->val[i]);
    if (mod & SRC_ABS)
        strbuf_putc(b, '|');
}

static void put_memory(strbuf *b, const isa_inst *in, const isa_operand *o)
{
    int32_t offset = (int32_t)in->val[0];
    unsigned regs, plus = isa_uaddr(in, &regs);
    bool first = true;

    if (o->kind == OPND_CMEM)
        strbuf_printf(b, "c[0x%x]", in->lut);
    strbuf_putc(b, '[');
    if (in->src[0] != ISA_RZ || in->uaddr & UADDR_U32) {
        put_reg(b, in->src[0], o->uniform);
        if (in->uaddr & UADDR_U32)
            strbuf_puts(b, ".U32");
        else if (isa_operand_regs(in, o) == 2)
            strbuf_puts(b, ".64");
        first = false;
    }
    if (regs) {
        strbuf_puts(b, first ? "" : "+");
        put_reg(b, plus, true);
        first = false;
    }
    if (!first && offset > 0)
        strbuf_putc(b, '+');
    if (offset || first)
        put_signed(b, offset);
    strbuf_putc(b, ']');
}

static void put_operand(strbuf *b, const isa_inst *in, const isa_operand *o,
                        isa_label *label, void *arg)
{
    switch (o->kind) {
    case OPND_DST:
        put_reg(b, in->dst, o->uniform);
        break;
    case OPND_DST2:
        put_reg(b, in->uaddr ? in->uaddr - 1u : ISA_RZ, false);
        break;
    case OPND_PDST:
        put_pred(b, in->pdst[o->index], o->uniform);
        break;
    case OPND_SRC:
    case OPND_REG:
        put_source(b, in, o);
        break;
    case OPND_PSRC:
        put_pred(b, in->psrc[o->index],
                 o->uniform || in->psrc[o->index] & PRED_UNIFORM);
        break;
    case OPND_MEM:
    case OPND_CMEM:
        put_memory(b, in, o);
        break;
    case OPND_NUM:
        strbuf_printf(b, "0x%x", in->lut);
        break;
    case OPND_BAR:
        if (in->src_kind[0] == SRC_REG)
            put_reg(b, in->src[0], false);
        else
            strbuf_printf(b, "0x%x", in->lut);
        break;
    case OPND_CONV:
        strbuf_printf(b, "B%u", in->lut);
        break;
    case OPND_SREG:
        strbuf_puts(b, isa_sreg_names[in->lut]);
        break;
    case OPND_TARGET:
        if (label)
            label(arg, in->val[0], b);
        else
            strbuf_printf(b, "%" PRIu32, in->val[0]);
        break;
    }
}

static void put_scoreboard(strbuf *b, char name, unsigned board)
{
    strbuf_putc(b, name);
    strbuf_putc(b, board == 7 ? '-' : (char)('0' + board));
    strbuf_putc(b, ':');
}

static void put_control(strbuf *b, uint32_t ctl, isa_arch arch)
{
    if (arch == ARCH_KEPLER) {
        strbuf_printf(b, "{0x%02x} ", ctl >> CTL_CODE & 0xff);
        return;
    }
    strbuf_puts(b, "[B");
    for (unsigned i = 0; i < 6; i++)
        strbuf_putc(b, ctl >> (CTL_WAIT + i) & 1 ? (char)('0' + i) : '-');
    strbuf_putc(b, ':');
    put_scoreboard(b, 'R', ctl >> CTL_READ_BAR & 7);
    put_scoreboard(b, 'W', ctl >> CTL_WRITE_BAR & 7);
    strbuf_putc(b, ctl >> CTL_YIELD & 1 ? 'Y' : '-');
    strbuf_printf(b, ":S%02u] ", ctl >> CTL_STALL & 15);
}

void isa_print_mnemonic(const isa_inst *in, strbuf *b)
{
    const isa_desc *d = &isa_table[in->op];
    size_t length;

    strbuf_puts(b, d->text);
    for (unsigned g = 0; g < ISA_MODS; g++) {
        const char *text;

        if (!(d->mods >> g & 1))
            continue;
        text = isa_mod_text((isa_mod)g, isa_mod_get(in, (isa_mod)g), &length);
        if (text && length) {
            strbuf_putc(b, '.');
            strbuf_write(b, text, length);
        }
    }
}

/* An optional operand can be left out if none of its kind that is printed
 * follows: the reader takes the first of a kind first. */
static bool left_out(const isa_inst *in, const isa_operand *o, unsigned i,
                     unsigned count)
{
    if (!o[i].optional || !isa_operand_absent(in, &o[i]))
        return false;
    for (unsigned j = i + 1; j < count; j++)
        if (o[j].optional && o[j].kind == o[i].kind &&
            !isa_operand_absent(in, &o[j]))
            return false;
    return true;
}

void isa_print(const isa_inst *in, isa_arch arch, strbuf *b, isa_label *label,
               void *arg)
{
    isa_operand o[ISA_OPERANDS_MAX];
    unsigned count = isa_operands(in->op, o);
    const char *before = " ";

    if (in->ctl >> CTL_HAS)
        put_control(b, in->ctl, arch);
    if (in->guard != ISA_PT) {
        strbuf_putc(b, '@');
        put_pred(b, in->guard, isa_guard_uniform(in));
        strbuf_putc(b, ' ');
    }
    isa_print_mnemonic(in, b);
    for (unsigned i = 0; i < count; i++) {
        if (left_out(in, o, i, count))
            continue;
        strbuf_puts(b, before);
        put_operand(b, in, &o[i], label, arg);
        before = ", ";
    }
}
