/* src/exec/exec.h - what instructions do to the 32 lanes of a warp. Independent
 * of cycles: the timing model and the functional runner both drive it.
 *
 * An instruction is executed in one step (exec_step), but for accesses to
 * global, local and shared memory, which take two: exec_step reads the
 * operands and computes addresses into an exec_mem; the caller then decides
 * when to perform it (exec_mem_perform, or, for atomics performed elsewhere,
 * exec_atom_pack and exec_atom_unpack). */
#ifndef EXEC_EXEC_H
#define EXEC_EXEC_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>

#include "exec/simt.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "mem/port.h"
#include "mem/tex.h"
#include "mem/view.h"

typedef struct exec_services exec_services; /* see exec/services.h */
typedef struct exec_outside exec_outside;   /* see exec/outside.h */
typedef struct exec_front exec_front;       /* see exec/front.h */
typedef struct exec_watcher exec_watcher;   /* see exec/watcher.h */
typedef struct exec_seen exec_seen;         /* likewise */

/* What is the same for all CTAs of a launch. */
/* What a program wants of caches for a launch. */
typedef struct exec_hints {
    uint64_t window_at;     /* accesses from here on to so many */
    uint64_t window_bytes;  /* bytes on have, if they say nothing, */
    uint64_t window_policy; /* that of mem/keep.h */
    uint8_t carveout; /* percent of shared memory that an SM should have, and 1;
                         0: as its CTAs need */
} exec_hints;

typedef struct exec_launch {
    const isa_kernel *kernel;
    isa_arch arch;
    uint32_t grid[3], block[3];
    uint32_t cga[3];       /* CTAs of a thread-block cluster, which divide the
                              grid; 0: none, see exec/cga.h */
    uint32_t size[3];      /* threads of the grid, where the last CTAs are
                              smaller; 0: grid times block */
    uint32_t threads;      /* of a whole CTA */
    uint32_t warps;        /* of a whole CTA */
    uint32_t shared_bytes; /* of a CTA, static and dynamic */
    uint32_t stack_bytes;  /* of a thread, beyond kernel->local_bytes */
    uint32_t grid_id;
    uint32_t sms, sm_warps;
    const uint8_t *cbank[CBANKS]; /* each CBANK_BYTES long, zero-padded */
    uint64_t clock_khz;           /* of the core, for the timers */
    const tex_table *textures;    /* NULL: there are none */
    exec_services *services;      /* NULL: nothing is printed, no heap */
    exec_outside *outside;        /* NULL: what is outside is a fault */
    struct exec_findings *async;  /* of exec/async.h; NULL: do not check */
    exec_front *front;            /* NULL: warps execute the kernel's code */
    uint64_t page_bytes;          /* with `outside`: mapped at once, */
    uint32_t shared_beyond;       /* and bytes that a CTA and */
    uint32_t local_beyond;        /* a thread have without having asked; */
    uint32_t shared_slack;        /* of those, so many */
    uint32_t local_slack;         /* belong to them all the same, and so */
    uint64_t image_slack;         /* many bytes around an image to it */
    exec_hints hints;
    uint8_t numerics;  /* cfg_numerics, of tensor cores */
    uint32_t trace_pc; /* its first instruction, in traces */
} exec_launch;

/* Local memory of a thread, in bytes. */
static inline uint32_t exec_local_bytes(const exec_launch *l)
{
    return l->kernel->local_bytes + l->stack_bytes;
}

/* Host memory for what a thread, or a CTA, can reach. */
static inline size_t exec_local_room(const exec_launch *l)
{
    return (size_t)exec_local_bytes(l) + l->local_beyond;
}

static inline size_t exec_shared_room(const exec_launch *l)
{
    return (size_t)l->shared_bytes + l->shared_beyond;
}

enum exec_fault_kind {
    FAULT_NONE,
    FAULT_BOUNDS,
    FAULT_FREED,
    FAULT_MISALIGNED,
    FAULT_TRAP,
    FAULT_SHARED_BOUNDS,
    FAULT_LOCAL_BOUNDS,
    FAULT_PC,
    FAULT_CONST_BOUNDS,
    FAULT_BARRIER,
    FAULT_SPACE,          /* atomic on local memory and the like */
    FAULT_STACK,          /* divergence stack overflows, or SYNC without SSY */
    FAULT_CALL,           /* through a register that holds no function */
    FAULT_TEXTURE_HANDLE, /* no image */
    FAULT_TEXTURE_KIND,   /* of another geometry */
    FAULT_TEXTURE_BOUNDS, /* coordinates outside of a surface */
    FAULT_SAMPLER_HANDLE, /* no sampler */
    FAULT_ASSERT,         /* __assertfail */
    FAULT_FREE,           /* of what the heap did not give */
    FAULT_HAZARD,         /* issued before its registers were ready */
    FAULT_OVERWRITE,      /* wrote a register before an older one had read it */
    FAULT_DESCRIPTOR,     /* of a matrix: `addr` */
    FAULT_REGISTERS,      /* USETMAXREG the wrong way: `size` is what it has */
    FAULT_DEADLOCK,       /* nothing of a CTA can run any more */
    FAULT_BULK,           /* of a bulk copy: `why` */
    FAULT_CGA_RANK,       /* no such CTA in the thread-block cluster */
    FAULT_CGA_EXITED,     /* it has ended, or not begun */
};

typedef struct exec_fault {
    enum exec_fault_kind kind;
    uint32_t pc; /* instruction index */
    uint32_t lane, warp;
    uint32_t cta[3], thread[3];
    uint64_t addr;  /* FAULT_TEXTURE_ and FAULT_SAMPLER_: the handle */
    uint32_t size;  /* bytes of the access */
    uint64_t reach; /* how far it went beyond what is there, in bytes; 0: it is
                       not outside of anything, or of something freed */
    uint32_t
        rank; /* FAULT_CGA_: CTA of the cluster whose shared memory it is */
    bool write;
    uint8_t coords; /* FAULT_TEXTURE_BOUNDS: coordinates, layer first */
    int32_t coord[4];
    const tex_image *texture; /* NULL: none; borrowed */
    const char *why;          /* FAULT_BULK: what is wrong, */
    const char *detail;       /* and more of it, or NULL; both for ever */
} exec_fault;

struct exec_warp;
typedef struct exec_ops exec_ops;   /* see exec/level.h */
typedef struct exec_plan exec_plan; /* see exec/plan.h */

typedef struct exec_cga exec_cga;           /* see exec/cga.h */
typedef struct exec_arrivals exec_arrivals; /* see exec/arrivals.h */
typedef struct exec_async exec_async;       /* see exec/async.h */

typedef struct exec_cta {
    const exec_launch *launch;
    exec_cga *cga; /* its thread-block cluster; NULL: it is alone */
    uint32_t rank; /* and its number there */
    uint32_t id[3];
    uint64_t number; /* linear CTA index */
    uint8_t *shared; /* exec_shared_room */
    uint32_t sm;     /* SM it runs on */
    bool partial;    /* only its threads below `extent` exist */
    uint32_t extent[3];
    uint32_t live_warps;     /* not yet exited; the caller counts down */
    uint32_t pool;           /* registers that no warp has: exec/pool.h */
    exec_arrivals *arrivals; /* NULL: none yet */
    exec_async *async;       /* NULL: accesses are not checked */
    void *traced;            /* of the launch's front, or of who watches */
} exec_cta;

/* What every instruction touches comes first, in two cache lines: with tens of
 * SMs the time to fetch warps from memory counts. */
typedef struct exec_warp {
    uint32_t (*reg)[ISA_WARP]; /* kernel->registers rows, borrowed */
    /* Set by exec_warp_start. */
    const isa_inst *code;
    const exec_ops *ops;
    uint32_t code_count; /* 0: it has none, see exec/front.h */
    uint32_t ran; /* lanes that executed the last instruction: the active ones
                     under its guard */
    uint32_t pred[ISA_PREDS + 1]; /* lane masks; [ISA_PT] all ones */

    exec_cta *cta;
    exec_plan *plan;    /* of exec_run, or exec_step; NULL: none */
    uint8_t *local;     /* exec_local_room * 32, word-interleaved: byte o of
                           lane l is at (o / 4 * 32 + l) * 4 + o % 4 */
    uint64_t clock;     /* value of the clock, set by the caller before an
                           instruction with ISA_F_CLOCK or S2R */
    uint64_t executed;  /* warp instructions */
    uint32_t index;     /* warp in the CTA */
    unsigned hint;      /* for mem_valid */
    simt simt;          /* pc, active lanes, divergence */
    uint32_t cga_lanes; /* that have arrived at the cluster's barrier */
    uint32_t groups;    /* of products that WGCOMMIT has closed */
    uint16_t has;       /* registers of a thread: exec/pool.h */
    uint16_t wants;     /* more than that: it waits for them */
    /* Uniform registers, one value for all lanes; the last, URZ, is 0. Bit n of
     * upred is UPn, UPT is set. */
    uint32_t ureg[ISA_UREGS + 1];
    uint8_t upred;
    uint32_t reduced; /* what its last BAR.RED came to */
} exec_warp;

typedef enum exec_result {
    EXEC_DONE,    /* finished; simt.pc is the next instruction */
    EXEC_MEM,     /* *mem is filled: perform it; pc is already advanced */
    EXEC_BARRIER, /* all live lanes of the warp arrived at CTA barrier *bar,
                     or lanes of it at that of the thread-block cluster, or
                     all at USETMAXREG; pc is already advanced */
    EXEC_FENCE,   /* memory fence; the caller orders, pc is advanced */
    EXEC_COPIES,  /* LDGDEPBAR, DEPBAR: the caller counts the copies of LDGSTS;
                     pc is advanced */
    EXEC_GROUP,   /* HGMMA, WGCOMMIT, WGWAIT: the caller counts the products of
                     the warp group; pc is advanced */
    EXEC_SLEEP,   /* nanosleep of bar->count nanoseconds, or bar->mbarrier */
    EXEC_BLOCKED, /* no lane can run until another arrives: not advanced.
                     The lanes wait for each other: a deadlock */
    EXEC_EXIT,    /* the last lane of the warp has exited */
    EXEC_FAULT,   /* *fault is filled */
} exec_result;

enum { EXEC_TAPS = 16 }; /* texels that a texture fetch mixes */

enum exec_space {
    EXEC_GLOBAL,
    EXEC_SHARED,
    EXEC_LOCAL,
    EXEC_REMOTE, /* another CTA's shared memory: exec/remote.h */
    EXEC_SPACES
};

/* An access of up to 32 lanes with operands read and addresses computed. */
typedef struct exec_mem {
    const isa_inst *in;
    uint32_t pc;
    uint32_t mask;               /* lanes that access */
    uint32_t space[EXEC_SPACES]; /* disjoint, together `mask` */
    uint32_t size;               /* bytes per lane */
    uint64_t addr[ISA_WARP];     /* global: address; shared: offset in the CTA;
                                    local: offset in the thread; remote: see
                                    exec/remote.h */
    uint32_t data[8][ISA_WARP];  /* stores: words; atomics: operand in 0..3,
                                    second operand of CAS in 4..7;
                                    textures: coordinates, addr: handles;
                                    LDGSTS: offset in shared memory, bytes to
                                    read */
    uint32_t extra[2][ISA_WARP]; /* textures: level of detail, offsets */
    uint32_t lanes;              /* LDSM, STSM, LDGSTS: lanes that execute;
                                    `mask` may be fewer */
    uint32_t changed;            /* atomics, once performed: lanes that left
                                    another value than they found */
} exec_mem;

/* exec_bar.kind at the barrier of a thread-block cluster. */
enum { EXEC_BAR_CGA_ARRIVE = 5, EXEC_BAR_CGA_WAIT = 6 };

typedef struct exec_bar {
    uint32_t number;
    uint32_t pc;       /* of the instruction */
    uint32_t count;    /* threads that take part, 0: all of the CTA */
    uint32_t lanes;    /* lanes that arrived now */
    uint8_t kind;      /* 0 sync, 1 arrive, 2 and, 3 or, 4 popc, or below */
    uint32_t pred;     /* reductions: lanes whose predicate is true */
    uint8_t dst, pdst; /* where the result goes when the barrier completes */
    /* EXEC_SLEEP at an mbarrier, see exec/mbarrier.h: that of the first lane.
     */
    bool mbarrier;
    uint32_t at, phase;
} exec_bar;

/* Sets partial, extent and live_warps of a CTA whose launch and id are set.
 * Returns the warps that exist, i.e. have a thread. */
uint64_t exec_cta_start(exec_cta *c);
void exec_cta_end(exec_cta *c); /* frees what came to it since */

/* Index in the CTA of its thread `t`, x fastest. */
void exec_thread(const uint32_t block[3], uint32_t t, uint32_t thread[3]);

/* Instructions need the host's arithmetic as IEEE 754 has it: round to nearest,
 * denormals kept. A program that hosts the simulator may have changed that
 * (-ffast-math does), so every thread that executes instructions stands
 * between these two. */
void exec_host_enter(fenv_t *saved);
void exec_host_leave(const fenv_t *saved);

/* Puts a warp that exists at the start of its kernel: clears registers it must,
 * sets the lanes that exist. reg, cta, local, index are set by the caller
 * before. */
void exec_warp_start(exec_warp *w);

/* Executes the instruction at w->simt.pc under its guard. */
exec_result exec_step(exec_warp *w, exec_mem *mem, exec_bar *bar,
                      exec_fault *fault);

/* Instructions that a warp executes without anybody looking on. */
typedef struct exec_turn {
    uint32_t most;  /* instructions, not 0 */
    mem_view *view; /* direct */
    uint64_t clock; /* at the first; each takes one */
    exec_mem *mem;
    exec_bar *bar;
    exec_fault *fault;
    /* What it came to: */
    uint32_t insts, pc; /* executed; the last of them */
    uint64_t lanes;     /* of all, under their guards */
} exec_turn;

/* As exec_step, time and again until the turn is over (EXEC_DONE) or one gives
 * something else. Accesses that it can perform itself do not end it. The warp
 * has a plan. */
exec_result exec_run(exec_warp *w, exec_turn *t);

/* The warp stands where none of its lanes is active (exec/wide_stack.h): it
 * goes on to the next instruction, an SSY pushes an entry without lanes. */
void exec_skip(exec_warp *w);

/* Performs the access `m` in the spaces of `spaces` (bit set of exec_space):
 * loads write registers, stores write memory, atomics do both at once. False:
 * *fault is filled, nothing was written. Lanes that are outside of allocations
 * where a device allows it (exec_launch.outside) get the addresses of the bytes
 * that stand for theirs. */
bool exec_mem_perform(exec_warp *w, exec_mem *m, unsigned spaces,
                      mem_view *view, exec_fault *fault);

/* The same, but each line when its turn comes. First all checks, and what
 * shared memory has of it; false: *fault is filled, nothing was written. Not
 * for atomics, PRINT and texture fetches. */
bool exec_mem_begin(exec_warp *w, exec_mem *m, mem_view *view,
                    exec_fault *fault);
/* Then the lanes of a line in global or local memory. words[k]: those of which
 * it holds word k; of a global lane it holds all, words[0] stands for them. */
void exec_mem_part(exec_warp *w, const exec_mem *m, enum exec_space space,
                   const uint32_t words[4], mem_view *view);

/* Only the checks of exec_mem_perform for the global lanes. */
bool exec_mem_check(exec_warp *w, exec_mem *m, const mem_view *view,
                    exec_fault *fault);

/* The texels that a TEX or TLD4 reads: row k has those of the lanes of mask[k];
 * the number of rows. */
unsigned exec_texels(const exec_warp *w, const exec_mem *m,
                     uint64_t addr[EXEC_TAPS][ISA_WARP],
                     uint32_t mask[EXEC_TAPS]);

/* True for TEX and TLD4, whose exec_mem holds no addresses. */
static inline bool exec_is_fetch(const isa_inst *in)
{
    char result = isa_table[in->op].form[0];

    return in->class == ISA_CLASS_TEX && (result == 'r' || result == 'K');
}

/* Global atomics performed by a memory partition: pack the lanes of `mask`
 * (all on one line), perform them there in lane order, write old values back
 * to the destination registers. Reductions have no unpack. */
void exec_atom_pack(const exec_mem *m, uint32_t mask, mem_atom *a);
void exec_atom_perform(mem_atom *a, mem_view *view);
void exec_atom_unpack(exec_warp *w, const isa_inst *in, const mem_atom *a);

/* The result of a completed barrier reduction, for one warp. */
void exec_bar_result(exec_warp *w, const exec_bar *bar, uint32_t value);

/* One line naming the fault, instruction and nearest allocation. */
void exec_fault_text(const exec_fault *f, const exec_launch *l,
                     const mem_image *image, char *text, unsigned size);

#endif
