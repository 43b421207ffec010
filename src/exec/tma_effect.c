/* src/exec/tma_effect.c - bulk copies take effect, see tma.h. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "exec/arrivals.h"
#include "exec/atom.h"
#include "exec/cga.h"
#include "exec/mbarrier.h"
#include "exec/shared_swizzle.h"
#include "exec/tma.h"

/* ---- global memory ---- */

static uint32_t up_to_line(uint64_t at, uint32_t bytes)
{
    uint32_t room = MEM_LINE - (uint32_t)(at % MEM_LINE);

    return bytes < room ? bytes : room;
}

static void fill_outside(exec_tma *t)
{
    uint64_t v = t->tensor ? tensor_outside(&t->map) : 0;
    unsigned size = v ? tensor_bytes(t->map.type) : 1;

    memset(t->data, 0, t->bytes);
    for (uint32_t o = 0; v && o < t->bytes; o += size)
        memcpy(t->data + o, &v, size);
}

void exec_tma_fetch(exec_tma *t, const mem_view *view)
{
    exec_tma_walk k = exec_tma_walk_of(t);
    exec_tma_run run;

    t->data = new_array(t->bytes ? t->bytes : 1, 1);
    if (t->tensor)
        fill_outside(t);
    while (exec_tma_next(t, &k, &run))
        for (uint32_t n, o = 0; run.inside && o < run.bytes; o += n) {
            n = up_to_line(run.global + o, run.bytes - o);
            mem_view_read(view, run.global + o, t->data + run.offset + o, n);
        }
}

/* Element by element, what global memory has being the first operand. */
static void reduce_run(const exec_tma *t, const exec_tma_run *run,
                       mem_view *view)
{
    unsigned size = exec_atom_bytes(t->type);

    for (uint32_t o = 0; o < run->bytes; o += size) {
        uint64_t was = 0, by = 0;

        mem_view_read(view, run->global + o, &was, size);
        memcpy(&by, t->data + run->offset + o, size);
        was = exec_atom_apply(t->op, t->type, was, by, 0, true);
        mem_view_write(view, run->global + o, &was, size);
    }
}

void exec_tma_put(const exec_tma *t, mem_view *view)
{
    exec_tma_walk k = exec_tma_walk_of(t);
    exec_tma_run run;

    while (exec_tma_next(t, &k, &run)) {
        if (run.inside && t->kind == TMA_REDUCE)
            reduce_run(t, &run, view);
        for (uint32_t n, o = 0;
             run.inside && t->kind == TMA_STORE && o < run.bytes; o += n) {
            n = up_to_line(run.global + o, run.bytes - o);
            mem_view_write(view, run.global + o, t->data + run.offset + o, n);
        }
    }
}

/* ---- shared memory ---- */

static void move_shared(const exec_tma *t, uint8_t *shared, uint32_t first,
                        bool in)
{
    uint32_t piece = t->bytes;
    shared_swizzle s = SWIZZLE_NONE;

    if (t->tensor && t->map.swizzle) {
        s = (shared_swizzle)(16u << t->map.swizzle);
        piece = 16;
    }
    for (uint32_t o = 0; o < t->bytes; o += piece) {
        uint8_t *at = shared + shared_swizzled(first + o, s);
        uint32_t n = t->bytes - o < piece ? t->bytes - o : piece;

        memcpy(in ? at : t->data + o, in ? t->data + o : at, n);
    }
}

void exec_tma_take(exec_tma *t, const exec_cta *c)
{
    bool apart = t->kind == TMA_COPY || t->kind == TMA_COMBINE;

    t->data = new_array(t->bytes ? t->bytes : 1, 1);
    move_shared(t, c->shared, apart ? t->from : t->shared, false);
}

static void combine(const exec_tma *t, uint8_t *shared)
{
    unsigned size = exec_atom_bytes(t->type);

    for (uint32_t o = 0; o < t->bytes; o += size) {
        uint64_t was = 0, by = 0;

        memcpy(&was, shared + t->shared + o, size);
        memcpy(&by, t->data + o, size);
        was = exec_atom_apply(t->op, t->type, was, by, 0, false);
        memcpy(shared + t->shared + o, &was, size);
    }
}

exec_fault exec_tma_failed(const exec_tma *t, enum exec_fault_kind kind,
                           unsigned rank)
{
    exec_fault f = t->place;

    f.kind = kind;
    f.why = "the mbarrier is not initialised";
    f.addr = kind == FAULT_BULK ? t->mbarrier : t->shared;
    f.rank = rank;
    return f;
}

bool exec_tma_place(const exec_tma *t, exec_cta *c, exec_fault *fault)
{
    uint64_t was, word, by = (uint64_t)(0u - t->bytes) << 32;

    if (!c || !exec_mbarrier_is_one(c, t->mbarrier)) {
        *fault = exec_tma_failed(t, c ? FAULT_BULK : FAULT_CGA_EXITED,
                                 c ? c->rank : 0);
        return false;
    }
    if (t->kind == TMA_COMBINE)
        combine(t, c->shared);
    else
        move_shared(t, c->shared, t->shared, true);
    memcpy(&was, c->shared + t->mbarrier, 8);
    word = exec_atom_apply(ATOM_ARRIVE, ATYPE_U64, was, by, 0, false);
    exec_arrivals_note(c, t->mbarrier, was, word, by, c->rank, 0);
    memcpy(c->shared + t->mbarrier, &word, 8);
    return true;
}

/* ---- without timing ---- */

static bool place_all(const exec_tma *t, const exec_warp *w, exec_fault *fault)
{
    const exec_cga *g = w->cta->cga;

    for (uint32_t left = t->ranks; left; left &= left - 1) {
        unsigned rank = bits_ctz32(left);

        if (!exec_tma_place(t, g ? g->member[rank] : w->cta, fault)) {
            fault->rank = rank;
            return false;
        }
    }
    return true;
}

static bool perform(exec_tma *t, const exec_warp *w, mem_view *view,
                    exec_fault *fault)
{
    switch (t->kind) {
    case TMA_LOAD:
        exec_tma_fetch(t, view);
        return place_all(t, w, fault);
    case TMA_STORE:
    case TMA_REDUCE:
        exec_tma_take(t, w->cta);
        exec_tma_put(t, view);
        return true;
    case TMA_COPY:
    case TMA_COMBINE:
        exec_tma_take(t, w->cta);
        return place_all(t, w, fault);
    case TMA_PREFETCH:
    case TMA_MAP:
        return true;
    }
    return true;
}

bool exec_tma_at_once(exec_warp *w, const exec_mem *m, mem_view *view,
                      exec_fault *fault)
{
    for (uint32_t left = m->mask; left; left &= left - 1) {
        exec_tma t;

        if (!exec_tma_begin(w, m, bits_ctz32(left), view, &t, fault))
            return false;
        bool ok = perform(&t, w, view, fault);
        free(t.data);
        if (!ok)
            return false;
    }
    return true;
}
