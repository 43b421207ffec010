#include "codegen/flow/diverge.h"

#include <string.h>

#include "codegen/flow/live.h"
#include "codegen/flow/wait.h"
#include "codegen/ir/pass.h"

/* ---- meeting points ---------------------------------------------------- */

typedef struct meeting {
    arena *mem;
    const graph *g;
    uint32_t *meet;
    uint32_t *group; /* 0: not yet; else the number of the leaf's group */
    uint32_t *work;  /* the blocks of a group */
    uint32_t *local; /* their places in it */
} meeting;

/* Everything that can reach `leaf` and belongs to no group yet. */
static uint32_t gather_group(meeting *m, uint32_t leaf, uint32_t group)
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
static void meet_in_group(meeting *m, uint32_t group, uint32_t n)
{
    arena *a = arena_new();
    graph_edge *e;
    uint32_t count = 0, room = 1, *idom;

    for (uint32_t i = 0; i < n; i++) {
        room += graph_nsucc(m->g, m->work[i]);
        m->local[m->work[i]] = i;
    }
    e = ARENA_ARRAY(a, graph_edge, room);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = m->work[i];

        for (uint32_t k = m->g->succ_at[b]; k < m->g->succ_at[b + 1]; k++)
            if (m->group[m->g->succ[k]] == group)
                e[count++] = (graph_edge){m->local[m->g->succ[k]], i};
    }
    idom = graph_dominators(a, graph_new(a, n, e, count), 0);
    for (uint32_t i = 0; i < n; i++)
        m->meet[m->work[i]] =
            idom[i] == GRAPH_NONE ? GRAPH_NONE : m->work[idom[i]];
    arena_free(a);
}

uint32_t *cg_meeting_points(arena *a, const graph *g)
{
    meeting m = {.mem = a, .g = g};
    uint32_t group = 0;

    m.meet = ARENA_ARRAY(a, uint32_t, g->n + 1);
    m.group = ARENA_ARRAY(a, uint32_t, g->n + 1);
    m.work = ARENA_ARRAY(a, uint32_t, g->n + 1);
    m.local = ARENA_ARRAY(a, uint32_t, g->n + 1);
    for (uint32_t i = 0; i < g->n; i++)
        m.meet[i] = GRAPH_NONE;
    /* The last end in the text is where most threads go. Then what no end can
     * be reached from: a loop that lanes leave by a guarded EXIT, if at all. */
    for (unsigned endless = 0; endless < 2; endless++)
        for (uint32_t i = g->n; i-- > 0;) {
            if ((!endless && graph_nsucc(g, i)) || m.group[i])
                continue;
            group++;
            meet_in_group(&m, group, gather_group(&m, i, group));
        }
    return m.meet;
}

/* Post-dominators of the body of loop k: an edge to the header ends it, edges
 * that leave it do not count. Node l->count stands for that end; local[] has
 * the places of blocks among l->nodes, from 1. */
static void meet_in_loop(const graph *g, const graph_loops *loops, uint32_t k,
                         const uint32_t *local, uint32_t *meet)
{
    arena *a = arena_new();
    const graph_loop *l = &loops->loops[k];
    graph_edge *e;
    uint32_t n = 0, room = 1, *idom;

    for (uint32_t i = 0; i < l->count; i++)
        room += graph_nsucc(g, l->nodes[i]);
    e = ARENA_ARRAY(a, graph_edge, room);
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t b = l->nodes[i];

        for (uint32_t j = g->succ_at[b]; j < g->succ_at[b + 1]; j++) {
            uint32_t s = g->succ[j];

            if (local[s])
                e[n++] =
                    (graph_edge){s == l->header ? l->count : local[s] - 1, i};
        }
    }
    idom = graph_dominators(a, graph_new(a, l->count + 1, e, n), l->count);
    for (uint32_t i = 0; i < l->count; i++)
        if (loops->of_node[l->nodes[i]] == k && idom[i] != GRAPH_NONE)
            meet[l->nodes[i]] =
                idom[i] == l->count ? l->header : l->nodes[idom[i]];
    arena_free(a);
}

uint32_t *cg_meeting_points_in_loops(arena *a, const graph *g,
                                     const graph_loops *loops)
{
    uint32_t *meet = ARENA_ARRAY(a, uint32_t, g->n + 1);
    uint32_t *local = ARENA_ARRAY(a, uint32_t, g->n + 1);

    for (uint32_t i = 0; i < g->n; i++)
        meet[i] = GRAPH_NONE;
    for (uint32_t k = 0; k < loops->count; k++) {
        const graph_loop *l = &loops->loops[k];

        for (uint32_t i = 0; i < l->count; i++)
            local[l->nodes[i]] = i + 1;
        meet_in_loop(g, loops, k, local, meet);
        for (uint32_t i = 0; i < l->count; i++)
            local[l->nodes[i]] = 0;
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

uint32_t cg_between(const graph *g, uint32_t i, uint32_t end, uint32_t *stamps,
                    uint32_t stamp, uint32_t *list)
{
    uint32_t n = 0, next = 0;

    for (uint32_t b = i;; b = list[next++]) {
        for (uint32_t k = g->succ_at[b]; k < g->succ_at[b + 1]; k++) {
            uint32_t s = g->succ[k];

            if (s != end && stamps[s] != stamp) {
                stamps[s] = stamp;
                list[n++] = s;
            }
        }
        if (next == n)
            return n;
    }
}

/* ---- uniformity -------------------------------------------------------- */

typedef struct leaving { /* a word that is read outside of a loop */
    uint32_t word;
    struct leaving *next;
} leaving;

typedef struct uniformity {
    cg_func *f;
    arena *mem;
    cg_defuse *d;
    uint32_t *meet;
    graph_loops *loops;
    bool *asunder;    /* blocks that lanes may come to one after another */
    bool *differs;    /* words that are not the same in all lanes */
    bool *split;      /* blocks whose branch has been handled */
    leaving **leaves; /* by loop; NULL: none, or all marked */
    uint32_t *stamps, *work;
    bool changed;
} uniformity;

bool cg_varies(const cg_inst *in)
{
    unsigned flags = cg_flags(in);

    switch (in->op) {
    case ISA_S2R:
        return in->lut <= SR_TID_Z || in->lut == SR_LANEID ||
               (in->lut >= SR_EQMASK && in->lut <= SR_GEMASK);
    case ISA_SHFL:
    case ISA_MATCH:
    case ISA_MATCHL:
    case ISA_MALLOC:
    case CG_DEF:
    case ISA_LDSM:
    case ISA_MOVM:
        return true;
    default:
        return flags & (ISA_F_ATOMIC | ISA_F_LOCAL) ||
               (in->op < ISA_COUNT &&
                isa_table[in->op].class == ISA_CLASS_TENSOR);
    }
}

static void see_use(void *arg, uint32_t word)
{
    bool **p = arg;

    if (p[0][word])
        *p[1] = true;
}

static void mark_divergent(uniformity *u, uint32_t word)
{
    if (!u->differs[word]) {
        u->differs[word] = true;
        u->changed = true;
    }
}

static void mark_def(void *arg, uint32_t word) { mark_divergent(arg, word); }

/* VOTE gives all lanes the same, whatever they put in. */
static void flow_through(uniformity *u, const cg_inst *in)
{
    bool differs =
        cg_varies(in) || (u->asunder[in->block->id] &&
                          (cg_flags(in) & ISA_F_LOAD || in->op == ISA_MBWAIT));
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
        mark_divergent(u, word);
}

/* ---- values that leave loops ------------------------------------------- */

/* Walks up from two blocks: the innermost loop that has both, and calls for
 * those around `def` that do not have `use`. */
static void leaves_loops(uniformity *u, uint32_t def, uint32_t use,
                         uint32_t word)
{
    const graph_loops *l = u->loops;
    uint32_t a = l->of_node[def], b = l->of_node[use];

    while (a != b) {
        if (b == GRAPH_NONE ||
            (a != GRAPH_NONE && l->loops[a].depth >= l->loops[b].depth)) {
            leaving *x = ARENA_NEW(u->mem, leaving);

            *x = (leaving){word, u->leaves[a]};
            u->leaves[a] = x;
            a = l->loops[a].parent;
        } else {
            b = l->loops[b].parent;
        }
    }
}

typedef struct place {
    uniformity *u;
    uint32_t block;
} place;

static void note_use(void *arg, uint32_t word)
{
    const place *p = arg;
    const cg_inst *def = p->u->d->of[word].def;

    if (def && def->block->id != p->block)
        leaves_loops(p->u, def->block->id, p->block, word);
}

/* For each loop the words written in it and read outside. */
static void find_leaving(uniformity *u)
{
    place p = {.u = u};

    u->leaves = ARENA_ARRAY(u->mem, leaving *, u->loops->count + 1);
    for (; p.block < u->f->nblocks; p.block++)
        CG_EACH(in, u->f->blocks[p.block])
    cg_each_use(u->f, in, note_use, &p);
}

/* Lanes leave loops in different rounds, with different values. */
static void leave_loop(uniformity *u, uint32_t branch)
{
    uint32_t l = u->loops->of_node[branch], end = u->meet[branch];

    for (; l != GRAPH_NONE; l = u->loops->loops[l].parent) {
        uint32_t around = end == GRAPH_NONE ? end : u->loops->of_node[end];

        while (around != GRAPH_NONE && around != l)
            around = u->loops->loops[around].parent;
        if (around == l)
            return;
        for (; u->leaves[l]; u->leaves[l] = u->leaves[l]->next)
            mark_divergent(u, u->leaves[l]->word);
    }
}

/* ---- parting ----------------------------------------------------------- */

/* The lanes part at the end of block i. Blocks keep the stamp of the last
 * meeting point that they were found to be before. */
static void part_at(uniformity *u, uint32_t i)
{
    uint32_t end = u->meet[i], n;

    u->split[i] = true;
    n = cg_between(u->d->g, i, end, u->stamps,
                   end == GRAPH_NONE ? u->f->nblocks + 1 : end + 1, u->work);
    for (uint32_t k = 0; k < n; k++)
        CG_EACH(x, u->f->blocks[u->work[k]])
    cg_each_def(u->f, x, mark_joined, u);
    leave_loop(u, i);
}

static bool branch_differs(const uniformity *u, const cg_inst *br)
{
    bool differs = false;
    bool *state[] = {u->differs, &differs};

    if (br->op == ISA_BRA && br->uniform)
        return false; /* .uni in PTX */
    cg_each_use(u->f, br, see_use, state);
    return differs;
}

void cg_mark_uniform(cg_func *f)
{
    uniformity u = {.f = f, .mem = arena_new()};
    uint32_t n = f->nblocks;

    u.d = cg_defuse_new(u.mem, f);
    u.meet = cg_meeting_points(u.mem, u.d->g);
    u.loops = graph_find_loops(u.mem, u.d->g, 0);
    u.asunder = ARENA_ARRAY(u.mem, bool, n + 1);
    cg_delay_meetings(u.mem, u.d, u.loops, u.meet, u.asunder);
    u.differs = ARENA_ARRAY(u.mem, bool, f->nwords + 1);
    u.split = ARENA_ARRAY(u.mem, bool, n + 1);
    u.stamps = ARENA_ARRAY(u.mem, uint32_t, n + 1);
    u.work = ARENA_ARRAY(u.mem, uint32_t, n + 1);
    find_leaving(&u);
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
    for (vreg v = 1; v < f->nregs; v++) {
        f->regs[v].same = true;
        for (unsigned i = 0; i < f->regs[v].words; i++)
            f->regs[v].same &= !u.differs[f->regs[v].word + i];
    }
    for (uint32_t i = 0; i < n; i++) {
        cg_inst *last = f->blocks[i]->last;

        f->blocks[i]->apart = u.asunder[i];
        if (last && (last->op == ISA_BRA || last->op == ISA_BRX))
            last->uniform = !u.split[i];
        CG_EACH(in, f->blocks[i])
        if (in->op == ISA_CALLX)
            in->uniform = !branch_differs(&u, in);
    }
    arena_free(u.mem);
}
