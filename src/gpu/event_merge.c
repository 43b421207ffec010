#include "gpu/event_merge.h"

#include <stdlib.h>

#include "base/alloc.h"

struct event_merge {
    const gpu_trace *ask;
    uint64_t start;
    trace_filter filter; /* cycles of the machine */
    event_log **log;
    unsigned logs;
    uint64_t late; /* cycles by which events may be recorded late */
    event_sort merge;
    bool over; /* no more is wanted */
};

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

event_merge *event_merge_new(const config *cfg, const gpu_trace *ask,
                             uint64_t start, unsigned logs)
{
    event_merge *t = new0(1, sizeof *t);

    t->ask = ask;
    t->start = start;
    t->filter = ask->filter;
    t->filter.from = plus(ask->filter.from, start);
    t->filter.to = plus(ask->filter.to, start);
    /* DRAM gives commands late, see dram_tick; fetches are told of when they
     * are decoded. */
    t->late = cfg->dram.latency + 2 + cfg->sm.fetch.decode +
              cfg->sm.l0i.latency + cfg->sm.l1i.latency;
    t->log = new0(logs, sizeof *t->log);
    return t;
}

void event_merge_free(event_merge *t)
{
    if (!t)
        return;
    event_sort_fini(&t->merge);
    free(t->log);
    free(t);
}

const trace_filter *event_merge_filter(const event_merge *t)
{
    return &t->filter;
}

void event_merge_add(event_merge *t, event_log *log)
{
    log->filter = t->filter;
    t->log[t->logs++] = log;
}

static void stop(event_merge *t)
{
    t->over = true;
    for (unsigned i = 0; i < t->logs; i++)
        t->log[i]->filter.to = 0;
}

/* Events that blocks know in advance may lie behind the last cycle. */
static size_t wanted(const event_merge *t, const trace_event *e, size_t n)
{
    while (n && e[n - 1].cycle >= t->filter.to)
        n--;
    return n;
}

void event_merge_deliver(event_merge *t, uint64_t now, bool end)
{
    uint64_t before = now > t->late ? now - t->late : 0;
    size_t n, some;

    for (unsigned i = 0; i < t->logs; i++)
        event_sort_take(&t->merge, t->log[i]);
    trace_event *e = event_sort_get(&t->merge, end ? NEVER : before, &n);
    some = t->over ? 0 : wanted(t, e, n);
    for (size_t i = 0; i < some; i++)
        e[i].cycle -= t->start;
    if (some && !t->ask->take(t->ask->arg, e, some))
        stop(t);
    event_sort_drop(&t->merge, n);
}
