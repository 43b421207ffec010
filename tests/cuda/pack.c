/* tests/cuda/pack.c - see pack.h. */
#include "pack.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/must.h"

enum { HEADER = 80 };

static void put_number(strbuf *b, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        strbuf_putc(b, (char)(value >> 8 * i & 0xff));
}

static void pad(strbuf *b)
{
    while (b->size % 8)
        strbuf_putc(b, 0);
}

/* `size` bytes packed, in memory of its own. */
static char *packed_bytes(const pack_image *is, pack_code how, size_t *size)
{
    size_t room =
        ZSTD_compressBound(is->size) + (size_t)LZ4_compressBound((int)is->size);
    char *out = new_array(room, 1);

    if (how == PACK_CODE_ZSTD)
        *size = ZSTD_compress(out, room, is->data, is->size, 3);
    else
        *size = (size_t)LZ4_compress_default(is->data, out, (int)is->size,
                                             (int)room);
    MUST(*size > 0 && *size <= room);
    return out;
}

static void put_image(strbuf *b, const pack_image *is, pack_code how)
{
    static const unsigned flags[] = {[PACK_CODE_PLAIN] = 0x11,
                                     [PACK_CODE_LZ4] = 0x2011,
                                     [PACK_CODE_ZSTD] = 0x8011};
    unsigned more = is->variant == 'a'   ? 0x100000
                    : is->variant == 'f' ? 0x200000
                                         : 0;
    size_t size = is->size;
    char *bytes = how == PACK_CODE_PLAIN ? NULL : packed_bytes(is, how, &size);

    put_number(b, 2, is->kind);
    put_number(b, 2, 0x101);
    put_number(b, 4, HEADER);
    put_number(b, 8, (size + 7) / 8 * 8);
    put_number(b, 4, bytes ? size : 0);
    put_number(b, 4, 0x40);
    put_number(b, 4, 0x90000);
    put_number(b, 4, is->capability);
    put_number(b, 8, 0);
    put_number(b, 8, flags[how] | more);
    put_number(b, 8, 0);
    put_number(b, 8, bytes ? is->size : 0);
    put_number(b, 8, 0x48);
    put_number(b, 8, 0);
    strbuf_write(b, bytes ? bytes : is->data, size);
    pad(b);
    free(bytes);
}

void pack_container(strbuf *out, const pack_image *image, size_t count,
                    pack_code how)
{
    strbuf images = {0};

    for (size_t i = 0; i < count; i++)
        put_image(&images, &image[i], how);
    pad(out);
    put_number(out, 4, 0xba55ed50);
    put_number(out, 2, 1);
    put_number(out, 2, 16);
    put_number(out, 8, images.size);
    if (images.size)
        strbuf_write(out, images.text, images.size);
    strbuf_fini(&images);
}
