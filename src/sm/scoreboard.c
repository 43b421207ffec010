/* src/sm/scoreboard.c - a bit per register and warp: set from issue to write
 * back. RAW and WAW both wait for the bit to clear. Of pending registers it
 * remembers which await memory, to name the stall. */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "sm/hazard.h"
#include "sm/pending.h"

typedef struct scoreboard {
    sm_hazard base;
    pending_preds preds[64]; /* by warp */
    pending_row row[64] __attribute__((aligned(64)));
} scoreboard;

static inline scoreboard *board_of(sm_hazard *h) { return (scoreboard *)h; }

static sm_why check(const sm_hazard *h, unsigned warp, const sm_inst *si)
{
    const scoreboard *sb = (const scoreboard *)h;

    return pending_check(&sb->row[warp], sb->preds[warp], si);
}

static void reserve(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    scoreboard *sb = board_of(h);
    const isa_inst *in = si->in;
    pending_preds *p = &sb->preds[warp];

    MUST_CHECK(!in->dst_regs ||
               !(sb->row[warp].word[in->dst / 64].reg & pending_bits(in)));
    MUST_CHECK(!(p->pred & in->pwrite));
    pending_set(&sb->row[warp], si);
    p->pred |= in->pwrite;
    p->guard |= in->pwrite;
}

static void release(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    scoreboard *sb = board_of(h);
    const isa_inst *in = si->in;

    MUST_CHECK(!in->dst_regs ||
               !(~sb->row[warp].word[in->dst / 64].reg & pending_bits(in)));
    MUST_CHECK((sb->preds[warp].pred & in->pwrite) == in->pwrite);
    pending_clear(&sb->row[warp], in);
    sb->preds[warp].pred &= (uint8_t)~in->pwrite;
}

static void release_part(sm_hazard *h, unsigned warp, const sm_inst *si,
                         unsigned first, unsigned n)
{
    scoreboard *sb = board_of(h);
    const isa_inst *in = si->in;

    MUST_CHECK(
        !(~sb->row[warp].word[in->dst / 64].reg & pending_part(in, first, n)));
    pending_clear_part(&sb->row[warp], in, first, n);
    if (first + n == in->dst_regs)
        sb->preds[warp].pred &= (uint8_t)~in->pwrite;
}

static void release_guard(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    board_of(h)->preds[warp].guard &= (uint8_t)~si->in->pwrite;
}

static bool idle(const sm_hazard *h, unsigned warp)
{
    const scoreboard *sb = (const scoreboard *)h;
    uint64_t any = 0;

    for (unsigned i = 0; i < COUNTOF(sb->row[warp].word); i++)
        any |= sb->row[warp].word[i].reg;
    return !any && !sb->preds[warp].pred && !sb->preds[warp].guard;
}

static void destroy(sm_hazard *h) { free(h); }

static const sm_hazard_ops ops = {
    .free = destroy,
    .check = check,
    .reserve = reserve,
    .release = release,
    .release_part = release_part,
    .release_guard = release_guard,
    .idle = idle,
};

sm_hazard *sm_scoreboard_new(void)
{
    scoreboard *sb = aligned_alloc(64, sizeof *sb);

    if (!sb)
        return NULL;
    memset(sb, 0, sizeof *sb);
    sb->base.ops = &ops;
    return &sb->base;
}
