/* src/codegen/opt/combine_logic.c - three-input logic swallows other logic;
 * extensions of values that are short already go. */
#include "codegen/opt/combine.h"

/* ---- facts about a value ----------------------------------------------- */

/* Bits that may be set in the lowest positions: all above are zero. */
static unsigned width(const combine *c, const cg_inst *in, const cg_src *s,
                      unsigned depth)
{
    const cg_inst *def;
    int64_t v;

    if (co_known(s, &v))
        return (uint32_t)v ? 32 - (unsigned)__builtin_clz((uint32_t)v) : 0;
    def = co_def(c, in, s, 1);
    if (!def || !depth)
        return 32;
    switch (def->op) {
    case ISA_LDG:
    case ISA_LD:
    case ISA_LDS:
    case ISA_LDL:
    case ISA_LDC:
        return CG_GET(def, SIZE) == SIZE_U8    ? 8
               : CG_GET(def, SIZE) == SIZE_U16 ? 16
                                               : 32;
    case ISA_LOP3:
        if (def->lut == (LUT_A & LUT_B)) {
            unsigned a = width(c, in, &def->src[0], depth - 1);
            unsigned b = width(c, in, &def->src[1], depth - 1);
            return a < b ? a : b;
        }
        if (def->lut == (LUT_A | LUT_B) || def->lut == (LUT_A ^ LUT_B)) {
            unsigned a = width(c, in, &def->src[0], depth - 1);
            unsigned b = width(c, in, &def->src[1], depth - 1);
            return a > b ? a : b;
        }
        return 32;
    case ISA_SHR:
        if (!CG_GET(def, U32) || !co_known(&def->src[1], &v) || v < 0 || v > 31)
            return 32;
        return 32 - (unsigned)v;
    case ISA_BFE:
        if (!CG_GET(def, U32) || !co_known(&def->src[1], &v))
            return 32;
        return v >> 8 > 31 ? 32 : (unsigned)(v >> 8);
    case ISA_SEL: {
        unsigned a = width(c, in, &def->src[0], depth - 1);
        unsigned b = width(c, in, &def->src[1], depth - 1);
        return a > b ? a : b;
    }
    case ISA_POPC:
        return 6;
    case ISA_S2R:
        return def->lut <= SR_TID_Z ? 11 : def->lut == SR_LANEID ? 5 : 32;
    default:
        return 32;
    }
}

/* The sign of the lowest `bits` bits fills the rest already. */
static bool is_short(const combine *c, const cg_inst *in, const cg_src *s,
                     unsigned bits)
{
    const cg_inst *def = co_def(c, in, s, 1);
    int64_t v;

    if (width(c, in, s, 4) < bits)
        return true;
    if (!def)
        return false;
    if (def->op == ISA_SGXT && !CG_GET(def, U32) && co_known(&def->src[1], &v))
        return ((uint32_t)v & (CG_GET(def, WRAP) ? 31 : UINT32_MAX)) <= bits;
    if (def->op >= ISA_LDG && def->op <= ISA_LDC &&
        isa_table[def->op].flags & ISA_F_LOAD)
        return (CG_GET(def, SIZE) == SIZE_S8 && bits >= 8) ||
               (CG_GET(def, SIZE) == SIZE_S16 && bits >= 16);
    return false;
}

static bool extension(combine *c, cg_inst *in)
{
    int64_t x, n;

    if (!co_known(&in->src[1], &n) || CG_GET(in, U32) || CG_GET(in, WRAP) ||
        n < 1 || n > 31)
        return false;
    if (co_known(&in->src[0], &x)) {
        uint32_t u = (uint32_t)x << (32 - n);

        co_copy(c, in, cg_imm((int32_t)u >> (32 - n)));
        return true;
    }
    if (!is_short(c, in, &in->src[0], (unsigned)n))
        return false;
    co_copy(c, in, in->src[0]);
    return true;
}

/* ---- tables ------------------------------------------------------------ */

static const uint8_t input_table[] = {LUT_A, LUT_B, LUT_C};

/* The table of f(x, y, z), where each input is itself a table. */
static uint8_t compose(uint8_t lut, uint8_t x, uint8_t y, uint8_t z)
{
    uint8_t out = 0;

    for (unsigned i = 0; i < 8; i++) {
        unsigned at = (x >> i & 1) << 2 | (y >> i & 1) << 1 | (z >> i & 1);

        out |= (uint8_t)((lut >> at & 1) << i);
    }
    return out;
}

static bool lut_depends_on(uint8_t lut, unsigned input)
{
    unsigned step = 4u >> input;

    for (unsigned i = 0; i < 8; i++)
        if ((lut >> i & 1) != (lut >> (i ^ step) & 1))
            return true;
    return false;
}

/* Inputs under construction: at most three that differ. */
typedef struct inputs {
    cg_src s[3];
    unsigned n;
} inputs;

/* The table of an operand in terms of the inputs; adds one if need be. */
static bool table_of(inputs *to, const cg_src *s, uint8_t *lut)
{
    cg_src plain = *s;
    uint8_t flip = s->mod & SRC_NOT ? 0xff : 0;
    int64_t v;

    plain.mod = 0;
    if (co_known(&plain, &v) && ((int32_t)v == 0 || (int32_t)v == -1)) {
        *lut = (uint8_t)((v ? 0xff : 0) ^ flip);
        return true;
    }
    for (unsigned i = 0; i < to->n; i++) {
        if (cg_src_same(&to->s[i], &plain)) {
            *lut = input_table[i] ^ flip;
            return true;
        }
    }
    if (to->n == 3)
        return false;
    to->s[to->n] = plain;
    *lut = input_table[to->n++] ^ flip;
    return true;
}

/* Drops inputs that do not matter, moves numbers behind registers. */
static void tidy_inputs(inputs *to, uint8_t *lut)
{
    for (unsigned i = 0; i < to->n; i++) {
        if (lut_depends_on(*lut, i))
            continue;
        uint8_t t[3] = {LUT_A, LUT_B, LUT_C};

        for (unsigned k = i; k + 1 < to->n; k++) {
            to->s[k] = to->s[k + 1];
            t[k + 1] = input_table[k];
        }
        t[i] = 0;
        to->n--;
        *lut = compose(*lut, t[0], t[1], t[2]);
        i--;
    }
    for (unsigned i = 0; i + 1 < to->n; i++) {
        bool wrong = to->s[i].kind != SRC_REG && to->s[i + 1].kind == SRC_REG;
        uint8_t t[3] = {LUT_A, LUT_B, LUT_C};

        if (!wrong)
            continue;
        cg_src s = to->s[i];
        to->s[i] = to->s[i + 1];
        to->s[i + 1] = s;
        t[i] = input_table[i + 1];
        t[i + 1] = input_table[i];
        *lut = compose(*lut, t[0], t[1], t[2]);
        i = i ? i - 2 : UINT32_MAX; /* back by one, or to the start */
    }
    for (unsigned i = to->n; i < 3; i++)
        to->s[i] = cg_zero();
}

static uint32_t evaluate_lut(uint8_t lut, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r = 0;

    for (unsigned i = 0; i < 8; i++)
        if (lut >> i & 1)
            r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return r;
}

/* All inputs are constant: a constant. */
static bool combine_constant(combine *c, cg_inst *in, const inputs *x,
                             uint8_t lut)
{
    int64_t v[3] = {0, 0, 0};

    for (unsigned i = 0; i < x->n; i++)
        if (!co_known(&x->s[i], &v[i]))
            return false;
    co_copy(c, in,
            cg_imm((int32_t)evaluate_lut(lut, (uint32_t)v[0], (uint32_t)v[1],
                                         (uint32_t)v[2])));
    return true;
}

/* A mask that clears nothing. */
static bool mask_of_short(combine *c, cg_inst *in, const inputs *x, uint8_t lut)
{
    int64_t m;
    unsigned bits;

    if (lut != (LUT_A & LUT_B) || x->n != 2 || !co_known(&x->s[1], &m))
        return false;
    bits = width(c, in, &x->s[0], 4);
    if (bits >= 32 || ((uint32_t)m & ((1u << bits) - 1)) != (1u << bits) - 1)
        return false;
    co_copy(c, in, x->s[0]);
    return true;
}

static bool rewrite(combine *c, cg_inst *in, const inputs *x, uint8_t lut)
{
    bool same = in->lut == lut;

    for (unsigned i = 0; i < 3; i++)
        same &= cg_src_same(&in->src[i], &x->s[i]);
    if (same)
        return false;
    co_become(c, in, ISA_LOP3, x->s[0], x->s[1], x->s[2]);
    in->lut = lut;
    return true;
}

static bool simplify(combine *c, cg_inst *in)
{
    inputs x = {.n = 0};
    uint8_t t[3], lut;

    for (unsigned i = 0; i < 3; i++)
        if (!table_of(&x, &in->src[i], &t[i]))
            return false;
    lut = compose(in->lut, t[0], t[1], t[2]);
    tidy_inputs(&x, &lut);
    if (combine_constant(c, in, &x, lut) || mask_of_short(c, in, &x, lut))
        return true;
    if (x.n == 1 && lut == LUT_A) {
        co_copy(c, in, x.s[0]);
        return true;
    }
    return rewrite(c, in, &x, lut);
}

/* Operand i is logic, too, and all inputs together are three at most. */
static bool swallow(combine *c, cg_inst *in, unsigned i)
{
    const cg_inst *def = co_def(c, in, &in->src[i], 1);
    inputs x = {.n = 0};
    uint8_t t[3], u[3], lut;
    unsigned fixed = 0;

    if (!def || def->op != ISA_LOP3 || def->pdst[0] ||
        !co_only_use(c, &in->src[i], 1))
        return false;
    for (unsigned k = 0; k < 3; k++)
        if (k != i && !table_of(&x, &in->src[k], &t[k]))
            return false;
    for (unsigned k = 0; k < 3; k++)
        if (!table_of(&x, &def->src[k], &u[k]))
            return false;
    t[i] = compose(def->lut, u[0], u[1], u[2]);
    if (in->src[i].mod & SRC_NOT)
        t[i] ^= 0xff;
    lut = compose(in->lut, t[0], t[1], t[2]);
    tidy_inputs(&x, &lut);
    for (unsigned k = 0; k < x.n; k++)
        fixed += x.s[k].kind != SRC_REG;
    return fixed < 2 && rewrite(c, in, &x, lut);
}

bool co_logic(combine *c, cg_inst *in)
{
    if (in->op == ISA_SGXT)
        return extension(c, in);
    if (in->op != ISA_LOP3 || in->pdst[0])
        return false;
    if (simplify(c, in))
        return true;
    for (unsigned i = 0; i < 3; i++)
        if (in->src[i].kind == SRC_REG && in->src[i].reg && swallow(c, in, i))
            return true;
    return false;
}
