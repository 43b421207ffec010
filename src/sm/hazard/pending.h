/* src/sm/hazard/pending.h - pending registers and predicates of warps as bits:
 * what every policy that tracks them compares an instruction with. Plain data,
 * for the files of this folder. */
#ifndef SM_HAZARD_PENDING_H
#define SM_HAZARD_PENDING_H

#include <stdint.h>

#include "sm/decode.h"
#include "sm/stats.h"

/* Registers of a warp: one cache line, of which kernels with up to 64 registers
 * use the first quarter. */
typedef struct pending_row {
    struct {
        uint64_t reg;  /* pending */
        uint64_t late; /* of them: from memory */
    } word[4];
} pending_row;

typedef struct pending_preds {
    uint8_t pred;  /* pending predicates */
    uint8_t guard; /* for guards: cleared with or after `pred` */
} pending_preds;

/* The bits of registers of a result in the word of dst: results are aligned to
 * their size, so they never straddle two words. */
static inline uint64_t pending_part(const isa_inst *in, unsigned first,
                                    unsigned n)
{
    return (((uint64_t)1 << n) - 1) << (in->dst % 64 + first);
}

/* The bits of a second destination, and where they are. */
static inline uint64_t pending_second(const isa_inst *in, unsigned *word)
{
    unsigned first = isa_second(in);

    *word = first / 64;
    return (((uint64_t)1 << in->dst2_regs) - 1) << first % 64;
}

static inline void pending_clear_second(pending_row *p, const sm_inst *si)
{
    unsigned i;
    uint64_t bits = pending_second(si->in, &i);

    p->word[i].reg &= ~bits;
    p->word[i].late &= ~bits;
}

static inline void pending_set(pending_row *p, const sm_inst *si)
{
    unsigned i = si->in->dst / 64;

    p->word[i].reg |= si->result;
    if (si->flags & INST_LATE)
        p->word[i].late |= si->result;
    if (si->flags & INST_SECOND) { /* fetches: from memory */
        uint64_t bits = pending_second(si->in, &i);

        p->word[i].reg |= bits;
        p->word[i].late |= bits;
    }
}

static inline void pending_clear_part(pending_row *p, const isa_inst *in,
                                      unsigned first, unsigned n)
{
    uint64_t bits = pending_part(in, first, n);

    p->word[in->dst / 64].reg &= ~bits;
    p->word[in->dst / 64].late &= ~bits;
}

static inline void pending_clear(pending_row *p, const sm_inst *si)
{
    unsigned i = si->in->dst / 64;

    p->word[i].reg &= ~si->result;
    p->word[i].late &= ~si->result;
    if (si->flags & INST_SECOND)
        pending_clear_second(p, si);
}

static inline bool pending_touches(const pending_row *p, const sm_inst *si)
{
    return ((p->word[0].reg & si->touch[0]) | (p->word[1].reg & si->touch[1]) |
            (p->word[2].reg & si->touch[2]) |
            (p->word[3].reg & si->touch[3])) != 0;
}

/* Names the hazard, if there is one: not every pending predicate is. What waits
 * for memory is named so, whether it reads or overwrites. */
sm_why pending_why(const pending_row *p, pending_preds preds,
                   const sm_inst *si);

/* Whether there may be one. */
static inline bool pending_any(const pending_row *p, pending_preds preds,
                               const sm_inst *si)
{
    return pending_touches(p, si) || (preds.guard & (si->preds | si->guard));
}

static inline sm_why pending_check(const pending_row *p, pending_preds preds,
                                   const sm_inst *si)
{
    return pending_any(p, preds, si) ? pending_why(p, preds, si) : WHY_READY;
}

#endif
