/* src/cache/l1_queues.c - see the header. */
#include "cache/l1_queues.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "stats/bins.h"

static const stat_desc queue_desc[] = {
#define STAT(id, unit, help) STAT_DESC(l1_queue_stats, id, unit, help),
#define HIST(id, bins, of, unit, help)                                         \
    STAT_HIST(l1_queue_stats, id, bins, of, unit, help)
#include "cache/l1_queue_stats.def"
#undef STAT
#undef HIST
};

const stats_block l1_queue_stats_block = {
    "sm[*].l1.queue", "request queues of the L1, where it has some", queue_desc,
    COUNTOF(queue_desc)};

void l1_queues_init(l1_queues *q, const config *cfg, unsigned queues,
                    unsigned depth, stats *reg, const char *name)
{
    const stats_block *b = &l1_queue_stats_block;
    char path[64];

    *q = (l1_queues){.queues = queues,
                     .depth = depth,
                     .words = bits_div_up(queues, 64),
                     .order.ignored = !cfg->l1.ordered};
    q->queue = new0(queues, sizeof *q->queue);
    q->store = new0((size_t)queues * depth, sizeof *q->store);
    q->filled = new0(q->words, sizeof *q->filled);
    for (unsigned i = 0; i < queues; i++)
        q->queue[i].entry = &q->store[(size_t)i * depth];
    snprintf(path, sizeof path, "%s.queue", name);
    stats_add(reg, path, b->desc, b->count, &q->st);
}

void l1_queues_fini(l1_queues *q)
{
    free(q->queue);
    free(q->store);
    free(q->filled);
}

/* Queue `i` holds what it does up to cycle `now`. */
static void account_queue(l1_queues *q, unsigned i, uint64_t now)
{
    l1_line *l = &q->queue[i];
    uint64_t n = now - l->since;

    if (!n)
        return;
    q->st.held[bins_depths(l->count)] += n;
    q->st.held_by[bins_queues(i)] += n * l->count;
    l->since = now;
}

void l1_queues_push(l1_queues *q, uint64_t now, unsigned i, const mem_msg *m)
{
    l1_line *l = &q->queue[i];

    MUST_CHECK(!l1_queues_full(q, i));
    account_queue(q, i, now);
    *l1_queues_at(q, i, l->count++) = (l1_entry){*m, q->entered++, 0};
    q->filled[i / 64] |= (uint64_t)1 << i % 64;
    l1_order_enter(&q->order, m);
    q->held++;
    q->st.entered++;
}

/* A request of queue `i` was performed, of which `turn` entered before. */
static void grant(l1_queues *q, unsigned i, uint64_t turn)
{
    uint64_t done = q->performed++;

    q->st.grants[bins_queues(i)]++;
    q->st.early[bins_depths(turn > done ? turn - done : 0)]++;
    q->st.late[bins_depths(turn < done ? done - turn : 0)]++;
}

void l1_queues_pop(l1_queues *q, uint64_t now, unsigned i)
{
    l1_line *l = &q->queue[i];
    const l1_entry *e = l1_queues_at(q, i, 0);

    MUST_CHECK(l->count);
    account_queue(q, i, now);
    l1_order_leave(&q->order, &e->msg);
    grant(q, i, e->turn);
    l->head = l->head + 1 == q->depth ? 0 : l->head + 1;
    l->noted = 0;
    q->held--;
    if (!--l->count)
        q->filled[i / 64] &= ~((uint64_t)1 << i % 64);
}

void l1_queues_rotate(l1_queues *q, unsigned i)
{
    l1_line *l = &q->queue[i];
    l1_entry first = *l1_queues_at(q, i, 0);

    l->head = l->head + 1 == q->depth ? 0 : l->head + 1;
    *l1_queues_at(q, i, l->count - 1) = first;
}

void l1_queues_bypass(l1_queues *q, unsigned i)
{
    q->st.bypassed++;
    grant(q, i, q->entered++);
}

uint64_t l1_queues_next(const l1_queues *q, const mem_port *from, uint64_t now)
{
    uint64_t next = mem_port_next(from);

    /* A fence may wait for room in the port to the LSU. */
    return q->held || q->order.fences || next <= now ? now + 1 : next;
}

uint32_t l1_queues_count(const l1_queues *q)
{
    return q->held + l1_order_count(&q->order);
}

void l1_queues_stalled(l1_queues *q, l1_refusal why, uint64_t n)
{
    switch (why) {
    case L1_SET_FULL:
        q->st.heads_set_full += n;
        break;
    case L1_MSHR_ENTRY:
        q->st.heads_mshr_entry += n;
        break;
    case L1_MSHR_MERGE:
        q->st.heads_mshr_merge += n;
        break;
    case L1_MISS_QUEUE:
        q->st.heads_miss_queue += n;
        break;
    case L1_DATA_PORT:
        q->st.heads_data_port += n;
        break;
    case L1_REPLY:
        q->st.heads_reply += n;
        break;
    case L1_OK:
    case L1_QUEUE_FULL:
    case L1_ORDER:
    case L1_EMPTY:
        break;
    }
}

void l1_queues_settle(l1_queues *q, uint64_t now)
{
    for (unsigned i = 0; i < q->queues; i++)
        account_queue(q, i, now);
}

void l1_queues_dump(const l1_queues *q, const l1 *cache, FILE *f)
{
    for (unsigned i = l1_queues_filled(q, 0); i < q->queues;
         i = l1_queues_filled(q, i + 1)) {
        const mem_msg *m = &l1_queues_at(q, i, 0)->msg;

        fprintf(f,
                "  queue %u: %" PRIu32 " of %u, first line 0x%" PRIx64
                " of set %" PRIu32 ", warp %u\n",
                i, q->queue[i].count, q->depth, m->addr,
                mem_tags_set(&cache->tags, m->addr), m->warp);
    }
}
