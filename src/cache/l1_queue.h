/* src/cache/l1_queue.h - the requests in front of the tags of an L1, and which
 * of them is tried next: the policy `l1.queue`. Owns its queues, borrows the
 * port they come from.
 *
 * In each cycle the cache asks for candidate 0, 1, ... until one can be
 * performed, which it takes out, or there are no more. It then says so, and
 * lets the policy accept what has arrived. */
#ifndef CACHE_L1_QUEUE_H
#define CACHE_L1_QUEUE_H

#include <stdint.h>

#include "config/config.h"
#include "mem/port.h"

typedef struct l1_queue l1_queue;

typedef struct l1_queue_ops {
    /* The k-th request to try in this cycle, NULL if there is none. */
    const mem_msg *(*candidate)(l1_queue *q, uint64_t now, unsigned k);
    /* Candidate k is being performed: takes it out. */
    void (*take)(l1_queue *q, uint64_t now, unsigned k);
    /* Last in a cycle: moves arrivals behind the candidates. True if there is
     * a new candidate, so that trying again may succeed. */
    bool (*accept)(l1_queue *q, uint64_t now);
    /* First cycle after `now` that has a candidate, NEVER if none is held or
     * underway in the port. */
    uint64_t (*next)(const l1_queue *q, uint64_t now);
    uint32_t (*count)(const l1_queue *q); /* held, the port included */
} l1_queue_ops;

struct l1_queue {
    const l1_queue_ops *ops;
    mem_port *from;
};

/* NULL if memory runs out. */
l1_queue *l1_queue_new(const config *cfg, mem_port *from);
void l1_queue_free(l1_queue *q);

#endif
