/* src/codegen/alloc/ra_colour.c - takes nodes from the graph, the easiest to
 * place first, and gives them registers in the opposite order. */
#include "codegen/alloc/ra.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

typedef struct graphnode { /* a root while the graph is taken apart */
    vreg *next;            /* neighbouring roots */
    uint32_t nnext;
    uint32_t degree; /* words of the neighbours still there */
    uint32_t slots;  /* places of this node's size that they can block */
    bool gone;
} graphnode;

static bool is_root(const ra *r, vreg v)
{
    return r->node[v].used && r->node[v].up == v && !r->f->regs[v].fixed &&
           (r->f->regs[v].cls == CG_PRED) == r->preds;
}

static unsigned blocked_slots(unsigned size, unsigned by)
{
    return by > size ? by / size : 1;
}

static int by_number(const void *x, const void *y)
{
    vreg a = *(const vreg *)x, b = *(const vreg *)y;

    return a < b ? -1 : a > b;
}

/* list[] is scratch; seen[x] the last whose neighbour x was. */
static void find_neighbours(ra *r, graphnode *g, vreg v, vreg *list, vreg *seen)
{
    uint32_t n = 0;
    unsigned off;

    for (unsigned i = 0; i < r->node[v].size; i++) {
        const ra_list *l = &r->adj[r->f->regs[v].word + i];

        for (uint32_t j = 0; j < l->n; j++) {
            vreg x = ra_root(r, r->owner[l->word[j]], &off);

            if (x != v && seen[x] != v)
                list[n++] = x;
            seen[x] = v;
        }
    }
    qsort(list, n, sizeof *list, by_number);
    g->next = ARENA_ARRAY(r->mem, vreg, n + 1);
    g->nnext = n;
    memcpy(g->next, list, n * sizeof *list);
    for (uint32_t i = 0; i < n; i++) {
        g->degree += r->node[list[i]].size;
        g->slots += blocked_slots(r->node[v].size, r->node[list[i]].size);
    }
}

/* How many of `n` bits stand from bit `from` on, at most 64. */
static unsigned bits_left(unsigned n, unsigned from)
{
    return n <= from ? 0 : n - from < 64 ? n - from : 64;
}

static bool is_easy(const ra *r, const graphnode *g, vreg v)
{
    unsigned avoided = 0, limit = r->node[v].limit;

    for (unsigned k = 0; k < 4; k++)
        avoided += bits_popcount64(r->node[v].avoid.of[k] &
                                   bits_mask64(bits_left(limit, 64 * k)));
    return g[v].slots < (limit - avoided) / r->node[v].size;
}

/* Nodes still in the graph: easy ones by degree, the others in one list. */
enum { BUCKETS = 2048 }; /* the last one for all larger degrees */

typedef struct queue {
    vreg *head; /* by bucket; [BUCKETS] holds the hard ones */
    vreg *next, *prev;
    uint32_t *bucket; /* of each node */
    uint32_t low;     /* no bucket below has any */
} queue;

static void queue_remove(queue *q, vreg v)
{
    if (q->prev[v])
        q->next[q->prev[v]] = q->next[v];
    else
        q->head[q->bucket[v]] = q->next[v];
    if (q->next[v])
        q->prev[q->next[v]] = q->prev[v];
}

static void queue_add(const ra *r, queue *q, const graphnode *g, vreg v)
{
    uint32_t b = g[v].degree < BUCKETS ? g[v].degree : BUCKETS - 1;

    if (!is_easy(r, g, v))
        b = BUCKETS;
    else if (b < q->low)
        q->low = b;
    q->bucket[v] = b;
    q->prev[v] = 0;
    q->next[v] = q->head[b];
    if (q->head[b])
        q->prev[q->head[b]] = v;
    q->head[b] = v;
}

/* The node to take next: an easy one with the fewest neighbours; if there is
 * none, the one that is cheapest to spill. */
static vreg choose_node(const ra *r, queue *q, const graphnode *g)
{
    vreg best = 0;
    double best_rank = 0;

    for (; q->low < BUCKETS; q->low++)
        if (q->head[q->low])
            return q->head[q->low];
    for (vreg v = q->head[BUCKETS]; v; v = q->next[v]) {
        double rank = r->node[v].cost / (g[v].degree + 1.0);

        if (r->f->regs[v].no_spill)
            rank += 1e12;
        if (!best || rank < best_rank || (rank == best_rank && v < best)) {
            best = v;
            best_rank = rank;
        }
    }
    return best;
}

static void take_apart(ra *r, graphnode *g)
{
    uint32_t n = r->f->nregs;
    queue q = {
        .head = ARENA_ARRAY(r->mem, vreg, BUCKETS + 1),
        .next = ARENA_ARRAY(r->mem, vreg, n),
        .prev = ARENA_ARRAY(r->mem, vreg, n),
        .bucket = ARENA_ARRAY(r->mem, uint32_t, n),
        .low = BUCKETS,
    };
    vreg v;

    r->order = ARENA_ARRAY(r->mem, vreg, n);
    r->norder = 0;
    for (v = n; v-- > 1;)
        g[v].gone = r->f->regs[v].fixed;
    for (v = n; v-- > 1;)
        if (is_root(r, v))
            queue_add(r, &q, g, v);
    while ((v = choose_node(r, &q, g))) {
        queue_remove(&q, v);
        g[v].gone = true;
        r->order[r->norder++] = v;
        for (uint32_t i = 0; i < g[v].nnext; i++) {
            vreg x = g[v].next[i];

            if (g[x].gone)
                continue;
            queue_remove(&q, x);
            g[x].degree -= r->node[v].size;
            g[x].slots -= blocked_slots(r->node[x].size, r->node[v].size);
            queue_add(r, &q, g, x);
        }
    }
}

/* ---- colouring --------------------------------------------------------- */

/* A node of `size` words cannot hold physical register `reg`. */
static void forbid(bool forbidden[256], unsigned reg, unsigned size)
{
    for (unsigned i = 0; i < size && i <= reg; i++)
        forbidden[reg - i] = true;
}

void ra_forbidden(const ra *r, vreg v, bool forbidden[256])
{
    const cg_regset *avoid = &r->node[v].avoid;

    for (unsigned p = 0; p < 256; p++) {
        forbidden[p] = false;
        for (unsigned i = 0; i < r->node[v].size && p + i < 256; i++)
            forbidden[p] |= avoid->of[(p + i) / 64] >> ((p + i) % 64) & 1;
    }
    if (r->f->fixed[ABI_SP] && !r->preds)
        forbid(forbidden, ABI_SP, r->node[v].size);
    if (r->f->opt->no_r0 && !r->preds)
        forbid(forbidden, 0, r->node[v].size);
    for (unsigned i = 0; i < r->node[v].size; i++) {
        const ra_list *l = &r->adj[r->f->regs[v].word + i];

        for (uint32_t j = 0; j < l->n; j++) {
            uint32_t w = ra_canon(r, l->word[j]);
            vreg x = r->owner[w];
            unsigned phys;

            if (r->node[x].colour == RA_NONE || x == v)
                continue;
            phys = r->node[x].colour + w - r->f->regs[x].word;
            if (phys >= i)
                forbidden[phys - i] = true;
        }
    }
}

static bool allowed(const ra *r, vreg v, const bool forbidden[256], int base)
{
    unsigned size = r->node[v].size;

    return base >= 0 && base % (int)size == 0 &&
           (unsigned)base + size <= r->node[v].limit && !forbidden[base];
}

/* The place whose surroundings are the most taken, so that room for pairs and
 * quads is not broken up: first within four registers, then two. */
static uint16_t best_fit(const ra *r, vreg v, const bool forbidden[256])
{
    unsigned size = r->node[v].size, best = RA_NONE, best_free = 99;

    for (unsigned base = 0; base + size <= r->node[v].limit; base += size) {
        unsigned pair = base & ~1u, quad = base & ~3u, room = 0;

        if (!allowed(r, v, forbidden, (int)base))
            continue;
        if (base >= r->used && best != RA_NONE)
            break; /* nothing new while there is room among the old */
        if (size == 1)
            room += 4 * !forbidden[pair + !(base & 1)];
        if (size < 4)
            for (unsigned i = quad; i < quad + 4; i++)
                room += !forbidden[i];
        if (room < best_free) {
            best_free = room;
            best = base;
        }
    }
    return (uint16_t)best;
}

static uint16_t pick_colour(const ra *r, vreg v, const bool forbidden[256])
{
    const ra_node *n = &r->node[v];

    for (uint32_t i = 0; i < n->nhints; i++) {
        unsigned off;
        vreg x = ra_root(r, n->hint[i].reg, &off);
        int want;

        if (r->node[x].colour == RA_NONE)
            continue;
        want = (int)r->node[x].colour + (int)off + n->hint[i].delta;
        if ((unsigned)want + n->size <= r->used &&
            allowed(r, v, forbidden, want))
            return (uint16_t)want;
    }
    return best_fit(r, v, forbidden);
}

/* The registers of the ABI stand where they must; the highest + 1. */
static unsigned place_fixed(ra *r)
{
    unsigned used = 0;

    for (unsigned p = 0; p < ABI_FIXED; p++) {
        vreg v = r->f->fixed[p];

        if (!v || !r->node[v].used)
            continue;
        r->node[v].colour = (uint16_t)p;
        used = p + 1;
    }
    return used;
}

/* Colours the nodes in this order; returns how many find no place. */
static uint32_t colour_in_order(ra *r, const vreg *order)
{
    bool forbidden[256];
    uint32_t left = 0;

    r->used = r->preds ? 0 : place_fixed(r);
    for (uint32_t i = 0; i < r->norder; i++) {
        vreg v = order[i];

        ra_forbidden(r, v, forbidden);
        r->node[v].colour = pick_colour(r, v, forbidden);
        r->node[v].spilled = r->node[v].colour == RA_NONE;
        if (r->node[v].spilled)
            left++;
        else if (r->node[v].colour + r->node[v].size > r->used)
            r->used = r->node[v].colour + r->node[v].size;
    }
    return left;
}

static void forget_colours(ra *r)
{
    for (vreg v = 1; v < r->f->nregs; v++) {
        r->node[v].colour = RA_NONE;
        r->node[v].spilled = false;
    }
}

typedef struct begin {
    vreg v;
    uint32_t start;
} begin;

static int by_start(const void *x, const void *y)
{
    const begin *a = x, *b = y;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->v < b->v ? -1 : a->v > b->v;
}

/* The order of the program, which is the best there is for code without
 * branches; and that of the graph, better where registers are short. */
bool ra_colour(ra *r)
{
    graphnode *g = ARENA_ARRAY(r->mem, graphnode, r->f->nregs);
    vreg *list = ARENA_ARRAY(r->mem, vreg, r->f->nregs);
    vreg *seen = ARENA_ARRAY(r->mem, vreg, r->f->nregs);
    vreg *order;
    begin *b;
    uint32_t left;
    unsigned used;

    for (vreg v = 1; v < r->f->nregs; v++)
        if (is_root(r, v))
            find_neighbours(r, &g[v], v, list, seen);
    take_apart(r, g);
    order = ARENA_ARRAY(r->mem, vreg, r->norder + 1);
    b = ARENA_ARRAY(r->mem, begin, r->norder + 1);
    for (uint32_t i = 0; i < r->norder; i++)
        b[i] = (begin){r->order[i], r->node[r->order[i]].start};
    qsort(b, r->norder, sizeof *b, by_start);
    for (uint32_t i = 0; i < r->norder; i++)
        order[i] = b[i].v;
    left = colour_in_order(r, order);
    used = r->used;
    forget_colours(r);
    for (uint32_t i = 0; i < r->norder / 2; i++) {
        vreg t = r->order[i];

        r->order[i] = r->order[r->norder - 1 - i];
        r->order[r->norder - 1 - i] = t;
    }
    if (colour_in_order(r, r->order) == 0 && (left || r->used <= used))
        return true;
    if (left)
        return false;
    forget_colours(r);
    return colour_in_order(r, order) == 0;
}
