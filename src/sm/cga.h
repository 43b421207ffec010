/* src/sm/cga.h - what an SM has to do with thread-block clusters (exec/cga.h):
 * their CTAs collect the warps that arrive at the barrier of the cluster, tell
 * the machine, and are told when all have arrived. */
#ifndef SM_CGA_H
#define SM_CGA_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/cga.h"
#include "stats/stats.h"

typedef struct sm sm;

/* A CTA's warps have all arrived in that cycle, or ended. */
typedef struct sm_cga_word {
    uint64_t cycle;
    exec_cga *cga;
    uint32_t rank;
    bool left; /* no warp of it is left */
} sm_cga_word;

typedef struct sm_cga_stats {
#define STAT(id, unit, help) uint64_t id;
#include "sm/cga_stats.def"
#undef STAT
} sm_cga_stats;

extern const stats_block sm_cga_stats_block;

/* What has been said since the last call, in order; valid until the next tick.
 */
unsigned sm_cga_words(sm *s, const sm_cga_word **list);
/* Between windows: the CTAs of cluster `serial` go on in cycle `when`, which is
 * not before the next tick. */
void sm_cga_release(sm *s, uint64_t when, uint32_t serial);

/* ---- for sm ---- */

/* Of a new SM, whose ports are known. */
void sm_cga_init(sm *s, stats *reg, const char *name);

/* Warp `w` has executed an instruction of the barrier: s->bar[w]. */
void sm_cga_meet(sm *s, unsigned w);
/* A warp of the CTA in that slot, warp slot `w`, has ended. */
void sm_cga_leave(sm *s, unsigned cta, unsigned w);
/* What sm_cga_release has said comes true now. */
void sm_cga_land(sm *s, uint32_t serial);

#endif
