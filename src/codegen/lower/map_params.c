/* src/codegen/lower/map_params.c - generic addresses of a kernel's parameters
 * that only bulk copies take, as those of tensor maps: the parameters need no
 * copy that loads can reach, see lower_mem.c. */
#include <stdlib.h>

#include "base/alloc.h"
#include "codegen/lower/context.h"

typedef struct taint {
    const ptx_func *fn;
    bool *from_param; /* by register: may be such an address */
    bool grew;
} taint;

static bool leads(const taint *t, const ptx_operand *o)
{
    if ((o->kind == PTX_OPD_REG || o->kind == PTX_OPD_ADDR) &&
        o->reg != PTX_NO_REG && o->reg < t->fn->nregs && t->from_param[o->reg])
        return true;
    for (unsigned i = 0; o->elems && i < o->nelems; i++)
        if (leads(t, &o->elems[i]))
            return true;
    return false;
}

static void mark(taint *t, const ptx_operand *o)
{
    if (o->kind != PTX_OPD_REG || o->reg >= t->fn->nregs ||
        t->from_param[o->reg])
        return;
    t->from_param[o->reg] = t->grew = true;
}

static bool is_param_address(const ptx_inst *in)
{
    return in->op == PTX_CVTA && in->nspaces && !ptx_has(in, PTX_FLAG_TO) &&
           ptx_space_base((ptx_space)in->spaces[0]) == PTX_SPACE_PARAM;
}

/* Takes the address of a tensor map as such, in operand `i`. */
static bool takes_map(const ptx_inst *in, unsigned i)
{
    if (in->op == PTX_CP)
        return ptx_has_sub(in, PTX_SUB_TENSOR) &&
               in->ops[i].kind == PTX_OPD_ADDR && in->ops[i].nelems;
    return (in->op == PTX_PREFETCH && ptx_has_sub(in, PTX_SUB_TENSORMAP)) ||
           in->op == PTX_FENCE;
}

/* False: it does something else with an address. */
static bool follow(taint *t, const ptx_inst *in)
{
    bool reads = false;

    if (in->op == PTX_CALL) {
        for (unsigned i = 0; i < in->call->nargs; i++)
            reads |= leads(t, &in->call->args[i]);
        return !reads;
    }
    for (unsigned i = 0; i < in->nops; i++)
        if (leads(t, &in->ops[i]) && !takes_map(in, i))
            reads |=
                i > 0 || in->op == PTX_ST || in->ops[i].kind != PTX_OPD_REG;
    if (!reads)
        return true;
    if ((in->op != PTX_MOV && in->op != PTX_ADD && in->op != PTX_CVTA &&
         in->op != PTX_SELP) ||
        (in->op == PTX_CVTA && ptx_has(in, PTX_FLAG_TO)))
        return false;
    mark(t, &in->ops[0]);
    return in->ops[0].kind == PTX_OPD_REG;
}

bool lo_only_map_params(const ptx_func *fn)
{
    taint t = {.fn = fn, .grew = true};
    bool only = true;

    t.from_param = new0(fn->nregs + 1, sizeof *t.from_param);
    for (uint32_t i = 0; i < fn->ninsts; i++)
        if (is_param_address(&fn->insts[i]))
            mark(&t, &fn->insts[i].ops[0]);
    while (t.grew && only) {
        t.grew = false;
        for (uint32_t i = 0; i < fn->ninsts && only; i++)
            only = follow(&t, &fn->insts[i]);
    }
    free(t.from_param);
    return only;
}
