/* src/codegen/alloc/ra_graph.c - which words are live together, and which
 * registers become one because one is copied to the other. */
#include "codegen/alloc/ra.h"

#include <stdlib.h>

/* ---- sets of edges ----------------------------------------------------- */

static uint64_t edge_key(uint32_t w, uint32_t x)
{
    return w < x ? (uint64_t)w << 32 | x : (uint64_t)x << 32 | w;
}

static uint32_t edge_slot(const ra *r, uint64_t key)
{
    uint64_t h = key * 0x9e3779b97f4a7c15;
    uint32_t i = (uint32_t)(h >> 32) & (r->edge_room - 1);

    while (r->edge[i] && r->edge[i] != key)
        i = (i + 1) & (r->edge_room - 1);
    return i;
}

static bool ra_interfere(const ra *r, uint32_t w, uint32_t x)
{
    uint64_t key = edge_key(w, x);

    return r->edge[edge_slot(r, key)] == key;
}

/* Each table has an arena of its own: the largest functions need a lot. */
static void edge_grow(ra *r)
{
    uint64_t *old = r->edge;
    uint32_t n = r->edge_room;
    arena *was = r->edge_mem;

    r->edge_mem = arena_new();
    r->edge_room = n ? 2 * n : 4096;
    r->edge = ARENA_ARRAY(r->edge_mem, uint64_t, r->edge_room);
    for (uint32_t i = 0; i < n; i++)
        if (old[i])
            r->edge[edge_slot(r, old[i])] = old[i];
    arena_free(was);
}

static void list_push(ra *r, ra_list *l, uint32_t word)
{
    ARENA_GROW(r->mem, l->word, l->n, l->room);
    l->word[l->n++] = word;
}

static void edge_add(ra *r, uint32_t w, uint32_t x)
{
    uint64_t key = edge_key(w, x);
    uint32_t slot;

    if (w == x)
        return;
    slot = edge_slot(r, key);
    if (r->edge[slot] == key)
        return;
    r->edge[slot] = key;
    if (++r->nedges > r->edge_room / 4 * 3)
        edge_grow(r);
    list_push(r, &r->adj[w], x);
    list_push(r, &r->adj[x], w);
}

/* ---- building ---------------------------------------------------------- */

/* Words live at a place, as a list that can be walked. */
typedef struct livelist {
    ra *r;
    uint32_t *word, *at; /* at[w]: position + 1 */
    uint32_t n;
    const cg_inst *in;
    uint32_t spare; /* word a copy reads: no edge to it */
    double freq;
    unsigned limit;
} livelist;

static bool is_of_class(const ra *r, uint32_t word)
{
    return (r->f->regs[r->owner[word]].cls == CG_PRED) == r->preds;
}

static void limit_word(livelist *l, uint32_t word)
{
    ra_node *n = &l->r->node[l->r->owner[word]];

    if (l->limit < n->limit)
        n->limit = (uint16_t)l->limit;
}

static void live_add(livelist *l, uint32_t word)
{
    limit_word(l, word);
    if (l->at[word] || !is_of_class(l->r, word))
        return;
    l->word[l->n++] = word;
    l->at[word] = l->n;
}

static void live_remove(livelist *l, uint32_t word)
{
    uint32_t i = l->at[word];

    if (!i)
        return;
    l->word[i - 1] = l->word[--l->n];
    l->at[l->word[i - 1]] = i;
    l->at[word] = 0;
}

static void meet_def(void *arg, uint32_t word)
{
    livelist *l = arg;
    ra *r = l->r;

    if (!is_of_class(r, word))
        return;
    limit_word(l, word);
    r->node[r->owner[word]].used = true;
    r->node[r->owner[word]].cost += l->freq;
    if (l->in->at < r->node[r->owner[word]].start)
        r->node[r->owner[word]].start = l->in->at;
    for (uint32_t i = 0; i < l->n; i++)
        if (l->word[i] != l->spare && r->owner[l->word[i]] != r->owner[word])
            edge_add(r, word, l->word[i]);
}

static void kill_def(void *arg, uint32_t word)
{
    livelist *l = arg;

    if (cg_kills(l->r->live, l->in, word))
        live_remove(l, word);
}

static void meet_use(void *arg, uint32_t word)
{
    livelist *l = arg;
    ra *r = l->r;

    if (!is_of_class(r, word))
        return;
    r->node[r->owner[word]].used = true;
    r->node[r->owner[word]].cost += l->freq;
    live_add(l, word);
}

/* A copy between registers of this kind; its source word. */
static bool is_copy(const ra *r, const cg_inst *in, uint32_t *to,
                    uint32_t *from)
{
    const cg_func *f = r->f;

    if (!r->preds && in->op == ISA_MOV && in->src[1].kind == SRC_REG &&
        in->src[1].reg && in->dst.reg) {
        *to = cg_word_of(f, in->dst.reg, in->dst.off);
        *from = cg_word_of(f, in->src[1].reg, in->src[1].off);
        return true;
    }
    if (r->preds && in->op == ISA_PLOP3 && in->lut == 0xf0 && in->psrc[0].reg &&
        !in->psrc[0].neg && in->pdst[0]) {
        *to = cg_word_of(f, in->pdst[0], 0);
        *from = cg_word_of(f, in->psrc[0].reg, 0);
        return true;
    }
    return false;
}

double ra_frequency(const cg_block *b)
{
    double freq = 1;

    for (uint32_t i = 0; i < b->depth && i < 6; i++)
        freq *= 8;
    return freq;
}

/* Between the definitions and the uses of `in`: operands not live are read
 * for the last time. */
static void note_heirs(ra *r, const livelist *l, const cg_inst *in)
{
    uint32_t to;

    if (r->preds || !in->dst.reg || cg_dst_words(in) != 1 || in->guard.reg)
        return;
    to = cg_word_of(r->f, in->dst.reg, in->dst.off);
    for (unsigned i = 0; i < 3; i++) {
        const cg_src *s = &in->src[i];
        uint32_t from;

        if (s->kind != SRC_REG || !s->reg || cg_src_words(in, i) != 1)
            continue;
        from = cg_word_of(r->f, s->reg, s->off);
        if (!l->at[from])
            r->heir[r->nheirs++] = (ra_heir){to, from};
    }
}

/* What is live behind a call, but for its results, is not put where the call
 * writes. */
static void live_across(ra *r, const livelist *l, const cg_inst *call)
{
    cg_regset s = {{cg_call_pred_clobbers(call)}};

    if (!r->preds)
        s = cg_call_clobbers(call);
    for (uint32_t i = 0; i < l->n; i++) {
        ra_node *n = &r->node[r->owner[l->word[i]]];

        for (unsigned k = 0; k < COUNTOF(s.of); k++)
            n->avoid.of[k] |= s.of[k];
    }
}

static void build_block(ra *r, livelist *l, const cg_block *b)
{
    uint32_t to;

    while (l->n)
        live_remove(l, l->word[0]);
    l->freq = ra_frequency(b);
    l->limit = r->preds ? r->limit : ra_limit_at(b, r->limit);
    for (uint32_t i = 0; i < r->live->out[b->id].n; i++)
        live_add(l, r->live->out[b->id].word[i]);
    for (const cg_inst *in = b->last; in; in = in->prev) {
        if (cg_is_call(in))
            live_across(r, l, in);
        l->in = in;
        l->spare = 0;
        if (is_copy(r, in, &to, &l->spare))
            r->copy[r->ncopies++] = (ra_copy){in, l->freq};
        else
            l->spare = 0;
        cg_each_def(r->f, in, meet_def, l);
        if (in->pdst[0] && in->pdst[1] && r->preds)
            edge_add(r, cg_word_of(r->f, in->pdst[0], 0),
                     cg_word_of(r->f, in->pdst[1], 0));
        cg_each_def(r->f, in, kill_def, l);
        note_heirs(r, l, in);
        cg_each_use(r->f, in, meet_use, l);
    }
}

void ra_begin(ra *r)
{
    const cg_func *f = r->f;

    r->node = ARENA_ARRAY(r->mem, ra_node, f->nregs);
    r->owner = ARENA_ARRAY(r->mem, vreg, f->nwords);
    for (vreg v = 0; v < f->nregs; v++) {
        r->node[v] = (ra_node){.up = v,
                               .size = f->regs[v].words,
                               .limit = (uint16_t)r->limit,
                               .colour = RA_NONE};
        for (unsigned k = 0; k < f->regs[v].words; k++)
            r->owner[f->regs[v].word + k] = v;
    }
}

void ra_build(ra *r)
{
    cg_func *f = r->f;
    livelist l = {.r = r};
    uint32_t insts = 0;

    r->live = cg_live_new(r->mem, f);
    ra_begin(r);
    r->adj = ARENA_ARRAY(r->mem, ra_list, f->nwords);
    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH(in, f->blocks[i]) insts++;
    r->copy = ARENA_ARRAY(r->mem, ra_copy, insts + 1);
    r->heir = ARENA_ARRAY(r->mem, ra_heir, 3 * (size_t)insts + 1);
    edge_grow(r);
    l.word = ARENA_ARRAY(r->mem, uint32_t, f->nwords);
    l.at = ARENA_ARRAY(r->mem, uint32_t, f->nwords);
    for (uint32_t i = 0; i < f->nblocks; i++)
        build_block(r, &l, f->blocks[i]);
}

/* ---- joining ----------------------------------------------------------- */

/* Shortens the way for the next time. */
vreg ra_root(const ra *r, vreg v, unsigned *off)
{
    ra_node *n = &r->node[v];

    *off = 0;
    if (n->up == v)
        return v;
    if (r->node[n->up].up != n->up) {
        unsigned more;
        vreg root = ra_root(r, n->up, &more);

        n->up = root;
        n->off = (uint8_t)(n->off + more);
    }
    *off = n->off;
    return n->up;
}

uint32_t ra_canon(const ra *r, uint32_t word)
{
    vreg v = r->owner[word], root;
    unsigned off, within = word - r->f->regs[v].word;

    root = ra_root(r, v, &off);
    return r->f->regs[root].word + off + within;
}

/* Some word of node a, placed `delta` words into node b, is live together
 * with the word of b there. */
static bool clash(const ra *r, vreg a, vreg b, unsigned delta)
{
    for (unsigned i = 0; i < r->node[a].size; i++)
        if (ra_interfere(r, r->f->regs[a].word + i,
                         r->f->regs[b].word + delta + i))
            return true;
    return false;
}

/* Neighbours of a node, in words; some count more than once. */
static uint32_t neighbours(const ra *r, vreg v)
{
    uint32_t n = 0;

    for (unsigned i = 0; i < r->node[v].size; i++)
        n += r->adj[r->f->regs[v].word + i].n;
    return n;
}

static bool is_heavy(const ra *r, uint32_t word)
{
    return r->adj[word].n >= r->node[r->owner[word]].limit;
}

/* Neighbours of the joined node that could make it hard to colour, in words;
 * Briggs' rule. Nodes with very many are not looked at: there is one for each
 * copy, and each would take as long. */
static bool is_safe(const ra *r, vreg a, vreg b)
{
    enum { MANY = 4096 };
    unsigned heavy = 0;
    const vreg both[] = {a, b};

    if (neighbours(r, a) + neighbours(r, b) > MANY ||
        r->node[a].limit != r->node[b].limit)
        return false;

    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < r->node[both[k]].size; i++) {
            const ra_list *l = &r->adj[r->f->regs[both[k]].word + i];

            for (uint32_t j = 0; j < l->n; j++)
                heavy += is_heavy(r, ra_canon(r, l->word[j]));
        }
    }
    return heavy < r->node[a].limit;
}

static void add_hint(ra *r, vreg v, vreg to, int delta)
{
    ra_node *n = &r->node[v];

    if (n->nhints < RA_HINTS) {
        n->hint[n->nhints].reg = to;
        n->hint[n->nhints++].delta = (int8_t)delta;
    }
}

static void absorb(ra *r, vreg a, vreg b, unsigned delta)
{
    for (unsigned i = 0; i < r->node[a].size; i++) {
        const ra_list *l = &r->adj[r->f->regs[a].word + i];

        for (uint32_t j = 0; j < l->n; j++)
            edge_add(r, r->f->regs[b].word + delta + i,
                     ra_canon(r, l->word[j]));
    }
    r->node[a].up = b;
    r->node[a].off = (uint8_t)delta;
    for (uint32_t i = 0; i < r->node[a].nhints; i++)
        add_hint(r, b, r->node[a].hint[i].reg,
                 r->node[a].hint[i].delta - (int)delta);
    r->node[b].cost += r->node[a].cost;
    if (r->node[a].start < r->node[b].start)
        r->node[b].start = r->node[a].start;
    r->node[b].used = true;
    if (r->node[a].limit < r->node[b].limit)
        r->node[b].limit = r->node[a].limit;
    for (unsigned k = 0; k < COUNTOF(r->node[a].avoid.of); k++)
        r->node[b].avoid.of[k] |= r->node[a].avoid.of[k];
}

static void join_copy(ra *r, const ra_copy *c)
{
    uint32_t to, from;
    unsigned oa, ob;
    vreg a, b;
    int delta;

    is_copy(r, c->in, &to, &from);
    a = ra_root(r, r->owner[to], &oa);
    b = ra_root(r, r->owner[from], &ob);
    if (a == b)
        return;
    delta = (int)(ob + from - r->f->regs[r->owner[from]].word) -
            (int)(oa + to - r->f->regs[r->owner[to]].word);
    if (r->node[a].size > r->node[b].size ||
        (r->node[a].size == r->node[b].size &&
         neighbours(r, a) > neighbours(r, b))) {
        vreg t = a;

        a = b;
        b = t;
        delta = -delta;
    }
    /* Word 0 of a is to stand at word `delta` of b. */
    bool fits = delta >= 0 && delta + r->node[a].size <= r->node[b].size &&
                delta % r->node[a].size == 0;
    bool spill = r->f->regs[a].no_spill || r->f->regs[b].no_spill ||
                 r->f->regs[a].fixed || r->f->regs[b].fixed;

    if (fits && !spill && !clash(r, a, b, (unsigned)delta) &&
        (!r->careful || is_safe(r, a, b))) {
        absorb(r, a, b, (unsigned)delta);
        return;
    }
    add_hint(r, a, b, delta);
    add_hint(r, b, a, -delta);
}

static void hint_heir(ra *r, const ra_heir *h)
{
    uint32_t to = ra_canon(r, h->to), from = ra_canon(r, h->from);
    vreg a = r->owner[to], b = r->owner[from];
    int delta =
        (int)(from - r->f->regs[b].word) - (int)(to - r->f->regs[a].word);

    if (a == b)
        return;
    add_hint(r, a, b, delta);
    add_hint(r, b, a, -delta);
}

static int copy_by_weight(const void *x, const void *y)
{
    const ra_copy *a = x, *b = y;

    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    return a->in->at < b->in->at ? -1 : a->in->at > b->in->at;
}

void ra_join(ra *r)
{
    qsort(r->copy, r->ncopies, sizeof *r->copy, copy_by_weight);
    for (uint32_t i = 0; i < r->ncopies; i++)
        join_copy(r, &r->copy[i]);
    for (uint32_t i = 0; i < r->nheirs; i++)
        hint_heir(r, &r->heir[i]);
}
