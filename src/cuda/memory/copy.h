/* src/cuda/memory/copy.h - copies and fills between memory of the host, of
 * devices, and arrays. With the lock. */
#ifndef CUDA_MEMORY_COPY_H
#define CUDA_MEMORY_COPY_H

#include "cuda/stream/op.h"

/* Rows of bytes; pitches count where there are several rows or slices. */
static inline cu_side side_rows(const void *first, size_t pitch, size_t slice)
{
    return (cu_side){
        .bytes = (uint8_t *)(uintptr_t)first, .pitch = pitch, .slice = slice};
}

/* An address that the program gave, moved on: a number, which may be any and be
 * in no object, until what lies there has been checked. */
static inline uint8_t *side_moved(const cu_side *s, size_t bytes)
{
    return (uint8_t *)((uintptr_t)s->bytes + bytes);
}

/* So many bytes. */
static inline cu_copy copy_bytes_of(const void *to, const void *from,
                                    size_t size)
{
    return (cu_copy){.from = side_rows(from, size, size),
                     .to = side_rows(to, size, size),
                     .width = size,
                     .height = 1,
                     .depth = 1};
}

/* What cudaMemcpy3D has; with an array its width counts elements. */
cudaError_t copy_of_box(const cudaMemcpy3DParms *p, cu_copy *c);

/* Is it all allocated? Sets what the copy crosses. Not of nothing. */
cudaError_t copy_check(cu_copy *c, cudaMemcpyKind kind);
cudaError_t fill_check(const cu_fill *f);
/* From the first byte of such a box, which is not empty, to behind its last; an
 * error where its rows or slices overlap. */
cudaError_t copy_box_bytes(const cu_side *s, size_t width, size_t height,
                           size_t depth, uint64_t *bytes);

/* Checks the copy against what is allocated, decides what it crosses, and puts
 * it into the stream; waits for its end if `blocking`, or where the program's
 * memory is not page-locked [CUDA12:api-sync]. */
cudaError_t copy_submit(cudaStream_t stream, cu_copy *c, cudaMemcpyKind kind,
                        bool blocking);
/* The same of memory that is filled, `blocking` only where the program can see
 * it. */
cudaError_t fill_submit(cudaStream_t stream, cu_fill *f, bool blocking);

#endif
