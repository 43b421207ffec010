/* src/codegen/lower/lower_cluster.c - clusters, and hints. A cluster is one
 * CTA, as in every launch without cluster dimensions: its barrier is one of the
 * CTA, and addresses of shared memory are the same for all of it. Cache
 * policies, register counts and dependent grids do nothing. */
#include "codegen/lower/context.h"

enum {
    CLUSTER_BARRIER = 15, /* that of the CTA which stands for the cluster's */
    BARRIERS = 16,
};

/* Arriving needs no code, since every thread that arrives waits later, and
 * waiting is a full barrier. The barrier of a CTA orders its memory
 * accesses. */
void lo_cluster_barrier(lower *l, const ptx_inst *in)
{
    cg_inst *i;

    if (ptx_has_sub(in, PTX_SUB_ARRIVE))
        return;
    i = cb_emit(&l->b, ISA_BARSYNC);
    i->lut = CLUSTER_BARRIER;
    l->b.f->barriers = BARRIERS;
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
