/* src/codegen/opt/combine_pred.c - predicates: constant ones go, comparisons
 * absorb the logic behind them, integers made of predicates become predicates
 * again. */
#include <string.h>

#include "codegen/opt/combine.h"

/* ---- logic of predicates ----------------------------------------------- */

static void set_table(combine *c, cg_inst *in, unsigned lut, cg_pred a,
                      cg_pred b)
{
    cg_defuse_count(c->d, in, -1);
    in->lut = (uint8_t)lut;
    in->psrc[0] = a;
    in->psrc[1] = b;
    in->psrc[2] = (cg_pred){0};
    cg_defuse_count(c->d, in, 1);
}

/* The table when input i is the constant `v`, for the other inputs. */
static unsigned fix_input(unsigned lut, unsigned i, bool v)
{
    unsigned out = 0, step = 4u >> i;

    for (unsigned k = 0; k < 8; k++) {
        unsigned at = v ? k | step : k & ~step;

        out |= (lut >> at & 1) << k;
    }
    return out;
}

/* The same, when input i equals input k, or is its opposite. */
static unsigned tie_input(unsigned lut, unsigned i, unsigned k, bool opposite)
{
    unsigned out = 0, step = 4u >> i, other = 4u >> k;

    for (unsigned n = 0; n < 8; n++) {
        bool v = !(n & other) == opposite;
        unsigned at = v ? n | step : n & ~step;

        out |= (lut >> at & 1) << n;
    }
    return out;
}

static bool plop_depends_on(unsigned lut, unsigned i)
{
    return fix_input(lut, i, false) != fix_input(lut, i, true);
}

/* Brings a table to at most the inputs it depends on, in the first places. */
static bool tidy_table(combine *c, cg_inst *in)
{
    unsigned lut = in->lut, n = 0;
    cg_pred p[3] = {in->psrc[0], in->psrc[1], in->psrc[2]}, keep[3] = {{0}};
    unsigned from[3] = {0, 0, 0}, out = 0;

    for (unsigned i = 0; i < 3; i++) {
        if (p[i].neg) { /* the table takes the negation */
            unsigned flipped = 0;

            for (unsigned k = 0; k < 8; k++)
                flipped |= (lut >> (k ^ (4u >> i)) & 1) << k;
            lut = flipped;
            p[i].neg = false;
        }
        if (!p[i].reg)
            lut = fix_input(lut, i, true);
        for (unsigned k = 0; k < i; k++)
            if (p[i].reg && p[k].reg == p[i].reg)
                lut = tie_input(lut, i, k, false);
    }
    for (unsigned i = 0; i < 3; i++) {
        if (p[i].reg && plop_depends_on(lut, i)) {
            from[n] = i;
            keep[n++] = p[i];
        }
    }
    for (unsigned k = 0; k < 8; k++) {
        unsigned at = 0;

        for (unsigned i = 0; i < n; i++)
            at |= k & (4u >> i) ? 4u >> from[i] : 0;
        out |= (lut >> at & 1) << k;
    }
    if (n == 1 && out == (~(unsigned)LUT_A & 0xff)) {
        keep[0].neg = true; /* a copy of the opposite */
        out = LUT_A;
    }
    bool same = out == in->lut;
    for (unsigned i = 0; i < 3; i++)
        same &=
            in->psrc[i].reg == keep[i].reg && in->psrc[i].neg == keep[i].neg;
    if (same)
        return false;
    set_table(c, in, out, keep[0], keep[1]);
    co_set_psrc(c, in, 2, keep[2]);
    return true;
}

/* ---- comparisons ------------------------------------------------------- */

static bool is_comparison(const cg_inst *in)
{
    return in->op == ISA_ISETP || in->op == ISA_FSETP || in->op == ISA_DSETP;
}

/* Turns a comparison, still without logic, into its opposite. */
static void invert(cg_inst *in)
{
    if (in->op == ISA_ISETP) {
        CG_PUT(in, ICMP, ~CG_GET(in, ICMP) & 7u);
        if (CG_GET(in, EX))
            in->psrc[1].neg = !in->psrc[1].neg;
    } else {
        CG_PUT(in, FCMP, ~CG_GET(in, FCMP) & 15u);
    }
}

/* A table of two inputs as `A op B` with negations; false if it is not. */
static bool two_inputs(unsigned lut, enum isa_bool *how, bool *na, bool *nb)
{
    for (unsigned k = 0; k < 4; k++) {
        unsigned a = k & 1 ? ~LUT_A & 0xff : LUT_A;
        unsigned b = k & 2 ? ~LUT_B & 0xff : LUT_B;

        *na = k & 1;
        *nb = k >> 1;
        *how = BOOL_AND;
        if (lut == (a & b))
            return true;
        *how = BOOL_OR;
        if (lut == (a | b))
            return true;
        *how = BOOL_XOR;
        if (lut == (a ^ b))
            return true;
    }
    return false;
}

/* p = (x cmp y) op q */
static bool take_in(combine *c, cg_inst *in, unsigned i)
{
    const cg_inst *def = co_pred_def(c, in, in->psrc[i].reg);
    cg_pred q = in->psrc[!i];
    enum isa_bool how;
    bool neg[2];
    cg_inst was;

    if (!def || !is_comparison(def) || def->pdst[0] != in->psrc[i].reg ||
        def->pdst[1] || def->psrc[0].reg || def->psrc[0].neg ||
        cg_du_of(c->d, in->psrc[i].reg, 0)->nuses > 1)
        return false;
    if (in->psrc[0].neg || in->psrc[1].neg ||
        !two_inputs(in->lut, &how, &neg[0], &neg[1]))
        return false;
    if (neg[!i])
        q = cg_not(q);
    was = *def;
    co_become(c, in, was.op, was.src[0], was.src[1], was.src[2]);
    in->mod = was.mod;
    co_set_psrc(c, in, 1, was.psrc[1]);
    if (neg[i])
        invert(in);
    CG_PUT(in, BOOL, how);
    co_set_psrc(c, in, 0, q);
    return true;
}

/* The comparison of a number with itself, or of two numbers. */
static bool known_comparison(combine *c, cg_inst *in)
{
    int64_t a, b;
    unsigned cmp = CG_GET(in, ICMP), rel;
    bool less;

    if (in->op != ISA_ISETP || CG_GET(in, EX) || in->psrc[0].reg ||
        in->psrc[0].neg || in->pdst[1])
        return false;
    if (co_known(&in->src[0], &a) && co_known(&in->src[1], &b)) {
        less = CG_GET(in, U32) ? (uint32_t)a < (uint32_t)b
                               : (int32_t)a < (int32_t)b;
        rel = (int32_t)a == (int32_t)b ? 2 : less ? 1 : 4;
    } else if (cg_src_same(&in->src[0], &in->src[1])) {
        rel = 2;
    } else {
        return false;
    }
    co_become(c, in, ISA_PLOP3, cb_none(), cb_none(), cb_none());
    in->lut = cmp & rel ? 0xff : 0;
    return true;
}

/* A number on the left changes sides. */
static bool swap_sides(combine *c, cg_inst *in)
{
    static const uint8_t swapped[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    unsigned cmp = CG_GET(in, ICMP);
    cg_src x = in->src[0];

    if (in->op != ISA_ISETP || CG_GET(in, EX) || in->src[1].kind != SRC_REG ||
        !in->src[1].reg || (x.kind == SRC_REG && x.reg))
        return false;
    co_set_src(c, in, 0, in->src[1]);
    co_set_src(c, in, 1, x);
    CG_PUT(in, ICMP, swapped[cmp]);
    return true;
}

/* (p ? k : 0) != 0 is p. */
static bool combine_selected(combine *c, cg_inst *in)
{
    const cg_inst *def;
    int64_t a, b, zero;
    unsigned cmp = CG_GET(in, ICMP);
    cg_pred p;

    if (in->op != ISA_ISETP || CG_GET(in, EX) || in->psrc[0].reg ||
        in->psrc[0].neg || in->pdst[1] || (cmp != CMP_EQ && cmp != CMP_NE) ||
        !co_known(&in->src[1], &zero) || zero)
        return false;
    def = co_def(c, in, &in->src[0], 1);
    if (!def || def->op != ISA_SEL || !co_known(&def->src[0], &a) ||
        !co_known(&def->src[1], &b) || !a == !b)
        return false;
    p = def->psrc[0];
    if ((b != 0) == (cmp == CMP_NE))
        p = cg_not(p);
    co_become(c, in, ISA_PLOP3, cb_none(), cb_none(), cb_none());
    set_table(c, in, LUT_A, p, (cg_pred){0});
    return true;
}

/* x & one bit */
static bool is_bit(const cg_inst *in, int64_t bit)
{
    int64_t mask;

    return in->lut == (LUT_A & LUT_B) && co_known(&in->src[1], &mask) &&
           (uint32_t)mask == (uint32_t)bit &&
           !((uint32_t)bit & ((uint32_t)bit - 1));
}

/* Bits against zero, or one of them against itself: three-input logic tells by
 * itself if its result is zero. */
static bool test_bits(combine *c, cg_inst *in)
{
    const cg_inst *def;
    cg_src s[3];
    unsigned cmp = CG_GET(in, ICMP), lut;
    cg_build b = cb_before(c->f, in);
    int64_t k;
    cg_inst *logic;

    if (!c->volta || in->op != ISA_ISETP || CG_GET(in, EX) || in->psrc[0].reg ||
        in->psrc[0].neg || in->pdst[1] || (cmp != CMP_EQ && cmp != CMP_NE) ||
        !co_known(&in->src[1], &k))
        return false;
    def = co_def(c, in, &in->src[0], 1);
    if (!def || def->op != ISA_LOP3 || def->pdst[0] || def->guard.reg ||
        in->src[0].mod || !co_only_use(c, &in->src[0], 1) ||
        (k && !is_bit(def, k)))
        return false;
    memcpy(s, def->src, sizeof s);
    lut = def->lut;
    if ((cmp == CMP_NE) == !k) { /* some bit is set */
        co_become(c, in, ISA_LOP3, s[0], s[1], s[2]);
        in->lut = (uint8_t)lut;
        return true;
    }
    logic = cb_to(&b, ISA_LOP3, (cg_dst){0}, s[0], s[1], s[2]);
    logic->lut = (uint8_t)lut;
    logic->pdst[0] = cg_reg_new(c->f, CG_PRED);
    logic->at = in->at;
    cg_defuse_define(c->d, logic);
    cg_defuse_count(c->d, logic, 1);
    co_become(c, in, ISA_PLOP3, cb_none(), cb_none(), cb_none());
    set_table(c, in, LUT_A, (cg_pred){logic->pdst[0], true}, (cg_pred){0});
    return true;
}

bool co_pred(combine *c, cg_inst *in)
{
    if (in->op == ISA_PLOP3 && !in->pdst[1]) {
        if (tidy_table(c, in))
            return true;
        for (unsigned i = 0; i < 2; i++)
            if (in->psrc[i].reg && !in->psrc[2].reg && take_in(c, in, i))
                return true;
        return false;
    }
    return known_comparison(c, in) || swap_sides(c, in) ||
           combine_selected(c, in) || test_bits(c, in);
}
