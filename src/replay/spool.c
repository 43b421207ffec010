#include "replay/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/map.h"

enum { LEVEL = 1 };

typedef struct piece {
    uint64_t at;
    size_t packed, size; /* bytes, in the file and as they were */
} piece;

struct spool {
    int file;
    uint64_t end;
    piece *piece;
    size_t count, room;
    map *by_number;
    ZSTD_CCtx *packer;
    char *packed;
    size_t packed_room;
};

/* A new file that goes away when it is closed; -1: errno says why. */
static int unnamed_file(const char *folder)
{
    char path[4096];
    int file;

    if ((size_t)snprintf(path, sizeof path, "%s/heddle-XXXXXX",
                         folder ? folder : P_tmpdir) >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

spool *spool_new(const char *folder, const char **why)
{
    int file = unnamed_file(folder);

    if (file < 0) {
        *why = strerror(errno);
        return NULL;
    }
    spool *s = new0(1, sizeof *s);

    s->file = file;
    s->by_number = map_new();
    s->packer = ZSTD_createCCtx();
    ALLOC_MUST(s->packer);
    return s;
}

void spool_free(spool *s)
{
    if (!s)
        return;
    close(s->file);
    map_free(s->by_number);
    ZSTD_freeCCtx(s->packer);
    free(s->packed);
    free(s->piece);
    free(s);
}

static bool write_all(int file, const char *data, size_t size)
{
    while (size) {
        ssize_t n = write(file, data, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

static bool read_all(int file, char *data, size_t size, uint64_t at)
{
    while (size) {
        ssize_t n = pread(file, data, size, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
        at += (uint64_t)n;
    }
    return true;
}

bool spool_put(spool *s, uint64_t number, const void *data, size_t size)
{
    size_t most = ZSTD_compressBound(size), packed;

    GROW(s->packed, most, s->packed_room);
    packed = ZSTD_compressCCtx(s->packer, s->packed, s->packed_room, data, size,
                               LEVEL);
    if (ZSTD_isError(packed) || !write_all(s->file, s->packed, packed))
        return false;
    GROW(s->piece, s->count + 1, s->room);
    s->piece[s->count] = (piece){s->end, packed, size};
    map_put(s->by_number, number, s->count++);
    s->end += packed;
    return true;
}

bool spool_has(const spool *s, uint64_t number)
{
    uint64_t at;

    return map_get(s->by_number, number, &at);
}

uint64_t spool_count(const spool *s) { return s->count; }

uint8_t *spool_get(const spool *s, uint64_t number, size_t *size)
{
    uint64_t at;

    if (!map_get(s->by_number, number, &at))
        return NULL;
    const piece *p = &s->piece[at];
    char *packed = new_array(p->packed, 1);
    uint8_t *data = new_array(p->size ? p->size : 1, 1);
    bool ok = read_all(s->file, packed, p->packed, p->at) &&
              ZSTD_decompress(data, p->size, packed, p->packed) == p->size;

    free(packed);
    if (!ok) {
        free(data);
        return NULL;
    }
    *size = p->size;
    return data;
}
