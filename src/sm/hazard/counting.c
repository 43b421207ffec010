/* src/sm/hazard/counting.c - see counted.h. */
#include "sm/hazard/counting.h"

#include <stdlib.h>

#include "base/alloc.h"

/* May the result of `si` follow those that are pending? */
static bool follows(const sm_counting *c, unsigned warp, const sm_inst *si)
{
    const pending_row *row = &c->row[warp];
    const isa_inst *in = si->in;

    if (si->flags & INST_LATE)
        return false;
    for (unsigned r = in->dst; r < (unsigned)in->dst + in->dst_regs; r++)
        if (row->word[r / 64].reg >> (r % 64) & 1 &&
            c->tally[warp].slowest[r] > si->latency)
            return false;
    return true;
}

sm_why sm_counting_why(const sm_counting *c, unsigned warp, const sm_inst *si)
{
    sm_why why = pending_why(&c->row[warp], c->preds[warp], si);

    return why == WHY_WAW && follows(c, warp, si) ? WHY_READY : why;
}

void sm_counting_follow(sm_counting *c, unsigned warp, const sm_inst *si)
{
    sm_tally *t = &c->tally[warp];
    const isa_inst *in = si->in;
    uint64_t pending = c->row[warp].word[in->dst / 64].reg;
    uint64_t *several = &t->several[in->dst / 64];

    for (unsigned r = in->dst; r < (unsigned)in->dst + in->dst_regs; r++) {
        uint64_t bit = (uint64_t)1 << (r % 64);

        if (!(pending & bit)) {
            t->slowest[r] = si->latency;
            continue;
        }
        MUST(!(*several & bit) || t->results[r] < UINT8_MAX);
        t->results[r] = *several & bit ? t->results[r] + 1 : 2;
        *several |= bit;
        if (t->slowest[r] < si->latency)
            t->slowest[r] = si->latency;
    }
}

void sm_counting_one(sm_counting *c, unsigned warp, const sm_inst *si)
{
    sm_tally *t = &c->tally[warp];
    const isa_inst *in = si->in;

    for (unsigned i = 0; i < in->dst_regs; i++) {
        unsigned r = in->dst + i;
        uint64_t bit = (uint64_t)1 << (r % 64);

        if (!(t->several[r / 64] & bit))
            pending_clear_part(&c->row[warp], in, i, 1);
        else if (--t->results[r] == 1)
            t->several[r / 64] &= ~bit;
    }
}

static bool counting_idle(const sm_hazard *h, unsigned warp)
{
    const sm_counting *c = (const sm_counting *)h;
    uint64_t any = 0;

    for (unsigned i = 0; i < COUNTOF(c->row[warp].word); i++)
        any |= c->row[warp].word[i].reg;
    return !any && !c->preds[warp].pred && !c->preds[warp].guard;
}

static void counting_destroy(sm_hazard *h) { free(h); }

const sm_hazard_ops sm_counting_ops = {
    .free = counting_destroy,
    .check = sm_counting_check,
    .reserve = sm_counting_reserve,
    .release = sm_counting_release,
    .release_guard = sm_counting_release_guard,
    .idle = counting_idle,
    .pure = true,
};

sm_hazard *sm_counting_new(void)
{
    sm_counting *c = new0(1, sizeof *c);

    c->base.ops = &sm_counting_ops;
    return &c->base;
}
