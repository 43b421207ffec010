/* src/exec/texture/texel.c - the formats of texels [OCL12:image-formats];
 * conversions as its section on normalised channel types has them, correctly
 * rounded. */
#include <math.h>
#include <string.h>

#include "exec/half.h"
#include "exec/texture/texture.h"

bool texture_is_real(tex_type type) { return type < TEX_S8 || type > TEX_U32; }

static uint32_t real_bits(double v)
{
    float f = (float)v;
    uint32_t u;

    memcpy(&u, &f, 4);
    return u;
}

static double real_of(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, 4);
    return (double)f;
}

/* ---- channels ---------------------------------------------------------- */

typedef struct channel { /* of a type */
    uint8_t bytes;
    bool sign;
    int32_t most; /* that means 1.0; 0: not normalised */
} channel;

static const channel channels[TEX_TYPES] = {
    [TEX_SNORM8] = {1, true, 127},  [TEX_SNORM16] = {2, true, 32767},
    [TEX_UNORM8] = {1, false, 255}, [TEX_UNORM16] = {2, false, 65535},
    [TEX_S8] = {1, true, 0},        [TEX_S16] = {2, true, 0},
    [TEX_S32] = {4, true, 0},       [TEX_U8] = {1, false, 0},
    [TEX_U16] = {2, false, 0},      [TEX_U32] = {4, false, 0},
    [TEX_F16] = {2, false, 0},      [TEX_F32] = {4, false, 0},
};

static uint32_t widen_channel(const channel *c, uint32_t v)
{
    if (c->bytes == 1)
        return c->sign ? (uint32_t)(int8_t)v : v;
    if (c->bytes == 2)
        return c->sign ? (uint32_t)(int16_t)v : v;
    return v;
}

/* A branch for each size, so that each is a single access. */
static uint32_t load_channel(const uint8_t *at, unsigned bytes)
{
    uint16_t half;
    uint32_t word;

    if (bytes == 1)
        return *at;
    if (bytes == 2) {
        memcpy(&half, at, 2);
        return half;
    }
    memcpy(&word, at, 4);
    return word;
}

static uint32_t unpack_channel(tex_type type, const uint8_t *at)
{
    const channel *c = &channels[type];
    uint32_t v = widen_channel(c, load_channel(at, c->bytes));

    if (type == TEX_F16) {
        float f = half_f16_to_float(v);

        memcpy(&v, &f, 4);
        return v;
    }
    if (!c->most)
        return v;
    double r = (c->sign ? (double)(int32_t)v : (double)v) / c->most;
    return real_bits(r < -1 ? -1 : r);
}

/* The integer nearest to v * most, inside the range. */
static int32_t norm(double v, int32_t least, int32_t most)
{
    double scaled = rint(v * most);

    if (scaled != scaled)
        return 0;
    return scaled < least ? least : scaled > most ? most : (int32_t)scaled;
}

static uint32_t saturate_channel(const channel *c, uint32_t v)
{
    int64_t low = 0, high = ((int64_t)1 << 8 * c->bytes) - 1;
    int64_t x = c->sign ? (int64_t)(int32_t)v : (int64_t)v;

    if (c->sign) {
        high >>= 1;
        low = -high - 1;
    }
    return (uint32_t)(x < low ? low : x > high ? high : x);
}

static void pack_channel(tex_type type, uint32_t v, uint8_t *at)
{
    const channel *c = &channels[type];
    float f;

    if (type == TEX_F16) {
        memcpy(&f, &v, 4);
        v = half_f16_from_float(f);
    } else if (c->most) {
        v = (uint32_t)norm(real_of(v), c->sign ? -c->most - 1 : 0, c->most);
    } else if (c->bytes < 4) {
        v = saturate_channel(c, v);
    }
    if (c->bytes == 1)
        *at = (uint8_t)v;
    else if (c->bytes == 2)
        memcpy(at, &v, 2);
    else
        memcpy(at, &v, 4);
}

/* ---- packed ones ------------------------------------------------------- */

typedef struct packed { /* bits of R, G, B, R uppermost */
    uint8_t bytes, bits[3];
} packed;

static packed packed_of(tex_type type)
{
    return type == TEX_UNORM565   ? (packed){2, {5, 6, 5}}
           : type == TEX_UNORM555 ? (packed){2, {5, 5, 5}}
                                  : (packed){4, {10, 10, 10}};
}

static bool is_packed(unsigned type)
{
    return type == TEX_UNORM565 || type == TEX_UNORM555 ||
           type == TEX_UNORM101010;
}

static void unpack_rgb(tex_type type, const uint8_t *texel, uint32_t rgb[3])
{
    packed p = packed_of(type);
    uint32_t v = 0;

    memcpy(&v, texel, p.bytes);
    for (unsigned c = 3; c-- > 0; v >>= p.bits[c]) {
        uint32_t most = (1u << p.bits[c]) - 1;

        rgb[c] = real_bits((double)(v & most) / most);
    }
}

static void pack_rgb(tex_type type, const uint32_t rgb[3], uint8_t *texel)
{
    packed p = packed_of(type);
    uint32_t v = 0;

    for (unsigned c = 0; c < 3; c++) {
        int32_t most = (1 << p.bits[c]) - 1;

        v = v << p.bits[c] | (uint32_t)norm(real_of(rgb[c]), 0, most);
    }
    memcpy(texel, &v, p.bytes);
}

/* ---- texels ------------------------------------------------------------ */

/* Which of the stored channels each of R, G, B, A is [OCL12:image-formats]. */
enum { NOUGHT = 4, UNIT };
static const uint8_t from[TEX_ORDERS][4] = {
    [TEX_R] = {0, NOUGHT, NOUGHT, UNIT},
    [TEX_A] = {NOUGHT, NOUGHT, NOUGHT, 0},
    [TEX_RG] = {0, 1, NOUGHT, UNIT},
    [TEX_RA] = {0, NOUGHT, NOUGHT, 1},
    [TEX_RGB] = {0, 1, 2, UNIT},
    [TEX_RGBA] = {0, 1, 2, 3},
    [TEX_BGRA] = {2, 1, 0, 3},
    [TEX_ARGB] = {1, 2, 3, 0},
    [TEX_INTENSITY] = {0, 0, 0, 0},
    [TEX_LUMINANCE] = {0, 0, 0, UNIT},
    [TEX_RX] = {0, NOUGHT, NOUGHT, UNIT},
    [TEX_RGX] = {0, 1, NOUGHT, UNIT},
    [TEX_RGBX] = {0, 1, 2, UNIT},
};

void texture_decode(const tex_image *im, const uint8_t *texel, uint32_t rgba[4])
{
    tex_type type = (tex_type)im->type;
    uint32_t v[6] = {0};

    v[UNIT] = texture_is_real(type) ? 0x3f800000 : 1;
    if (is_packed(type))
        unpack_rgb(type, texel, v);
    else
        for (unsigned c = 0; c < tex_order_channels((tex_order)im->order); c++)
            v[c] = unpack_channel(type, texel + c * channels[type].bytes);
    for (unsigned c = 0; c < 4; c++)
        rgba[c] = v[from[im->order][c]];
}

void texture_encode(const tex_image *im, const uint32_t rgba[4], uint8_t *texel)
{
    tex_type type = (tex_type)im->type;

    memset(texel, 0, 16);
    if (is_packed(type)) {
        pack_rgb(type, rgba, texel);
        return;
    }
    for (unsigned c = 4; c-- > 0;) /* R last: of equal ones it counts */
        if (from[im->order][c] < NOUGHT)
            pack_channel(type, rgba[c],
                         texel + from[im->order][c] * channels[type].bytes);
}
