/* src/probe/find/cache.h - what a cache is like, found by following pointers.
 */
#ifndef PROBE_FIND_CACHE_H
#define PROBE_FIND_CACHE_H

#include "probe/find/chase.h"

typedef struct probe_cache {
    double hit, miss;  /* cycles; set by the caller */
    uint64_t bytes;    /* that stay, 0: more than could be tried */
    unsigned ways;     /* 0: not found */
    unsigned line;     /* bytes from one tag to the next; 0: not found */
    unsigned sector;   /* bytes that a miss brings; 0: not found */
    bool even;         /* neighbouring lines fill all sets */
    const char *order; /* which line goes: "lru", "fifo" or "other" */
} probe_cache;

/* Fills in all but hit and miss. */
status probe_cache_find(probe_run *r, const probe_path *path, probe_cache *c);

#endif
