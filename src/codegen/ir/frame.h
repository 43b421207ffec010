/* src/codegen/ir/frame.h - frames on the stack, and the registers that calls
 * write and functions keep (codegen/ir/abi.h). Borrows the functions. */
#ifndef CODEGEN_IR_FRAME_H
#define CODEGEN_IR_FRAME_H

#include "codegen/ir/ir.h"

/* Where addresses in the frame of `f` count from: a kernel's is at 0. */
static inline cg_src cg_frame_base(const cg_func *f)
{
    return f->is_function ? cg_r(f->fixed[ABI_SP]) : cg_zero();
}

/* Registers that hold something else behind this call. */
cg_regset cg_call_clobbers(const cg_inst *call);
uint64_t cg_call_pred_clobbers(const cg_inst *call);

/* After allocation: gives the frame its size, keeps the registers that `f`
 * must keep, removes what only the allocator needed. */
void cg_frame(cg_func *f);

/* The convergence barriers that a function uses are its caller's, too: it
 * keeps them. Before allocation; Volta and later. */
void cg_keep_barriers(cg_func *f);

/* Appends the numbers of f and of what it calls, unless it was there before, to
 * order[n..]: callees first. Returns the new n. */
uint32_t cg_callees_first(cg_func *f, uint32_t *order, uint32_t n);

/* Bytes of local memory that a kernel, all[0] of its `n` functions, needs.
 * *open: it may need more, for calls that come round or what alloca takes. */
uint32_t cg_stack_need(cg_func *const *all, uint32_t n, bool *open);

/* After that: calls from all[0] can lead to f. */
bool cg_is_reached(const cg_func *f);

#endif
