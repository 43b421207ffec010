#include "sm/cluster/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "sm/cluster/cluster_impl.h"
#include "sm/cta.h"
#include "sm/slots.h"

/* ---- construction ---- */

void sm_cluster_init(sm *s)
{
    const config *cfg = s->cfg;

    if (cfg->gpu.cluster.size == 1)
        return;
    sm_cluster *h = s->cluster = new0(1, sizeof *h);
    h->members = 1;
    h->broadcast = cfg->gpu.cluster.broadcast;
    h->ack = cfg->gpu.cluster.ack;
    h->lag = cfg->gpu.cluster.skew ? 0 : h->broadcast;
    h->late_room = 1;
    for (unsigned i = 0; i < COUNTOF(h->own); i++)
        sm_link_init(&h->own[i]);
}

void sm_cluster_fini(sm *s)
{
    sm_cluster *h = s->cluster;

    if (!h)
        return;
    for (unsigned i = 0; i < COUNTOF(h->own); i++)
        sm_link_fini(&h->own[i]);
    free(h->late);
    free(h->ldc);
    free(h);
}

void sm_cluster_join(sm *const member[], uint64_t *const wake[], unsigned n)
{
    sm_cluster *first = member[0]->cluster;

    for (unsigned i = 0; i < n; i++) {
        sm_cluster *h = member[i]->cluster;

        h->members = n;
        h->self = i;
        h->wake = wake[i];
        if (!i)
            continue;
        h->own[0].wake = h->own[1].wake = wake[i];
        h->own[2].wake = h->own[3].wake = wake[0];
        first->member[i] = member[i];
        first->control[i] = h->control[0] = &h->own[0];
        first->insts[i] = h->insts[0] = &h->own[1];
        first->answer[i] = h->answer[0] = &h->own[2];
        first->acks[i] = h->acks[0] = &h->own[3];
    }
}

/* ---- results that are on their way ---- */

static void grow(sm_cluster *h)
{
    uint32_t from = h->late_room, room = from > 1 ? 2 * from : 64;

    MUST(room <= UINT16_MAX);
    h->late = renew(h->late, room, sizeof *h->late);
    for (uint32_t i = from; i < room; i++)
        h->late[i].next = (uint16_t)(i + 1 < room ? i + 1 : 0);
    h->late_free = (uint16_t)from;
    h->late_room = room;
}

void sm_cluster_add_late(sm_cluster *h, unsigned w, uint32_t pc, uint8_t have)
{
    if (!h->late_free)
        grow(h);
    uint16_t i = h->late_free;
    h->late_free = h->late[i].next;
    h->late[i] = (sm_late){.pc = pc, .next = h->first_late[w], .have = have};
    h->first_late[w] = i;
}

uint16_t *sm_cluster_find_late(sm_cluster *h, unsigned w, uint32_t pc)
{
    uint16_t *at = &h->first_late[w];

    while (*at && h->late[*at].pc != pc)
        at = &h->late[*at].next;
    return *at ? at : NULL;
}

void sm_cluster_drop_late(sm_cluster *h, uint16_t *at)
{
    uint16_t i = *at;

    *at = h->late[i].next;
    h->late[i].next = h->late_free;
    h->late_free = i;
}

void sm_cluster_set_mode(sm *s, uint64_t now, sm_cluster_mode mode)
{
    sm_slots_count_cycles(s, now);
    if (s->observe.trace && mode != s->cluster->mode)
        sm_trace_stage(s, now, mode);
    s->cluster->mode = mode;
    s->time.change = now;
    s->launches.untouched = false;
}

void sm_cluster_set_front_end(sm *s, const sm_front_end *front_end)
{
    s->front_end = front_end;
    sm_policies(s);
    sm_slots_reopen(s);
}

/* ---- the master issues ---- */

void sm_cluster_note_outcome(sm *s, sm_outcome *o, unsigned w, uint32_t at,
                             exec_result r)
{
    const simt *t = &s->x[w].simt;

    *o = (sm_outcome){.pc = r == EXEC_BLOCKED ? UINT32_MAX : t->pc,
                      .at = at,
                      .depth = t->depth,
                      .ended = !t->live,
                      .laneless = t->live && !t->active};
    if (r == EXEC_BARRIER)
        o->barrier = 1 + s->bar[w].number + (s->bar[w].count << 8);
}

/* ---- CTAs ---- */

void sm_cluster_release_all(sm *s)
{
    for (unsigned i = 0; i < s->cfg->sm.ctas; i++)
        if (s->ctas.cta[i].taken && !s->ctas.cta[i].running)
            sm_cta_release(s, i);
}

/* ---- time ---- */

void sm_cluster_event(sm *s, const sm_event *e)
{
    sm_cluster *h = s->cluster;

    switch (e->arg) {
    case DUE_FORMED:
        if (h->mode == CLUSTER_FORMING)
            sm_cluster_formed(s);
        break;
    case DUE_ASLEEP:
        if (h->mode == CLUSTER_SHARED && h->sleep_at == s->now)
            sm_power_set(s, s->now, false);
        break;
    case DUE_AWAKE: /* the end of its issue stage sees to it */
        break;
    case DUE_LOADED:
        sm_cluster_slave_leaves(s);
        break;
    case DUE_WINDOW:
        sm_cluster_end_window(s);
        break;
    }
}

void sm_cluster_clear(sm *s)
{
    sm_cluster *h = s->cluster;

    if (!h)
        return;
    MUST(!s->ctas.count && !h->ldcs);
    sm_cluster_set_mode(s, s->time.counted, CLUSTER_ALONE);
    sm_cluster_set_front_end(s, &sm_front_private);
    sm_power_set(s, s->time.counted, true);
    s->lsu.limit = s->cfg->sm.lsu.queue;
    for (unsigned i = 0; i < COUNTOF(h->own); i++)
        sm_link_clear(&h->own[i]);
    h->windows = h->slipping = h->starting = h->waking = h->loading = false;
    h->fixed = 0;
    h->reporting = h->leaving = 0;
    memset(h->outcome, 0, sizeof h->outcome);
    memset(h->warp_ended, 0, sizeof h->warp_ended);
    memset(h->laneless, 0, sizeof h->laneless);
}

sm_cluster_mode sm_cluster_mode_of(const sm *s)
{
    return s->cluster ? s->cluster->mode : CLUSTER_ALONE;
}

bool sm_cluster_receive(sm *s, uint64_t now)
{
    sm_cluster *h = s->cluster;
    bool received = h->mode == CLUSTER_FORMING;

    if (!h->self) {
        for (unsigned k = 1; k < h->members; k++)
            received = received || sm_link_next(h->answer[k]) <= now ||
                       sm_link_next(h->acks[k]) <= now;
    } else {
        const sm_word *word;

        s->now = now;
        received = sm_link_next(h->insts[0]) <= now;
        while (!h->starting && (word = sm_link_peek(h->control[0], now))) {
            sm_word copy = *word;

            sm_link_pop(h->control[0]);
            received = true;
            sm_cluster_take_order(s, now, &copy);
        }
    }
    if (received)
        s->time.change = now;
    return received;
}

uint64_t sm_cluster_next(const sm *s)
{
    const sm_cluster *h = s->cluster;
    uint64_t next = UINT64_MAX, t;

    for (unsigned k = 1; !h->self && k < h->members; k++) {
        t = sm_link_next(h->answer[k]);
        next = t < next ? t : next;
        t = sm_link_next(h->acks[k]);
        next = t < next ? t : next;
    }
    if (!h->self)
        return next;
    t = sm_link_next(h->insts[0]);
    next = sm_link_next(h->control[0]);
    return t < next ? t : next;
}

bool sm_cluster_starts(sm *s, unsigned row)
{
    s->cluster->row = row;
    return s->front_end->starts_cta(s);
}
