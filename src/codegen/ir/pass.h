/* src/codegen/ir/pass.h - the passes between lowering and emission, each over a
 * whole function. Passes that return bool return whether anything changed. */
#ifndef CODEGEN_IR_PASS_H
#define CODEGEN_IR_PASS_H

#include "codegen/ir/defuse.h"

/* cfg.c: drops unreachable blocks, joins those that follow one another, jumps
 * past empty ones, ends at once where a jump leads to an exit. */
void cg_clean_cfg(cg_func *f);

/* prop.c: replaces operands by what was copied into them. */
bool cg_propagate(cg_defuse *d);

/* combine.c: known results, two operations that become one, addresses. */
bool cg_combine(cg_defuse *d);

/* dce.c: drops operations whose results are not read; 64-bit operations of
 * which only the lower word is read become 32-bit ones. */
bool cg_eliminate(cg_func *f);

/* unread.c: drops operations whose results are overwritten before they are
 * read. */
bool cg_drop_unread(cg_func *f);

/* cse.c: computes a value once. */
bool cg_share(cg_defuse *d);

/* simplify.c: all of the above until nothing changes. */
void cg_simplify(cg_func *f);

/* expand.c: replaces what pseudo.def lists. */
void cg_expand(cg_func *f);

/* absent.c: replaces what Volta has no instructions for. */
void cg_replace_absent(cg_func *f);

/* legal.c: constants that an instruction cannot hold go to registers. */
void cg_legalise(cg_func *f);

/* retarget.c: an operation whose result is only copied writes to the copy. */
bool cg_retarget(cg_func *f);

/* widen.c: loads side by side become one of 64 or 128 bits. */
bool cg_widen(cg_func *f);

/* diverge.c: marks the branches on which all lanes of a warp agree. */
void cg_mark_uniform(cg_func *f);

/* ifconv.c: guards instead of branches around short pieces of code. */
void cg_convert_branches(cg_func *f);

/* uniform.c: values that are the same in all lanes go to the uniform datapath;
 * behind cg_reconverge. */
void cg_use_uniform(cg_func *f);

/* reconv.c: inserts SSY/SYNC or BSSY/BSYNC around divergent branches. */
void cg_reconverge(cg_func *f);

/* regions.c: the limits of blocks around USETMAXREG. Returns the highest of
 * them; `limit` if there is none. */
unsigned cg_find_regions(cg_func *f, unsigned limit);

/* ra.c: replaces virtual by physical registers, of which blocks may have a
 * limit below this one. False: `limit` registers do not suffice even with
 * spilling. */
bool cg_allocate(cg_func *f, unsigned limit);

/* balance.c: moves, shifts and sums become IMADs where the unit of these has
 * less to do; after allocation. */
void cg_balance(cg_func *f);

/* sched.c: reorders operations within blocks; before allocation (registers
 * virtual) with an eye on how many are live, after it for latencies alone. */
void cg_schedule(cg_func *f, bool allocated, unsigned limit);

/* emit.c: the allocated functions as instructions of `k`, in arena `a`: the
 * kernel itself first. */
void cg_emit(cg_func *const *f, uint32_t n, arena *a, isa_kernel *k);

#endif
