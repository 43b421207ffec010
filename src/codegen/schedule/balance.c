/* src/codegen/schedule/balance.c - moves, shifts by a constant and sums of two
 * become IMADs in blocks where their own unit has more to do than that of IMAD:
 * MOV d, b is 0 * 0 + b, SHL d, a, n is a * 2^n + 0, IADD3 d, a, b is a * 1 +
 * b. As many as even out the two units' time, spread over the block. Only where
 * IMAD is as fast: what waits for a result waits no longer. */
#include "codegen/ir/ir.h"
#include "codegen/ir/pass.h"

typedef struct balance {
    const cg_options *opt;
    uint32_t load[CG_PIPES]; /* of a block */
} balance;

/* ---- as a product and a sum --------------------------------------------- */

static bool is_zero(const cg_src *s)
{
    return !s->kind || (s->kind == SRC_REG && !s->reg);
}

static bool is_register(const cg_src *s)
{
    return s->kind == SRC_REG && s->reg;
}

static bool times(cg_src out[3], cg_src a, int64_t factor, cg_src c)
{
    a.mod &= (uint8_t)~SRC_NEG;
    out[0] = a;
    out[1] = cg_imm((int32_t)factor);
    out[2] = c;
    return is_register(&a) && !c.mod;
}

static bool shift_as_product(const cg_inst *in, cg_src out[3])
{
    const cg_src *n = &in->src[1];
    int64_t by = CG_GET(in, WRAP) ? n->val & 31 : n->val;

    return n->kind == SRC_IMM && by >= 0 && by < 32 &&
           times(out, in->src[0], (int64_t)1 << by, cg_zero());
}

/* Of two terms at most one may be negative: the one that is multiplied. */
static bool sum_as_product(const cg_inst *in, cg_src out[3])
{
    cg_src term[3];
    unsigned n = 0;

    for (unsigned i = 0; i < 3; i++)
        if (!is_zero(&in->src[i]))
            term[n++] = in->src[i];
    if (n != 2)
        return false;
    if (term[1].mod & SRC_NEG)
        return times(out, term[1], -1, term[0]);
    return times(out, term[0], term[0].mod & SRC_NEG ? -1 : 1, term[1]);
}

static bool as_product(const cg_inst *in, cg_src out[3])
{
    switch (in->op) {
    case ISA_MOV:
        out[0] = out[1] = cg_zero();
        out[2] = in->src[1];
        return true;
    case ISA_SHL:
        return shift_as_product(in, out);
    case ISA_LEA:
        return times(out, in->src[0], (int64_t)1 << in->lut, in->src[1]);
    case ISA_IADD3:
        return sum_as_product(in, out);
    default:
        return false;
    }
}

static bool fits(const cg_inst *imad)
{
    for (unsigned i = 0; i < 3; i++)
        if (!cg_src_fits(imad, i, &imad->src[i]))
            return false;
    return true;
}

/* Makes *imad of `in`, if it can be one. */
static bool can_move(const balance *b, const cg_inst *in, cg_inst *imad)
{
    const cg_options *o = b->opt;
    unsigned class;

    *imad = *in;
    if (in->op >= ISA_COUNT || in->pdst[0] || in->pdst[1] ||
        !as_product(in, imad->src))
        return false;
    class = isa_table[in->op].class;
    imad->op = ISA_IMAD;
    imad->mod = 0;
    imad->lut = 0;
    return o->pipes.unit[class] != o->pipes.unit[ISA_CLASS_INT_MUL] &&
           o->latency.class[ISA_CLASS_INT_MUL] <= o->latency.class[class] &&
           o->pipes.busy[ISA_CLASS_INT_MUL] <= o->pipes.busy[class] &&
           fits(imad);
}

/* ---- a block ------------------------------------------------------------ */

/* Takes the time of one operation from its unit to that of IMAD, if the busier
 * of them is then no busier than before. */
static bool shift_load(balance *b, const cg_inst *in)
{
    const cg_pipes *p = &b->opt->pipes;
    unsigned class = isa_table[in->op].class;
    uint32_t *from = &b->load[p->unit[class]];
    uint32_t *to = &b->load[p->unit[ISA_CLASS_INT_MUL]];

    if (*to + p->busy[ISA_CLASS_INT_MUL] >= *from)
        return false;
    *from -= p->busy[class];
    *to += p->busy[ISA_CLASS_INT_MUL];
    return true;
}

static void balance_block(balance *b, cg_block *block)
{
    const cg_pipes *p = &b->opt->pipes;
    uint32_t candidates = 0, moves = 0, due = 0;
    cg_inst imad;

    for (unsigned i = 0; i < CG_PIPES; i++)
        b->load[i] = 0;
    CG_EACH(in, block)
    {
        if (in->op < ISA_COUNT)
            b->load[p->unit[isa_table[in->op].class]] +=
                p->busy[isa_table[in->op].class];
    }
    CG_EACH(in, block)
    {
        if (!can_move(b, in, &imad))
            continue;
        candidates++;
        moves += shift_load(b, in);
    }
    CG_EACH(in, block)
    {
        if (!moves || !can_move(b, in, &imad))
            continue;
        due += moves;
        if (due < candidates)
            continue;
        due -= candidates;
        *in = imad;
    }
}

void cg_balance(cg_func *f)
{
    balance b = {.opt = f->opt};

    for (uint32_t i = 0; i < f->nblocks; i++)
        balance_block(&b, f->blocks[i]);
}
