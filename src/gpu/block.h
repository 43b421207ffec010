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
    uint64_t next; /* cycle in which it is due */
    unsigned ins, outs;
    mem_port *in[BLOCK_PORTS];  /* ports it takes messages from */
    mem_port *out[BLOCK_PORTS]; /* ports it pushes to */
} block;

/* Lets messages, and room in ports that were full, wake the block, which stays
 * where it is. */
static inline void block_connect(block *b)
{
    for (unsigned i = 0; i < b->ins; i++)
        b->in[i]->wake = &b->next;
    for (unsigned i = 0; i < b->outs; i++)
        b->out[i]->space = &b->next;
}

static inline void block_tick(block *b, uint64_t now)
{
    uint64_t next = b->tick(b->self, now);

    for (unsigned i = 0; i < b->ins; i++) {
        uint64_t t = mem_port_wake(b->in[i], now);
        next = t < next ? t : next;
    }
    b->next = next;
}

/* The first cycle in which one of them has work. */
static inline uint64_t blocks_due(const block *b, unsigned n)
{
    uint64_t due = NEVER;

    for (unsigned i = 0; i < n; i++)
        due = b[i].next < due ? b[i].next : due;
    return due;
}

static inline __attribute__((always_inline)) void
blocks_run_at(block *b, unsigned n, uint64_t from, uint64_t to, node_pace pace)
{
    uint64_t now = from;

    if (!pace.no_skip) {
        uint64_t due = blocks_due(b, n);
        now = due > now ? due : now;
    }
    while (now < to) {
        for (unsigned k = 0; k < n; k++) {
            block *one = &b[pace.reverse ? n - 1 - k : k];

            if (pace.no_skip || one->next <= now)
                block_tick(one, now);
        }
        uint64_t due = pace.no_skip ? now + 1 : blocks_due(b, n);
        now = due > now ? due : now + 1;
    }
}

/* Ticks what is due in each cycle of [from, to). */
static inline __attribute__((always_inline)) void
blocks_run(block *b, unsigned n, uint64_t from, uint64_t to, node_pace pace)
{
    if (pace.no_skip || pace.reverse)
        blocks_run_at(b, n, from, to, pace);
    else /* a constant lets the compiler simplify the loop */
        blocks_run_at(b, n, from, to, (node_pace){false, false});
}

#endif
