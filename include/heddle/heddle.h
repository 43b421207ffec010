/* heddle.h - Heddle, a cycle-level GPU simulator, as a library. Plain C, one
 * header; docs/library.md is the guide, with a complete program.
 *
 *     heddle_options how = HEDDLE_OPTIONS_INIT;
 *     heddle_sim *sim;
 *     if (heddle_open(&how, &sim) != HEDDLE_OK)
 *         puts(heddle_error(sim));
 *
 * Errors: functions that can fail return a heddle_code, and heddle_error() has
 * the text. Wrong arguments, NULL and values out of all bounds too, are
 * HEDDLE_BAD_ARGUMENT; what a function would have written is then untouched,
 * or NULL where it is a pointer to an object. Faults of kernels are values:
 * HEDDLE_FAULT, and what happened is in the result. The library prints nothing,
 * does not end the process, installs no signal handlers and reads no
 * environment. (Two things end the process all the same, after a message: if
 * the host's memory is used up, or a check of Heddle's own fails, in a thread
 * that the library made, of which there are none unless heddle_options.threads
 * is above 1. In the caller's thread these are HEDDLE_NO_MEMORY and
 * HEDDLE_INTERNAL, and the simulation is lost, see HEDDLE_LOST.)
 *
 * Ownership: a simulation owns its modules, kernels, buffers and results; they
 * live until they are freed or the simulation is closed, whichever is first.
 * Using one after that is as undefined as with free(). Texts belong to what
 * they were asked of and live as long, unless something else is said. What is
 * handed to a function is borrowed until it returns.
 *
 * Threads: there is no global state. Different simulations may be used by
 * different threads at once. One simulation, with all that it owns, is to be
 * used by one thread at a time; a call that finds it in use by another, or
 * comes from one of its own callbacks, changes nothing and is HEDDLE_BUSY. Of
 * that heddle_cancel() is excepted, which any thread and callback may call, and
 * in callbacks the functions that read the result they were given.
 *
 * Units are cycles of the core clock, bytes and threads unless a name or a
 * comment says otherwise. Results are the same bits for any number of host
 * threads, and those of the command `heddle run` (but of kernels whose CTAs
 * race, computed without timing on several threads). */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_VERSION_MAJOR 1
#define HEDDLE_VERSION_MINOR 0
#define HEDDLE_VERSION_PATCH 0
/* To compare: 1002003 is 1.2.3. */
#define HEDDLE_VERSION_NUMBER                                                  \
    (HEDDLE_VERSION_MAJOR * 1000000 + HEDDLE_VERSION_MINOR * 1000 +            \
     HEDDLE_VERSION_PATCH)
/* The number in the library's file name. Programs go on working, without being
 * compiled again, with any later library of the same number: functions, codes
 * and members at the end of structures are only added. */
#define HEDDLE_ABI 1

#if defined(__GNUC__)
#define HEDDLE_API __attribute__((visibility("default")))
#else
#define HEDDLE_API
#endif

/* Of the library that runs: "1.0.0", and as HEDDLE_VERSION_NUMBER. */
HEDDLE_API const char *heddle_version(void);
HEDDLE_API uint32_t heddle_version_number(void);

/* ---- Codes ---- */

typedef enum heddle_code {
    HEDDLE_OK = 0,
    HEDDLE_BAD_ARGUMENT = 1, /* the call itself is wrong */
    HEDDLE_BAD_CONFIG = 2,   /* no such GPU, parameter or value */
    HEDDLE_BAD_PROGRAM = 3,  /* a program is not accepted */
    HEDDLE_BAD_FILE = 4,     /* a file cannot be read, or written; or a launch
                                file is wrong */
    HEDDLE_NOT_FOUND = 5,    /* nothing has that name */
    HEDDLE_BUSY = 6,         /* not now: see "Threads" above; or a launch is in
                                flight */
    HEDDLE_FAULT = 7,        /* a kernel did something illegal */
    HEDDLE_HANG = 8,         /* a kernel can never end */
    HEDDLE_LIMIT = 9,        /* heddle_launch.max_cycles */
    HEDDLE_CANCELLED = 10,   /* heddle_cancel, or a callback, ended a launch */
    HEDDLE_NO_MEMORY = 11,   /* of the host, or of the simulated GPU */
    HEDDLE_INTERNAL = 12,    /* a bug of Heddle's */
    HEDDLE_LOST = 13,        /* an earlier call ran out of the host's memory, or
                                found such a bug: the simulation can only be
                                asked for heddle_error, and closed. Its memory
                                is not returned */
    HEDDLE_MISMATCH = 14     /* memory is not as a launch file expects */
} heddle_code;

/* "ok", "bad argument", ...; a constant text for any number. */
HEDDLE_API const char *heddle_code_text(heddle_code code);

/* ---- Simulations ---- */

typedef struct heddle_sim heddle_sim;
typedef struct heddle_module heddle_module;
typedef struct heddle_kernel heddle_kernel;
typedef struct heddle_buffer heddle_buffer;
typedef struct heddle_result heddle_result;
typedef struct heddle_plan heddle_plan;

/* Bits of heddle_options.flags and heddle_launch.flags. */
enum {
    HEDDLE_FUNCTIONAL = 1,  /* compute results only: no timing, no counters */
    HEDDLE_LENIENT = 2,     /* options: accesses outside of allocations that a
                               device would not notice are no faults */
    HEDDLE_CHECK_ASYNC = 4, /* options: accesses that lack the fence or wait
                               that they need are messages */
    HEDDLE_NO_SKIP = 8,     /* options: tick every block in every cycle; the
                               same results, slower */
    HEDDLE_PER_BLOCK = 16,  /* launch: keep the counters of every single block
                               ("sm[3].l1.loads") too, not only their sums */
    HEDDLE_PROFILE = 32,    /* launch: count by instruction, see
                               heddle_result_row */
    HEDDLE_SAMPLE = 64      /* launch: of a long one time parts, and compute the
                               rest (docs/sampling.md). Counters and
                               heddle_result_cycles are of what was timed; the
                               figures estimated, estimated_spread and
                               estimated_error tell of the rest */
};

/* What to simulate, and how. HEDDLE_OPTIONS_INIT has the defaults; then set
 * what is to differ. */
typedef struct heddle_options {
    uint64_t size;   /* sizeof(heddle_options) */
    const char *gpu; /* a preset ("v100"), or a YAML file: a name with a dot or
                        a slash; NULL: v100 */
    const char *const *settings; /* "l1.ways=8": parameters of docs/config.md */
    uint64_t setting_count;      /* at most 100,000 */
    uint64_t heap_bytes;  /* of malloc in kernels, for each SM; 0: 8 MiB */
    uint64_t print_bytes; /* of printf kept of a launch; 0: 1 MiB */
    uint32_t threads;     /* of the host, at most 1024; 0 or 1: the caller's
                             alone */
    uint32_t warm; /* perform each timed launch so many times before the one
                      that counts; at most 1000 */
    uint32_t max_registers; /* of a thread, at most 255; 0: the GPU's limit */
    uint32_t stack_bytes;   /* of a thread, for calls whose depth the compiler
                               cannot compute, at most 1 MiB; 0: 1024 */
    uint32_t flags;         /* HEDDLE_FUNCTIONAL, ... */
    uint32_t reserved;      /* 0 */
} heddle_options;
#define HEDDLE_OPTIONS_INIT                                                    \
    {                                                                          \
        sizeof(heddle_options), NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0          \
    }

/* A simulated GPU with its memory. `options` may be NULL: the defaults. *sim is
 * set whatever the code is, so that it can be asked for heddle_error, and is to
 * be closed; it is NULL only where `sim` was, or the host has no memory at all.
 * The machine itself is built at the first timed launch.
 * HEDDLE_BAD_ARGUMENT, HEDDLE_BAD_CONFIG, HEDDLE_BAD_FILE, HEDDLE_NO_MEMORY. */
HEDDLE_API heddle_code heddle_open(const heddle_options *options,
                                   heddle_sim **sim);
/* With all that it owns; a launch in flight is dropped. NULL is fine. Not from
 * a callback: then nothing happens. */
HEDDLE_API void heddle_close(heddle_sim *sim);

/* Why the last call that returned a code failed: its errors, a line each, with
 * file and line if they have one. "" after HEDDLE_OK. Valid until the next
 * call. Of NULL it is a text that says so. */
HEDDLE_API const char *heddle_error(const heddle_sim *sim);

/* Every parameter of the GPU in effect, as YAML that heddle_options.gpu accepts
 * as a file. NULL: the simulation did not open. */
HEDDLE_API const char *heddle_config(heddle_sim *sim);

/* The names of the presets, in order. NULL: `i` is not below
 * heddle_gpu_count(). */
HEDDLE_API size_t heddle_gpu_count(void);
HEDDLE_API const char *heddle_gpu_name(size_t i);

/* ---- Callbacks ---- */

typedef enum heddle_level {
    HEDDLE_NOTE = 0,
    HEDDLE_WARNING = 1,
    HEDDLE_ERROR = 2
} heddle_level;

/* About the user's input: a program, a configuration, a launch. */
typedef struct heddle_message {
    heddle_level level;
    uint32_t line, column; /* from 1; 0: unknown */
    const char *file;      /* NULL: no place */
    const char *text;
} heddle_message;

/* What one thread of a kernel printed at once. */
typedef struct heddle_line {
    const char *text; /* zero-ended; may hold zeros before that */
    uint64_t length;
    uint64_t time; /* cycle of the launch; without timing, an instruction */
    uint32_t cta[3], thread[3];
    uint32_t sm;
    uint32_t assertion; /* not 0: of an assert that failed */
} heddle_line;

typedef struct heddle_progress {
    uint64_t cycles;          /* since the launch began; 0: not timed */
    uint64_t ctas_done, ctas; /* of the grid, and of what it launched */
    uint64_t warp_insts;      /* instructions that warps have issued */
    uint32_t running;         /* not 0: the launch has not ended */
    uint32_t reserved;
} heddle_progress;

typedef struct heddle_begin_info {
    const char *kernel;
    uint32_t grid[3], block[3];
    uint32_t functional;
    uint32_t reserved;
} heddle_begin_info;

/* Each may be NULL. They are called by the thread whose call is under way,
 * before that returns; what they are given is valid until they return. From
 * them nothing but heddle_cancel and the functions that read a result may be
 * called. They must return: no longjmp, no exceptions. */
typedef struct heddle_callbacks {
    uint64_t size; /* sizeof(heddle_callbacks) */
    void *arg;     /* the first argument of all */
    void (*message)(void *arg, const heddle_message *m);
    void (*begin)(void *arg, const heddle_begin_info *b);
    /* The lines of a launch come when it has ended, in order of time. */
    void (*line)(void *arg, const heddle_line *l);
    void (*end)(void *arg, heddle_result *r);
    /* Now and then while a launch runs (every few thousand cycles); a value
     * that is not 0 cancels it. */
    int (*progress)(void *arg, const heddle_progress *p);
} heddle_callbacks;
#define HEDDLE_CALLBACKS_INIT                                                  \
    {                                                                          \
        sizeof(heddle_callbacks), NULL, NULL, NULL, NULL, NULL, NULL           \
    }

/* From the next call on; copied. NULL: none. HEDDLE_BAD_ARGUMENT. */
HEDDLE_API heddle_code heddle_set_callbacks(heddle_sim *sim,
                                            const heddle_callbacks *callbacks);

/* ---- Programs ---- */

/* PTX, assembly of machine code (SASS), an object of `heddle compile`, a cubin
 * or a fat binary, by its content; compiled for the simulated GPU. `name` names
 * it in messages and reports, NULL: "memory". Kernels of PTX that cannot be
 * compiled are left out, with warnings that say why.
 * HEDDLE_BAD_PROGRAM, HEDDLE_BAD_FILE, HEDDLE_NO_MEMORY. */
HEDDLE_API heddle_code heddle_load(heddle_sim *sim, const char *name,
                                   const void *bytes, uint64_t size,
                                   heddle_module **module);
HEDDLE_API heddle_code heddle_load_file(heddle_sim *sim, const char *path,
                                        heddle_module **module);
/* With its kernels and variables; results stay. NULL is fine. HEDDLE_BUSY: a
 * launch is in flight. */
HEDDLE_API heddle_code heddle_unload(heddle_module *module);

HEDDLE_API size_t heddle_kernel_count(const heddle_module *module);
/* NULL: there is none. */
HEDDLE_API heddle_kernel *heddle_kernel_at(heddle_module *module, size_t i);
/* `name` NULL: the only one. HEDDLE_NOT_FOUND: the text names those that there
 * are. The module owns the kernel. */
HEDDLE_API heddle_code heddle_kernel_find(heddle_module *module,
                                          const char *name,
                                          heddle_kernel **kernel);

typedef struct heddle_kernel_info {
    const char *name;
    uint32_t registers;    /* of a thread */
    uint32_t shared_bytes; /* static, of a CTA */
    uint32_t local_bytes;  /* of a thread, spills too */
    uint32_t spill_bytes;
    uint32_t max_threads; /* of a CTA, as the program says; 0: it does not */
    uint32_t param_count;
    uint64_t reserved[4]; /* 0 */
} heddle_kernel_info;

typedef enum heddle_param_kind {
    HEDDLE_PARAM_BYTES = 0, /* a structure or an array */
    HEDDLE_PARAM_INT = 1,   /* an integer, or an address */
    HEDDLE_PARAM_FLOAT = 2,
    HEDDLE_PARAM_POINTER = 3,
    HEDDLE_PARAM_IMAGE = 4, /* which launches of the library cannot give */
    HEDDLE_PARAM_SAMPLER = 5
} heddle_param_kind;

typedef struct heddle_param_info {
    const char *name;
    heddle_param_kind kind;
    uint32_t size, align; /* bytes */
} heddle_param_info;

/* HEDDLE_BAD_ARGUMENT; also where the kernel has no parameter `i`. */
HEDDLE_API heddle_code heddle_kernel_describe(const heddle_kernel *kernel,
                                              heddle_kernel_info *info);
HEDDLE_API heddle_code heddle_kernel_param(const heddle_kernel *kernel,
                                           size_t i, heddle_param_info *info);

/* ---- Memory of the simulated GPU ---- */

/* Zeros. `name` is for messages about faults; NULL: "buffer". HEDDLE_NO_MEMORY:
 * the GPU (gpu.global_bytes), or the host, has not as much left. */
HEDDLE_API heddle_code heddle_alloc(heddle_sim *sim, uint64_t bytes,
                                    const char *name, heddle_buffer **buffer);
/* NULL is fine. HEDDLE_BUSY: a launch is in flight. */
HEDDLE_API heddle_code heddle_free(heddle_buffer *buffer);
HEDDLE_API uint64_t heddle_buffer_size(const heddle_buffer *buffer);
/* What kernels get as a pointer to it. 0: of NULL. */
HEDDLE_API uint64_t heddle_buffer_address(const heddle_buffer *buffer);
/* Copies. HEDDLE_BAD_ARGUMENT: not all of it lies in the buffer. */
HEDDLE_API heddle_code heddle_write(heddle_buffer *buffer, uint64_t offset,
                                    const void *from, uint64_t bytes);
HEDDLE_API heddle_code heddle_read(heddle_buffer *buffer, uint64_t offset,
                                   void *to, uint64_t bytes);
/* Without a copy: where the buffer's bytes are in the memory of the host, at
 * least 16 bytes aligned, to be read and written until it is freed. What is
 * written while a launch is in flight it may see at any time. */
HEDDLE_API heddle_code heddle_map(heddle_buffer *buffer, void **bytes);
/* A variable of the program in global or constant memory, as a buffer, which
 * the module owns: heddle_free does not take it, heddle_unload ends it. */
HEDDLE_API heddle_code heddle_variable(heddle_module *module, const char *name,
                                       heddle_buffer **buffer);

/* ---- Launches ---- */

/* One argument of a kernel: bytes by value, or a buffer with an offset into it,
 * of which the kernel gets the address. Made by HEDDLE_VALUE and
 * HEDDLE_BUFFER. */
typedef struct heddle_arg {
    const void *value; /* of `size` bytes, as many as the parameter has; NULL:
                          it is a buffer */
    uint64_t size;
    heddle_buffer *buffer; /* NULL: it is a value */
    uint64_t offset;       /* in bytes, at most the buffer's size */
} heddle_arg;
/* `x` is a variable. */
#define HEDDLE_VALUE(x)                                                        \
    {                                                                          \
        &(x), sizeof(x), NULL, 0                                               \
    }
#define HEDDLE_BUFFER(b)                                                       \
    {                                                                          \
        NULL, 0, (b), 0                                                        \
    }

typedef struct heddle_launch {
    uint64_t size; /* sizeof(heddle_launch) */
    const heddle_arg *args;
    uint64_t arg_count;    /* as many as the kernel has parameters */
    uint64_t max_cycles;   /* 0: no limit; not timed: warp instructions */
    uint32_t grid[3];      /* CTAs; 0 in y and z is 1 */
    uint32_t block[3];     /* threads of a CTA; 0 in y and z is 1 */
    uint32_t cluster[3];   /* CTAs of a thread-block cluster; 0: as the kernel
                              says */
    uint32_t shared_bytes; /* dynamic, of a CTA */
    uint32_t flags;        /* HEDDLE_FUNCTIONAL, HEDDLE_PER_BLOCK,
                              HEDDLE_PROFILE, HEDDLE_SAMPLE */
    uint32_t reserved;     /* 0 */
} heddle_launch;
#define HEDDLE_LAUNCH_INIT                                                     \
    {                                                                          \
        sizeof(heddle_launch), NULL, 0, 0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0, \
            0, 0                                                               \
    }

/* From beginning to end. HEDDLE_OK; or why the launch is refused
 * (HEDDLE_BAD_ARGUMENT, HEDDLE_NO_MEMORY: *result is NULL), or how it ended:
 * HEDDLE_FAULT, HEDDLE_HANG, HEDDLE_LIMIT, HEDDLE_CANCELLED. Then *result has
 * what came until there, memory is as the kernel left it, and others may
 * follow; timed ones find empty caches. `result` may be NULL: the simulation
 * keeps it, for heddle_json. */
HEDDLE_API heddle_code heddle_run(heddle_kernel *kernel,
                                  const heddle_launch *launch,
                                  heddle_result **result);

/* The same in steps. One launch may be in flight of a simulation: begin,
 * advance until *result is not NULL. Meanwhile buffers can be read and written,
 * and modules loaded. */
HEDDLE_API heddle_code heddle_begin(heddle_kernel *kernel,
                                    const heddle_launch *launch);

#define HEDDLE_TO_THE_END UINT64_MAX

/* Simulates so many cycles, rounded up to windows of the machine (its
 * parameters noc.latency and gpu.window), or up to the end, if that is nearer;
 * a launch without timing to its end at once. Steps change no result; that
 * warps spin for ever is only found out by HEDDLE_TO_THE_END. `progress` may be
 * NULL. HEDDLE_OK, and *result is NULL while the launch goes on; codes as of
 * heddle_run. */
HEDDLE_API heddle_code heddle_advance(heddle_sim *sim, uint64_t cycles,
                                      heddle_progress *progress,
                                      heddle_result **result);
/* A look at the launch in flight: cycles, instructions and counters as they are
 * now, as a result of its own. HEDDLE_NOT_FOUND: there is none that is timed.
 */
HEDDLE_API heddle_code heddle_look(heddle_sim *sim, heddle_result **result);
/* The launch in flight ends, within a few windows, with HEDDLE_CANCELLED; what
 * begins later is not concerned. For any thread, and callbacks; must not come
 * after heddle_close. NULL is fine. */
HEDDLE_API void heddle_cancel(heddle_sim *sim);

/* ---- Launch files ---- */

/* What a launch file describes (docs/launch.md): a program, buffers, images and
 * samplers, launches in streams, files to compare with and to write. Reads it,
 * loads the program, and makes and fills the buffers. `path` may also be a
 * trace of Accel-Sim, which has its launches (docs/accel-sim.md). The GPU that
 * the file names is not looked at. HEDDLE_BAD_FILE, HEDDLE_BAD_PROGRAM,
 * HEDDLE_NO_MEMORY; HEDDLE_BUSY: a launch is in flight. */
HEDDLE_API heddle_code heddle_plan_open(heddle_sim *sim, const char *path,
                                        heddle_plan **plan);
/* With its buffers and its module; results stay. NULL is fine. HEDDLE_BUSY. */
HEDDLE_API heddle_code heddle_plan_close(heddle_plan *plan);

/* One that the file names. The plan owns it: heddle_free does not take it.
 * HEDDLE_NOT_FOUND; also of an image. */
HEDDLE_API heddle_code heddle_plan_buffer(heddle_plan *plan, const char *name,
                                          heddle_buffer **buffer);
/* All of them, in order. */
typedef struct heddle_plan_buffer_info {
    const char *name;
    const char *type; /* of an element: "f32", as launch files name them */
    uint64_t count;   /* elements */
    heddle_buffer *buffer;
} heddle_plan_buffer_info;
HEDDLE_API size_t heddle_plan_buffer_count(const heddle_plan *plan);
HEDDLE_API heddle_code heddle_plan_buffer_at(const heddle_plan *plan, size_t i,
                                             heddle_plan_buffer_info *info);
/* The program, which the plan owns. NULL: it is a trace. */
HEDDLE_API heddle_module *heddle_plan_module(heddle_plan *plan);

typedef struct heddle_plan_options {
    uint64_t size;       /* sizeof(heddle_plan_options) */
    uint64_t max_cycles; /* of each launch, or of those in flight together; 0:
                            no limit; not timed: warp instructions */
    uint32_t flags;      /* as of heddle_launch, for all launches */
    uint32_t reserved;   /* 0 */
} heddle_plan_options;
#define HEDDLE_PLAN_OPTIONS_INIT                                               \
    {                                                                          \
        sizeof(heddle_plan_options), 0, 0, 0                                   \
    }

/* Performs its launches up to the first that fails, compares, and writes, as
 * `heddle run --launch` does; once more, on what is in memory by then, if it is
 * called again. `options` NULL: the defaults. *first, unless `first` is NULL,
 * is the result of the first launch, and heddle_result_next has the others;
 * NULL: there is none. Launches of several streams that were in flight together
 * have one result: its JSON tells of each. Codes as of heddle_run, of the
 * launch that failed; HEDDLE_MISMATCH, HEDDLE_BAD_FILE. */
HEDDLE_API heddle_code heddle_plan_run(heddle_plan *plan,
                                       const heddle_plan_options *options,
                                       heddle_result **first);

/* A buffer that was compared with a file. */
typedef struct heddle_check {
    const char *buffer, *file;
    uint64_t count, differ; /* elements, and those that differ by more than */
    double tolerance;       /* this, absolute or relative */
    double worst;           /* the largest difference, whichever is smaller */
} heddle_check;

/* Of the last heddle_plan_run; none if a launch failed. HEDDLE_BAD_ARGUMENT:
 * there is none of number `i`. */
HEDDLE_API size_t heddle_plan_check_count(const heddle_plan *plan);
HEDDLE_API heddle_code heddle_plan_check(const heddle_plan *plan, size_t i,
                                         heddle_check *check);

/* ---- Results ---- Functions that read them take NULL: 0, NULL or NAN. */

/* The next launch of the simulation whose result was not freed, looks too.
 * NULL: there is none. */
HEDDLE_API heddle_result *heddle_result_next(const heddle_result *result);

/* NULL is fine. heddle_json tells no more of it. */
HEDDLE_API void heddle_result_free(heddle_result *result);
/* How the launch ended, and the error's text, "" if there is none. */
HEDDLE_API heddle_code heddle_result_code(const heddle_result *result);
HEDDLE_API const char *heddle_result_error(const heddle_result *result);
HEDDLE_API const char *heddle_result_kernel(const heddle_result *result);
HEDDLE_API uint64_t heddle_result_cycles(const heddle_result *result);

/* What a name means. */
typedef struct heddle_info {
    const char *name;
    const char *unit; /* "" : a plain number */
    const char *help;
} heddle_info;

/* Figures: what the record of a launch tells in numbers (docs/stats.md):
 * cycles, warp_insts, ipc, occupancy, energy_j, ... Shares are from 0 to 1. The
 * value is NAN where there is none, as without timing. HEDDLE_NOT_FOUND. */
HEDDLE_API size_t heddle_figure_count(void);
HEDDLE_API heddle_code heddle_figure_info(size_t i, heddle_info *info);
HEDDLE_API heddle_code heddle_result_figure(const heddle_result *result,
                                            const char *name, double *value);

/* Counters, summed over the blocks of a kind: "sm[*].l1.load_hits". There are
 * none before the first timed launch; from then on names and numbers stay.
 * HEDDLE_BAD_ARGUMENT: there is no counter `i`. */
HEDDLE_API size_t heddle_counter_count(const heddle_sim *sim);
HEDDLE_API heddle_code heddle_counter_info(heddle_sim *sim, size_t i,
                                           heddle_info *info);
/* Of one launch, by the numbers of heddle_counter_info; *count of them. NULL:
 * it was not timed. */
HEDDLE_API const uint64_t *heddle_result_counters(const heddle_result *result,
                                                  size_t *count);
/* By name; `*` stands for any characters but a dot, and what matches is added
 * up ("sm[*].l1.*_hits"). With HEDDLE_PER_BLOCK also of single blocks
 * ("sm[3].l1.load_hits"). HEDDLE_NOT_FOUND. */
HEDDLE_API heddle_code heddle_result_counter(const heddle_result *result,
                                             const char *name, uint64_t *value);
/* Over all timed launches of the simulation that have ended. */
HEDDLE_API heddle_code heddle_total(heddle_sim *sim, const char *name,
                                    uint64_t *value);

/* ---- Where a launch spent its time ---- */

typedef enum heddle_rows {
    HEDDLE_BY_LINE = 0, /* of the source, in order of file and line */
    HEDDLE_BY_INSTRUCTION = 1
} heddle_rows;

/* What is counted: insts, lanes, tx, ..., slots, stall_..., warp_cycles,
 * wait_..., the columns of `heddle run --by-line --format csv`
 * (docs/report.md). HEDDLE_BAD_ARGUMENT: there is no column `i`. */
HEDDLE_API size_t heddle_column_count(void);
HEDDLE_API heddle_code heddle_column_info(size_t i, heddle_info *info);

#define HEDDLE_NO_INSTRUCTION UINT32_MAX

typedef struct heddle_row {
    const char *file;       /* of the source; NULL: unknown */
    const char *text;       /* its line, or the instruction; NULL: unknown */
    uint32_t line;          /* from 1; 0: unknown */
    uint32_t index;         /* of its first instruction in the kernel;
                               HEDDLE_NO_INSTRUCTION: the last row, which has the
                               slots and cycles that belong to none */
    uint32_t instructions;  /* how many it has */
    uint32_t reserved;      /* 0 */
    const uint64_t *values; /* heddle_column_count() of them */
} heddle_row;

/* Of a launch with HEDDLE_PROFILE that has ended, else there are 0 rows; those
 * of launches in flight together are in their JSON. Each column adds up to what
 * the launch has. Without timing all but insts, lanes, diverged and slots are
 * 0. Lines have a text if their file can be read, or was given to heddle_load.
 * HEDDLE_BAD_ARGUMENT: there is no row `i`. */
HEDDLE_API size_t heddle_result_row_count(const heddle_result *result,
                                          heddle_rows kind);
HEDDLE_API heddle_code heddle_result_row(const heddle_result *result,
                                         heddle_rows kind, size_t i,
                                         heddle_row *row);

typedef enum heddle_fault_kind {
    HEDDLE_FAULT_NONE = 0,
    HEDDLE_FAULT_BOUNDS = 1, /* outside of every allocation */
    HEDDLE_FAULT_FREED = 2,
    HEDDLE_FAULT_MISALIGNED = 3,
    HEDDLE_FAULT_TRAP = 4,
    HEDDLE_FAULT_SHARED_BOUNDS = 5,
    HEDDLE_FAULT_LOCAL_BOUNDS = 6,
    HEDDLE_FAULT_CODE = 7, /* ran past the end of its code */
    HEDDLE_FAULT_CONST_BOUNDS = 8,
    HEDDLE_FAULT_BARRIER = 9,
    HEDDLE_FAULT_SPACE = 10,
    HEDDLE_FAULT_STACK = 11, /* of divergence */
    HEDDLE_FAULT_CALL = 12,  /* of what is no function */
    HEDDLE_FAULT_TEXTURE = 13,
    HEDDLE_FAULT_ASSERT = 14,
    HEDDLE_FAULT_FREE = 15, /* of what malloc in a kernel did not give */
    HEDDLE_FAULT_HAZARD = 16,
    HEDDLE_FAULT_DESCRIPTOR = 17,
    HEDDLE_FAULT_REGISTERS = 18,
    HEDDLE_FAULT_DEADLOCK = 19,
    HEDDLE_FAULT_BULK = 20,
    HEDDLE_FAULT_CLUSTER = 21
} heddle_fault_kind;

typedef struct heddle_fault {
    heddle_fault_kind kind;
    uint32_t lane, warp;        /* of the first that did it */
    uint32_t cta[3], thread[3]; /* its CTA in the grid, and place in the CTA */
    uint32_t pc;                /* number of the instruction */
    uint32_t line;              /* of `file`, from 1; 0: unknown */
    uint64_t address;           /* where it is about one */
    uint32_t bytes;             /* of the access */
    uint32_t write;             /* not 0: a store */
    const char *file;           /* of the source; NULL: unknown */
    const char *what;           /* "misaligned access" */
    const char *text;           /* all of it, for people */
    uint64_t reserved[4];       /* 0 */
} heddle_fault;

/* HEDDLE_NOT_FOUND: the launch had no fault. */
HEDDLE_API heddle_code heddle_result_fault(const heddle_result *result,
                                           heddle_fault *fault);

/* What the kernel printed, in order of time; `lost`, unless NULL, is how many
 * lines had no room. HEDDLE_BAD_ARGUMENT: there is no line `i`. */
HEDDLE_API size_t heddle_result_line_count(const heddle_result *result,
                                           uint64_t *lost);
HEDDLE_API heddle_code heddle_result_line(const heddle_result *result, size_t i,
                                          heddle_line *line);

/* The text that `heddle run --format json` writes (docs/report.md): of that
 * launch alone; of all whose results were not freed. NULL: of NULL, or the
 * host's memory is used up. That of a simulation is valid until the next call
 * with it. */
HEDDLE_API const char *heddle_result_json(heddle_result *result);
HEDDLE_API const char *heddle_json(heddle_sim *sim);

/* Of all counters and of the GPU's memory, as `heddle run --hash` prints it. */
HEDDLE_API heddle_code heddle_hash(heddle_sim *sim, uint64_t *hash);

#ifdef __cplusplus
}
#endif

#endif
