/* src/base/arena.c - a list of blocks, filled from the front. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"

/* Blocks grow, as many arenas hold little and all of a block is cleared. */
enum { ALIGN = 16, FIRST_BYTES = 4 << 10, BLOCK_BYTES = 64 << 10 };

typedef struct block {
    struct block *next;
    size_t used, room;
    _Alignas(ALIGN) unsigned char data[];
} block;

struct arena {
    block *first; /* the one being filled */
    size_t bytes;
    size_t next; /* bytes of the next block */
};

arena *arena_new(void)
{
    arena *a = new0(1, sizeof *a);

    a->next = FIRST_BYTES;
    return a;
}

void arena_free(arena *a)
{
    if (!a)
        return;
    for (block *b = a->first, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(a);
}

static block *block_new(arena *a, size_t room)
{
    block *b;

    MUST(room <= SIZE_MAX - sizeof *b);
    b = new0(1, sizeof *b + room);
    b->room = room;
    a->bytes += sizeof *b + room;
    if (a->next < BLOCK_BYTES)
        a->next *= 2;
    return b;
}

void *arena_alloc(arena *a, size_t size)
{
    block *b = a->first;
    void *p;

    MUST(size <= SIZE_MAX - ALIGN);
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!b || b->room - b->used < size) {
        bool big = size > a->next / 4;

        b = block_new(a, big ? size : a->next);
        if (big && a->first) { /* keep filling the block we have */
            b->next = a->first->next;
            a->first->next = b;
        } else {
            b->next = a->first;
            a->first = b;
        }
    }
    p = b->data + b->used;
    b->used += size;
    return p;
}

void *arena_renew(arena *a, const void *old, size_t count, size_t room,
                  size_t size)
{
    void *p = arena_alloc(a, room * size);

    if (count)
        memcpy(p, old, count * size);
    return p;
}

char *arena_strndup(arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);

    memcpy(p, s, n);
    return p;
}

char *arena_strdup(arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_printf(arena *a, const char *fmt, ...)
{
    va_list ap;
    int n;
    char *p;

    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    MUST(n >= 0);
    p = arena_alloc(a, (size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(p, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return p;
}

size_t arena_bytes(const arena *a) { return a->bytes; }
