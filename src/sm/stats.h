/* src/sm/stats.h - the counters of an SM, made from stall.def, sm_stats.def
 * and isa/class.def. Plain data, owned by the SM. */
#ifndef SM_STATS_H
#define SM_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"
#include "sm/cluster/dissolve.h"
#include "stats/bins.h"

/* What a warp, or a scheduler, waits for. READY is not a stall. */
typedef enum sm_why {
#define STALL(id, name, where, help) WHY_##id,
#include "sm/stall.def"
#undef STALL
    WHY_READY,
    WHY_COUNT,
    WHY_STALLS = WHY_READY
} sm_why;

extern const char *const sm_why_names[WHY_COUNT];

/* Does a warp that waits for it wait inside of the instruction that it issued
 * last? */
static inline bool sm_why_is_inside(unsigned why)
{
    enum { BEFORE, INSIDE };
    static const bool inside[WHY_COUNT] = {
#define STALL(id, name, where, help) [WHY_##id] = where,
#include "sm/stall.def"
#undef STALL
    };

    return inside[why];
}

typedef struct sm_stats { /* in the order of its descriptors */
#define STAT(id, unit, help)           uint64_t id;
#define HIST(id, bins, of, unit, help) uint64_t id[HIST_##bins];
#include "sm/sm_stats.def"
#undef STAT
#undef HIST
    uint64_t stall[WHY_STALLS]; /* slots */
    uint64_t parted[DISSOLVE_CAUSES];
    uint64_t class[ISA_CLASSES]; /* warp instructions */
    uint64_t lane[ISA_CLASSES];  /* lanes that executed them */
} sm_stats;

#endif
