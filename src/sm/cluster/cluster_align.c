/* src/sm/cluster/cluster_align.c - gpu.cluster.reform=aligned: members that
 * happen to stand at the same place share again with the warps they have. */
#include <string.h>

#include "base/bits.h"
#include "base/must.h"
#include "sm/cluster/cluster_impl.h"
#include "sm/slots.h"

/* Nothing of it is under way: it could issue, or is at a CTA barrier. */
static bool stands_still(const sm *s, unsigned w)
{
    const sm_warp *p = &s->warp[w];
    bool still = p->why == WHY_READY || p->why == WHY_TURN ||
                 p->why == WHY_FETCH || p->why == WHY_ICACHE ||
                 p->why == WHY_BARRIER;

    return still && !p->outstanding && !p->queued && !p->loads && !p->ended &&
           s->hazards.policy->ops->idle(s->hazards.policy, w);
}

static bool same_warp(const sm *a, const sm *b, unsigned w)
{
    bool waits = a->warp[w].why == WHY_BARRIER;

    return stands_still(a, w) && stands_still(b, w) &&
           waits == (b->warp[w].why == WHY_BARRIER) &&
           wide_warp_alike(&a->x[w].simt, &b->x[w].simt);
}

static bool same_barriers(const sm_cta *a, const sm_cta *b)
{
    if (a->arrived != b->arrived || a->x.live_warps != b->x.live_warps)
        return false;
    for (uint64_t set = a->arrived; set; set &= set - 1) {
        const sm_barrier *p = &a->barrier[bits_ctz64(set)];
        const sm_barrier *q = &b->barrier[bits_ctz64(set)];

        if (p->arrived != q->arrived || p->expected != q->expected ||
            p->waiting != q->waiting)
            return false;
    }
    return true;
}

static bool same_cta(const sm_cta *a, const sm_cta *b)
{
    if (a->taken != b->taken)
        return false;
    return !a->taken || (a->grid == b->grid && a->place == b->place &&
                         a->slots == b->slots && a->warps == b->warps &&
                         a->running == b->running && same_barriers(a, b));
}

static bool same(const sm *a, const sm *b)
{
    if (a->resident != b->resident || a->ctas.warps != b->ctas.warps ||
        a->lsu.count || b->lsu.count)
        return false;
    for (uint64_t set = a->resident; set; set &= set - 1)
        if (!same_warp(a, b, bits_ctz64(set)))
            return false;
    for (unsigned i = 0; i < a->cfg->sm.ctas; i++)
        if (!same_cta(&a->ctas.cta[i], &b->ctas.cta[i]))
            return false;
    return true;
}

bool sm_cluster_aligned(const sm *s, unsigned *launch)
{
    const sm_cluster *h = s->cluster;
    const sm_cta *first = NULL;

    if (h->mode != CLUSTER_ALONE || !s->residents || s->fault.kind)
        return false;
    for (unsigned k = 1; k < h->members; k++)
        if (h->member[k]->cluster->mode != CLUSTER_ALONE ||
            !same(s, h->member[k]))
            return false;
    for (unsigned i = 0; i < s->cfg->sm.ctas; i++) {
        if (!s->ctas.cta[i].taken)
            continue;
        first = first ? first : &s->ctas.cta[i];
        if (s->ctas.cta[i].grid != first->grid)
            return false;
    }
    *launch = first->grid;
    return true;
}

/* The inverse of a slave's going alone: its front end forgets what it had. */
static void follow(sm *s, uint64_t formed)
{
    sm_cluster_set_front_end(s, &sm_front_slave);
    for (uint64_t set = s->resident; set; set &= set - 1) {
        unsigned w = bits_ctz64(set);

        sm_table_stage_forget(s, w);
        sm_fetch_flush(s, w);
        s->constant.found[w] = 0;
        if (s->warp[w].why != WHY_BARRIER)
            sm_warp_set(s, w, WHY_FOLLOW);
    }
    sm_event_at(s, formed, EVENT_CLUSTER, 0, 0, DUE_FORMED);
}

void sm_cluster_align(sm *s, uint64_t now)
{
    sm_cluster *h = s->cluster;
    uint64_t formed = now + h->ack + s->residents + h->broadcast;

    for (unsigned k = 0; k < h->members; k++) {
        sm *m = k ? h->member[k] : s;

        sm_slots_account(m, now);
        sm_cluster_set_mode(m, now, CLUSTER_FORMING);
        if (k)
            follow(m, formed);
        *m->cluster->wake = now < *m->cluster->wake ? now : *m->cluster->wake;
    }
    sm_cluster_become_master(s, now);
    s->st.forms_aligned++;
    memset(h->empty, 0, sizeof h->empty);
    memset(h->cta_ended, 0, sizeof h->cta_ended);
    memset(h->warp_ended, 0, sizeof h->warp_ended);
    memset(h->laneless, 0, sizeof h->laneless);
    for (unsigned w = 0; w < SM_WARPS; w++)
        h->grouped[w] = s->x[w].simt.depth ? sm_cluster_all(h) : 0;
    for (uint64_t set = s->wait[WHY_READY]; set; set &= set - 1)
        sm_warp_set(s, bits_ctz64(set), WHY_SWITCH);
    sm_event_at(s, formed, EVENT_CLUSTER, 0, 0, DUE_FORMED);
}

void sm_cluster_formed(sm *s)
{
    sm_cluster_set_mode(s, s->now, CLUSTER_SHARED);
    if (s->front_end == &sm_front_slave) {
        sm_cluster_sleep(s, s->now);
        return;
    }
    for (uint64_t set = s->wait[WHY_SWITCH]; set; set &= set - 1)
        if (!sm_table_stage_goes_on(s, bits_ctz64(set)))
            sm_warp_head(s, bits_ctz64(set));
}
