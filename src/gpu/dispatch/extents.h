/* src/gpu/dispatch/extents.h - a space that is taken in pieces, each of which
 * lies in one place: the first gap that is large enough. Owns its table of
 * gaps. */
#ifndef GPU_DISPATCH_EXTENTS_H
#define GPU_DISPATCH_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct extent {
    uint64_t at, size;
} extent;

typedef struct extents {
    extent *gap; /* in order, none empty, none beside another */
    unsigned gaps, room;
    uint64_t largest; /* gap */
} extents;

/* For up to `pieces` pieces. */
void extents_init(extents *x, unsigned pieces);
void extents_fini(extents *x);
void extents_clear(extents *x, uint64_t size); /* nothing is taken */

/* A gap holds `size`, which may be 0. */
uint64_t extents_take(extents *x, uint64_t size);
/* Gives back what was taken, or a part of it. */
void extents_give(extents *x, uint64_t at, uint64_t size);

#endif
