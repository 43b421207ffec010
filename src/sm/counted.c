/* src/sm/counted.c - a count of pending results per register. An instruction
 * waits for all of what it reads; its own result may follow others of fixed
 * latency that are not slower, as they leave the pipeline in order. What awaits
 * memory is neither followed nor overtaken. Predicates are as in a scoreboard.
 */
#include <stdlib.h>

#include "base/must.h"
#include "sm/hazard.h"
#include "sm/pending.h"

typedef struct tally {
    uint8_t results[256]; /* pending */
    uint16_t slowest[256];
} tally;

typedef struct counted {
    sm_hazard base;
    pending_preds preds[64];
    pending_row row[64]; /* registers whose count is not zero */
    tally warp[64];
} counted;

static inline counted *counted_of(sm_hazard *h) { return (counted *)h; }

/* May the result of `si` follow those that are pending? */
static bool follows(const counted *c, unsigned warp, const sm_inst *si)
{
    const pending_row *row = &c->row[warp];
    const isa_inst *in = si->in;

    if (si->flags & INST_LATE)
        return false;
    for (unsigned r = in->dst; r < (unsigned)in->dst + in->dst_regs; r++)
        if (row->word[r / 64].reg >> (r % 64) & 1 &&
            c->warp[warp].slowest[r] > si->latency)
            return false;
    return true;
}

static sm_why check(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    const counted *c = (const counted *)h;
    sm_why why = pending_check(&c->row[warp], c->preds[warp], si);

    return why == WHY_WAW && follows(c, warp, si) ? WHY_READY : why;
}

static void reserve(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    counted *c = counted_of(h);
    tally *t = &c->warp[warp];
    const isa_inst *in = si->in;

    pending_set(&c->row[warp], si);
    c->preds[warp].pred |= in->pwrite;
    c->preds[warp].guard |= in->pwrite;
    for (unsigned r = in->dst; r < (unsigned)in->dst + in->dst_regs; r++) {
        MUST(t->results[r] < UINT8_MAX);
        t->results[r]++;
        if (t->slowest[r] < si->latency)
            t->slowest[r] = si->latency;
    }
}

static void release(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    counted *c = counted_of(h);
    tally *t = &c->warp[warp];
    const isa_inst *in = si->in;

    for (unsigned i = 0; i < in->dst_regs; i++) {
        unsigned r = in->dst + i;

        MUST_CHECK(t->results[r] > 0);
        if (--t->results[r])
            continue;
        t->slowest[r] = 0;
        pending_clear_part(&c->row[warp], in, i, 1);
    }
    c->preds[warp].pred &= (uint8_t)~in->pwrite;
}

static void release_guard(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    counted_of(h)->preds[warp].guard &= (uint8_t)~si->in->pwrite;
}

static bool idle(const sm_hazard *h, unsigned warp)
{
    const counted *c = (const counted *)h;
    uint64_t any = 0;

    for (unsigned i = 0; i < COUNTOF(c->row[warp].word); i++)
        any |= c->row[warp].word[i].reg;
    return !any && !c->preds[warp].pred && !c->preds[warp].guard;
}

static void destroy(sm_hazard *h) { free(h); }

static const sm_hazard_ops ops = {
    .free = destroy,
    .check = check,
    .reserve = reserve,
    .release = release,
    .release_guard = release_guard,
    .idle = idle,
};

sm_hazard *sm_counted_new(void)
{
    counted *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->base.ops = &ops;
    return &c->base;
}
