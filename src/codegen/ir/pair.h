/* src/codegen/ir/pair.h - two instructions of a warp that a Kepler can issue
 * together: what may stand behind which, in the final order. Plain functions.
 */
#ifndef CODEGEN_IR_PAIR_H
#define CODEGEN_IR_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "codegen/ir/options.h"
#include "isa/isa.h"

/* Does the machine issue two instructions at once? */
static inline bool cg_wants_pairs(const cg_options *o)
{
    return o->pairs && o->arch == ARCH_KEPLER;
}

/* Runs on the single-precision cores: two such instructions need the group of
 * cores that two schedulers share. */
bool cg_on_cores(const isa_inst *in);

/* Can `b`, right behind `a`, issue with it? */
bool cg_pairs(const isa_inst *a, const isa_inst *b);

/* What an instruction reads and writes, and whether it may move. */
typedef struct cg_touched {
    uint64_t read[4], written[4]; /* registers, a bit each */
    uint8_t pread, pwritten;
    bool stays, memory;
} cg_touched;

cg_touched cg_touches(const isa_inst *in);

/* Must `b`, somewhere behind `a` in their block, stay behind it? */
bool cg_stays_behind(const cg_touched *b, const cg_touched *a);

#endif
