/* src/codegen/ir/abi.h - the calling convention. [guess], after the shape of
 * the vendor's: its details are not published.
 *
 *   R1        top of the stack, a byte offset in local memory; kept by callees
 *   R2        where to return to, an instruction index
 *   R3        where an indirect call goes
 *   R4..R15   arguments in order, a word each, values of 8 bytes and their
 *             multiples from an even register; results in the same way.
 *             What does not fit stands from R1 on, arguments first
 *   callee    keeps R16..R31 and, above, the odd groups of eight (R40..R47,
 *             R56..R63, ...), the convergence barriers, and R1
 *   caller    keeps everything else, predicates too
 *
 * The stack grows upwards from the end of the kernel's own frame. A function's
 * frame begins at R1; for a call it adds its size to R1. A register that the
 * callee does not touch need not be saved. */
#ifndef CODEGEN_IR_ABI_H
#define CODEGEN_IR_ABI_H

#include <stdbool.h>

enum {
    ABI_SP = 1,
    ABI_LINK = 2,
    ABI_TARGET = 3,
    ABI_ARG = 4,
    ABI_ARGS = 12,
    ABI_FIXED = ABI_ARG + ABI_ARGS,
    ABI_REGISTERS = ABI_FIXED + 4, /* fewest that calls can do with */
    ABI_ALIGN = 16,                /* of frames, in bytes */
};

/* A callee keeps this register. */
static inline bool abi_is_saved(unsigned reg)
{
    return reg >= 16 && (reg < 32 || reg & 8);
}

#endif
