/* src/codegen/ra_colour.c - takes nodes from the graph, those that are easy to
 * place first, and gives them registers in the opposite order. */
#include "codegen/ra.h"

#include <stdlib.h>
#include <string.h>

typedef struct graphnode { /* a root while the graph is taken apart */
    vreg *next;            /* neighbouring roots */
    uint32_t nnext;
    uint32_t degree; /* words of the neighbours still there */
    uint32_t slots;  /* places of this node's size that they can block */
    bool gone;
} graphnode;

static bool is_root(const ra *r, vreg v)
{
    return r->node[v].used && r->node[v].up == v &&
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

static void find_neighbours(ra *r, graphnode *g, vreg v, vreg *list)
{
    uint32_t n = 0, distinct = 0;
    unsigned off;

    for (unsigned i = 0; i < r->node[v].size; i++) {
        const ra_list *l = &r->adj[r->f->regs[v].word + i];

        for (uint32_t j = 0; j < l->n; j++)
            list[n++] = ra_root(r, r->owner[l->word[j]], &off);
    }
    qsort(list, n, sizeof *list, by_number);
    for (uint32_t i = 0; i < n; i++)
        if (list[i] != v && (!i || list[i] != list[i - 1]))
            list[distinct++] = list[i];
    g->next = ARENA_ARRAY(r->mem, vreg, distinct + 1);
    g->nnext = distinct;
    memcpy(g->next, list, distinct * sizeof *list);
    for (uint32_t i = 0; i < distinct; i++) {
        g->degree += r->node[list[i]].size;
        g->slots += blocked_slots(r->node[v].size, r->node[list[i]].size);
    }
}

static bool is_easy(const ra *r, const graphnode *g, vreg v)
{
    return g[v].slots < r->limit / r->node[v].size;
}

/* The node to take next: an easy one with the fewest neighbours; if there is
 * none, the one that is cheapest to spill. */
static vreg choose(const ra *r, const graphnode *g, const vreg *left,
                   uint32_t n, uint32_t *at)
{
    vreg best = 0;
    double best_rank = 0;

    for (uint32_t i = 0; i < n; i++) {
        vreg v = left[i];

        if (is_easy(r, g, v) && (!best || g[v].degree < g[best].degree)) {
            best = v;
            *at = i;
        }
    }
    if (best)
        return best;
    for (uint32_t i = 0; i < n; i++) {
        vreg v = left[i];
        double rank = r->node[v].cost / (g[v].degree + 1.0);

        if (r->f->regs[v].no_spill)
            rank += 1e12;
        if (!best || rank < best_rank) {
            best = v;
            best_rank = rank;
            *at = i;
        }
    }
    return best;
}

static void take_apart(ra *r, graphnode *g)
{
    uint32_t n = 0, at = 0;
    vreg *left = ARENA_ARRAY(r->mem, vreg, r->f->nregs);

    r->order = ARENA_ARRAY(r->mem, vreg, r->f->nregs);
    r->norder = 0;
    for (vreg v = 1; v < r->f->nregs; v++)
        if (is_root(r, v))
            left[n++] = v;
    while (n) {
        vreg v = choose(r, g, left, n, &at);

        left[at] = left[--n];
        g[v].gone = true;
        r->order[r->norder++] = v;
        for (uint32_t i = 0; i < g[v].nnext; i++) {
            vreg x = g[v].next[i];

            if (g[x].gone)
                continue;
            g[x].degree -= r->node[v].size;
            g[x].slots -= blocked_slots(r->node[x].size, r->node[v].size);
        }
    }
}

/* ---- colouring --------------------------------------------------------- */

/* First registers that node v cannot have, as a bit set. */
static void find_forbidden(const ra *r, vreg v, bool forbidden[256])
{
    memset(forbidden, 0, 256);
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
           (unsigned)base + size <= r->limit && !forbidden[base];
}

static uint16_t pick(const ra *r, vreg v, const bool forbidden[256])
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
    for (unsigned base = 0; base + n->size <= r->limit; base += n->size)
        if (allowed(r, v, forbidden, (int)base))
            return (uint16_t)base;
    return RA_NONE;
}

bool ra_colour(ra *r)
{
    graphnode *g = ARENA_ARRAY(r->mem, graphnode, r->f->nregs);
    vreg *list = ARENA_ARRAY(r->mem, vreg, 2 * (size_t)r->nedges + 1);
    bool forbidden[256], all = true;

    for (vreg v = 1; v < r->f->nregs; v++)
        if (is_root(r, v))
            find_neighbours(r, &g[v], v, list);
    take_apart(r, g);
    r->used = 0;
    for (uint32_t i = r->norder; i-- > 0;) {
        vreg v = r->order[i];
        uint16_t c;

        find_forbidden(r, v, forbidden);
        c = pick(r, v, forbidden);
        if (c == RA_NONE) {
            r->node[v].spilled = true;
            all = false;
            continue;
        }
        r->node[v].colour = c;
        if (c + r->node[v].size > r->used)
            r->used = c + r->node[v].size;
    }
    return all;
}
