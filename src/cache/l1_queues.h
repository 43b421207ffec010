/* src/cache/l1_queues.h - several queues of requests in front of the tags of an
 * L1, with their counters: what policies with queues are made of. Which queue a
 * request enters, and which is served next, is theirs. Owns its arrays. */
#ifndef CACHE_L1_QUEUES_H
#define CACHE_L1_QUEUES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/bits.h"
#include "cache/l1_impl.h"
#include "cache/l1_order.h"

typedef struct l1_queue_stats {
#define STAT(id, unit, help)           uint64_t id;
#define HIST(id, bins, of, unit, help) uint64_t id[HIST_##bins];
#include "cache/l1_queue_stats.def"
#undef STAT
#undef HIST
} l1_queue_stats;

typedef struct l1_entry {
    mem_msg msg;
    uint64_t turn;  /* requests that entered before it */
    uint32_t noted; /* bit set of l1_refusal, where heads go back */
} l1_entry;

typedef struct l1_line {
    l1_entry *entry; /* a ring of `depth` */
    uint32_t head, count;
    uint32_t noted; /* bit set of l1_refusal: of its head, so far */
    uint64_t since; /* first cycle not in the counters */
} l1_line;

typedef struct l1_queues {
    unsigned queues, depth, words;
    l1_line *queue;
    l1_entry *store;
    uint64_t *filled; /* bit set of queues that hold something */
    uint32_t held;    /* in all queues */
    uint64_t entered, performed;
    l1_order order; /* of warps with requests in them */
    l1_queue_stats st;
} l1_queues;

/* `name`: of the cache in the registry. */
void l1_queues_init(l1_queues *q, const config *cfg, unsigned queues,
                    unsigned depth, stats *reg, const char *name);
void l1_queues_fini(l1_queues *q);

/* Request `k` of queue `i`, the oldest first. */
static inline l1_entry *l1_queues_at(const l1_queues *q, unsigned i, uint32_t k)
{
    uint32_t at = q->queue[i].head + k;

    return &q->queue[i].entry[at < q->depth ? at : at - q->depth];
}

/* The first queue from number `i` on that holds something, or how many there
 * are if none does. */
static inline unsigned l1_queues_filled(const l1_queues *q, unsigned i)
{
    unsigned w = i / 64;

    if (i >= q->queues)
        return q->queues;
    uint64_t bits = q->filled[w] >> i % 64 << i % 64;
    while (!bits && ++w < q->words)
        bits = q->filled[w];
    return bits ? 64 * w + bits_ctz64(bits) : q->queues;
}

static inline bool l1_queues_full(const l1_queues *q, unsigned i)
{
    return q->queue[i].count == q->depth;
}

void l1_queues_push(l1_queues *q, uint64_t now, unsigned i, const mem_msg *m);
/* The head of queue `i` was performed. */
void l1_queues_pop(l1_queues *q, uint64_t now, unsigned i);
/* The head of queue `i` becomes its last. */
void l1_queues_rotate(l1_queues *q, unsigned i);
/* A request that would have entered queue `i` was performed. */
void l1_queues_bypass(l1_queues *q, unsigned i);

/* As l1_queue_ops has it; requests held, fences included. */
uint64_t l1_queues_next(const l1_queues *q, const mem_port *from, uint64_t now);
uint32_t l1_queues_count(const l1_queues *q);

/* A head was refused, in `n` cycles. */
void l1_queues_stalled(l1_queues *q, l1_refusal why, uint64_t n);
void l1_queues_settle(l1_queues *q, uint64_t now);
/* Of the queues in front of `cache`, for the hang report. */
void l1_queues_dump(const l1_queues *q, const l1 *cache, FILE *f);

#endif
