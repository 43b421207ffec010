/* src/cache/l1_queue.h - the requests in front of the tags of an L1, and which
 * of them is performed next: the policy `l1.queue`. Owns its queues, borrows
 * the cache that it is part of and the port they come from.
 *
 * In each cycle every tag port of the cache has the policy perform a request;
 * then the policy moves arrivals from the port behind those it holds. So what
 * arrives in a cycle can be performed in the next. */
#ifndef CACHE_L1_QUEUE_H
#define CACHE_L1_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cache/l1.h"

/* Why a request cannot be performed now. */
typedef enum l1_refusal {
    L1_OK,
    L1_SET_FULL,
    L1_MSHR_ENTRY,
    L1_MSHR_MERGE,
    L1_MISS_QUEUE,
    L1_DATA_PORT,
    L1_REPLY,
    L1_QUEUE_FULL, /* the request queue it should enter is full */
    L1_ORDER,      /* requests before it come first */
    L1_REFUSALS,
    L1_EMPTY = L1_REFUSALS /* there is no request */
} l1_refusal;

typedef struct l1_queue l1_queue;

/* Results of l1_queue_ops.accept. */
enum {
    L1_TRY = 1,   /* there is something new to perform */
    L1_AGAIN = 2, /* more can be accepted in the next cycle */
};

typedef struct l1_queue_ops {
    /* Performs a request, or returns why the first one in its order is refused.
     * Every refusal is passed to l1_refused. */
    l1_refusal (*serve)(l1_queue *q, uint64_t now);
    /* Last in a cycle: moves arrivals, and sets `input`. Returns what
     * is new. */
    unsigned (*accept)(l1_queue *q, uint64_t now);
    /* After a cycle in which nothing was refused: the next one with a request,
     * NEVER if none is held or underway in the port. */
    uint64_t (*next)(const l1_queue *q, uint64_t now);
    uint32_t (*count)(const l1_queue *q); /* held, the port included */
    void (*free)(l1_queue *q);

    /* The rest may be NULL. */

    /* A fill has changed the set of `addr` or its line's MSHR, and may have
     * freed that. False if all that was refused still is, for the same cause.
     */
    bool (*forget)(l1_queue *q, uint64_t addr);
    /* True if an arrival may be performed at once that was not tried yet. */
    bool (*fresh)(const l1_queue *q, uint64_t now);
    /* What the last serve refused was refused in `n` cycles. */
    void (*stalled)(l1_queue *q, uint64_t n);
    /* Charges the cycles before `now` to the counters. */
    void (*settle)(l1_queue *q, uint64_t now);
    void (*dump)(const l1_queue *q, FILE *f);
} l1_queue_ops;

/* Each policy begins with this. */
struct l1_queue {
    const l1_queue_ops *ops;
    l1 *cache;
    mem_port *from;
    l1_refusal input; /* why the port's oldest request waits, in this cycle */
    bool fifo;        /* all that it holds is in the port */
};

/* l1_queue_ops.serve of a fifo. */
l1_refusal l1_fifo_serve(l1_queue *q, uint64_t now);

/* `name`: of the cache in the registry. */
l1_queue *l1_queue_new(const config *cfg, stats *reg, const char *name,
                       l1 *cache, mem_port *from);
void l1_queue_free(l1_queue *q); /* NULL is fine */

#endif
