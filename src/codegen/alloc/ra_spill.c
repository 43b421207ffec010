/* src/codegen/alloc/ra_spill.c - registers that found no place: they live on
 * the stack, each use has a short-lived copy. Constants, special registers and
 * sums of a register and a constant are not stored but made again; predicates
 * go to registers as 0 or -1. */
#include <string.h>

#include "base/bits.h"
#include "codegen/alloc/ra.h"
#include "codegen/ir/build.h"

typedef struct spiller {
    ra *r;
    vreg nregs;            /* before rewriting */
    uint32_t *slot;        /* by root: offset in the frame, from 1; 1: none */
    bool *cheap;           /* by register: made again, not stored */
    const cg_inst **again; /* by word of those: the definition; NULL: none */
    vreg *value;           /* predicates: the register that holds it */
} spiller;

static vreg spilled_root(const spiller *s, vreg v, unsigned *off)
{
    vreg root;

    if (!v || v >= s->nregs)
        return 0;
    root = ra_root(s->r, v, off);
    return s->slot[root] ? root : 0;
}

/* ---- what to spill ----------------------------------------------------- */

/* The cheapest neighbour of a node that must not be spilled itself. */
static vreg other_victim(const ra *r, vreg v)
{
    vreg best = 0;

    for (unsigned i = 0; i < r->node[v].size; i++) {
        const ra_list *l = &r->adj[r->f->regs[v].word + i];

        for (uint32_t j = 0; j < l->n; j++) {
            unsigned off;
            vreg x = ra_root(r, r->owner[l->word[j]], &off);

            if (r->f->regs[x].no_spill || r->node[x].spilled)
                continue;
            if (!best || r->node[x].cost < r->node[best].cost)
                best = x;
        }
    }
    return best;
}

static bool choose_victims(ra *r)
{
    for (vreg v = 1; v < r->f->nregs; v++) {
        vreg x;

        if (!r->node[v].spilled || !r->f->regs[v].no_spill)
            continue;
        r->node[v].spilled = false;
        x = other_victim(r, v);
        if (x)
            r->node[x].spilled = true;
    }
    for (vreg v = 1; v < r->f->nregs; v++)
        if (r->node[v].spilled)
            return true;
    return false;
}

/* ---- making values again ----------------------------------------------- */

static bool is_cheap(const cg_inst *in)
{
    if (!in || in->guard.reg)
        return false;
    if (in->op == ISA_MOV)
        return in->src[1].kind == SRC_IMM || in->src[1].kind == SRC_CONST ||
               (in->src[1].kind == SRC_REG && !in->src[1].reg);
    return in->op == ISA_S2R && in->lut < SR_ACTIVE;
}

/* A register and a constant: its sum is made again where the register stays,
 * as addresses of a tile's rows are that differ by a constant. */
const cg_src *ra_sum_of(const cg_inst *in)
{
    bool known = false;
    const cg_src *of = NULL;

    if (!in || in->guard.reg || in->op != ISA_IADD3 || in->pdst[0] || in->mod)
        return NULL;
    for (unsigned i = 0; i < 3; i++) {
        const cg_src *s = &in->src[i];

        if (s->kind == SRC_IMM && !known)
            known = true;
        else if (s->kind == SRC_REG && !s->mod && s->reg && !of)
            of = s;
        else if (s->kind != SRC_REG || s->reg)
            return NULL;
    }
    return known ? of : NULL;
}

static bool is_sum(const spiller *s, const cg_defuse *d, const cg_inst *in)
{
    const cg_src *of = ra_sum_of(in);
    unsigned off;

    return of && cg_du_of(d, of->reg, of->off)->ssa &&
           !s->r->node[ra_root(s->r, of->reg, &off)].spilled;
}

/* A register from which several that are spilled can be made stays. */
static void keep_roots_of_sums(spiller *s, const cg_defuse *d)
{
    ra *r = s->r;
    uint32_t *sums = ARENA_ARRAY(r->mem, uint32_t, r->f->nregs);
    unsigned off;

    for (vreg v = 1; v < r->f->nregs; v++) {
        const cg_du *u = cg_du_of(d, v, 0);
        const cg_src *of = u->ssa ? ra_sum_of(u->def) : NULL;

        if (of && r->f->regs[v].words == 1 &&
            r->node[ra_root(r, v, &off)].spilled)
            sums[ra_root(r, of->reg, &off)]++;
    }
    for (vreg v = 1; v < r->f->nregs; v++)
        if (sums[v] > 1)
            r->node[v].spilled = false;
}

static void find_cheap(spiller *s)
{
    ra *r = s->r;
    arena *a = r->mem;
    cg_defuse *d = cg_defuse_new(a, r->f);

    if (!r->preds)
        keep_roots_of_sums(s, d);

    s->again = ARENA_ARRAY(a, const cg_inst *, r->f->nwords);
    s->cheap = ARENA_ARRAY(a, bool, r->f->nregs);
    for (vreg v = 1; v < r->f->nregs && !r->preds; v++) {
        unsigned off;
        vreg root = ra_root(r, v, &off);
        bool all = r->node[root].spilled;

        for (unsigned k = 0; k < r->f->regs[v].words && all; k++) {
            const cg_du *u = cg_du_of(d, v, k);

            all = !u->ndefs || (u->ndefs == 1 && is_cheap(u->def)) ||
                  (u->ssa && is_sum(s, d, u->def));
        }
        s->cheap[v] = all;
        for (unsigned k = 0; k < r->f->regs[v].words && all; k++)
            s->again[cg_word_of(r->f, v, k)] = cg_du_of(d, v, k)->def;
    }
}

/* ---- rewriting --------------------------------------------------------- */

static uint32_t frame_slot(cg_func *f, unsigned bytes)
{
    uint32_t at =
        (uint32_t)bits_align_up(f->local_bytes + f->spill_bytes, bytes);

    f->spill_bytes = at + bytes - f->local_bytes;
    return at;
}

static void give_slots(spiller *s)
{
    ra *r = s->r;
    bool *stored = ARENA_ARRAY(r->mem, bool, r->f->nregs);
    unsigned off;

    for (vreg v = 1; v < r->f->nregs; v++)
        if (!s->cheap[v])
            stored[ra_root(r, v, &off)] = true;
    for (vreg v = 1; v < r->f->nregs; v++) {
        if (!r->node[v].spilled)
            continue;
        if (r->preds || !stored[v])
            s->slot[v] = 1;
        else
            s->slot[v] = frame_slot(r->f, 4u * r->node[v].size) + 1;
    }
}

static enum isa_size size_of_words(unsigned words)
{
    return words == 4 ? SIZE_128 : words == 2 ? SIZE_64 : SIZE_32;
}

static vreg temporary_register(cg_func *f, cg_class cls)
{
    vreg t = cg_reg_new(f, cls);

    f->regs[t].no_spill = true;
    return t;
}

/* The value of words [off, off + n) of v, in a new register above `in`. */
static vreg reload(spiller *s, cg_inst *in, vreg v, unsigned off, unsigned n,
                   vreg root, unsigned base)
{
    cg_func *f = s->r->f;
    cg_build b = cb_before(f, in);
    vreg t = temporary_register(f, cg_class_of_words(n));
    cg_inst *l;

    if (s->cheap[v]) {
        for (unsigned k = 0; k < n; k++) {
            const cg_inst *def = s->again[cg_word_of(f, v, off + k)];
            cg_inst *c;

            if (!def)
                continue;
            c = cg_inst_copy(f, def);
            c->dst = cb_dstw(t, k);
            cg_insert_before(c, in);
        }
        return t;
    }
    l = cb_emit(&b, ISA_LDL);
    l->src[0] = cg_frame_base(f);
    l->src[0].val = s->slot[root] - 1 + 4 * (base + off);
    l->dst = cb_dst(t);
    CG_PUT(l, SIZE, size_of_words(n));
    return t;
}

static void rewrite_sources(spiller *s, cg_inst *in)
{
    cg_src done[3];
    vreg as[3];
    unsigned n = 0;

    for (unsigned i = 0; i < 3; i++) {
        cg_src *x = &in->src[i];
        unsigned base, words = cg_src_words(in, i), k = 0;
        vreg root = x->kind == SRC_REG ? spilled_root(s, x->reg, &base) : 0;

        if (!root)
            continue;
        while (k < n && (done[k].reg != x->reg || done[k].off != x->off ||
                         s->r->f->regs[as[k]].words != words))
            k++;
        if (k == n) {
            done[n] = *x;
            as[n++] = reload(s, in, x->reg, x->off, words, root, base);
        }
        x->reg = as[k];
        x->off = 0;
    }
}

/* The operation writes the predicate that guards it: predicates have their
 * places when registers are spilled. */
static bool loses_guard(const cg_func *f, const cg_inst *in)
{
    for (unsigned i = 0; in->guard.reg && i < 2; i++)
        if (in->pdst[i] &&
            f->regs[in->pdst[i]].phys == f->regs[in->guard.reg].phys)
            return true;
    return false;
}

/* A result is stored at once, under the guard of the operation; if that is
 * lost, the old value is loaded before and stored again. Returns false if the
 * operation is to go. */
static bool rewrite_result(spiller *s, cg_inst *in)
{
    cg_func *f = s->r->f;
    unsigned base, words = cg_dst_words(in);
    vreg root = words ? spilled_root(s, in->dst.reg, &base) : 0, t;
    cg_inst *st;

    if (!root)
        return true;
    if (s->cheap[in->dst.reg])
        return false;
    st = cg_inst_new(f, ISA_STL);
    st->line = in->line;
    if (loses_guard(f, in)) {
        t = reload(s, in, in->dst.reg, in->dst.off, words, root, base);
    } else {
        t = temporary_register(f, cg_class_of_words(words));
        st->guard = in->guard;
    }
    st->src[0] = cg_frame_base(f);
    st->src[0].val = s->slot[root] - 1 + 4 * (base + in->dst.off);
    st->src[1] = cg_r(t);
    CG_PUT(st, SIZE, size_of_words(words));
    cg_insert_after(st, in);
    in->dst = cb_dst(t);
    return true;
}

/* A copy within one slot does nothing; what is computed again has none. */
static bool is_void(const spiller *s, const cg_inst *in)
{
    unsigned a, b;
    vreg x, y;

    if (in->op != ISA_MOV || in->src[1].kind != SRC_REG)
        return false;
    x = spilled_root(s, in->dst.reg, &a);
    y = spilled_root(s, in->src[1].reg, &b);
    return x && x == y && a + in->dst.off == b + in->src[1].off &&
           !s->cheap[in->dst.reg] && !s->cheap[in->src[1].reg];
}

/* ---- predicates -------------------------------------------------------- */

static vreg pred_value(spiller *s, vreg root)
{
    if (!s->value[root])
        s->value[root] = cg_reg_new(s->r->f, CG_W1);
    return s->value[root];
}

static void reload_pred(spiller *s, cg_inst *in, vreg *p)
{
    cg_build b = cb_before(s->r->f, in);
    unsigned off;
    vreg root = spilled_root(s, *p, &off);

    if (!root)
        return;
    *p = cb_isetp(&b, CMP_NE, false, cg_r(pred_value(s, root)), cg_zero());
    s->r->f->regs[*p].no_spill = true;
}

static void store_pred(spiller *s, cg_inst *in, vreg *p)
{
    cg_func *f = s->r->f;
    unsigned off;
    vreg root = spilled_root(s, *p, &off);
    cg_inst *sel;

    if (!root)
        return;
    *p = temporary_register(f, CG_PRED);
    sel = cg_inst_new(f, ISA_SEL);
    sel->line = in->line;
    sel->guard = in->guard;
    sel->dst.reg = pred_value(s, root);
    sel->src[0] = cg_zero();
    sel->src[1] = cg_imm(-1);
    sel->psrc[0] = (cg_pred){*p, true};
    cg_insert_after(sel, in);
}

static void rewrite_preds(spiller *s, cg_inst *in)
{
    reload_pred(s, in, &in->guard.reg); /* first: what is stored copies it */
    for (unsigned i = 0; i < 3; i++)
        reload_pred(s, in, &in->psrc[i].reg);
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i])
            store_pred(s, in, &in->pdst[i]);
}

bool ra_spill(ra *r)
{
    cg_func *f = r->f;
    spiller s = {.r = r, .nregs = f->nregs};

    if (!choose_victims(r))
        return false;
    s.slot = ARENA_ARRAY(r->mem, uint32_t, f->nregs);
    s.value = ARENA_ARRAY(r->mem, vreg, f->nregs);
    find_cheap(&s);
    give_slots(&s);
    for (uint32_t i = 0; i < f->nblocks; i++) {
        CG_EACH_SAFE(in, f->blocks[i])
        {
            if (r->preds) {
                rewrite_preds(&s, in);
            } else if (is_void(&s, in)) {
                cg_remove(in);
            } else {
                rewrite_sources(&s, in);
                if (!rewrite_result(&s, in))
                    cg_remove(in);
            }
        }
    }
    return true;
}
