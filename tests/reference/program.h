/* tests/reference/program.h - PTX programs made at random, whose results the
 * manual defines: every register is written before it is read, loops are
 * bounded, threads share memory only between barriers or by atomics whose
 * order does not matter, NaNs are made alike where their bits escape.
 *
 * The kernel `test` has three parameters, addresses: input words, PROGRAM_OUT
 * bytes of results for each thread, and PROGRAM_SUMS words of atomics. */
#ifndef REFERENCE_PROGRAM_H
#define REFERENCE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

enum {
    PROGRAM_IN = 4096, /* bytes */
    PROGRAM_OUT = 512, /* of a thread */
    PROGRAM_SUMS = 64, /* words */
};

typedef struct program {
    strbuf text;
    uint32_t grid[3], cta[3];
    bool calls; /* it has functions */
} program;

/* Program `seed`, of about so many statements. */
void program_make(program *p, uint64_t seed, unsigned statements);
void program_fini(program *p);

/* Lines that a smaller program may lack; the rest end in this comment. */
#define PROGRAM_KEEP "// keep"

#endif
