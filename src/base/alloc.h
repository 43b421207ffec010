/* src/base/alloc.h - memory of the host. Almost nothing can be saved without
 * it, so a function here that gets none ends the process: it prints one line
 * (how much, for what, what the user can do), what the process was doing
 * (must_on_fail) and exits with ALLOC_EXIT. Its result is never NULL. The
 * `alloc_try_` ones are for what a simulated program or the user sized: they
 * return NULL, and the caller reports it. All is freed with free(). */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

#include "base/must.h"

enum { ALLOC_EXIT = 7 }; /* the exit code of ST_NOMEM */

typedef struct alloc_place {
    const char *file, *function;
    int line;
} alloc_place;

/* Static, so that callers need no stack for it. */
#define ALLOC_HERE                                                             \
    ({                                                                         \
        static const alloc_place alloc_here = {__FILE__, __func__, __LINE__};  \
        &alloc_here;                                                           \
    })

/* `count` elements of `size` bytes: zeroed, or with any content. Neither may
 * be so many that their product overflows; no elements are fine. */
#define new0(count, size)      alloc_zeroed((count), (size), ALLOC_HERE)
#define new_array(count, size) alloc_array((count), (size), ALLOC_HERE)
#define new_aligned(align, size)                                               \
    alloc_aligned((align), (size), ALLOC_HERE) /* zeroed, too */

/* `old`, which may be NULL, with room for `count` elements. */
#define renew(old, count, size) alloc_renew((old), (count), (size), ALLOC_HERE)

#define new_text(text)         alloc_text((text), SIZE_MAX, ALLOC_HERE)
#define new_text_n(text, most) alloc_text((text), (most), ALLOC_HERE)
#define new_text_if(text)      ((text) ? new_text(text) : NULL)
#define new_copy(from, count, size)                                            \
    alloc_copy((from), (count), (size), ALLOC_HERE)

/* Makes room for `wanted` elements in the array `at`, which has it for `room`
 * of them: room doubles, so that adding one by one takes linear time. */
#define GROW(at, wanted, room)                                                 \
    do {                                                                       \
        if ((wanted) > (room)) {                                               \
            size_t grow_room =                                                 \
                alloc_room((wanted), (room), sizeof *(at), ALLOC_HERE);        \
            (at) = renew((at), grow_room, sizeof *(at));                       \
            (room) = (__typeof__(room))grow_room;                              \
            MUST((room) == grow_room);                                         \
        }                                                                      \
    } while (0)

void *alloc_zeroed(size_t count, size_t size, const alloc_place *at)
    __attribute__((returns_nonnull, malloc));
void *alloc_array(size_t count, size_t size, const alloc_place *at)
    __attribute__((returns_nonnull, malloc));
void *alloc_aligned(size_t align, size_t size, const alloc_place *at)
    __attribute__((returns_nonnull, malloc));
void *alloc_renew(void *old, size_t count, size_t size, const alloc_place *at)
    __attribute__((returns_nonnull));
char *alloc_text(const char *text, size_t most, const alloc_place *at)
    __attribute__((returns_nonnull, malloc));
void *alloc_copy(const void *from, size_t count, size_t size,
                 const alloc_place *at)
    __attribute__((returns_nonnull, malloc));

/* The room that GROW gives: at least `wanted`, and twice what there is. */
size_t alloc_room(size_t wanted, size_t room, size_t size,
                  const alloc_place *at);

/* NULL if there is no memory, or if count * size overflows. */
void *alloc_try_zeroed(size_t count, size_t size);
void *alloc_try_array(size_t count, size_t size);
void *alloc_try_renew(void *old, size_t count, size_t size);
void *alloc_try_aligned(size_t align, size_t size);
char *alloc_try_text(const char *text);
char *alloc_try_text_n(const char *text, size_t most);

/* For what allocates by other means: ends the process as above. `bytes` is 0 if
 * nobody knows how many they are. */
#define ALLOC_MUST(got)                                                        \
    ((void)(__builtin_expect(!(got), 0) ? (alloc_fail(0, ALLOC_HERE), 0) : 0))

_Noreturn void alloc_fail(size_t bytes, const alloc_place *at);

#ifdef HEDDLE_CHECKS
/* For tests: the nth allocation from now fails, and if `for_good` those after
 * it. 0 is none. The environment does the same: HEDDLE_FAIL_ALLOCATION=N[+]. */
void alloc_fail_nth(uint64_t n, int for_good);
uint64_t alloc_count(void); /* allocations so far */
#endif

#endif
