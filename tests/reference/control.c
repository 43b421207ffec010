/* tests/reference/control.c - branches, calls and barriers of the CTA
 * [PTX85:control-flow-instructions] [PTX85:barrier]. */
#include <string.h>

#include "reference/state.h"

void ref_nothing(ref_thread *t, const ptx_inst *in)
{
    (void)t;
    (void)in;
}

/* The rank of the only CTA of a cluster; a policy that nothing heeds. */
void ref_zero(ref_thread *t, const ptx_inst *in)
{
    ref_put_all(t, &in->ops[0], 0);
}

/* The same address in another CTA of the cluster: there is one. */
void ref_mapa(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);

    ref_put(t, &in->ops[0], type, ref_get(t, &in->ops[1], type));
}

void ref_bra(ref_thread *t, const ptx_inst *in)
{
    t->top->pc = in->ops[0].label->inst;
}

void ref_brx(ref_thread *t, const ptx_inst *in)
{
    uint32_t n = ref_get_u32(t, &in->ops[0]);
    const ptx_table *table = in->ops[1].table;

    if (n >= table->count)
        ref_fail(t, "brx.idx: there is no target %u", n);
    else
        t->top->pc = table->labels[n]->inst;
}

void ref_exit(ref_thread *t, const ptx_inst *in)
{
    (void)in;
    t->wait = REF_EXITED;
}

void ref_trap(ref_thread *t, const ptx_inst *in)
{
    (void)in;
    ref_fail(t, "trap");
}

void ref_ret(ref_thread *t, const ptx_inst *in)
{
    (void)in;
    ref_leave(t);
}

/* ---- calls ---- */

enum { MOST_LOCAL = 1 << 22 }; /* bytes of a thread: endless recursion */

static bool grow(ref_thread *t, uint32_t need)
{
    uint32_t room = t->local_room ? t->local_room : 256;
    uint8_t *more;

    if (need > MOST_LOCAL) {
        ref_fail(t, "the thread uses too much local memory");
        return false;
    }
    if (need <= t->local_room)
        return true;
    while (room < need)
        room *= 2;
    more = arena_alloc(t->cta->r->run, room);
    if (t->local_room)
        memcpy(more, t->local, t->local_room);
    t->local = more;
    t->local_room = room;
    return true;
}

void ref_enter(ref_thread *t, const ptx_func *f, const ptx_call *call)
{
    ref *r = t->cta->r;
    ref_frame *n = ARENA_NEW(r->run, ref_frame);
    uint64_t bytes = 0;

    map_get(r->frames, (uintptr_t)f, &bytes);
    n->f = f;
    n->up = t->top;
    n->call = call;
    n->reg = ARENA_ARRAY(r->run, ref_bits, f->nregs + 1);
    n->written = ARENA_ARRAY(r->run, bool, f->nregs + 1);
    n->base = t->top ? (t->top->end + 15) & ~15u : 0;
    n->end = n->base + (uint32_t)bytes;
    if (grow(t, n->end))
        t->top = n;
}

/* Bytes of the frame's own, until the function returns; the address is one of
 * local memory. */
void ref_alloca(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    uint64_t size = ref_get(t, &in->ops[1], type), at = t->top->end;
    uint64_t align = in->nops > 2 ? (uint64_t)in->ops[2].imm : 8;

    at = (at + align - 1) / align * align;
    if (size > MOST_LOCAL || !grow(t, (uint32_t)(at + size)))
        return;
    t->top->end = (uint32_t)(at + size);
    ref_put(t, &in->ops[0], type, at);
}

void ref_stack(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);

    if (in->op == PTX_STACKSAVE)
        ref_put(t, &in->ops[0], type, t->top->end);
    else
        t->top->end = (uint32_t)ref_get(t, &in->ops[0], type);
}

static uint32_t place(const ref *r, const ptx_var *v)
{
    uint64_t at = 0;

    map_get(r->places, (uintptr_t)v, &at);
    return (uint32_t)at;
}

/* One argument from the frame of the caller to that of the callee, or one
 * result the other way (`back`). `o` is the caller's operand. */
static void hand_over(ref_thread *t, ref_frame *from, ref_frame *to,
                      const ptx_operand *o, const ptx_var *v, bool back)
{
    const ref *r = t->cta->r;
    ref_frame *caller = back ? to : from, *callee = back ? from : to;
    ref_frame *was = t->top;
    ref_bits value = 0;

    if (o->kind == PTX_OPD_SINK)
        return;
    if (o->kind == PTX_OPD_SYM && v->reg == PTX_NO_REG) {
        uint8_t *x = t->local + caller->base + place(r, o->var);
        uint8_t *y = t->local + callee->base + place(r, v);
        memcpy(back ? x : y, back ? y : x, v->size);
        return;
    }
    if (o->kind == PTX_OPD_SYM || v->size > sizeof value) {
        ref_fail(t, "an argument of a kind that the reference does not know");
        return;
    }
    uint8_t *p = t->local + callee->base + place(r, v);
    if (back) {
        if (v->reg != PTX_NO_REG)
            value = callee->reg[v->reg];
        else
            memcpy(&value, p, v->size);
        t->top = caller;
        ref_put_all(t, o, value);
    } else {
        t->top = caller;
        value = ref_get_all(t, o, v->type);
        if (v->reg != PTX_NO_REG) {
            t->top = callee;
            ref_put_all(t, &(ptx_operand){.kind = PTX_OPD_REG, .reg = v->reg},
                        value);
        } else {
            memcpy(p, &value, v->size);
        }
    }
    t->top = was;
}

static const ptx_func *target(ref_thread *t, const ptx_call *c)
{
    const ptx_module *m = t->cta->r->m;
    const ptx_func *f = c->func;

    if (!f) {
        uint64_t n = ref_get(t, &c->target, PTX_TYPE_U64) - REF_FUNC_BASE;
        f = n < m->nfuncs ? m->funcs[n] : NULL;
    }
    return f && f->alias_of ? f->alias_of : f;
}

void ref_call(ref_thread *t, const ptx_inst *in)
{
    const ptx_call *c = in->call;
    const ptx_func *f = target(t, c);
    ref_frame *from = t->top;

    if (!f || !f->has_body || f->nparams != c->nargs || f->nrets != c->nrets) {
        ref_fail(t,
                 f ? "a call of '%s', which has no body or other arguments"
                   : "a call of no function%s",
                 f ? f->name : "");
        return;
    }
    ref_enter(t, f, c);
    for (uint32_t k = 0; t->top != from && k < f->nparams; k++)
        hand_over(t, from, t->top, &c->args[k], f->params[k], false);
}

void ref_leave(ref_thread *t)
{
    ref_frame *from = t->top, *to = from->up;

    if (!to) {
        t->wait = REF_EXITED;
        return;
    }
    for (uint32_t k = 0; k < from->f->nrets; k++)
        hand_over(t, from, to, &from->call->rets[k], from->f->rets[k], true);
    t->top = to;
}

/* ---- barriers ---- */

static bool is_red(const ptx_inst *in) { return ptx_has_sub(in, PTX_SUB_RED); }

static void arrive(ref_thread *t, const ptx_inst *in, bool goes_on)
{
    t->cta->arrived[t->bar][t->number] = true;
    t->cta->expected[t->bar] = t->count;
    if (!goes_on) {
        t->wait = REF_AT_BARRIER;
        t->at = in;
    }
}

/* [barrier[, count]]; of a reduction d, barrier, [count,] p. */
void ref_bar(ref_thread *t, const ptx_inst *in)
{
    const ptx_operand *o = in->ops;
    unsigned left = in->nops;

    if (ptx_has_sub(in, PTX_SUB_WARP)) {
        ref_wait_warp(t, in, ref_get_u32(t, &in->ops[0]));
        return;
    }
    if (in->scope == PTX_SCOPE_CLUSTER) { /* one CTA: a barrier of its own */
        t->bar = REF_BARRIERS;
        t->count = 0;
        arrive(t, in, ptx_has_sub(in, PTX_SUB_ARRIVE));
        return;
    }
    t->vote = false;
    if (is_red(in)) {
        t->vote = ref_get_pred(t, &in->ops[--left]);
        o++;
        left--;
    }
    t->bar = left ? ref_get_u32(t, o) : 0;
    t->count = left > 1 ? ref_get_u32(t, o + 1) : 0;
    if (t->bar >= REF_BARRIERS) {
        ref_fail(t, "there is no barrier %u", t->bar);
        return;
    }
    arrive(t, in, ptx_has_sub(in, PTX_SUB_ARRIVE));
}

/* Whether enough threads have arrived. Counts are of whole warps; exited
 * threads are not waited for. */
static bool complete(const ref_cta *c, unsigned bar)
{
    bool any = false, all = true;
    uint32_t warps = 0;

    for (uint32_t first = 0; first < c->threads; first += REF_WARP) {
        bool here = false, missing = false;
        for (uint32_t k = first; k < first + REF_WARP && k < c->threads; k++) {
            here |= c->arrived[bar][k];
            missing |= !c->arrived[bar][k] && c->t[k].wait != REF_EXITED;
        }
        any |= here;
        all &= !missing;
        warps += here && !missing;
    }
    return c->expected[bar] ? warps * REF_WARP >= c->expected[bar] : any && all;
}

static void give_result(ref_thread *t, uint32_t voted, uint32_t waiting)
{
    const ptx_inst *in = t->at;

    if (ptx_has_sub(in, PTX_SUB_POPC))
        ref_put(t, &in->ops[0], PTX_TYPE_U32, voted);
    else
        ref_put_pred(t, &in->ops[0],
                     ptx_has_sub(in, PTX_SUB_AND) ? voted == waiting
                                                  : voted != 0);
}

bool ref_release_barriers(ref_cta *c)
{
    bool released = false;

    for (unsigned bar = 0; bar <= REF_BARRIERS; bar++) {
        uint32_t voted = 0, waiting = 0;
        if (!complete(c, bar))
            continue;
        for (uint32_t k = 0; k < c->threads; k++)
            if (c->t[k].wait == REF_AT_BARRIER && c->t[k].bar == bar) {
                waiting++;
                voted += c->t[k].vote;
            }
        for (uint32_t k = 0; k < c->threads; k++) {
            ref_thread *t = &c->t[k];
            if (t->wait != REF_AT_BARRIER || t->bar != bar)
                continue;
            t->wait = REF_RUNS;
            if (is_red(t->at))
                give_result(t, voted, waiting);
        }
        memset(c->arrived[bar], 0, c->threads);
        released = true;
    }
    return released;
}
