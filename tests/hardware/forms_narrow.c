/* tests/hardware/forms_narrow.c - conversions to and from formats of 4, 6, 8
 * and 19 bits, and packed integers [PTX85:cvt]. The reference looks for the
 * nearest of all values of a format; NaNs and infinities as in the vendor's
 * headers [CUDA13:fp8]. */
#include <math.h>

#include "number.h"

enum { E4M3, E5M2, E2M3, E3M2, E2M1, UE8M0, FORMATS };

static const struct {
    const char *text;
    unsigned exponent, fraction; /* bits; one more is the sign */
    int bias;
    unsigned most, nan; /* codes of the largest number and of NaN */
} formats[FORMATS] = {
    [E4M3] = {"e4m3x2", 4, 3, 7, 0x7e, 0x7f},
    [E5M2] = {"e5m2x2", 5, 2, 15, 0x7b, 0x7f},
    [E2M3] = {"e2m3x2", 2, 3, 1, 0x1f, 0x1f},
    [E3M2] = {"e3m2x2", 3, 2, 3, 0x1f, 0x1f},
    [E2M1] = {"e2m1x2", 2, 1, 1, 0x07, 0x07},
    [UE8M0] = {"ue8m0x2", 8, 0, 127, 0xfe, 0xff},
};

static double value(int format, unsigned code)
{
    unsigned m = formats[format].fraction, e = code >> m;
    double f = code & ((1u << m) - 1);

    if (format == UE8M0)
        return ldexp(1, (int)code - 127);
    if (e)
        return ldexp(f + (1u << m), (int)e - formats[format].bias - (int)m);
    return ldexp(f, 1 - formats[format].bias - (int)m);
}

static double plain(hw_type t, uint64_t bits)
{
    hw_number v = hw_unpack(t, bits, false);
    double r = 0;

    if (v.kind == HW_NOT)
        return NAN;
    if (v.kind == HW_INF)
        r = INFINITY;
    if (v.kind == HW_FINITE)
        r = (double)ldexpl((long double)(uint64_t)(v.m >> 61), v.e + 61);
    return v.minus ? -r : r;
}

/* The nearest, of two the even one. */
static unsigned nearest(int format, double v)
{
    unsigned best = 0,
             sign = formats[format].exponent + formats[format].fraction;
    double mag = fabs(v);

    if (isnan(v))
        return formats[format].nan;
    for (unsigned c = 1; c <= formats[format].most; c++) {
        double now = fabs(value(format, c) - mag);
        double old = fabs(value(format, best) - mag);
        if (now < old || (now == old && !(c & 1)))
            best = c;
    }
    if (mag > value(format, formats[format].most))
        best = formats[format].most;
    return best | (signbit(v) ? 1u << sign : 0);
}

/* The power of two below or above. */
static unsigned power(const hw_form *f, double v)
{
    double mag = fabs(v);
    unsigned c = 0;

    if (isnan(v))
        return 0xff;
    while (c < 255 && value(UE8M0, c) < mag)
        c++;
    if (f->round == HW_RZ && c && (c == 255 || value(UE8M0, c) > mag))
        c -= !isinf(mag);
    return f->sat && c == 255 ? 254 : c;
}

static unsigned narrow(const hw_form *f, double v)
{
    if (f->relu && v <= 0)
        v = 0;
    return f->op == UE8M0 ? power(f, v) : nearest(f->op, v);
}

/* f->n: 1 from singles, 2 from the halves of a register. */
static uint64_t pack_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    hw_type t = f->type;
    unsigned up = f->op == E2M1 ? 4 : 8;
    double high, low;

    if (f->n == 2) {
        high = plain(t, in->v[0][i] >> 16);
        low = plain(t, in->v[0][i]);
    } else {
        high = plain(t, in->v[0][i]);
        low = plain(t, in->v[1][i]);
    }
    return narrow(f, high) << up | narrow(f, low);
}

static void add_pack(hw_list *l, int format, hw_type from, int relu)
{
    bool pair = from == HW_F16X2 || from == HW_BF16X2;
    const char *d = format == E2M1 ? "{.reg .b8 t; " : "";
    hw_form *f = hw_list_add(l, "cvt narrow", pack_ref, HW_U16, from,
                             pair ? HW_NONE : from, HW_NONE);

    f->op = format;
    f->newer = format > E5M2;
    f->n = pair ? 2 : 1;
    f->type = from == HW_F16X2 ? HW_F16 : from == HW_BF16X2 ? HW_BF16 : from;
    f->relu = relu;
    hw_name(f, "cvt.rn.satfinite%s.%s.%s", relu ? ".relu" : "",
            formats[format].text, pair ? hw_type_text(from) : "f32");
    hw_text(f, "{.reg .f32 x, y; %s%s %s%s %s, %s; %s", d,
            from == HW_F16 ? "cvt.f32.f16 x, $a; cvt.f32.f16 y, $b; " : "", "",
            f->name, format == E2M1 ? "t" : "$d",
            from == HW_F16 ? "x, y"
            : pair         ? "$a"
                           : "$a, $b",
            format == E2M1 ? "cvt.u16.u8 $d, t;}}" : "}");
}

static void add_powers(hw_list *l, hw_type from)
{
    static const char *const rounds[] = {[HW_RZ] = "rz", [HW_RP] = "rp"};

    for (int k = 0; k < 4; k++) {
        bool pair = from == HW_BF16X2;
        hw_form *f = hw_list_add(l, "cvt narrow", pack_ref, HW_U16, from,
                                 pair ? HW_NONE : from, HW_NONE);

        f->op = UE8M0;
        f->newer = true;
        f->n = pair ? 2 : 1;
        f->type = pair ? HW_BF16 : from;
        f->round = k & 1 ? HW_RP : HW_RZ;
        f->sat = k & 2;
        hw_name(f, "cvt.%s%s.ue8m0x2.%s", rounds[f->round],
                f->sat ? ".satfinite" : "", hw_type_text(from));
    }
}

/* Back, which is exact. */
static uint64_t unpack_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    unsigned fraction = formats[f->op].fraction;
    unsigned bits = formats[f->op].exponent + fraction, up = bits == 3 ? 4 : 8;
    uint64_t d = 0;

    for (int k = 1; k >= 0; k--) {
        unsigned v = (unsigned)(in->v[0][i] >> k * up) & ((1u << up) - 1);
        unsigned mag = v & ((1u << bits) - 1);
        double x = value(f->op, mag);

        v &= (2u << bits) - 1;

        if (f->op == UE8M0)
            x = v == 255 ? NAN : value(UE8M0, v);
        else if (mag > formats[f->op].most)
            x = f->op == E5M2 && mag == 0x7c ? INFINITY : NAN;
        if (f->op != UE8M0 && v >> bits)
            x = f->relu && !isnan(x) ? 0 : -x;
        hw_number n = isnan(x) ? (hw_number){.kind = HW_NOT}
                               : hw_from_double((long double)x);
        d = d << 16 | hw_pack(f->type, n, HW_RN, false, false);
    }
    return d;
}

static void add_unpack(hw_list *l, int format, int relu)
{
    bool power_of_two = format == UE8M0;
    hw_form *f = hw_list_add(l, "cvt narrow", unpack_ref,
                             power_of_two ? HW_BF16X2 : HW_F16X2, HW_U16,
                             HW_NONE, HW_NONE);

    f->op = format;
    f->newer = format > E5M2;
    f->type = power_of_two ? HW_BF16 : HW_F16;
    f->relu = relu;
    f->class = HW_EXACT;
    hw_name(f, "cvt.rn%s.%s.%s", relu ? ".relu" : "", hw_type_text(f->d),
            formats[format].text);
    if (format == E2M1)
        hw_text(f, "{.reg .b8 t; cvt.u8.u16 t, $a; %s $d, t;}", f->name);
}

/* ---- tf32 ---- */

static uint64_t tf32_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint32_t u = (uint32_t)in->v[0][i], mag = u & 0x7fffffff, r;
    uint32_t rest = mag & 0x1fff, down = mag & ~0x1fffu;

    if (mag > 0x7f800000)
        return 0x7fffffff;
    if (f->relu && u >> 31)
        return 0;
    r = down;
    if (f->round == HW_RN &&
        (rest > 0x1000 || (rest == 0x1000 && (f->n || (mag >> 13 & 1)))))
        r = down + 0x2000;
    if (f->sat && r >= 0x7f800000)
        r = 0x7f7fe000;
    return r | (u & 0x80000000);
}

static void add_tf32(hw_list *l)
{
    static const char *const rounds[] = {"rn", "rz", "rna"};

    for (int k = 0; k < 12; k++) {
        int round = k % 3;
        hw_form *f = hw_list_add(l, "cvt narrow", tf32_ref, HW_U32, HW_F32,
                                 HW_NONE, HW_NONE);

        f->round = round == 1 ? HW_RZ : HW_RN;
        f->n = round == 2;
        f->sat = k / 3 & 1;
        f->newer = f->sat && round != 2;
        f->relu = k / 6 && round != 2;
        hw_name(f, "cvt.%s%s%s.tf32.f32", rounds[round],
                f->sat ? ".satfinite" : "", f->relu ? ".relu" : "");
    }
}

/* ---- halves with .satfinite and .relu ---- */

static uint64_t finite_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint64_t d = 0, inf = f->type == HW_BF16 ? 0x7f80 : 0x7c00;
    unsigned n = f->d == HW_F16X2 || f->d == HW_BF16X2 ? 2 : 1;

    for (unsigned k = 0; k < n; k++) {
        hw_number v = hw_unpack(HW_F32, in->v[k][i], false);
        uint64_t h;

        if (f->relu && v.kind != HW_NOT && v.minus)
            v = (hw_number){.kind = HW_ZERO};
        h = hw_pack(f->type, v, f->round, false, false);
        if ((h & 0x7fff) == inf)
            h--;
        d = d << 16 | h;
    }
    return d;
}

static void add_finite(hw_list *l)
{
    static const hw_type to[] = {HW_F16, HW_BF16, HW_F16X2, HW_BF16X2};

    for (int k = 0; k < 16; k++) {
        hw_type d = to[k / 4];
        hw_form *f = hw_list_add(l, "cvt narrow", finite_ref, d, HW_F32,
                                 k >= 8 ? HW_F32 : HW_NONE, HW_NONE);

        f->type = to[k / 4 % 2];
        f->round = k & 1 ? HW_RZ : HW_RN;
        f->relu = k & 2;
        hw_name(f, "cvt.%s%s.satfinite.%s.f32", k & 1 ? "rz" : "rn",
                k & 2 ? ".relu" : "", hw_type_text(d));
    }
}

/* ---- cvt.pack ---- */

static uint64_t pack_int_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    bool sign = f->op;
    unsigned bits = (unsigned)f->n;
    int64_t least = sign ? -((int64_t)1 << (bits - 1)) : 0;
    int64_t most = least + ((int64_t)1 << bits) - 1;
    uint32_t d = 0;

    if (f->s[2])
        d = (uint32_t)((uint64_t)(uint32_t)in->v[2][i] << 2 * bits);
    for (unsigned k = 0; k < 2; k++) {
        int64_t v = (int32_t)in->v[k][i];
        v = v < least ? least : v > most ? most : v;
        d |= ((uint32_t)v & ((1u << bits) - 1)) << (k ? 0 : bits);
    }
    return d;
}

static void add_pack_int(hw_list *l)
{
    for (unsigned bits = 2; bits <= 16; bits *= 2)
        for (int sign = 0; sign < 2; sign++) {
            hw_form *f =
                hw_list_add(l, "cvt narrow", pack_int_ref, HW_U32, HW_S32,
                            HW_S32, bits < 16 ? HW_U32 : HW_NONE);

            f->op = sign;
            f->n = (int)bits;
            hw_name(f, "cvt.pack.sat.%c%u.s32%s", sign ? 's' : 'u', bits,
                    bits < 16 ? ".b32" : "");
        }
}

void hw_forms_narrow(hw_list *l)
{
    for (int format = 0; format < UE8M0; format++)
        for (int relu = 0; relu < 2; relu++) {
            add_pack(l, format, HW_F32, relu);
            add_pack(l, format, HW_F16, relu);
            if (format <= E5M2)
                add_pack(l, format, HW_F16X2, relu);
            add_unpack(l, format, relu);
        }
    add_unpack(l, UE8M0, 0);
    add_powers(l, HW_F32);
    add_powers(l, HW_BF16X2);
    add_tf32(l);
    add_finite(l);
    add_pack_int(l);
}
