/* src/codegen/flow/wait.c */
#include "codegen/flow/wait.h"

#include <string.h>

#include "codegen/flow/diverge.h"
#include "codegen/flow/wait_find.h"

/* ---- where lanes meet -------------------------------------------------- */

static bool has_end(const waiting *x, uint32_t b)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (x->ends[i] == b)
            return true;
    return false;
}

/* Writes that end the wait in loop l are still to come at `from`. */
static bool ends_later(waits *w, uint32_t l, uint32_t from)
{
    uint32_t n = wt_onward_between(w, l, from, GRAPH_NONE);

    for (uint32_t i = 0; i < n; i++)
        if (has_end(&w->of[l], w->work[i]))
            return true;
    return false;
}

/* Lanes have to meet between two blocks, at a barrier or a shuffle. */
static bool meets_between(waits *w, uint32_t l, uint32_t from, uint32_t to)
{
    uint32_t n = wt_onward_between(w, l, from, to);

    for (uint32_t i = 0; i < n; i++)
        CG_EACH(in, w->f->blocks[w->work[i]])
    if (wt_is_meeting(in))
        return true;
    return false;
}

/* The first meeting point from `from` on behind the writes that end the wait
 * in loop l; GRAPH_NONE if those come after the function has returned. */
static uint32_t delayed(waits *w, uint32_t l, uint32_t from,
                        const uint32_t *meet)
{
    uint32_t to = from;

    if (w->of[l].outlives)
        return meets_between(w, l, from, GRAPH_NONE) ? from : GRAPH_NONE;
    while (to != GRAPH_NONE && ends_later(w, l, to) &&
           !meets_between(w, l, from, meet[to]))
        to = meet[to];
    return to;
}

/* Lanes that part in block b may wait in loop l before they meet at `end`. */
static bool waits_before(waits *w, uint32_t l, uint32_t b, uint32_t end)
{
    uint32_t n;

    if (end != GRAPH_NONE && wt_in_loop(w, l, end))
        return false;
    if (wt_in_loop(w, l, b))
        return true;
    n = cg_between(w->g, b, end, w->stamps, ++w->stamp, w->work);
    for (uint32_t i = 0; i < n; i++)
        if (w->work[i] == w->loops->loops[l].header)
            return true;
    return false;
}

/* Delays where lanes that part in block b meet, on account of one loop; false
 * if there is no cause. */
static bool delay_once(waits *w, uint32_t b, uint32_t *end,
                       const uint32_t *meet, bool *asunder)
{
    for (uint32_t l = 0; l < w->loops->count && *end != GRAPH_NONE; l++) {
        const waiting *x = &w->of[l];
        uint32_t next, n;

        if (!x->waits || (!x->n && !x->outlives) ||
            !waits_before(w, l, b, *end))
            continue;
        next = delayed(w, l, *end, meet);
        if (next == *end)
            continue;
        n = wt_onward_between(w, l, *end, next);
        for (uint32_t i = 0; i < n; i++)
            asunder[w->work[i]] = true;
        *end = next;
        return true;
    }
    return false;
}

void cg_delay_meetings(arena *a, const cg_defuse *d, const graph_loops *loops,
                       uint32_t *meet, bool *asunder)
{
    uint32_t *was;
    waits w;

    if (!wt_find(a, d, loops, &w))
        return;
    was = ARENA_ARRAY(a, uint32_t, w.g->n + 1);
    memcpy(was, meet, w.g->n * sizeof *was);
    for (uint32_t b = 0; b < w.g->n; b++)
        while (graph_nsucc(w.g, b) > 1 &&
               delay_once(&w, b, &meet[b], was, asunder))
            ; /* the way to there may have further loops */
}

/* ---- which lanes run first ---------------------------------------------- */

/* The lanes that go from the end of `b` to `first` run before the others. */
static void put_first(cg_block *b, cg_block *first)
{
    cg_inst *last = b->last;

    if (last->target == first) {
        last->target = b->fall;
        b->fall = first;
        last->guard = cg_not(last->guard);
    }
    last->ordered = true;
}

/* Where lanes that part in block b meet if both ways lead there; GRAPH_NONE:
 * one ends before. */
static uint32_t meeting_of_both(const waits *w, uint32_t b,
                                const uint32_t *meet)
{
    uint32_t ways[2];

    return graph_nsucc(w->g, b) == 2 && cg_ways(w->g, meet, b, ways) == 2
               ? meet[b]
               : GRAPH_NONE;
}

/* Lanes that go to `from` may wait in a loop before they meet at `end`. */
static bool way_waits(waits *w, uint32_t from, uint32_t end)
{
    for (uint32_t l = 0; l < w->loops->count; l++)
        if (w->of[l].waits && from != end && waits_before(w, l, from, end))
            return true;
    return false;
}

/* The innermost loop around block b that waits, GRAPH_NONE. */
static uint32_t waiting_loop(const waits *w, uint32_t b)
{
    uint32_t l = w->loops->of_node[b];

    while (l != GRAPH_NONE && !w->of[l].waits)
        l = w->loops->loops[l].parent;
    return l;
}

/* Orders branches so that lanes which leave a waiting loop, or go around it,
 * run before lanes that stay in it or enter it. */
static void order_ways(waits *w, const uint32_t *meet)
{
    for (uint32_t i = 0; i < w->g->n; i++) {
        cg_block *b = w->f->blocks[i];
        uint32_t l = waiting_loop(w, i), end = meeting_of_both(w, i, meet);
        bool there, next;

        if (!w->d->in[i] || !b->last || b->last->op != ISA_BRA ||
            !b->last->guard.reg || !b->fall)
            continue;
        there = l != GRAPH_NONE && wt_in_loop(w, l, b->last->target->id);
        next = l != GRAPH_NONE && wt_in_loop(w, l, b->fall->id);
        if (there == next) {
            there = way_waits(w, b->last->target->id, end);
            next = way_waits(w, b->fall->id, end);
        }
        if (there != next)
            put_first(b, there ? b->fall : b->last->target);
    }
}

/* ---- changing the code ------------------------------------------------- */

/* What follows `in` becomes a block of its own. */
static void cut_behind(cg_func *f, cg_inst *in)
{
    cg_block *b = in->block, *rest;

    if (!in->next)
        return;
    rest = cg_block_new(f);
    while (in->next) {
        cg_inst *moved = in->next;

        cg_remove(moved);
        cg_append(rest, moved);
    }
    rest->fall = b->fall;
    b->fall = rest;
    if (b->id + 1 < f->nblocks)
        cg_block_insert(f, rest, f->blocks[b->id + 1]);
    else
        cg_block_append(f, rest);
}

/* By block, behind what it is to be cut; NULL: nowhere. */
static cg_inst **find_cuts(waits *w)
{
    cg_inst **cut = ARENA_ARRAY(w->mem, cg_inst *, w->g->n + 1);
    bool closed;

    for (uint32_t l = 0; l < w->loops->count; l++)
        for (uint32_t i = 0; i < w->of[l].n; i++) {
            uint32_t b = w->of[l].ends[i];
            cg_inst *in = wt_last_end(w, l, b, &closed);

            if (in && (!cut[b] || cut[b]->at < in->at))
                cut[b] = in;
        }
    return cut;
}

/* On the edges back to the header of loop l lanes yield. `was`: the blocks as
 * they were numbered when the loops were found. */
static void yield_in(waits *w, uint32_t l, cg_block **was)
{
    uint32_t h = w->loops->loops[l].header;
    cg_block *header = was[h], *back = cg_block_new(w->f);
    cg_inst *in = cg_inst_new(w->f, ISA_YIELD);

    in->line = header->first ? header->first->line : 0;
    cg_append(back, in);
    back->fall = header;
    for (uint32_t k = w->g->pred_at[h]; k < w->g->pred_at[h + 1]; k++)
        if (wt_in_loop(w, l, w->g->pred[k]))
            cg_redirect(was[w->g->pred[k]], header, back);
    cg_block_append(w->f, back);
}

static void insert_yields(waits *w)
{
    uint32_t n = w->f->nblocks;
    cg_block **was = ARENA_ARRAY(w->mem, cg_block *, n);

    memcpy(was, w->f->blocks, n * sizeof(cg_block *));
    for (uint32_t l = 0; l < w->loops->count; l++)
        if (w->of[l].waits)
            yield_in(w, l, was);
}

/* ---- two loops in one --------------------------------------------------- */

/* An edge back to the header of loop l that comes before all others, behind a
 * read: it tries again, and the other edges belong to a loop around it.
 * GRAPH_NONE if there is none. */
static uint32_t retry_of(const cg_defuse *d, const graph_loop *l,
                         const graph_loops *loops, uint32_t number)
{
    const waits w = {.f = d->f, .loops = loops};
    uint32_t first = GRAPH_NONE, n = 0;
    bool reads = false;

    for (uint32_t k = d->g->pred_at[l->header];
         k < d->g->pred_at[l->header + 1]; k++) {
        uint32_t p = d->g->pred[k];

        if (!wt_in_loop(&w, number, p))
            continue;
        n++;
        if (first == GRAPH_NONE ||
            cg_block_dominates(d, d->f->blocks[p], d->f->blocks[first]))
            first = p;
    }
    for (uint32_t i = 0; i < l->count && n > 1; i++) {
        const cg_block *b = d->f->blocks[l->nodes[i]];

        reads |= wt_reads(b) && cg_block_dominates(d, b, d->f->blocks[first]);
    }
    for (uint32_t k = d->g->pred_at[l->header];
         k < d->g->pred_at[l->header + 1] && reads; k++)
        reads = !wt_in_loop(&w, number, d->g->pred[k]) ||
                cg_block_dominates(d, d->f->blocks[first],
                                   d->f->blocks[d->g->pred[k]]);
    return reads ? first : GRAPH_NONE;
}

/* Compilers let a loop begin with one in which it waits, so that both have one
 * header and look like one loop. The outer one gets a header of its own. False
 * if there is none such. */
static bool separate_retry(cg_func *f)
{
    arena *a = arena_new();
    const cg_defuse *d;
    const graph_loops *loops;
    bool found = false;

    d = cg_defuse_new(a, f);
    loops = graph_find_loops(a, d->g, 0);
    for (uint32_t l = 0; l < loops->count && !found; l++) {
        uint32_t h = loops->loops[l].header;
        uint32_t retry = retry_of(d, &loops->loops[l], loops, l);
        cg_block *header = f->blocks[h], *outer;

        if (retry == GRAPH_NONE)
            continue;
        found = true;
        outer = cg_block_new(f);
        outer->fall = header;
        for (uint32_t k = d->g->pred_at[h]; k < d->g->pred_at[h + 1]; k++)
            if (d->g->pred[k] != retry)
                cg_redirect(f->blocks[d->g->pred[k]], header, outer);
        cg_block_insert(f, outer, header);
    }
    arena_free(a);
    return found;
}

/* Notes which accesses callers have to take into account. */
static void note_accesses(cg_func *f)
{
    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH(in, f->blocks[i])
        {
            f->reads_shared |= wt_is_read(in);
            f->writes_shared |= wt_is_write(in);
        }
}

void cg_prepare_waits(cg_func *f)
{
    arena *a = arena_new();
    const cg_defuse *d;
    const graph_loops *loops;
    cg_inst **cut;
    waits w;

    note_accesses(f);
    while (f->reads_shared && separate_retry(f))
        ;
    d = cg_defuse_new(a, f);
    loops = graph_find_loops(a, d->g, 0);
    if (wt_find(a, d, loops, &w)) {
        order_ways(&w, cg_meeting_points(a, d->g));
        cut = find_cuts(&w);
        if (f->opt->arch >= ARCH_VOLTA)
            insert_yields(&w);
        for (uint32_t b = 0; b < w.g->n; b++)
            if (cut[b])
                cut_behind(f, cut[b]);
    }
    arena_free(a);
}
