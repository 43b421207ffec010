/* tests/reference/ref.c - places variables, runs the threads of a launch. */
#include "reference/ref.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/state.h"

enum { TURN = 4096 }; /* instructions of a thread before the next one's turn */

static ref_op *const ops[PTX_OP_COUNT] = {
#define REF_OP(op, fn)   [PTX_##op] = ref_##fn,
#define REF_SAME(op, fn) [PTX_##op] = ref_##fn,
#include "reference/ops.def"
#undef REF_OP
#undef REF_SAME
};

/* ---- failures ---- */

void ref_fail(ref_thread *t, const char *fmt, ...)
{
    ref *r = t->cta->r;
    const ref_frame *f = t->top;
    char what[256];
    va_list ap;

    if (r->failed)
        return;
    r->failed = true;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    uint32_t pc = f && f->pc ? f->pc - 1 : 0;
    snprintf(r->error, sizeof r->error,
             "%s:%u: %s (thread %u,%u,%u of CTA %u,%u,%u)", r->m->file,
             f && f->f->ninsts ? f->f->insts[pc].place.line : 0, what,
             t->index[0], t->index[1], t->index[2], t->cta->id[0],
             t->cta->id[1], t->cta->id[2]);
}

void ref_unknown(ref_thread *t, const ptx_inst *in)
{
    ref_fail(t, "the reference does not know '%s%s'", ptx_op_text(in->op),
             in->mods);
}

/* ---- variables ---- */

static uint64_t align_up(uint64_t v, uint64_t to)
{
    return to ? (v + to - 1) / to * to : v;
}

void ref_map(ref *r, uint64_t addr, void *bytes, uint64_t size)
{
    if (r->nranges == r->room) {
        uint32_t room = r->room ? 2 * r->room : 16;
        ref_range *more = ARENA_ARRAY(r->mem, ref_range, room);
        if (r->nranges)
            memcpy(more, r->ranges, r->nranges * sizeof *more);
        r->ranges = more;
        r->room = room;
    }
    r->ranges[r->nranges++] = (ref_range){addr, size, bytes};
}

/* Extends a space of `*end` bytes by a variable. */
static void add_var(ref *r, const ptx_var *v, uint64_t *end)
{
    *end = align_up(*end, v->align);
    map_put(r->places, (uintptr_t)v, *end);
    *end += v->size;
}

/* A variable of the module, wherever it is declared. */
static void place_var(ref *r, const ptx_var *v)
{
    uint64_t at;

    if (map_get(r->places, (uintptr_t)v, &at))
        return;
    switch (ptx_space_base(v->space)) {
    case PTX_SPACE_GLOBAL:
        at = REF_GLOBAL_BASE + align_up(r->global_bytes, 256);
        r->global_bytes = at - REF_GLOBAL_BASE + v->size + 256;
        map_put(r->places, (uintptr_t)v, at);
        if (v->size)
            ref_map(r, at, arena_alloc(r->mem, v->size), v->size);
        break;
    case PTX_SPACE_CONST:
        add_var(r, v, &r->const_bytes);
        break;
    case PTX_SPACE_SHARED:
        if (!v->unsized)
            add_var(r, v, &r->shared_bytes);
        break;
    case PTX_SPACE_NONE:
    case PTX_SPACE_REG:
    case PTX_SPACE_SREG:
    case PTX_SPACE_LOCAL:
    case PTX_SPACE_PARAM:
    case PTX_SPACE_PARAM_ENTRY:
    case PTX_SPACE_PARAM_FUNC:
    case PTX_SPACE_SHARED_CTA:
    case PTX_SPACE_SHARED_CLUSTER:
    case PTX_SPACE_TEX:
    case PTX_SPACE_COUNT:
        break;
    }
}

/* Arrays x[] of shared memory begin behind all others. */
static void place_unsized(ref *r, const ptx_var *v)
{
    if (ptx_space_base(v->space) == PTX_SPACE_SHARED && v->unsized)
        map_put(r->places, (uintptr_t)v, align_up(r->shared_bytes, 16));
}

static void lay_out_frame(ref *r, const ptx_func *f)
{
    uint64_t end = 0;

    for (uint32_t k = 0; k < f->nparams; k++)
        add_var(r, f->params[k], &end);
    for (uint32_t k = 0; k < f->nrets; k++)
        add_var(r, f->rets[k], &end);
    for (uint32_t k = 0; k < f->nvars; k++) {
        ptx_space space = ptx_space_base(f->vars[k]->space);
        if (space == PTX_SPACE_LOCAL || space == PTX_SPACE_PARAM)
            add_var(r, f->vars[k], &end);
        else
            place_var(r, f->vars[k]);
    }
    map_put(r->frames, (uintptr_t)f, end);
}

/* ---- contents ---- */

static uint8_t *contents(const ref *r, const ptx_var *v)
{
    uint64_t at;

    if (!map_get(r->places, (uintptr_t)v, &at))
        return NULL;
    if (ptx_space_base(v->space) == PTX_SPACE_CONST)
        return r->constants + at;
    if (ptx_space_base(v->space) != PTX_SPACE_GLOBAL)
        return NULL;
    for (uint32_t k = 0; k < r->nranges; k++)
        if (r->ranges[k].addr == at)
            return r->ranges[k].bytes;
    return NULL;
}

static void relocate(const ref *r, const ptx_var *v, uint8_t *to)
{
    for (uint32_t k = 0; k < v->nrelocs; k++) {
        const ptx_reloc *e = &v->relocs[k];
        uint64_t at = 0;
        if (e->func) {
            at = REF_FUNC_BASE + e->func->number;
        } else {
            map_get(r->places, (uintptr_t)e->var, &at);
            at = ref_to_generic(e->generic ? ptx_space_base(e->var->space)
                                           : PTX_SPACE_NONE,
                                at);
        }
        at = (at + (uint64_t)e->addend) & e->mask;
        if (e->mask)
            at >>= __builtin_ctzll(e->mask);
        memcpy(to + e->at, &at, e->size);
    }
}

static void fill(ref *r, const ptx_var *v)
{
    uint8_t *to = contents(r, v);

    if (!to || !v->size || !v->has_init)
        return;
    memcpy(to, v->init, v->init_size < v->size ? v->init_size : v->size);
    relocate(r, v, to);
}

/* All variables that are not of a frame. */
static void each_var(ref *r, void (*what)(ref *r, const ptx_var *v))
{
    for (uint32_t k = 0; k < r->m->nglobals; k++)
        what(r, r->m->globals[k]);
    for (uint32_t k = 0; k < r->m->nfuncs; k++)
        for (uint32_t j = 0; j < r->m->funcs[k]->nvars; j++)
            what(r, r->m->funcs[k]->vars[j]);
}

ref *ref_new(const ptx_module *m)
{
    ref *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->m = m;
    r->mem = arena_new();
    r->places = map_new();
    r->frames = map_new();
    if (!r->mem || !r->places || !r->frames) {
        ref_free(r);
        return NULL;
    }
    for (uint32_t k = 0; k < m->nglobals; k++)
        place_var(r, m->globals[k]);
    for (uint32_t k = 0; k < m->nfuncs; k++)
        lay_out_frame(r, m->funcs[k]);
    each_var(r, place_unsized);
    r->constants = arena_alloc(r->mem, r->const_bytes + 1);
    each_var(r, fill);
    return r;
}

void ref_free(ref *r)
{
    if (!r)
        return;
    arena_free(r->run);
    arena_free(r->mem);
    map_free(r->places);
    map_free(r->frames);
    free(r);
}

uint8_t *ref_variable(ref *r, const char *name, uint64_t *size)
{
    const ptx_var *v = ptx_find_global(r->m, name);

    if (!v)
        return NULL;
    *size = v->size;
    return contents(r, v);
}

bool ref_place(ref *r, const char *name, uint64_t addr)
{
    const ptx_var *v = ptx_find_global(r->m, name);
    uint64_t at;

    if (!v || ptx_space_base(v->space) != PTX_SPACE_GLOBAL ||
        !map_get(r->places, (uintptr_t)v, &at))
        return false;
    for (uint32_t k = 0; k < r->nranges; k++)
        if (r->ranges[k].addr == at)
            r->ranges[k].addr = addr;
    map_put(r->places, (uintptr_t)v, addr);
    each_var(r, fill); /* pointers to it */
    return true;
}

const char *ref_error(const ref *r) { return r->error; }

uint64_t ref_steps(const ref *r) { return r->steps; }

/* ---- threads ---- */

static bool guard_holds(ref_thread *t, const ptx_inst *in)
{
    const ptx_operand p = {
        .kind = PTX_OPD_REG, .reg = in->guard, .negated = in->guard_negated};

    return ref_get_pred(t, &p);
}

static void step(ref_thread *t)
{
    ref_frame *f = t->top;
    const ptx_inst *in;

    if (f->pc >= f->f->ninsts) { /* the end of the body is a return */
        ref_leave(t);
        return;
    }
    in = &f->f->insts[f->pc++];
    t->cta->r->steps++;
    if (in->guarded && !guard_holds(t, in))
        return;
    if (ops[in->op])
        ops[in->op](t, in);
    else
        ref_unknown(t, in);
}

/* Its parameters lie at the start of the frame of a kernel. */
static void give_params(ref_thread *t)
{
    const ref *r = t->cta->r;
    const ptx_func *k = r->kernel;
    uint64_t end = 0, at;

    for (uint32_t n = 0; n < k->nparams; n++) {
        map_get(r->places, (uintptr_t)k->params[n], &at);
        end = at + k->params[n]->size;
    }
    if (end)
        memcpy(t->local, r->l->params, end);
}

static void start_cta(ref_cta *c, ref *r, const uint32_t id[3])
{
    const uint32_t *n = r->l->cta;

    memset(c, 0, sizeof *c);
    c->r = r;
    memcpy(c->id, id, sizeof c->id);
    c->threads = n[0] * n[1] * n[2];
    c->shared_bytes = align_up(r->shared_bytes, 16) + r->l->dynamic;
    c->shared = arena_alloc(r->run, c->shared_bytes + 1);
    c->t = ARENA_ARRAY(r->run, ref_thread, c->threads);
    for (unsigned k = 0; k <= REF_BARRIERS; k++)
        c->arrived[k] = ARENA_ARRAY(r->run, bool, c->threads);
    for (uint32_t k = 0; k < c->threads; k++) {
        ref_thread *t = &c->t[k];
        t->cta = c;
        t->number = k;
        t->lane = k % REF_WARP;
        t->warp = k / REF_WARP;
        t->index[0] = k % n[0];
        t->index[1] = k / n[0] % n[1];
        t->index[2] = k / n[0] / n[1];
        ref_enter(t, r->kernel, NULL);
        give_params(t);
    }
}

static bool too_long(ref *r)
{
    return r->l->max_steps && r->steps > r->l->max_steps;
}

static void run_cta(ref_cta *c)
{
    ref *r = c->r;

    while (!r->failed) {
        bool ran = false, left = false;
        for (uint32_t k = 0; k < c->threads && !r->failed; k++) {
            ref_thread *t = &c->t[k];
            for (unsigned n = TURN; n && t->wait == REF_RUNS && !r->failed;
                 n--) {
                step(t);
                ran = true;
            }
            left |= t->wait != REF_EXITED;
        }
        if (!left)
            return;
        if (too_long(r))
            ref_fail(&c->t[0], "too many steps");
        ran |= ref_release_warps(c);
        ran |= ref_release_barriers(c);
        for (uint32_t k = 0; !ran && k < c->threads; k++)
            if (c->t[k].wait != REF_EXITED)
                ref_fail(&c->t[k], "all threads wait for each other");
    }
}

static const ptx_func *find_kernel(const ptx_module *m, const char *name)
{
    for (uint32_t k = 0; k < m->nfuncs; k++)
        if (m->funcs[k]->entry && (!name || !strcmp(m->funcs[k]->name, name)))
            return m->funcs[k];
    return NULL;
}

bool ref_run(ref *r, const ref_launch *l)
{
    uint32_t id[3];
    ref_cta c;

    r->l = l;
    r->failed = false;
    r->steps = 0;
    r->kernel = find_kernel(r->m, l->kernel);
    if (!r->kernel) {
        snprintf(r->error, sizeof r->error, "there is no such kernel");
        return false;
    }
    for (id[2] = 0; id[2] < l->grid[2]; id[2]++)
        for (id[1] = 0; id[1] < l->grid[1]; id[1]++)
            for (id[0] = 0; id[0] < l->grid[0] && !r->failed; id[0]++) {
                r->run = arena_new();
                if (!r->run)
                    return false;
                start_cta(&c, r, id);
                run_cta(&c);
                arena_free(r->run);
                r->run = NULL;
            }
    return !r->failed;
}
