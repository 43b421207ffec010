/* src/codegen/opt/widen.c - loads of one block that lie side by side become one
 * of 64 or 128 bits, where its address is aligned for certain; two of the same
 * place become one. What is between them may not write there. Of shared memory
 * and constants: addresses in global memory are of the program's making, so
 * nothing is known of them. */
#include "codegen/flow/align.h"
#include "codegen/ir/access.h"
#include "codegen/ir/build.h"
#include "codegen/ir/defuse.h"
#include "codegen/ir/pass.h"

/* Operations between the first and the last that are joined: a value that comes
 * much too early takes a register. */
enum { LOOK_AHEAD = 64, LOADS = 16, WIDEST = 16, WORD = 4 };

typedef struct widen {
    cg_func *f;
    cg_defuse *d;
    cg_align *align;
    /* Those that can run where the first of them does, that one ahead. */
    cg_inst *load[LOADS];
    unsigned count;
} widen;

/* Its value is there wherever the load may move to, and nowhere else. */
static bool is_movable(const widen *w, const cg_inst *in)
{
    if (in->op != ISA_LDS && in->op != ISA_LDC)
        return false;
    if (CG_GET(in, SIZE) > SIZE_64 || cg_is_ordered_access(in) ||
        in->guard.reg || in->guard.neg || !in->dst.reg)
        return false;
    for (unsigned k = 0; k < cg_dst_words(in); k++)
        if (!cg_du_of(w->d, in->dst.reg, in->dst.off + k)->ssa)
            return false;
    return true;
}

static bool is_beside(const cg_inst *a, const cg_inst *b)
{
    enum { SIZE_MASK = ((1u << MOD_SIZE_WIDTH) - 1) << MOD_SIZE_SHIFT };

    return a->op == b->op && !((a->mod ^ b->mod) & ~(uint32_t)SIZE_MASK) &&
           a->src[0].kind == b->src[0].kind && a->src[0].reg == b->src[0].reg &&
           a->src[0].off == b->src[0].off &&
           a->lut == b->lut; /* the bank of constants */
}

static bool writes_base(const cg_inst *in, const cg_src *base)
{
    return base->reg && in->dst.reg == base->reg &&
           base->off - (unsigned)in->dst.off < cg_dst_words(in);
}

/* Loads behind `first` that can run at its place. */
static void collect_loads(widen *w, cg_inst *first)
{
    const cg_inst *store[LOOK_AHEAD];
    unsigned stores = 0, steps = 0;
    cg_inst *x = first->next;

    w->load[0] = first;
    w->count = 1;
    for (; x && steps++ < LOOK_AHEAD && w->count < LOADS; x = x->next) {
        bool free = is_movable(w, x) && is_beside(first, x);

        for (unsigned i = 0; i < stores && free; i++)
            free = cg_accesses_apart(store[i], x);
        if (free)
            w->load[w->count++] = x;
        if (cg_is_call(x) || writes_base(x, &first->src[0]) ||
            (first->op != ISA_LDC &&
             (cg_orders_memory(x) || cg_is_ordered_access(x))))
            return;
        if (first->op != ISA_LDC && cg_is_access(x) &&
            cg_flags(x) & ISA_F_STORE)
            store[stores++] = x;
    }
}

/* The load of the word at that offset of the base; NULL: there is none. */
static cg_inst *load_of(const widen *w, int64_t at)
{
    for (unsigned i = 0; i < w->count; i++) {
        int64_t from = w->load[i]->src[0].val;

        if (at >= from && at < from + cg_access_bytes(w->load[i]))
            return w->load[i];
    }
    return NULL;
}

/* Are all words of those bytes loaded, by loads that lie within them? */
static bool is_covered(const widen *w, int64_t at, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i += WORD) {
        const cg_inst *in = load_of(w, at + i);

        if (!in || in->src[0].val < at ||
            in->src[0].val + cg_access_bytes(in) > at + bytes)
            return false;
    }
    return true;
}

/* What `load` loads is in `from`, from that word on: it is gone. */
static void put_words(cg_build *b, cg_inst *load, vreg from, unsigned word)
{
    for (unsigned k = 0; k < cg_dst_words(load); k++)
        cb_to(b, ISA_MOV, cb_dstw(load->dst.reg, load->dst.off + k), cb_none(),
              cg_rw(from, word + k), cb_none());
    cg_remove(load);
}

/* The load of those bytes, ahead of `first`. */
static cg_inst *replace_loads(widen *w, cg_inst *first, int64_t at,
                              unsigned bytes)
{
    cg_inst *wide = cg_inst_copy(w->f, first);
    vreg to = cg_reg_new(w->f, cg_class_of_words(bytes / WORD));
    cg_build b = cb_before(w->f, first);

    wide->dst = cb_dst(to);
    wide->src[0].val = at;
    CG_PUT(wide, SIZE, bytes == WIDEST ? SIZE_128 : SIZE_64);
    cg_insert_before(wide, first);
    for (unsigned i = w->count; i--;) { /* `first`, the place, is the last */
        cg_inst *in = w->load[i];

        if (in->src[0].val >= at &&
            in->src[0].val + cg_access_bytes(in) <= at + bytes)
            put_words(&b, in, to, (unsigned)(in->src[0].val - at) / WORD);
    }
    return wide;
}

/* The most that a load brings: of constants 64 bits from Volta on
 * [PTXAS11:ldc]. */
static unsigned widest(const widen *w, const cg_inst *in)
{
    return in->op == ISA_LDC && w->f->opt->arch >= ARCH_VOLTA ? 8 : WIDEST;
}

/* A wider load that `first` has become part of; NULL: none. */
static cg_inst *join_at(widen *w, cg_inst *first)
{
    cg_src base = first->src[0];
    int64_t from = base.val;
    unsigned zeros;

    base.val = 0;
    zeros = cg_align_of(w->align, &base);
    for (unsigned bytes = widest(w, first); bytes > cg_access_bytes(first);
         bytes /= 2) {
        int64_t at = from & -(int64_t)bytes;

        if ((uint64_t)1 << zeros >= bytes && is_covered(w, at, bytes))
            return replace_loads(w, first, at, bytes);
    }
    return NULL;
}

/* Loads of just what `first` loads are gone; true: there were any. */
static bool drop_same(widen *w, const cg_inst *first)
{
    unsigned were = w->count;

    for (unsigned i = 1; i < w->count;) {
        cg_inst *in = w->load[i];
        cg_build b = cb_before(w->f, in);

        if (in->src[0].val != first->src[0].val || in->mod != first->mod) {
            i++;
            continue;
        }
        put_words(&b, in, first->dst.reg, first->dst.off);
        w->load[i] = w->load[--w->count];
    }
    return w->count < were;
}

static bool widen_block(widen *w, cg_block *b)
{
    bool changed = false;

    for (cg_inst *in = b->first; in; in = in->next) {
        cg_inst *wide;

        if (!is_movable(w, in))
            continue;
        collect_loads(w, in);
        changed |= drop_same(w, in);
        wide = w->count > 1 ? join_at(w, in) : NULL;
        changed |= wide != NULL;
        in = wide ? wide : in;
    }
    return changed;
}

bool cg_widen(cg_func *f)
{
    arena *a = arena_new();
    widen w = {.f = f, .d = cg_defuse_new(a, f), .align = cg_align_new(a, f)};
    bool changed = false;

    for (uint32_t i = 0; i < f->nblocks; i++)
        changed |= widen_block(&w, f->blocks[i]);
    arena_free(a);
    return changed;
}
