/* src/codegen/opt/combine_int.c - 32-bit sums, products and shifts. */
#include "codegen/opt/combine.h"

static int32_t low32(int64_t v) { return (int32_t)(uint32_t)v; }

/* The exponent of a power of two. */
static bool log2_of_power(int64_t v, unsigned *n)
{
    uint32_t u = (uint32_t)v;

    if (!u || u & (u - 1))
        return false;
    *n = (unsigned)__builtin_ctz(u);
    return true;
}

/* ---- sums -------------------------------------------------------------- */

/* Adds up constants; a sum that is constant, or a lone register, becomes a
 * copy. */
static bool sum_numbers(combine *c, cg_inst *in)
{
    cg_src keep[3], total;
    unsigned n = 0, numbers = 0;
    int64_t sum = 0, v;
    bool tidy = true;

    for (unsigned i = 0; i < 3; i++) {
        cg_src s = in->src[i];

        if (co_is_zero(&s))
            s.mod = 0;
        if (co_known(&s, &v)) {
            sum += v;
            numbers += v != 0;
            /* the number, if there is one, stands second, zero last */
            tidy &= v ? i == 1 : i > 0;
        } else {
            keep[n++] = s;
        }
        tidy &= cg_src_same(&s, &in->src[i]);
    }
    total = cg_imm(low32(sum));
    if (n == 0) {
        co_copy(c, in, total);
        return true;
    }
    if (n == 1 && co_is_zero(&total) && !keep[0].mod) {
        co_copy(c, in, keep[0]);
        return true;
    }
    if ((numbers < 2 && tidy) || n == 3)
        return false;
    if (n == 2 && keep[0].kind != SRC_REG && !co_is_zero(&total))
        return false;
    if (n == 1)
        co_become(c, in, ISA_IADD3, keep[0], total, cg_zero());
    else if (co_is_zero(&total))
        co_become(c, in, ISA_IADD3, keep[0], keep[1], cg_zero());
    else
        co_become(c, in, ISA_IADD3, keep[0], total, keep[1]);
    return true;
}

/* The operands of `in` without the i'th. */
static void other_operands(const cg_inst *in, unsigned i, cg_src out[2])
{
    for (unsigned k = 0, n = 0; k < 3; k++)
        if (k != i)
            out[n++] = in->src[k];
}

static cg_src with_sign(cg_src s, uint8_t mod)
{
    if (!(mod & SRC_NEG))
        return s;
    if (s.kind == SRC_IMM)
        return cg_imm(low32(-s.val));
    return co_is_zero(&s) ? s : cg_neg(s);
}

/* (x + y) + z, as far as it fits: three operands, one of them a number. */
static bool combine_sum_of_sum(combine *c, cg_inst *in, unsigned i)
{
    cg_inst *def = co_def(c, in, &in->src[i], 1);
    cg_src all[5], more[2], out[3] = {cg_zero(), cg_zero(), cg_zero()};
    unsigned n = 0, regs = 0, fixed = 0;
    int64_t number = 0, v;
    bool single;

    if (!def || def->op != ISA_IADD3 || def->pdst[0] || def->pdst[1])
        return false;
    single = co_only_use(c, &in->src[i], 1);
    other_operands(in, i, more);
    for (unsigned k = 0; k < 3; k++)
        all[n++] = with_sign(def->src[k], in->src[i].mod);
    all[n++] = more[0];
    all[n++] = more[1];
    for (unsigned k = 0; k < n; k++) {
        if (co_known(&all[k], &v)) {
            number += v;
            continue;
        }
        if (regs == 3)
            return false;
        fixed += all[k].kind == SRC_CONST;
        out[regs++] = all[k];
    }
    fixed += low32(number) != 0;
    if (regs + (low32(number) != 0) > 3 || fixed > 1)
        return false;
    /* Without the inner sum going away this gains only if it shortens a chain
     * of numbers. */
    if (!single && regs > 1)
        return false;
    if (low32(number))
        out[regs] = cg_imm(low32(number));
    co_become(c, in, ISA_IADD3, out[0], out[1], out[2]);
    return true;
}

/* x * y + z; (x << n) + z */
static bool combine_sum_of_product(combine *c, cg_inst *in, unsigned i)
{
    cg_inst *def = co_def(c, in, &in->src[i], 1);
    cg_src more[2], z;

    if (!def || in->src[i].mod || !co_only_use(c, &in->src[i], 1))
        return false;
    other_operands(in, i, more);
    if (!co_is_zero(&more[0]) && !co_is_zero(&more[1]))
        return false;
    z = co_is_zero(&more[0]) ? more[1] : more[0];
    if (z.mod)
        return false;
    if (def->op == ISA_IMAD && co_is_zero(&def->src[2])) {
        co_become(c, in, ISA_IMAD, def->src[0], def->src[1], z);
        return true;
    }
    if (def->op == ISA_SHL && def->src[1].kind == SRC_IMM &&
        def->src[1].val > 0 && def->src[1].val < 32 &&
        def->src[0].kind == SRC_REG) {
        unsigned n = (unsigned)def->src[1].val;

        co_become(c, in, ISA_LEA, def->src[0], z, cb_none());
        in->lut = (uint8_t)n;
        return true;
    }
    return false;
}

/* x + ~y is x - y - 1. */
static bool sum_of_complement(combine *c, cg_inst *in, unsigned i)
{
    cg_inst *def = co_def(c, in, &in->src[i], 1);
    cg_src more[2];

    other_operands(in, i, more);
    if (!def || def->op != ISA_LOP3 || in->src[i].mod || def->pdst[0] ||
        def->lut != (~(unsigned)LUT_A & 0xff) || def->src[0].mod ||
        def->src[0].kind != SRC_REG || !co_only_use(c, &in->src[i], 1) ||
        (!co_is_zero(&more[0]) && !co_is_zero(&more[1])))
        return false;
    co_become(c, in, ISA_IADD3, co_is_zero(&more[0]) ? more[1] : more[0],
              cg_imm(-1), cg_neg(def->src[0]));
    return true;
}

static bool combine_sum(combine *c, cg_inst *in)
{
    if (in->pdst[0] || in->pdst[1])
        return false;
    if (sum_numbers(c, in))
        return true;
    for (unsigned i = 0; i < 3; i++)
        if (in->src[i].kind == SRC_REG && in->src[i].reg &&
            (combine_sum_of_sum(c, in, i) || combine_sum_of_product(c, in, i) ||
             sum_of_complement(c, in, i)))
            return true;
    return false;
}

/* ---- products ---------------------------------------------------------- */

static bool combine_product(combine *c, cg_inst *in)
{
    cg_src x = in->src[0], y = in->src[1], z = in->src[2];
    int64_t a, b;
    bool ka = co_known(&x, &a), kb = co_known(&y, &b);
    unsigned n;

    if (ka && kb) {
        co_become(c, in, ISA_IADD3, cg_imm(low32(a * b)), z, cg_zero());
        return true;
    }
    if (ka) {
        co_become(c, in, ISA_IMAD, y, x, z);
        return true;
    }
    if (!kb)
        return false;
    if (low32(b) == 0) {
        co_copy(c, in, z);
        return true;
    }
    if (low32(b) == 1 || low32(b) == -1) {
        co_become(c, in, ISA_IADD3, low32(b) < 0 ? cg_neg(x) : x, z, cg_zero());
        return true;
    }
    if (!log2_of_power(b, &n))
        return false;
    if (co_is_zero(&z)) {
        co_become(c, in, ISA_SHL, x, cg_imm(n), cb_none());
        return true;
    }
    if (x.kind != SRC_REG)
        return false;
    co_become(c, in, ISA_LEA, x, z, cb_none());
    in->lut = (uint8_t)n;
    return true;
}

/* ---- shifts ------------------------------------------------------------ */

static int64_t shifted(const cg_inst *in, int64_t x, int64_t n)
{
    uint32_t u = (uint32_t)x;

    if (in->op == ISA_SHL)
        return n > 31 ? 0 : low32((int64_t)(u << n));
    if (CG_GET(in, U32))
        return n > 31 ? 0 : low32(u >> n);
    return low32((int64_t)((int32_t)u >> (n > 31 ? 31 : n)));
}

/* Up and down again by as much: some bits are cleared. */
static bool there_and_back(combine *c, cg_inst *in, const cg_inst *def,
                           int64_t n)
{
    bool up_first = def->op == ISA_SHL && in->op == ISA_SHR;
    bool down_first = def->op == ISA_SHR && in->op == ISA_SHL;
    uint32_t mask = up_first ? UINT32_MAX >> n : UINT32_MAX << n;
    int64_t m;

    if (!(up_first && CG_GET(in, U32)) && !down_first)
        return false;
    if (!co_known(&def->src[1], &m) || m != n)
        return false;
    co_become(c, in, ISA_LOP3, def->src[0], cg_imm((int32_t)mask), cg_zero());
    in->lut = LUT_A & LUT_B;
    return true;
}

static bool combine_shift(combine *c, cg_inst *in)
{
    cg_inst *def;
    int64_t x, n, m;

    if (CG_GET(in, WRAP) || !co_known(&in->src[1], &n))
        return false;
    n = (uint32_t)n;
    if (co_known(&in->src[0], &x)) {
        co_copy(c, in, cg_imm(shifted(in, x, n)));
        return true;
    }
    if (n == 0) {
        co_copy(c, in, in->src[0]);
        return true;
    }
    if (n > 31) {
        if (in->op == ISA_SHR && !CG_GET(in, U32))
            co_set_src(c, in, 1, cg_imm(31));
        else
            co_copy(c, in, cg_zero());
        return true;
    }
    def = co_def(c, in, &in->src[0], 1);
    if (!def || (def->op != ISA_SHL && def->op != ISA_SHR) || CG_GET(def, WRAP))
        return false;
    if (there_and_back(c, in, def, n))
        return true;
    if (def->op != in->op || def->mod != in->mod ||
        !co_known(&def->src[1], &m) || m < 0 || m + n > 31)
        return false;
    x = in->mod;
    co_become(c, in, in->op, def->src[0], cg_imm(m + n), cb_none());
    in->mod = (uint32_t)x;
    return true;
}

/* A funnel shift of a word with zeros above or below. */
static bool combine_funnel(combine *c, cg_inst *in)
{
    bool left = in->op == ISA_SHF_L, high = CG_GET(in, HI);
    unsigned type = CG_GET(in, STYPE);
    int64_t n;

    if (CG_GET(in, WRAP) || !co_known(&in->src[1], &n) || n < 0 || n > 31)
        return false;
    if (n == 0) {
        co_copy(c, in, in->src[high ? 2 : 0]);
        return true;
    }
    if (left && high && type == 2 && co_is_zero(&in->src[2])) {
        co_become(c, in, ISA_SHR, in->src[0], cg_imm(32 - n), cb_none());
        CG_PUT(in, U32, 1);
        return true;
    }
    if (left && high && co_is_zero(&in->src[0])) {
        co_become(c, in, ISA_SHL, in->src[2], in->src[1], cb_none());
        return true;
    }
    if (!left && !high && co_is_zero(&in->src[2]) && type != 1) {
        co_become(c, in, ISA_SHR, in->src[0], in->src[1], cb_none());
        CG_PUT(in, U32, 1);
        return true;
    }
    return false;
}

/* ---- the rest ---------------------------------------------------------- */

static bool select_same(combine *c, cg_inst *in)
{
    if (in->psrc[0].reg == 0) {
        co_copy(c, in, in->src[in->psrc[0].neg ? 1 : 0]);
        return true;
    }
    if (!cg_src_same(&in->src[0], &in->src[1]))
        return false;
    co_copy(c, in, in->src[0]);
    return true;
}

/* A product of a warp group that is not to add to anything: its registers need
 * not be brought to where the sum is. */
static bool drop_sum(combine *c, cg_inst *in)
{
    if (in->psrc[0].reg || !in->psrc[0].neg || !in->src[2].reg)
        return false;
    co_set_src(c, in, 2, cg_zero());
    return true;
}

bool co_int(combine *c, cg_inst *in)
{
    switch (in->op) {
    case ISA_HGMMA:
        return drop_sum(c, in);
    case ISA_IADD3:
        return combine_sum(c, in);
    case ISA_IMAD:
        return combine_product(c, in);
    case ISA_SHL:
    case ISA_SHR:
        return combine_shift(c, in);
    case ISA_SHF_L:
    case ISA_SHF_R:
        return combine_funnel(c, in);
    case ISA_SEL:
        return select_same(c, in);
    case ISA_PRMT:
        if (CG_GET(in, PRMTOP) || in->src[1].kind != SRC_IMM ||
            (in->src[1].val & 0xffff) != 0x3210)
            return false;
        co_copy(c, in, in->src[0]);
        return true;
    default:
        return false;
    }
}
