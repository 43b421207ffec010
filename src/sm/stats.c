#include "sm/stats.h"

#include <stddef.h>

#include "base/must.h"
#include "sm/sm.h"

const char *const sm_why_names[WHY_COUNT] = {
#define STALL(id, name, where, help) #name,
#include "sm/stall.def"
#undef STALL
    "ready",
};

static const stat_desc sm_desc[] = {
#define STAT(id, unit, help) STAT_DESC(sm_stats, id, unit, help),
#define HIST(id, bins, of, unit, help)                                         \
    STAT_HIST(sm_stats, id, bins, of, unit, help)
#include "sm/sm_stats.def"
#undef STAT
#undef HIST
#define STALL(id, name, where, help)                                           \
    {"stall_" #name, "slot", help, offsetof(sm_stats, stall[WHY_##id]),        \
     NULL,           NULL,   0},
#include "sm/stall.def"
#undef STALL
#define CAUSE(id, name, help)                                                  \
    {"parted_" #name,                                                          \
     "event",                                                                  \
     "times its cluster dissolved: " help,                                     \
     offsetof(sm_stats, parted[DISSOLVE_##id]),                                \
     NULL,                                                                     \
     NULL,                                                                     \
     0},
#include "sm/cluster/dissolve.def"
#undef CAUSE
#define CLASS(id, name, help)                                                  \
    {"inst_" #name, "inst", help, offsetof(sm_stats, class[ISA_CLASS_##id]),   \
     NULL,          NULL,   0},
#include "isa/class.def"
#undef CLASS
#define CLASS(id, name, help)                                                  \
    {"thread_" #name,                                                          \
     "inst",                                                                   \
     "lanes of them: " help,                                                   \
     offsetof(sm_stats, lane[ISA_CLASS_##id]),                                 \
     NULL,                                                                     \
     NULL,                                                                     \
     0},
#include "isa/class.def"
#undef CLASS
};

const stats_block sm_stats_block = {
    "sm[*]",
    "streaming multiprocessor: issue, fetch, operands, load/store unit",
    sm_desc,
    COUNTOF(sm_desc),
};
