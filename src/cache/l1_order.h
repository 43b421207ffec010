/* src/cache/l1_order.h - what a queue policy that reorders requests has to keep
 * in order: atomics and volatile accesses wait for earlier requests of their
 * warp, and a fence is answered when these have been performed. Plain data,
 * part of a policy. */
#ifndef CACHE_L1_ORDER_H
#define CACHE_L1_ORDER_H

#include "base/bits.h"
#include "cache/l1_queue.h"

enum { L1_WARPS = 64 };

typedef struct l1_order {
    uint32_t held[L1_WARPS]; /* requests of each warp in the queues */
    uint64_t busy;           /* warps with some */
    uint64_t fences;         /* warps with a fence to be answered */
    uint32_t tag[L1_WARPS];  /* of that fence */
    bool ignored;            /* a fault, for tests: nothing waits */
} l1_order;

static inline void l1_order_enter(l1_order *o, const mem_msg *m)
{
    MUST_CHECK(m->warp < L1_WARPS);
    o->held[m->warp]++;
    o->busy |= (uint64_t)1 << m->warp;
}

/* It was performed. */
static inline void l1_order_leave(l1_order *o, const mem_msg *m)
{
    MUST_CHECK(o->held[m->warp] > 0);
    if (!--o->held[m->warp])
        o->busy &= ~((uint64_t)1 << m->warp);
}

/* True if `m`, an arrival, has to wait for others of its warp. */
static inline bool l1_order_waits(const l1_order *o, const mem_msg *m)
{
    bool ordered = m->ordered || m->kind == MEM_ATOMIC || m->kind == MEM_REDUCE;

    return ordered && !o->ignored && o->busy >> m->warp & 1;
}

/* `m`, a MEM_FENCE, was taken from the port. */
static inline void l1_order_fence(l1_order *o, const mem_msg *m)
{
    o->fences |= (uint64_t)1 << m->warp;
    o->tag[m->warp] = m->tag;
}

/* Answers a fence whose warp has nothing in the queues. True if another one
 * can be answered in the next cycle. */
bool l1_order_answer(l1_order *o, mem_port *to_lsu, uint64_t now);

static inline uint32_t l1_order_count(const l1_order *o)
{
    return bits_popcount64(o->fences);
}

#endif
