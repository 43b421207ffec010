#include "codegen/flow/live.h"

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

/* Pairs of a word and a block, collected, then sorted by one of them. */
typedef struct pair {
    uint32_t word, block;
} pair;

typedef struct pairs {
    pair *p;
    uint32_t n, room;
} pairs;

static void push_live_pair(arena *a, pairs *to, uint32_t word, uint32_t block)
{
    ARENA_GROW(a, to->p, to->n, to->room);
    to->p[to->n++] = (pair){word, block};
}

/* Where the rows of a counting sort begin; `count` rows. */
static uint32_t *row_starts(arena *a, const pairs *from, bool by_word,
                            uint32_t count)
{
    uint32_t *at = ARENA_ARRAY(a, uint32_t, (size_t)count + 2);

    for (uint32_t i = 0; i < from->n; i++)
        at[(by_word ? from->p[i].word : from->p[i].block) + 1]++;
    for (uint32_t i = 0; i < count; i++)
        at[i + 1] += at[i];
    return at;
}

/* The words of each block, in the order of the pairs: ascending. */
static cg_words *by_block(arena *a, const pairs *from, uint32_t nblocks)
{
    uint32_t *at = row_starts(a, from, false, nblocks);
    uint32_t *word = ARENA_ARRAY(a, uint32_t, (size_t)from->n + 1);
    cg_words *w = ARENA_ARRAY(a, cg_words, (size_t)nblocks + 1);

    for (uint32_t i = 0; i < nblocks; i++)
        w[i].word = word + at[i];
    for (uint32_t i = 0; i < from->n; i++) {
        cg_words *to = &w[from->p[i].block];

        to->word[to->n++] = from->p[i].word;
    }
    return w;
}

/* The blocks of each word: row w is [at[w], at[w + 1]). */
typedef struct blocks_of {
    uint32_t *at, *block;
} blocks_of;

static blocks_of by_word(arena *a, const pairs *from, uint32_t nwords)
{
    blocks_of b = {.at = row_starts(a, from, true, nwords)};
    uint32_t *next = ARENA_ARRAY(a, uint32_t, (size_t)nwords + 1);

    b.block = ARENA_ARRAY(a, uint32_t, (size_t)from->n + 1);
    memcpy(next, b.at, nwords * sizeof *next);
    for (uint32_t i = 0; i < from->n; i++)
        b.block[next[from->p[i].word]++] = from->p[i].block;
    return b;
}

/* What blocks read before they write it, and what they write for good. */
typedef struct scan {
    arena *a;
    const cg_live *l;
    const cg_inst *in;
    uint32_t block;
    uint32_t *read, *written; /* block + 1 that did so last, by word */
    pairs exposed, killed;
} scan;

static void add_use(void *arg, uint32_t word)
{
    scan *s = arg;

    if (s->written[word] == s->block + 1 || s->read[word] == s->block + 1)
        return;
    s->read[word] = s->block + 1;
    push_live_pair(s->a, &s->exposed, word, s->block);
}

static void add_def(void *arg, uint32_t word)
{
    scan *s = arg;

    if (s->written[word] == s->block + 1 || !cg_kills(s->l, s->in, word))
        return;
    s->written[word] = s->block + 1;
    push_live_pair(s->a, &s->killed, word, s->block);
}

static void scan_blocks(scan *s, const cg_func *f)
{
    s->read = ARENA_ARRAY(s->a, uint32_t, f->nwords);
    s->written = ARENA_ARRAY(s->a, uint32_t, f->nwords);
    for (s->block = 0; s->block < f->nblocks; s->block++)
        CG_EACH(in, f->blocks[s->block])
        {
            s->in = in;
            cg_each_use(f, in, add_use, s);
            cg_each_def(f, in, add_def, s);
        }
}

/* Backwards from the blocks that need a word to those that write it: as much
 * work as there are places where it is live. */
typedef struct spread {
    arena *a;
    const graph *g;
    uint32_t *kills, *in, *out; /* word, by block */
    uint32_t *work;
    pairs live_in, live_out;
} spread;

static void spread_word(spread *s, uint32_t word, const blocks_of *exposed,
                        const blocks_of *killed)
{
    uint32_t n = 0;

    for (uint32_t i = killed->at[word]; i < killed->at[word + 1]; i++)
        s->kills[killed->block[i]] = word;
    for (uint32_t i = exposed->at[word]; i < exposed->at[word + 1]; i++) {
        s->in[exposed->block[i]] = word;
        s->work[n++] = exposed->block[i];
    }
    while (n) {
        uint32_t b = s->work[--n];

        push_live_pair(s->a, &s->live_in, word, b);
        for (uint32_t k = s->g->pred_at[b]; k < s->g->pred_at[b + 1]; k++) {
            uint32_t p = s->g->pred[k];

            if (s->out[p] == word)
                continue;
            s->out[p] = word;
            push_live_pair(s->a, &s->live_out, word, p);
            if (s->kills[p] == word || s->in[p] == word)
                continue;
            s->in[p] = word;
            s->work[n++] = p;
        }
    }
}

cg_live *cg_live_new(arena *a, cg_func *f)
{
    cg_live *l = ARENA_NEW(a, cg_live);
    arena *mem = arena_new();
    uint32_t n = f->nblocks;
    scan s = {.a = mem, .l = l};
    spread x = {.a = mem};
    blocks_of exposed, killed;
    cg_defuse *d;

    d = cg_defuse_new(mem, f);
    l->f = f;
    l->whole = ARENA_ARRAY(a, bool, f->nwords);
    for (uint32_t w = 0; w < f->nwords; w++)
        l->whole[w] = d->of[w].ssa;
    scan_blocks(&s, f);
    exposed = by_word(mem, &s.exposed, f->nwords);
    killed = by_word(mem, &s.killed, f->nwords);
    x.g = d->g;
    x.kills = ARENA_ARRAY(mem, uint32_t, n + 1);
    x.in = ARENA_ARRAY(mem, uint32_t, n + 1);
    x.out = ARENA_ARRAY(mem, uint32_t, n + 1);
    x.work = ARENA_ARRAY(mem, uint32_t, n + 1);
    for (uint32_t w = 1; w < f->nwords; w++)
        if (exposed.at[w] < exposed.at[w + 1])
            spread_word(&x, w, &exposed, &killed);
    l->in = by_block(a, &x.live_in, n);
    l->out = by_block(a, &x.live_out, n);
    arena_free(mem);
    return l;
}
