/* src/sm/memory/read_cache.h - a cache that only loads, of code and constants:
 * tags, and a note of the line found last, which is wanted again most of the
 * time. Owns its tags. */
#ifndef SM_MEMORY_READ_CACHE_H
#define SM_MEMORY_READ_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/tags.h"

typedef struct sm_read_cache {
    mem_tags tags;
    uint64_t last;    /* line number plus one; 0: none */
    uint32_t shift;   /* log2 of the line */
    uint32_t latency; /* cycles this level adds */
    bool exists;
} sm_read_cache;

/* A capacity of 0 bytes makes a level that does not exist. */
void sm_read_cache_init(sm_read_cache *c, uint64_t bytes, unsigned line,
                        unsigned ways, unsigned latency);
void sm_read_cache_fini(sm_read_cache *c);
void sm_read_cache_clear(sm_read_cache *c);

bool sm_read_cache_find(sm_read_cache *c, uint64_t addr);

/* True if the line of `addr` is there; it is then the most recent one. */
static inline bool sm_read_cache_hit(sm_read_cache *c, uint64_t addr)
{
    return c->last == (addr >> c->shift) + 1 || sm_read_cache_find(c, addr);
}

/* Puts the line there; nothing if the level does not exist. */
void sm_read_cache_fill(sm_read_cache *c, uint64_t addr);

#endif
