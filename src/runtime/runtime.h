/* src/runtime/runtime.h - modules and launches on a simulated GPU. Both doors
 * are built on it. Prints nothing; errors go to the caller's diag.
 *
 * A device owns its modules and machine, and its memory unless it was given
 * one. Not thread-safe, but: while one thread is in rt_run, others may use the
 * memory (runtime/memory.h) and load, look at and unload modules, other than
 * the one that runs. Devices that share a memory may run side by side. */
#ifndef RUNTIME_RUNTIME_H
#define RUNTIME_RUNTIME_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "config/config.h"
#include "exec/exec.h"
#include "exec/services.h"
#include "exec/stray.h"
#include "gpu/gpu.h"
#include "isa/program.h"
#include "replay/pack.h"
#include "runtime/memory.h"
#include "stats/outcome.h"
#include "stats/series.h"
#include "stats/stats.h"

typedef struct rt_device rt_device;
typedef struct rt_module rt_module;

enum { /* the defaults of cudaDeviceGetLimit [CUDA12:limits] */
       RT_STACK_BYTES = 1024,
       RT_PRINT_BYTES = 1 << 20,
       RT_HEAP_BYTES = 8 << 20,
       RT_WARM_MOST = 1000,
};

#define RT_SLACK_NAME "buffer"

typedef struct rt_options {
    unsigned threads; /* host threads */
    bool functional;  /* no timing: only results */
    bool no_skip;
    uint64_t shuffle;       /* see gpu_options, */
    bool profile_windows;   /* and rt_windows */
    unsigned max_registers; /* compile with at most so many, 0: GPU's limit */
    uint64_t print_bytes;   /* of printf kept of a launch; 0: RT_PRINT_BYTES */
    uint64_t heap_bytes;    /* of malloc in kernels, of each SM; 0:
                               RT_HEAP_BYTES */
    bool check_async;       /* accesses that lack the fence or wait that they
                               need are told: exec/async.h */
    bool lenient;           /* accesses outside of what was allocated that a
                               device would not notice are no faults */
    /* Bytes behind the shared memory of a CTA and the local memory of a thread,
     * and around images, that belong to them; ranges of memory with the name
     * RT_SLACK_NAME are allocated with theirs. `slack_offered`: there is an
     * option for it, which messages may name. */
    uint64_t slack_bytes;
    bool slack_offered;
    uint32_t stack_bytes; /* of a thread, for calls whose depth the compiler
                             cannot compute; 0: RT_STACK_BYTES */
    /* Timed: each launch that finds the machine idle is performed so many times
     * before, with caches of code and constants kept from one time to the next
     * and its writes to memory undone, and only then for good. The runs before
     * take no simulated time, print and report nothing. */
    unsigned warm;
    /* The kernels of a PTX program that will be launched, NULL at the end:
     * no others are compiled. NULL: all of them. Borrowed. */
    const char *const *kernels;
    /* PTX kernels that cannot be compiled are left out, with warnings. */
    bool partial;
    /* What is computed without timing is written to that folder, as traces that
     * Accel-Sim reads (replay/trace_folder.h); NULL: it is not. Borrowed. */
    const char *trace_folder;
    pack_how trace_pack;
    /* Passes of the compiler that are shown (codegen/dump.h); what is no PTX is
     * refused then. NULL: none. Borrowed. */
    struct cg_dump *dump;
} rt_options;

/* The machine is built at the first timed launch. NULL: the error is in
 * `dg`. */
rt_device *rt_device_new(const config *cfg, const rt_options *opt, diag *dg);
/* On `memory`, which must outlive the device; NULL: on one of its own. */
rt_device *rt_device_new_on(const config *cfg, const rt_options *opt,
                            rt_memory *memory, diag *dg);
void rt_device_free(rt_device *d); /* NULL is fine; frees its modules */
const config *rt_device_config(const rt_device *d);
rt_memory *rt_device_memory(const rt_device *d);

/* Simulated time since the device was made, of timed launches alone: it never
 * runs backwards, also not where a failed launch made a new machine
 * necessary. */
uint64_t rt_now_ns(const rt_device *d);
/* What so many cycles of the core last. */
uint64_t rt_cycles_ns(const rt_device *d, uint64_t cycles);

/* What a launch gets of the run-time: of rt_options at first. */
typedef struct rt_limits {
    uint64_t stack_bytes, print_bytes;
    uint64_t heap_bytes; /* of each SM */
} rt_limits;

rt_limits rt_device_limits(const rt_device *d);
/* Others from the next launch on, while none is in flight. False, and nothing
 * changes: a kernel has used the heap, or printf, whose bytes were to change.
 */
bool rt_device_set_limits(rt_device *d, const rt_limits *to);
/* While no launch is in flight: the heap's blocks are gone, and its bytes and
 * those of printf may change again. */
void rt_device_end_services(rt_device *d);

/* What is taken and free on the heap of the kernels, appended as bytes; none if
 * no kernel has used it. From the bytes of a device like this one, which has
 * made the same launches but not performed them; false: they are none. */
void rt_heap_put(const rt_device *d, strbuf *to);
bool rt_heap_get(rt_device *d, const void *bytes, size_t size);

/* ---- Modules ---- */

/* Compiles PTX, assembles .sass or reads an object, by the content. `path`
 * names it in messages. ST_OK or ST_PROGRAM with all errors in dg. */
status rt_module_load_text(rt_device *d, const char *path, const char *text,
                           size_t size, diag *dg, rt_module **out);
status rt_module_load(rt_device *d, const char *path, diag *dg,
                      rt_module **out);
/* PTX that was compiled apart, linked to one program (ptx/link.h), with at most
 * `max_registers` each thread, 0: as the device has it; messages about all of
 * it name `path`. Parts that define what the run-time performs
 * (the vendor's library for kernels that launch kernels) are left out. */
typedef struct rt_text {
    const char *path;
    const char *text;
    size_t size;
} rt_text;
status rt_module_load_parts(rt_device *d, const char *path, const rt_text *part,
                            size_t count, unsigned max_registers, diag *dg,
                            rt_module **out);
/* The text of one program made of all, appended. */
status rt_link_parts(const rt_text *part, size_t count, diag *dg, strbuf *out);
/* rt_module_load_parts, but kernels are compiled when rt_module_with asks for
 * them: of a program with many, most are never launched. Where kernels need
 * each other (those that launch kernels, or call through pointers) all are
 * compiled. */
status rt_module_load_lazy(rt_device *d, const char *path, const rt_text *part,
                           size_t count, diag *dg, rt_module **out);
/* Does the device run machine code at all, and is nothing wanted of it that
 * only code of our compiler has: a limit of registers, uniform registers
 * where the compiler sees them, SMs that share a front end, R0 left free for
 * empty entries of a hazard table? */
bool rt_runs_machine_code(const rt_device *d);
/* A cubin. Kernels that cannot run are left out: rt_module_lacks. */
status rt_module_load_cubin(rt_device *d, const rt_text *t, diag *dg,
                            rt_module **out);
/* Why the kernel was left out; NULL: it was not. */
const char *rt_module_lacks(const rt_module *m, const char *kernel);
/* rt_module_load_lazy of the PTX of the same program as `beside`, for kernels
 * that this lacks: global variables of the same name are the same, and constant
 * ones have at each launch the values that they have there. `beside` must
 * outlive it. */
status rt_module_load_beside(rt_device *d, const char *path,
                             const rt_text *part, size_t count,
                             rt_module *beside, diag *dg, rt_module **out);
/* What holds the kernel's code: the module itself, or a part of it, which lives
 * as long. NULL: `dg` says why. */
rt_module *rt_module_with(rt_module *m, const char *kernel, diag *dg);
/* The same of code with at most so many registers, for CTAs that do not fit
 * otherwise; a module that was compiled whole has only what it has. */
rt_module *rt_module_with_limit(rt_module *m, const char *kernel,
                                unsigned max_registers, diag *dg);
/* Another name for a kernel of the module in reports and messages, copied. The
 * host then looks it up by that; kernels still find it by its own. */
void rt_module_name(rt_module *m, const isa_kernel *k, const char *name);
/* A program as rt_compile gives it, for this device's architecture. On ST_OK
 * the module owns it; else the caller still does. */
status rt_module_new(rt_device *d, isa_program *p, diag *dg, rt_module **out);
/* Frees its variables as well. No launch of it may be running. */
void rt_module_unload(rt_module *m); /* NULL is fine */
const isa_program *rt_module_program(const rt_module *m);
/* The kernel of that name; NULL name: the only one. On failure `dg` names the
 * kernels there are. */
const isa_kernel *rt_module_kernel(const rt_module *m, const char *name,
                                   diag *dg);
/* Address and size of a variable in global or constant memory; false: there is
 * none. What the host writes there kernels see from their next launch on. */
bool rt_module_variable(const rt_module *m, const char *name, uint64_t *addr,
                        uint64_t *size);

/* Appends the cubin that text of machine code is (sass/assemble.h). Functions
 * without control codes get those that the compiler would give them for the
 * preset of that family. ST_PROGRAM: errors are in `dg`. */
status rt_assemble_sass(const char *path, const char *text, size_t size,
                        diag *dg, strbuf *out);

/* Does it look like one, even with errors? False: it is something else; the
 * error in `dg` names what. Of rt_is_kernel also an object file is. */
bool rt_is_kernel(const char *path, const char *text, size_t size, diag *dg);
bool rt_is_assembly(const char *path, const char *text, size_t size, diag *dg);

/* Only the compiler, for any architecture of `cfg`; a kernel of `how` that the
 * program lacks is an error. The caller frees the program. */
status rt_compile(const config *cfg, const rt_options *how, const char *path,
                  const char *text, size_t size, diag *dg, isa_program **out);

/* ---- Launches ---- */

/* What happened in cycles [start, start + cycles) of a launch. */
typedef struct rt_sample {
    uint64_t start, cycles;
    const stats *stats;
    const uint64_t *totals; /* differences; until the call returns */
} rt_sample;

/* What to watch for the warps that each SM holds, summed over cycles. */
#define RT_RESIDENT_WARPS "sm[*].warp_cycles"

struct rt_result;

typedef struct rt_launch {
    const rt_module *module;
    const isa_kernel *kernel;
    uint32_t grid[3], block[3];
    uint32_t threads[3];   /* of the whole grid: less than grid times block
                              where the last blocks are smaller; 0: not */
    uint32_t cga[3];       /* CTAs of a thread-block cluster; 0: as the kernel
                              says, else none */
    bool cga_portable;     /* no more CTAs than every device takes */
    uint32_t offset[3];    /* OpenCL: global offset, in threads */
    uint32_t work_dim;     /* OpenCL: 1 to 3, else 0 */
    uint32_t shared_bytes; /* dynamic */
    bool cooperative;      /* CUDA: its CTAs wait for each other, so all of them
                              must have room at once; it gets a workspace */
    exec_hints hints;      /* about caches */
    size_t after;          /* rt_flight's number + 1 of the launch whose end
                              ACQBULK awaits; 0: none */
    const void *params;    /* kernel->param_bytes, laid out as params say */
    bool functional;       /* this one without timing, whatever the options */
    bool sampled; /* timed: of a long one parts are, see runtime/sampled.h;
                     functional: the L2 gets what it accesses */
    uint64_t max_cycles; /* 0: none; functional: warp instructions */
    const volatile sig_atomic_t *stop;
    bool linger; /* when stopped: see gpu_run */
    bool alone;  /* timed: while it runs nothing else writes to the memory, and
                    no launch begins beside it; see gpu_run */
    void (*progress)(void *arg, const gpu_progress *p);
    void *progress_arg;
    /* Timed: called about once a second of the host with the results so far, as
     * if it had been interrupted; NULL: not called. The result is valid during
     * the call. */
    void (*sofar)(void *arg, const rt_device *d,
                  const struct rt_result *result);
    void *sofar_arg;
    /* Timed: called after every so many cycles, rounded up to what the machine
     * simulates at once, and for what is left at the end; 0: never. */
    uint64_t sample_cycles;
    void (*sample)(void *arg, const rt_sample *s); /* NULL: not called */
    void *sample_arg;
    /* The counters that match this are sampled as often, into `watched`, which
     * is begun anew and then the caller's. NULL: none. */
    const char *watch;
    stats_series *watched;
    bool counters; /* fill in rt_result.counters, too: takes longer than a
                      small launch itself */
    /* Counters by instruction are added to these, one row more than the kernel
     * has instructions; NULL: not counted. Functional: insts, lanes and
     * diverged only. */
    sm_profile_row *profile;
    const gpu_trace *trace; /* timed: what happens is recorded; NULL: not */
    /* Timed: called as gpu_run.look has it, by the thread that simulates. It
     * may call rt_totals_now, and what tells of the device. NULL: not. */
    uint64_t (*look)(void *arg, rt_device *d, const gpu *g, status st);
    void *look_arg;
    /* What the warps execute comes from there: exec/front.h. NULL: they execute
     * the kernel. Timed only; borrowed. */
    exec_front *front;
    uint32_t trace_pc; /* in which its first instruction has this number */
} rt_launch;

/* Samples every `power` cycles for `sample`, and of the warps that SMs hold
 * every `warps` cycles into `watched`; 0: none. If both are given, `power` is
 * for both. */
void rt_launch_samples(rt_launch *l, uint64_t power, uint64_t warps,
                       void (*sample)(void *arg, const rt_sample *is),
                       void *arg, stats_series *watched);

typedef struct rt_result {
    union {
        launch_outcome outcome; /* these members at once */
        struct {
#include "stats/outcome.inc"
        };
    };
    exec_fault fault;       /* ST_FAULT: what, and where; else FAULT_NONE.
                               Its texture: until the next launch */
    const exec_line *lines; /* printed by printf and assertions, in order of
                               time; until the next launch */
    size_t line_count;
    uint64_t lines_lost;      /* for which there was no room */
    exec_strays strays;       /* accesses outside, see rt_options.lenient;
                                 until the next launch */
    const exec_spins *spins;  /* it failed: what its warps spun on, until the
                                 next launch; NULL: on nothing */
    const uint64_t *totals;   /* of counters, difference over this launch, see
                                 stats_total_get; until the next. NULL:
                                 functional */
    const uint64_t *counters; /* the same for every block, by the registry's
                                 numbers; NULL: not wanted */
} rt_result;

/* Checks the launch against the GPU's limits (ST_USAGE, numbers in dg), runs
 * it. ST_OK, or the failure, which `dg` describes (fault with kernel, line,
 * instruction, thread; hang with what each warp waits for). `out` is filled
 * in any case in which the machine ran. Timed and functional launches may
 * follow each other. After a failure the next timed launch gets a new machine,
 * whose caches are empty and whose counters begin at zero; memory stays. */
status rt_run(rt_device *d, const rt_launch *l, diag *dg, rt_result *out);

/* All counters; empty before the first timed launch. Names and numbers stay as
 * they are then. */
const stats *rt_stats(const rt_device *d);

/* From rt_launch.look: totals of what is in flight until now; until the next
 * call. */
const uint64_t *rt_totals_now(rt_device *d);

/* Hash of all counters and of the contents of memory. */
uint64_t rt_hash(const rt_device *d);

/* See gpu_windows; NULL where nothing was timed, too. */
const window_sums *rt_windows(const rt_device *d);

/* A copy that no kernel made, or a fill, has written these bytes: the caches
 * of the device hold what l2.copies says when the next launch begins on the
 * idle machine. Other launches in flight do not see it there. */
void rt_copied(rt_device *d, uint64_t addr, uint64_t bytes);

/* So many bytes of the L2 are set aside for lines that access windows have
 * stay; and: no line is to stay any more. Nothing may be in flight. */
void rt_persist(rt_device *d, uint64_t bytes);
void rt_persist_no_more(rt_device *d);

/* Where the hang report goes besides dg (NULL: nowhere). */
void rt_set_dump(rt_device *d, FILE *f);

#endif
