/* src/mem/ring.h - a queue of messages inside one block. Unlike a port it has
 * no timing rules: the block sets when a message is due (mem_msg.when), and a
 * freed slot may be used at once. Owned by its block. */
#ifndef MEM_RING_H
#define MEM_RING_H

#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mem/port.h"

typedef struct mem_ring {
    mem_msg *at;
    uint32_t mask, head, count;
    uint64_t next; /* when the front is due; NEVER if it is empty */
} mem_ring;

/* Room for at least `slots`. */
static inline void mem_ring_init(mem_ring *r, uint64_t slots)
{
    slots = (uint64_t)1 << bits_log2_up(slots ? slots : 1);
    *r = (mem_ring){.mask = (uint32_t)(slots - 1), .next = NEVER};
    r->at = new0(slots, sizeof *r->at);
}

static inline void mem_ring_fini(mem_ring *r)
{
    free(r->at);
    r->at = NULL;
}

static inline uint32_t mem_ring_room(const mem_ring *r)
{
    return r->mask + 1 - r->count;
}

/* The message in the ring, whose `when` stays; there must be room. */
static inline mem_msg *mem_ring_push(mem_ring *r, const mem_msg *m,
                                     uint64_t when)
{
    MUST_CHECK(r->count <= r->mask);
    if (!r->count)
        r->next = when;
    mem_msg *slot = &r->at[(r->head + r->count++) & r->mask];
    *slot = *m;
    slot->when = when;
    return slot;
}

/* Message i from the front, i < count. */
static inline mem_msg *mem_ring_at(const mem_ring *r, uint32_t i)
{
    return &r->at[(r->head + i) & r->mask];
}

static inline mem_msg *mem_ring_front(const mem_ring *r)
{
    return r->count ? mem_ring_at(r, 0) : NULL;
}

/* When the front is due, NEVER if empty. */
static inline uint64_t mem_ring_next(const mem_ring *r) { return r->next; }

static inline void mem_ring_pop(mem_ring *r)
{
    MUST_CHECK(r->count > 0);
    r->head++;
    r->next = --r->count ? mem_ring_at(r, 0)->when : NEVER;
}

#endif
