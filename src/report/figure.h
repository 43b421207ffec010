/* src/report/figure.h - what is computed from counters: rates, shares,
 * bandwidths. One home for every formula; NAN where the divisor is zero. */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include <stdbool.h>

#include "energy/energy.h"
#include "report/run.h"

/* Where bytes move. Peaks are per second, of the whole chip. */
typedef struct figure_level {
    const char *id, *name;
    const char *what; /* what is counted in `accesses` */
    uint64_t accesses;
    double hit_rate; /* of loads that looked for data; NAN: none did */
    uint64_t bytes;
    double bandwidth, peak; /* bytes per second */
} figure_level;

enum {
    LEVEL_SHARED,
    LEVEL_L1,
    LEVEL_RO, /* id NULL: the SMs have none */
    LEVEL_NOC_UP,
    LEVEL_NOC_DOWN,
    LEVEL_L2,
    LEVEL_DRAM,
    LEVELS
};

/* Bytes that moved at a level, from sums of counters: sum(of,
 * "noc.sm[*].in_bytes") gives one. They add up over launches. */
uint64_t figure_bytes(unsigned level, const config *c,
                      uint64_t (*sum)(const void *of, const char *counter),
                      const void *of);
/* Constant; a machine without a read-only cache has no such level. */
const char *figure_level_name(unsigned level);
const char *figure_level_id(unsigned level); /* "noc_up" */
bool figure_has_level(unsigned level, const config *c);

/* What accesses of warps to the shared memory cost it: one pass each, of wide
 * ones as many as their words need, and those that bank conflicts add, when
 * lanes want different words of one bank. NAN where there were none. */
typedef struct figure_banks {
    uint64_t accesses, passes, conflicts; /* passes: all of them */
    double passes_each, conflicts_each;   /* of an access, on average */
    double lost;                          /* of the passes, to conflicts */
    double cycles; /* those of the cycles of SMs that had warps */
} figure_banks;

/* The least share of the launch latency that is reported. */
#define FIGURE_LAUNCH_SHOWN 0.01

/* The least share of a cold start that is reported. */
#define FIGURE_COLD_SHOWN 0.05

/* Slots lost to misses that no cache avoids: an SM touches the line for the
 * first time since its caches were emptied. */
typedef struct figure_cold {
    uint64_t code, constants; /* of the stalls icache and constant */
    double share;             /* of the slots, but for those without a warp */
} figure_cold;

/* What issue by control codes made of its slots, ports and banks. */
typedef struct figure_dual {
    bool on;                       /* the machine issues by control codes */
    uint64_t single, alike, mixed; /* slots issued: pairs of a kind, others */
    double decode, wrong_path;     /* of the cycles of fetch ports */
    double shared;                 /* use of the shared cores */
    uint64_t turns;                /* times they changed hands */
    double banks;                  /* of reads that they could do */
    double cached;                 /* of operands */
    uint64_t bubbles;              /* cycles operands came late */
    double scheduler[4];           /* of the instructions */
    double phase[4];               /* of groups, see sm.phase */
} figure_dual;

enum { FIGURE_STALLS_MAX = 32 };

typedef struct figure_stall {
    const char *name, *help; /* borrowed from the registry's descriptors */
    uint64_t slots;
} figure_stall;

typedef struct figures {
    double time_s;      /* simulated */
    double ipc, ipc_sm; /* warp instructions per cycle: chip, SM */
    double ipc_peak;    /* of the chip */
    double occupancy;   /* resident warps of active cycles, of the limit */
    double warps;       /* the same as warps per SM */
    double lanes;       /* share of lanes that execute */
    uint64_t slots, issued;
    figure_stall stalls[FIGURE_STALLS_MAX]; /* in the registry's order */
    unsigned stall_count;
    figure_cold cold;
    uint64_t launching; /* cycles before the first CTA could start */
    figure_dual dual;
    uint64_t tx, tx_insts; /* memory transactions, of so many accesses */
    double tx_per_inst;
    figure_banks banks;
    double row_hit_rate; /* DRAM */
    figure_level level[LEVELS];
    energy energy; /* all 0 where nothing was timed */
} figures;

void figures_compute(const report_launch *l, figures *out);

#endif
