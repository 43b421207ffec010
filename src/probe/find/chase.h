/* src/probe/find/chase.h - following pointers through memory, one load after
 * the other: latencies, and which loads miss. */
#ifndef PROBE_FIND_CHASE_H
#define PROBE_FIND_CHASE_H

#include "probe/harness.h"

typedef enum probe_space {
    PROBE_GLOBAL,
    PROBE_LOCAL, /* of one thread: its words lie 128 bytes apart */
    PROBE_CONST
} probe_space;

/* How a load is made. */
typedef struct probe_path {
    const char *load; /* "LDG.E.64 R8, [R8.64]" */
    probe_space space;
    uint64_t least; /* bytes between places, at least */
    uint64_t most;  /* bytes of a ring, at most */
    bool in_shared; /* what missed may be kept in shared memory: it takes no
                       room from the cache that is looked at */
} probe_path;

/* Places in the order in which they are visited, round and round. */
typedef struct probe_ring {
    uint64_t *at; /* offsets, multiples of what the path has as least */
    size_t count;
} probe_ring;

void probe_ring_fini(probe_ring *ring);
/* `count` places, `stride` bytes apart. */
probe_ring probe_ring_line(size_t count, uint64_t stride);

typedef struct probe_hops {
    double mean;     /* cycles of a hop, without what a clock read costs */
    uint64_t misses; /* that took at least `threshold` */
} probe_hops;

enum { PROBE_MISSED = 512 }; /* misses that can be counted */

/* Follows the ring of at least three places `rounds` times, then once more,
 * timed. `missed`: NULL, or room for the places that took at least `threshold`,
 * which may be PROBE_MISSED at most. */
status probe_chase(probe_run *r, const probe_path *path, const probe_ring *ring,
                   unsigned rounds, double threshold, probe_hops *out,
                   uint32_t *missed);

#endif
