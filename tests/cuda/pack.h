/* tests/cuda/pack.h - writes containers of code for GPUs (fatbin), as nvcc 13
 * does, without a toolkit. It shares nothing with the reader. */
#ifndef PACK_H
#define PACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

typedef enum pack_code {
    PACK_CODE_PLAIN,
    PACK_CODE_LZ4,
    PACK_CODE_ZSTD
} pack_code;

enum { PACK_PTX = 1, PACK_ELF = 2, PACK_NVVM = 8 };

typedef struct pack_image {
    unsigned kind;
    unsigned capability;
    char variant; /* 'a', 'f' or 0 */
    const void *data;
    size_t size;
} pack_image;

/* Appends a container with these images, at a multiple of 8 bytes. */
void pack_container(strbuf *out, const pack_image *image, size_t count,
                    pack_code how);

#endif
