/* src/codegen/opt/cse.c - values that are computed twice: the second becomes a
 * copy of the first if that dominates it. Operands that change, as those of
 * loops do, may not have changed since the first: that is known within a
 * block. */
#include <string.h>

#include "codegen/ir/build.h"
#include "codegen/ir/pass.h"

typedef struct table {
    cg_defuse *d;
    cg_inst **slot; /* open addressing */
    uint32_t mask;
    cg_dst *instead; /* by word of a copy made here: what was copied */
    /* Operations are counted as they are looked at; by word when it was last
     * written, by slot when its value was computed. */
    uint32_t now, *written, *computed;
} table;

static bool is_pure(const cg_inst *in)
{
    unsigned flags = cg_flags(in);

    if (in->guard.reg || in->guard.neg || cg_has_effect(in) ||
        flags & (ISA_F_CROSS | ISA_F_CLOCK) || in->op == ISA_MOV ||
        in->op == ISA_R2P || in->op == ISA_P2R)
        return false;
    if (in->op == ISA_S2R && in->lut >= SR_ACTIVE)
        return false;
    if (flags & ISA_F_LOAD && in->op != ISA_LDC && !cg_is_fetch(in))
        return in->op == ISA_LDG && CG_GET(in, CACHE) == CACHE_NC;
    return in->op != ISA_PLOP3 || in->lut != LUT_A;
}

/* Not of a register that calls and others write unseen. */
static bool is_followed(const cg_defuse *d, const cg_src *s, unsigned words)
{
    return cg_is_stable(d, s, words) ||
           (s->kind == SRC_REG && !d->f->regs[s->reg].fixed);
}

static bool is_fixed(const cg_defuse *d, const cg_inst *in)
{
    for (unsigned i = 0; i < 3; i++) {
        if (in->src[i].kind &&
            !is_followed(d, &in->src[i], cg_src_words(in, i)))
            return false;
        if (in->psrc[i].reg && !cg_du_of(d, in->psrc[i].reg, 0)->ssa)
            return false;
    }
    return true;
}

/* Are the operands of `in` now what they were when that slot was filled? */
static bool is_unchanged(const table *t, uint32_t at, const cg_inst *in)
{
    const cg_inst *first = t->slot[at];

    for (unsigned i = 0; i < 3; i++) {
        const cg_src *s = &in->src[i];
        unsigned words = s->kind == SRC_REG && s->reg ? cg_src_words(in, i) : 0;

        if (cg_is_stable(t->d, s, cg_src_words(in, i)))
            continue;
        if (first->block != in->block)
            return false;
        for (unsigned k = 0; k < words; k++)
            if (t->written[cg_word_of(t->d->f, s->reg, s->off + k)] >
                t->computed[at])
                return false;
    }
    return true;
}

/* All that it writes is written nowhere else. */
static bool is_only(const cg_defuse *d, const cg_inst *in)
{
    for (unsigned k = 0; k < cg_dst_words(in) && in->dst.reg; k++)
        if (!cg_du_of(d, in->dst.reg, in->dst.off + k)->ssa)
            return false;
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i] && !cg_du_of(d, in->pdst[i], 0)->ssa)
            return false;
    return true;
}

static uint64_t mix_hash(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15;
    return h ^ h >> 29;
}

static uint64_t hash(const cg_inst *in)
{
    uint64_t h = mix_hash(in->op, in->mod);

    h = mix_hash(h, in->lut);
    for (unsigned i = 0; i < 3; i++) {
        const cg_src *s = &in->src[i];

        h = mix_hash(h, (uint64_t)s->kind << 32 | (uint64_t)s->mod << 24 |
                            (uint64_t)s->off << 16);
        h = mix_hash(h, s->reg);
        h = mix_hash(h, (uint64_t)s->val);
        h = mix_hash(h, (uint64_t)in->psrc[i].reg << 1 | in->psrc[i].neg);
    }
    return h;
}

static bool same_value(const cg_inst *a, const cg_inst *b)
{
    if (a->op != b->op || a->mod != b->mod || a->lut != b->lut ||
        a->fuse != b->fuse)
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (!cg_src_same(&a->src[i], &b->src[i]) ||
            a->psrc[i].reg != b->psrc[i].reg ||
            a->psrc[i].neg != b->psrc[i].neg)
            return false;
    return true;
}

/* What the earlier one does not write is missing; then they differ. */
static bool writes_all_of(const cg_inst *first, const cg_inst *again)
{
    return (first->dst.reg || !again->dst.reg) &&
           (first->pdst[0] || !again->pdst[0]) &&
           (first->pdst[1] || !again->pdst[1]);
}

static void replace_value(table *t, cg_inst *in, const cg_inst *by)
{
    cg_func *f = t->d->f;
    cg_build b = cb_before(f, in);

    for (unsigned k = 0; k < cg_dst_words(in) && in->dst.reg; k++) {
        cb_to(&b, ISA_MOV, cb_dstw(in->dst.reg, in->dst.off + k), cb_none(),
              cg_rw(by->dst.reg, by->dst.off + k), cb_none());
        t->instead[cg_word_of(f, in->dst.reg, in->dst.off + k)] =
            cb_dstw(by->dst.reg, by->dst.off + k);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (!in->pdst[i])
            continue;
        cg_inst *copy = cb_emit(&b, ISA_PLOP3);

        copy->lut = LUT_A;
        copy->pdst[0] = in->pdst[i];
        copy->psrc[0] = cg_p(by->pdst[i]);
        t->instead[cg_word_of(f, in->pdst[i], 0)] = cb_dst(by->pdst[i]);
    }
    cg_remove(in);
}

/* What was computed before, instead of the copies that were made of it: so
 * that what is computed of them is found to be the same, too. */
static void use_first(table *t, cg_inst *in)
{
    const cg_func *f = t->d->f;

    for (unsigned i = 0; i < 3; i++) {
        cg_src *s = &in->src[i];
        unsigned words = s->kind == SRC_REG && s->reg ? cg_src_words(in, i) : 0;
        cg_dst first = {0};
        bool all = words > 0;

        for (unsigned k = 0; k < words; k++) {
            cg_dst d = t->instead[cg_word_of(f, s->reg, s->off + k)];

            first = k ? first : d;
            all &= d.reg && d.reg == first.reg && d.off == first.off + k;
        }
        if (all && first.off % words == 0) {
            s->reg = first.reg;
            s->off = first.off;
        }
        if (in->psrc[i].reg) {
            cg_dst d = t->instead[cg_word_of(f, in->psrc[i].reg, 0)];

            in->psrc[i].reg = d.reg ? d.reg : in->psrc[i].reg;
        }
    }
}

static bool visit_inst(table *t, cg_inst *in)
{
    uint32_t at;

    if (!is_pure(in) || !is_fixed(t->d, in) || !is_only(t->d, in))
        return false;
    use_first(t, in);
    at = (uint32_t)hash(in) & t->mask;
    for (; t->slot[at]; at = (at + 1) & t->mask) {
        cg_inst *first = t->slot[at];

        if (same_value(first, in) && writes_all_of(first, in) &&
            cg_block_dominates(t->d, first->block, in->block) &&
            is_unchanged(t, at, in)) {
            replace_value(t, in, first);
            return true;
        }
    }
    t->slot[at] = in;
    t->computed[at] = t->now;
    return false;
}

/* Copies that stand for it write what is written once. */
static void note_writes(table *t, const cg_inst *in)
{
    t->now++;
    for (unsigned k = 0; k < cg_dst_words(in) && in->dst.reg; k++)
        t->written[cg_word_of(t->d->f, in->dst.reg, in->dst.off + k)] = t->now;
}

/* Blocks come in layout order: a dominator before what it dominates, but for
 * backward jumps over it, where the chance is missed. */
bool cg_share(cg_defuse *d)
{
    cg_func *f = d->f;
    table t = {.d = d};
    uint32_t n = 64;
    bool changed = false;

    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH(in, f->blocks[i]) n++;
    while (t.mask < 2 * n)
        t.mask = t.mask * 2 + 1;
    t.slot = ARENA_ARRAY(d->mem, cg_inst *, t.mask + 1);
    t.instead = ARENA_ARRAY(d->mem, cg_dst, f->nwords + 1);
    t.written = ARENA_ARRAY(d->mem, uint32_t, f->nwords + 1);
    t.computed = ARENA_ARRAY(d->mem, uint32_t, t.mask + 1);
    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH_SAFE(in, f->blocks[i])
        {
            note_writes(&t, in);
            changed |= visit_inst(&t, in);
        }
    return changed;
}
