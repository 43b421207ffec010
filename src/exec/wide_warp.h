/* src/exec/wide_warp.h - warps of several SMs that run the same instructions
 * together: by SIMT stacks of the same shape (exec/wide_stack.h; Fermi, Kepler)
 * or by groups of lanes with a program counter each (exec/wide_groups.h;
 * Volta). A warp can stand where it has no active lane (simt.active is 0,
 * simt.live is not): others run. It goes along by exec_skip(). */
#ifndef EXEC_WIDE_WARP_H
#define EXEC_WIDE_WARP_H

#include "exec/wide_groups.h"
#include "exec/wide_stack.h"

/* Each of `n` warps of one architecture that stood at the same place, was[k],
 * has executed the instruction there; code: of Volta. False, and nothing has
 * changed: they cannot go on as one. */
static inline bool wide_warp_unite(simt *const s[], const simt_mark was[],
                                   unsigned n, const wide_code *code)
{
    return s[0]->arch >= ARCH_VOLTA ? wide_groups_unite(s, n, was[0].pc, code)
                                    : wide_stack_unite(s, was, n);
}

/* The warp goes on alone: to where it has lanes. */
static inline void wide_warp_leave(simt *s)
{
    if (s->arch >= ARCH_VOLTA)
        wide_groups_leave(s);
    else
        wide_stack_leave(s);
}

/* Do both stand at the same place, with the same sides or groups behind? */
static inline bool wide_warp_alike(const simt *a, const simt *b)
{
    return a->arch >= ARCH_VOLTA ? wide_groups_alike(a, b)
                                 : wide_stack_alike(a, b);
}

#endif
