/* src/ptx/cfg.h - the control flow graph of a PTX function.
 * Borrows the function; lives in the arena given. */
#ifndef PTX_CFG_H
#define PTX_CFG_H

#include "ptx/graph.h"
#include "ptx/ptx.h"

/* Instructions [first, end) of the function; at most the last one branches. */
typedef struct ptx_block {
    uint32_t first;
    uint32_t end;
} ptx_block;

/* Successors of a guarded branch: taken first, then fall-through; of a guarded
 * ret or exit the fall-through alone, since threads that leave do not come
 * back together with others. A node for
 * each block; block 0 is the entry. A function that runs off its end has an
 * empty last block, as has a label at the end. */
typedef struct ptx_cfg {
    const ptx_func *func;
    uint32_t nblocks;
    ptx_block *blocks;
    uint32_t *block_of; /* of each instruction; [ninsts] is the last block */
    graph *g;
} ptx_cfg;

ptx_cfg *ptx_cfg_new(arena *a, const ptx_func *f);

/* True for bra, brx, ret, exit, trap and a call that cannot return. */
bool ptx_ends_block(const ptx_inst *in);

#endif
