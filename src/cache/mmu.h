/* src/cache/mmu.h - what SMs share of address translation: the second level of
 * TLBs, one for so many neighbouring SMs, a third level and the walks through
 * the page tables. Owns its tables.
 *
 * During a window it only answers mmu_holds, from any thread. What the TLBs of
 * the SMs ask (cache/tlb.h) is collected between windows by mmu_take, from
 * those that ran, in any order, and served by mmu_serve, by cycle and TLB. So
 * an answer takes a window at least, and what a walk fills is seen by all from
 * the next window on. Nothing depends on threads.
 *
 * There are no page tables to read: what is missing everywhere takes
 * `tlb.walk.latency`. Contents stay over launches. */
#ifndef CACHE_MMU_H
#define CACHE_MMU_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config.h"
#include "stats/stats.h"

typedef struct mmu mmu;
struct tlb;

/* NULL if the machine has no TLBs. */
mmu *mmu_new(const config *cfg, stats *reg);
void mmu_free(mmu *m); /* NULL is fine */

/* Does the second level of `sm` hold the region of `page`? */
bool mmu_holds(const mmu *m, unsigned sm, uint64_t page);

void mmu_take(mmu *m, struct tlb *t);
/* A window begins at `now`: what has been fetched by then is held. */
void mmu_land(mmu *m, uint64_t now);
/* The window before `now` has ended. Returns true if a TLB has an answer. */
bool mmu_serve(mmu *m, uint64_t now);

extern const stats_block mmu_stats_block;

#endif
