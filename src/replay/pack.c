#include "replay/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>
#ifdef HEDDLE_HAVE_LZMA
#include <lzma.h>
#endif

#include "base/alloc.h"

enum {
    OUT_BYTES = 1 << 16,
    ZSTD_LEVEL = 3,
    XZ_LEVEL = 1, /* as Accel-Sim's tracer has it */
};

struct pack {
    FILE *file;
    pack_how how;
    ZSTD_CStream *zstd;
#ifdef HEDDLE_HAVE_LZMA
    lzma_stream xz;
#endif
    int error; /* errno */
    char out[OUT_BYTES];
};

const char *pack_ending(pack_how how)
{
    return how == PACK_XZ ? ".xz" : how == PACK_ZSTD ? ".zst" : "";
}

bool pack_has(pack_how how)
{
#ifdef HEDDLE_HAVE_LZMA
    (void)how;
    return true;
#else
    return how != PACK_XZ;
#endif
}

static void begin(pack *p)
{
    if (p->how == PACK_ZSTD) {
        p->zstd = ZSTD_createCStream();
        ALLOC_MUST(p->zstd);
        ZSTD_initCStream(p->zstd, ZSTD_LEVEL);
    }
#ifdef HEDDLE_HAVE_LZMA
    if (p->how == PACK_XZ) {
        p->xz = (lzma_stream)LZMA_STREAM_INIT;
        ALLOC_MUST(lzma_easy_encoder(&p->xz, XZ_LEVEL, LZMA_CHECK_CRC64) ==
                   LZMA_OK);
    }
#endif
}

pack *pack_new(const char *path, pack_how how)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    pack *p;

    if (fd < 0)
        return NULL;
    p = new0(1, sizeof *p);
    p->file = fdopen(fd, "w");
    ALLOC_MUST(p->file);
    p->how = how;
    begin(p);
    return p;
}

static void put(pack *p, const void *data, size_t size)
{
    if (!p->error && size && fwrite(data, 1, size, p->file) != size)
        p->error = errno ? errno : EIO;
}

static void write_zstd(pack *p, const char *data, size_t size, bool last)
{
    ZSTD_inBuffer in = {data, size, 0};
    size_t left;

    do {
        ZSTD_outBuffer out = {p->out, OUT_BYTES, 0};

        left = ZSTD_compressStream2(p->zstd, &out, &in,
                                    last ? ZSTD_e_end : ZSTD_e_continue);
        ALLOC_MUST(!ZSTD_isError(left));
        put(p, p->out, out.pos);
    } while (last ? left != 0 : in.pos < in.size);
}

#ifdef HEDDLE_HAVE_LZMA
static void write_xz(pack *p, const char *data, size_t size, bool last)
{
    lzma_ret got;

    p->xz.next_in = (const uint8_t *)data;
    p->xz.avail_in = size;
    do {
        p->xz.next_out = (uint8_t *)p->out;
        p->xz.avail_out = OUT_BYTES;
        got = lzma_code(&p->xz, last ? LZMA_FINISH : LZMA_RUN);
        ALLOC_MUST(got == LZMA_OK || got == LZMA_STREAM_END);
        put(p, p->out, OUT_BYTES - p->xz.avail_out);
    } while (last ? got != LZMA_STREAM_END : p->xz.avail_in != 0);
}
#endif

static void write_some(pack *p, const char *data, size_t size, bool last)
{
    if (p->how == PACK_ZSTD)
        write_zstd(p, data, size, last);
#ifdef HEDDLE_HAVE_LZMA
    else if (p->how == PACK_XZ)
        write_xz(p, data, size, last);
#endif
    else
        put(p, data, size);
}

bool pack_write(pack *p, const char *data, size_t size)
{
    if (size)
        write_some(p, data, size, false);
    errno = p->error;
    return !p->error;
}

bool pack_end(pack *p)
{
    int error;

    write_some(p, NULL, 0, true);
    if (fclose(p->file) && !p->error)
        p->error = errno ? errno : EIO;
#ifdef HEDDLE_HAVE_LZMA
    if (p->how == PACK_XZ)
        lzma_end(&p->xz);
#endif
    ZSTD_freeCStream(p->zstd);
    error = p->error;
    free(p);
    errno = error;
    return !error;
}
