/* src/codegen/alloc/ra.c - register allocation: predicates first, since
 * predicates without a place are spilled to registers, then registers. */
#include "codegen/alloc/ra.h"

#include <string.h>

#include "codegen/ir/pass.h"

enum { ROUNDS = 40 };

/* One round: true if everything has its place. *stuck: it cannot be done. */
static bool try_once(cg_func *f, bool preds, bool careful, unsigned limit,
                     bool last, bool *stuck)
{
    ra r = {.f = f,
            .mem = arena_new(),
            .preds = preds,
            .careful = careful,
            .limit = limit};
    bool done;

    ra_build(&r);
    ra_join(&r);
    done = ra_colour(&r);
    if (done && !preds && f->opt->banks.count)
        ra_spread(&r);
    for (vreg v = 1; v < f->nregs && done; v++) {
        unsigned off;
        vreg root;

        if ((f->regs[v].cls == CG_PRED) != preds)
            continue;
        root = ra_root(&r, v, &off);
        f->regs[v].phys = RA_NONE;
        if (r.node[root].colour != RA_NONE)
            f->regs[v].phys = (uint16_t)(r.node[root].colour + off);
    }
    if (done && !preds)
        f->registers = r.used;
    if (!done && last)
        *stuck = !ra_spill(&r);
    arena_free(r.edge_mem);
    arena_free(r.mem);
    return done;
}

static bool allocate_class(cg_func *f, bool preds, unsigned limit)
{
    bool stuck = false;

    for (unsigned round = 0; round < ROUNDS && !stuck; round++) {
        if (try_once(f, preds, false, limit, false, &stuck))
            return true;
        if (try_once(f, preds, true, limit, true, &stuck))
            return true;
    }
    return false;
}

/* Copies between registers that got the same place. */
static void drop_copies(cg_func *f)
{
    for (uint32_t i = 0; i < f->nblocks; i++) {
        CG_EACH_SAFE(in, f->blocks[i])
        {
            const cg_src *s = &in->src[1];

            if (in->op == ISA_MOV && s->kind == SRC_REG && s->reg &&
                in->dst.reg &&
                f->regs[s->reg].phys + s->off ==
                    f->regs[in->dst.reg].phys + in->dst.off)
                cg_remove(in);
            else if (in->op == ISA_PLOP3 && in->lut == 0xf0 && in->pdst[0] &&
                     in->psrc[0].reg && !in->psrc[0].neg &&
                     f->regs[in->psrc[0].reg].phys == f->regs[in->pdst[0]].phys)
                cg_remove(in);
        }
    }
}

bool cg_allocate(cg_func *f, unsigned limit)
{
    if (!allocate_class(f, true, ISA_PREDS))
        return false;
    ra_relieve(f, limit);
    if (!allocate_class(f, false, limit))
        return false;
    drop_copies(f);
    return true;
}
