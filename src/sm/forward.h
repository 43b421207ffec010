/* src/sm/forward.h - functional fast-forwarding (SMARTS: Wunderlich et al.,
 * ISCA 2003), between two ticks: issue is stopped, what is under way comes to
 * its end, and then the warps that are here execute instructions in no time, on
 * the memory as it is. Then they issue again. Caches keep what they have. Where
 * issue is stopped warps still exit, so that CTAs end and others come, and so
 * they do between the steps of a gap.
 *
 * A warp goes on up to its share of instructions, to the end of its kernel, or
 * to one of which the outcome is a matter of time or of other SMs: a clock, an
 * atomic on global memory, a fence, an mbarrier, a bulk copy. At CTA barriers
 * it meets the others. For SMs whose front end is their own and whose policies
 * hear of nothing but operands (`plain` of sm/state.h). */
#ifndef SM_FORWARD_H
#define SM_FORWARD_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"
#include "sm/sm.h"

typedef struct sm_forward {
    exec_plan *plan; /* of sm_forward_plan, of the launch */
    mem_view *view;  /* direct, on what the SMs have published */
    uint64_t share;  /* warp instructions of each warp, all in all */
    exec_fault *fault;
    const exec_seen *seen;             /* NULL: nobody is told of accesses */
    uint64_t warp_insts, thread_insts; /* what came of it is added */
    uint64_t idle, ends;  /* likewise: warps that could not use their share, and
                             of them those that stand in front of an exit */
    bool last;            /* no CTA comes any more */
    uint64_t warps;       /* on the machine, as the gap began */
    unsigned step, waits; /* of the share; pauses for CTAs to come */
} sm_forward;

/* Stops at what a warp cannot pass in no time. For launches that
 * exec_plan_suits. */
exec_plan *sm_forward_plan(const exec_launch *l, const mem_view *view);

/* Can the SM do this at all? */
bool sm_can_forward(const sm *s);
/* From cycle `now` on, the first of a window, nothing issues; or it does
 * again. */
void sm_stop_issue(sm *s, uint64_t now, bool stop);
bool sm_has_stopped(const sm *s);
unsigned sm_warps(const sm *s); /* that are here */
/* Somebody looks at each instruction, and would miss some. */
bool sm_is_watched(const sm *s);
/* Nothing of its warps is under way. */
bool sm_is_drained(const sm *s);
/* In front of cycle `now`, the first of a window, if sm_is_drained() and not
 * sm_is_watched(): warps of launch `n` go on by `share` instructions each.
 * False: *f->fault is filled. */
bool sm_forward_run(sm *s, uint64_t now, unsigned n, uint64_t share,
                    sm_forward *f);

#endif
