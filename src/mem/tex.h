/* src/mem/tex.h - images and samplers as the texture hardware has them: the
 * entries of their tables, and where a texel lies in memory. Texels are in
 * ordinary device memory; a table owns nothing that it points to.
 *
 * A handle, which an instruction reads from a register, is the number of an
 * image in bits 19..0 and that of a sampler in bits 31..20. Image 0 is none.
 * The samplers below TEX_LITERALS need no entry: their number is an encoding,
 * the bits of OpenCL's sampler constants [OCL12:sampler_t]. */
#ifndef MEM_TEX_H
#define MEM_TEX_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TEX_LEVELS = 16,
    TEX_IMAGE_BITS = 20,
    TEX_IMAGES_MAX = 1 << TEX_IMAGE_BITS,
    TEX_SAMPLERS_MAX = 1 << 12,
    TEX_LITERALS = 64,
    TEX_TILE_BYTES = 64, /* of a row within a tile */
    TEX_TILE_ROWS = 8,
};

/* In the order of OpenCL's numbers, from 0x10b0 on [OCL12:image-formats]. */
typedef enum tex_order {
    TEX_R,
    TEX_A,
    TEX_RG,
    TEX_RA,
    TEX_RGB,
    TEX_RGBA,
    TEX_BGRA,
    TEX_ARGB,
    TEX_INTENSITY,
    TEX_LUMINANCE,
    TEX_RX,
    TEX_RGX,
    TEX_RGBX,
    TEX_ORDERS
} tex_order;

/* In the order of OpenCL's numbers, from 0x10d0 on [OCL12:image-formats]. */
typedef enum tex_type {
    TEX_SNORM8,
    TEX_SNORM16,
    TEX_UNORM8,
    TEX_UNORM16,
    TEX_UNORM565,
    TEX_UNORM555,
    TEX_UNORM101010,
    TEX_S8,
    TEX_S16,
    TEX_S32,
    TEX_U8,
    TEX_U16,
    TEX_U32,
    TEX_F16,
    TEX_F32,
    TEX_TYPES
} tex_type;

enum { TEX_CL_ORDER = 0x10b0, TEX_CL_TYPE = 0x10d0 };

typedef enum tex_kind {
    TEX_NONE,
    TEX_BUFFER, /* 1D, linear; outside of it texels are 0 */
    TEX_1D,
    TEX_2D,
    TEX_3D,
    TEX_1D_ARRAY,
    TEX_2D_ARRAY,
    TEX_CUBE, /* six layers */
    TEX_CUBE_ARRAY,
    TEX_KINDS
} tex_kind;

typedef struct tex_level {
    uint32_t size[3];    /* texels; 1 where the kind has no such dimension */
    uint64_t offset;     /* from tex_image.addr */
    uint64_t row, slice; /* bytes from a row, a slice or layer to the next;
                            row: of tiles where they are tiled */
} tex_level;

typedef struct tex_image {
    const char *name; /* for messages, may be NULL */
    uint8_t kind, order, type;
    uint8_t levels; /* at least 1 */
    bool tiled;
    uint8_t texel_bytes; /* 1, 2, 4, 8 or 16 */
    uint32_t layers;     /* of an array; of cubes six each; else 1 */
    uint64_t addr, bytes;
    tex_level level[TEX_LEVELS];
} tex_image;

typedef enum tex_address { /* OpenCL's constants, halved, and OpenGL's clamp */
                           TEX_ADDRESS_NONE, /* the program promises to stay
                                                inside */
                           TEX_ADDRESS_EDGE,
                           TEX_ADDRESS_BORDER,
                           TEX_ADDRESS_REPEAT,
                           TEX_ADDRESS_MIRROR,
                           TEX_ADDRESS_OGL, /* clamped to the edge, where linear
                                               filters mix in half of the border
                                             */
                           TEX_ADDRESSES
} tex_address;

typedef struct tex_sampler {
    bool normalised;
    bool linear;
    bool mip_linear;
    bool border_given;     /* else as the channel order of the image has it */
    uint8_t address[3];    /* tex_address */
    float bias, low, high; /* level of detail */
    uint32_t border[4];    /* bits of R, G, B, A as the image's type has them */
} tex_sampler;

typedef struct tex_table {
    const tex_image *image; /* [0] is none */
    uint32_t images;
    const tex_sampler *sampler; /* [0] is number TEX_LITERALS */
    uint32_t samplers;
} tex_table;

/* Bytes of a texel; 0: there is no such format [OCL12:image-formats]. */
unsigned tex_format_bytes(tex_order order, tex_type type);

/* Channels of `type` that are stored for `order`. */
unsigned tex_order_channels(tex_order order);

/* Fills level[], texel_bytes and bytes from kind, format, levels, tiled,
 * layers and size: `row` and `slice` bytes are taken for linear images of one
 * level if not 0. False: no such image. */
bool tex_image_lay_out(tex_image *im, const uint32_t size[3], uint64_t row,
                       uint64_t slice);

/* Address of the byte `x` (not the texel) of row y in slice or layer z. */
uint64_t tex_image_at(const tex_image *im, unsigned level, uint64_t x,
                      uint32_t y, uint32_t z);

/* Dimensions that coordinates of the kind have, layers aside: 1 to 3. */
unsigned tex_kind_dims(tex_kind kind);

static inline uint32_t tex_handle(uint32_t image, uint32_t sampler)
{
    return image | sampler << TEX_IMAGE_BITS;
}

/* NULL: there is no such image. */
const tex_image *tex_find_image(const tex_table *t, uint32_t handle);
/* False: there is no such sampler. */
bool tex_find_sampler(const tex_table *t, uint32_t handle, tex_sampler *out);

/* What a literal sampler's number means. */
tex_sampler tex_literal(uint32_t number);

#endif
