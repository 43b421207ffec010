/* src/fatbin/unpack.c - the bytes of an image. */
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "fatbin/fatbin.h"

/* Bytes that a packed image became; any other number than it should: it is
 * corrupt. */
static size_t unpack_to(const fatbin_image *image, char *to)
{
    int n;

    switch (image->packing) {
    case FATBIN_ZSTD:
        return ZSTD_decompress(to, image->size, image->stored,
                               image->stored_size);
    case FATBIN_LZ4:
        n = LZ4_decompress_safe(image->stored, to, (int)image->stored_size,
                                (int)image->size);
        return n < 0 ? SIZE_MAX : (size_t)n;
    case FATBIN_PLAIN:
        break;
    }
    memcpy(to, image->stored, image->size);
    return image->size;
}

/* Without the zeros behind it. */
static size_t text_length(const char *text, size_t size)
{
    while (size && !text[size - 1])
        size--;
    return size;
}

status fatbin_unpack(const fatbin *f, const fatbin_image *image, diag *dg,
                     char **data, size_t *size)
{
    static const char *const names[] = {
        [FATBIN_PLAIN] = "plain", [FATBIN_LZ4] = "LZ4", [FATBIN_ZSTD] = "zstd"};
    char *to = alloc_try_array(image->size + 1, 1);
    size_t n = image->size;

    if (!to) {
        diag_error(dg, "%s: no memory for %zu bytes of code for a GPU",
                   fatbin_name(f), n);
        return ST_NOMEM;
    }
    if (unpack_to(image, to) != n) {
        diag_error(dg,
                   "%s: the code for capability %u.%u is corrupt: %zu bytes "
                   "packed with %s are not the %zu that they should be",
                   fatbin_name(f), image->capability / 10,
                   image->capability % 10, image->stored_size,
                   names[image->packing], n);
        free(to);
        return ST_PROGRAM;
    }
    if (image->kind == FATBIN_PTX)
        n = text_length(to, n);
    to[n] = '\0';
    *data = to;
    *size = n;
    return ST_OK;
}
