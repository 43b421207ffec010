/* tests/reference/narrow.c - cvt between pairs of floating-point formats of 4,
 * 6 and 8 bits and wider ones [PTX85:cvt] [PTX85:alternate-floating-point-
 * data-formats]. Numbers are counted in units of the format's last place. */
#include "reference/state.h"

typedef struct format {
    ptx_type type;
    unsigned up;                 /* bits from one of the pair to the other */
    unsigned exponent, fraction; /* bits; above them a sign */
    int bias;
    unsigned most; /* code of the largest number */
    unsigned nan;  /* code of a NaN, or what one becomes */
    bool inf;      /* there is one, behind the largest number */
} format;

static const format formats[] = {
    {PTX_TYPE_E4M3X2, 8, 4, 3, 7, 0x7e, 0x7f, false},
    {PTX_TYPE_E5M2X2, 8, 5, 2, 15, 0x7b, 0x7f, true},
    {PTX_TYPE_E2M3X2, 8, 2, 3, 1, 0x1f, 0x1f, false},
    {PTX_TYPE_E3M2X2, 8, 3, 2, 3, 0x1f, 0x1f, false},
    {PTX_TYPE_E2M1X2, 4, 2, 1, 1, 0x07, 0x07, false},
};

static const format *find(ptx_type t)
{
    for (unsigned k = 0; k < sizeof formats / sizeof formats[0]; k++)
        if (formats[k].type == t)
            return &formats[k];
    return NULL;
}

/* The magnitude of a code, exactly. */
static hw_number number(const format *f, unsigned code)
{
    unsigned e = code >> f->fraction, m = code & ((1u << f->fraction) - 1);
    hw_number v;

    if (e)
        m |= 1u << f->fraction;
    if (!m)
        return (hw_number){.kind = HW_ZERO};
    v = hw_from_int(false, m);
    v.e += (e ? (int)e : 1) - f->bias - (int)f->fraction;
    return v;
}

/* The code whose number is nearest, of two the even one; beyond the largest,
 * that. */
static unsigned narrowed(const format *f, hw_number v, bool relu)
{
    unsigned code = 0, sign = v.minus ? 1u << (f->exponent + f->fraction) : 0;

    if (v.kind == HW_NOT)
        return f->nan;
    if (relu && v.minus)
        return 0;
    v.minus = false;
    while (code < f->most) {
        hw_number low = number(f, code), high = number(f, code + 1), middle;
        /* Half way: the sum of both against twice the number. */
        hw_number doubled = v;
        doubled.e += v.kind == HW_FINITE;
        middle = hw_add(low, high, HW_RN);
        int order = hw_order(doubled, middle);
        if (order < 0 || (order == 0 && !(code & 1)))
            break;
        code++;
    }
    return code | sign;
}

static uint64_t widened(const format *f, hw_type to, unsigned code, bool relu)
{
    unsigned bits = f->exponent + f->fraction;
    bool minus = code >> bits & 1;
    unsigned mag = code & ((1u << bits) - 1);
    hw_number v = number(f, mag);

    if (mag > f->most)
        v = (hw_number){.kind = f->inf && mag == f->most + 1 ? HW_INF : HW_NOT};
    v.minus = minus;
    if (relu && minus && v.kind != HW_NOT)
        v = (hw_number){.kind = HW_ZERO};
    return hw_pack(to, v, HW_RN, false, false);
}

/* ---- ue8m0: powers of two ---- */

/* The power below (.rz) or above (.rp) the magnitude; of zero the least. */
static unsigned power(const ptx_inst *in, hw_number v)
{
    bool finite = ptx_has(in, PTX_FLAG_SATFINITE);
    int e;

    if (v.kind == HW_NOT)
        return 0xff;
    if (v.kind == HW_INF)
        return finite ? 0xfe : 0xff;
    if (v.kind == HW_ZERO)
        return 0;
    e = v.e + 124 + 127; /* the leading bit is bit 124 */
    if (in->round == PTX_ROUND_RP && v.m != (hw_u128)1 << 124)
        e++;
    return e < 0 ? 0 : e > 254 && finite ? 254 : (unsigned)e;
}

static uint64_t from_power(unsigned code)
{
    hw_number v = hw_from_int(false, 1);

    v.e += (int)code - 127;
    if (code == 0xff)
        v.kind = HW_NOT;
    return hw_pack(HW_BF16, v, HW_RN, false, false);
}

/* ---- instructions ---- */

/* Operand of the upper (0) or lower (1) result: two singles, or the halves of
 * one register. */
static hw_number half(ref_thread *t, const ptx_inst *in, unsigned n)
{
    ptx_type from = ref_type(in, 1);

    if (ptx_type_lanes(from) < 2)
        return ref_unpack(from, ref_get(t, &in->ops[1 + n], from), false);
    return ref_unpack(from, ref_get(t, &in->ops[1], from) >> (n ? 0 : 16),
                      false);
}

bool ref_narrow(ref_thread *t, const ptx_inst *in)
{
    ptx_type to = ref_type(in, 0), from = ref_type(in, 1);
    const format *f = find(to), *g = find(from);
    bool relu = ptx_has(in, PTX_FLAG_RELU);
    uint64_t d;

    if (f) {
        d = (uint64_t)narrowed(f, half(t, in, 0), relu) << f->up |
            narrowed(f, half(t, in, 1), relu);
    } else if (to == PTX_TYPE_UE8M0X2) {
        d = (uint64_t)power(in, half(t, in, 0)) << 8 |
            power(in, half(t, in, 1));
    } else if (g) {
        unsigned a = (unsigned)ref_get(t, &in->ops[1], PTX_TYPE_B16);
        d = widened(g, ref_float(to), a >> g->up, relu) << 16 |
            widened(g, ref_float(to), a, relu);
    } else if (from == PTX_TYPE_UE8M0X2) {
        unsigned a = (unsigned)ref_get(t, &in->ops[1], PTX_TYPE_B16);
        d = from_power(a >> 8) << 16 | from_power(a & 0xff);
    } else {
        return false;
    }
    ref_put_all(t, &in->ops[0], d);
    return true;
}
