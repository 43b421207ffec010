/* src/cuda/memory/array.h - CUDA arrays: images in simulated memory, whose
 * layout programs do not see. With the lock. */
#ifndef CUDA_MEMORY_ARRAY_H
#define CUDA_MEMORY_ARRAY_H

#include "cuda/stream/op.h"
#include "runtime/image.h"

typedef struct cu_array {
    drv_object o;
    cu_device *device;
    cudaChannelFormatDesc format;
    rt_image_desc desc;
    uint32_t image; /* rt_image number */
    size_t element; /* bytes */
    unsigned flags;
    uint64_t bytes; /* counted against the device */
} cu_array;

cu_array *array_get(cudaArray_const_t handle); /* NULL: it is none, reported */
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
