/* src/mem/keep.h - how long the L2 is to keep a line, and cache policies, the
 * 64-bit values by which programs say so [PTX85:cache-eviction-priority-hints].
 * Pure functions. */
#ifndef MEM_KEEP_H
#define MEM_KEEP_H

#include <stdbool.h>
#include <stdint.h>

/* Three bits of a request. */
typedef enum mem_keep {
    MEM_KEEP_DEFAULT,   /* nothing is said: a line keeps what it has */
    MEM_KEEP_NORMAL,    /* as all lines, whatever it had */
    MEM_KEEP_FIRST,     /* goes before others */
    MEM_KEEP_LAST,      /* goes when no others are left */
    MEM_KEEP_UNCHANGED, /* this access does not count as a use */
    MEM_KEEP_WINDOW,    /* as LAST, in what is set aside: access windows */
    MEM_KEEP_APPLY,     /* no access: a line that is there becomes normal */
    MEM_KEEP_DISCARD,   /* no access: what was written is not wanted */
} mem_keep;

/* Is it an access of data at all? */
static inline bool mem_keep_accesses(mem_keep k) { return k < MEM_KEEP_APPLY; }

/* A policy: bits 63..60 its kind, 1 by fraction and 2 by range, 59..56 the
 * priority of what it chooses, of the form below, 51..48 that of the rest.
 * Fraction, given as the bits of a single: 55..52 sixteenths less one; which
 * lines it chooses is a hash of their addresses. The constants that CUTLASS
 * passes for evict_normal, evict_first and evict_last are such values
 * [CUTLASS:CacheHintSm90]. Range: in 55..52 and 47..0, see keep.c. All else
 * means nothing is said. */
uint64_t mem_keep_fraction(mem_keep chosen, mem_keep rest, uint32_t fraction);

/* Chooses what lies in the `primary` bytes from `at` on; `rest` is for what
 * lies in `total` bytes before their end and behind their start
 * [PTX85:createpolicy]; `total` below 2^32, at least `primary`. By blocks of 4
 * KB at least, of which 4095 cover `total`. */
uint64_t mem_keep_range(mem_keep chosen, mem_keep rest, uint64_t at,
                        uint64_t primary, uint64_t total);

/* What a policy says of the line at `line`. */
mem_keep mem_keep_of(uint64_t policy, uint64_t line);

#endif
