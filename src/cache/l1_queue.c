/* src/cache/l1_queue.c - fifo: the port itself is the queue, and a request
 * that is refused blocks all behind it. */
#include "cache/l1_queue.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cache/l1_impl.h"
#include "cache/l1_mascar.h"
#include "cache/l1_mrpb.h"
#include "cache/l1_reod.h"

typedef struct fifo {
    l1_queue base;
    uint32_t noted; /* bit set of l1_refusal: of the oldest request, so far */
} fifo;

l1_refusal l1_fifo_serve(l1_queue *q, uint64_t now)
{
    fifo *f = (fifo *)q;
    l1 *b = q->cache;
    const mem_msg *m = mem_port_peek(q->from, now);
    l1_plan plan;

    if (!m)
        return L1_EMPTY;
    uint32_t slot = mem_tags_find(&b->tags, m->addr);
    if (!l1_hit(b, now, m, slot)) {
        l1_find_at(b, m, slot, &plan);
        l1_refusal why = l1_refuse(b, now, m, &plan);
        if (why) {
            l1_refused(b, now, m, why, &f->noted);
            return why;
        }
        l1_perform(b, now, m, &plan);
    }
    mem_port_pop(q->from, now);
    f->noted = 0;
    return L1_OK;
}

static uint64_t fifo_next(const l1_queue *q, uint64_t now)
{
    uint64_t next = mem_port_next(q->from);

    return next > now ? next : now + 1;
}

static uint32_t fifo_count(const l1_queue *q) { return q->from->count; }

static void fifo_free(l1_queue *q) { free(q); }

static const l1_queue_ops fifo_ops = {.serve = l1_fifo_serve,
                                      .next = fifo_next,
                                      .count = fifo_count,
                                      .free = fifo_free};

bool l1_reorders(const config *cfg)
{
    return cfg->l1.queue == CFG_L1_QUEUE_REOD ||
           cfg->l1.queue == CFG_L1_QUEUE_MASCAR;
}

l1_queue *l1_queue_new(const config *cfg, stats *reg, const char *name,
                       l1 *cache, mem_port *from)
{
    l1_queue *q = NULL;

    switch (cfg->l1.queue) {
    case CFG_L1_QUEUE_FIFO: {
        fifo *f = new0(1, sizeof *f);

        f->base.ops = &fifo_ops;
        f->base.fifo = true;
        q = &f->base;
        break;
    }
    case CFG_L1_QUEUE_REOD:
        q = l1_reod_new(cfg, reg, name);
        break;
    case CFG_L1_QUEUE_MRPB:
        q = l1_mrpb_new(cfg, reg, name);
        break;
    case CFG_L1_QUEUE_MASCAR:
        q = l1_mascar_new(cfg, reg, name);
        break;
    }
    q->cache = cache;
    q->from = from;
    return q;
}

void l1_queue_free(l1_queue *q)
{
    if (q)
        q->ops->free(q);
}
