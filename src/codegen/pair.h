/* src/codegen/pair.h - two instructions of a warp that a Kepler can issue
 * together: what may stand behind which, in the final order. Plain functions.
 */
#ifndef CODEGEN_PAIR_H
#define CODEGEN_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "codegen/codegen.h"
#include "isa/isa.h"

/* Does the machine issue two instructions at once? */
static inline bool cg_wants_pairs(const cg_options *o)
{
    return o->pairs && o->arch == ARCH_KEPLER;
}

/* Of a register [PPOPP:register-banks]. */
static inline unsigned cg_bank(unsigned reg)
{
    return (reg & 1) | (reg >> 1 & 2);
}

/* Runs on the single-precision cores: two such instructions need the group of
 * cores that two schedulers share. */
bool cg_on_cores(const isa_inst *in);

/* Can `b`, right behind `a`, issue with it? */
bool cg_pairs(const isa_inst *a, const isa_inst *b);

/* May code[j] stand before code[i], ..., code[j - 1] of its block? */
bool cg_moves_before(const isa_inst *code, uint32_t i, uint32_t j);

/* Cycles beyond the first that both take to read their registers
 * [PPOPP:register-banks]. */
unsigned cg_conflicts(const isa_inst *a, const isa_inst *b);

#endif
