#include "base/alloc.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* ---- Failing on purpose ---- */

#ifdef HEDDLE_CHECKS
/* Besides must.c's the only mutable globals, and in test builds alone. */
static uint64_t asked, fail_at;
static int fail_on;

void alloc_fail_nth(uint64_t n, int for_good)
{
    __atomic_store_n(&fail_at, n ? asked + n : 0, __ATOMIC_RELAXED);
    fail_on = for_good;
}

uint64_t alloc_count(void) { return asked; }

__attribute__((constructor)) static void read_environment(void)
{
    const char *text = getenv("HEDDLE_FAIL_ALLOCATION");
    char *end;

    if (!text || !*text)
        return;
    fail_at = strtoull(text, &end, 10);
    fail_on = *end == '+';
}

static bool fails(void)
{
    uint64_t n = __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
    uint64_t at = __atomic_load_n(&fail_at, __ATOMIC_RELAXED);

    return at && (n == at || (fail_on && n > at));
}
#else
static bool fails(void) { return false; }
#endif

/* ---- Those that may fail ---- */

/* No elements take a byte, so that NULL always means that there is no memory.
 * False if they are too many. */
static bool array_bytes(size_t count, size_t size, size_t *bytes)
{
    if (__builtin_mul_overflow(count, size, bytes) || *bytes > SIZE_MAX)
        return false;
    if (!*bytes)
        *bytes = 1;
    return true;
}

void *alloc_try_zeroed(size_t count, size_t size)
{
    size_t bytes;

    return array_bytes(count, size, &bytes) && !fails() ? calloc(1, bytes)
                                                        : NULL;
}

void *alloc_try_array(size_t count, size_t size)
{
    size_t bytes;

    return array_bytes(count, size, &bytes) && !fails() ? malloc(bytes) : NULL;
}

void *alloc_try_renew(void *old, size_t count, size_t size)
{
    size_t bytes;

    return array_bytes(count, size, &bytes) && !fails() ? realloc(old, bytes)
                                                        : NULL;
}

void *alloc_try_aligned(size_t align, size_t size)
{
    size_t bytes;

    if (!array_bytes(1, size, &bytes) || bytes > SIZE_MAX - align || fails())
        return NULL;
    return aligned_alloc(align, (bytes + align - 1) / align * align);
}

/* `most` is SIZE_MAX for all of a text. */
static size_t text_length(const char *text, size_t most)
{
    return most == SIZE_MAX ? strlen(text) : strnlen(text, most);
}

char *alloc_try_text_n(const char *text, size_t most)
{
    size_t n = text_length(text, most);
    char *copy = alloc_try_array(n + 1, 1);

    if (!copy)
        return NULL;
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

char *alloc_try_text(const char *text)
{
    return alloc_try_text_n(text, SIZE_MAX);
}

/* ---- Those that do not ---- */

/* The path below the source folder. */
static const char *short_path(const char *file)
{
    const char *at = strstr(file, "src/"), *next;

    while (at && (next = strstr(at + 1, "src/")))
        at = next;
    return at ? at + 4 : file;
}

_Noreturn void alloc_fail(size_t bytes, const alloc_place *at)
{
    struct rusage use = {0};
    char what[32] = "some bytes", text[512];

    getrusage(RUSAGE_SELF, &use);
    if (bytes == SIZE_MAX)
        snprintf(what, sizeof what, "more bytes than can be counted");
    else if (bytes)
        snprintf(what, sizeof what, "%zu bytes", bytes);
    snprintf(text, sizeof text,
             "out of memory: %s for %s (%s:%d), with %ld MiB in use; run fewer "
             "jobs at a time, simulate a smaller GPU or a smaller input, or "
             "allow the process more memory (ulimit -v, or the memory of the "
             "batch job)",
             what, at->function, short_path(at->file), at->line,
             use.ru_maxrss / 1024);
    must_try_to_leave(true, text);
    must_fail_alone(ALLOC_EXIT);
    fprintf(stderr, "heddle: %s\n", text);
    must_last_words("out of memory");
}

/* What is said about a request that was refused. */
static size_t wanted_bytes(size_t count, size_t size)
{
    size_t bytes;

    return array_bytes(count, size, &bytes) ? bytes : SIZE_MAX;
}

void *alloc_zeroed(size_t count, size_t size, const alloc_place *at)
{
    void *p = alloc_try_zeroed(count, size);

    if (!p)
        alloc_fail(wanted_bytes(count, size), at);
    return p;
}

void *alloc_array(size_t count, size_t size, const alloc_place *at)
{
    void *p = alloc_try_array(count, size);

    if (!p)
        alloc_fail(wanted_bytes(count, size), at);
    return p;
}

void *alloc_aligned(size_t align, size_t size, const alloc_place *at)
{
    void *p = alloc_try_aligned(align, size);

    if (!p)
        alloc_fail(size, at);
    return memset(p, 0, size);
}

void *alloc_renew(void *old, size_t count, size_t size, const alloc_place *at)
{
    void *p = alloc_try_renew(old, count, size);

    if (!p)
        alloc_fail(wanted_bytes(count, size), at);
    return p;
}

void *alloc_copy(const void *from, size_t count, size_t size,
                 const alloc_place *at)
{
    void *p = alloc_array(count, size, at);

    if (count && size)
        memcpy(p, from, count * size);
    return p;
}

char *alloc_text(const char *text, size_t most, const alloc_place *at)
{
    char *copy = alloc_try_text_n(text, most);

    if (!copy)
        alloc_fail(text_length(text, most) + 1, at);
    return copy;
}

size_t alloc_room(size_t wanted, size_t room, size_t size,
                  const alloc_place *at)
{
    size_t least = size < 64 ? 16 : 4;
    size_t twice = room > least / 2 ? 2 * room : least, bytes;

    if (!array_bytes(wanted, size, &bytes))
        alloc_fail(SIZE_MAX, at);
    return twice > wanted ? twice : wanted;
}
