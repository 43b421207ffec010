/* src/exec/mbarrier.h - mbarriers: words in shared memory that count arrivals
 * and bytes, phase by phase [PTX85:mbarrier]. Their fields are those of
 * exec/atom.h; an arrival is an atomic there. */
#ifndef EXEC_MBARRIER_H
#define EXEC_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"
#include "exec/atom.h"
#include "exec/exec.h"

typedef struct exec_mbarrier {
    uint32_t left, expected; /* arrivals: of this phase still due, of each */
    int32_t bytes;           /* still due: the tx-count */
    unsigned phase;          /* its number modulo 8 */
} exec_mbarrier;

static inline exec_mbarrier exec_mbarrier_of(uint64_t word)
{
    uint64_t mask = bits_mask64(ARRIVE_BITS);
    uint64_t bytes =
        word >> ARRIVE_BYTES & bits_mask64(ARRIVE_PHASE - ARRIVE_BYTES);
    uint64_t sign = (uint64_t)1 << (ARRIVE_PHASE - ARRIVE_BYTES - 1);

    return (exec_mbarrier){
        .left = (uint32_t)(word & mask),
        .expected = (uint32_t)(word >> ARRIVE_BITS & mask),
        .bytes = (int32_t)((int64_t)(bytes ^ sign) - (int64_t)sign),
        .phase = (unsigned)(word >> ARRIVE_PHASE),
    };
}

/* Was the word at `at`, which lies in the shared memory of `c`, initialised?
 * One that was takes arrivals. */
static inline bool exec_mbarrier_is_one(const exec_cta *c, uint32_t at)
{
    exec_mbarrier b;
    uint64_t word;

    memcpy(&word, c->shared + at, 8);
    b = exec_mbarrier_of(word);
    return b.expected || b.left;
}

/* Is the word at `at` in the shared memory of `c` still in that phase: one of
 * that parity, or with `number` of that number? A place outside is not: who
 * reads it next learns that. */
static inline bool exec_mbarrier_holds(const exec_cta *c, uint32_t at,
                                       uint32_t phase, bool number)
{
    uint64_t word;

    if (at % 8 || at + 8 > c->launch->shared_bytes || at + 8 < at)
        return false;
    memcpy(&word, c->shared + at, 8);
    return number ? word >> ARRIVE_PHASE == (phase & 7)
                  : (word >> ARRIVE_PHASE & 1) == (phase & 1);
}

#endif
