/* src/gpu/gpu.h - the whole simulated chip: SMs with their L1s, the crossbar,
 * memory partitions, the CTA dispatcher and the clock that moves them.
 *
 * Time advances in windows (DESIGN: "Time"): within one, every node - an SM
 * cluster or a memory partition - runs alone, on any thread; between windows
 * messages are exchanged, stores become visible to all, and CTAs are handed
 * out. Nothing depends on the number of threads, the order of nodes or on
 * skipping cycles in which nothing happens.
 *
 * Owns all blocks; borrows the configuration, the memory image and the counter
 * registry, which must outlive it. One launch at a time, from one thread. */
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "config/config.h"
#include "exec/exec.h"
#include "gpu/tracer.h"
#include "mem/image.h"
#include "sm/profile.h"
#include "stats/stats.h"

typedef struct gpu gpu;

/* How to simulate; none of it changes a result. */
typedef struct gpu_options {
    unsigned threads; /* host threads, 0 or 1: only the caller's */
    bool no_skip;     /* tick every block in every cycle */
    uint64_t shuffle; /* not 0: process nodes and blocks in another order */
} gpu_options;

typedef struct gpu_progress {
    uint64_t cycle; /* since the launch */
    uint64_t ctas_done, ctas;
    uint64_t warp_insts;
} gpu_progress;

typedef struct gpu_run {
    uint64_t max_cycles;               /* 0: no limit */
    const volatile sig_atomic_t *stop; /* not 0: stop after the window */
    void (*progress)(void *arg, const gpu_progress *p); /* NULL: none */
    void *progress_arg;
    /* Counters by instruction are added to these, one row more than the kernel
     * has instructions; NULL: not counted. */
    sm_profile_row *profile;
    /* Called after every so many cycles of the launch, rounded up to windows,
     * with the counters settled up to there; NULL: never. */
    void (*sample)(void *arg, uint64_t cycles);
    void *sample_arg;
    uint64_t sample_cycles;
    const gpu_trace *trace; /* NULL: none */
} gpu_run;

typedef struct gpu_result {
    uint64_t start, end; /* cycles: launch, all CTAs done and stores landed */
    uint64_t ctas;       /* completed */
    exec_fault fault;    /* ST_FAULT */
} gpu_result;

/* NULL if memory or address space runs out. */
gpu *gpu_new(const config *cfg, mem_image *image, stats *reg,
             const gpu_options *opt);
void gpu_free(gpu *g); /* NULL is fine */

/* Runs one grid to its end. The caller has checked that a CTA fits an SM.
 * ST_OK; ST_FAULT; ST_HANG: nothing can move any more; ST_LIMIT: max_cycles;
 * ST_INTERRUPTED. After anything but ST_OK counters are valid, and the machine
 * must not be used for another launch. */
status gpu_launch(gpu *g, const exec_launch *l, const gpu_run *run,
                  gpu_result *out);

/* Charges the time since the last launch to the counters, so that their values
 * now are the base of the next. */
void gpu_settle(gpu *g);

uint64_t gpu_now(const gpu *g); /* cycle */

/* Contents of every block that is not idle: the hang report. */
void gpu_dump(const gpu *g, FILE *f);

extern const stats_block gpu_stats_block;

#endif
