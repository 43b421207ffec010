/* src/exec/front.h - instructions that do not come from the control flow of a
 * kernel but from elsewhere, from a trace (src/replay): which one a warp
 * executes next, for which lanes, and the addresses of accesses. There are no
 * values: registers, predicates and memory stay as they are.
 *
 * The kernel of such a launch holds each instruction once, as timing has to
 * know it. A warp of it has no code of its own (exec_warp.code_count is 0), so
 * exec_step hands over to the front; simt.pc and simt.active are always those
 * of the next instruction, simt.live falls as lanes exit. */
#ifndef EXEC_FRONT_H
#define EXEC_FRONT_H

#include "exec/exec.h"

struct exec_front {
    /* A CTA begins whose launch, id and number are set: returns those of its
     * warps that have instructions, at least one. What it needs for them it
     * keeps in c->traced. Threads may call it at the same time. */
    uint64_t (*begin)(exec_front *f, exec_cta *c);
    /* Puts a warp of it at its first instruction. */
    void (*start)(exec_warp *w);
    /* As exec_step. */
    exec_result (*step)(exec_warp *w, exec_mem *mem, exec_bar *bar,
                        exec_fault *fault);
    /* The CTA is over: frees c->traced. */
    void (*end)(exec_cta *c);
};

/* For accesses without values: nothing is checked, read or written. */
extern const exec_ops exec_ops_none;

#endif
