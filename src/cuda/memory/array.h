/* src/cuda/memory/array.h - CUDA arrays: images in simulated memory, whose
 * layout programs do not see. With the lock. */
#ifndef CUDA_MEMORY_ARRAY_H
#define CUDA_MEMORY_ARRAY_H

#include "cuda/stream/op.h"
#include "runtime/image.h"

typedef struct cu_array {
    drv_object o;
    struct cu_array *next; /* of all but levels */
    cu_device *device;
    struct cu_mipmap *of; /* whose level it is; NULL: of none */
    cudaChannelFormatDesc format;
    cudaExtent extent;  /* as the program has it: 0 where there is no such
                           dimension, layers as depth */
    rt_image_desc desc; /* with its address */
    uint32_t image;     /* rt_image number */
    size_t element;     /* bytes */
    unsigned flags;
} cu_array;

/* With all its levels; programs see these as arrays. */
typedef struct cu_mipmap {
    cu_array is;
    cu_array *level[TEX_LEVELS]; /* owned; NULL: not asked for yet */
} cu_mipmap;

/* Makes an array, or all levels of a mipmapped one (CU_MIPMAP), of the fields
 * that `like` has but object and image; the memory is new if it has no address.
 * NULL: reported, *code says how. */
cu_array *array_new(unsigned kind, const cu_array *like, cudaError_t *code);
/* Every array of the device ends. Nothing of it runs. */
void array_give_all(const cu_device *d);

cu_array *array_get(cudaArray_const_t handle); /* NULL: it is none, reported */
cu_mipmap *mipmap_get(cudaMipmappedArray_const_t handle); /* the same */
static inline drv_object *array_object(struct cu_array *a) { return &a->o; }
static inline size_t array_element(const cu_array *a) { return a->element; }

/* The side of a copy that begins at these elements. */
cu_side array_side(cu_array *a, cudaPos at);
/* Is a box of `width` bytes from there inside the array? */
cudaError_t array_check_box(const cu_side *s, size_t width, size_t height,
                            size_t depth, const char *role);
/* Performs a copy of which a side, or both, is an array. */
void array_move(const cu_copy *c);

#endif
