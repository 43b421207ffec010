/* tests/unit/cache/l1_watch.h - compares an L1 in its rig with the model in
 * every cycle, and what it records of itself with what always holds. */
#ifndef L1_WATCH_H
#define L1_WATCH_H

#include "cache/l1_impl.h"
#include "l1_model_queue.h"
#include "l1_rig.h"

typedef struct watch {
    model *m;
    event_log log;
    l1_ports ports;
    const mem_msg *asked; /* by tag */
    unsigned n, fences, performed;
    bool done[RIG_TAGS]; /* by tag: was performed */
    const char *broken;  /* what did not hold first, */
    uint64_t at;         /* and when */
    uint32_t before[4];  /* what ports held: requests, fills, the rest */
} watch;

static bool same_message(const mem_msg *a, const mem_msg *b)
{
    return a->addr == b->addr && a->kind == b->kind && a->client == b->client &&
           a->sectors == b->sectors && a->payload == b->payload &&
           a->partial == b->partial && a->hit == b->hit &&
           (a->client == CLIENT_L1 || (a->tag == b->tag && a->ack == b->ack));
}

/* The last `n` messages of a port. */
static bool same_end(const mem_port *p, const mem_msg *want, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!same_message(&p->ring[(p->head + p->count - n + i) & p->mask],
                          &want[i]))
            return false;
    return true;
}

/* The oldest request to the line that was not performed yet is the one that an
 * event tells of: requests to a line are performed in their order, each once,
 * none that was not asked. */
static const char *watch_event(watch *w, const trace_event *e,
                               const model_act *want)
{
    unsigned i = 0;

    while (i < w->n && (w->done[i] || w->asked[i].addr != e->addr ||
                        w->asked[i].kind == MEM_FENCE))
        i++;
    if (i == w->n)
        return "a request is performed that nobody asked, or twice";
    if (w->asked[i].born != e->cycle - e->inst)
        return "requests to a line are not performed in their order";
    w->done[i] = true;
    w->performed++;
    if (want->m.addr != e->addr || want->m.born != e->cycle - e->inst)
        return "another request is performed than the model says";
    return want->how == e->a ? NULL : "a request finds what the model does not";
}

static const char *watch_events(watch *w)
{
    const char *broken = NULL;
    unsigned act = 0;

    for (size_t i = 0; i < w->log.count && !broken; i++) {
        const trace_event *e = &w->log.event[i];

        if (e->kind != TRACE_L1_ACCESS)
            continue;
        if (act == w->m->acts)
            return "a request is performed, against the model";
        broken = watch_event(w, e, &w->m->act[act++]);
    }
    if (!broken && act < w->m->acts)
        broken = "no request is performed, against the model";
    w->log.count = 0;
    return broken;
}

static const char *watch_ports(const watch *w, const rig *r)
{
    const model *m = w->m;

    if (r->to_lsu.count != w->before[2] + m->replies ||
        !same_end(&r->to_lsu, m->reply, m->replies))
        return "replies differ from the model's";
    if (r->from_net.count != w->before[1] - m->received)
        return "another fill is taken than the model takes";
    if (r->to_net.count != w->before[3] + m->sends ||
        !same_end(&r->to_net, m->sent, m->sends))
        return "messages to the network differ from the model's";
    if (r->from_lsu.count != w->before[0] - m->taken)
        return "requests leave the port, or not, against the model";
    return NULL;
}

/* Lines with sectors awaited, counted three ways. */
static const char *watch_reserved(const watch *w, const rig *r)
{
    const mem_tags *t = &r->b->tags;

    for (unsigned set = 0; set < t->sets; set++) {
        unsigned n = 0;

        for (unsigned way = 0; way < t->ways; way++)
            n += t->state[set * t->ways + way].pending != 0;
        if (n != t->reserved[set] || n != model_reserved(w->m, set))
            return "the count of reserved lines of a set is wrong";
    }
    return NULL;
}

static const char *watch_state(const watch *w, const rig *r)
{
    static const l1_refusal same_as[CAUSES] = {
        L1_OK,         L1_SET_FULL,  L1_MSHR_ENTRY, L1_MSHR_MERGE,
        L1_MISS_QUEUE, L1_DATA_PORT, L1_REPLY};
    const model *m = w->m;
    unsigned held = r->from_lsu.count + model_fences(m);

    if (r->b->stall != same_as[m->cause])
        return "the cause of a blocked cycle is not the model's";
    for (unsigned i = 0; i < MODEL_QUEUES; i++)
        held += m->queue[i].count;
    if (r->b->queue->ops->count(r->b->queue) != held)
        return "queues do not hold what the model's do";
    if (mem_mshr_count(r->b->mshr) != model_entries(m))
        return "MSHRs in use are not the model's";
    if (r->b->misses.count != m->misses.count)
        return "the miss queue does not hold what the model's does";
    return m->acts || m->received ? watch_reserved(w, r) : NULL;
}

static void watch_observe(rig *r, bool after)
{
    watch *w = r->observer;

    if (!after) {
        const mem_port *const p[4] = {&r->from_lsu, &r->from_net, &r->to_lsu,
                                      &r->to_net};

        for (unsigned i = 0; i < 4; i++)
            w->before[i] = p[i]->count;
        model_step(w->m, r->now);
        return;
    }
    const char *broken = watch_events(w);
    if (!broken)
        broken = watch_ports(w, r);
    if (!broken)
        broken = watch_state(w, r);
    if (broken) {
        w->broken = broken;
        w->at = r->now;
        r->stop = true;
    }
}

/* Before rig_run, which then is without skipping. `ways`: of a set that are
 * used, 0: all; `asked`: requests by tag, all traced. */
static watch *watch_new(rig *r, unsigned ways, const mem_msg *asked, unsigned n)
{
    watch *w = calloc(1, sizeof *w);

    CHECK(w != NULL);
    w->ports = (l1_ports){&r->from_lsu, &r->to_lsu, &r->to_net, &r->from_net, 3,
                          CLIENT_L1,    NULL};
    w->m = model_new(&r->cfg, &w->ports, ways);
    w->log.filter.to = NEVER;
    w->asked = asked;
    w->n = n;
    for (unsigned i = 0; i < n; i++)
        w->fences += asked[i].kind == MEM_FENCE;
    l1_trace(r->b, &w->log, 0);
    r->no_skip = true;
    r->observe = watch_observe;
    r->observer = w;
    return w;
}

static void watch_free(watch *w)
{
    free(w->log.event);
    free(w->m);
    free(w);
}

/* Counters of queues. */
static const char *watch_queues(const watch *w, const rig *r)
{
#define X(id)                                                                  \
    if (rig_stat(r, "queue." #id) != w->m->st.id)                              \
        return "counter queue." #id " is not the model's";
    MODEL_QUEUE_COUNTERS(X)
#undef X
    for (unsigned i = 0; i < 32; i++)
        if (rig_bin(r, "queue.grants", i) != w->m->st.grants[i] ||
            rig_bin(r, "queue.held_by", i) != w->m->st.held_by[i])
            return "a counter of one queue is not the model's";
    for (unsigned i = 0; i < 20; i++) {
        unsigned bin = i < 18 ? i : i == 18 ? 32 : 64;

        if (rig_bin(r, "queue.held", bin) != w->m->st.held[i] ||
            rig_bin(r, "queue.early", bin) != w->m->st.early[i] ||
            rig_bin(r, "queue.late", bin) != w->m->st.late[i])
            return "a histogram of queues is not the model's";
    }
    return NULL;
}

/* What follows from the rules without the model. */
static const char *watch_sums(const watch *w, const rig *r)
{
    static const char *const refusals[] = {
        "stall_set_full",   "stall_mshr_entry", "stall_mshr_merge",
        "stall_miss_queue", "stall_data_port",  "stall_reply"};
    static const char *const fetched[] = {
        "global_read_misses", "global_read_sector_misses", "local_read_misses",
        "local_read_sector_misses"};
    uint64_t blocked = 0, fills = 0;
    const config *c = &r->cfg;

    for (unsigned i = 0; i < COUNTOF(refusals); i++)
        blocked += rig_stat(r, refusals[i]);
    if (blocked != rig_stat(r, "blocked_cycles"))
        return "causes do not add up to blocked cycles";
    for (unsigned i = 0; i < COUNTOF(fetched); i++)
        fills += rig_stat(r, fetched[i]);
    if (fills != rig_stat(r, "fills"))
        return "there are not as many fills as misses";
    if (c->l1.queue == CFG_L1_QUEUE_FIFO)
        return rig_stat(r, "input_blocked") == blocked
                   ? NULL
                   : "fifo: cycles blocked at the tags and at the port differ";
    if (rig_stat(r, "queue.entered") + rig_stat(r, "queue.bypassed") +
            rig_stat(r, "queue.passed") !=
        w->n - w->fences)
        return "requests are neither queued nor let by";
    if (w->m->most > model_depth(w->m))
        return "a queue holds more than its depth";
    if (c->l1.queue == CFG_L1_QUEUE_REOD &&
        c->l1.reod.select == CFG_REOD_SELECT_AWARE &&
        w->m->longest >= c->l1.reod.queues)
        return "a head that can be performed waits for too many others";
    return NULL;
}

/* After rig_run: NULL or what does not hold. */
static const char *watch_end(watch *w, rig *r)
{
    uint64_t answers = 0;

    if (w->broken)
        return w->broken;
    for (unsigned i = 0; i < w->n; i++)
        answers += w->asked[i].kind != MEM_WRITE || w->asked[i].ack;
    if (w->performed != w->n - w->fences)
        return "requests are never performed";
    if (r->done != answers || !l1_idle(r->b))
        return "requests are never answered";
    model_count_refused(w->m, w->n);
#define X(id)                                                                  \
    if (rig_stat(r, #id) != w->m->st.id)                                       \
        return "counter " #id " is not the model's";
    MODEL_COUNTERS(X)
#undef X
    for (unsigned i = 0; i < 14; i++)
        if (rig_bin(r, "reserved_taken", i < 13 ? i : 16) !=
            w->m->st.reserved_taken[i])
            return "a histogram of reserved lines is not the model's";
    const char *broken = watch_sums(w, r);
    if (!broken && r->cfg.l1.queue != CFG_L1_QUEUE_FIFO)
        broken = watch_queues(w, r);
    return broken;
}

#endif
