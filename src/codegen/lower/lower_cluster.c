/* src/codegen/lower/lower_cluster.c - thread-block clusters, and hints. Cache
 * policies, register counts and dependent grids do nothing. */
#include "codegen/lower/context.h"

/* Who arrives, but for .relaxed, has made its accesses visible to the cluster:
 * stores are on their way to other SMs, so unlike a barrier of the CTA this one
 * needs a fence. What stands behind the wait is executed behind it. */
void lo_cluster_barrier(lower *l, const ptx_inst *in)
{
    bool arrive = ptx_has_sub(in, PTX_SUB_ARRIVE);

    if (arrive && in->order != PTX_ORDER_RELAXED)
        CG_PUT(cb_emit(&l->b, ISA_MEMBAR), SCOPE, SCOPE_GPU);
    cb_emit(&l->b, arrive ? ISA_CGAARV : ISA_CGAWAIT);
}

/* mapa: the address that another CTA of the cluster has for `a`. */
void lop_mapa(lower *l, const ptx_inst *in)
{
    lo_set(l, &in->ops[0], lo_src(l, &in->ops[1], lo_type(in, 0)));
}

void lop_getctarank(lower *l, const ptx_inst *in)
{
    lo_set(l, &in->ops[0], cg_zero());
}

/* A policy is what only other hints read. */
void lop_createpolicy(lower *l, const ptx_inst *in)
{
    lo_set(l, &in->ops[0], cg_zero());
}
