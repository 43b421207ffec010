/* src/codegen/alloc/ra_relieve.c - where more words are live than there are
 * registers, some are spilled before the graph is made: its size would grow
 * with the square of what is live. Goes backwards through each block and, where
 * it gets too much, gives up the registers that are used least for how long
 * they live. */

#include "codegen/alloc/ra.h"
#include "codegen/ir/defuse.h"

/* Registers left for the copies that spilled ones have at their uses. */
enum { SPARE = 8 };

typedef struct entry { /* of the heap */
    double rank;
    vreg v;
} entry;

typedef struct relief {
    ra r;
    bool *live;      /* by word */
    unsigned *words; /* live ones, by register */
    double *rank;    /* by register: uses against length; the least goes */
    uint32_t *first, *last;
    unsigned pressure;
    bool over[UINT8_MAX + 2]; /* by limit: somewhere more words are live */
    entry *heap; /* the least on top; may list what is live no more */
    uint32_t n, room;
    bool any;
} relief;

/* ---- the heap ---------------------------------------------------------- */

static bool entry_before(const entry *a, const entry *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->v < b->v;
}

static void swap_entries(entry *a, entry *b)
{
    entry t = *a;

    *a = *b;
    *b = t;
}

static void heap_push(relief *x, vreg v)
{
    uint32_t i = x->n++;

    ARENA_GROW(x->r.mem, x->heap, i, x->room);
    x->heap[i] = (entry){x->rank[v], v};
    for (; i && entry_before(&x->heap[i], &x->heap[(i - 1) / 2]);
         i = (i - 1) / 2)
        swap_entries(&x->heap[i], &x->heap[(i - 1) / 2]);
}

static vreg heap_pop(relief *x)
{
    vreg top = x->heap[0].v;
    uint32_t i = 0;

    x->heap[0] = x->heap[--x->n];
    for (;;) {
        uint32_t least = i;

        for (uint32_t k = 2 * i + 1; k <= 2 * i + 2 && k < x->n; k++)
            if (entry_before(&x->heap[k], &x->heap[least]))
                least = k;
        if (least == i)
            return top;
        swap_entries(&x->heap[i], &x->heap[least]);
        i = least;
    }
}

/* ---- what is live ------------------------------------------------------ */

static bool may_go(const relief *x, vreg v)
{
    const cg_reg *r = &x->r.f->regs[v];

    return r->cls != CG_PRED && !r->no_spill && !r->fixed &&
           !x->r.node[v].spilled;
}

static void live_add(void *arg, uint32_t word)
{
    relief *x = arg;
    vreg v = x->r.owner[word];

    if (x->live[word] || x->r.f->regs[v].cls == CG_PRED || x->r.node[v].spilled)
        return;
    x->live[word] = true;
    x->pressure++;
    if (!x->words[v]++ && may_go(x, v))
        heap_push(x, v);
}

static void live_remove(relief *x, uint32_t word)
{
    if (!x->live[word])
        return;
    x->live[word] = false;
    x->pressure--;
    x->words[x->r.owner[word]]--;
}

typedef struct here {
    relief *x;
    const cg_inst *in;
} here;

static void kill_def(void *arg, uint32_t word)
{
    here *h = arg;

    if (cg_kills(h->x->r.live, h->in, word))
        live_remove(h->x, word);
}

static void give_up(relief *x, vreg v)
{
    const cg_reg *r = &x->r.f->regs[v];

    x->r.node[v].spilled = x->any = true;
    for (unsigned k = 0; k < r->words; k++)
        live_remove(x, r->word + k);
}

static void relieve(relief *x, unsigned limit)
{
    while (x->pressure > limit && x->n) {
        vreg v = heap_pop(x);

        if (x->words[v] && may_go(x, v))
            give_up(x, v);
    }
}

/* `change`: else it only notes where there are too many. */
static void walk_block(relief *x, const cg_block *b, bool change)
{
    unsigned most = 0, own = ra_limit_at(b, x->r.limit);
    unsigned limit = own > 4 * SPARE ? own - SPARE : own - own / 4;
    const cg_words *out = &x->r.live->out[b->id], *in = &x->r.live->in[b->id];
    here h = {.x = x};

    x->n = 0;
    for (uint32_t i = 0; i < out->n; i++)
        live_add(x, out->word[i]);
    for (h.in = b->last; h.in; h.in = h.in->prev) {
        if (change)
            relieve(x, limit);
        most = x->pressure > most ? x->pressure : most;
        cg_each_def(x->r.f, h.in, kill_def, &h);
        cg_each_use(x->r.f, h.in, live_add, x);
    }
    if (change)
        relieve(x, limit);
    most = x->pressure > most ? x->pressure : most;
    x->over[own] |= most > own;
    for (uint32_t i = 0; i < in->n; i++)
        live_remove(x, in->word[i]);
    MUST(!x->pressure);
}

/* ---- what it costs ----------------------------------------------------- */

typedef struct visit {
    relief *x;
    uint32_t at;
    double freq;
} visit;

static void count_word_use(void *arg, uint32_t word)
{
    const visit *c = arg;
    vreg v = c->x->r.owner[word];

    c->x->r.node[v].cost += c->freq;
    c->x->r.node[v].used = true;
    if (!c->x->first[v])
        c->x->first[v] = c->at + 1;
    c->x->last[v] = c->at + 1;
}

static void find_ranks(relief *x)
{
    cg_func *f = x->r.f;
    visit c = {.x = x};

    for (uint32_t i = 0; i < f->nblocks; i++) {
        c.freq = ra_frequency(f->blocks[i]);
        CG_EACH(in, f->blocks[i])
        {
            cg_each_use(f, in, count_word_use, &c);
            cg_each_def(f, in, count_word_use, &c);
            c.at++;
        }
    }
    for (vreg v = 1; v < f->nregs; v++)
        x->rank[v] = x->r.node[v].cost / (x->last[v] - x->first[v] + 1.0);
}

/* Sums with a constant go first: an addition makes them again. */
static void prefer_sums(relief *x)
{
    cg_func *f = x->r.f;
    cg_defuse *d = cg_defuse_new(x->r.mem, f);

    for (vreg v = 1; v < f->nregs; v++) {
        const cg_du *u = cg_du_of(d, v, 0);

        if (f->regs[v].words == 1 && u->ssa && ra_sum_of(u->def))
            x->rank[v] /= 4;
    }
}

void ra_relieve(cg_func *f, unsigned limit)
{
    relief x = {.r = {.f = f, .mem = arena_new(), .limit = limit}};
    bool preferred = false;
    arena *a = x.r.mem;

    MUST(a);
    x.r.live = cg_live_new(a, f);
    ra_begin(&x.r);
    x.live = ARENA_ARRAY(a, bool, f->nwords);
    x.words = ARENA_ARRAY(a, unsigned, f->nregs);
    x.rank = ARENA_ARRAY(a, double, f->nregs);
    x.first = ARENA_ARRAY(a, uint32_t, f->nregs);
    x.last = ARENA_ARRAY(a, uint32_t, f->nregs);
    find_ranks(&x);
    for (uint32_t i = 0; i < f->nblocks; i++)
        walk_block(&x, f->blocks[i], false);
    for (uint32_t i = 0; i < f->nblocks; i++)
        if (x.over[ra_limit_at(f->blocks[i], limit)]) {
            if (!preferred)
                prefer_sums(&x);
            preferred = true;
            walk_block(&x, f->blocks[i], true);
        }
    if (x.any)
        ra_spill(&x.r);
    arena_free(a);
}
