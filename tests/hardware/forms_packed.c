/* tests/hardware/forms_packed.c - pairs of singles and of 16-bit integers,
 * mixed precision, minima of three, and fns. */
#include "number.h"

static const char *const rounds[] = {"rn", "rz", "rm", "rp"};
static const char *const names[] = {"add", "sub", "mul", "fma"};

enum { ADD, SUB, MUL, FMA };

static hw_number operate(int op, hw_number a, hw_number b, hw_number c,
                         hw_round round)
{
    switch (op) {
    case ADD:
        return hw_add(a, b, round);
    case SUB:
        return hw_add(a, hw_neg(b), round);
    case MUL:
        return hw_mul(a, b);
    default:
        return hw_add(hw_mul(a, b), c, round);
    }
}

/* ---- two singles ---- */

static uint64_t pair_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint64_t d = 0;

    for (int k = 32; k >= 0; k -= 32) {
        hw_number a = hw_unpack(HW_F32, in->v[0][i] >> k, f->ftz);
        hw_number b = hw_unpack(HW_F32, in->v[1][i] >> k, f->ftz);
        hw_number c = hw_unpack(HW_F32, in->v[2][i] >> k, f->ftz);
        hw_number r = operate(f->op, a, b, c, f->round);

        d = d << 32 | hw_pack(HW_F32, r, f->round, f->ftz, false);
    }
    return d;
}

static void add_pairs(hw_list *l)
{
    for (int op = ADD; op <= FMA; op++)
        for (int k = 0; k < 8; k++) {
            hw_form *f = hw_list_add(l, "pairs", pair_ref, HW_U64, HW_F64,
                                     HW_F64, op == FMA ? HW_F64 : HW_NONE);

            f->newer = true;
            f->op = op;
            f->round = (hw_round)(k & 3);
            f->ftz = k & 4;
            hw_name(f, "%s.%s%s.f32x2", names[op], rounds[k & 3],
                    f->ftz ? ".ftz" : "");
        }
}

/* ---- mixed precision ---- */

static uint64_t mixed_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    bool fma = f->op == FMA;
    hw_number a = hw_unpack(f->type, in->v[0][i], false);
    hw_number b = hw_unpack(fma ? f->type : HW_F32, in->v[1][i], false);
    hw_number c = hw_unpack(HW_F32, in->v[2][i], false);

    return hw_pack(HW_F32, operate(f->op, a, b, c, f->round), f->round, false,
                   f->sat);
}

static void add_mixed(hw_list *l, hw_type half)
{
    for (int op = ADD; op <= FMA; op++)
        for (int k = 0; k < 8 && op != MUL; k++) {
            hw_form *f = hw_list_add(l, "mixed precision", mixed_ref, HW_F32,
                                     half, op == FMA ? half : HW_F32,
                                     op == FMA ? HW_F32 : HW_NONE);

            f->newer = true;
            f->op = op;
            f->type = half;
            f->round = (hw_round)(k & 3);
            f->sat = k & 4;
            hw_name(f, "%s.%s%s.f32.%s", names[op], rounds[k & 3],
                    f->sat ? ".sat" : "", hw_type_text(half));
        }
}

/* ---- the least of three ---- */

static uint64_t three_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    hw_number best = {.kind = HW_NOT};

    for (unsigned k = 0; k < 3; k++) {
        hw_number v = hw_unpack(HW_F32, in->v[k][i], f->ftz);
        int o;

        if (f->n)
            v.minus = false;
        if (v.kind == HW_NOT && f->nan)
            return 0x7fffffff;
        if (v.kind == HW_NOT)
            continue;
        o = best.kind == HW_NOT ? -1 : hw_order(v, best);
        if (best.kind != HW_NOT && o == 0)
            o = (int)best.minus - (int)v.minus;
        if (best.kind != HW_NOT && f->op)
            o = -o;
        if (o < 0)
            best = v;
    }
    return hw_pack(HW_F32, best, HW_RN, f->ftz, false);
}

static void add_three(hw_list *l)
{
    for (int k = 0; k < 16; k++) {
        hw_form *f = hw_list_add(l, "minima of three", three_ref, HW_F32,
                                 HW_F32, HW_F32, HW_F32);

        f->newer = true;
        f->op = k & 1;
        f->ftz = k & 2;
        f->nan = k & 4;
        f->n = k >> 3;
        hw_name(f, "%s%s%s%s.f32", k & 1 ? "max" : "min", f->ftz ? ".ftz" : "",
                f->nan ? ".NaN" : "", f->n ? ".abs" : "");
    }
}

/* ---- integers ---- */

enum { I_ADD, I_SUB, I_MIN, I_MAX };

static int64_t limit(const hw_form *f, int64_t a, int64_t b)
{
    int64_t r = (a < b) == (f->op == I_MIN) ? a : b;

    return f->relu && r < 0 ? 0 : r;
}

static uint64_t int_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    unsigned bits = f->n == 2 ? 16 : 32, up = 64 - bits;
    uint64_t d = 0;

    for (int k = f->n - 1; k >= 0; k--) {
        uint64_t a = in->v[0][i] >> k * 16 << up;
        uint64_t b = in->v[1][i] >> k * 16 << up;
        int64_t x = (int64_t)(a >> up), y = (int64_t)(b >> up), r;

        if (hw_signed(f->type)) {
            x = (int64_t)a >> up;
            y = (int64_t)b >> up;
        }
        r = f->op == I_ADD ? x + y : f->op == I_SUB ? x - y : limit(f, x, y);
        d = d << 16 | ((uint64_t)r & (((uint64_t)1 << bits) - 1));
    }
    return d;
}

static void add_ints(hw_list *l)
{
    static const char *const text[] = {"add", "sub", "min", "max"};

    for (int op = I_ADD; op <= I_MAX; op++)
        for (int k = 0; k < 4; k++) {
            bool sign = k > 0;
            hw_form *f;

            if ((op < I_MIN && k > 1) || op == I_SUB)
                continue;
            f = hw_list_add(l, "pairs", int_ref, HW_U32, HW_U32, HW_U32,
                            HW_NONE);
            f->op = op;
            f->n = k == 3 ? 1 : 2;
            f->type = sign ? HW_S16 : HW_U16;
            f->relu = k >= 2;
            hw_name(f, "%s%s.%s", text[op], f->relu ? ".relu" : "",
                    k == 3 ? "s32"
                    : sign ? "s16x2"
                           : "u16x2");
        }
}

static uint64_t fns_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint32_t mask = (uint32_t)in->v[0][i];
    int64_t at = in->v[1][i] & 31, n = (int32_t)in->v[2][i];
    int64_t step = n < 0 ? -1 : 1;

    (void)f;
    n = n == 0 ? -1 : n < 0 ? -n : n;
    if (n == -1)
        return at < 32 && mask >> at & 1 ? (uint32_t)at : UINT32_MAX;
    for (; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && --n == 0)
            return (uint32_t)at;
    return UINT32_MAX;
}

static void add_fns(hw_list *l)
{
    for (int k = 0; k < 2; k++) {
        hw_form *f = hw_list_add(l, "bits", fns_ref, HW_U32, HW_U32, HW_AMOUNT,
                                 k ? HW_S32 : HW_AMOUNT);
        hw_name(f, "fns.b32");
        /* the manual says nothing of other bits to start from */
        hw_text(f, "{.reg .b32 x; and.b32 x, $b, 31; fns.b32 $d, $a, x, $c;}");
    }
}

void hw_forms_packed(hw_list *l)
{
    add_pairs(l);
    add_mixed(l, HW_F16);
    add_mixed(l, HW_BF16);
    add_three(l);
    add_ints(l);
    add_fns(l);
}
