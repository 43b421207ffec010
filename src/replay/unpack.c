#include "replay/unpack.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#ifdef HEDDLE_HAVE_LZMA
#include <lzma.h>
#endif

#include "base/alloc.h"

enum {
    OUT_BYTES = 1 << 16,
    WINDOW_LOG =
        27, /* of zstd: 128 MB, what its command takes without asking */
};
#define XZ_MEMORY                                                              \
    ((uint64_t)256 << 20) /* of xz: more than its level 9 needs                \
                           */

struct replay_unpack {
    ZSTD_DStream *zstd; /* NULL: xz */
#ifdef HEDDLE_HAVE_LZMA
    lzma_stream xz;
#endif
    bool ended;
    char out[OUT_BYTES];
};

static const uint8_t XZ[6] = {0xfd, '7', 'z', 'X', 'Z', 0};
static const uint8_t ZSTD[4] = {0x28, 0xb5, 0x2f, 0xfd};

static replay_unpack *new_zstd(void)
{
    replay_unpack *u = new0(1, sizeof *u);

    u->zstd = ZSTD_createDStream();
    ALLOC_MUST(u->zstd);
    ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, WINDOW_LOG);
    return u;
}

static replay_unpack *new_xz(const char **why)
{
#ifdef HEDDLE_HAVE_LZMA
    replay_unpack *u = new0(1, sizeof *u);
    lzma_ret got;

    u->xz = (lzma_stream)LZMA_STREAM_INIT;
    got = lzma_stream_decoder(&u->xz, XZ_MEMORY, LZMA_CONCATENATED);
    (void)why;
    ALLOC_MUST(got == LZMA_OK);
    return u;
#else
    *why = "is compressed with xz, and this Heddle was built without liblzma: "
           "'xz -d' makes it plain";
    return NULL;
#endif
}

replay_unpack *replay_unpack_new(const uint8_t *head, size_t size,
                                 const char **why)
{
    *why = NULL;
    if (size >= sizeof ZSTD && !memcmp(head, ZSTD, sizeof ZSTD))
        return new_zstd();
    if (size >= sizeof XZ && !memcmp(head, XZ, sizeof XZ))
        return new_xz(why);
    return NULL;
}

void replay_unpack_free(replay_unpack *u)
{
    if (!u)
        return;
#ifdef HEDDLE_HAVE_LZMA
    if (!u->zstd)
        lzma_end(&u->xz);
#endif
    ZSTD_freeDStream(u->zstd);
    free(u);
}

bool replay_unpack_ended(const replay_unpack *u) { return u->ended; }

static size_t some_zstd(replay_unpack *u, const uint8_t *data, size_t size,
                        strbuf *to, const char **why)
{
    ZSTD_inBuffer in = {data, size, 0};
    ZSTD_outBuffer out = {u->out, OUT_BYTES, 0};
    size_t got = ZSTD_decompressStream(u->zstd, &out, &in);

    if (ZSTD_isError(got))
        *why = ZSTD_getErrorName(got);
    else
        strbuf_write(to, u->out, out.pos);
    if (in.pos || out.pos) /* else it awaits another frame */
        u->ended = got == 0;
    return in.pos;
}

#ifdef HEDDLE_HAVE_LZMA
static const char *xz_error(lzma_ret r)
{
    switch ((int)r) {
    case LZMA_FORMAT_ERROR:
        return "it is not in xz format";
    case LZMA_OPTIONS_ERROR:
        return "it uses filters of xz that are not known";
    case LZMA_MEMLIMIT_ERROR:
        return "it needs more than 256 MB to be unpacked";
    case LZMA_MEM_ERROR:
        return "there is no memory to unpack it";
    default:
        return "the compressed data is not what it was";
    }
}

/* Several streams may follow each other, so the end is known only when nothing
 * more comes. */
static size_t some_xz(replay_unpack *u, const uint8_t *data, size_t size,
                      strbuf *to, const char **why)
{
    lzma_ret got;

    u->xz.next_in = data;
    u->xz.avail_in = size;
    u->xz.next_out = (uint8_t *)u->out;
    u->xz.avail_out = OUT_BYTES;
    got = lzma_code(&u->xz, size ? LZMA_RUN : LZMA_FINISH);
    u->ended = got == LZMA_STREAM_END;
    if (got != LZMA_OK && got != LZMA_STREAM_END && got != LZMA_BUF_ERROR)
        *why = xz_error(got);
    else
        strbuf_write(to, u->out, OUT_BYTES - u->xz.avail_out);
    return size - u->xz.avail_in;
}
#endif

size_t replay_unpack_some(replay_unpack *u, const uint8_t *data, size_t size,
                          strbuf *to, const char **why)
{
#ifdef HEDDLE_HAVE_LZMA
    if (!u->zstd)
        return some_xz(u, data, size, to, why);
#endif
    return some_zstd(u, data, size, to, why);
}
