/* src/exec/turn.c - many instructions of one warp, by its plan: what exec_step
 * does, without what is the same between two branches. Compiled once per level,
 * see exec/sem/sem.h. */
#include "base/bits.h"
#include "exec/sem/sem.h"

/* Lanes of `active` for which `op` executes. */
static inline uint32_t guarded(const exec_warp *w, const exec_op *op,
                               uint32_t active)
{
    unsigned guard = op->in->guard, p = guard & 7, flip = guard >> 3;

    if (op->guard == GUARD_LANES)
        return active & (w->pred[p] ^ -flip);
    return (w->upred >> p ^ flip) & 1 ? active : 0;
}

/* The instructions of `op` and behind it, `n` of them, none of which moves the
 * pc or changes the active lanes; how many it has executed. The clock stands at
 * the one before. */
static inline uint32_t run_straight(sem *x, exec_turn *t, exec_op *op,
                                    uint32_t n)
{
    exec_warp *w = x->w;
    uint32_t active = w->simt.active, all = bits_popcount32(active), mask;
    const exec_op *first = op, *end = op + n;
    uint64_t idle = 0;

    do {
        w->clock++;
        mask = active;
        if (op->guard != GUARD_NONE) {
            mask = guarded(w, op, active);
            idle += all - bits_popcount32(mask);
        }
        if (mask) {
            x->in = op->in;
            x->op = op;
            x->mask = mask;
            op->once(x);
            if (x->result != EXEC_DONE)
                break;
        }
        w->simt.pc++;
    } while (++op < end);
    if (op < end) {
        op++;
        w->simt.pc += x->result != EXEC_FAULT;
    }
    w->ran = mask;
    n = (uint32_t)(op - first);
    t->lanes += (uint64_t)all * n - idle;
    return n;
}

/* One that moves the pc. */
static inline void run_flow(sem *x, exec_turn *t, exec_op *op)
{
    exec_warp *w = x->w;
    uint32_t mask = w->simt.active;

    if (op->guard != GUARD_NONE)
        mask = guarded(w, op, mask);
    w->clock++;
    w->ran = mask;
    t->lanes += bits_popcount32(mask);
    if (!mask) {
        w->simt.pc++;
        return;
    }
    x->in = op->in;
    x->op = op;
    x->mask = mask;
    op->body(x);
}

exec_result sem_run(exec_warp *w, exec_turn *t)
{
    exec_plan *p = w->plan;
    sem x = {.w = w,
             .reg = (uintptr_t)w->reg,
             .result = EXEC_DONE,
             .mem = t->mem,
             .bar = t->bar,
             .fault = t->fault,
             .image = mem_view_image(t->view)};

    x.to_host = (uintptr_t)mem_host(x.image, MEM_BASE) - MEM_BASE;
    t->insts = 0;
    t->lanes = 0;
    w->clock = t->clock - 1;
    while (x.result == EXEC_DONE && t->insts < t->most) {
        uint32_t pc = w->simt.pc, left = t->most - t->insts;

        if (!w->simt.active || pc >= w->code_count) {
            w->clock++;
            x.result = exec_step(w, t->mem, t->bar, t->fault);
            t->insts++;
            t->lanes += bits_popcount32(w->ran);
            t->pc = pc;
            return x.result;
        }
        exec_op *op = &p->op[pc];
        if (!op->body)
            exec_plan_from(p, pc);
        if (!op->straight) {
            run_flow(&x, t, op);
            t->insts++;
            t->pc = pc;
            w->executed++;
            continue;
        }
        uint32_t done =
            run_straight(&x, t, op, op->straight < left ? op->straight : left);
        t->insts += done;
        t->pc = pc + done - 1;
        w->executed += done;
    }
    return x.result;
}
