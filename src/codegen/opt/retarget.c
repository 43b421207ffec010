/* src/codegen/opt/retarget.c - `t = x op y; d = t` becomes `d = x op y` where t
 * has no other use and nothing in between touches d. */
#include "codegen/ir/pass.h"

enum { LOOK_BACK = 64 };

/* The i'th of the copies of a result: of word off + i, to the same register
 * as the first, under the same guard. */
static bool is_copy_of(const cg_inst *mov, vreg v, unsigned off,
                       const cg_inst *first, unsigned i)
{
    return mov && mov->op == ISA_MOV && mov->src[1].kind == SRC_REG &&
           mov->src[1].reg == v && mov->src[1].off == off + i &&
           mov->dst.reg == first->dst.reg &&
           mov->dst.off == first->dst.off + i &&
           mov->guard.reg == first->guard.reg &&
           mov->guard.neg == first->guard.neg;
}

static bool touches(const cg_inst *in, vreg v)
{
    for (unsigned i = 0; i < 3; i++)
        if ((in->src[i].kind == SRC_REG && in->src[i].reg == v) ||
            in->psrc[i].reg == v)
            return true;
    return in->dst.reg == v || in->pdst[0] == v || in->pdst[1] == v ||
           in->guard.reg == v;
}

/* Between the definition and the copies d is not touched, and the guard of the
 * copies is not written. */
static bool is_free(const cg_inst *def, const cg_inst *mov)
{
    unsigned steps = 0;

    for (const cg_inst *x = def->next; x != mov; x = x->next) {
        if (!x || steps++ > LOOK_BACK || cg_is_call(x) ||
            touches(x, mov->dst.reg))
            return false;
        if (mov->guard.reg &&
            (x->pdst[0] == mov->guard.reg || x->pdst[1] == mov->guard.reg))
            return false;
    }
    return true;
}

static bool try_copy(cg_defuse *d, cg_inst *mov)
{
    const cg_src *s = &mov->src[1];
    cg_inst *def, *m = mov;
    unsigned words;

    if (s->kind != SRC_REG || !s->reg || !mov->dst.reg)
        return false;
    def = cg_du_of(d, s->reg, s->off)->def;
    if (!def || def->block != mov->block || def->op == ISA_MOV ||
        def->dst.reg != s->reg || def->dst.off != s->off)
        return false;
    words = cg_dst_words(def);
    for (unsigned i = 0; i < words; i++, m = m->next) {
        const cg_du *u = cg_du_of(d, s->reg, s->off + i);

        if (!u->ssa || u->def != def || u->nuses != 1 ||
            !is_copy_of(m, s->reg, s->off, mov, i))
            return false;
    }
    if (mov->dst.off % words || !is_free(def, mov))
        return false;
    if (def->guard.reg &&
        (def->guard.reg != mov->guard.reg || def->guard.neg != mov->guard.neg))
        return false;
    if (mov->guard.reg && !def->guard.reg)
        return false; /* it runs where the copy does not */
    def->dst = mov->dst;
    for (m = mov; words--;) {
        cg_inst *next = m->next;

        cg_remove(m);
        m = next;
    }
    return true;
}

bool cg_retarget(cg_func *f)
{
    arena *a = arena_new();
    cg_defuse *d;
    bool changed = false;

    d = cg_defuse_new(a, f);
    for (uint32_t i = 0; i < f->nblocks; i++) {
        for (cg_inst *in = f->blocks[i]->first, *next; in; in = next) {
            next = in->next;
            if (in->op != ISA_MOV)
                continue;
            cg_inst *before = in->prev;

            if (try_copy(d, in)) {
                changed = true;
                next = before ? before->next : f->blocks[i]->first;
            }
        }
    }
    arena_free(a);
    return changed;
}
