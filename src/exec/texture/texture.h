/* src/exec/texture/texture.h - what the texture unit does: from coordinates to
 * texels, from texels to registers, and for surfaces from registers to texels.
 * Pure functions of the tables of mem/tex.h and of memory; the arithmetic is
 * exact or in doubles that are rounded once, so that all hosts agree.
 *
 * Linear filters weigh texels with 8 fractional bits, as the hardware does
 * [CG:linear-filtering]; the fraction is rounded to nearest, ties up [guess],
 * and the weighted sum is rounded once. */
#ifndef EXEC_TEXTURE_TEXTURE_H
#define EXEC_TEXTURE_TEXTURE_H

#include "exec/exec.h"
#include "mem/tex.h"

typedef struct texture_tap {
    uint64_t addr;
    bool border; /* no texel: the border's colour */
    double weight;
} texture_tap;

/* What one lane fetches. */
typedef struct texture_fetch {
    bool known; /* the lane before had this handle; false before the first */
    uint32_t handle;
    const tex_image *image;
    tex_sampler sampler;
    unsigned count;
    texture_tap tap[EXEC_TAPS];
} texture_fetch;

/* False if instructions of this geometry do not go with such images. */
bool texture_fits(unsigned geom, tex_kind kind);

/* The same of the vendor's code, for which one row is an image of two
 * dimensions, too. */
bool texture_fits_vendor(unsigned geom, tex_kind kind);

/* R, G, B and A of a texel from its bytes: bits of single precision or
 * integers. */
void texture_decode(const tex_image *im, const uint8_t *texel,
                    uint32_t rgba[4]);
/* The other way, rounding to nearest even and saturating; `texel` has 16
 * bytes. */
void texture_encode(const tex_image *im, const uint32_t rgba[4],
                    uint8_t *texel);
/* True if channels are single precision in registers. */
bool texture_is_real(tex_type type);

/* Where a lane accesses a surface, and whether it may. */
typedef struct texture_place {
    uint64_t addr;
    bool inside;
    int32_t at[4]; /* layer (of arrays) and coordinates, for messages */
    unsigned count;
    uint64_t reach; /* not inside: bytes to the image, in rows of texels */
} texture_place;

/* `bytes` bytes at these coordinates, the lowest in bytes unless `formatted`;
 * `clamp`: the nearest place inside. */
texture_place texture_place_of(const tex_image *im, unsigned geom,
                               const uint32_t coord[4], unsigned bytes,
                               bool formatted, bool clamp);

/* exec_mem_perform for TEX, TEX.LO and TLD4. */
bool texture_perform(exec_warp *w, const exec_mem *m, uint32_t lanes,
                     const mem_view *view, exec_fault *fault);

/* The answer of TXQ. */
uint32_t texture_query(const tex_table *t, uint32_t handle, unsigned query,
                       uint32_t level);

#endif
