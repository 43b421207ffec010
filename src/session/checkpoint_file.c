#include "session/checkpoint_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/must.h"
#include "base/version.h"
#include "session/wire.h"

enum {
    BLOCK = 1 << 16,      /* bytes that are hashed together */
    HEAD_MOST = 16 << 20, /* bytes; more is garbage */
    FAST = 1,             /* level of zstd: its cost is less than that of */
    WINDOW_LOG = 25,      /* computing; a window in which what was read again */
    FIXED = 16,
    TAIL = 16, /* bytes in front of the head; behind the stream */
};

static const char FIRST[] = "HDLCHECK", LAST[] = "HDLWHOLE";

/* Programs that close all descriptors close ours, too, and its number may mean
 * something of theirs since. A forked child has it as well, with the place in
 * the file, so that nothing may be left to the end of a process. */
typedef struct own_file {
    int fd;
    dev_t device;
    ino_t inode;
} own_file;

/* False: errno says why. */
static bool open_own(own_file *f, const char *path, int how)
{
    struct stat is;

    f->fd = open(path, how | O_CLOEXEC, 0666);
    if (f->fd < 0)
        return false;
    if (fstat(f->fd, &is) == 0) {
        f->device = is.st_dev;
        f->inode = is.st_ino;
    }
    return true;
}

static bool is_own(const own_file *f)
{
    struct stat is;

    if (fstat(f->fd, &is) == 0 && is.st_dev == f->device &&
        is.st_ino == f->inode)
        return true;
    errno = EBADF;
    return false;
}

static void close_own(own_file *f)
{
    if (f->fd >= 0 && is_own(f))
        close(f->fd);
    f->fd = -1;
}

/* ---- Writing ---- */

struct checkpoint_out {
    own_file file;
    int error; /* errno of the first failure; 0: none */
    ZSTD_CCtx *pack;
    uint64_t hash;
    size_t filled; /* bytes of the block */
    uint8_t block[BLOCK];
};

static void fail_out(checkpoint_out *o)
{
    if (!o->error)
        o->error = errno ? errno : EIO;
}

static void write_block(checkpoint_out *o)
{
    size_t done = 0;

    if (!o->filled)
        return;
    o->hash = hash_bytes(o->block, o->filled, o->hash);
    if (!is_own(&o->file))
        fail_out(o);
    while (done < o->filled && !o->error) {
        ssize_t n = write(o->file.fd, o->block + done, o->filled - done);

        if (n > 0)
            done += (size_t)n;
        else if (errno != EINTR)
            fail_out(o);
    }
    o->filled = 0;
}

static void write_plain(checkpoint_out *o, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    while (size) {
        size_t n = BLOCK - o->filled < size ? BLOCK - o->filled : size;

        memcpy(o->block + o->filled, at, n);
        o->filled += n;
        at += n;
        size -= n;
        if (o->filled == BLOCK)
            write_block(o);
    }
}

static void write_packed(checkpoint_out *o, const void *bytes, size_t size,
                         ZSTD_EndDirective how)
{
    uint8_t packed[4096];
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t left;

    do {
        ZSTD_outBuffer out = {packed, sizeof packed, 0};

        left = ZSTD_compressStream2(o->pack, &out, &in, how);
        if (ZSTD_isError(left)) {
            errno = ENOMEM;
            fail_out(o);
            return;
        }
        write_plain(o, packed, out.pos);
    } while (how == ZSTD_e_end ? left != 0 : in.pos < in.size);
}

static void put_head(strbuf *b, const checkpoint_head *h)
{
    wire_put_text(b, h->heddle);
    wire_put_text(b, h->api);
    wire_put_text(b, h->name);
    wire_put_u64(b, h->program);
    wire_put_text(b, h->arguments);
    wire_put_text(b, h->gpus);
    wire_put_u32(b, h->devices);
    wire_put_text(b, h->kernel);
    wire_put_u64(b, h->nth);
}

static void write_head(checkpoint_out *o, const checkpoint_head *h)
{
    strbuf b = {0};

    put_head(&b, h);
    uint32_t fixed[2] = {CHECKPOINT_VERSION, (uint32_t)b.size};
    write_plain(o, FIRST, 8);
    write_plain(o, fixed, sizeof fixed);
    write_plain(o, b.text, b.size);
    strbuf_fini(&b);
}

checkpoint_out *checkpoint_create(const char *path, const checkpoint_head *h)
{
    checkpoint_out *o = new0(1, sizeof *o);

    if (!open_own(&o->file, path, O_WRONLY | O_CREAT | O_TRUNC)) {
        free(o);
        return NULL;
    }
    o->pack = ZSTD_createCCtx();
    if (!o->pack) {
        checkpoint_abandon(o);
        errno = ENOMEM;
        return NULL;
    }
    ZSTD_CCtx_setParameter(o->pack, ZSTD_c_compressionLevel, FAST);
    ZSTD_CCtx_setParameter(o->pack, ZSTD_c_windowLog, WINDOW_LOG);
    ZSTD_CCtx_setParameter(o->pack, ZSTD_c_enableLongDistanceMatching, 1);
    write_head(o, h);
    return o;
}

void checkpoint_put(checkpoint_out *o, const void *bytes, size_t size)
{
    write_packed(o, bytes, size, ZSTD_e_continue);
}

int checkpoint_error(const checkpoint_out *o) { return o->error; }

void checkpoint_abandon(checkpoint_out *o)
{
    if (!o)
        return;
    close_own(&o->file);
    ZSTD_freeCCtx(o->pack);
    free(o);
}

bool checkpoint_finish(checkpoint_out *o)
{
    write_packed(o, NULL, 0, ZSTD_e_end);
    write_block(o);
    uint64_t hash = o->hash;
    write_plain(o, &hash, sizeof hash);
    write_plain(o, LAST, 8);
    write_block(o);
    if (!o->error && (!is_own(&o->file) || close(o->file.fd) != 0))
        fail_out(o);
    if (!o->error)
        o->file.fd = -1;
    int error = o->error;
    checkpoint_abandon(o);
    errno = error;
    return !error;
}

/* ---- Is it one, and whole? ---- */

static status refuse_damaged(const char *path, diag *dg)
{
    diag_error(dg,
               "the checkpoint %s is cut off or damaged: copy it again, or "
               "write it again with --checkpoint-after",
               path);
    return ST_INPUT;
}

static status refuse_unreadable(const char *path, diag *dg)
{
    diag_error(dg, "cannot read the checkpoint %s: %s", path,
               strerror(errno ? errno : EIO));
    return ST_INPUT;
}

/* Up to `size` bytes from place `at` on; fewer at the end of the file, or where
 * errno says why. */
static size_t read_at(const own_file *f, uint64_t at, void *to, size_t size)
{
    size_t done = 0;

    errno = 0;
    while (done < size && is_own(f)) {
        ssize_t n =
            pread(f->fd, (uint8_t *)to + done, size - done, (off_t)(at + done));

        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            break;
    }
    return done;
}

/* Reads what is in front of the head, whose length is *bytes. */
static status read_fixed(const own_file *f, const char *path, uint32_t *bytes,
                         diag *dg)
{
    char first[8];
    uint32_t fixed[2] = {0, 0};
    size_t got = read_at(f, 0, first, sizeof first);

    if (!got && errno)
        return refuse_unreadable(path, dg);
    if (!got || memcmp(first, FIRST, got) != 0) {
        diag_error(dg,
                   "%s is no checkpoint: heddle exec --checkpoint-after writes "
                   "one",
                   path);
        return ST_INPUT;
    }
    if (read_at(f, sizeof first, fixed, sizeof fixed) != sizeof fixed)
        return refuse_damaged(path, dg);
    if (fixed[0] != CHECKPOINT_VERSION) {
        diag_error(dg,
                   "%s is a checkpoint of format %u, and Heddle %s reads "
                   "format %d: write it again with --checkpoint-after",
                   path, fixed[0], version_text, CHECKPOINT_VERSION);
        return ST_INPUT;
    }
    *bytes = fixed[1];
    return *bytes <= HEAD_MOST ? ST_OK : refuse_damaged(path, dg);
}

/* Is the hash of the first `size` bytes what stands behind them? */
static bool hash_fits(const own_file *f, uint64_t size)
{
    uint8_t *block = new_array(BLOCK, 1), tail[TAIL];
    uint64_t hash = 0, was, at = 0;
    bool good = true;

    while (good && at < size) {
        size_t n = size - at < BLOCK ? (size_t)(size - at) : BLOCK;

        good = read_at(f, at, block, n) == n;
        hash = hash_bytes(block, n, hash);
        at += n;
    }
    good = good && read_at(f, at, tail, TAIL) == TAIL;
    free(block);
    memcpy(&was, tail, sizeof was);
    return good && was == hash && !memcmp(tail + sizeof was, LAST, 8);
}

status checkpoint_verify(const char *path, diag *dg)
{
    own_file f;
    uint32_t head;
    struct stat is;

    if (!open_own(&f, path, O_RDONLY))
        return refuse_unreadable(path, dg);
    status st = read_fixed(&f, path, &head, dg);
    if (st == ST_OK && (fstat(f.fd, &is) != 0 || is.st_size < FIXED + TAIL ||
                        !hash_fits(&f, (uint64_t)is.st_size - TAIL)))
        st = refuse_damaged(path, dg);
    close_own(&f);
    return st;
}

/* ---- Reading ---- */

struct checkpoint_in {
    own_file file;
    uint64_t at; /* place in it */
    ZSTD_DCtx *unpack;
    ZSTD_inBuffer in;
    bool more; /* the unpacker may have some without reading */
    uint8_t block[BLOCK];
};

static bool get_head(const own_file *f, uint32_t size, arena *mem,
                     checkpoint_head *h)
{
    uint8_t *bytes = new_array(size + 1u, 1);
    wire w = {.at = bytes, .left = size};
    bool good = read_at(f, FIXED, bytes, size) == size;

    h->heddle = wire_get_text(&w, mem);
    h->api = wire_get_text(&w, mem);
    h->name = wire_get_text(&w, mem);
    h->program = wire_get_u64(&w);
    h->arguments = wire_get_text(&w, mem);
    h->gpus = wire_get_text(&w, mem);
    h->devices = wire_get_u32(&w);
    h->kernel = wire_get_text(&w, mem);
    h->nth = wire_get_u64(&w);
    free(bytes);
    return good && !w.bad && !w.left && h->heddle && h->api && h->name &&
           h->arguments && h->gpus && h->kernel;
}

checkpoint_in *checkpoint_open(const char *path, arena *mem, checkpoint_head *h,
                               diag *dg)
{
    checkpoint_in *i = new0(1, sizeof *i);
    uint32_t head = 0;
    status st = ST_OK;

    if (!open_own(&i->file, path, O_RDONLY))
        st = refuse_unreadable(path, dg);
    if (st == ST_OK)
        st = read_fixed(&i->file, path, &head, dg);
    if (st == ST_OK && !get_head(&i->file, head, mem, h))
        st = refuse_damaged(path, dg);
    i->at = FIXED + (uint64_t)head;
    i->unpack = ZSTD_createDCtx();
    i->in.src = i->block;
    MUST(i->unpack != NULL);
    if (st == ST_OK)
        return i;
    checkpoint_close(i);
    return NULL;
}

bool checkpoint_get(checkpoint_in *i, void *bytes, size_t size)
{
    ZSTD_outBuffer out = {bytes, size, 0};

    while (out.pos < size) {
        if (i->in.pos == i->in.size && !i->more) {
            i->in.size = read_at(&i->file, i->at, i->block, BLOCK);
            i->in.pos = 0;
            i->at += i->in.size;
            if (!i->in.size)
                return false;
        }
        size_t before = out.pos,
               left = ZSTD_decompressStream(i->unpack, &out, &i->in);
        if (ZSTD_isError(left) || (!left && out.pos < size))
            return false;
        i->more = out.pos == size && out.pos > before;
    }
    return true;
}

void checkpoint_close(checkpoint_in *i)
{
    if (!i)
        return;
    close_own(&i->file);
    ZSTD_freeDCtx(i->unpack);
    free(i);
}
