/* src/mem/tensor_map.h - tensor maps: 128 bytes that say where a tensor of 1 to
 * 5 dimensions lies in memory and which box of it a bulk copy moves
 * [PTX85:tensors]. To programs they are opaque; the vendor's format is not
 * public, this is one of our own, with numbers as tensormap.replace has them
 * [PTX85:tensormap.replace], so that it only stores a field.
 *
 * Dimension 0 is the one whose elements follow each other. With interleave it
 * is the one of which each position has a slice of 16 or 32 bytes [guess]. */
#ifndef MEM_TENSOR_MAP_H
#define MEM_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_DIMS = 5, TENSOR_MAP_BYTES = 128, TENSOR_MAP_ALIGN = 64 };

/* "HEDDLTM1", so that what no encoder made is found; 0 in a map that a kernel
 * has made out of zeros [TRITON:tma]. */
#define TENSOR_MAP_MAGIC 0x314d544c44444548ull

/* In the order of tensormap.replace.elemtype, which is not the driver's. */
typedef enum tensor_type {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F32_FTZ,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_TF32,
    TENSOR_TF32_FTZ,
    TENSOR_TYPES
} tensor_type;

typedef enum tensor_interleave {
    TENSOR_PLAIN,
    TENSOR_SLICES_16,
    TENSOR_SLICES_32,
    TENSOR_INTERLEAVES
} tensor_interleave;

typedef enum tensor_swizzle {
    TENSOR_SWIZZLE_NONE,
    TENSOR_SWIZZLE_32,
    TENSOR_SWIZZLE_64,
    TENSOR_SWIZZLE_128,
    TENSOR_SWIZZLES
} tensor_swizzle;

typedef struct tensor_map {
    uint64_t magic;
    uint64_t address;           /* of the tensor */
    uint64_t stride[4];         /* bytes, of dimensions 1 to 4 */
    uint32_t dim[TENSOR_DIMS];  /* elements; 0: 2^32 */
    uint32_t box[TENSOR_DIMS];  /* im2col: channels, pixels of a column */
    uint32_t step[TENSOR_DIMS]; /* elements from one to the next */
    uint8_t last;               /* dimensions - 1 */
    uint8_t type, interleave, swizzle;
    uint8_t nan;       /* fills what lies outside; else zeros */
    uint8_t promotion; /* of fills of the L2: a hint */
    uint8_t im2col;    /* 0: tiles */
    uint8_t rest;      /* 0 */
    /* im2col: of the box of first pixels, from the corners of the tensor on;
     * of dimension 1 and on, without the last one, images. */
    int16_t lower[3], upper[3];
} tensor_map;

_Static_assert(sizeof(tensor_map) == TENSOR_MAP_BYTES, "no gaps");

/* What cuTensorMapEncodeTiled and ...Im2col get; borrowed. */
typedef struct tensor_spec {
    unsigned type; /* tensor_type */
    unsigned rank;
    uint64_t address;
    const uint64_t *dim;    /* rank of them */
    const uint64_t *stride; /* rank - 1; NULL if that is none */
    const uint32_t *step;   /* rank */
    unsigned interleave, swizzle, promotion, fill;
    bool im2col;
    const uint32_t *box; /* rank; not im2col */
    /* im2col: rank - 2 offsets each, W first. */
    const int *lower, *upper;
    uint32_t channels, pixels;
} tensor_spec;

/* Fills *m. NULL, or what is wrong [CUDA13:cuTensorMapEncodeTiled], in a text
 * that lives for ever; then *m is untouched. */
const char *tensor_map_encode(tensor_map *m, const tensor_spec *s);

/* Is it one, with fields as the encoder lets them be? It need not come from the
 * encoder. NULL, or what is wrong. */
const char *tensor_map_check(const tensor_map *m);

/* Bytes of an element. */
unsigned tensor_bytes(unsigned type);
/* Bytes between positions of dimension 0. */
unsigned tensor_unit(const tensor_map *m);
static inline uint64_t tensor_dim(const tensor_map *m, unsigned i)
{
    return m->dim[i] ? m->dim[i] : (uint64_t)1 << 32;
}
/* Positions that a box has along a dimension. */
uint32_t tensor_count(const tensor_map *m, unsigned i);
/* Bytes of a box in shared memory. */
uint64_t tensor_box_bytes(const tensor_map *m);
/* The bytes of an element outside of the tensor, in the lowest ones. */
uint64_t tensor_outside(const tensor_map *m);

#endif
