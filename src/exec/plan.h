/* src/exec/plan.h - the code of a launch as it is executed: each instruction
 * with its body and with its operands found, as far as they are the same each
 * time. Made when a warp first comes to an instruction, from there on to the
 * next that may lead elsewhere.
 *
 * It only saves work: without a plan (exec_op_bare) bodies find operands in the
 * instruction. Owns its rows, borrows the launch, whose constant banks must not
 * change meanwhile. For one thread, but for that of exec_step. */
#ifndef EXEC_PLAN_H
#define EXEC_PLAN_H

#include <pthread.h>
#include <stdint.h>

#include "exec/exec.h"

struct sem;
typedef void exec_body(struct sem *x);

/* Where the words of an operand are: at `at`, behind the first register of the
 * warp if `of_warp` is all ones and not 0. Both 0: the body has to look, as a
 * modifier or a uniform register changes them. A pair has its upper words in
 * the next row; constants are always pairs. */
typedef struct exec_src {
    uintptr_t at, of_warp;
} exec_src;

enum exec_guard { GUARD_NONE, GUARD_LANES, GUARD_UNIFORM };

typedef struct exec_op {
    exec_body *body; /* NULL: not planned yet */
    exec_body *once; /* performs its access, too, where it can, or knows what
                        the operands are: else as body */
    const isa_inst *in;
    exec_src src[3];
    uint32_t straight; /* instructions from here on that only go on to the next,
                          all planned; 0: this one moves the pc itself */
    uint32_t to;       /* bytes: the result behind the first register */
    unsigned hint;     /* for mem_valid */
    uint8_t guard;     /* exec_guard */
} exec_op;

extern exec_op exec_op_bare; /* never written */

typedef struct exec_plan {
    exec_op *op; /* for each instruction of the code */
    const exec_launch *launch;
    const exec_ops *ops;
    bool told;  /* stores to global memory are: mem/touched.h, */
    bool seen;  /* and loads, too: exec/watcher.h */
    bool steps; /* for exec_step: accesses are left to others */
    bool (*stops)(const isa_inst *in); /* those it stops at; NULL: none */
    pthread_mutex_t lock;   /* of such a one, to plan an instruction */
    struct plan_rows *rows; /* blocks of them, the last first */
    uint64_t *values;       /* of all pairs, an open hash table */
    uint32_t (**pairs)[ISA_WARP];
    uint32_t count, room; /* pairs; of the table */
} exec_plan;

/* For runs with `view`, which is direct; it is not kept. */
exec_plan *exec_plan_new(const exec_launch *l, const exec_ops *ops,
                         const mem_view *view);
/* The same for turns that end in front of instructions of which `stops` says
 * so: EXEC_BLOCKED, and the warp stands there, though it counts as executed. */
exec_plan *exec_plan_new_stopped(const exec_launch *l, const exec_ops *ops,
                                 const mem_view *view,
                                 bool (*stops)(const isa_inst *in));
/* Accesses to global memory are left to who runs the warp. Before it is used.
 */
void exec_plan_tell(exec_plan *p);
/* For exec_step by warps of any threads, as in timed runs. */
exec_plan *exec_plan_new_steps(const exec_launch *l, const exec_ops *ops);
/* May the launch have one? Not if each access is looked at (exec/async.h), or
 * the code is none of the kernel's. */
static inline bool exec_plan_suits(const exec_launch *l)
{
    return !l->async && !l->front;
}
void exec_plan_free(exec_plan *p); /* NULL is fine */

/* Plans the instructions from `pc` on. */
void exec_plan_from(exec_plan *p, uint32_t pc);

/* Plans the one at `pc`, for a plan of exec_step. */
void exec_plan_step(exec_plan *p, uint32_t pc);

/* It, planned. */
static inline exec_op *exec_plan_at(exec_plan *p, uint32_t pc)
{
    exec_op *op = &p->op[pc];

    if (__builtin_expect(!__atomic_load_n(&op->body, __ATOMIC_ACQUIRE), 0))
        exec_plan_step(p, pc);
    return op;
}

/* Operations whose bodies move the program counter themselves. */
enum { EXEC_FLOW = ISA_F_BRANCH | ISA_F_CONVERGE | ISA_F_BARRIER };

#endif
