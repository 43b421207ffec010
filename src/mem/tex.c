#include "mem/tex.h"

#include <float.h>
#include <string.h>

#include "base/bits.h"
#include "base/must.h"

unsigned tex_order_channels(tex_order order)
{
    static const uint8_t channels[TEX_ORDERS] = {
        [TEX_R] = 1,         [TEX_A] = 1,    [TEX_RG] = 2,
        [TEX_RA] = 2,        [TEX_RGB] = 3,  [TEX_RGBA] = 4,
        [TEX_BGRA] = 4,      [TEX_ARGB] = 4, [TEX_INTENSITY] = 1,
        [TEX_LUMINANCE] = 1, [TEX_RX] = 1,   [TEX_RGX] = 2,
        [TEX_RGBX] = 3,
    };

    return (unsigned)order < TEX_ORDERS ? channels[order] : 0;
}

static unsigned type_bytes(tex_type type)
{
    switch (type) {
    case TEX_SNORM8:
    case TEX_UNORM8:
    case TEX_S8:
    case TEX_U8:
        return 1;
    case TEX_SNORM16:
    case TEX_UNORM16:
    case TEX_S16:
    case TEX_U16:
    case TEX_F16:
        return 2;
    case TEX_S32:
    case TEX_U32:
    case TEX_F32:
        return 4;
    case TEX_UNORM565:
    case TEX_UNORM555:
    case TEX_UNORM101010:
    case TEX_TYPES:
        return 0; /* packed */
    }
    MUST(!"every value is above");
}

unsigned tex_format_bytes(tex_order order, tex_type type)
{
    unsigned channels = tex_order_channels(order), bytes = type_bytes(type);
    bool rgb = order == TEX_RGB || order == TEX_RGBX;

    if (type == TEX_UNORM565 || type == TEX_UNORM555)
        return rgb ? 2 : 0;
    if (type == TEX_UNORM101010)
        return rgb ? 4 : 0;
    if ((order == TEX_BGRA || order == TEX_ARGB) && bytes != 1)
        return 0;
    return channels == 3 ? 0 : channels * bytes;
}

unsigned tex_kind_dims(tex_kind kind)
{
    static const uint8_t dims[TEX_KINDS] = {
        [TEX_NONE] = 1,     [TEX_BUFFER] = 1, [TEX_1D] = 1,
        [TEX_2D] = 2,       [TEX_3D] = 3,     [TEX_1D_ARRAY] = 1,
        [TEX_2D_ARRAY] = 2, [TEX_CUBE] = 2,   [TEX_CUBE_ARRAY] = 2,
    };

    return (unsigned)kind < TEX_KINDS ? dims[kind] : 1;
}

static bool lay_out_level(tex_image *im, unsigned l, uint64_t row,
                          uint64_t slice)
{
    tex_level *v = &im->level[l];
    uint64_t bytes = (uint64_t)v->size[0] * im->texel_bytes;
    uint64_t slices = (uint64_t)v->size[2] * im->layers;

    v->row = row ? row : bytes;
    v->slice = slice ? slice : v->row * v->size[1];
    if (im->tiled) {
        v->row = bits_align_up(bytes, TEX_TILE_BYTES) * (uint64_t)TEX_TILE_ROWS;
        v->slice = v->row * bits_div_up(v->size[1], TEX_TILE_ROWS);
    }
    v->offset = bits_align_up(im->bytes, TEX_TILE_BYTES * TEX_TILE_ROWS);
    if (!v->size[0] || !v->size[1] || !v->size[2] || v->row < bytes ||
        v->slice < v->row || (uint64_t)v->slice > ((uint64_t)1 << 48) / slices)
        return false;
    im->bytes = v->offset + v->slice * slices;
    if (!im->tiled) /* what follows the last row need not exist */
        im->bytes -= v->slice - v->row * (v->size[1] - 1) - bytes;
    return true;
}

bool tex_image_lay_out(tex_image *im, const uint32_t size[3], uint64_t row,
                       uint64_t slice)
{
    im->texel_bytes =
        (uint8_t)tex_format_bytes((tex_order)im->order, (tex_type)im->type);
    im->bytes = 0;
    if (!im->texel_bytes || !im->layers || !im->levels ||
        im->levels > TEX_LEVELS)
        return false;
    for (unsigned l = 0; l < im->levels; l++) {
        for (unsigned d = 0; d < 3; d++) {
            uint32_t n = size[d] >> l;

            im->level[l].size[d] = n || !size[d] ? n : 1;
        }
        if (!lay_out_level(im, l, im->levels > 1 ? 0 : row,
                           im->levels > 1 ? 0 : slice))
            return false;
    }
    return true;
}

/* A tile is 64 bytes by 8 rows: 512 consecutive bytes, in which a sector holds
 * 16 bytes of two rows and a line 32 bytes of four. [guess] */
static uint64_t tiled_at(const tex_level *v, uint64_t x, uint32_t y)
{
    enum { TILE = TEX_TILE_BYTES * TEX_TILE_ROWS };

    return y / TEX_TILE_ROWS * v->row + x / TEX_TILE_BYTES * TILE +
           x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 +
           x % 16;
}

uint64_t tex_image_at(const tex_image *im, unsigned level, uint64_t x,
                      uint32_t y, uint32_t z)
{
    const tex_level *v = &im->level[level];
    uint64_t at = im->addr + v->offset + z * v->slice;

    return at + (im->tiled ? tiled_at(v, x, y) : y * v->row + x);
}

const tex_image *tex_find_image(const tex_table *t, uint32_t handle)
{
    uint32_t n = handle & (TEX_IMAGES_MAX - 1);

    if (!t || n >= t->images || t->image[n].kind == TEX_NONE)
        return NULL;
    return &t->image[n];
}

tex_sampler tex_literal(uint32_t number)
{
    uint8_t address = number >> 1 & 7;
    tex_sampler s = {.normalised = number & 1,
                     .linear = number >> 5 & 1,
                     .low = 0,
                     .high = FLT_MAX};

    if (address >= TEX_ADDRESSES)
        address = TEX_ADDRESS_NONE;
    memset(s.address, address, sizeof s.address);
    return s;
}

bool tex_find_sampler(const tex_table *t, uint32_t handle, tex_sampler *out)
{
    uint32_t n = handle >> TEX_IMAGE_BITS;

    if (n < TEX_LITERALS) {
        *out = tex_literal(n);
        return true;
    }
    if (!t || n - TEX_LITERALS >= t->samplers)
        return false;
    *out = t->sampler[n - TEX_LITERALS];
    return true;
}
