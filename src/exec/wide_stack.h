/* src/exec/wide_stack.h - warps of Fermi and Kepler that run the same
 * instructions together, as if they were one wide warp.
 *
 * Each keeps the part of the wide warp's stack that is its own: entries of the
 * same number, kinds and program counters, with its own lanes, maybe none. So a
 * warp can stand where it has no active lane (simt.active is 0, simt.live is
 * not): others run, and its lanes wait in an entry below. It goes along by
 * exec_skip().
 *
 * Every warp executes an instruction that moves lanes by itself. Where all come
 * to the same program counter and depth (and the branch was not indirect: its
 * targets may be in another order), that was also what the wide warp does; else
 * wide_stack_unite() takes them from where each has gone to where the wide warp
 * goes. Leaving out the instructions that a warp runs without lanes, it runs
 * those that it would run alone, with the same lanes in the same order. */
#ifndef EXEC_WIDE_STACK_H
#define EXEC_WIDE_STACK_H

#include "exec/simt.h"

enum { WIDE_STACK_WARPS = 4 };

/* Where a warp stood before an instruction. */
typedef struct simt_mark {
    uint32_t pc, active;
    uint16_t depth;
} simt_mark;

static inline simt_mark simt_mark_of(const simt *s)
{
    return (simt_mark){.pc = s->pc, .active = s->active, .depth = s->depth};
}

/* Each of `n` warps that stood at the same place, was[k], has executed the
 * branch, SSY, SYNC or EXIT there. False, and nothing has changed: no order of
 * the sides is that of each of them, or the stack would be too deep. */
bool wide_stack_unite(simt *const s[], const simt_mark was[], unsigned n);

/* The warp goes on alone: to where it has lanes. */
void wide_stack_leave(simt *s);

/* Do both stand at the same place, with stacks of the same shape? */
bool wide_stack_alike(const simt *a, const simt *b);

#endif
