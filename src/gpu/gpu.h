/* src/gpu/gpu.h - the whole simulated chip: SMs with their L1s, the crossbar,
 * memory partitions, the CTA dispatcher and the clock that moves them.
 *
 * Time advances in windows (docs/architecture.md, "Time"): within one, every
 * node - an SM cluster or a memory partition - runs alone, on any thread;
 * between windows messages are exchanged, stores become visible to all, and
 * CTAs are handed out. Nothing depends on the number of threads, the order of
 * nodes or on skipping cycles in which nothing happens.
 *
 * Several launches may be in flight (gpu_begin, gpu_advance); they share SMs,
 * caches and memory, see docs/architecture.md, "Launches in flight". A *group*
 * is what is in flight from an idle machine to an idle machine; most are single
 * launches.
 *
 * Owns all blocks; borrows the configuration, the memory image and the counter
 * registry, which must outlive it. To be called from one thread. */
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "config/config.h"
#include "exec/exec.h"
#include "exec/spins.h"
#include "gpu/event_merge.h"
#include "gpu/window_profile.h"
#include "mem/image.h"
#include "sm/observe/profile.h"
#include "stats/stats.h"

typedef struct gpu gpu;
typedef struct sm_forward sm_forward; /* see sm/forward.h */

/* How to simulate; none of it changes a result. */
typedef struct gpu_options {
    unsigned threads;     /* host threads, 0 or 1: only the caller's */
    bool no_skip;         /* tick every block in every cycle */
    uint64_t shuffle;     /* not 0: process nodes and blocks in another order */
    bool profile_windows; /* gpu_windows; for one thread, which takes longer */
} gpu_options;

enum { GPU_SPIN_WORDS = 96 };

typedef struct gpu_progress {
    uint64_t cycle;           /* since the group began */
    uint64_t ctas_done, ctas; /* of the group so far */
    uint64_t warp_insts;
    /* The launch is performed so many times: which of them it is, from 0; 0 of
     * 0: it is not, or it is the last. Not the machine's: who repeats it. */
    unsigned turn, turns;
    char spin[GPU_SPIN_WORDS]; /* what lanes spin on, "": on nothing */
} gpu_progress;

typedef struct gpu_run {
    uint64_t max_cycles;               /* of a launch; 0: no limit */
    const volatile sig_atomic_t *stop; /* not 0: stop after the window */
    void (*progress)(void *arg, const gpu_progress *p); /* NULL: none */
    void *progress_arg;
    /* Called after every so many cycles of the group, rounded up to windows,
     * with the counters settled up to there; NULL: never. */
    void (*sample)(void *arg, uint64_t cycles);
    void *sample_arg;
    uint64_t sample_cycles;
    const gpu_trace *trace; /* NULL: none */
    /* Called between any two windows, where the machine may be looked at
     * (gpu/inspect.h) for as long as that takes. Also in the cycle that it
     * returned last, if nothing happens there; 0: none. `st` not ST_OK: it has
     * failed, and what is in flight will be lost. Changes nothing. NULL: not
     * called. */
    uint64_t (*look)(void *arg, const gpu *g, status st);
    void *look_arg;
    uint64_t until; /* a cycle: return at the first window from there; 0: do
                       not */
    /* Nobody but what is in flight writes to the memory, and no launch is to
     * come: what spins for ever then is a hang. */
    bool alone;
    bool unwatched; /* warps have no values, so nobody can tell whether they
                       spin */
    bool linger; /* when stopped, go on for half a second at most, to see what
                    is spun on */
} gpu_run;

typedef struct gpu_result {
    uint64_t start, end; /* cycles: launch, all CTAs done and stores landed */
    uint64_t ctas;       /* completed */
    uint64_t ctas_begun; /* that an SM had room for */
    uint64_t warp_insts; /* issued by its warps */
    bool paused;         /* none has ended: the rest means nothing, but this: */
    bool lets_go;        /* the CTAs of launch *n have let the next one begin */
    bool idle;           /* it ended its group: */
    uint64_t group;      /* cycles of the group, */
    unsigned launches;   /* and how many it had */
    exec_fault fault;    /* ST_FAULT */
} gpu_result;

gpu *gpu_new(const config *cfg, mem_image *image, stats *reg,
             const gpu_options *opt);
void gpu_free(gpu *g); /* NULL is fine */

/* True if one more launch may be in flight. One that needs more shared memory
 * than the group has carved out of the L1 waits until the machine is idle. */
bool gpu_has_room(const gpu *g, const exec_launch *l);

/* Begins a launch in cycle gpu_now(); call only if gpu_has_room(). The caller
 * has checked that a CTA fits an SM. `l` is borrowed until it has ended.
 * Counters by instruction are added to `profile`, one row more than the kernel
 * has instructions (NULL: not counted; all launches of a group or none).
 * Returns its number among those in flight. */
unsigned gpu_begin(gpu *g, const exec_launch *l, sm_profile_row *profile);

/* Launch `n`, which has just begun, waits with ACQBULK for the end of launch
 * `before`, which is in flight. */
void gpu_hold(gpu *g, unsigned n, unsigned before);

/* Simulates until a launch has ended: *n, ST_OK; counters are settled if the
 * machine is idle. Of several that end in one window those that ended first
 * come first, without simulating any further. Or until `until` is reached,
 * where others may begin: ST_OK, paused. So it does when all CTAs of a launch
 * have let the next one go. A pause changes nothing. ST_FAULT;
 * ST_HANG: nothing can move any more; ST_LIMIT: max_cycles;
 * ST_INTERRUPTED. Then counters are valid, *n is the launch whose fault it is,
 * or the oldest, all in flight are lost, and the machine must not be used for
 * another.
 */
status gpu_advance(gpu *g, const gpu_run *run, unsigned *n, gpu_result *out);

/* After a pause: the next `ctas` CTAs of launch `n`, which has more left, are
 * computed by the caller, on the memory as it is: they count as having ended,
 * and the next to begin is the one behind. False: that cannot be, as some are
 * on their way. */
bool gpu_skip(gpu *g, unsigned n, uint64_t ctas);
/* Can warps be forwarded (sm/forward.h)? Not now, if somebody watches them. */
bool gpu_can_forward(const gpu *g);
bool gpu_is_watched(const gpu *g);
uint64_t gpu_warps(const gpu *g); /* that are on SMs */
/* After a pause, launch `n` being alone: no SM issues any more. Then, after
 * others: when all SMs have run empty (*left of them have not) warps execute
 * instructions in no time, `share` each; fewer where some have no more, and
 * warps of the launch are not all alike. Then SMs issue again; without `f` they
 * do so at once. False: a fault. */
void gpu_stop_issue(gpu *g);
bool gpu_forward(gpu *g, unsigned n, sm_forward *f, unsigned *left);
/* After a pause: the same as if gpu_advance had failed with a fault. */
void gpu_lose(gpu *g, unsigned n, gpu_result *out);

/* What is known of launch `n` in flight, also of one that is lost: start, CTAs
 * and instructions up to now, the end. */
void gpu_inspect(const gpu *g, unsigned n, gpu_result *out);

/* Runs one grid to its end on an idle machine: both of them. */
status gpu_launch(gpu *g, const exec_launch *l, const gpu_run *run,
                  sm_profile_row *profile, gpu_result *out);

/* The next launch begins on an idle machine and is the one that ended last, a
 * group of its own: its code and constants lie where they did, and SMs keep
 * what their caches have of them. */
void gpu_repeat(gpu *g);

/* Between groups: these bytes of the memory were written by a copy, or filled,
 * and l2.copies says what that leaves in the L2. */
void gpu_copied(gpu *g, uint64_t addr, uint64_t bytes);

/* Sectors of a line that were accessed in no time. */
typedef struct gpu_touch {
    uint64_t line;
    uint8_t sectors;
    bool store;
} gpu_touch;

/* Between windows: accesses in their order, after which the L2 is as if they
 * had been made (functional warming). */
void gpu_touched(gpu *g, const gpu_touch *touch, size_t count);

/* See l2_persist and l2_persist_no_more, of the whole L2. */
void gpu_persist(gpu *g, uint64_t bytes);
void gpu_persist_no_more(gpu *g);

/* Charges the time since the last launch to the counters, so that their values
 * now are the base of the next. */
void gpu_settle(gpu *g);

uint64_t gpu_now(const gpu *g); /* cycle */

/* What windows took so far, the machine's until it goes; NULL: without
 * profile_windows. */
const window_sums *gpu_windows(const gpu *g);

/* What warps spin on, as was seen when that was looked at last; gpu/watch.h.
 * Until the next launch begins. */
const exec_spins *gpu_spins(const gpu *g);

/* Contents of every block that is not idle: the hang report. */
void gpu_dump(const gpu *g, FILE *f);

extern const stats_block gpu_stats_block;

#endif
