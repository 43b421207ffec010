/* tests/reference/integer.c - integer arithmetic [PTX85:add] and following,
 * with carries [PTX85:add-cc] and sums of products [PTX85:dp4a]. */
#include "reference/state.h"

static bool packed(ptx_type t) { return ptx_type_lanes(t) == 2; }

/* The type of one lane of u16x2 and s16x2. */
static ptx_type lane_of(ptx_type t)
{
    return t == PTX_TYPE_U16X2   ? PTX_TYPE_U16
           : t == PTX_TYPE_S16X2 ? PTX_TYPE_S16
                                 : t;
}

static ref_int saturate(ref_int v)
{
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
}

/* ---- sums ---- */

/* The unsigned sum or difference decides the carry. */
static uint64_t with_carry(ref_thread *t, const ptx_inst *in, uint64_t a,
                           uint64_t b)
{
    unsigned bits = ptx_type_bits(ref_type(in, 0));
    bool minus = in->op == PTX_SUB || in->op == PTX_SUBC;
    bool uses = in->op == PTX_ADDC || in->op == PTX_SUBC;
    ref_int r = minus ? (ref_int)a - b - (uses && t->carry)
                      : (ref_int)a + b + (uses && t->carry);

    if (ptx_has(in, PTX_FLAG_CC))
        t->carry = minus ? r < 0 : (r >> bits) != 0;
    return (uint64_t)r & ref_mask(bits);
}

void ref_add(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    bool minus = in->op == PTX_SUB;
    uint64_t a, b, d = 0;

    if (ref_is_float(type)) {
        ref_fma(t, in);
        return;
    }
    a = ref_get(t, &in->ops[1], type);
    b = ref_get(t, &in->ops[2], type);
    if (packed(type)) {
        for (unsigned k = 0; k < 32; k += 16) {
            uint64_t s = minus ? (a >> k) - (b >> k) : (a >> k) + (b >> k);
            d |= (s & 0xffff) << k;
        }
    } else if (ptx_has(in, PTX_FLAG_SAT)) {
        ref_int x = ref_value(type, a), y = ref_value(type, b);
        d = (uint64_t)saturate(minus ? x - y : x + y);
    } else {
        d = with_carry(t, in, a, b);
    }
    ref_put(t, &in->ops[0], type, d);
}

/* ---- products ---- */

static ptx_type twice(ptx_type t)
{
    if (t == PTX_TYPE_U16)
        return PTX_TYPE_U32;
    if (t == PTX_TYPE_S16)
        return PTX_TYPE_S32;
    if (t == PTX_TYPE_U32)
        return PTX_TYPE_U64;
    return PTX_TYPE_S64;
}

/* The wanted half of the product; of .wide all of it. */
static uint64_t product(ptx_type type, unsigned half, ref_int a, ref_int b)
{
    unsigned bits = ptx_type_bits(type);
    /* Of two u64 it does not fit a signed number, but its bits do. */
    ref_bits all = (ref_bits)a * (ref_bits)b;

    if (half != PTX_HALF_HI)
        return (uint64_t)all;
    if (ref_is_signed(type))
        return (uint64_t)((ref_int)all >> bits);
    return (uint64_t)(all >> bits);
}

void ref_mul(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0), to;
    uint64_t p, c;

    if (ref_is_float(type)) {
        ref_fma(t, in);
        return;
    }
    to = in->half == PTX_HALF_WIDE ? twice(type) : type;
    p = product(type, in->half, ref_get_int(t, &in->ops[1], type),
                ref_get_int(t, &in->ops[2], type));
    p &= ref_mask(ptx_type_bits(to));
    if (in->op == PTX_MUL) {
        ref_put(t, &in->ops[0], to, p);
        return;
    }
    c = ref_get(t, &in->ops[3], to);
    if (ptx_has(in, PTX_FLAG_SAT)) { /* mad.hi.sat.s32 */
        ref_put(t, &in->ops[0], to,
                (uint64_t)saturate(ref_value(to, p) + ref_value(to, c)));
        return;
    }
    ref_bits sum = (ref_bits)p + c + (in->op == PTX_MADC && t->carry);
    if (ptx_has(in, PTX_FLAG_CC))
        t->carry = (sum >> ptx_type_bits(to)) != 0;
    ref_put(t, &in->ops[0], to, (uint64_t)sum);
}

/* .lo: the low 32 bits of the product of 48 bits; .hi: the high ones. */
void ref_mul24(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    uint64_t a = ref_get(t, &in->ops[1], type) << 40;
    uint64_t b = ref_get(t, &in->ops[2], type) << 40;
    ref_int p = ref_is_signed(type)
                    ? (ref_int)((int64_t)a >> 40) * ((int64_t)b >> 40)
                    : (ref_int)(a >> 40) * (b >> 40);

    if (in->half == PTX_HALF_HI)
        p >>= 16;
    p = ref_value(type, (uint64_t)p & 0xffffffff);
    if (in->op == PTX_MAD24)
        p += ref_get_int(t, &in->ops[3], type);
    if (ptx_has(in, PTX_FLAG_SAT))
        p = saturate(p);
    ref_put(t, &in->ops[0], type, (uint64_t)p);
}

/* The manual leaves division by zero open: quotients are all ones, and so are
 * remainders of 32 and 64 bits; one of 16 bits is the dividend
 * (docs/deviations.md). */
void ref_div(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    ref_int a, b, d;

    if (ref_is_float(type)) {
        ref_fma(t, in);
        return;
    }
    a = ref_get_int(t, &in->ops[1], type);
    b = ref_get_int(t, &in->ops[2], type);
    if (b == 0)
        d = in->op == PTX_DIV || ptx_type_bits(type) > 16 ? -1 : a;
    else
        d = in->op == PTX_DIV ? a / b : a % b;
    ref_put(t, &in->ops[0], type, (uint64_t)d);
}

/* ---- the rest ---- */

void ref_minmax(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0), one = lane_of(type);
    unsigned bits = ptx_type_bits(one);
    uint64_t a, b, d = 0;

    if (ref_is_float(type)) {
        ref_fma(t, in);
        return;
    }
    a = ref_get(t, &in->ops[1], type);
    b = ref_get(t, &in->ops[2], type);
    for (unsigned k = 0; k < ptx_type_bits(type); k += bits) {
        ref_int x = ref_value(one, a >> k), y = ref_value(one, b >> k);
        ref_int r = (x < y) == (in->op == PTX_MIN) ? x : y;
        if (ptx_has(in, PTX_FLAG_RELU) && r < 0)
            r = 0;
        d |= ((uint64_t)r & ref_mask(bits)) << k;
    }
    ref_put(t, &in->ops[0], type, d);
}

void ref_sign(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    ref_int a;

    if (ref_is_float(type)) {
        ref_fma(t, in);
        return;
    }
    a = ref_get_int(t, &in->ops[1], type);
    ref_put(t, &in->ops[0], type,
            (uint64_t)(in->op == PTX_NEG || a < 0 ? -a : a));
}

void ref_sad(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    ref_int a = ref_get_int(t, &in->ops[1], type);
    ref_int b = ref_get_int(t, &in->ops[2], type);
    ref_int c = ref_get_int(t, &in->ops[3], type);

    ref_put(t, &in->ops[0], type, (uint64_t)(c + (a < b ? b - a : a - b)));
}

void ref_dot(ref_thread *t, const ptx_inst *in)
{
    bool two = in->op == PTX_DP2A;
    bool sa = ref_is_signed(ref_type(in, 0)),
         sb = ref_is_signed(ref_type(in, 1));
    uint32_t a = ref_get_u32(t, &in->ops[1]), b = ref_get_u32(t, &in->ops[2]);
    int64_t sum = (int32_t)ref_get_u32(t, &in->ops[3]);

    if (two && in->half == PTX_HALF_HI)
        b >>= 16;
    for (unsigned k = 0; k < (two ? 2u : 4u); k++) {
        uint32_t x = two ? a >> 16 * k & 0xffff : a >> 8 * k & 0xff;
        uint32_t y = b >> 8 * k & 0xff;
        int64_t p = !sa ? (int64_t)x : two ? (int16_t)x : (int8_t)x;
        int64_t q = sb ? (int8_t)y : (int64_t)y;
        sum += p * q;
    }
    ref_put(t, &in->ops[0], PTX_TYPE_B32, (uint64_t)sum);
}
