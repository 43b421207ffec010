/* tests/hardware/input.c - operands of a form: every pair or triple of a few
 * edge values first, then seeded random ones of kinds that hit rounding and
 * overflow. Its own generator, so that the runner needs nothing of Heddle. */
#include "form.h"

#include <string.h>

static uint64_t next(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

typedef struct layout {
    unsigned bits, mant;
} layout;

static layout layout_of(hw_type t)
{
    switch (t) {
    case HW_F16:
    case HW_F16X2:
        return (layout){16, 10};
    case HW_BF16:
    case HW_BF16X2:
        return (layout){16, 7};
    case HW_F64:
        return (layout){64, 52};
    case HW_NONE:
    case HW_U8:
    case HW_S8:
    case HW_U16:
    case HW_S16:
    case HW_U32:
    case HW_S32:
    case HW_U64:
    case HW_S64:
    case HW_F32:
    case HW_AMOUNT:
    case HW_TYPES:
        break;
    }
    return (layout){32, 23};
}

static uint64_t mask(unsigned bits)
{
    return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

/* Edge value `n` of a format: zeros, ends of ranges, NaNs, small integers and
 * powers of two where integers overflow; with and without sign. */
static uint64_t float_edge(layout f, unsigned n)
{
    unsigned ebits = f.bits - 1 - f.mant;
    uint64_t one = (mask(ebits - 1)) << f.mant, inf = mask(ebits) << f.mant;
    uint64_t ulp_half = (uint64_t)1 << (f.mant - 1);
    uint64_t step = (uint64_t)1 << f.mant;
    static const uint8_t power[] = {7, 8, 15, 16, 31, 32, 63, 64};
    const uint64_t plain[] = {
        0,          1,          2,
        step - 1,   step,       step + 1,
        one,        one + 1,    one - 1,
        inf - 1,    inf,        inf | ulp_half,
        inf | 1,    one - step, one | ulp_half,
        one + step, inf - step, one + step + ulp_half / 2};
    unsigned count = sizeof plain / sizeof plain[0];
    uint64_t sign = (uint64_t)(n & 1) << (f.bits - 1);

    n /= 2;
    if (n < count)
        return plain[n] | sign;
    n -= count;
    uint64_t v = one + ((uint64_t)power[n / 3 % 8] << f.mant) + n % 3 - 1;
    return (v >= inf ? one + step * 3 : v) | sign;
}

static uint64_t float_random(layout f, uint64_t *state)
{
    unsigned ebits = f.bits - 1 - f.mant;
    uint64_t r = next(state), v = next(state) & mask(f.bits);
    uint64_t bias = mask(ebits - 1);

    switch (r & 7) {
    case 0:
        return v;
    case 1:
        return float_edge(f, (unsigned)(r >> 8) % 84);
    case 2: /* subnormal or nearly */
        return (v & mask(f.mant + 1)) | (v & (uint64_t)1 << (f.bits - 1));
    default:
        break;
    }
    /* An exponent near 1, wide or narrow; often few bits of mantissa. */
    uint64_t span = r & 8 ? 8 : ebits > 5 ? 80 : 30;
    uint64_t e = bias - span / 2 + (r >> 16) % span;
    if (r & 16)
        v &= ~mask((unsigned)(r >> 24) % f.mant);
    return (v & (mask(f.mant) | (uint64_t)1 << (f.bits - 1))) | e << f.mant;
}

static uint64_t int_edge(unsigned bits, unsigned n)
{
    uint64_t top = (uint64_t)1 << (bits - 1), all = mask(bits);
    const uint64_t v[] = {
        0,          1,          all,        top,
        top - 1,    top + 1,    2,          all - 1,
        3,          7,          8,          0x55,
        0x80,       0xff,       10,         0x7f,
        all / 3,    0x100,      15,         16,
        31,         32,         33,         63,
        64,         65,         0x7fff,     0x8000,
        0xffff,     0x10000,    all / 5,    top | 0xff,
        0x7fffffff, 0x80000000, 0xffffffff, (uint64_t)1 << 32};

    return v[n % (sizeof v / sizeof v[0])] & all;
}

static uint64_t amount_edge(unsigned n)
{
    static const uint32_t v[] = {
        0,   1,   31,         32,         33, 64, 63, 65,  8,   7,  16,     255,
        256, 257, 0x80000000, 0xffffffff, 5,  15, 24, 127, 128, 40, 0x10005};

    return v[n % (sizeof v / sizeof v[0])];
}

static uint64_t edge(hw_type t, unsigned n)
{
    if (t == HW_AMOUNT)
        return amount_edge(n);
    if (t == HW_F16X2 || t == HW_BF16X2)
        return float_edge(layout_of(t), n % 84) |
               float_edge(layout_of(t), (n * 29 + 7) % 84) << 16;
    if (hw_float(t))
        return float_edge(layout_of(t), n % 84);
    return int_edge(hw_bits(t), n);
}

static uint64_t any(hw_type t, uint64_t *state)
{
    uint64_t r = next(state);

    if (r % 5 == 0)
        return edge(t, (unsigned)(r >> 8) % 84);
    if (t == HW_AMOUNT)
        return (r >> 32) & (r & 8    ? 31
                            : r & 16 ? 63
                            : r & 32 ? 255
                                     : 0xffffffff);
    if (t == HW_F16X2 || t == HW_BF16X2) {
        uint64_t low = float_random(layout_of(t), state);
        return low | float_random(layout_of(t), state) << 16;
    }
    if (hw_float(t))
        return float_random(layout_of(t), state);
    r = next(state);
    if (r & 1) /* of any length */
        return next(state) & mask((unsigned)(r >> 8) % hw_bits(t) + 1);
    return next(state) & mask(hw_bits(t));
}

void hw_input_fill(const hw_form *f, hw_input *in)
{
    unsigned count = 0, side;
    uint64_t state = 0x6865646c;

    memset(in, 0, sizeof *in);
    while (count < 3 && f->s[count])
        count++;
    for (const char *c = f->name; *c; c++)
        state = state * 31 + (unsigned char)*c;
    side = count == 3 ? 13 : count == 2 ? 50 : 84;
    for (unsigned i = 0; i < HW_VECTORS; i++) {
        unsigned n = i;
        for (unsigned k = 0; k < count; k++) {
            /* Of three operands the edges differ, or half would stay
             * unused. */
            unsigned e = n % side * (count == 3 ? 2 * k + 1 : 1);
            in->v[k][i] = edge(f->s[k], e);
            n /= side;
        }
        if (n)
            for (unsigned k = 0; k < count; k++)
                in->v[k][i] = any(f->s[k], &state);
    }
}
