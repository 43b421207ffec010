/* src/exec/slice.h - what decides where a loop goes: registers and predicates
 * that its instructions need for branches, addresses and stores, and whether
 * something that was read decides a branch. Pure functions of code. */
#ifndef EXEC_SLICE_H
#define EXEC_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

typedef struct exec_regs { /* a set of registers and predicates */
    uint64_t reg[4];
    uint32_t preds;
} exec_regs;

/* Instructions of `code` whose bit is in `seen`. */
typedef struct exec_loop {
    const isa_inst *code;
    uint32_t count;
    const uint32_t *seen;
} exec_loop;

static inline bool exec_loop_has(const exec_loop *l, uint32_t pc)
{
    return l->seen[pc / 32] >> pc % 32 & 1;
}

/* The registers on which the path through the loop and its accesses to memory
 * depend. *clock: some of them depend on a clock. */
exec_regs exec_slice_needed(const exec_loop *l, bool *clock);

/* Does the value that the load at `pc` reads decide a branch of the loop, alone
 * or with values that are the same in each round? `differ`: registers that
 * differ between rounds. */
bool exec_slice_decides(const exec_loop *l, uint32_t pc,
                        const exec_regs *differ);

#endif
