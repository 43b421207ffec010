/* src/exec/mbarrier.h - mbarriers: words in shared memory that count arrivals
 * and bytes, phase by phase [PTX85:mbarrier]. Their fields are those of
 * exec/atom.h; an arrival is an atomic there. */
#ifndef EXEC_MBARRIER_H
#define EXEC_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"
#include "exec/async.h"
#include "exec/atom.h"
#include "exec/exec.h"

typedef struct exec_mbarrier {
    uint32_t left, expected; /* arrivals: of this phase still due, of each */
    int32_t bytes;           /* still due: the tx-count */
    unsigned phase;          /* the parity of its number */
} exec_mbarrier;

static inline exec_mbarrier exec_mbarrier_of(uint64_t word)
{
    uint32_t mask = (uint32_t)bits_mask64(ARRIVE_BITS);
    uint64_t bytes = word >> ARRIVE_BYTES & bits_mask64(ARRIVE_BYTES_BITS);
    uint64_t sign = (uint64_t)1 << (ARRIVE_BYTES_BITS - 1);

    return (exec_mbarrier){
        .left = -(uint32_t)(word >> ARRIVE_DUE) & mask,
        .expected = -(uint32_t)(word >> ARRIVE_EXPECTED) & mask,
        .bytes = (int32_t)((int64_t)(bytes ^ sign) - (int64_t)sign),
        .phase = (unsigned)(word >> ARRIVE_PHASE),
    };
}

/* That one, as mbarrier.init leaves it for `n` arrivals. */
static inline uint64_t exec_mbarrier_new(uint32_t n)
{
    uint64_t negated = -(uint64_t)n & bits_mask64(ARRIVE_BITS);

    return negated << ARRIVE_EXPECTED | negated << ARRIVE_DUE;
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

/* Can there be an mbarrier at `at` of the shared memory of `c`? */
static inline bool exec_mbarrier_in_bounds(const exec_cta *c, uint32_t at)
{
    return !(at % 8) && at + 8ull <= c->launch->shared_bytes;
}

/* Is the word at `at` in the shared memory of `c` still in the phase whose
 * parity is in bit 31 of `phase`, as in the upper half of such a word? A place
 * outside is not. */
static inline bool exec_mbarrier_holds(const exec_cta *c, uint32_t at,
                                       uint32_t phase)
{
    uint64_t word;

    if (!exec_mbarrier_in_bounds(c, at))
        return false;
    memcpy(&word, c->shared + at, 8);
    return word >> ARRIVE_PHASE == phase >> 31;
}

/* Warp `w`, which waited as `b` says, goes on: its lanes learn whether their
 * phases are over. */
void exec_mbarrier_went_on(exec_warp *w, const exec_bar *b);

/* The copies of warp `w` that it waited for as `b` says are over: its lanes
 * arrive. */
void exec_mbarrier_behind_copies(exec_warp *w, const exec_bar *b);

#endif
