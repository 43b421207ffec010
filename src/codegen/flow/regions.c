/* src/codegen/flow/regions.c - how many registers a thread has where: behind a
 * USETMAXREG as many as it says. Each stands in a block of its own, so that no
 * operation passes it, and all of a block has the same limit; where ways meet
 * whose limits differ, the lowest holds. */
#include "codegen/ir/pass.h"

static uint32_t registers_of(const cg_func *f, const cg_inst *in)
{
    uint32_t most = cg_register_limit(f->opt->arch);

    return (uint32_t)in->src[1].val < most ? (uint32_t)in->src[1].val : most;
}

static const cg_inst *change_of(const cg_block *b)
{
    return b->first && b->first->op == ISA_USETMAXREG ? b->first : NULL;
}

/* What stands from `from` on becomes a block. */
static void split(cg_func *f, cg_block *b, cg_inst *from)
{
    cg_block *rest = cg_block_new(f);

    for (cg_inst *in = from, *next; in; in = next) {
        next = in->next;
        cg_remove(in);
        cg_append(rest, in);
    }
    rest->fall = b->fall;
    b->fall = rest;
    if (b->id + 1 < f->nblocks)
        cg_block_insert(f, rest, f->blocks[b->id + 1]);
    else
        cg_block_append(f, rest);
    cg_number(f);
}

/* True if there is any. */
static bool set_apart(cg_func *f)
{
    bool any = false;

    cg_number(f);
    for (uint32_t i = 0; i < f->nblocks; i++) {
        cg_block *b = f->blocks[i];
        cg_inst *in = b->first;

        while (in && in->op != ISA_USETMAXREG)
            in = in->next;
        any |= in != NULL;
        if (in && in != b->first)
            split(f, b, in);
        else if (in && in->next)
            split(f, b, in->next);
    }
    return any;
}

/* ptxas 13.0 lets threads begin with what the most of them take later, or with
 * what the launch allows if that is less or none takes any [PTXAS13]. */
static uint32_t registers_at_launch(const cg_func *f)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < f->nblocks; i++) {
        const cg_inst *in = change_of(f->blocks[i]);

        if (in && CG_GET(in, POOL) && registers_of(f, in) > most)
            most = registers_of(f, in);
    }
    return most && most < f->launch_registers ? most : f->launch_registers;
}

static bool lower_limit(cg_block *b, uint32_t limit)
{
    bool lower = !b->limit || limit < b->limit;

    if (lower)
        b->limit = limit;
    return lower;
}

static void hand_on(cg_func *f)
{
    bool changed = lower_limit(f->blocks[0], f->launch_registers);

    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < f->nblocks; i++) {
            cg_block *b = f->blocks[i];
            const cg_inst *in = change_of(b);
            uint32_t most = 2 + (b->last ? b->last->table_size : 0);
            cg_block **to = ARENA_ARRAY(f->mem, cg_block *, most);
            unsigned n = cg_successors(b, to, most);

            for (unsigned k = 0; b->limit && k < n; k++)
                changed |=
                    lower_limit(to[k], in ? registers_of(f, in) : b->limit);
        }
    }
}

unsigned cg_find_regions(cg_func *f, unsigned limit)
{
    uint32_t most;

    if (!set_apart(f)) {
        f->launch_registers = 0;
        return limit;
    }
    most = f->launch_registers = registers_at_launch(f);
    hand_on(f);
    for (uint32_t i = 0; i < f->nblocks; i++) {
        cg_block *b = f->blocks[i];
        const cg_inst *in = change_of(b);

        if (in)
            lower_limit(b, registers_of(f, in));
        most = b->limit > most ? b->limit : most;
    }
    return most;
}
