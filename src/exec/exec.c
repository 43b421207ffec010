/* src/exec/exec.c - one instruction of one warp. */
#include "exec/exec.h"

#include <string.h>

#include "base/bits.h"
#include "base/must.h"
#include "exec/arrivals.h"
#include "exec/async.h"
#include "exec/fault.h"
#include "exec/front.h"
#include "exec/level.h"
#include "exec/pool.h"
#include "exec/sem/sem.h"

const uint32_t exec_zero[2 * ISA_WARP];
const uint32_t exec_lane_bit[ISA_WARP] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,
    1u << 7,  1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13,
    1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20,
    1u << 21, 1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27,
    1u << 28, 1u << 29, 1u << 30, 1u << 31};

void exec_thread(const uint32_t block[3], uint32_t t, uint32_t thread[3])
{
    thread[0] = t % block[0];
    thread[1] = t / block[0] % block[1];
    thread[2] = t / block[0] / block[1];
}

void exec_host_enter(fenv_t *saved)
{
    fegetenv(saved);
    fesetenv(FE_DFL_ENV);
}

void exec_host_leave(const fenv_t *saved) { fesetenv(saved); }

/* The lanes of a warp that have a thread. */
static uint32_t lanes_of(const exec_cta *c, uint32_t warp)
{
    uint32_t first = warp * ISA_WARP, count = c->launch->threads - first;
    uint32_t lanes = count >= ISA_WARP ? UINT32_MAX : (1u << count) - 1;

    MUST(first < c->launch->threads);
    for (uint32_t left = c->partial ? lanes : 0; left; left &= left - 1) {
        uint32_t thread[3];

        exec_thread(c->launch->block, first + bits_ctz32(left), thread);
        if (thread[0] >= c->extent[0] || thread[1] >= c->extent[1] ||
            thread[2] >= c->extent[2])
            lanes &= ~(left & -left);
    }
    return lanes;
}

uint64_t exec_cta_start(exec_cta *c)
{
    const exec_launch *l = c->launch;
    uint64_t warps = bits_mask64(l->warps);

    c->partial = false;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t from = (uint64_t)c->id[i] * l->block[i];

        c->extent[i] = l->block[i];
        if (!l->size[i] || l->size[i] - from >= l->block[i])
            continue;
        c->extent[i] = l->size[i] - (uint32_t)from;
        c->partial = true;
    }
    for (uint32_t i = 0; c->partial && i < l->warps; i++)
        if (!lanes_of(c, i))
            warps &= ~((uint64_t)1 << i);
    if (l->front)
        warps &= l->front->begin(l->front, c);
    c->live_warps = bits_popcount64(warps);
    c->pool = 0;
    return warps;
}

void exec_cta_end(exec_cta *c)
{
    exec_arrivals_free(c);
    if (c->traced)
        c->launch->front->end(c);
    c->traced = NULL;
}

void exec_warp_start(exec_warp *w)
{
    const exec_launch *l = w->cta->launch;

    if (l->kernel->registers)
        memset(w->reg, 0, l->kernel->registers * sizeof *w->reg);
    memset(w->pred, 0, sizeof w->pred);
    w->pred[ISA_PT] = UINT32_MAX;
    memset(w->ureg, 0, sizeof w->ureg);
    w->upred = 1u << ISA_PT;
    w->code = l->kernel->code;
    w->code_count = l->kernel->code_count;
    w->ops = exec_ops_best();
    w->plan = NULL;
    if (l->async)
        exec_async_start(w);
    w->clock = w->executed = 0;
    w->ran = 0;
    w->hint = 0;
    w->cga_lanes = w->groups = 0;
    exec_pool_start(w);
    simt_start(&w->simt, l->arch, lanes_of(w->cta, w->index));
    if (l->front) {
        w->code_count = 0;
        w->ops = &exec_ops_none;
        l->front->start(w);
    }
}

/* The lanes for which an instruction executes: all that are active, or none, of
 * the uniform datapath. */
static inline uint32_t guard_of(const exec_warp *w, const isa_inst *in)
{
    if (__builtin_expect(isa_guard_uniform(in), 0))
        return -((w->upred >> (in->guard & 7) ^ in->guard >> 3) & 1u);
    return w->pred[in->guard & 7] ^ -(uint32_t)(in->guard >> 3);
}

/* The warp stands at no instruction of its code. */
static __attribute__((noinline, cold)) exec_result
step_elsewhere(exec_warp *w, exec_mem *mem, exec_bar *bar, exec_fault *fault)
{
    const exec_front *front = w->cta->launch->front;
    const simt *s = &w->simt;

    if (front)
        return front->step(w, mem, bar, fault);
    if (!s->active)
        return s->live ? EXEC_BLOCKED : EXEC_EXIT;
    *fault = exec_fault_at(w, FAULT_PC, s->active);
    return EXEC_FAULT;
}

exec_result exec_step(exec_warp *w, exec_mem *mem, exec_bar *bar,
                      exec_fault *fault)
{
    simt *s = &w->simt;

    if (!s->active || s->pc >= w->code_count)
        return step_elsewhere(w, mem, bar, fault);
    const isa_inst *in = &w->code[s->pc];
    exec_body *body = w->ops->body[in->op];
    exec_op *op = &exec_op_bare;

    if (w->plan && w->plan->steps) {
        op = exec_plan_at(w->plan, s->pc);
        body = op->once;
    }
    sem x = {
        .w = w,
        .in = in,
        .op = op,
        .reg = (uintptr_t)w->reg,
        .mask = s->active & guard_of(w, in),
        .result = EXEC_DONE,
        .mem = mem,
        .bar = bar,
        .fault = fault,
    };
    w->executed++;
    w->ran = x.mask;
    if (!x.mask) {
        s->pc++;
        return EXEC_DONE;
    }
    body(&x);
    if (!(in->flags & EXEC_FLOW) && x.result != EXEC_FAULT)
        s->pc++;
    return x.result;
}

void exec_skip(exec_warp *w)
{
    const isa_inst *in = &w->code[w->simt.pc];

    MUST(!w->simt.active && w->simt.pc < w->code_count);
    w->ran = 0;
    if (in->op == ISA_SSY && in->guard == ISA_PT)
        simt_ssy(&w->simt, in->val[0]); /* warps with active lanes report a
                                           failure */
    else
        simt_next(&w->simt);
    if (simt_aside(&w->simt) == w->simt.pc)
        simt_come_back(&w->simt);
}

exec_result exec_run(exec_warp *w, exec_turn *t)
{
    return w->plan->ops->run(w, t);
}

bool exec_mem_perform(exec_warp *w, exec_mem *m, unsigned spaces,
                      mem_view *view, exec_fault *fault)
{
    return w->ops->perform(w, m, spaces, view, fault);
}

bool exec_mem_begin(exec_warp *w, exec_mem *m, mem_view *view,
                    exec_fault *fault)
{
    return w->ops->begin(w, m, view, fault);
}

void exec_mem_part(exec_warp *w, const exec_mem *m, enum exec_space space,
                   const uint32_t words[4], mem_view *view)
{
    w->ops->part(w, m, space, words, view);
}

bool exec_mem_check(exec_warp *w, exec_mem *m, const mem_view *view,
                    exec_fault *fault)
{
    return w->ops->check(w, m, view, fault);
}

void exec_bar_result(exec_warp *w, const exec_bar *bar, uint32_t value)
{
    uint32_t row[ISA_WARP];

    w->reduced = value;
    if (bar->pdst != ISA_PT)
        w->pred[bar->pdst] =
            (w->pred[bar->pdst] & ~bar->lanes) | (value ? bar->lanes : 0);
    if (bar->dst == ISA_RZ)
        return;
    for (unsigned l = 0; l < ISA_WARP; l++)
        row[l] = bar->lanes >> l & 1 ? value : w->reg[bar->dst][l];
    memcpy(w->reg[bar->dst], row, sizeof row);
}
