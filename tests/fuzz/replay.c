/* tests/fuzz/replay.c - main of a harness without libFuzzer: runs it once on
 * every file that the arguments name, and of the folders.
 *
 * With --mutate FIRST COUNT, for harnesses that take PTX, it runs changed files
 * instead, COUNT of them, the same on every host; the one that runs is in the
 * file --keep FILE, for the case that it is the last. Each may take ten seconds
 * and 2 GB in all. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fuzz.h"
#include "mutate.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 }; /* takes much address space */
#else
enum { SANITIZED = 0 };
#endif
enum { ROOM = 1 << 20, FILES = 4096, SECONDS = 10, LENGTH = 16384 };

typedef struct input {
    char *path;
    uint8_t *data;
    size_t size;
} input;

typedef struct inputs {
    input file[FILES];
    size_t count;
    unsigned failed;
} inputs;

/* The path becomes that of `all`; NULL: no memory for it. */
static void take(inputs *all, char *path)
{
    static uint8_t data[ROOM];
    input in = {.path = path};
    FILE *f = NULL;

    if (!path || all->count == FILES) {
        free(path);
        return;
    }
    if (!(f = fopen(in.path, "rb"))) {
        printf("FAIL %s cannot be read\n", in.path);
        all->failed++;
        free(in.path);
        return;
    }
    in.size = fread(data, 1, sizeof data, f);
    fclose(f);
    in.data = malloc(in.size + 1);
    if (!in.data)
        abort();
    memcpy(in.data, data, in.size);
    all->file[all->count++] = in;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const input *)a)->path, ((const input *)b)->path);
}

static void take_all(inputs *all, const char *name)
{
    DIR *d = opendir(name);
    char *path;

    if (!d)
        take(all, strdup(name));
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.')
            take(all,
                 asprintf(&path, "%s/%s", name, e->d_name) < 0 ? NULL : path);
    if (d)
        closedir(d);
}

/* On an exact copy, so that a sanitizer sees reads behind the end. */
static void run_one(const uint8_t *data, size_t size, const char *keep)
{
    uint8_t *copy = malloc(size ? size : 1);
    FILE *f = keep ? fopen(keep, "wb") : NULL;

    if (!copy)
        abort();
    if (f) {
        fwrite(data, 1, size, f);
        fclose(f);
    }
    memcpy(copy, data, size);
    alarm(SECONDS);
    LLVMFuzzerTestOneInput(copy, size);
    alarm(0);
    free(copy);
}

static void run_changed(const inputs *all, uint64_t seed, const char *keep)
{
    static char text[ROOM];
    const input *in = &all->file[seed % all->count],
                *other = &all->file[seed / all->count % all->count];
    size_t size = in->size < ROOM / 2 ? in->size : ROOM / 2;

    if (size > LENGTH)
        return; /* long ones take long and teach little */
    memcpy(text, in->data, size);
    size = mutate_ptx(text, size, sizeof text, (const char *)other->data,
                      other->size, seed);
    run_one((const uint8_t *)text, size, keep);
}

int main(int argc, char **argv)
{
    static inputs all;
    unsigned long long first = 0, count = 0;
    const char *keep = NULL;

    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--mutate") && i + 2 < argc) {
            first = strtoull(argv[++i], NULL, 0);
            count = strtoull(argv[++i], NULL, 0);
        } else if (!strcmp(argv[i], "--keep") && i + 1 < argc) {
            keep = argv[++i];
        } else {
            take_all(&all, argv[i]);
        }
    qsort(all.file, all.count, sizeof all.file[0], by_path);
    if (count && !SANITIZED)
        setrlimit(RLIMIT_AS, &(struct rlimit){2ull << 30, 2ull << 30});
    for (unsigned long long n = first; all.count && n < first + count; n++)
        run_changed(&all, n, keep);
    for (size_t i = 0; i < all.count; i++) {
        if (!count)
            run_one(all.file[i].data, all.file[i].size, keep);
        free(all.file[i].data);
        free(all.file[i].path);
    }
    printf("%llu passed, %u failed, 0 skipped\n", count ? count : all.count,
           all.failed);
    return all.failed || all.count == 0;
}
