#include "sm/observe/profile.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "sm/slots.h"
#include "sm/state.h"

static const stat_desc profile_desc[] = {
#define STAT(id, unit, help) STAT_DESC(sm_profile_row, id, unit, help),
#include "sm/observe/profile.def"
#undef STAT
};

const stats_block sm_profile_block = {"", "counters by instruction",
                                      profile_desc, COUNTOF(profile_desc)};

void sm_profile_sum(sm_profile_row *to, const sm_profile_row *from)
{
    for (unsigned i = 0; i < WHY_STALLS; i++)
        to->stall[i] += from->stall[i];
    for (unsigned i = 0; i < WHY_COUNT; i++)
        to->wait[i] += from->wait[i];
#define STAT(id, unit, help) to->id += from->id;
#include "sm/observe/profile.def"
#undef STAT
}

sm_profile_row *sm_profile_at(const sm *s, unsigned w, uint32_t pc)
{
    return &s->launches.grid[s->warp[w].grid].rows[pc];
}

static void all_to_none(sm *s)
{
    sm_profile *p = s->observe.profile;

    for (unsigned w = 0; w < SM_WARPS; w++)
        if (!(s->resident >> w & 1))
            p->at[w] = p->issued[w] = &p->none;
}

void sm_profile_begin(sm *s, unsigned n)
{
    sm_grid *g = &s->launches.grid[n];
    sm_profile *p = s->observe.profile;

    MUST(!g->rows && (p || !s->residents));
    if (!p)
        p = new0(1, sizeof *p);
    if (!s->observe.profile) {
        s->observe.profile = p;
        s->observe.any = true;
        sm_slots_observe(s);
        all_to_none(s);
        for (unsigned i = 0; i < SM_SCHEDULERS; i++)
            s->issue.charge[i].row = &p->none;
    }
    g->rows = new0(g->code.count, sizeof *g->rows);
    p->launches++;
}

/* No pointer leads to the rows of launch `n` any more. */
static void forget_launch(sm *s, const sm_grid *g)
{
    sm_profile *p = s->observe.profile;

    all_to_none(s);
    for (unsigned i = 0; i < SM_SCHEDULERS; i++) {
        sm_charge *c = &s->issue.charge[i];

        if (c->row >= g->rows && c->row < g->rows + g->code.count)
            c->row = &p->none;
    }
}

static void drop(sm *s)
{
    for (unsigned i = 0; i < SM_SCHEDULERS; i++)
        s->issue.charge[i].row = NULL;
    free(s->observe.profile);
    s->observe.profile = NULL;
    s->observe.any = s->observe.trace || s->observe.spin;
    sm_slots_observe(s);
}

void sm_profile_end(sm *s, unsigned n, sm_profile_row *to)
{
    sm_profile *p = s->observe.profile;
    sm_grid *g = &s->launches.grid[n];

    if (!g->rows)
        return;
    for (unsigned w = 0; w < SM_WARPS; w++) /* after a fault or a limit */
        if ((s->resident >> w & 1) && s->warp[w].grid == n)
            sm_profile_warp(s, w, (sm_why)s->warp[w].why);
    for (uint32_t i = 0; i < g->code.count; i++)
        sm_profile_sum(&to[i], &g->rows[i]);
    sm_profile_sum(&to[g->code.count], &p->none);
    p->none = (sm_profile_row){0};
    forget_launch(s, g);
    free(g->rows);
    g->rows = NULL;
    if (!--p->launches)
        drop(s);
}

void sm_profile_issue(sm *s, unsigned w, const sm_inst *si, uint32_t pc,
                      uint32_t before)
{
    sm_profile *p = s->observe.profile;
    sm_profile_row *r = sm_profile_at(s, w, pc);
    const exec_warp *x = &s->x[w];

    r->insts++;
    r->lanes += bits_popcount32(x->ran);
    if (si->in->op == ISA_BRA || si->in->op == ISA_BRX)
        r->diverged += (before & ~x->simt.active) != 0;
    p->issued[w] = r;
    if (!s->front_end->fetches) /* it was unknown before when it issues */
        sm_profile_warp(s, w, WHY_READY);
    if (s->now >= p->since[w]) { /* up to this cycle, and in it */
        r->wait[WHY_READY] += s->now + 1 - p->since[w];
        p->since[w] = s->now + 1;
    }
}

/* What the cycles of warp `w` go to while it waits for `why`. */
static sm_profile_row *waits_at(const sm *s, unsigned w, sm_why why)
{
    sm_profile *p = s->observe.profile;
    uint32_t pc = s->x[w].simt.pc;

    if (why == WHY_NO_WARP)
        return &p->none;
    if (sm_why_is_inside(why))
        return p->issued[w];
    return pc < sm_code_count(s, w) ? sm_profile_at(s, w, pc) : &p->none;
}

void sm_profile_warp(sm *s, unsigned w, sm_why why)
{
    sm_profile *p = s->observe.profile;
    sm_why was = (sm_why)s->warp[w].why;

    if (s->now > p->since[w]) {
        if (was != WHY_NO_WARP)
            p->at[w]->wait[was] += s->now - p->since[w];
        p->since[w] = s->now;
    } else if (why == WHY_NO_WARP && s->now < p->since[w]) {
        /* It ends in the cycle of its last issue, in which it does not count
         * as resident. */
        p->issued[w]->wait[WHY_READY]--;
    }
    p->at[w] = waits_at(s, w, why);
}

void sm_profile_begin_warps(sm *s, uint64_t set, uint64_t now)
{
    sm_profile *p = s->observe.profile;

    for (; set; set &= set - 1) {
        p->since[bits_ctz64(set)] = now;
        p->issued[bits_ctz64(set)] = &p->none;
    }
}

void sm_profile_slots(sm *s, unsigned n, uint64_t when)
{
    const sm_charge *c = &s->issue.charge[n];

    c->row->stall[c->why] += when - c->since;
}

sm_profile_row *sm_profile_blame(const sm *s, unsigned n, sm_why why)
{
    const sm_scheduler *q = &s->issue.scheduler[n];
    sm_why as = why <= WHY_COLLECTOR ? WHY_READY
                : why == WHY_WRITES  ? WHY_TURN
                                     : why;
    uint64_t set = s->wait[as] & q->mask;
    uint64_t mem = set & s->mem_heads;

    if (why == WHY_NO_WARP || !set)
        return &s->observe.profile->none;
    if (why == WHY_LSU && mem)
        set = mem;
    else if (why == WHY_UNIT && sm_lsu_full(&s->lsu) && (set & ~mem))
        set &= ~mem;
    return s->observe.profile->at[sm_scheduler_pick(q, set, &s->issue.ages)];
}
