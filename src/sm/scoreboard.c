/* src/sm/scoreboard.c - a bit per register and warp: set from issue to write
 * back. RAW and WAW both wait for the bit to clear. Of pending registers it
 * remembers which await memory, to name the stall. */
#include <stdlib.h>

#include "base/must.h"
#include "sm/hazard.h"

typedef struct row {
    uint64_t reg[4];  /* pending */
    uint64_t late[4]; /* of them: from memory */
    uint8_t pred;     /* pending */
    uint8_t guard;    /* pending for guards: cleared with or after `pred` */
} row;

typedef struct scoreboard {
    sm_hazard base;
    row row[]; /* by warp */
} scoreboard;

static inline row *row_of(sm_hazard *h, unsigned warp)
{
    return &((scoreboard *)h)->row[warp];
}

/* Names the hazard; the caller knows there is one. What waits for memory is
 * named so, whether it reads or overwrites. */
static sm_why classify(const row *p, const sm_inst *si)
{
    for (unsigned i = 0; i < 4; i++)
        if (p->late[i] & si->touch[i])
            return WHY_RAW_MEM;
    for (unsigned i = 0; i < si->reads; i++)
        if (p->reg[si->read[i] / 64] >> (si->read[i] % 64) & 1)
            return WHY_RAW_ALU;
    if ((p->pred & si->in->pread) || (p->guard & si->guard))
        return WHY_RAW_PRED;
    return WHY_WAW;
}

static sm_why check(const sm_hazard *h, unsigned warp, const sm_inst *si)
{
    const row *p = &((const scoreboard *)h)->row[warp];
    uint64_t hit = (p->reg[0] & si->touch[0]) | (p->reg[1] & si->touch[1]) |
                   (p->reg[2] & si->touch[2]) | (p->reg[3] & si->touch[3]);

    if (!hit && !(p->pred & si->preds) && !(p->guard & si->guard))
        return WHY_READY;
    return classify(p, si);
}

static void reserve(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    row *p = row_of(h, warp);
    const isa_inst *in = si->in;
    bool late = si->flags & INST_LATE;

    for (unsigned r = in->dst; r < in->dst + (unsigned)in->dst_regs; r++) {
        uint64_t bit = (uint64_t)1 << (r % 64);
        if (r >= ISA_RZ)
            break;
        MUST_CHECK(!(p->reg[r / 64] & bit));
        p->reg[r / 64] |= bit;
        if (late)
            p->late[r / 64] |= bit;
    }
    MUST_CHECK(!(p->pred & in->pwrite));
    p->pred |= in->pwrite;
    p->guard |= in->pwrite;
}

static void release(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    row *p = row_of(h, warp);
    const isa_inst *in = si->in;

    for (unsigned r = in->dst; r < in->dst + (unsigned)in->dst_regs; r++) {
        uint64_t bit = (uint64_t)1 << (r % 64);
        if (r >= ISA_RZ)
            break;
        MUST_CHECK(p->reg[r / 64] & bit);
        p->reg[r / 64] &= ~bit;
        p->late[r / 64] &= ~bit;
    }
    MUST_CHECK((p->pred & in->pwrite) == in->pwrite);
    p->pred &= (uint8_t)~in->pwrite;
}

static void release_guard(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    row_of(h, warp)->guard &= (uint8_t)~si->in->pwrite;
}

static void destroy(sm_hazard *h) { free(h); }

static const sm_hazard_ops ops = {
    .free = destroy,
    .check = check,
    .reserve = reserve,
    .release = release,
    .release_guard = release_guard,
};

sm_hazard *sm_scoreboard_new(const config *cfg)
{
    scoreboard *sb = calloc(1, sizeof *sb + cfg->sm.warps * sizeof sb->row[0]);

    if (!sb)
        return NULL;
    sb->base.ops = &ops;
    return &sb->base;
}
