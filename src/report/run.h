/* src/report/run.h - what came out of a run, as text, JSON or CSV.
 * Plain data filled by the caller, borrowed while it is written. Figures are
 * computed here from counters (report/figure.h) and nowhere else. */
#ifndef REPORT_RUN_H
#define REPORT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/source.h"
#include "base/status.h"
#include "config/config.h"
#include "energy/series.h"
#include "exec/services.h"
#include "exec/spins.h"
#include "exec/stray.h"
#include "gpu/window_profile.h"
#include "isa/program.h"
#include "report/group.h"
#include "report/sum.h"
#include "sm/observe/profile.h"
#include "stats/outcome.h"
#include "stats/series.h"
#include "stats/stats.h"

typedef struct report_launch {
    const isa_kernel *kernel;
    const config *cfg;         /* of the GPU it ran on */
    const stats *stats;        /* names of its counters; NULL when functional */
    bool functional;           /* no timing: only results */
    const isa_program *source; /* its files; NULL: unknown */
    const sources *sources;    /* their texts, may be NULL */
    uint32_t grid[3], block[3]; /* [0] is 0: of several sizes (in sums) */
    uint32_t shared_bytes;      /* dynamic */
    union {
        launch_outcome outcome; /* these members at once */
        struct {
#include "stats/outcome.inc"
        };
    };
    unsigned device;        /* number of its GPU */
    const char *stream;     /* NULL: unknown, or of its parts */
    const char *error;      /* the message for the user; NULL: none */
    bool unfinished;        /* its program ended before it did */
    const exec_line *lines; /* printed by the kernel */
    size_t line_count;
    uint64_t lines_lost;
    exec_strays strays;       /* accesses outside that did no harm */
    exec_spins spins;         /* what its warps spun on when it was ended */
    const uint64_t *totals;   /* of counters, see stats_total_get; NULL when
                                 functional */
    const uint64_t *counters; /* of every block; NULL: not kept */
    energy_series series;     /* no rows: not wanted */
    stats_series warps;       /* resident in each SM, times cycles; no blocks:
                                 not wanted */
    isa_arch arch;
    const sm_profile_row *profile; /* by instruction, one more than there are;
                                      NULL: not wanted */
    const report_group *group;     /* launches that were in flight together, of
                                      which this is the sum; NULL: it is one */
    /* Has its totals and profile, and those of launches like it: they were not
     * kept of each. NULL: its own are here. */
    const report_sum *folded;
    uint64_t active_cycles, warp_cycles; /* if so: of its SMs, and of warps */
} report_launch;

/* Cycles were simulated. */
bool report_launch_timed(const report_launch *l);

/* Adds totals and profile to `sum` and gives up what it owns of them, and every
 * block's counters; but the first of a sum keeps profiles of its parts, which
 * are told where no other comes. The sum then has to outlive it. */
void report_launch_fold(report_launch *l, report_sum *sum);

/* Adds the parts of a group to `l`, which has the results of the group; it then
 * owns a group, to be freed. False if memory runs out. */
bool report_launch_join(report_launch *l, const report_part *part, size_t n);

/* Frees what came out of one that owns it: all but the kernel, names and
 * sources. */
void report_launch_fini(report_launch *l);

/* A buffer compared with what was expected. */
typedef struct report_check {
    const char *buffer, *file;
    uint64_t count, differ; /* elements */
    double worst;           /* largest difference */
    double tolerance;
} report_check;

/* What is written of launches. */
typedef struct report_options {
    bool per_block; /* JSON: every counter of every block */

    bool energy_series; /* CSV: that table */

    /* Tables of where the time went; launches then have a profile. */
    bool by_line, by_instruction;
    bool has_top; /* of the text: only the `top` first rows, 0: all in order */
    uint64_t top;
    unsigned warm;  /* times that launches were performed before */
    unsigned width; /* columns of the text: 80 at least; 0: 100 */
} report_options;

typedef struct report_run {
    const config *cfg;
    const char *program; /* path */
    const report_launch *launches;
    size_t launch_count;
    const report_check *checks;
    size_t check_count;
    status status;
    bool functional;
    unsigned threads;
    double start_seconds; /* host: from the start to the first launch */
    double cpu_seconds; /* of all threads, while the launches ran; 0: unknown */
    uint64_t max_rss_bytes;
    const window_sums *windows; /* NULL: not timed */
    uint64_t hash;              /* of counters and memory */
    bool has_hash;
    report_options options;
} report_run;

void report_text(const report_run *r, FILE *to);
void report_json(const report_run *r, FILE *to);
/* One line per launch, a header first; with by_line or by_instruction (not
 * both) that table instead. Nothing without launches. */
void report_csv(const report_run *r, FILE *to);

/* "ok", "fault", "interrupted", ... */
const char *report_status(status st);
const char *report_launch_status(const report_launch *l); /* or "unfinished" */

#endif
