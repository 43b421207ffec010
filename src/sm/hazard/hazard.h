/* src/sm/hazard/hazard.h - when the operands of an instruction are ready: one
 * interface, several policies (cfg->sm.issue.hazard).
 *
 * The pipeline checks an instruction when it comes to the head of its warp's
 * buffer and when a result of the warp is released; it remembers the outcome in
 * between. Operands are read
 * in the order of issue, so no policy looks for a writer that overtakes an
 * older reader; the oracle does. */
#ifndef SM_HAZARD_HAZARD_H
#define SM_HAZARD_HAZARD_H

#include <stdint.h>

#include "config/config.h"
#include "sm/decode.h"
#include "sm/stats.h"

typedef struct sm_hazard sm_hazard;

typedef struct sm_hazard_ops {
    void (*free)(sm_hazard *h);
    /* WHY_READY or what `si` waits for: WHY_RAW_ALU, RAW_MEM, RAW_PRED, WAW,
     * TABLE. It is counted, and may be remembered unless `pure`. */
    sm_why (*check)(sm_hazard *h, unsigned warp, const sm_inst *si);
    /* The same of the one behind `si`, if both issue in this cycle; they do not
     * depend on each other. `counted`: the check is made in order to issue.
     * NULL: what `check` says, which then neither counts nor remembers. */
    sm_why (*second)(sm_hazard *h, unsigned warp, const sm_inst *si,
                     bool counted);
    /* The cycle from which on the next instruction of the warp may issue,
     * whatever its operands do; 0: the next. NULL: always. */
    uint64_t (*not_before)(const sm_hazard *h, unsigned warp);
    /* `si`, which was checked last, issues; it and those behind it are held up
     * for `delay` cycles. May be NULL. */
    void (*issued)(sm_hazard *h, unsigned warp, const sm_inst *si,
                   uint64_t delay);
    /* `si` has read its registers. May be NULL: nobody waits for that. */
    void (*read)(sm_hazard *h, unsigned warp, const sm_inst *si);
    /* Its result comes `delay` cycles later than it should. May be NULL. */
    void (*delayed)(sm_hazard *h, unsigned warp, uint64_t delay);
    /* `si` issues: its results are pending from now on. */
    void (*reserve)(sm_hazard *h, unsigned warp, const sm_inst *si);
    /* The results of `si` are visible, but for predicates used as guards. */
    void (*release)(sm_hazard *h, unsigned warp, const sm_inst *si);
    /* `n` registers of its result from the `first` on are, in place of
     * `release`; with the last of them all that `release` says. */
    void (*release_part)(sm_hazard *h, unsigned warp, const sm_inst *si,
                         unsigned first, unsigned n);
    /* Its predicates are visible to guards as well. */
    void (*release_guard)(sm_hazard *h, unsigned warp, const sm_inst *si);
    /* A warp starts, or ends with nothing pending. Returns the warps whose
     * answers this changes: they are to be checked again. May be NULL. */
    uint64_t (*begin)(sm_hazard *h, unsigned warp);
    uint64_t (*end)(sm_hazard *h, unsigned warp);
    /* True if nothing of the warp is pending. */
    bool (*idle)(const sm_hazard *h, unsigned warp);
    /* Counts the cycles before `now`. May be NULL. */
    void (*settle)(sm_hazard *h, uint64_t now);
    bool pure; /* leaving out a `check` changes nothing */
} sm_hazard_ops;

struct sm_hazard {
    const sm_hazard_ops *ops;
    const uint64_t *now; /* the cycle; NULL: no clock, where only statistics
                            would need it */
    /* Told of other warps whose answers a release changes. NULL: nobody. */
    void (*room)(void *room_of, uint64_t warps);
    void *room_of;
    sm_hazard *inner; /* which it asks about some results; or NULL */
};

static inline sm_why sm_hazard_second(sm_hazard *h, unsigned warp,
                                      const sm_inst *si, bool counted)
{
    return h->ops->second ? h->ops->second(h, warp, si, counted)
                          : h->ops->check(h, warp, si + 1);
}

/* The policy of `cfg`, which counts in `st`. */
sm_hazard *sm_hazard_new(const config *cfg, sm_stats *st);
/* Its clock, and who is told about room, as in struct sm_hazard. */
void sm_hazard_attach(sm_hazard *h, const uint64_t *now,
                      void (*room)(void *room_of, uint64_t warps),
                      void *room_of);

/* Why a policy cannot track a kernel. */
typedef struct sm_refusal {
    uint32_t pc;      /* the first such instruction */
    const char *why;  /* or NULL: */
    const char *what; /* it needs `need` of this, */
    const char *from; /* and this parameter gives `have` */
    unsigned need, have;
} sm_refusal;

/* True if a pending result in R0 looks to the policy like none: kernels that
 * put one there are refused, and the compiler keeps away from it. */
bool sm_hazard_lacks_r0(const config *cfg);

/* True if some instruction of the kernel could never issue, or its hazards
 * would be missed. */
bool sm_hazard_refuses(const config *cfg, const isa_kernel *kernel,
                       sm_refusal *out);

/* ---- For the files of this folder ---- */

sm_hazard *sm_scoreboard_new(void);
sm_hazard *sm_hazard_none_new(void);
sm_hazard *sm_control_codes_new(sm_stats *st);
sm_hazard *sm_kepler_codes_new(const config *cfg, sm_stats *st);
sm_hazard *sm_counting_new(void);
/* `row` slots of each warp; `group` warps divide theirs among them. */
sm_hazard *sm_table_new(const config *cfg, unsigned row, unsigned group,
                        sm_stats *st);

#endif
