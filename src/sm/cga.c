/* src/sm/cga.c - see cga.h. */
#include "sm/cga.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "sm/state.h"

static const stat_desc descs[] = {
#define STAT(id, unit, help) STAT_DESC(sm_cga_stats, id, unit, help),
#include "sm/cga_stats.def"
#undef STAT
};

const stats_block sm_cga_stats_block = {"sm[*].cga",
                                        "an SM's part in thread-block clusters",
                                        descs, COUNTOF(descs)};

void sm_cga_init(sm *s, stats *reg, const char *name)
{
    char path[48];

    if (!s->port.to_cga)
        return;
    snprintf(path, sizeof path, "%s.cga", name);
    stats_add(reg, path, descs, COUNTOF(descs), &s->cga.st);
}

unsigned sm_cga_words(sm *s, const sm_cga_word **list)
{
    unsigned n = s->cga.taken ? 0 : s->cga.count;

    s->cga.taken = true;
    *list = s->cga.word;
    return n;
}

static void tell(sm *s, const sm_cta *c, bool left)
{
    sm_cga_words_said *to = &s->cga;

    if (to->taken) {
        to->taken = false;
        to->count = 0;
    }
    if (to->count == to->room)
        GROW(to->word, to->count + 1, to->room);
    to->word[to->count++] = (sm_cga_word){
        .cycle = s->now, .cga = c->x.cga, .rank = c->x.rank, .left = left};
}

/* All CTAs of the cluster have arrived: warps that wait go on after the latency
 * of the class. */
static void release(sm *s, sm_cta *c)
{
    for (uint64_t set = c->at_cga.arrived; set; set &= set - 1)
        s->x[bits_ctz64(set)].cga_lanes = 0;
    for (uint64_t set = c->at_cga.waiting; set; set &= set - 1) {
        unsigned w = bits_ctz64(set);

        s->warp[w].outstanding++;
        sm_event_at(s, s->now + s->ctas.barrier_latency, EVENT_WAKE, w, 0, 0);
    }
    c->at_cga = (exec_cga_part){0};
}

/* A CTA that is alone is a cluster. */
static void check(sm *s, sm_cta *c)
{
    if (!exec_cga_complete(&c->at_cga, c->x.live_warps))
        return;
    if (!c->x.cga) {
        release(s, c);
        return;
    }
    c->at_cga.told = true;
    tell(s, c, false);
}

void sm_cga_meet(sm *s, unsigned w)
{
    sm_cta *c = &s->ctas.cta[s->warp[w].cta];

    s->st.barriers++;
    if (exec_cga_meet(&c->at_cga, &s->x[w], w, &s->bar[w]))
        sm_warp_set(s, w, WHY_BARRIER);
    else
        sm_warp_resume(s, w);
    check(s, c);
}

void sm_cga_leave(sm *s, unsigned cta, unsigned w)
{
    sm_cta *c = &s->ctas.cta[cta];

    c->at_cga.arrived &= ~BIT(w);
    if (!c->x.live_warps && c->x.cga)
        tell(s, c, true);
    else
        check(s, c);
}

void sm_cga_release(sm *s, uint64_t when, uint32_t serial)
{
    MUST(when > s->now);
    sm_event_at(s, when, EVENT_CGA, 0, 0, serial);
    if (when < s->time.change)
        s->time.change = when;
}

void sm_cga_land(sm *s, uint32_t serial)
{
    for (unsigned i = 0; i < s->cfg->sm.ctas; i++) {
        sm_cta *c = &s->ctas.cta[i];

        if (c->taken && c->x.cga && c->x.cga->serial == serial)
            release(s, c);
    }
}
