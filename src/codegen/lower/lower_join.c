/* src/codegen/lower/lower_join.c - wide registers of words that lie apart.
 *
 * Products of matrices read the same four words again and again, for each tile
 * of a row. Where the words come round a loop no later step sees that their
 * copies are alike, and each product would get copies of its own; so words that
 * were joined before in the same block, and not written since, are not joined
 * again. Not on Volta, whose code stays as it was measured. */
#include "codegen/lower/context.h"

/* True if the words are what a wide register holds from an aligned place on. */
static bool is_joined(const cg_src *w, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (w[i].kind != SRC_REG || w[i].mod || w[i].reg != w[0].reg ||
            (w[0].reg && w[i].off != w[0].off + i))
            return false;
    return !w[0].reg || w[0].off % n == 0;
}

static bool reads(const lo_joined *j, vreg reg)
{
    for (unsigned i = 0; i < j->words; i++)
        if (j->w[i].kind == SRC_REG && j->w[i].reg == reg)
            return true;
    return false;
}

/* Forgets what was joined of registers that were written since the last call,
 * or all of it at a new block. */
static void follow(lower *l)
{
    lo_joins *all = &l->joins;
    const cg_inst *in = all->seen ? all->seen->next : l->b.b->first;

    if (all->block != l->b.b) {
        all->block = l->b.b;
        all->count = 0;
        in = NULL; /* none of them is older than this */
    }
    for (; in; in = in->next) {
        unsigned kept = 0;

        for (unsigned i = 0; in->dst.reg && i < all->count; i++)
            if (!reads(&all->of[i], in->dst.reg))
                all->of[kept++] = all->of[i];
        if (in->dst.reg)
            all->count = kept;
    }
    all->seen = l->b.b->last;
}

/* What the words were joined to before; 0 if they were not. */
static vreg find(const lo_joins *all, const cg_src *w, unsigned n)
{
    for (unsigned i = 0; i < all->count; i++) {
        const lo_joined *j = &all->of[i];
        unsigned same = 0;

        while (j->words == n && same < n && cg_src_same(&j->w[same], &w[same]))
            same++;
        if (same == n)
            return j->to;
    }
    return 0;
}

static void keep(lo_joins *all, const cg_src *w, unsigned n, vreg to)
{
    lo_joined *j = &all->of[all->next];

    if (all->count < LO_JOINS)
        j = &all->of[all->count++];
    else
        all->next = (all->next + 1) % LO_JOINS;
    j->to = to;
    j->words = n;
    for (unsigned i = 0; i < n; i++)
        j->w[i] = w[i];
}

cg_src lo_join(lower *l, const cg_src *w, unsigned n)
{
    bool known = n <= LO_JOINED_WORDS && l->u->opt->arch >= ARCH_AMPERE &&
                 !l->b.guard.reg && !l->b.guard.neg && !l->b.before;
    vreg v = 0;

    if (is_joined(w, n))
        return w[0];
    if (known) {
        follow(l);
        if ((v = find(&l->joins, w, n)))
            return cg_r(v);
    }
    v = cg_reg_new(l->b.f, cg_class_of_words(n));
    for (unsigned i = 0; i < n; i++)
        cb_to(&l->b, ISA_MOV, cb_dstw(v, i), cb_none(), w[i], cb_none());
    if (known)
        keep(&l->joins, w, n, v);
    return cg_r(v);
}
