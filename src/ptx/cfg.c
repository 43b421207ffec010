#include "ptx/cfg.h"

#include "ptx/list.h"

bool ptx_ends_block(const ptx_inst *in)
{
    if (in->op == PTX_BRA || in->op == PTX_BRX || in->op == PTX_RET ||
        in->op == PTX_EXIT || in->op == PTX_TRAP)
        return true;
    if (in->op == PTX_CALL)
        return in->call->func && in->call->func->noreturn;
    return false;
}

/* Whether the instruction behind it can follow. */
static bool falls_through(const ptx_inst *in)
{
    return in->guarded || !ptx_ends_block(in);
}

/* starts[i]: a block begins at instruction i. */
static bool *find_starts(arena *a, const ptx_func *f)
{
    bool *starts = ARENA_ARRAY(a, bool, (size_t)f->ninsts + 2);

    starts[0] = true;
    for (uint32_t i = 0; i < f->nlabels; i++)
        starts[f->labels[i]->inst] = true;
    for (uint32_t i = 0; i < f->ninsts; i++)
        if (ptx_ends_block(&f->insts[i]))
            starts[i + 1] = true;
    /* Nothing is behind the last instruction unless something gets there. */
    bool open = !f->ninsts || falls_through(&f->insts[f->ninsts - 1]);
    for (uint32_t i = 0; i < f->nlabels; i++)
        open |= f->labels[i]->inst == f->ninsts;
    starts[f->ninsts] = open;
    return starts;
}

static void add_edge(list *edges, arena *a, uint32_t from, uint32_t to)
{
    *LIST_PUSH(edges, a, graph_edge) = (graph_edge){from, to};
}

static void add_targets(const ptx_cfg *c, list *edges, arena *a, uint32_t from,
                        const ptx_inst *in)
{
    if (in->op == PTX_BRA)
        add_edge(edges, a, from, c->block_of[in->ops[0].label->inst]);
    if (in->op != PTX_BRX)
        return;
    const ptx_table *t = in->ops[1].table;
    for (uint32_t i = 0; i < t->count; i++)
        add_edge(edges, a, from, c->block_of[t->labels[i]->inst]);
}

static void find_blocks(arena *a, ptx_cfg *c)
{
    const ptx_func *f = c->func;
    const bool *starts = find_starts(a, f);
    uint32_t n = 0;

    for (uint32_t i = 0; i <= f->ninsts; i++)
        n += starts[i];
    c->blocks = ARENA_ARRAY(a, ptx_block, n);
    c->block_of = ARENA_ARRAY(a, uint32_t, (size_t)f->ninsts + 1);
    for (uint32_t i = 0; i <= f->ninsts; i++) {
        if (starts[i])
            c->blocks[c->nblocks++] = (ptx_block){i, i};
        c->block_of[i] = c->nblocks - 1;
        if (i < f->ninsts)
            c->blocks[c->nblocks - 1].end = i + 1;
    }
}

ptx_cfg *ptx_cfg_new(arena *a, const ptx_func *f)
{
    ptx_cfg *c = ARENA_NEW(a, ptx_cfg);
    list edges = {0};

    c->func = f;
    find_blocks(a, c);
    for (uint32_t b = 0; b < c->nblocks; b++) {
        const ptx_block *block = &c->blocks[b];
        bool empty = block->first == block->end;
        const ptx_inst *last = empty ? NULL : &f->insts[block->end - 1];
        if (last)
            add_targets(c, &edges, a, b, last);
        if (last && falls_through(last) && b + 1 < c->nblocks)
            add_edge(&edges, a, b, b + 1);
    }
    c->g = graph_new(a, c->nblocks, edges.data, edges.count);
    return c;
}
