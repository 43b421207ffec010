/* src/codegen/lower/lower_body.c - the body of a function, instruction by
 * instruction, each by its row of lower_op.def. */
#include "codegen/lower/context.h"

static lo_fn *const lo_table[PTX_OP_COUNT] = {
#define LOWER(op, fn) [PTX_##op] = lop_##fn,
#include "codegen/lower/lower_op.def"
#undef LOWER
};

static const char *const refusals[PTX_OP_COUNT] = {
#define REFUSE(op, why) [PTX_##op] = why,
#include "codegen/lower/refuse.def"
#undef REFUSE
};

ptx_source lo_first_source(const ptx_func *fn)
{
    for (uint32_t i = 0; i < fn->ninsts; i++)
        if (fn->insts[i].source.file && fn->insts[i].source.line)
            return fn->insts[i].source;
    return (ptx_source){0};
}

/* The source line of `in`. What precedes the first .loc belongs to it; line 0
 * is no line, so the one before goes on, and a function without .loc inlined
 * into one with counts for the call. */
static void find_source_line(lower *l, const ptx_inst *in)
{
    ptx_source at = in->source;

    if (!at.file)
        at = l->fr->first;
    if (at.file && at.line)
        l->b.line = cu_line(l->u, at.file, at.line);
    else if (!at.file && !l->located)
        l->b.line = cu_line(l->u, 0, in->place.line);
}

void lo_body(lower *l)
{
    const ptx_func *fn = l->fr->fn;

    l->fr->first = lo_first_source(fn);

    for (uint32_t i = 0; i < fn->ninsts; i++) {
        const ptx_inst *in = &fn->insts[i];
        lo_fn *fun = lo_table[in->op];

        if (l->fr->block[i])
            cb_enter(&l->b, l->fr->block[i]);
        l->in = in;
        find_source_line(l, in);
        l->b.guard = (cg_pred){0};
        if (in->guarded)
            l->b.guard = (cg_pred){lo_reg(l, in->guard), in->guard_negated};
        if (fun)
            fun(l, in);
        else
            lo_unsupported(l, refusals[in->op]);
        l->b.guard = (cg_pred){0};
    }
    if (l->fr->block[fn->ninsts])
        cb_enter(&l->b, l->fr->block[fn->ninsts]);
}
