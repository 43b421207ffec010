/* src/base/arena.h - memory that is freed all at once.
 * Owns its blocks. Allocation ends the process when the host is out of
 * memory (alloc.h). */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/alloc.h"

typedef struct arena arena;

arena *arena_new(void);
void arena_free(arena *a); /* NULL is fine */

void *arena_alloc(arena *a, size_t size); /* zeroed, 16-byte aligned */
/* The `count` elements of `old`, followed by zeroes: `room` in all. */
void *arena_renew(arena *a, const void *old, size_t count, size_t room,
                  size_t size);
char *arena_strdup(arena *a, const char *s);
char *arena_strndup(arena *a, const char *s, size_t n);
char *arena_printf(arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
size_t arena_bytes(const arena *a); /* taken from the host */

#define ARENA_NEW(a, type)      ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (n)))

/* Makes room for one more element in the array `at` of `count` elements, which
 * lives in `a` and has room for `room` of them: GROW of alloc.h for arenas. */
#define ARENA_GROW(a, at, count, room)                                         \
    do {                                                                       \
        if ((count) >= (room)) {                                               \
            size_t arena_room = alloc_room((size_t)(count) + 1, (room),        \
                                           sizeof *(at), ALLOC_HERE);          \
            (at) = arena_renew((a), (at), (count), arena_room, sizeof *(at));  \
            (room) = (__typeof__(room))arena_room;                             \
            MUST((room) == arena_room);                                        \
        }                                                                      \
    } while (0)

#endif
