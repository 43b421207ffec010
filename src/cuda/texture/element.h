/* src/cuda/texture/element.h - formats of elements: CUDA's descriptors and what
 * the texture hardware makes of them. */
#ifndef CUDA_TEXTURE_ELEMENT_H
#define CUDA_TEXTURE_ELEMENT_H

#include "cuda/door.h"
#include "mem/tex.h"

typedef struct cu_element {
    tex_order order;
    tex_type type;
    unsigned bytes; /* of an element */
} cu_element;

/* The format that the descriptor means; else cudaErrorInvalidChannelDescriptor
 * was reported. */
cudaError_t element_format(const cudaChannelFormatDesc *d, cu_element *out);
/* The same of resource views; cudaErrorInvalidValue. */
cudaError_t element_view_format(cudaResourceViewFormat v, cu_element *out);
/* The type that reads integers as fractions of their range; of what cannot be
 * read so, the same type. */
tex_type element_fractions(tex_type type);
/* Are elements numbers in registers, which filters can mix? */
bool element_is_real(tex_type type);

#endif
