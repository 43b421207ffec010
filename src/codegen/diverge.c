#include "codegen/diverge.h"

#include <string.h>

#include "codegen/live.h"
#include "codegen/pass.h"

/* ---- meeting points ---------------------------------------------------- */

typedef struct meeting {
    arena *mem;
    const graph *g;
    uint32_t *meet;
    uint32_t *group; /* 0: not yet; else the number of the leaf's group */
    uint32_t *work;
} meeting;

/* Everything that can reach `leaf` and belongs to no group yet. */
static uint32_t gather(meeting *m, uint32_t leaf, uint32_t group)
{
    uint32_t n = 0, next = 0;

    m->work[n++] = leaf;
    m->group[leaf] = group;
    while (next < n) {
        uint32_t i = m->work[next++];

        for (uint32_t k = m->g->pred_at[i]; k < m->g->pred_at[i + 1]; k++) {
            uint32_t p = m->g->pred[k];

            if (!m->group[p]) {
                m->group[p] = group;
                m->work[n++] = p;
            }
        }
    }
    return n;
}

/* Post-dominators within a group: dominators of the graph turned round. */
static void meet_in_group(meeting *m, uint32_t leaf, uint32_t group, uint32_t n)
{
    graph_edge *e;
    uint32_t count = 0, room = 1, *idom;

    for (uint32_t i = 0; i < n; i++)
        room += graph_nsucc(m->g, m->work[i]);
    e = ARENA_ARRAY(m->mem, graph_edge, room);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = m->work[i];

        for (uint32_t k = m->g->succ_at[b]; k < m->g->succ_at[b + 1]; k++)
            if (m->group[m->g->succ[k]] == group)
                e[count++] = (graph_edge){m->g->succ[k], b};
    }
    idom = graph_dominators(m->mem, graph_new(m->mem, m->g->n, e, count), leaf);
    for (uint32_t i = 0; i < n; i++)
        m->meet[m->work[i]] = idom[m->work[i]];
}

uint32_t *cg_meeting_points(arena *a, const graph *g)
{
    meeting m = {.mem = a, .g = g};
    uint32_t group = 0;

    m.meet = ARENA_ARRAY(a, uint32_t, g->n + 1);
    m.group = ARENA_ARRAY(a, uint32_t, g->n + 1);
    m.work = ARENA_ARRAY(a, uint32_t, g->n + 1);
    for (uint32_t i = 0; i < g->n; i++)
        m.meet[i] = GRAPH_NONE;
    /* The last end in the text is where most threads go. Then what no end can
     * be reached from: a loop that lanes leave by a guarded EXIT, if at all. */
    for (unsigned endless = 0; endless < 2; endless++)
        for (uint32_t i = g->n; i-- > 0;) {
            if ((!endless && graph_nsucc(g, i)) || m.group[i])
                continue;
            group++;
            meet_in_group(&m, i, group, gather(&m, i, group));
        }
    return m.meet;
}

/* Post-dominators of the loop's body: an edge to the header ends it, edges
 * that leave it do not count. Node g->n stands for that end. */
static void meet_in_loop(arena *a, const graph *g, const graph_loop *l,
                         const bool *inside, uint32_t *idom_out[])
{
    graph_edge *e;
    uint32_t n = 0, room = 1;

    for (uint32_t i = 0; i < l->count; i++)
        room += graph_nsucc(g, l->nodes[i]);
    e = ARENA_ARRAY(a, graph_edge, room);
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t b = l->nodes[i];

        for (uint32_t k = g->succ_at[b]; k < g->succ_at[b + 1]; k++) {
            uint32_t s = g->succ[k];

            if (inside[s])
                e[n++] = (graph_edge){s == l->header ? g->n : s, b};
        }
    }
    *idom_out = graph_dominators(a, graph_new(a, g->n + 1, e, n), g->n);
}

uint32_t *cg_meeting_points_in_loops(arena *a, const graph *g,
                                     const graph_loops *loops)
{
    uint32_t *meet = ARENA_ARRAY(a, uint32_t, g->n + 1), *idom;

    for (uint32_t i = 0; i < g->n; i++)
        meet[i] = GRAPH_NONE;
    for (uint32_t k = 0; k < loops->count; k++) {
        const graph_loop *l = &loops->loops[k];
        bool *inside = ARENA_ARRAY(a, bool, g->n + 1);

        for (uint32_t i = 0; i < l->count; i++)
            inside[l->nodes[i]] = true;
        meet_in_loop(a, g, l, inside, &idom);
        for (uint32_t i = 0; i < l->count; i++) {
            uint32_t b = l->nodes[i];

            if (loops->of_node[b] == k && idom[b] != GRAPH_NONE)
                meet[b] = idom[b] == g->n ? l->header : idom[b];
        }
    }
    return meet;
}

/* True if `from` is, or can be left towards, the meeting point `to`: it is
 * its own, or on its chain. */
static bool leads_to(const uint32_t *meet, uint32_t from, uint32_t to)
{
    while (from != GRAPH_NONE && from != to)
        from = meet[from];
    return from == to;
}

uint32_t cg_ways(const graph *g, const uint32_t *meet, uint32_t i,
                 uint32_t *out)
{
    uint32_t n = 0;

    for (uint32_t k = g->succ_at[i]; k < g->succ_at[i + 1]; k++) {
        uint32_t s = g->succ[k];
        bool known = !leads_to(meet, s, meet[i]);

        for (uint32_t j = 0; j < n; j++)
            known |= out[j] == s;
        if (!known)
            out[n++] = s;
    }
    return n;
}

void cg_between(const graph *g, uint32_t i, uint32_t end, bool *in,
                uint32_t *work)
{
    uint32_t n = 0;

    work[n++] = i;
    while (n) {
        uint32_t b = work[--n];

        for (uint32_t k = g->succ_at[b]; k < g->succ_at[b + 1]; k++) {
            uint32_t s = g->succ[k];

            if (s != end && !in[s]) {
                in[s] = true;
                work[n++] = s;
            }
        }
    }
}

/* ---- uniformity -------------------------------------------------------- */

typedef struct uniformity {
    cg_func *f;
    arena *mem;
    cg_defuse *d;
    uint32_t *meet;
    graph_loops *loops;
    bool *differs; /* words that are not the same in all lanes */
    bool *split;   /* blocks whose branch has been dealt with */
    bool changed;
} uniformity;

static bool inherent(const cg_inst *in)
{
    unsigned flags = cg_flags(in);

    switch (in->op) {
    case ISA_S2R:
        return in->lut <= SR_TID_Z || in->lut == SR_LANEID ||
               (in->lut >= SR_EQMASK && in->lut <= SR_GEMASK);
    case ISA_SHFL:
    case ISA_MATCH:
    case ISA_MATCHL:
    case CG_DEF:
        return true;
    default:
        return flags & (ISA_F_ATOMIC | ISA_F_LOCAL);
    }
}

static void see_use(void *arg, uint32_t word)
{
    bool **p = arg;

    if (p[0][word])
        *p[1] = true;
}

static void mark(uniformity *u, uint32_t word)
{
    if (!u->differs[word]) {
        u->differs[word] = true;
        u->changed = true;
    }
}

static void mark_def(void *arg, uint32_t word) { mark(arg, word); }

/* VOTE gives all lanes the same, whatever they put in. */
static void flow_through(uniformity *u, const cg_inst *in)
{
    bool differs = inherent(in);
    bool *state[] = {u->differs, &differs};

    if (in->op == ISA_VOTE || in->op == ISA_REDUX) {
        bool guard =
            in->guard.reg && u->differs[cg_word_of(u->f, in->guard.reg, 0)];
        if (!guard)
            return;
    }
    cg_each_use(u->f, in, see_use, state);
    if (differs)
        cg_each_def(u->f, in, mark_def, u);
}

/* Words written on several ways differ where lanes took different ones. */
static void mark_joined(void *arg, uint32_t word)
{
    uniformity *u = arg;

    if (!u->d->of[word].ssa)
        mark(u, word);
}

typedef struct outside {
    uniformity *u;
    const bool *inside; /* blocks of the loop */
} outside;

/* A value that leaves a loop in different rounds for different lanes. */
static void mark_leaving(void *arg, uint32_t word)
{
    outside *o = arg;
    const cg_inst *def = o->u->d->of[word].def;

    if (def && o->inside[def->block->id])
        mark(o->u, word);
}

static void leave_loop(uniformity *u, uint32_t branch)
{
    uint32_t l = u->loops->of_node[branch], end = u->meet[branch];

    for (; l != GRAPH_NONE; l = u->loops->loops[l].parent) {
        const graph_loop *loop = &u->loops->loops[l];
        bool *inside = ARENA_ARRAY(u->mem, bool, u->f->nblocks);
        outside o = {u, inside};

        for (uint32_t i = 0; i < loop->count; i++)
            inside[loop->nodes[i]] = true;
        if (end != GRAPH_NONE && inside[end])
            return;
        for (uint32_t i = 0; i < u->f->nblocks; i++)
            if (!inside[i])
                CG_EACH(in, u->f->blocks[i])
        cg_each_use(u->f, in, mark_leaving, &o);
    }
}

/* The lanes part at the end of block i. */
static void part_at(uniformity *u, uint32_t i)
{
    uint32_t n = u->f->nblocks;
    bool *in = ARENA_ARRAY(u->mem, bool, n + 1);
    uint32_t *work = ARENA_ARRAY(u->mem, uint32_t, n + 1);

    u->split[i] = true;
    cg_between(u->d->g, i, u->meet[i], in, work);
    for (uint32_t b = 0; b < n; b++)
        if (in[b])
            CG_EACH(x, u->f->blocks[b]) cg_each_def(u->f, x, mark_joined, u);
    leave_loop(u, i);
}

static bool branch_differs(const uniformity *u, const cg_inst *br)
{
    bool differs = false;
    bool *state[] = {u->differs, &differs};

    if (br->op == ISA_BRA && br->uniform)
        return false; /* PTX says so */
    cg_each_use(u->f, br, see_use, state);
    return differs;
}

void cg_mark_uniform(cg_func *f)
{
    uniformity u = {.f = f, .mem = arena_new()};
    uint32_t n = f->nblocks;

    MUST(u.mem);
    u.d = cg_defuse_new(u.mem, f);
    u.meet = cg_meeting_points(u.mem, u.d->g);
    u.loops = graph_find_loops(u.mem, u.d->g, 0);
    u.differs = ARENA_ARRAY(u.mem, bool, f->nwords + 1);
    u.split = ARENA_ARRAY(u.mem, bool, n + 1);
    do {
        u.changed = false;
        for (uint32_t i = 0; i < n; i++) {
            cg_inst *last = f->blocks[i]->last;

            CG_EACH(in, f->blocks[i]) flow_through(&u, in);
            if (last && (last->op == ISA_BRA || last->op == ISA_BRX) &&
                !u.split[i] && branch_differs(&u, last)) {
                part_at(&u, i);
                u.changed = true;
            }
        }
    } while (u.changed);
    for (uint32_t i = 0; i < n; i++) {
        cg_inst *last = f->blocks[i]->last;

        if (last && (last->op == ISA_BRA || last->op == ISA_BRX))
            last->uniform = !u.split[i];
        CG_EACH(in, f->blocks[i])
        if (in->op == ISA_CALLX)
            in->uniform = !branch_differs(&u, in);
    }
    arena_free(u.mem);
}
