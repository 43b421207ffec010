/* src/mem/ring.h - a queue of messages inside one block. Unlike a port it has
 * no timing rules: the block sets when a message is due (mem_msg.when), and a
 * freed slot may be used at once. Memory grows to what was in it at once and
 * then never again. Owned by its block. */
#ifndef MEM_RING_H
#define MEM_RING_H

#include <stddef.h>
#include <stdint.h>

#include "mem/port.h"

typedef struct mem_ring {
    mem_msg *at;
    uint32_t mask, head, count; /* mask: slots there are - 1 */
    uint32_t most;              /* messages */
    uint64_t next; /* when the front is due; NEVER if it is empty */
} mem_ring;

/* Room for at least `slots`. */
void mem_ring_init(mem_ring *r, uint64_t slots);
void mem_ring_fini(mem_ring *r);

/* Twice the slots. */
void mem_ring_grow(mem_ring *r) __attribute__((cold));

static inline uint32_t mem_ring_room(const mem_ring *r)
{
    return r->most - r->count;
}

/* The message in the ring, whose `when` stays; there must be room. It lies
 * there until the next is pushed. */
static inline mem_msg *mem_ring_push(mem_ring *r, const mem_msg *m,
                                     uint64_t when)
{
    MUST_CHECK(r->count < r->most);
    if (!r->count)
        r->next = when;
    else if (__builtin_expect(r->count > r->mask, 0))
        mem_ring_grow(r);
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
