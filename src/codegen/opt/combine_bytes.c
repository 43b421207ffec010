/* src/codegen/opt/combine_bytes.c - a permutation of bytes that others took
 * apart: vectors of bytes are unpacked, and packed again, at every load and
 * store. */
#include "codegen/opt/combine.h"

enum { DEPTH = 4 };

typedef struct origin { /* where a byte comes from; no kind: it is zero */
    cg_src s;
    unsigned byte;
} origin;

/* `def` takes bytes out of src[0] and puts zeros above: which from, how
 * many. */
static bool is_field(const cg_inst *def, unsigned *from, unsigned *count)
{
    int64_t v;

    if (def->op == ISA_BFE && CG_GET(def, U32) && co_known(&def->src[1], &v) &&
        !(v & 7) && !(v >> 8 & 7) && (v & 0xff) + (v >> 8) <= 32) {
        *from = (unsigned)(v & 0xff) / 8;
        *count = (unsigned)(v >> 8) / 8;
        return true;
    }
    if (def->op == ISA_SHR && CG_GET(def, U32) && !CG_GET(def, WRAP) &&
        co_known(&def->src[1], &v) && v > 0 && v < 32 && !(v & 7)) {
        *from = (unsigned)v / 8;
        *count = 4 - *from;
        return true;
    }
    if (def->op == ISA_LOP3 && !def->pdst[0] && def->lut == (LUT_A & LUT_B) &&
        co_known(&def->src[1], &v) && (v == 0xff || v == 0xffff)) {
        *from = 0;
        *count = v == 0xff ? 1 : 2;
        return true;
    }
    return false;
}

static bool is_permutation(const cg_inst *in)
{
    return in->op == ISA_PRMT && !CG_GET(in, PRMTOP) &&
           in->src[1].kind == SRC_IMM && !(in->src[1].val & 0x8888) &&
           !in->src[0].mod && !in->src[2].mod;
}

/* Byte k of a permutation. */
static origin selected_byte(const cg_inst *in, unsigned k)
{
    unsigned n = (unsigned)(in->src[1].val >> 4 * k) & 7;

    return (origin){in->src[n < 4 ? 0 : 2], n & 3};
}

static origin trace(const combine *c, const cg_inst *in, origin o)
{
    for (unsigned depth = 0; depth < DEPTH; depth++) {
        const cg_inst *def;
        unsigned from, count;

        if (co_is_zero(&o.s))
            return (origin){0};
        def = o.s.kind == SRC_REG ? co_def(c, in, &o.s, 1) : NULL;
        if (!def)
            return o;
        if (is_permutation(def)) {
            o = selected_byte(def, o.byte);
        } else if (is_field(def, &from, &count) &&
                   def->src[0].kind == SRC_REG && !def->src[0].mod) {
            if (o.byte >= count)
                return (origin){0};
            o = (origin){def->src[0], o.byte + from};
        } else {
            return o;
        }
    }
    return o;
}

/* The bytes come from at most two words, zeros counted as one. */
static bool permutation(combine *c, cg_inst *in)
{
    cg_src word[2] = {cg_zero(), cg_zero()};
    unsigned n = 0, select = 0;
    bool zeros = false;

    for (unsigned k = 0; k < 4; k++) {
        origin o = trace(c, in, selected_byte(in, k));
        unsigned w = 0;

        if (!o.s.kind) {
            zeros = true;
            select |= 4u << 4 * k; /* from RZ, if it stands second */
            continue;
        }
        if (o.s.kind != SRC_REG)
            return false;
        while (w < n && !cg_src_same(&word[w], &o.s))
            w++;
        if (w == 2)
            return false;
        word[w] = o.s;
        n = w == n ? n + 1 : n;
        select |= (4 * w + o.byte) << 4 * k;
    }
    if (n + zeros > 2)
        return false;
    if (n == 0 || (n == 1 && select == 0x3210)) {
        co_copy(c, in, word[0]);
        return true;
    }
    if (cg_src_same(&word[0], &in->src[0]) &&
        cg_src_same(&word[1], &in->src[2]))
        return false;
    if (n == 2 && cg_src_same(&word[1], &in->src[0]) &&
        cg_src_same(&word[0], &in->src[2]))
        return false;
    co_become(c, in, ISA_PRMT, word[0], cg_imm(select), word[1]);
    return true;
}

bool co_bytes(combine *c, cg_inst *in)
{
    return is_permutation(in) && permutation(c, in);
}
