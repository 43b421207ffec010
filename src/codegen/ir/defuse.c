#include "codegen/ir/defuse.h"

#include <string.h>

graph *cg_graph(arena *a, const cg_func *f)
{
    uint32_t n = 0, room = 0;
    graph_edge *e;

    for (uint32_t i = 0; i < f->nblocks; i++) {
        const cg_inst *last = f->blocks[i]->last;
        room += 2 + (last ? last->table_size : 0);
    }
    e = ARENA_ARRAY(a, graph_edge, room + 1);
    for (uint32_t i = 0; i < f->nblocks; i++) {
        const cg_inst *last = f->blocks[i]->last;
        uint32_t most = 2 + (last ? last->table_size : 0);
        cg_block **to = ARENA_ARRAY(a, cg_block *, most);
        unsigned k = cg_successors(f->blocks[i], to, most);

        for (unsigned j = 0; j < k; j++)
            e[n++] = (graph_edge){i, to[j]->id};
    }
    return graph_new(a, f->nblocks, e, n);
}

void cg_find_depths(cg_func *f)
{
    arena *a = arena_new();
    graph_loops *l;

    cg_number(f);
    l = graph_find_loops(a, cg_graph(a, f), 0);
    for (uint32_t i = 0; i < f->nblocks; i++)
        f->blocks[i]->depth =
            l->of_node[i] == GRAPH_NONE ? 0 : l->loops[l->of_node[i]].depth;
    arena_free(a);
}

/* ---- dominator tree, as intervals -------------------------------------- */

static void number_tree(cg_defuse *d, uint32_t n)
{
    arena *a = d->mem;
    uint32_t *child = ARENA_ARRAY(a, uint32_t, n);
    uint32_t *sibling = ARENA_ARRAY(a, uint32_t, n);
    uint32_t clock = 1, at = 0;

    d->in = ARENA_ARRAY(a, uint32_t, n);
    d->out = ARENA_ARRAY(a, uint32_t, n);
    memset(child, 0xff, n * sizeof *child);
    memset(sibling, 0xff, n * sizeof *sibling);
    for (uint32_t i = n; i-- > 0;) {
        uint32_t up = d->idom[i];

        if (up != GRAPH_NONE) {
            sibling[i] = child[up];
            child[up] = i;
        }
    }
    d->in[0] = clock++;
    for (;;) { /* depth first, without a stack */
        if (child[at] != GRAPH_NONE) {
            uint32_t next = child[at];

            child[at] = sibling[next];
            d->in[next] = clock++;
            at = next;
        } else {
            d->out[at] = clock++;
            if (at == 0)
                break;
            at = d->idom[at];
        }
    }
}

bool cg_block_dominates(const cg_defuse *d, const cg_block *a,
                        const cg_block *b)
{
    return d->in[a->id] && d->in[b->id] && d->in[a->id] <= d->in[b->id] &&
           d->out[b->id] <= d->out[a->id];
}

/* ---- definitions and uses ---------------------------------------------- */

static void reserve_words(cg_defuse *d, uint32_t n)
{
    uint32_t room = n + n / 2 + 64;

    if (n <= d->room)
        return;
    d->of = arena_renew(d->mem, d->of, d->room, room, sizeof *d->of);
    d->room = room;
}

static void define_words(cg_defuse *d, vreg v, unsigned off, unsigned words,
                         cg_inst *in)
{
    if (!v)
        return;
    for (unsigned i = 0; i < words; i++) {
        cg_du *u = &d->of[cg_word_of(d->f, v, off + i)];

        u->def = in;
        u->ndefs++;
        u->ssa = u->ndefs == 1 && !d->f->regs[v].fixed;
    }
}

static void define_all(cg_defuse *d, cg_inst *in)
{
    define_words(d, in->dst.reg, in->dst.off, cg_dst_words(in), in);
    for (unsigned i = 0; i < 2; i++)
        define_words(d, in->pdst[i], 0, 1, in);
}

void cg_defuse_define(cg_defuse *d, cg_inst *in)
{
    reserve_words(d, d->f->nwords);
    define_all(d, in);
}

static void count_uses(cg_defuse *d, vreg v, unsigned off, unsigned words,
                       int by)
{
    if (!v)
        return;
    for (unsigned i = 0; i < words; i++)
        d->of[cg_word_of(d->f, v, off + i)].nuses += (uint32_t)by;
}

void cg_defuse_count(cg_defuse *d, const cg_inst *in, int by)
{
    reserve_words(d, d->f->nwords);
    for (unsigned i = 0; i < 3; i++) {
        if (in->src[i].kind == SRC_REG)
            count_uses(d, in->src[i].reg, in->src[i].off, cg_src_words(in, i),
                       by);
        count_uses(d, in->psrc[i].reg, 0, 1, by);
    }
    count_uses(d, in->guard.reg, 0, 1, by);
}

/* A use that its definition does not dominate spoils the word. */
static void check_use(cg_defuse *d, vreg v, unsigned off, unsigned words,
                      const cg_inst *in)
{
    if (!v)
        return;
    for (unsigned i = 0; i < words; i++) {
        cg_du *u = &d->of[cg_word_of(d->f, v, off + i)];

        if (!u->ssa)
            continue;
        if (u->def->block == in->block
                ? u->def->at >= in->at
                : !cg_block_dominates(d, u->def->block, in->block))
            u->ssa = false;
    }
}

static void check_uses(cg_defuse *d, const cg_inst *in)
{
    for (unsigned i = 0; i < 3; i++) {
        if (in->src[i].kind == SRC_REG)
            check_use(d, in->src[i].reg, in->src[i].off, cg_src_words(in, i),
                      in);
        check_use(d, in->psrc[i].reg, 0, 1, in);
    }
    check_use(d, in->guard.reg, 0, 1, in);
}

cg_defuse *cg_defuse_new(arena *a, cg_func *f)
{
    cg_defuse *d = ARENA_NEW(a, cg_defuse);

    d->f = f;
    d->mem = a;
    cg_number(f);
    d->g = cg_graph(a, f);
    d->idom = graph_dominators(a, d->g, 0);
    number_tree(d, f->nblocks);
    reserve_words(d, f->nwords);
    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH(in, f->blocks[i])
        {
            define_all(d, in);
            cg_defuse_count(d, in, 1);
        }
    for (uint32_t i = 0; i < f->nblocks; i++)
        if (d->in[i])
            CG_EACH(in, f->blocks[i]) check_uses(d, in);
    return d;
}

/* ---- questions --------------------------------------------------------- */

cg_inst *cg_def_of(const cg_defuse *d, const cg_src *s, unsigned words)
{
    cg_inst *in;

    if (s->kind != SRC_REG || !s->reg)
        return NULL;
    in = cg_du_of(d, s->reg, s->off)->def;
    if (!in || in->dst.reg != s->reg || in->dst.off != s->off ||
        cg_dst_words(in) != words)
        return NULL;
    for (unsigned i = 0; i < words; i++) {
        const cg_du *u = cg_du_of(d, s->reg, s->off + i);

        if (!u->ssa || u->def != in)
            return NULL;
    }
    return in;
}

bool cg_is_stable(const cg_defuse *d, const cg_src *s, unsigned words)
{
    if (s->kind != SRC_REG || !s->reg)
        return true;
    for (unsigned i = 0; i < words; i++)
        if (!cg_du_of(d, s->reg, s->off + i)->ssa)
            return false;
    return true;
}

cg_inst *cg_pred_def(const cg_defuse *d, vreg p)
{
    const cg_du *u;

    if (!p)
        return NULL;
    u = cg_du_of(d, p, 0);
    return u->ssa ? u->def : NULL;
}
