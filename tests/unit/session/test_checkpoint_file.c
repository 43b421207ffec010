/* src/session/checkpoint_file.h: what is put into a checkpoint is got from it;
 * what is cut off, damaged or something else is refused with a sentence. */
#include "session/checkpoint_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "test.h"

static const checkpoint_head head = {.heddle = "0.2.0",
                                     .api = "CUDA",
                                     .name = "bfs",
                                     .program = 0x123456789abcdef0,
                                     .arguments = "--size small",
                                     .gpus = "v100 k20",
                                     .devices = 2,
                                     .kernel = "bfs_*",
                                     .nth = 100};

enum { PARTS = 40 };

/* Parts of 0 to some 40,000 bytes, some of which do not compress. */
static size_t part(unsigned i, uint8_t *to)
{
    size_t n = i * i * 25;
    rng r;

    rng_init(&r, i, "part");
    for (size_t k = 0; k < n; k++)
        to[k] = (uint8_t)(i % 3 ? k / 64 : rng_below(&r, 256));
    return n;
}

static uint8_t was[PARTS * PARTS * 25], is[PARTS * PARTS * 25];

static char *write_one(char path[32], unsigned parts)
{
    strcpy(path, "checkpoint-XXXXXX");
    close(mkstemp(path));
    checkpoint_out *o = checkpoint_create(path, &head);
    CHECK(o != NULL);
    for (unsigned i = 0; i < parts; i++)
        checkpoint_put(o, was, part(i, was));
    CHECK_EQ(checkpoint_error(o), 0);
    CHECK(checkpoint_finish(o));
    return path;
}

/* The one sentence with which it is refused; NULL: it is not. */
static const char *refusal(const char *path)
{
    static char text[512];
    diag *dg = diag_new();
    status st = checkpoint_verify(path, dg);

    CHECK_EQ(diag_count(dg), st != ST_OK);
    CHECK(st == ST_OK || st == ST_INPUT);
    if (st != ST_OK)
        snprintf(text, sizeof text, "%s", diag_get(dg, 0)->text);
    diag_free(dg);
    return st == ST_OK ? NULL : text;
}

TEST(what_is_put_is_got)
{
    char path[32];
    arena *mem = arena_new();
    diag *dg = diag_new();
    checkpoint_head h;

    CHECK(!refusal(write_one(path, PARTS)));
    checkpoint_in *in = checkpoint_open(path, mem, &h, dg);
    CHECK(in != NULL);
    CHECK_STR(h.heddle, head.heddle);
    CHECK_STR(h.api, head.api);
    CHECK_STR(h.name, head.name);
    CHECK(h.program == head.program);
    CHECK_STR(h.arguments, head.arguments);
    CHECK_STR(h.gpus, head.gpus);
    CHECK_EQ(h.devices, head.devices);
    CHECK_STR(h.kernel, head.kernel);
    CHECK_EQ(h.nth, head.nth);
    for (unsigned i = 0; i < PARTS; i++) {
        size_t n = part(i, was);

        CHECK(checkpoint_get(in, is, n));
        CHECK_EQ(memcmp(is, was, n), 0);
    }
    CHECK(!checkpoint_get(in, is, 1));
    checkpoint_close(in);
    unlink(path);
    diag_free(dg);
    arena_free(mem);
}

static char *read_whole(const char *path, size_t *size)
{
    char *bytes = NULL;
    diag *dg = diag_new();

    CHECK_EQ(file_read(path, dg, &bytes, size), ST_OK);
    diag_free(dg);
    return bytes;
}

static void write_whole(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "w");

    CHECK(f && fwrite(bytes, 1, size, f) == size);
    CHECK(f && fclose(f) == 0);
}

TEST(what_is_cut_off_is_refused)
{
    char path[32];
    size_t size;

    write_one(path, 6);
    char *whole = read_whole(path, &size);
    CHECK(size > 100 && size < 20000);
    for (size_t n = 0; n < size; n++) {
        write_whole(path, whole, n);
        CHECK(refusal(path) != NULL);
        CHECK(strstr(refusal(path),
                     n ? "is cut off or damaged" : "is no checkpoint") != NULL);
    }
    unlink(path);
    free(whole);
}

/* Each byte in turn: also those of what is checked first. */
TEST(what_is_damaged_is_refused)
{
    char path[32];
    size_t size;

    write_one(path, 6);
    char *whole = read_whole(path, &size);
    for (size_t n = 0; n < size; n++) {
        whole[n] ^= 0x10;
        write_whole(path, whole, size);
        const char *why = refusal(path);
        CHECK(why != NULL);
        CHECK(strstr(why, n < 8    ? "is no checkpoint"
                          : n < 12 ? "is a checkpoint of format"
                                   : "is cut off or damaged") != NULL);
        whole[n] ^= 0x10;
    }
    write_whole(path, whole, size);
    CHECK(!refusal(path));
    unlink(path);
    free(whole);
}

/* Damaged streams are no danger either, where nobody has looked at the hash. */
TEST(damaged_streams_end)
{
    char path[32];
    size_t size;
    arena *mem = arena_new();

    write_one(path, 12);
    char *whole = read_whole(path, &size);
    for (size_t n = 12; n < size; n += 31) {
        diag *dg = diag_new();
        checkpoint_head h;
        unsigned got = 0;

        whole[n] ^= 0x41;
        write_whole(path, whole, size);
        checkpoint_in *in = checkpoint_open(path, mem, &h, dg);
        CHECK_EQ(diag_count(dg), !in);
        while (in && got < 1000 && checkpoint_get(in, is, 100))
            got++;
        CHECK(got < 1000);
        checkpoint_close(in);
        whole[n] ^= 0x41;
        diag_free(dg);
    }
    unlink(path);
    free(whole);
    arena_free(mem);
}

TEST(what_cannot_be_written_is_told)
{
    CHECK(!checkpoint_create("/no/such/folder/a", &head));
    CHECK_EQ(errno, ENOENT);
    checkpoint_out *o = checkpoint_create("/dev/full", &head);
    CHECK(o != NULL);
    for (unsigned i = 0; i < PARTS; i++)
        checkpoint_put(o, was, part(i, was));
    CHECK_EQ(checkpoint_error(o), ENOSPC);
    CHECK(!checkpoint_finish(o));
    CHECK_EQ(errno, ENOSPC);
}

/* Its descriptor's number may be another file's by then. */
TEST(a_closed_descriptor_is_not_written_to)
{
    char path[32] = "checkpoint-XXXXXX", other[32] = "other-XXXXXX";
    size_t size;

    close(mkstemp(path));
    int fd = dup(0);
    close(fd); /* the next number */
    checkpoint_out *o = checkpoint_create(path, &head);
    CHECK(o != NULL);
    close(fd);
    CHECK_EQ(mkstemp(other), fd);
    CHECK(!checkpoint_finish(o));
    CHECK_EQ(errno, EBADF);
    free(read_whole(other, &size));
    CHECK_EQ(size, 0);
    close(fd);
    unlink(path);
    unlink(other);
}
