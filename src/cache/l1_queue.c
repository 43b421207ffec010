/* src/cache/l1_queue.c - fifo: the port itself is the queue, and a request
 * that is refused blocks all behind it. */
#include "cache/l1_queue.h"

#include <stdlib.h>

static const mem_msg *fifo_candidate(l1_queue *q, uint64_t now, unsigned k)
{
    return k == 0 ? mem_port_peek(q->from, now) : NULL;
}

static void fifo_take(l1_queue *q, uint64_t now, unsigned k)
{
    (void)k;
    mem_port_pop(q->from, now);
}

static bool fifo_accept(l1_queue *q, uint64_t now)
{
    (void)q;
    (void)now;
    return false;
}

static uint64_t fifo_next(const l1_queue *q, uint64_t now)
{
    uint64_t next = mem_port_next(q->from);

    return next > now ? next : now + 1;
}

static uint32_t fifo_count(const l1_queue *q) { return q->from->count; }

static const l1_queue_ops fifo = {fifo_candidate, fifo_take, fifo_accept,
                                  fifo_next, fifo_count};

l1_queue *l1_queue_new(const config *cfg, mem_port *from)
{
    l1_queue *q = calloc(1, sizeof *q);

    MUST(cfg->l1.queue == CFG_L1_QUEUE_FIFO);
    if (!q)
        return NULL;
    q->ops = &fifo;
    q->from = from;
    return q;
}

void l1_queue_free(l1_queue *q) { free(q); }
