/* src/replay/tracez.c
 *
 *   text of the header, up to a byte 0
 *   u32 bytes of the dictionary, u32 unused, the dictionary
 *   of each warp: u32 lines, u32 pieces; of each piece: u32 bytes, those bytes
 *   u32 CTAs; of each CTA: u32 number[3], cluster[3], place in it[3], rank,
 *       warps; of each warp: u32 lines, pieces, u64 where it begins, and of
 *       each piece u32 lines
 *   u64 where that list begins
 *
 * All numbers are little-endian. */
#include "replay/tracez.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"

enum {
    HEADER_MOST = 1 << 16,
    PIECE_MOST = 64 << 20, /* bytes, packed or not */
    WARPS_MOST = 64,
    CTA_NUMBERS = 11,
};

struct tracez {
    FILE *file;
    uint64_t list; /* where the rest of it begins */
    uint64_t end;  /* of the file */
    ZSTD_DCtx *unpacker;
    ZSTD_DDict *dictionary; /* NULL: none */
    strbuf header;
    bool headed;          /* that has been handed out */
    uint32_t ctas, warps; /* that are left; of the CTA */
    uint32_t warp;        /* the next of it */
};

bool tracez_is(const char *path)
{
    size_t n = strlen(path);

    return n > 7 && !strcmp(path + n - 7, ".tracez");
}

static bool take(tracez *z, void *to, size_t size)
{
    return fread(to, 1, size, z->file) == size;
}

static bool take_u32(tracez *z, uint32_t *to)
{
    uint8_t b[4];

    if (!take(z, b, sizeof b))
        return false;
    *to = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
          (uint32_t)b[3] << 24;
    return true;
}

static bool take_u64(tracez *z, uint64_t *to)
{
    uint32_t low, high;

    if (!take_u32(z, &low) || !take_u32(z, &high))
        return false;
    *to = low | (uint64_t)high << 32;
    return true;
}

static bool go_to(tracez *z, uint64_t at)
{
    return at <= z->end && fseeko(z->file, (off_t)at, SEEK_SET) == 0;
}

static bool take_header(tracez *z)
{
    int c;

    while ((c = getc(z->file)) > 0 && z->header.size < HEADER_MOST)
        strbuf_putc(&z->header, (char)c);
    return c == 0;
}

static bool take_dictionary(tracez *z)
{
    uint32_t size, unused;
    char *bytes;
    bool ok;

    if (!take_u32(z, &size) || !take_u32(z, &unused) || size > PIECE_MOST)
        return false;
    if (!size)
        return true;
    bytes = new_array(size, 1);
    ok =
        take(z, bytes, size) && (z->dictionary = ZSTD_createDDict(bytes, size));
    free(bytes);
    return ok;
}

static bool find_list(tracez *z)
{
    return fseeko(z->file, -8, SEEK_END) == 0 && take_u64(z, &z->list) &&
           go_to(z, z->list) && take_u32(z, &z->ctas);
}

tracez *tracez_new(FILE *file, const char **why)
{
    tracez *z = new0(1, sizeof *z);
    bool ok;

    z->file = file;
    z->unpacker = ZSTD_createDCtx();
    ALLOC_MUST(z->unpacker);
    ok = fseeko(file, 0, SEEK_END) == 0;
    z->end = ok ? (uint64_t)ftello(file) : 0;
    if (ok && go_to(z, 0) && take_header(z) && take_dictionary(z) &&
        find_list(z)) {
        z->list = (uint64_t)ftello(file);
        return z;
    }
    *why = "is no whole .tracez: header, dictionary or list are not there";
    tracez_free(z);
    return NULL;
}

void tracez_free(tracez *z)
{
    if (!z)
        return;
    ZSTD_freeDCtx(z->unpacker);
    ZSTD_freeDDict(z->dictionary);
    strbuf_fini(&z->header);
    free(z);
}

/* A piece at the file's place, appended. */
static bool put_piece(tracez *z, strbuf *to)
{
    unsigned long long size;
    uint32_t packed;
    char *from, *text;
    size_t got;
    bool ok;

    if (!take_u32(z, &packed) || packed > PIECE_MOST || packed > z->end)
        return false;
    from = new_array(packed, 1);
    ok = take(z, from, packed);
    size = ok ? ZSTD_getFrameContentSize(from, packed) : 0;
    ok = ok && size != ZSTD_CONTENTSIZE_ERROR &&
         size != ZSTD_CONTENTSIZE_UNKNOWN && size <= PIECE_MOST;
    if (ok) {
        text = new_array(size ? size : 1, 1);
        got = z->dictionary
                  ? ZSTD_decompress_usingDDict(z->unpacker, text, size, from,
                                               packed, z->dictionary)
                  : ZSTD_decompressDCtx(z->unpacker, text, size, from, packed);
        ok = got == size;
        if (ok)
            strbuf_write(to, text, size);
        if (ok && size && text[size - 1] != '\n')
            strbuf_putc(to, '\n');
        free(text);
    }
    free(from);
    return ok;
}

/* The next warp of the list: its lines are elsewhere in the file. */
static bool put_warp(tracez *z, strbuf *to)
{
    uint32_t lines, pieces, unused;
    uint64_t at;

    if (!take_u32(z, &lines) || !take_u32(z, &pieces) || !take_u64(z, &at) ||
        pieces > z->end)
        return false;
    z->list = (uint64_t)ftello(z->file) + (uint64_t)pieces * 4;
    strbuf_printf(to, "warp = %u\ninsts = %u\n", z->warp++, lines);
    if (!go_to(z, at) || !take_u32(z, &unused) || !take_u32(z, &unused))
        return false;
    while (pieces--)
        if (!put_piece(z, to))
            return false;
    return go_to(z, z->list);
}

static bool put_cta(tracez *z, strbuf *to)
{
    uint32_t v[CTA_NUMBERS];

    for (unsigned i = 0; i < CTA_NUMBERS; i++)
        if (!take_u32(z, &v[i]))
            return false;
    strbuf_printf(to, "#BEGIN_TB\nthread block = %u,%u,%u\n", v[0], v[1], v[2]);
    z->warps = v[CTA_NUMBERS - 1];
    z->warp = 0;
    return z->warps <= WARPS_MOST;
}

static bool put_next(tracez *z, strbuf *to)
{
    if (!z->headed) {
        z->headed = true;
        strbuf_write(to, z->header.text, z->header.size);
        strbuf_putc(to, '\n');
        return true;
    }
    if (z->warp < z->warps)
        return put_warp(z, to);
    if (z->warps)
        strbuf_puts(to, "#END_TB\n");
    z->warps = 0;
    if (!z->ctas)
        return true;
    z->ctas--;
    if (!put_cta(z, to))
        return false;
    if (!z->warps)
        strbuf_puts(to, "#END_TB\n");
    return true;
}

bool tracez_more(tracez *z, strbuf *to, const char **why)
{
    size_t before = to->size;

    if (!put_next(z, to))
        *why = "the list, or what it leads to, is not what it was";
    return !*why && to->size > before;
}
