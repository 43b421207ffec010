#include "mem/event_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

const char *const trace_names[TRACE_KINDS] = {
#define TRACE(id, block, name) name,
#include "mem/event_log.def"
#undef TRACE
};

const uint8_t trace_blocks[TRACE_KINDS] = {
#define TRACE(id, block, name) TRACE_##block,
#include "mem/event_log.def"
#undef TRACE
};

const char *const trace_access_names[ACCESSES] = {
    "hit", "miss", "sector miss", "merged", "passed on", "written"};

const char *const trace_queue_names[TRACE_QUEUES] = {
    "MSHRs", "miss queue", "MSHRs",         "miss queue",
    "reads", "writes",     "request queues"};

void event_log_add(event_log *l, const trace_event *e)
{
    GROW(l->event, l->count + 1, l->room);
    l->event[l->count++] = *e;
}

void event_log_request(event_log *l, uint64_t now, trace_kind kind,
                       unsigned unit, unsigned sm, const mem_msg *m, uint32_t a,
                       unsigned b)
{
    if (!event_log_covers(l, now))
        return;
    event_log_add(l, &(trace_event){.cycle = now,
                                    .addr = m->addr,
                                    .inst = (uint32_t)(now - m->born),
                                    .a = a,
                                    .b = (uint16_t)b,
                                    .unit = (uint16_t)unit,
                                    .sm = (uint16_t)sm,
                                    .kind = (uint8_t)kind});
}

bool trace_event_valid(const trace_event *e, unsigned sms, unsigned slices,
                       unsigned channels)
{
    bool level = e->kind >= TRACE_L1_LEVEL;
    bool access = e->kind == TRACE_L1_ACCESS || e->kind == TRACE_L2_ACCESS;
    bool refusal = e->kind == TRACE_L1_REFUSE || e->kind == TRACE_L2_REFUSE;

    if ((level && e->b >= TRACE_QUEUES) || (access && e->a >= ACCESSES) ||
        (e->kind == TRACE_STAGE && e->a >= 4) ||
        (refusal && e->a >= (e->kind == TRACE_L1_REFUSE ? 7 : 8)))
        return false;
    switch ((trace_block)trace_blocks[e->kind]) {
    case TRACE_SM:
        return e->unit < sms;
    case TRACE_L1:
        return e->unit < 2 * sms;
    case TRACE_NET:
        return e->unit < sms + slices;
    case TRACE_L2:
        return e->unit < slices;
    case TRACE_DRAM:
    case TRACE_COMMAND:
        return e->unit < channels;
    }
    return false;
}

/* ---- Delivery ---- */

void event_sort_fini(event_sort *m)
{
    free(m->event);
    *m = (event_sort){.event = NULL};
}

static void reserve_events(event_sort *m, size_t more)
{
    if (m->count + more <= m->room)
        return;
    m->room = 2 * (m->count + more);
    m->event = renew(m->event, m->room, sizeof *m->event);
}

void event_sort_take(event_sort *m, event_log *from)
{
    reserve_events(m, from->count);
    if (from->count)
        memcpy(m->event + m->count, from->event,
               from->count * sizeof *from->event);
    m->count += from->count;
    from->count = 0;
}

/* Merges the sorted runs [at, middle) and [middle, end) of `from`. */
static void merge_runs(const trace_event *from, trace_event *to, size_t at,
                       size_t middle, size_t end)
{
    size_t a = at, b = middle;

    for (size_t i = at; i < end; i++) {
        bool first = b == end ||
                     (a < middle && trace_key(&from[a]) <= trace_key(&from[b]));

        to[i] = first ? from[a++] : from[b++];
    }
}

/* Stable, which qsort is not. */
static void sort(event_sort *m)
{
    trace_event *other = new_array(m->count + 1, sizeof *other);

    for (size_t run = 1; run < m->count; run *= 2) {
        trace_event *sorted = other;

        for (size_t at = 0; at < m->count; at += 2 * run) {
            size_t middle = at + run < m->count ? at + run : m->count;
            size_t end = middle + run < m->count ? middle + run : m->count;

            merge_runs(m->event, sorted, at, middle, end);
        }
        other = m->event;
        m->event = sorted;
    }
    free(other);
    m->room = m->count;
}

trace_event *event_sort_get(event_sort *m, uint64_t before, size_t *n)
{
    *n = 0;
    if (m->count)
        sort(m);
    while (*n < m->count && m->event[*n].cycle < before)
        ++*n;
    return m->event;
}

void event_sort_drop(event_sort *m, size_t n)
{
    if (!n)
        return;
    m->count -= n;
    memmove(m->event, m->event + n, m->count * sizeof *m->event);
}
