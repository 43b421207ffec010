/* src/runtime/internal.h - what the files of the runtime share. */
#ifndef RUNTIME_INTERNAL_H
#define RUNTIME_INTERNAL_H

#include <pthread.h>

#include "base/must.h"
#include "exec/async.h"
#include "exec/services.h"
#include "mem/image.h"
#include "mem/tex.h"
#include "ptx/ptx.h"
#include "replay/trace_folder.h"
#include "runtime/memory.h"
#include "runtime/runtime.h"
#include "runtime/warming.h"

/* Images and samplers by number; those of a device are a copy. */
typedef struct rt_images {
    tex_image *image;
    bool *owned; /* the memory is the image's */
    tex_sampler *sampler;
    bool *sampler_taken;
    uint32_t image_count, image_room, owned_room;
    uint32_t sampler_count, sampler_room, taken_room;
    uint32_t image_free; /* no free number below */
    uint64_t changes;
} rt_images;

tex_table rt_images_table(const rt_images *t);
/* Makes `seen` what `of` is now. */
void rt_images_update(rt_images *seen, const rt_images *of);
void rt_images_fini(rt_images *t);

struct rt_memory {
    pthread_mutex_t lock; /* of all below */
    mem_image *image;
    rt_images images;
};

void rt_lock(rt_memory *m);
void rt_unlock(rt_memory *m);

/* PTX whose kernels are compiled when they are asked for: on_demand.c. */
typedef struct rt_source {
    arena *mem; /* of the tree */
    char *path, *text;
    size_t size;
    ptx_module *tree;
    bool skips; /* the tree has no bodies of kernels, as the text is big */
} rt_source;

/* From so many bytes on only the bodies of kernels that are needed are parsed:
 * a tree takes 13 times what its text does. */
enum { RT_PTX_BIG = 16 << 20 };

struct rt_module {
    rt_device *device; /* borrowed */
    isa_program *program;
    uint8_t *services;     /* per kernel: the services that it uses */
    uint64_t *addr;        /* per variable: address or handle, 0 if neither */
    uint32_t *own_sampler; /* per variable: made for it, 0: none */
    uint64_t user_copy; /* generic address of the .const variables, 0: none */
    uint8_t *user;      /* bank CBANK_USER, CBANK_BYTES */
    uint8_t *symbol;    /* bank CBANK_SYMBOL, CBANK_BYTES */
    rt_module *previous, *next; /* of the device */

    /* A module without kernels, whose kernels are `parts` of it, each a module
     * that has the same variables, and perhaps more behind them. */
    rt_source *source; /* NULL: it has its kernels itself */
    rt_module *parts;  /* one leads to the next */
    rt_module *whole;  /* whose part it is, NULL: of none */
    rt_module *next_part;
    rt_module *beside; /* whose variables it has where names are the same, and
                          which outlives it; NULL: none */
    unsigned register_limit; /* that its kernel was compiled with, 0: none */
    char *made_for; /* kernel of the source, owned; NULL: it is no part */
};

/* PTX text, for the kernels that `how` names; all if it names none. */
status rt_compile_ptx(const config *cfg, const rt_options *how,
                      const char *path, const char *text, size_t size, diag *dg,
                      isa_program **out);
/* The compiler alone, for the kernels that `how` names, or for `only` one. */
status rt_compile_tree(const config *cfg, const rt_options *how,
                       const ptx_module *tree, const char *only, diag *dg,
                       isa_program **out);
/* No more than `most`, 0: as it was. */
void rt_limit_registers(rt_options *how, unsigned most);
/* A module of the program, a part of `whole` (NULL: of none). On ST_OK it owns
 * the program. */
status rt_module_make(rt_device *d, isa_program *p, rt_module *whole, diag *dg,
                      rt_module **out);
/* The same of a module that is no part, with the variables of `beside`. */
status rt_module_make_beside(rt_device *d, isa_program *p, rt_module *beside,
                             diag *dg, rt_module **out);
void rt_source_free(rt_source *s); /* NULL is fine */
/* Bank CBANK_USER of the module as its variables are in memory now, where the
 * host may have written to them. */
uint8_t *rt_module_constants(const rt_module *m);

/* Counters around a launch, of which there are stats_count, and totals. */
typedef struct rt_counters {
    uint64_t *before, *diff;
    uint64_t *totals_before, *totals;
    uint64_t *sampled, *step;        /* totals at the last sample, and since */
    uint64_t *sofar;                 /* totals of a launch that goes on */
    size_t warp_insts, thread_insts; /* their totals */
} rt_counters;

/* After the machine was built. */
void rt_counters_init(rt_counters *c, const stats *s);
void rt_counters_fini(rt_counters *c);
/* Around a launch; `all`: not only totals. */
void rt_counters_begin(rt_counters *c, const stats *s, bool all);
/* Fills `step` with what was added since the last sample, or the beginning. */
void rt_counters_sample(rt_counters *c, const stats *s);
/* What has been counted until now, of a launch that goes on. */
void rt_counters_sofar(rt_counters *c, const stats *s, rt_result *out);
void rt_counters_end(rt_counters *c, const stats *s, bool all, rt_result *out);

/* What was printed. */
typedef struct rt_lines {
    exec_line *line;
    size_t count, room;
    uint64_t lost;
} rt_lines;

/* What a launch has for itself while it runs. Constant banks: its own, its
 * code's, and one of zeros. */
typedef struct rt_banks {
    uint8_t *bytes;        /* NULL: none yet */
    size_t used[2];        /* bytes that may not be 0, of the first two */
    exec_outside *outside; /* NULL: not needed yet */
    exec_findings *async;  /* the same */
    uint64_t workspace;    /* address, of cooperative launches; 0: none yet */
} rt_banks;

typedef struct rt_copies { /* ranges that were written by copies, in order */
    struct rt_copy {
        uint64_t addr, bytes;
    } * at;
    size_t count, room;
} rt_copies;

struct rt_device {
    const config *cfg; /* owned copy */
    rt_options opt;
    rt_memory *memory;
    bool own_memory;
    mem_image *seen; /* by launches: the memory's image when they began, */
    rt_images seen_images; /* and its images */
    stats *stats;
    gpu *gpu;               /* NULL before the first timed launch */
    struct team *crew;      /* of others; NULL: not needed yet */
    uint64_t cycles_before; /* of earlier machines */
    rt_module *modules;     /* under the memory's lock, as is */
    uint64_t kernels;       /* how many have been loaded */
    rt_counters counters;
    rt_banks banks;     /* of launches that run alone, */
    exec_strays strays; /* and theirs, of the last, */
    rt_lines lines;     /* and its */
    exec_spins spun; /* what the last that was not timed spun on; it failed */
    tex_table textures; /* of seen_images */
    uint32_t launches;
    bool broken; /* a launch failed: the machine is in mid-flight */
    FILE *dump;
    const char *running;     /* the kernel, while a launch is simulated, */
    bool untimed;            /* without timing */
    exec_services *services; /* NULL before a kernel first needs it */
    uint64_t heap;           /* its address; 0: none yet */
    bool printed;            /* a kernel that calls printf was launched */
    uint64_t persist_bytes;  /* set aside in the L2, see rt_persist */
    trace_folder *traces;    /* rt_options.trace_folder; NULL: none */
    rt_copies copies;        /* since the last group of launches began */
    rt_warming *warming;     /* NULL: nothing was sampled yet */
};

/* ---- launch.c ---- */

/* Checks a launch, fills `e`, `b` (which has to stay where it is until the
 * launch has ended), and the members of `out` that do not depend on the run.
 * ST_OK, or why not. */
status rt_prepare(rt_device *d, const rt_launch *l, rt_banks *b, exec_launch *e,
                  diag *dg, rt_result *out);
/* The machine, another one after a launch that left it in mid-flight. */
void rt_prepare_machine(rt_device *d);

/* Who is told of what is only computed of launches that are sampled; NULL: it
 * has no machine yet. */
const exec_seen *rt_device_warming(rt_device *d);

/* ---- copies.c ---- */

/* The idle machine learns of what was copied. */
void rt_copies_tell(rt_device *d);
void rt_copies_fini(rt_device *d);

/* ---- */

/* Around what is timed: counters, samples, printed lines. */
typedef struct rt_timed {
    rt_device *device;
    const rt_launch *launch; /* with the options of the run */
    uint64_t before;         /* cycles until the machine was last idle */
    uint64_t last;           /* cycles until the last sample */
    gpu_run run;
    double began;
    double last_report_s; /* when results so far were last reported */
} rt_timed;

void rt_timed_begin(rt_timed *t, rt_device *d, const rt_launch *l);
/* Of `cycles` cycles. */
void rt_timed_end(rt_timed *t, uint64_t cycles, rt_result *out);
/* Where it was outside. */
exec_strays rt_take_strays(const rt_device *d, const exec_launch *e);
void rt_banks_fini(rt_device *d, rt_banks *b);
/* What warps spun on when a launch failed with `st`; NULL: on nothing. */
const exec_spins *rt_spins(const rt_device *d, bool functional, status st);
/* Adds the reason why `l` failed to `dg`. */
void rt_describe(rt_device *d, const exec_launch *e, status st,
                 const exec_fault *f, const rt_launch *l, diag *dg);

bool rt_is_functional(const rt_device *d, const rt_launch *l);

/* ---- last_words.c ---- */

/* Around what may take long, or take much memory: if the process fails in it,
 * it says in which kernel and cycle. `kernel` is borrowed. */
must_hook rt_run_begins(rt_device *d, const char *kernel, bool untimed);
void rt_run_ends(rt_device *d, must_hook before);

/* ---- untimed.c ---- */

/* A prepared launch that is computed without timing; it and what it is given
 * are borrowed. */
typedef struct rt_untimed rt_untimed;
rt_untimed *rt_untimed_new(rt_device *d, const exec_launch *e,
                           const rt_launch *l, exec_fault *fault);
/* As exec_grid_run has it. `alone`: no other launch is in flight or to come. */
status rt_untimed_run(rt_untimed *u, bool alone, bool *ended);
/* It has ended, or is given up: adds what it did to `out`, and frees it. */
void rt_untimed_end(rt_untimed *u, rt_result *out);

/* ---- warm.c ---- */

/* Performs a launch that is about to begin alone on the idle machine as often
 * as rt_options.warm says, without a trace but in the caches. */
void rt_warm_up(rt_device *d, const exec_launch *e, const rt_launch *l);

/* ---- children.c ---- */

/* What a kernel launched, of a queue. */
typedef struct rt_child {
    exec_child is;
    rt_launch launch; /* if it is a kernel */
    struct rt_child *next;
    uint8_t params[];
} rt_child;

/* What `by` launched, which was `parent` and has ended, goes in front of the
 * queue. */
void rt_children_take(rt_device *d, const exec_launch *by,
                      const rt_launch *parent, rt_child **queue, diag *dg);
/* Takes the next that can be launched, and prepares it as rt_prepare; NULL:
 * there is none. Others are dropped, with a warning. */
rt_child *rt_children_next(rt_device *d, rt_child **queue, rt_banks *b,
                           exec_launch *e, diag *dg);
void rt_child_free(rt_child *c); /* NULL is fine */
void rt_children_drop(rt_child **queue);
/* A launch failed: what it, and others in flight with it, launched. */
void rt_children_forget(rt_device *d);

/* ---- services.c ---- */

/* The services that a kernel's code uses: a set of SERVICE_... (services.c). */
uint8_t rt_services_of(const isa_kernel *k);
/* Gives it to the launch. */
bool rt_services_prepare(rt_device *d, uint8_t services, exec_launch *e,
                         diag *dg);
/* Appends what was printed since the last call. `kernel`: for messages. */
void rt_lines_take(rt_device *d, const char *kernel, rt_lines *to, diag *dg);
void rt_lines_clear(rt_lines *l);
void rt_lines_fini(rt_lines *l);

#endif
