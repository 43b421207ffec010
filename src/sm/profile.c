#include "sm/profile.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/must.h"
#include "sm/state.h"

static const stat_desc profile_desc[] = {
#define STAT(id, unit, help) STAT_DESC(sm_profile_row, id, unit, help),
#include "sm/profile.def"
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
#include "sm/profile.def"
#undef STAT
}

bool sm_profile_begin(sm *s, uint32_t count)
{
    sm_profile *p = calloc(1, sizeof *p);

    MUST(!s->profile && !s->residents);
    if (!p)
        return false;
    p->row = calloc((size_t)count + 1, sizeof *p->row);
    if (!p->row) {
        free(p);
        return false;
    }
    p->count = count;
    for (unsigned w = 0; w < SM_WARPS; w++)
        p->pc[w] = p->issued[w] = count;
    for (unsigned n = 0; n < SM_SCHEDULERS; n++)
        s->charge[n].pc = count;
    s->profile = p;
    s->watched = true;
    return true;
}

void sm_profile_end(sm *s, sm_profile_row *to)
{
    sm_profile *p = s->profile;

    if (!p)
        return;
    for (unsigned w = 0; w < SM_WARPS; w++) /* after a fault or a limit */
        if (s->resident >> w & 1)
            sm_profile_warp(s, w, (sm_why)s->warp[w].why);
    for (uint32_t i = 0; i <= p->count; i++)
        sm_profile_sum(&to[i], &p->row[i]);
    for (unsigned n = 0; n < SM_SCHEDULERS; n++)
        s->charge[n].pc = 0;
    free(p->row);
    free(p);
    s->profile = NULL;
    s->watched = s->trace != NULL;
}

void sm_profile_issue(sm *s, unsigned w, const sm_inst *si, uint32_t pc,
                      uint32_t before)
{
    sm_profile *p = s->profile;
    sm_profile_row *r = &p->row[pc];
    const exec_warp *x = &s->x[w];

    r->insts++;
    r->lanes += bits_popcount32(x->ran);
    if (si->in->op == ISA_BRA || si->in->op == ISA_BRX)
        r->diverged += (before & ~x->simt.active) != 0;
    p->issued[w] = pc;
    if (s->now >= p->since[w]) { /* up to this cycle, and in it */
        r->wait[WHY_READY] += s->now + 1 - p->since[w];
        p->since[w] = s->now + 1;
    }
}

static bool waits_inside(sm_why why)
{
    switch (why) {
    case WHY_BRANCH:
    case WHY_FENCE:
    case WHY_BARRIER:
    case WHY_SLEEP:
    case WHY_CONVERGE:
    case WHY_DRAIN:
        return true;
    default:
        return false;
    }
}

void sm_profile_warp(sm *s, unsigned w, sm_why why)
{
    sm_profile *p = s->profile;
    sm_why was = (sm_why)s->warp[w].why;
    uint32_t pc = waits_inside(why) ? p->issued[w] : s->x[w].simt.pc;

    if (s->now > p->since[w]) {
        if (was != WHY_NO_WARP)
            p->row[p->pc[w]].wait[was] += s->now - p->since[w];
        p->since[w] = s->now;
    } else if (why == WHY_NO_WARP && s->now < p->since[w]) {
        /* It ends in the cycle of its last issue, in which it does not count
         * as resident. */
        p->row[p->issued[w]].wait[WHY_READY]--;
    }
    p->pc[w] = pc < p->count && why != WHY_NO_WARP ? pc : p->count;
}

void sm_profile_begin_warps(sm *s, uint64_t set, uint64_t now)
{
    sm_profile *p = s->profile;

    for (; set; set &= set - 1) {
        p->since[bits_ctz64(set)] = now;
        p->issued[bits_ctz64(set)] = p->count;
    }
}

void sm_profile_slots(sm *s, unsigned n, uint64_t when)
{
    const sm_charge *c = &s->charge[n];

    s->profile->row[c->pc].stall[c->why] += when - c->since;
}

uint32_t sm_profile_blame(const sm *s, unsigned n, sm_why why)
{
    const sm_scheduler *q = &s->scheduler[n];
    sm_why as = why <= WHY_COLLECTOR ? WHY_READY
                : why == WHY_WRITES  ? WHY_TURN
                                     : why;
    uint64_t set = s->wait[as] & q->mask;
    uint64_t mem = set & s->mem_heads;

    if (why == WHY_NO_WARP || !set)
        return s->profile->count;
    if (why == WHY_LSU && mem)
        set = mem;
    else if (why == WHY_UNIT && sm_lsu_full(&s->lsu) && (set & ~mem))
        set &= ~mem;
    return s->profile->pc[sm_scheduler_pick(q, set, &s->ages)];
}
