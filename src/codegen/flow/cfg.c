/* src/codegen/flow/cfg.c - tidies the flow graph. */
#include <string.h>

#include "codegen/ir/pass.h"

/* Where control goes that enters `b`: past blocks that do nothing. */
static cg_block *final_target(cg_block *b, uint32_t limit)
{
    while (limit-- && b && !b->first && b->fall)
        b = b->fall;
    if (limit && b && b->first && b->first == b->last &&
        b->first->op == ISA_BRA && !b->first->guard.reg &&
        !b->first->guard.neg && b->first->target != b)
        return b->first->target;
    return b;
}

static bool only_exits(const cg_block *b)
{
    return b->first && b->first == b->last && b->first->op == ISA_EXIT &&
           !b->first->guard.reg;
}

/* A jump to the end of the kernel is an end. */
static void end_at_once(cg_inst *br)
{
    cg_block *b = br->block;

    br->op = ISA_EXIT;
    br->target = NULL;
    if (!br->guard.reg)
        b->fall = NULL;
}

static void tidy_branch(cg_func *f, cg_block *b)
{
    cg_inst *last = b->last;

    if (b->fall)
        b->fall = final_target(b->fall, f->nblocks);
    if (!last || last->op != ISA_BRA) {
        for (uint32_t i = 0; last && i < last->table_size; i++)
            last->table[i] = final_target(last->table[i], f->nblocks);
        return;
    }
    if (!last->guard.reg && last->guard.neg) { /* never taken */
        cg_remove(last);
        return;
    }
    last->target = final_target(last->target, f->nblocks);
    if (last->target == b->fall)
        cg_remove(last);
    else if (only_exits(last->target))
        end_at_once(last);
}

static uint32_t mark_reachable(cg_func *f)
{
    cg_block **work = ARENA_ARRAY(f->mem, cg_block *, f->nblocks + 1);
    uint32_t n = 0, seen = 1;

    for (uint32_t i = 0; i < f->nblocks; i++)
        f->blocks[i]->mark = 0;
    f->blocks[0]->mark = 1;
    work[n++] = f->blocks[0];
    while (n) {
        cg_block *b = work[--n];
        uint32_t most = 2 + (b->last ? b->last->table_size : 0);
        cg_block **to = ARENA_ARRAY(f->mem, cg_block *, most);
        unsigned k = cg_successors(b, to, most);

        for (unsigned i = 0; i < k; i++) {
            if (!to[i]->mark++) {
                work[n++] = to[i];
                seen++;
            }
        }
    }
    return seen;
}

static void drop_unreachable(cg_func *f)
{
    uint32_t n = 0;

    mark_reachable(f);
    for (uint32_t i = 0; i < f->nblocks; i++)
        if (f->blocks[i]->mark)
            f->blocks[n++] = f->blocks[i];
    f->nblocks = n;
    cg_number(f);
}

/* Joins `b` with the block behind it if that has no other predecessor. */
static bool join_next(cg_func *f, cg_block *b)
{
    cg_inst *last = b->last;
    cg_block *next = b->fall;

    if (last && last->op == ISA_BRA && !last->guard.reg)
        next = last->target;
    else if (last && cg_is_branch(last))
        return false;
    if (!next || next == b || next->mark != 1 || next == f->blocks[0])
        return false;
    if (last && last->op == ISA_BRA)
        cg_remove(last);
    while (next->first) {
        cg_inst *in = next->first;

        cg_remove(in);
        cg_append(b, in);
    }
    b->fall = next->fall;
    next->fall = NULL;
    next->mark = 0;
    return true;
}

void cg_clean_cfg(cg_func *f)
{
    for (unsigned round = 0; round < 4; round++) {
        drop_unreachable(f);
        for (uint32_t i = 0; i < f->nblocks; i++)
            tidy_branch(f, f->blocks[i]);
        mark_reachable(f); /* marks count the edges that lead to a block */
        for (uint32_t i = 0; i < f->nblocks; i++)
            while (f->blocks[i]->mark && join_next(f, f->blocks[i]))
                ;
    }
    drop_unreachable(f);
}
