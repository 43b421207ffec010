#include "exec/plan.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "exec/sem/sem.h"

enum { BLOCK_PAIRS = 31, FIRST_ROOM = 64, ROW_ALIGN = 64 };

/* A block of pairs of rows that are the same in all lanes. */
struct plan_rows {
    struct plan_rows *before;
    uint32_t used;
    _Alignas(ROW_ALIGN) uint32_t pair[BLOCK_PAIRS][2][ISA_WARP];
};

exec_op exec_op_bare;

exec_plan *exec_plan_new(const exec_launch *l, const exec_ops *ops,
                         const mem_view *view)
{
    exec_plan *p = new0(1, sizeof *p);

    p->launch = l;
    p->ops = ops;
    p->told = mem_view_touched(view) != NULL;
    p->op = new0(l->kernel->code_count, sizeof *p->op);
    return p;
}

exec_plan *exec_plan_new_stopped(const exec_launch *l, const exec_ops *ops,
                                 const mem_view *view,
                                 bool (*stops)(const isa_inst *in))
{
    exec_plan *p = exec_plan_new(l, ops, view);

    p->stops = stops;
    return p;
}

void exec_plan_tell(exec_plan *p) { p->seen = true; }

exec_plan *exec_plan_new_steps(const exec_launch *l, const exec_ops *ops)
{
    exec_plan *p = new0(1, sizeof *p);

    p->launch = l;
    p->ops = ops;
    p->steps = true;
    p->op = new0(l->kernel->code_count, sizeof *p->op);
    MUST(!pthread_mutex_init(&p->lock, NULL));
    return p;
}

void exec_plan_free(exec_plan *p)
{
    if (!p)
        return;
    for (struct plan_rows *r = p->rows, *before; r; r = before) {
        before = r->before;
        free(r);
    }
    if (p->steps)
        pthread_mutex_destroy(&p->lock);
    free(p->pairs);
    free(p->values);
    free(p->op);
    free(p);
}

/* ---- rows ---- */

static uint32_t slot_of(const exec_plan *p, uint64_t value)
{
    uint32_t i = (uint32_t)(value * 0x9e3779b97f4a7c15u >> 32);

    for (i &= p->room - 1; p->pairs[i] && p->values[i] != value;)
        i = (i + 1) & (p->room - 1);
    return i;
}

static void grow_table(exec_plan *p)
{
    exec_plan old = *p;

    p->room = old.room ? 2 * old.room : FIRST_ROOM;
    p->values = new0(p->room, sizeof *p->values);
    p->pairs = new0(p->room, sizeof *p->pairs);
    for (uint32_t i = 0; i < old.room; i++) {
        if (!old.pairs[i])
            continue;
        uint32_t to = slot_of(p, old.values[i]);

        p->values[to] = old.values[i];
        p->pairs[to] = old.pairs[i];
    }
    free(old.values);
    free(old.pairs);
}

/* The rows of the words of `value`. */
static const uint32_t *pair_of(exec_plan *p, uint64_t value)
{
    if (2 * p->count >= p->room)
        grow_table(p);
    uint32_t slot = slot_of(p, value);

    if (p->pairs[slot])
        return p->pairs[slot][0];
    if (!p->rows || p->rows->used == BLOCK_PAIRS) {
        struct plan_rows *r = new_aligned(ROW_ALIGN, sizeof *r);

        r->before = p->rows;
        p->rows = r;
    }
    uint32_t(*pair)[ISA_WARP] = p->rows->pair[p->rows->used++];

    LANES(l)
    {
        pair[0][l] = (uint32_t)value;
        pair[1][l] = (uint32_t)(value >> 32);
    }
    p->values[slot] = value;
    p->pairs[slot] = pair;
    p->count++;
    return pair[0];
}

/* ---- operands ---- */

/* 64 bits of a constant bank. False: they are not all there. */
static bool read_constant(const exec_launch *l, uint32_t val, uint64_t *v)
{
    uint32_t bank = val >> 16, at = val & 0xffff;

    if (bank >= CBANKS || !l->cbank[bank] || at + sizeof *v > CBANK_BYTES)
        return false;
    memcpy(v, l->cbank[bank] + at, sizeof *v);
    return true;
}

static exec_src source_of(exec_plan *p, const isa_inst *in, unsigned i)
{
    const exec_src look = {0};
    uint64_t v;

    if (in->src_mod[i])
        return look;
    switch (in->src_kind[i]) {
    case SRC_REG:
    case SRC_NONE:
        if (in->src[i] == ISA_RZ)
            return (exec_src){.at = (uintptr_t)exec_zero};
        return (exec_src){.at = in->src[i] * sizeof(uint32_t[ISA_WARP]),
                          .of_warp = UINTPTR_MAX};
    case SRC_IMM:
        v = (uint64_t)(int64_t)(int32_t)in->val[i];
        break;
    case SRC_CONST:
        if (!read_constant(p->launch, in->val[i], &v))
            return look;
        break;
    default:
        return look;
    }
    return (exec_src){.at = (uintptr_t)pair_of(p, v)};
}

/* Bodies that perform their access tell nobody what they write, or read. */
static bool performs_once(const exec_plan *p, const isa_inst *in)
{
    bool told = p->seen || (p->told && in->flags & ISA_F_STORE);

    return !p->steps && !(told && in->flags & ISA_F_GLOBAL);
}

static void stop(sem *x) { x->result = EXEC_BLOCKED; }

/* All but `body`, by which others see that it is planned. */
static exec_body *plan_inst(exec_plan *p, uint32_t pc)
{
    exec_op *op = &p->op[pc];
    const isa_inst *in = &p->launch->kernel->code[pc];

    op->in = in;
    op->to = in->dst * (uint32_t)sizeof(uint32_t[ISA_WARP]);
    for (unsigned i = 0; i < 3; i++)
        op->src[i] = source_of(p, in, i);
    op->once = performs_once(p, in) ? p->ops->once(in, p->launch) : NULL;
    if (!op->once)
        op->once = p->ops->plain(op);
    if (!op->once)
        op->once = p->ops->body[in->op];
    op->guard = isa_guard_uniform(in) ? GUARD_UNIFORM
                : in->guard == ISA_PT ? GUARD_NONE
                                      : GUARD_LANES;
    return p->ops->body[in->op];
}

void exec_plan_step(exec_plan *p, uint32_t pc)
{
    exec_op *op = &p->op[pc];

    pthread_mutex_lock(&p->lock);
    if (!op->body)
        __atomic_store_n(&op->body, plan_inst(p, pc), __ATOMIC_RELEASE);
    pthread_mutex_unlock(&p->lock);
}

void exec_plan_from(exec_plan *p, uint32_t pc)
{
    uint32_t end = pc, straight = 0;

    for (; end < p->launch->kernel->code_count && !p->op[end].body; end++) {
        p->op[end].body = plan_inst(p, end);
        if (p->stops && p->stops(p->op[end].in)) {
            p->op[end].body = stop;
            break;
        }
        if (p->op[end].in->flags & EXEC_FLOW)
            break;
    }
    if (end < p->launch->kernel->code_count)
        straight = p->op[end].straight;
    while (end-- > pc)
        p->op[end].straight = ++straight;
}
