/* src/codegen/flow/align.c
 *
 * The values of a word are a multiple of the least power of two of all its
 * definitions. One that goes round a loop is at first believed to be a multiple
 * of anything, and less with every definition that is looked at, until nothing
 * changes: what remains holds for all of them together. */
#include "codegen/flow/align.h"

#include "base/bits.h"

enum { ALL = 32 };

static unsigned zeros_of_value(int64_t v)
{
    return (uint32_t)v ? bits_ctz64((uint32_t)v) : ALL;
}

/* Of an operand that is read as it is, or negated. */
static unsigned zeros_of(const cg_align *al, const cg_src *s)
{
    if (s->mod & ~SRC_NEG)
        return 0;
    if (s->kind == SRC_IMM)
        return zeros_of_value(s->val);
    if (s->kind != SRC_REG)
        return 0;
    return s->reg ? al->zeros[cg_word_of(al->f, s->reg, s->off)] : ALL;
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* What bit `i` of an operand can be: bit v of the result is set if v. */
static unsigned can_be(const cg_align *al, const cg_src *s, unsigned i)
{
    if (s->kind == SRC_IMM && !s->mod)
        return 1u << ((uint32_t)s->val >> i & 1);
    return zeros_of(al, s) > i ? 1 : 3;
}

/* Low bits of which no values that the operands can have make a 1. */
static unsigned zeros_of_logic(const cg_align *al, const cg_inst *in)
{
    unsigned n = 0;

    for (; n < ALL; n++) {
        unsigned a = can_be(al, &in->src[0], n), b = can_be(al, &in->src[1], n),
                 c = can_be(al, &in->src[2], n);

        for (unsigned k = 0; k < 8; k++)
            if (in->lut >> k & 1 && a >> (k >> 2) & 1 &&
                b >> (k >> 1 & 1) & 1 && c >> (k & 1) & 1)
                return n;
    }
    return n;
}

static unsigned zeros_of_shift(const cg_align *al, const cg_inst *in)
{
    unsigned zeros = zeros_of(al, &in->src[0]);

    if (CG_GET(in, WRAP))
        return 0;
    if (in->src[1].kind == SRC_IMM && !in->src[1].mod)
        zeros +=
            (uint32_t)in->src[1].val < ALL ? (unsigned)in->src[1].val : ALL;
    return zeros;
}

/* Of the word that an operation of one word writes. */
static unsigned zeros_of_result(const cg_align *al, const cg_inst *in)
{
    unsigned a = zeros_of(al, &in->src[0]), b = zeros_of(al, &in->src[1]),
             c = zeros_of(al, &in->src[2]);

    switch (in->op) {
    case ISA_MOV:
        return b;
    case ISA_IADD3:
        return least(a, least(b, c));
    case ISA_IMAD:
        return least(a + b, c);
    case ISA_LEA:
        return least(a + in->lut, b);
    case ISA_LOP3:
        return zeros_of_logic(al, in);
    case ISA_SHL:
        return zeros_of_shift(al, in);
    case ISA_SEL:
    case ISA_IMNMX:
        return least(a, b);
    default:
        return 0;
    }
}

/* True if it knows less than before. */
static bool look_at_definition(cg_align *al, const cg_inst *in)
{
    unsigned words = cg_dst_words(in);
    unsigned zeros = words == 1 ? zeros_of_result(al, in) : 0;
    bool changed = false;

    if (!in->dst.reg)
        return false;
    for (unsigned k = 0; k < words; k++) {
        uint8_t *is =
            &al->zeros[cg_word_of(al->f, in->dst.reg, in->dst.off + k)];

        changed |= zeros < *is;
        *is = (uint8_t)least(zeros, *is);
    }
    return changed;
}

/* Words that nothing defines, or that come from elsewhere, may have any
 * value. */
static void begin(cg_align *al)
{
    const cg_func *f = al->f;

    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH(in, f->blocks[i])
        {
            if (!in->dst.reg || f->regs[in->dst.reg].fixed)
                continue;
            for (unsigned k = 0; k < cg_dst_words(in); k++)
                al->zeros[cg_word_of(f, in->dst.reg, in->dst.off + k)] = ALL;
        }
}

cg_align *cg_align_new(arena *a, const cg_func *f)
{
    cg_align *al = ARENA_ARRAY(a, cg_align, 1);
    bool changed = true;

    al->f = f;
    al->zeros = ARENA_ARRAY(a, uint8_t, f->nwords + 1);
    begin(al);
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < f->nblocks; i++)
            CG_EACH(in, f->blocks[i]) changed |= look_at_definition(al, in);
    }
    return al;
}

unsigned cg_align_of(const cg_align *al, const cg_src *src)
{
    unsigned zeros =
        src->reg ? al->zeros[cg_word_of(al->f, src->reg, src->off)] : ALL;

    return least(zeros, zeros_of_value(src->val));
}
