/* src/exec/atom.h - what one atomic operation does to one value. */
#ifndef EXEC_ATOM_H
#define EXEC_ATOM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "isa/isa.h"
#include "mem/port.h"

/* Of a value of that isa_atype. */
unsigned exec_atom_bytes(unsigned type);

/* The value that replaces `old`; operands in the low bits. `flush`: denormals
 * of F32 additions become zero, as in global memory [PTX85:atom]. */
uint64_t exec_atom_apply(unsigned op, unsigned type, uint64_t old, uint64_t a,
                         uint64_t b, bool flush);

/* A word of an mbarrier, as code for Hopper makes and reads it [ptxas 13.0,
 * mbarrier.init and .pending_count for sm_90]: from these bits on arrivals that
 * a phase takes and arrivals still due, both negated, between them bytes still
 * due (signed), and the parity of the phase. Code for Ampere has two counts
 * only, each negated: the low half holds 30 bits of what a phase takes, the
 * high one 31 bits of what is due; the bit of the phase is the same. */
enum {
    ARRIVE_BITS = 20,
    ARRIVE_EXPECTED = 1,
    ARRIVE_BYTES = 21,
    ARRIVE_BYTES_BITS = 22,
    ARRIVE_DUE = 43,
    ARRIVE_PHASE = 63,
    ARRIVE_OLD_BITS = 30,
};

/* Is it an arrival at one? */
static inline bool exec_atom_arrives(unsigned op)
{
    return op == ATOM_ARRIVE || op == ATOM_DROP || op == ATOM_ARRIVE80;
}

/* Lane `l` of `a`, which finds `was` in memory: what it leaves there. */
void exec_atom_lane(mem_atom *a, unsigned l, const uint8_t was[16],
                    uint8_t now[16], bool flush);

/* 2, 4, 8 or 16 bytes; a branch for each, so that each is a single access. */
static inline void exec_atom_copy(void *to, const void *from, unsigned bytes)
{
    if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, bytes == 2 ? 2 : 16);
}

#endif
