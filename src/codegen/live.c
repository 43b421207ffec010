#include "codegen/live.h"

#include <string.h>

void cg_each_use(const cg_func *f, const cg_inst *in, cg_word_fn *fn, void *arg)
{
    for (unsigned i = 0; i < 3; i++) {
        const cg_src *s = &in->src[i];

        if (s->kind == SRC_REG && s->reg)
            for (unsigned k = 0; k < cg_src_words(in, i); k++)
                fn(arg, cg_word_of(f, s->reg, s->off + k));
        if (in->psrc[i].reg)
            fn(arg, cg_word_of(f, in->psrc[i].reg, 0));
    }
    if (in->guard.reg)
        fn(arg, cg_word_of(f, in->guard.reg, 0));
}

void cg_each_def(const cg_func *f, const cg_inst *in, cg_word_fn *fn, void *arg)
{
    if (in->dst.reg)
        for (unsigned k = 0; k < cg_dst_words(in); k++)
            fn(arg, cg_word_of(f, in->dst.reg, in->dst.off + k));
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i])
            fn(arg, cg_word_of(f, in->pdst[i], 0));
}

typedef struct local { /* of one block */
    cg_live *l;
    const cg_inst *in;
    uint64_t *use, *def;
} local;

static void add_use(void *arg, uint32_t word)
{
    local *b = arg;

    if (!cg_bit(b->def, word))
        cg_bit_set(b->use, word);
}

static void add_def(void *arg, uint32_t word)
{
    local *b = arg;

    if (cg_kills(b->l, b->in, word))
        cg_bit_set(b->def, word);
}

static void scan_block(cg_live *l, const cg_block *b, uint64_t *use,
                       uint64_t *def)
{
    local s = {.l = l, .use = use, .def = def};

    CG_EACH(in, b)
    {
        s.in = in;
        cg_each_use(l->f, in, add_use, &s);
        cg_each_def(l->f, in, add_def, &s);
    }
}

/* in = use | (out & ~def); true if it grew. */
static bool flow(cg_live *l, const graph *g, uint32_t i, const uint64_t *use,
                 const uint64_t *def)
{
    bool grew = false;

    for (uint32_t k = g->succ_at[i]; k < g->succ_at[i + 1]; k++)
        for (uint32_t w = 0; w < l->size; w++)
            l->out[i][w] |= l->in[g->succ[k]][w];
    for (uint32_t w = 0; w < l->size; w++) {
        uint64_t v = use[w] | (l->out[i][w] & ~def[w]);

        grew |= v != l->in[i][w];
        l->in[i][w] = v;
    }
    return grew;
}

cg_live *cg_live_new(arena *a, cg_func *f)
{
    cg_live *l = ARENA_NEW(a, cg_live);
    cg_defuse *d = cg_defuse_new(a, f);
    uint32_t n = f->nblocks;
    uint64_t **use = ARENA_ARRAY(a, uint64_t *, n);
    uint64_t **def = ARENA_ARRAY(a, uint64_t *, n);

    l->f = f;
    l->nwords = f->nwords;
    l->size = (f->nwords + 63) / 64;
    l->whole = ARENA_ARRAY(a, bool, f->nwords);
    for (uint32_t w = 0; w < f->nwords; w++)
        l->whole[w] = d->of[w].ssa;
    l->in = ARENA_ARRAY(a, uint64_t *, n);
    l->out = ARENA_ARRAY(a, uint64_t *, n);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *sets = ARENA_ARRAY(a, uint64_t, 4 * (size_t)l->size);

        l->in[i] = sets;
        l->out[i] = sets + l->size;
        use[i] = sets + 2 * (size_t)l->size;
        def[i] = sets + 3 * (size_t)l->size;
        scan_block(l, f->blocks[i], use[i], def[i]);
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = n; i-- > 0;)
            again |= flow(l, d->g, i, use[i], def[i]);
    }
    return l;
}
