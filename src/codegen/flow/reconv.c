/* src/codegen/flow/reconv.c - makes the lanes of a warp meet again after
 * divergent branches.
 *
 * A region has an entrance (SSY, or BSSY Bn, at the end of a block), the blocks
 * inside, and a meeting point with the landing block before it (SYNC, BSYNC
 * Bn), which all edges from inside to the meeting point go through. The
 * branches with one meeting point share a region. Its entrance is the nearest
 * block that dominates all of it; where that is in a loop which the region
 * leaves, the entrance moves in front of the loop. Regions that would be
 * entered from the side, or do not nest, are given up: that costs speed, never
 * correctness.
 *
 * From Volta on, lanes can leave a region without meeting the others (BREAK).
 * So the lanes that stay in a loop meet in it, too, behind branches of which
 * some paths leave the loop. */
#include <stdlib.h>
#include <string.h>

#include "codegen/flow/diverge.h"
#include "codegen/flow/wait.h"
#include "codegen/ir/build.h"
#include "codegen/ir/pass.h"

typedef struct region {
    uint32_t end;      /* meeting point */
    uint32_t entrance; /* SSY stands at its end */
    uint32_t loop;     /* GRAPH_NONE, or the one that the entrance is in front
                          of: SSY goes to a block on the edges into it */
    uint32_t header;   /* of that loop */
    uint32_t within;   /* GRAPH_NONE, or the loop that lanes may leave */
    uint32_t *inside;  /* blocks between entrance and end, ascending */
    uint32_t size;     /* their number */
    uint32_t next;     /* region + 1 that begins in the same block */
    uint32_t depth;    /* regions around it */
    bool dropped;
    cg_block *landing;
    uint32_t from;   /* a block that jumps to the landing */
    cg_inst *opener; /* SSY or BSSY */
} region;

typedef struct reconv {
    cg_func *f;
    arena *mem;
    cg_defuse *d;
    const graph *g;
    uint32_t *meet, *meet_in_loop;
    uint32_t *target, *fall; /* of blocks, as they were; GRAPH_NONE */
    graph_loops *loops;
    region *region; /* by number */
    uint32_t n;
    uint32_t *of_end; /* region + 1 by meeting point */
    uint32_t *at;     /* region + 1, the first that begins in a block */
    uint32_t *work;
    uint32_t *stamps; /* by block: visited in the round `stamp` */
    uint32_t stamp;
    bool *apart;      /* blocks where the warp may be diverged */
    cg_block **front; /* by loop */
    uint32_t *depth;  /* regions open where a block begins */
} reconv;

/* ---- finding regions --------------------------------------------------- */

static bool parts(const reconv *r, uint32_t i)
{
    const cg_inst *last = r->f->blocks[i]->last;
    uint32_t *ways;

    if (!last || (last->op != ISA_BRA && last->op != ISA_BRX) || last->uniform)
        return false;
    ways = ARENA_ARRAY(r->mem, uint32_t, graph_nsucc(r->g, i) + 1);
    return cg_ways(r->g, r->meet, i, ways) > 1;
}

static uint32_t common_dominator(const reconv *r, uint32_t a, uint32_t b)
{
    while (a != GRAPH_NONE &&
           !cg_block_dominates(r->d, r->f->blocks[a], r->f->blocks[b]))
        a = r->d->idom[a];
    return a;
}

static bool in_loop(const reconv *r, uint32_t l, uint32_t block)
{
    uint32_t of = r->loops->of_node[block];

    while (of != GRAPH_NONE && of > l) /* outer before inner */
        of = r->loops->loops[of].parent;
    return of == l;
}

/* The outermost loop around `block` without `end`: below the innermost that
 * has both. */
static uint32_t leaving_loop(const reconv *r, uint32_t block, uint32_t end)
{
    uint32_t leaving = GRAPH_NONE, l = r->loops->of_node[block];
    uint32_t other = r->loops->of_node[end];

    while (l != other && l != GRAPH_NONE) {
        if (other != GRAPH_NONE && other > l) { /* outer before inner */
            other = r->loops->loops[other].parent;
        } else {
            leaving = l;
            l = r->loops->loops[l].parent;
        }
    }
    return leaving;
}

/* All ways from `block` lead to `end`. */
static bool always_meets(const reconv *r, uint32_t block, uint32_t end)
{
    while (block != GRAPH_NONE && block != end)
        block = r->meet[block];
    return block == end;
}

static int ascending(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

    return a < b ? -1 : a > b;
}

/* Block a lies between the entrance and the end. */
static bool is_inside(const region *x, uint32_t a)
{
    return x->size && bsearch(&a, x->inside, x->size, sizeof a, ascending);
}

/* The blocks from `start` to the end of region x without leaving the loop
 * that it is within: their number, in r->work. False if a way comes round
 * without meeting, or a table leaves the loop. */
static bool fill_within(reconv *r, const region *x, uint32_t start, uint32_t *n)
{
    uint32_t header = r->loops->loops[x->within].header, next = 0;

    if (!in_loop(r, x->within, start))
        return false;
    r->stamp++;
    for (uint32_t b = start;; b = r->work[next++]) {
        const cg_inst *last = r->f->blocks[b]->last;

        for (uint32_t k = r->g->succ_at[b]; k < r->g->succ_at[b + 1]; k++) {
            uint32_t s = r->g->succ[k];

            if (!in_loop(r, x->within, s)) {
                if (last && last->op == ISA_BRX)
                    return false;
                continue;
            }
            if (s == x->end || r->stamps[s] == r->stamp)
                continue;
            if (s == header)
                return false;
            r->stamps[s] = r->stamp;
            r->work[(*n)++] = s;
        }
        if (next == *n)
            return true;
    }
}

/* The header of the loop that the region stands in front of belongs to it. */
static bool fill_region(reconv *r, region *x, uint32_t start)
{
    uint32_t n = 0;

    if (x->within != GRAPH_NONE) {
        if (!fill_within(r, x, start, &n))
            return false;
    } else {
        if (!always_meets(r, start, x->end))
            return false;
        n = cg_between(r->g, start, x->end, r->stamps, ++r->stamp, r->work);
    }
    if (x->loop != GRAPH_NONE && r->stamps[x->header] != r->stamp)
        r->work[n++] = x->header;
    qsort(r->work, n, sizeof *r->work, ascending);
    x->inside = ARENA_ARRAY(r->mem, uint32_t, n + 1);
    memcpy(x->inside, r->work, n * sizeof *r->work);
    x->size = n;
    return true;
}

/* Moves the entrance up until it dominates everything inside. */
static bool settle_entrance(reconv *r, region *x)
{
    for (unsigned round = 0; round < 16; round++) {
        uint32_t top = x->entrance, start;

        x->loop = leaving_loop(r, x->entrance, x->end);
        if (x->loop != GRAPH_NONE)
            x->header = r->loops->loops[x->loop].header;
        start = x->loop == GRAPH_NONE ? x->entrance : x->header;
        if (!fill_region(r, x, start))
            return false;
        if (x->loop == GRAPH_NONE && is_inside(x, start))
            return false; /* a loop that is not natural */
        top = start;
        for (uint32_t i = 0; i < x->size && top != GRAPH_NONE; i++)
            top = common_dominator(r, top, x->inside[i]);
        if (top == GRAPH_NONE)
            return false;
        if (top == start)
            return true;
        x->entrance = top;
    }
    return false;
}

/* The region that ends at `end`, made or widened for a branch in block i. */
static void add_branch(reconv *r, uint32_t i, uint32_t end, uint32_t within)
{
    region *x;

    if (!r->of_end[end]) {
        x = &r->region[r->n++];
        *x = (region){.end = end, .entrance = i, .within = within};
        r->of_end[end] = r->n;
        return;
    }
    x = &r->region[r->of_end[end] - 1];
    if (within != GRAPH_NONE) {
        if (!in_loop(r, within, x->entrance) ||
            (x->within != GRAPH_NONE && x->within != within))
            return;
        x->within = within;
    }
    uint32_t top = common_dominator(r, x->entrance, i);
    x->entrance = top == GRAPH_NONE ? i : top;
}

/* The branch in block i leaves its loop on some ways, and has two or more
 * that stay. */
static bool parts_in_loop(const reconv *r, uint32_t i)
{
    const cg_inst *last = r->f->blocks[i]->last;
    uint32_t l = r->loops->of_node[i], meet = r->meet[i], first = GRAPH_NONE;
    bool two = false;

    if (!last || last->op != ISA_BRA || last->uniform || l == GRAPH_NONE ||
        r->meet_in_loop[i] == GRAPH_NONE ||
        (meet != GRAPH_NONE && in_loop(r, l, meet)))
        return false;
    for (uint32_t k = r->g->succ_at[i]; k < r->g->succ_at[i + 1]; k++) {
        uint32_t s = r->g->succ[k];

        if (!in_loop(r, l, s))
            continue;
        two |= first != GRAPH_NONE && s != first;
        first = s;
    }
    return two;
}

/* Lanes that leave take themselves off the barrier, which a function that
 * others are in may keep in a register: they would be waited for. */
static bool calls_inside(const reconv *r, const region *x)
{
    for (uint32_t i = 0; i < x->size; i++)
        CG_EACH(in, r->f->blocks[x->inside[i]])
    if (cg_is_call(in) && !(in->callee && in->callee->keeps_nothing))
        return true;
    return false;
}

static void find_regions(reconv *r)
{
    uint32_t n = r->g->n;
    bool breaks = r->f->opt->arch >= ARCH_VOLTA;

    for (uint32_t i = 0; i < n; i++)
        if (r->meet[i] != GRAPH_NONE && r->d->in[i] && parts(r, i))
            add_branch(r, i, r->meet[i], GRAPH_NONE);
    for (uint32_t i = 0; i < n && breaks; i++)
        if (r->d->in[i] && parts_in_loop(r, i))
            add_branch(r, i, r->meet_in_loop[i], r->loops->of_node[i]);
    for (uint32_t i = r->n; i-- > 0;) {
        region *x = &r->region[i];
        uint32_t begins;

        x->dropped = !settle_entrance(r, x) ||
                     (x->within != GRAPH_NONE && calls_inside(r, x));
        begins = x->loop == GRAPH_NONE ? x->entrance : x->header;
        x->next = r->at[begins];
        r->at[begins] = i + 1;
    }
}

/* ---- nesting ----------------------------------------------------------- */

/* Regions open at a place, innermost last. */
typedef struct open {
    bool known;
    uint32_t n;
    uint32_t region[20];
} open;

static bool is_open(const open *o, uint32_t k)
{
    for (uint32_t i = 0; i < o->n; i++)
        if (o->region[i] == k)
            return true;
    return false;
}

/* Opens the regions that begin at the end of block b; or, coming from block
 * `from`, those in front of the loop with header b. Outer ones first: the
 * larger contains the smaller. */
static bool open_all(const reconv *r, open *o, uint32_t b, uint32_t from,
                     uint32_t *bad)
{
    for (;;) {
        uint32_t best = GRAPH_NONE;

        for (uint32_t k = r->at[b]; k; k = r->region[k - 1].next) {
            const region *x = &r->region[k - 1];

            if (x->dropped || is_open(o, k - 1) ||
                (x->loop == GRAPH_NONE) != (from == GRAPH_NONE) ||
                (from != GRAPH_NONE && in_loop(r, x->loop, from)))
                continue;
            if (best == GRAPH_NONE || x->size > r->region[best].size)
                best = k - 1;
        }
        if (best == GRAPH_NONE)
            return true;
        if (o->n == COUNTOF(o->region)) {
            *bad = best;
            return false;
        }
        o->region[o->n++] = best;
    }
}

/* Block a is in the region, its entrance included. */
static bool region_covers(const region *x, uint32_t a)
{
    return (x->loop == GRAPH_NONE && x->entrance == a) || is_inside(x, a);
}

/* Lanes that go from a to b leave the region without meeting. */
static bool breaks_out(const reconv *r, const region *x, uint32_t a, uint32_t b)
{
    return !x->dropped && x->within != GRAPH_NONE && region_covers(x, a) &&
           !in_loop(r, x->within, b);
}

/* Crossing from block a to block b: the regions that are broken out of, then
 * the region whose landing lies on the edge
 * is closed, those whose loop is entered are opened. False: a region is closed
 * that is not the innermost, *bad. */
static bool cross(const reconv *r, open *o, uint32_t a, uint32_t b,
                  uint32_t *bad)
{
    while (o->n && breaks_out(r, &r->region[o->region[o->n - 1]], a, b))
        o->n--;
    for (uint32_t i = 0; i < o->n; i++) {
        if (breaks_out(r, &r->region[o->region[i]], a, b)) {
            *bad = o->region[i];
            return false;
        }
    }
    uint32_t ends = r->of_end[b];

    if (ends && !r->region[ends - 1].dropped &&
        region_covers(&r->region[ends - 1], a)) {
        if (!o->n || o->region[o->n - 1] != ends - 1) {
            *bad = ends - 1;
            return false;
        }
        o->n--;
    }
    return open_all(r, o, b, a, bad);
}

/* Regions given up since are not open. */
static open without_dropped(const reconv *r, const open *o)
{
    open out = {.known = o->known};

    for (uint32_t i = 0; i < o->n; i++)
        if (!r->region[o->region[i]].dropped)
            out.region[out.n++] = o->region[i];
    return out;
}

static bool same_open(const open *a, const open *b)
{
    return a->n == b->n &&
           !memcmp(a->region, b->region, a->n * sizeof a->region[0]);
}

/* From block b with its stack along all edges; false and the number of a
 * region that breaks the nesting. */
static bool step_block(reconv *r, open *at, uint32_t b, uint32_t *n,
                       uint32_t *bad)
{
    uint32_t limit = r->f->opt->arch >= ARCH_VOLTA ? ISA_BARRIERS : 16;
    open here = without_dropped(r, &at[b]);

    if (!open_all(r, &here, b, GRAPH_NONE, bad))
        return false;
    if (here.n > limit) {
        *bad = here.region[here.n - 1];
        return false;
    }
    for (uint32_t i = 0; i < here.n; i++)
        r->region[here.region[i]].depth = i;
    for (uint32_t k = r->g->succ_at[b]; k < r->g->succ_at[b + 1]; k++) {
        uint32_t s = r->g->succ[k];
        open next = here, there = without_dropped(r, &at[s]);

        if (!cross(r, &next, b, s, bad))
            return false;
        if (next.n > limit) {
            *bad = next.region[next.n - 1];
            return false;
        }
        if (!at[s].known) {
            at[s] = next;
            at[s].known = true;
            r->work[(*n)++] = s;
        } else if (!same_open(&there, &next)) {
            *bad = next.n > there.n || !there.n ? next.region[next.n - 1]
                                                : there.region[there.n - 1];
            return false;
        }
    }
    return true;
}

/* Walks all paths with the stack of open regions; true if none had to be
 * dropped. Without it the walk goes on from the same block: what other
 * regions are open does not depend on it. */
static bool nests(reconv *r, open *at)
{
    uint32_t n = 0, bad = 0;
    bool all = true;

    for (uint32_t i = 0; i < r->g->n; i++)
        at[i].known = false;
    at[0] = (open){.known = true};
    r->work[n++] = 0;
    while (n) {
        uint32_t b = r->work[--n];

        if (step_block(r, at, b, &n, &bad))
            continue;
        MUST(!r->region[bad].dropped);
        r->region[bad].dropped = true;
        r->work[n++] = b;
        all = false;
    }
    return all;
}

static void drop_until_nested(reconv *r)
{
    open *at = ARENA_ARRAY(r->mem, open, r->g->n + 1);

    while (!nests(r, at))
        ;
    r->depth = ARENA_ARRAY(r->mem, uint32_t, r->g->n + 1);
    for (uint32_t i = 0; i < r->g->n; i++)
        r->depth[i] = at[i].known ? at[i].n : 0;
}

/* ---- inserting --------------------------------------------------------- */

static cg_inst *marker(reconv *r, unsigned op, const region *x,
                       const cg_block *near)
{
    cg_inst *in = cg_inst_new(r->f, op);

    in->line = near->last    ? near->last->line
               : near->first ? near->first->line
                             : 0;
    if (op == ISA_BSSY || op == ISA_BSYNC)
        in->lut = (uint8_t)x->depth;
    return in;
}

/* The landing goes on all edges from inside to the meeting point. `was`: the
 * blocks as they were numbered when the regions were found. */
static void insert_landing(reconv *r, region *x, cg_block **was)
{
    bool volta = r->f->opt->arch >= ARCH_VOLTA;
    cg_block *end = was[x->end];

    x->landing = cg_block_new(r->f);
    x->landing->fall = end;
    cg_block_insert(r->f, x->landing, end);
    cg_append(x->landing, marker(r, volta ? ISA_BSYNC : ISA_SYNC, x, end));
    for (uint32_t i = 0; i <= x->size; i++) {
        uint32_t b = i < x->size ? x->inside[i] : x->entrance;

        if (i == x->size && x->loop != GRAPH_NONE)
            break;
        cg_redirect(was[b], end, x->landing);
        if (was[b]->fall == x->landing ||
            (was[b]->last && was[b]->last->target == x->landing))
            x->from = b;
    }
}

/* The block in front of a loop; made once. */
static cg_block *front_of_loop(reconv *r, const region *x, cg_block **was)
{
    cg_block *header = was[x->header], *front = r->front[x->loop];

    if (front)
        return front;
    front = r->front[x->loop] = cg_block_new(r->f);
    for (uint32_t k = r->g->pred_at[x->header];
         k < r->g->pred_at[x->header + 1]; k++)
        if (!in_loop(r, x->loop, r->g->pred[k]))
            cg_redirect(was[r->g->pred[k]], header, front);
    if (r->of_end[x->header]) {
        const region *y = &r->region[r->of_end[x->header] - 1];

        if (y->landing && !in_loop(r, x->loop, y->from))
            cg_redirect(y->landing, header, front);
    }
    front->fall = header;
    cg_block_insert(r->f, front, header);
    return front;
}

static void insert_entrance(reconv *r, region *x, cg_block **was)
{
    bool volta = r->f->opt->arch >= ARCH_VOLTA;
    cg_block *b = was[x->entrance];
    cg_inst *in;

    if (x->loop != GRAPH_NONE)
        b = front_of_loop(r, x, was);
    in = x->opener = marker(r, volta ? ISA_BSSY : ISA_SSY, x, b);
    if (b->last && cg_is_branch(b->last))
        cg_insert_before(in, b->last);
    else
        cg_append(b, in);
}

/* Whether the lanes that go this way leave the region. */
static bool leaves_region(const reconv *r, const region *x, uint32_t a,
                          uint32_t b)
{
    return b != GRAPH_NONE && breaks_out(r, x, a, b);
}

/* Lanes about to leave by the end of block i take themselves off the
 * barrier. */
static void insert_break(reconv *r, const region *x, uint32_t i, cg_block *b)
{
    bool taken = leaves_region(r, x, i, r->target[i]);
    bool falls = leaves_region(r, x, i, r->fall[i]);
    cg_inst *in;

    if (!taken && !falls)
        return;
    in = marker(r, ISA_BREAK, x, b);
    in->lut = (uint8_t)x->depth;
    if (r->target[i] != GRAPH_NONE && r->fall[i] != GRAPH_NONE &&
        !(taken && falls))
        in->guard = taken ? b->last->guard : cg_not(b->last->guard);
    if (b->last && cg_is_branch(b->last))
        cg_insert_before(in, b->last);
    else
        cg_append(b, in);
}

static void insert_breaks(reconv *r, const region *x, cg_block **was)
{
    for (uint32_t i = 0; i < x->size && x->within != GRAPH_NONE; i++)
        insert_break(r, x, x->inside[i], was[x->inside[i]]);
    if (x->within != GRAPH_NONE && x->loop == GRAPH_NONE)
        insert_break(r, x, x->entrance, was[x->entrance]);
}

static int outer_first(const void *a, const void *b)
{
    const region *x = a, *y = b;

    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

/* ---- calls that part the lanes ----------------------------------------- */

/* Lanes that go to different functions meet again where these return to:
 * `call` becomes the last but one of its block. */
static void meet_behind(reconv *r, cg_inst *call, uint32_t depth)
{
    bool volta = r->f->opt->arch >= ARCH_VOLTA;
    cg_block *b = call->block, *rest = cg_block_new(r->f);
    region x = {.depth = depth};
    cg_inst *in;

    rest->fall = b->fall;
    while (call->next) {
        in = call->next;
        cg_remove(in);
        cg_append(rest, in);
    }
    b->fall = rest;
    if (b->id + 1 < r->f->nblocks)
        cg_block_insert(r->f, rest, r->f->blocks[b->id + 1]);
    else
        cg_block_append(r->f, rest);
    in = marker(r, volta ? ISA_BSSY : ISA_SSY, &x, b);
    in->target = rest;
    cg_insert_before(in, call);
    cg_append(b, marker(r, volta ? ISA_BSYNC : ISA_SYNC, &x, b));
}

static void meet_behind_calls(reconv *r, cg_block *const *was)
{
    uint32_t limit = r->f->opt->arch >= ARCH_VOLTA ? ISA_BARRIERS : 16;

    for (uint32_t i = 0; i < r->f->nblocks; i++)
        r->f->blocks[i]->id = i;
    for (uint32_t i = 0; i < r->g->n; i++) {
        cg_inst *in = was[i]->first, *next;

        for (; in; in = next) {
            next = in->next;
            if (in->op == ISA_CALLX && !in->uniform && r->depth[i] < limit)
                meet_behind(r, in, r->depth[i]);
        }
    }
}

/* ---- what the regions do not cover ------------------------------------- */

/* Branches whose lanes do not meet share one stamp, because their paths have no
 * end. */
static void find_apart(reconv *r)
{
    uint32_t endless = ++r->stamp;

    if (r->f->is_function) /* its caller may be */
        memset(r->apart, true, r->g->n * sizeof *r->apart);
    for (uint32_t i = 0; i < r->g->n; i++) {
        uint32_t end = r->meet[i], n;
        bool covered = end != GRAPH_NONE && r->of_end[end] &&
                       !r->region[r->of_end[end] - 1].dropped;

        if (!parts(r, i) || covered)
            continue;
        n = cg_between(r->g, i, GRAPH_NONE, r->stamps, endless, r->work);
        for (uint32_t k = 0; k < n; k++)
            r->apart[r->work[k]] = true;
    }
    for (uint32_t i = 0; i < r->g->n; i++) {
        uint32_t end = r->meet[i], n;

        if (!parts(r, i) || end == GRAPH_NONE || !r->of_end[end] ||
            r->region[r->of_end[end] - 1].dropped)
            continue;
        n = cg_between(r->g, i, end, r->stamps, endless + 1 + end, r->work);
        for (uint32_t k = 0; k < n; k++)
            r->apart[r->work[k]] = true;
    }
    for (uint32_t i = 0; i < r->g->n; i++)
        r->f->blocks[i]->apart |= r->apart[i];
}

/* Where all lanes are together a WARPSYNC has nothing to wait for; but what one
 * lane stores before it, others may load behind it. */
static void drop_warpsyncs(reconv *r)
{
    for (uint32_t i = 0; i < r->g->n; i++)
        CG_EACH_SAFE(in, r->f->blocks[i])
        {
            if (r->apart[i] || in->op != ISA_WARPSYNC)
                continue;
            cg_build b = cb_before(r->f, in);

            cb_emit(&b, CG_ORDER);
            cg_remove(in);
        }
}

/* Where blocks lead before anything is inserted. */
static void note_ways(reconv *r)
{
    uint32_t n = r->g->n;

    r->target = ARENA_ARRAY(r->mem, uint32_t, n + 1);
    r->fall = ARENA_ARRAY(r->mem, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const cg_block *b = r->f->blocks[i];

        r->target[i] = b->last && b->last->op == ISA_BRA ? b->last->target->id
                                                         : GRAPH_NONE;
        r->fall[i] = b->fall ? b->fall->id : GRAPH_NONE;
    }
}

void cg_reconverge(cg_func *f)
{
    reconv r = {.f = f, .mem = arena_new()};
    uint32_t n;
    cg_block **was;
    bool *asunder;

    r.d = cg_defuse_new(r.mem, f);
    r.g = r.d->g;
    n = r.g->n;
    r.meet = cg_meeting_points(r.mem, r.g);
    r.loops = graph_find_loops(r.mem, r.g, 0);
    asunder = ARENA_ARRAY(r.mem, bool, n + 1);
    cg_delay_meetings(r.mem, r.d, r.loops, r.meet, asunder);
    r.meet_in_loop = cg_meeting_points_in_loops(r.mem, r.g, r.loops);
    note_ways(&r);
    r.region = ARENA_ARRAY(r.mem, region, n + 1);
    r.of_end = ARENA_ARRAY(r.mem, uint32_t, n + 1);
    r.work = ARENA_ARRAY(r.mem, uint32_t, n + 1);
    r.apart = ARENA_ARRAY(r.mem, bool, n + 1);
    r.stamps = ARENA_ARRAY(r.mem, uint32_t, n + 1);
    r.at = ARENA_ARRAY(r.mem, uint32_t, n + 1);
    r.front = ARENA_ARRAY(r.mem, cg_block *, r.loops->count + 1);
    find_regions(&r);
    drop_until_nested(&r);
    find_apart(&r);
    drop_warpsyncs(&r);
    was = ARENA_ARRAY(r.mem, cg_block *, n);
    memcpy(was, f->blocks, n * sizeof(cg_block *));
    qsort(r.region, r.n, sizeof *r.region, outer_first);
    for (uint32_t i = 0; i < r.n; i++)
        r.of_end[r.region[i].end] = i + 1;
    for (uint32_t i = 0; i < r.n; i++)
        if (!r.region[i].dropped)
            insert_landing(&r, &r.region[i], was);
    for (uint32_t i = 0; i < r.n; i++)
        if (!r.region[i].dropped)
            insert_entrance(&r, &r.region[i], was);
    for (uint32_t i = 0; i < r.n; i++)
        if (!r.region[i].dropped)
            insert_breaks(&r, &r.region[i], was);
    /* only now: the meeting point may have got the front of a loop before it */
    for (uint32_t i = 0; i < r.n; i++)
        if (!r.region[i].dropped)
            r.region[i].opener->target = r.region[i].landing->fall;
    meet_behind_calls(&r, was);
    arena_free(r.mem);
}
