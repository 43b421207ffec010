/* src/mem/tags.h - the tag array of any cache: which lines are present and
 * which of their sectors. Owns its arrays, borrows nothing.
 * A line with sectors awaited (`pending`) is reserved: it cannot be evicted.
 * Which sectors of a line mean what is the owner's affair. */
#ifndef MEM_TAGS_H
#define MEM_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/spread.h"

#define MEM_NO_SLOT UINT32_MAX

/* Which line of a set goes: the least recently used, in every cache. The word
 * is what probes should find. */
#define MEM_TAGS_REPLACEMENT "lru"

/* Masks of sectors. */
typedef struct mem_line_state {
    uint8_t valid;   /* readable, but for `partial` */
    uint8_t dirty;   /* newer than below */
    uint8_t partial; /* dirty with bytes missing: not readable yet */
    uint8_t pending; /* awaited; kept by mem_tags_await and mem_tags_fill */
} mem_line_state;

typedef struct mem_tags {
    mem_spread spread;
    uint32_t sets, ways; /* as built */
    uint32_t live_ways;  /* of each set that are used, 1..ways */
    uint32_t shift;      /* log2 of the line */
    uint64_t stamp;      /* counts touches */
    bool empty;          /* no slot was taken since the last clear */
    uint64_t *line;      /* [slot] line address, or none; slot = set*ways+way */
    uint8_t *mark;       /* [set * marks + way] a byte of a hash of the line */
    uint32_t marks;      /* of a set: `ways`, rounded up to 8; 0: there are few
                            ways, and no marks */
    uint64_t *used; /* [slot] stamp of the last touch, if it holds a line */
    /* Where there are marks, the ways of a set are also in a ring by their last
     * touch: [set * (ways + 1) + way] neighbours, of which way `ways` stands
     * between the youngest and the oldest. */
    uint16_t *older, *younger;
    uint32_t *lines; /* [set] slots that hold one; where there are marks */
    bool holes;      /* these are not always the first of their set */
    mem_line_state *state; /* [slot] */
    uint32_t *reserved;    /* [set] slots with pending sectors */
} mem_tags;

void mem_tags_init(mem_tags *t, uint32_t sets, uint32_t ways,
                   uint32_t line_bytes, cfg_index index);
void mem_tags_fini(mem_tags *t);

/* From now on only so many of the sets are used; to be followed by
 * mem_tags_clear, as lines have other places then. */
void mem_tags_spread(mem_tags *t, uint32_t sets);

/* Invalidates all lines; from now on `ways` of each set are used. */
void mem_tags_clear(mem_tags *t, uint32_t ways);

static inline uint32_t mem_tags_set(const mem_tags *t, uint64_t addr)
{
    uint64_t upper;

    return mem_spread_of(&t->spread, mem_place(addr) >> t->shift, &upper);
}

/* As mem_tags_find_in, where there are many ways. */
uint32_t mem_tags_find_marked(const mem_tags *t, uint32_t set, uint64_t line);

/* The line of addr among those of a set, which need not be mem_tags_set of it:
 * a cache may choose its sets by another hash. */
static inline uint32_t mem_tags_find_in(const mem_tags *t, uint32_t set,
                                        uint64_t addr)
{
    uint64_t line = addr >> t->shift << t->shift;
    uint32_t first = set * t->ways;

    if (__builtin_expect(t->marks != 0, 0))
        return mem_tags_find_marked(t, set, line);
    for (uint32_t s = first; s < first + t->live_ways; s++)
        if (t->line[s] == line)
            return s;
    return MEM_NO_SLOT;
}

static inline uint32_t mem_tags_find(const mem_tags *t, uint64_t addr)
{
    return mem_tags_find_in(t, mem_tags_set(t, addr), addr);
}

/* Makes it the youngest of its ring. */
void mem_tags_touch_marked(mem_tags *t, uint32_t slot);

static inline void mem_tags_touch(mem_tags *t, uint32_t slot)
{
    t->used[slot] = ++t->stamp;
    if (t->marks)
        mem_tags_touch_marked(t, slot);
}

/* A free slot of a set, else the least recently used that is not reserved;
 * MEM_NO_SLOT if all are: the set is full. */
uint32_t mem_tags_victim_in(const mem_tags *t, uint32_t set);

static inline uint32_t mem_tags_victim(const mem_tags *t, uint64_t addr)
{
    return mem_tags_victim_in(t, mem_tags_set(t, addr));
}

/* True if the slot holds a line. */
static inline bool mem_tags_holds(const mem_tags *t, uint32_t slot)
{
    return t->line[slot] != UINT64_MAX;
}

/* Puts the line of addr, without any sector, in a slot that is not reserved,
 * and touches it. */
void mem_tags_take(mem_tags *t, uint32_t slot, uint64_t addr);

void mem_tags_drop(mem_tags *t, uint32_t slot); /* not if reserved */

/* Marks sectors as awaited, and as arrived (valid and whole). */
void mem_tags_await(mem_tags *t, uint32_t slot, uint8_t sectors);
void mem_tags_fill(mem_tags *t, uint32_t slot, uint8_t sectors);

#endif
