#include "driver/checkpoint_program.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/strbuf.h"

enum {
    HASHED = 1 << 20, /* bytes of the program's file at a time */
    WORDS = 512,      /* of data at a time */
};

uint64_t program_hash(void)
{
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    uint8_t *block = new_array(HASHED, 1);
    uint64_t hash = 0;
    ssize_t n;

    while (fd >= 0 && (n = read(fd, block, HASHED)) > 0)
        hash = hash_bytes(block, (size_t)n, hash);
    if (fd >= 0)
        close(fd);
    free(block);
    return hash;
}

char *program_arguments(arena *mem)
{
    FILE *f = fopen("/proc/self/cmdline", "re");
    strbuf b = {0};
    bool name = true;

    for (int c; f && (c = getc(f)) != EOF;) {
        if (!name)
            strbuf_putc(&b, c ? (char)c : ' ');
        name = name && c;
    }
    if (f)
        fclose(f);
    if (b.size)
        b.text[--b.size] = '\0';
    char *text = arena_strdup(mem, b.text ? b.text : "");
    strbuf_fini(&b);
    return text;
}

char *program_name(arena *mem)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

    path[n > 0 ? n : 0] = '\0';
    const char *slash = strrchr(path, '/');
    return arena_strdup(mem, slash ? slash + 1 : path);
}

/* ---- Data ---- */

typedef struct span {
    uint64_t first, end;
} span;

/* Where the program's own addresses lie: its heap, and what is mapped, with
 * the stacks. None is small: numbers are. */
typedef struct own_spans {
    span heap, mapped;
} own_spans;

static own_spans own_addresses(void)
{
    static const char here = 0; /* in a library, which is mapped */
    const uint64_t room = (uint64_t)4 << 30;
    uint64_t on_stack = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    uint64_t heap = (uint64_t)(uintptr_t)sbrk(0);

    return (own_spans){
        .heap = {heap > 2 * room ? heap - room : heap, heap},
        .mapped = {(uint64_t)(uintptr_t)&here - room, on_stack + room}};
}

static bool is_in(const span *s, uint64_t word)
{
    return word - s->first < s->end - s->first;
}

uint64_t program_data_hash(const void *data, size_t size, uint64_t seed)
{
    const own_spans own = own_addresses();
    const uint8_t *at = data;
    uint64_t words[WORDS];

    while (size) {
        size_t n = size < sizeof words ? size : sizeof words;

        words[(n - 1) / sizeof *words] = 0;
        memcpy(words, at, n);
        for (size_t i = 0; i < n / sizeof *words; i++)
            if (is_in(&own.heap, words[i]) || is_in(&own.mapped, words[i]))
                words[i] = 0;
        seed = hash_bytes(words, n, seed);
        at += n;
        size -= n;
    }
    return seed;
}
