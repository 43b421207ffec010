/* src/gpu/block.h - the blocks of one node and the loop that ticks them.
 * A block is due when its last tick said so, or when a message becomes visible
 * to it that this tick could not see, or when a port that was full has room:
 * pushes and pops lower `next` (mem_port.wake, mem_port.space). */
#ifndef GPU_BLOCK_H
#define GPU_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/port.h"

enum { BLOCK_PORTS = 16 };

/* How nodes go through a window; see gpu_options. */
typedef struct node_pace {
    bool no_skip, reverse;
} node_pace;

typedef struct block {
    uint64_t (*tick)(void *self, uint64_t now);
    void *self;
    mem_wake due; /* `next`: the cycle in which it is due */
    unsigned ins, outs;
    mem_port *in[BLOCK_PORTS];  /* ports it takes messages from */
    mem_port *out[BLOCK_PORTS]; /* ports it pushes to */
} block;

/* Lets messages, and room in ports that were full, wake the block, which stays
 * where it is. */
static inline void block_connect(block *b)
{
    for (unsigned i = 0; i < b->ins; i++)
        b->in[i]->wake = &b->due;
    for (unsigned i = 0; i < b->outs; i++)
        b->out[i]->space = &b->due.next;
}

/* When messages that its tick in cycle `now` could not see wake it. */
static __attribute__((noinline, unused)) uint64_t block_unseen(const block *b,
                                                               uint64_t now)
{
    uint64_t next = NEVER;

    for (unsigned i = 0; i < b->ins; i++)
        next = mem_earlier(next, mem_port_wake(b->in[i], now));
    return next;
}

static inline void block_tick(block *b, uint64_t now)
{
    uint64_t next = b->tick(b->self, now);

    if (b->due.newest > now)
        next = mem_earlier(next, block_unseen(b, now));
    b->due.next = next;
}

/* The first cycle in which one of them has work. */
static inline uint64_t blocks_due(const block *b, unsigned n)
{
    uint64_t due = NEVER;

    for (unsigned i = 0; i < n; i++)
        due = mem_earlier(due, b[i].due.next);
    return due;
}

/* Goes from block to block as `pace` says: for tests. */
static __attribute__((noinline, unused)) void
blocks_run_paced(block *b, unsigned n, uint64_t from, uint64_t to,
                 node_pace pace)
{
    for (uint64_t now = from; now < to; now++)
        for (unsigned k = 0; k < n; k++) {
            block *one = &b[pace.reverse ? n - 1 - k : k];

            if (pace.no_skip || one->due.next <= now)
                block_tick(one, now);
        }
}

/* Ticks what is due in each cycle of [from, to). */
static inline __attribute__((always_inline)) void
blocks_run(block *b, unsigned n, uint64_t from, uint64_t to, node_pace pace)
{
    if (pace.no_skip || pace.reverse) {
        blocks_run_paced(b, n, from, to, pace);
        return;
    }
    uint64_t now = blocks_due(b, n), due;

    for (now = now > from ? now : from; now < to; now = due) {
        for (unsigned k = 0; k < n; k++)
            if (b[k].due.next <= now)
                block_tick(&b[k], now);
        due = blocks_due(b, n);
        due = due > now ? due : now + 1;
    }
}

#endif
