/* src/mem/clock.h - where clock domains meet, exactly.
 * A domain makes `num` cycles while the core makes `den`. Its cycle k begins
 * at core time k * den / num and belongs to the core cycle that holds this
 * instant: nothing is seen before it happened. Core cycle t holds the domain's
 * cycles from mem_clock_from_core(t) up to, not including, that of t + 1:
 * none or one in a slower domain, one or more in a faster one. */
#ifndef MEM_CLOCK_H
#define MEM_CLOCK_H

#include <stdint.h>

#include "config/config.h"
#include "mem/port.h"

/* First cycle of the domain that does not begin before core cycle `core`. */
static inline uint64_t mem_clock_from_core(config_ratio r, uint64_t core)
{
    if (r.num == r.den)
        return core;
    return (core * r.num + r.den - 1) / r.den;
}

/* The cycles of the domain in core cycle `core`: from the result up to, not
 * including, *end = mem_clock_from_core(r, core + 1). */
static inline uint64_t mem_clock_span(config_ratio r, uint64_t core,
                                      uint64_t *end)
{
    if (r.num == r.den) {
        *end = core + 1;
        return core;
    }
    uint64_t n = core * r.num + r.den - 1, first = n / r.den;
    uint64_t rest = n % r.den + r.num;

    if (rest >= r.den)
        *end = first + (r.num < r.den ? 1 : rest / r.den);
    else
        *end = first;
    return first;
}

/* Core cycle in which the domain's cycle `own` begins. */
static inline uint64_t mem_clock_to_core(config_ratio r, uint64_t own)
{
    if (r.num == r.den || own == NEVER)
        return own;
    return own * r.den / r.num;
}

#endif
