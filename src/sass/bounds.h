/* src/sass/bounds.h - what the vendor's compiler knows of fixed latencies: from
 * the cycles that its control codes leave between an instruction and the first
 * that uses its result follows how long the device takes at most.
 *
 * Only straight code counts, and results that no scoreboard is awaited for: up
 * to a jump, or to an instruction that waits; by what reads its operands as it
 * issues. */
#ifndef SASS_BOUNDS_H
#define SASS_BOUNDS_H

#include "base/strbuf.h"
#include "isa/isa.h"
#include "sass/cubin.h"

/* What of a result is used, and by what. */
typedef enum sass_use {
    USE_REGISTER,
    USE_PREDICATE, /* as an operand */
    USE_GUARD,
    USE_UNIFORM,      /* a uniform register, by the uniform datapath */
    USE_UNIFORM_LANE, /* by lanes, loads and stores */
    SASS_USES
} sass_use;

typedef struct sass_bound {
    uint64_t pairs;  /* of a result and its first use */
    uint32_t cycles; /* the fewest between them */
} sass_bound;

typedef struct sass_bounds {
    sass_bound of[ISA_CLASSES][SASS_USES]; /* by the class of what gives it */
} sass_bounds;

/* Adds those of `count` instructions in a row. */
void sass_bounds_add(sass_bounds *b, const isa_inst *code, size_t count);

/* Of all functions of a cubin that can be executed. */
void sass_bounds_of(sass_bounds *b, const cubin *c);

/* Appends a line for each that has been seen: class, use, cycles, pairs; tabs
 * between them. */
void sass_bounds_put(const sass_bounds *b, strbuf *out);

#endif
