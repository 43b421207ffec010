/* src/runtime/sampled_rate.h - how much of a long launch is timed, and what the
 * rest of it would have taken.
 *
 * The unit is a generation: as many CTAs as the machine holds at once; or,
 * where warps are forwarded (sm/forward.h), a slice of some cycles. Of each
 * that ends, but for the first behind the beginning or behind a gap, in which
 * the machine settles, the rate is noted: warp instructions a cycle. Where two
 * that follow each other agree within AGREES, the CTAs of some generations are
 * left out, ever more while the rate behind a gap is that before it; where it
 * is not, it has to be found again. A gap is charged its warp instructions at
 * the mean of the rates on both sides. The idea is that of Principal Kernel
 * Analysis (Baddouh et al., MICRO 2021), which stops at the first stable rate,
 * and of SMARTS (Wunderlich et al., ISCA 2003), which comes back. Nothing is
 * fitted. Plain values, no storage. */
#ifndef RUNTIME_SAMPLED_RATE_H
#define RUNTIME_SAMPLED_RATE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sampled_rate {
    uint64_t generation;     /* CTAs of one, or cycles */
    bool slices;             /* it is cycles: the machine runs empty before a
                                gap and fills behind it, which is charged as the
                                gap is, in place of what it took */
    uint64_t cycle, insts;   /* when the last one ended */
    uint64_t ended;          /* CTAs, or cycles, that were timed, then */
    unsigned since;          /* generations since the beginning, or the gap */
    bool stable;             /* the last two rates agree */
    double last, mean;       /* rate; of the last two that agree */
    unsigned rates;          /* since it last changed */
    uint64_t gap;            /* generations of the next one */
    double before, missing;  /* the rate before a gap whose other side is not
                                known yet, and its warp instructions */
    double took;             /* cycles that it took nevertheless */
    uint64_t held;           /* warps that were on the machine, with slices */
    double cycles, variance; /* of all gaps that are closed; of each its own */
    double steps;            /* squares of rates' relative differences, */
    unsigned step_count;     /* and how many */
} sampled_rate;

/* `capacity`: CTAs that the machine holds at once, not 0; the launch begins in
 * cycle `now`. */
void sampled_rate_init(sampled_rate *r, uint64_t capacity, uint64_t now);
/* The same with slices of so many cycles; `ended` is then the cycle, and `left`
 * more than any gap. */
void sampled_rate_init_slices(sampled_rate *r, uint64_t cycles, uint64_t now);

/* In cycle `now` so many CTAs that were timed have ended, and so many warp
 * instructions were executed. Returns the CTAs that can be left out of `left`,
 * which have not begun: mostly 0. With slices the machine holds `held` warps:
 * if those are many more or less than before a gap, its charge is by the rate
 * before alone. */
uint64_t sampled_rate_look(sampled_rate *r, uint64_t now, uint64_t ended,
                           uint64_t insts, uint64_t left, uint64_t held);
/* They were left out, and executed so many instructions. CTAs in that moment;
 * with slices since cycle `from`, when the machine began to run empty. */
void sampled_rate_gap(sampled_rate *r, uint64_t from, uint64_t now,
                      uint64_t ended, uint64_t insts, uint64_t missing);

/* What is left when so many CTAs have not begun: never another gap? */
bool sampled_rate_over(const sampled_rate *r, uint64_t left);

/* Cycles that were left out; a standard deviation of that, of its own, and one
 * that all of it shares. */
typedef struct sampled_cycles {
    double cycles, spread, error;
} sampled_cycles;
sampled_cycles sampled_rate_guess(const sampled_rate *r);

#endif
