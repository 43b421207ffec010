/* src/sm/observe/trace.h - the events of an SM (mem/event_log.h), and which
 * instruction they are about. The buffers of the front end are counts and
 * results are events of the wheel: here they get the numbers of instructions.
 * Kept only while a launch is traced; changes nothing of the SM. */
#ifndef SM_OBSERVE_TRACE_H
#define SM_OBSERVE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"
#include "mem/event_log.h"
#include "sm/stats.h"

struct sm;
struct sm_inst;
struct sm_lsu_entry;
struct sm_tx;

typedef struct sm_trace sm_trace;

/* Before a launch, while the SM is idle: records into `log`, which is borrowed
 * until sm_trace_end. */
void sm_trace_begin(struct sm *s, event_log *log);
void sm_trace_end(struct sm *s); /* nothing if it has not begun */

/* ---- for the files of this folder; only while there is a trace ---- */

/* So that the compiler arranges the callers for when there is none. */
#define SM_COLD __attribute__((cold))

/* `n` more are about to be in the buffer; all of them are to be dropped. */
SM_COLD void sm_trace_decode(struct sm *s, unsigned w, unsigned n);
SM_COLD void sm_trace_flush(struct sm *s, unsigned w);

/* Warps of a CTA began in cycle `now`. */
SM_COLD void sm_trace_warps(struct sm *s, uint64_t set, uint64_t now);
/* Warp `w` is about to wait for `why`. */
SM_COLD void sm_trace_warp(struct sm *s, unsigned w, sm_why why);
/* None of the warps of scheduler `n` can issue in this cycle. */
SM_COLD void sm_trace_slot(struct sm *s, unsigned n);
/* Warp `w` has issued `si`, at `pc`, which ended as `r` says; bank
 * conflicts delay it. Collectors and units have been booked for it. */
SM_COLD void sm_trace_issue(struct sm *s, unsigned w, const struct sm_inst *si,
                            uint32_t pc, exec_result r, unsigned delay);
/* The SM's cluster is in stage `mode` from cycle `now` on. */
SM_COLD void sm_trace_stage(struct sm *s, uint64_t now, unsigned mode);
/* The result of an instruction at `pc` is visible. */
SM_COLD void sm_trace_written(struct sm *s, unsigned w, uint32_t pc);

/* The head of the LSU's queue: is held back, makes passes, has sent a
 * transaction `to` a port, has none of both. With the first of these it starts.
 */
SM_COLD void sm_trace_block(struct sm *s, unsigned block);
SM_COLD void sm_trace_shared(struct sm *s, const struct sm_lsu_entry *e,
                             unsigned passes, unsigned conflicts);
SM_COLD void sm_trace_tx(struct sm *s, const struct sm_lsu_entry *e,
                         const struct sm_tx *t, mem_port *to);
SM_COLD void sm_trace_empty(struct sm *s, const struct sm_lsu_entry *e);
/* A reply of the L1; `last` of those that a load waits for. */
SM_COLD void sm_trace_reply(struct sm *s, const mem_msg *m, bool last);

#endif
