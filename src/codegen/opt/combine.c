/* src/codegen/opt/combine.c - the walk over all operations; each is offered to
 * all patterns. */
#include "codegen/opt/combine.h"

#include "codegen/ir/pass.h"

static bool combine_one(combine *c, cg_inst *in)
{
    return co_int(c, in) || co_logic(c, in) || co_bytes(c, in) ||
           co_wide(c, in) || co_address(c, in) || co_float(c, in) ||
           co_pred(c, in);
}

bool cg_combine(cg_defuse *d)
{
    combine c = {.d = d, .f = d->f, .volta = d->f->opt->arch >= ARCH_VOLTA};
    bool changed = false;

    for (uint32_t i = 0; i < d->f->nblocks; i++) {
        CG_EACH_SAFE(in, d->f->blocks[i])
        {
            unsigned rounds = 0;

            while (rounds++ < 8 && combine_one(&c, in))
                changed = true;
        }
    }
    return changed;
}
