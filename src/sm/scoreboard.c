/* src/sm/scoreboard.c - a bit per register and warp: set from issue to write
 * back. RAW and WAW both wait for the bit to clear. Of pending registers it
 * remembers which await memory, to name the stall. */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "sm/hazard.h"

/* Pending registers of a warp: one cache line, of which kernels with up to 64
 * registers use the first quarter. */
typedef struct row {
    struct {
        uint64_t reg;  /* pending */
        uint64_t late; /* of them: from memory */
    } word[4];
} row;

typedef struct scoreboard {
    sm_hazard base;
    uint8_t pred[64];  /* by warp: pending predicates */
    uint8_t guard[64]; /* for guards: cleared with or after `pred` */
    row row[64] __attribute__((aligned(64)));
} scoreboard;

static inline scoreboard *board_of(sm_hazard *h) { return (scoreboard *)h; }

/* Names the hazard, if there is one: not every pending predicate is. What waits
 * for memory is named so, whether it reads or overwrites. */
static sm_why classify(const scoreboard *sb, unsigned warp, const sm_inst *si)
{
    const row *p = &sb->row[warp];

    for (unsigned i = 0; i < 4; i++)
        if (p->word[i].late & si->touch[i])
            return WHY_RAW_MEM;
    for (unsigned i = 0; i < si->reads; i++)
        if (p->word[si->read[i] / 64].reg >> (si->read[i] % 64) & 1)
            return WHY_RAW_ALU;
    if ((sb->pred[warp] & si->in->pread) || (sb->guard[warp] & si->guard))
        return WHY_RAW_PRED;
    for (unsigned i = 0; i < 4; i++)
        if (p->word[i].reg & si->touch[i])
            return WHY_WAW;
    return WHY_READY;
}

static sm_why check(const sm_hazard *h, unsigned warp, const sm_inst *si)
{
    const scoreboard *sb = (const scoreboard *)h;
    const row *p = &sb->row[warp];
    uint64_t hit =
        (p->word[0].reg & si->touch[0]) | (p->word[1].reg & si->touch[1]) |
        (p->word[2].reg & si->touch[2]) | (p->word[3].reg & si->touch[3]);

    if (hit || (sb->guard[warp] & (si->preds | si->guard)))
        return classify(sb, warp, si);
    return WHY_READY;
}

/* The bits of registers dst .. dst + dst_regs - 1 in the word of dst: results
 * are aligned to their size, so they never straddle two words. */
static inline uint64_t result_bits(const isa_inst *in)
{
    return (((uint64_t)1 << in->dst_regs) - 1) << (in->dst % 64);
}

static void reserve(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    scoreboard *sb = board_of(h);
    const isa_inst *in = si->in;

    if (in->dst_regs) {
        row *p = &sb->row[warp];
        uint64_t bits = result_bits(in);
        MUST_CHECK(!(p->word[in->dst / 64].reg & bits));
        p->word[in->dst / 64].reg |= bits;
        if (si->flags & INST_LATE)
            p->word[in->dst / 64].late |= bits;
    }
    MUST_CHECK(!(sb->pred[warp] & in->pwrite));
    sb->pred[warp] |= in->pwrite;
    sb->guard[warp] |= in->pwrite;
}

static void release(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    scoreboard *sb = board_of(h);
    const isa_inst *in = si->in;

    if (in->dst_regs) {
        row *p = &sb->row[warp];
        uint64_t bits = result_bits(in);
        MUST_CHECK((p->word[in->dst / 64].reg & bits) == bits);
        p->word[in->dst / 64].reg &= ~bits;
        p->word[in->dst / 64].late &= ~bits;
    }
    MUST_CHECK((sb->pred[warp] & in->pwrite) == in->pwrite);
    sb->pred[warp] &= (uint8_t)~in->pwrite;
}

static void release_guard(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    board_of(h)->guard[warp] &= (uint8_t)~si->in->pwrite;
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
