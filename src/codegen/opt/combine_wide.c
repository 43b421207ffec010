/* src/codegen/opt/combine_wide.c - 64-bit sums and products: most are
 * addresses, a base plus an extended and scaled index, which IMAD.WIDE does at
 * once. */
#include "codegen/opt/combine.h"

enum { NARROW_MAX = 31 };

static void become_wide(combine *c, cg_inst *in, bool is_signed, cg_src x,
                        cg_src y, cg_src z)
{
    co_become(c, in, ISA_IMADW, x, y, z);
    CG_PUT(in, U32, !is_signed);
}

/* ---- sums -------------------------------------------------------------- */

static bool opposite(const cg_src *a, const cg_src *b)
{
    cg_src n = cg_neg(*b);

    return !co_is_zero(a) && cg_src_same(a, &n);
}

/* (x + y) + z: two numbers become one, opposites go. */
static bool combine_sum64_of_sum(combine *c, cg_inst *in, unsigned i)
{
    const cg_inst *def = co_def(c, in, &in->src[i], 2);
    cg_src z = in->src[!i];
    int64_t a, b;

    if (!def || def->op != CG_ADD64 || in->src[i].mod)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        if (opposite(&def->src[k], &z) && !def->src[!k].mod) {
            co_copy(c, in, def->src[!k]);
            return true;
        }
        if (co_known(&def->src[k], &a) && co_known(&z, &b)) {
            co_become(c, in, CG_ADD64, def->src[!k],
                      cg_imm((int64_t)((uint64_t)a + (uint64_t)b)), cb_none());
            return true;
        }
    }
    return false;
}

/* z + x * y, z + (x << n), z + x, with x and y of 32 bits */
static bool combine_sum64_of_product(combine *c, cg_inst *in, unsigned i)
{
    const cg_inst *def = co_def(c, in, &in->src[i], 2);
    cg_src z = in->src[!i], low;
    bool sign;

    if (in->src[i].mod || z.mod)
        return false;
    if (co_extended(c, in, &in->src[i], &low, &sign) && c->volta &&
        z.kind == SRC_REG && low.kind == SRC_REG && low.reg) {
        become_wide(c, in, sign, low, cg_imm(1), z);
        return true;
    }
    if (!def)
        return false;
    if (def->op == ISA_IMADW && co_is_zero(&def->src[2])) {
        become_wide(c, in, !CG_GET(def, U32), def->src[0], def->src[1], z);
        return true;
    }
    if (def->op != CG_SHL64)
        return false;
    if (def->lut < NARROW_MAX &&
        co_extended(c, in, &def->src[0], &low, &sign)) {
        become_wide(c, in, sign, low, cg_imm((int64_t)1 << def->lut), z);
        return true;
    }
    if (def->lut <= NARROW_MAX && def->src[0].kind == SRC_REG &&
        co_only_use(c, &in->src[i], 2)) {
        unsigned n = def->lut;

        co_become(c, in, CG_LEA64, def->src[0], z, cb_none());
        in->lut = (uint8_t)n;
        return true;
    }
    return false;
}

static bool combine_sum64(combine *c, cg_inst *in)
{
    int64_t a, b;

    for (unsigned i = 0; i < 2; i++) {
        if (co_is_zero(&in->src[i]) && !in->src[!i].mod) {
            co_copy(c, in, in->src[!i]);
            return true;
        }
    }
    if (co_known(&in->src[0], &a)) {
        if (co_known(&in->src[1], &b)) {
            co_copy(c, in, cg_imm((int64_t)((uint64_t)a + (uint64_t)b)));
            return true;
        }
        if (!co_is_zero(&in->src[0])) {
            co_become(c, in, CG_ADD64, in->src[1], in->src[0], cb_none());
            return true;
        }
    }
    for (unsigned i = 0; i < 2; i++)
        if (combine_sum64_of_sum(c, in, i) ||
            combine_sum64_of_product(c, in, i))
            return true;
    return false;
}

/* ---- products ---------------------------------------------------------- */

/* A number that a product of 32-bit words with this sign can take. */
static bool fits_word(int64_t v, bool is_signed)
{
    return is_signed ? v == (int32_t)v : v == (int64_t)(uint32_t)v;
}

static bool combine_product64(combine *c, cg_inst *in)
{
    cg_src x, y;
    bool sx, sy, ex, ey;
    int64_t a, b;

    if (co_known(&in->src[0], &a)) {
        if (co_known(&in->src[1], &b)) {
            co_copy(c, in, cg_imm((int64_t)((uint64_t)a * (uint64_t)b)));
            return true;
        }
        co_become(c, in, CG_MUL64, in->src[1], in->src[0], cb_none());
        return true;
    }
    ex = co_extended(c, in, &in->src[0], &x, &sx);
    if (co_known(&in->src[1], &b)) {
        if (b > 0 && !(b & (b - 1))) {
            co_become(c, in, CG_SHL64, in->src[0], cb_none(), cb_none());
            in->lut = (uint8_t)__builtin_ctzll((uint64_t)b);
            return true;
        }
        if (!ex || !fits_word(b, sx))
            return false;
        become_wide(c, in, sx, x, cg_imm((int32_t)(uint32_t)b), cg_zero());
        return true;
    }
    ey = co_extended(c, in, &in->src[1], &y, &sy);
    if (!ex || !ey || sx != sy)
        return false;
    become_wide(c, in, sx, x, y, cg_zero());
    return true;
}

static bool combine_shift64(combine *c, cg_inst *in)
{
    cg_src low;
    int64_t v;
    bool sign;

    if (co_known(&in->src[0], &v)) {
        co_copy(c, in, cg_imm((int64_t)((uint64_t)v << in->lut)));
        return true;
    }
    if (!in->lut) {
        co_copy(c, in, in->src[0]);
        return true;
    }
    if (in->lut >= NARROW_MAX || !co_extended(c, in, &in->src[0], &low, &sign))
        return false;
    become_wide(c, in, sign, low, cg_imm((int64_t)1 << in->lut), cg_zero());
    return true;
}

/* x * y + z of words */
static bool combine_wide_product(combine *c, cg_inst *in)
{
    int64_t a, b, z;
    bool sign = !CG_GET(in, U32);
    uint64_t p;

    if (!co_known(&in->src[0], &a))
        return false;
    if (!co_known(&in->src[1], &b)) {
        if (co_is_zero(&in->src[0]) && !in->src[2].mod) {
            co_copy(c, in, in->src[2]);
            return true;
        }
        become_wide(c, in, sign, in->src[1], in->src[0], in->src[2]);
        return true;
    }
    p = sign ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b)
             : (uint64_t)(uint32_t)a * (uint32_t)b;
    if (co_known(&in->src[2], &z))
        co_copy(c, in, cg_imm((int64_t)(p + (uint64_t)z)));
    else
        co_become(c, in, CG_ADD64, in->src[2], cg_imm((int64_t)p), cb_none());
    return true;
}

bool co_wide(combine *c, cg_inst *in)
{
    switch (in->op) {
    case CG_ADD64:
        return combine_sum64(c, in);
    case CG_MUL64:
        return combine_product64(c, in);
    case CG_SHL64:
        return combine_shift64(c, in);
    case ISA_IMADW:
        return combine_wide_product(c, in);
    default:
        return false;
    }
}
