/* src/codegen/opt/prop.c - copy and constant propagation. A word that has one
 * definition, a MOV, is replaced by the operand of that MOV wherever it is
 * read; within a block the same is done for words with several. */
#include <string.h>

#include "codegen/ir/build.h"
#include "codegen/ir/pass.h"

/* Copies in force at this place of the block: words with several definitions,
 * or copied from such. */
typedef struct copies {
    struct {
        uint32_t word, from; /* from 0: `s` is no register */
        cg_src s;
    } at[16];
    unsigned n;
} copies;

static void forget_copies(copies *c, uint32_t word)
{
    for (unsigned i = 0; i < c->n; i++) {
        if (c->at[i].word == word || c->at[i].from == word) {
            c->at[i] = c->at[--c->n];
            i--;
        }
    }
}

static void forget_results(const cg_func *f, copies *c, const cg_inst *in)
{
    if (in->dst.reg)
        for (unsigned i = 0; i < cg_dst_words(in); i++)
            forget_copies(c, cg_word_of(f, in->dst.reg, in->dst.off + i));
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i])
            forget_copies(c, cg_word_of(f, in->pdst[i], 0));
}

static void remember_copy(const cg_defuse *d, copies *c, const cg_inst *in)
{
    const cg_func *f = d->f;
    cg_src s = in->src[1];
    uint32_t word;

    if (in->op != ISA_MOV || in->guard.reg || !in->dst.reg)
        return;
    if (f->regs[in->dst.reg].fixed)
        return; /* a call may write it */
    if (s.kind == SRC_REG && (s.reg == in->dst.reg || f->regs[s.reg].fixed))
        return;
    if (cg_du_of(d, in->dst.reg, in->dst.off)->ssa && cg_is_stable(d, &s, 1))
        return; /* valid everywhere */
    if (c->n == COUNTOF(c->at)) {
        memmove(&c->at[0], &c->at[1], sizeof c->at[0] * (COUNTOF(c->at) - 1));
        c->n--;
    }
    word = cg_word_of(f, in->dst.reg, in->dst.off);
    c->at[c->n].word = word;
    c->at[c->n].from =
        s.kind == SRC_REG && s.reg ? cg_word_of(f, s.reg, s.off) : 0;
    c->at[c->n++].s = s;
}

/* The source of the copy into the word; false if there is none. */
static bool source_of(const cg_defuse *d, const copies *c, vreg v, unsigned off,
                      cg_src *out)
{
    uint32_t word = cg_word_of(d->f, v, off);
    const cg_du *u = &d->of[word];

    if (u->ssa && u->def->op == ISA_MOV &&
        cg_is_stable(d, &u->def->src[1], 1)) {
        *out = u->def->src[1];
        return true;
    }
    for (unsigned i = 0; i < c->n; i++) {
        if (c->at[i].word == word) {
            *out = c->at[i].s;
            return true;
        }
    }
    return false;
}

/* A constant with a modifier: worked out, since it takes none. */
static bool apply_modifier(unsigned op, unsigned i, cg_src *s, unsigned words)
{
    uint64_t v = (uint64_t)s->val, top = words == 2 ? 1ull << 63 : 1u << 31;

    if (cg_is_float_src(op, i)) {
        if (isa_table[op].class == ISA_CLASS_HALF)
            top = 0x80008000;
        if (s->mod & SRC_ABS)
            v &= ~top;
        if (s->mod & SRC_NEG)
            v ^= top;
    } else if (s->mod & SRC_NEG) {
        if (op == ISA_IADD3X)
            return false; /* the complement alone: see isa.def */
        v = -v;
    } else if (s->mod & SRC_NOT) {
        v = ~v;
    }
    s->mod = 0;
    s->val = words == 2 ? (int64_t)v : (int32_t)(uint32_t)v;
    if (!s->val)
        *s = cg_zero();
    return true;
}

/* One operand from those of its words; false if they do not belong together. */
static bool join_words(const cg_src *w, unsigned n, cg_src *out)
{
    uint64_t v = 0;

    *out = w[0];
    if (n == 1)
        return true;
    for (unsigned i = 0; i < n; i++) {
        bool zero = w[i].kind == SRC_REG && !w[i].reg;
        bool imm = w[i].kind == SRC_IMM || zero;
        bool first_imm =
            w[0].kind == SRC_IMM || (w[0].kind == SRC_REG && !w[0].reg);

        if (imm != first_imm || w[i].mod)
            return false;
        if (imm) {
            if (n > 2 && !zero)
                return false;
            v |= (uint64_t)(uint32_t)w[i].val << 32 * (i & 1);
        } else if (w[i].kind != w[0].kind || w[i].reg != w[0].reg) {
            return false;
        } else if (w[0].kind == SRC_REG ? w[i].off != w[0].off + i
                                        : w[i].val != w[0].val + 4 * (int)i) {
            return false;
        }
        if (i + 1 == n && imm)
            *out = cg_imm((int64_t)v);
    }
    return true;
}

/* The best replacement of source i; true if it was replaced. */
static bool replace_source(cg_defuse *d, const copies *c, cg_inst *in,
                           unsigned i)
{
    cg_src *s = &in->src[i], w[4], to;
    unsigned words = cg_src_words(in, i);
    bool memory;

    if (s->kind != SRC_REG || !s->reg || !words || d->f->regs[s->reg].fixed)
        return false;
    for (unsigned k = 0; k < words; k++)
        if (!source_of(d, c, s->reg, s->off + k, &w[k]))
            return false;
    if (!join_words(w, words, &to))
        return false;
    memory = !cg_src_mods(in->op, i) && s->val;
    to.mod = s->mod;
    if (to.kind == SRC_REG) {
        to.val = s->val;
    } else if (memory) {
        return false;
    } else if (to.kind == SRC_IMM && to.mod &&
               !apply_modifier(in->op, i, &to, words)) {
        return false;
    }
    if (!cg_src_fits(in, i, &to) || cg_src_same(s, &to))
        return false;
    *s = to;
    return true;
}

/* A predicate that is a copy, or the opposite, of another. */
static bool replace_pred(const cg_defuse *d, cg_pred *p)
{
    const cg_inst *def = cg_pred_def(d, p->reg);
    cg_pred from;

    if (!def || def->op != ISA_PLOP3 || def->pdst[0] != p->reg)
        return false;
    if (def->lut == 0xff || def->lut == 0)
        from = (cg_pred){0, def->lut == 0};
    else if (def->lut == LUT_A)
        from = def->psrc[0];
    else
        return false;
    if (from.reg && !cg_du_of(d, from.reg, 0)->ssa)
        return false;
    *p = (cg_pred){from.reg, from.neg != p->neg};
    return true;
}

static bool propagate_into(cg_defuse *d, const copies *c, cg_inst *in)
{
    bool changed = false;

    cg_defuse_count(d, in, -1);
    for (unsigned i = 0; i < 3; i++) {
        changed |= replace_source(d, c, in, i);
        changed |= replace_pred(d, &in->psrc[i]);
    }
    if (in->guard.reg)
        changed |= replace_pred(d, &in->guard);
    cg_defuse_count(d, in, 1);
    return changed;
}

/* A block with one predecessor begins with the copies at the end of that, if it
 * has been visited. */
static copies inherited(const cg_defuse *d, const copies *at_end, uint32_t i)
{
    const graph *g = d->g;

    if (i && graph_npred(g, i) == 1 && g->pred[g->pred_at[i]] < i)
        return at_end[g->pred[g->pred_at[i]]];
    return (copies){.n = 0};
}

/* The copy made here was made before. */
static bool is_known_already(const cg_defuse *d, const copies *c,
                             const cg_inst *in)
{
    cg_src s;

    return in->op == ISA_MOV && in->dst.reg &&
           source_of(d, c, in->dst.reg, in->dst.off, &s) &&
           !cg_du_of(d, in->dst.reg, in->dst.off)->ssa &&
           cg_src_same(&s, &in->src[1]);
}

bool cg_propagate(cg_defuse *d)
{
    cg_func *f = d->f;
    bool changed = false;

    copies *at_end = ARENA_ARRAY(d->mem, copies, f->nblocks);

    for (uint32_t i = 0; i < f->nblocks; i++) {
        copies c = inherited(d, at_end, i);

        CG_EACH_SAFE(in, f->blocks[i])
        {
            changed |= propagate_into(d, &c, in);
            if (!in->guard.reg && in->guard.neg && in->op != ISA_BRA) {
                cg_defuse_count(d, in, -1);
                cg_remove(in); /* never executed */
                changed = true;
                continue;
            }
            if (is_known_already(d, &c, in)) {
                cg_defuse_count(d, in, -1);
                cg_remove(in);
                changed = true;
                continue;
            }
            forget_results(f, &c, in);
            remember_copy(d, &c, in);
        }
        at_end[i] = c;
    }
    return changed;
}
