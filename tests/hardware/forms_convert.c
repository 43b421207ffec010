/* tests/hardware/forms_convert.c - cvt between all types [PTX85:cvt]. */
#include "number.h"

static const hw_type ints[] = {HW_U8,  HW_S8,  HW_U16, HW_S16,
                               HW_U32, HW_S32, HW_U64, HW_S64};
static const hw_type floats[] = {HW_F16, HW_F32, HW_F64};
static const hw_type wide_ints[] = {HW_U16, HW_S16, HW_U32,
                                    HW_S32, HW_U64, HW_S64};
static const char *const rounds[] = {"rn", "rz", "rm", "rp"};

/* Bits of the value, not of the register that holds it. */
static unsigned width(hw_type t)
{
    return t == HW_U8 || t == HW_S8 ? 8 : hw_bits(t);
}

static uint64_t low(uint64_t v, unsigned bits)
{
    return bits >= 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

/* Into a register that may be wider: extended by the type's sign. */
static uint64_t extend(hw_type t, uint64_t v)
{
    unsigned up = 64 - width(t);

    v <<= up;
    v = hw_signed(t) ? (uint64_t)((int64_t)v >> up) : v >> up;
    return low(v, hw_bits(t));
}

/* ---- integer to integer ---- */

static uint64_t int_int_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    hw_type from = f->s[0], to = f->d;
    unsigned up = 64 - width(from), bits = width(to);
    uint64_t raw = in->v[0][i] << up;
    __int128 v = hw_signed(from) ? (__int128)((int64_t)raw >> up)
                                 : (__int128)(raw >> up);
    __int128 most = ((__int128)1 << (hw_signed(to) ? bits - 1 : bits)) - 1;
    __int128 least = hw_signed(to) ? -most - 1 : 0;

    if (f->sat)
        v = v > most ? most : v < least ? least : v;
    return extend(to, (uint64_t)v);
}

/* Every value of `from` is one of `to`; there .sat is not allowed. */
static bool holds(hw_type to, hw_type from)
{
    if (hw_signed(from) && !hw_signed(to))
        return false;
    return width(to) >= width(from) + (hw_signed(to) && !hw_signed(from));
}

static void add_int_int(hw_list *l)
{
    for (unsigned k = 0; k < 8; k++)
        for (unsigned j = 0; j < 8; j++)
            for (int sat = 0; sat <= !holds(ints[k], ints[j]); sat++) {
                hw_form *f =
                    hw_list_add(l, "cvt integer to integer", int_int_ref,
                                ints[k], ints[j], HW_NONE, HW_NONE);
                f->sat = sat;
                hw_name(f, "cvt%s.%s.%s", sat ? ".sat" : "",
                        hw_type_text(ints[k]), hw_type_text(ints[j]));
            }
}

/* ---- integer to float ---- */

static uint64_t int_float_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    hw_type from = f->s[0];
    unsigned up = 64 - width(from);
    uint64_t raw = in->v[0][i] << up;
    bool minus = hw_signed(from) && raw >> 63;
    uint64_t v = minus ? (uint64_t)((int64_t)raw >> up) : raw >> up;

    return hw_pack(f->d, hw_from_int(minus, minus ? 0 - v : v), f->round, false,
                   f->sat);
}

static void add_int_float(hw_list *l)
{
    for (unsigned k = 0; k < 3; k++)
        for (unsigned j = 0; j < 8; j++)
            for (int r = 0; r < 8; r++) {
                hw_form *f =
                    hw_list_add(l, "cvt integer to float", int_float_ref,
                                floats[k], ints[j], HW_NONE, HW_NONE);
                f->round = (hw_round)(r & 3);
                f->sat = r >= 4;
                hw_name(f, "cvt.%s%s.%s.%s", rounds[r & 3],
                        f->sat ? ".sat" : "", hw_type_text(f->d),
                        hw_type_text(ints[j]));
            }
}

/* ---- float to integer ---- */

static uint64_t float_int_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    hw_type to = f->d;
    hw_number v = hw_unpack(f->s[0], in->v[0][i], f->ftz);

    if (v.kind == HW_NOT) {
        /* Zero, but from a double or to 64 bits the highest bit. */
        if (f->s[0] != HW_F64 && width(to) < 64)
            return 0;
        return extend(to, (uint64_t)1 << (width(to) - 1));
    }
    return extend(to, hw_to_int(v, f->round, hw_signed(to), width(to)));
}

static void add_float_int(hw_list *l, hw_type from)
{
    for (unsigned j = 0; j < 8; j++)
        for (int r = 0; r < 4; r++)
            for (int flags = 0; flags < (from == HW_F32 ? 4 : 2); flags++) {
                hw_form *f =
                    hw_list_add(l, "cvt float to integer", float_int_ref,
                                ints[j], from, HW_NONE, HW_NONE);
                f->round = (hw_round)r;
                f->sat = flags & 1; /* limits in any case */
                f->ftz = flags & 2;
                hw_name(f, "cvt.%si%s%s.%s.%s", rounds[r], f->ftz ? ".ftz" : "",
                        f->sat ? ".sat" : "", hw_type_text(ints[j]),
                        hw_type_text(from));
            }
}

/* ---- float to float ---- */

enum { PLAIN, INTEGRAL };

static uint64_t float_float_ref(const hw_form *f, const hw_input *in,
                                unsigned i)
{
    /* .ftz speaks of single precision only. */
    hw_number v = hw_unpack(f->s[0], in->v[0][i], f->ftz && f->s[0] == HW_F32);

    if (f->op == INTEGRAL)
        v = hw_integral(v, f->round);
    if (f->relu && v.kind != HW_NOT && v.minus)
        v = (hw_number){.kind = HW_ZERO};
    return hw_pack(f->d, v, f->round, f->ftz && f->d == HW_F32, f->sat);
}

static hw_form *add_float(hw_list *l, hw_type to, hw_type from, int op, int r,
                          int flags)
{
    hw_form *f = hw_list_add(l, "cvt float to float", float_float_ref, to, from,
                             HW_NONE, HW_NONE);

    f->op = op;
    f->round = (hw_round)r;
    f->ftz = flags & 1;
    f->sat = flags & 2;
    f->relu = flags & 4;
    return f;
}

static void add_float_float(hw_list *l)
{
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            for (int r = 0; r < 4; r++)
                for (int flags = 0; flags < 4; flags++) {
                    bool single = k == 1 || j == 1;
                    if ((k > j && r) || (flags & 1 && !single))
                        continue;
                    hw_form *f = add_float(l, floats[k], floats[j],
                                           k == j ? INTEGRAL : PLAIN, r, flags);
                    hw_name(f, "cvt%s%s%s%s%s.%s.%s", k > j ? "" : ".",
                            k > j ? "" : rounds[r], k == j ? "i" : "",
                            f->ftz ? ".ftz" : "", f->sat ? ".sat" : "",
                            hw_type_text(floats[k]), hw_type_text(floats[j]));
                }
}

/* Two singles into a pair; a is the upper half. */
static uint64_t pair_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint64_t d = 0;

    for (int k = 0; k < 2; k++) {
        hw_number v = hw_unpack(HW_F32, in->v[k][i], false);
        if (f->relu && v.kind != HW_NOT && v.minus)
            v = (hw_number){.kind = HW_ZERO};
        d = d << 16 | hw_pack(f->d, v, f->round, false, false);
    }
    return d;
}

static void add_brain(hw_list *l)
{
    static const hw_type pairs[] = {HW_F16X2, HW_BF16X2};

    for (int n = 0; n < 4; n++) {
        int r = n & 1, relu = n & 2 ? 4 : 0;
        hw_form *f = add_float(l, HW_BF16, HW_F32, PLAIN, r, relu);
        hw_name(f, "cvt.%s%s.bf16.f32", rounds[r], relu ? ".relu" : "");
        if (relu) {
            f = add_float(l, HW_F16, HW_F32, PLAIN, r, relu);
            hw_name(f, "cvt.%s.relu.f16.f32", rounds[r]);
        }
        for (int k = 0; k < 2; k++) {
            f = hw_list_add(l, "cvt float to float", pair_ref, pairs[k], HW_F32,
                            HW_F32, HW_NONE);
            f->round = (hw_round)r;
            f->relu = relu;
            hw_name(f, "cvt.%s%s.%s.f32", rounds[r], relu ? ".relu" : "",
                    hw_type_text(pairs[k]));
        }
    }
    hw_form *f = add_float(l, HW_F32, HW_BF16, PLAIN, 0, 0);
    hw_name(f, "cvt.f32.bf16");
}

/* bfloat16 and every other type, which sm_90 has. */
static void add_brain_ints(hw_list *l)
{
    for (unsigned j = 0; j < 6; j++)
        for (int r = 0; r < 4; r++) {
            hw_type t = wide_ints[j];
            hw_form *f = hw_list_add(l, "cvt bfloat16", int_float_ref, HW_BF16,
                                     t, HW_NONE, HW_NONE);

            f->round = (hw_round)r;
            hw_name(f, "cvt.%s.bf16.%s", rounds[r], hw_type_text(t));
            f = hw_list_add(l, "cvt bfloat16", float_int_ref, t, HW_BF16,
                            HW_NONE, HW_NONE);
            f->round = (hw_round)r;
            hw_name(f, "cvt.%si.%s.bf16", rounds[r], hw_type_text(t));
        }
}

static void add_brain_floats(hw_list *l)
{
    static const hw_type others[] = {HW_F16, HW_F64};
    hw_form *f;

    for (int r = 0; r < 4; r++) {
        for (int k = 0; k < 2; k++) {
            f = add_float(l, HW_BF16, others[k], PLAIN, r, 0);
            hw_name(f, "cvt.%s.bf16.%s", rounds[r], hw_type_text(others[k]));
        }
        f = add_float(l, HW_F16, HW_BF16, PLAIN, r, 0);
        hw_name(f, "cvt.%s.f16.bf16", rounds[r]);
        f = add_float(l, HW_BF16, HW_BF16, INTEGRAL, r, 0);
        hw_name(f, "cvt.%si.bf16.bf16", rounds[r]);
        if (r >= 2) {
            f = add_float(l, HW_BF16, HW_F32, PLAIN, r, 0);
            hw_name(f, "cvt.%s.bf16.f32", rounds[r]);
        }
    }
    f = add_float(l, HW_F64, HW_BF16, PLAIN, 0, 0);
    hw_name(f, "cvt.f64.bf16");
    for (int flags = 1; flags < 4; flags++) {
        f = add_float(l, HW_F32, HW_F32, PLAIN, 0, flags);
        hw_name(f, "cvt%s%s.f32.f32", f->ftz ? ".ftz" : "",
                f->sat ? ".sat" : "");
    }
    f = add_float(l, HW_F64, HW_F64, PLAIN, 0, 2);
    hw_name(f, "cvt.sat.f64.f64");
    f = add_float(l, HW_F16, HW_F16, PLAIN, 0, 2);
    hw_name(f, "cvt.sat.f16.f16");
}

void hw_forms_convert(hw_list *l)
{
    add_int_int(l);
    add_int_float(l);
    for (unsigned k = 0; k < 3; k++)
        add_float_int(l, floats[k]);
    add_float_float(l);
    add_brain(l);
    add_brain_ints(l);
    add_brain_floats(l);
}
