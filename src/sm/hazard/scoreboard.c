/* src/sm/hazard/scoreboard.c - see scoreboard.h. */
#include "sm/hazard/scoreboard.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void scoreboard_release_part(sm_hazard *h, unsigned warp,
                                    const sm_inst *si, unsigned first,
                                    unsigned n)
{
    sm_scoreboard *sb = (sm_scoreboard *)h;
    const isa_inst *in = si->in;

    MUST_CHECK(
        !(~sb->row[warp].word[in->dst / 64].reg & pending_part(in, first, n)));
    pending_clear_part(&sb->row[warp], in, first, n);
    if (first + n != in->dst_regs)
        return;
    sb->preds[warp].pred &= (uint8_t)~in->pwrite;
    if (in->dst2_regs)
        pending_clear_second(&sb->row[warp], si);
}

static bool scoreboard_idle(const sm_hazard *h, unsigned warp)
{
    const sm_scoreboard *sb = (const sm_scoreboard *)h;
    uint64_t any = 0;

    for (unsigned i = 0; i < COUNTOF(sb->row[warp].word); i++)
        any |= sb->row[warp].word[i].reg;
    return !any && !sb->preds[warp].pred && !sb->preds[warp].guard;
}

static void scoreboard_destroy(sm_hazard *h) { free(h); }

const sm_hazard_ops sm_scoreboard_ops = {
    .free = scoreboard_destroy,
    .check = sm_scoreboard_check,
    .reserve = sm_scoreboard_reserve,
    .release = sm_scoreboard_release,
    .release_part = scoreboard_release_part,
    .release_guard = sm_scoreboard_release_guard,
    .idle = scoreboard_idle,
    .pure = true,
};

sm_hazard *sm_scoreboard_new(void)
{
    sm_scoreboard *sb = new_aligned(64, sizeof *sb);

    sb->base.ops = &sm_scoreboard_ops;
    return &sb->base;
}
