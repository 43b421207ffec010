/* tests/reference/operand.c - reads and writes operands. */
#include <string.h>

#include "reference/state.h"

ptx_type ref_type(const ptx_inst *in, unsigned n)
{
    if (!in->ntypes)
        return PTX_TYPE_NONE;
    return (ptx_type)in->types[n < in->ntypes ? n : in->ntypes - 1u];
}

bool ref_is_float(ptx_type t) { return ptx_type_kind(t) == PTX_KIND_FLOAT; }

bool ref_is_signed(ptx_type t) { return ptx_type_kind(t) == PTX_KIND_SINT; }

uint64_t ref_mask(unsigned bits)
{
    return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

ref_int ref_value(ptx_type t, uint64_t v)
{
    unsigned up = 64 - ptx_type_bits(t);

    v <<= up;
    return ref_is_signed(t) ? (ref_int)((int64_t)v >> up) : (ref_int)(v >> up);
}

/* ---- special registers ---- */

static uint64_t three(const uint32_t v[3], unsigned sel, uint32_t last)
{
    return sel < 3 ? v[sel] : last;
}

static uint64_t lane_mask(ptx_sreg r, unsigned lane)
{
    uint32_t eq = (uint32_t)1 << lane;

    if (r == PTX_SREG_LANEMASK_EQ)
        return eq;
    if (r == PTX_SREG_LANEMASK_LE)
        return eq | (eq - 1);
    if (r == PTX_SREG_LANEMASK_LT)
        return eq - 1;
    if (r == PTX_SREG_LANEMASK_GE)
        return (uint32_t) ~(eq - 1);
    return (uint32_t) ~(eq | (eq - 1));
}

static uint64_t special(ref_thread *t, const ptx_operand *o)
{
    const ref *r = t->cta->r;

    if (o->sreg == PTX_SREG_TID)
        return three(t->index, o->sel, 0);
    if (o->sreg == PTX_SREG_NTID)
        return three(r->l->cta, o->sel, 1);
    if (o->sreg == PTX_SREG_CTAID || o->sreg == PTX_SREG_CLUSTERID)
        return three(t->cta->id, o->sel, 0);
    if (o->sreg == PTX_SREG_NCTAID || o->sreg == PTX_SREG_NCLUSTERID)
        return three(r->l->grid, o->sel, 1);
    if (o->sreg == PTX_SREG_CLUSTER_NCTAID ||
        o->sreg == PTX_SREG_CLUSTER_NCTARANK || o->sreg == PTX_SREG_NSMID)
        return 1;
    if (o->sreg == PTX_SREG_LANEID)
        return t->lane;
    if (o->sreg == PTX_SREG_WARPID)
        return t->warp;
    if (o->sreg == PTX_SREG_NWARPID)
        return 64;
    if (o->sreg == PTX_SREG_LANEMASK_EQ || o->sreg == PTX_SREG_LANEMASK_LE ||
        o->sreg == PTX_SREG_LANEMASK_LT || o->sreg == PTX_SREG_LANEMASK_GE ||
        o->sreg == PTX_SREG_LANEMASK_GT)
        return lane_mask(o->sreg, t->lane);
    if (o->sreg == PTX_SREG_CLOCK || o->sreg == PTX_SREG_CLOCK64 ||
        o->sreg == PTX_SREG_GLOBALTIMER || o->sreg == PTX_SREG_GLOBALTIMER_LO)
        return r->steps;
    if (o->sreg == PTX_SREG_TOTAL_SMEM_SIZE ||
        o->sreg == PTX_SREG_AGGR_SMEM_SIZE)
        return t->cta->shared_bytes;
    if (o->sreg == PTX_SREG_DYNAMIC_SMEM_SIZE)
        return r->l->dynamic;
    if (o->sreg == PTX_SREG_ENVREG0 || o->sreg == PTX_SREG_ENVREG1 ||
        o->sreg == PTX_SREG_ENVREG2 || o->sreg == PTX_SREG_ENVREG3)
        return r->l->env[o->sreg - PTX_SREG_ENVREG0];
    if (o->sreg == PTX_SREG_ENVREG6 || o->sreg == PTX_SREG_ENVREG7 ||
        o->sreg == PTX_SREG_ENVREG8) {
        return r->l->grid[o->sreg - PTX_SREG_ENVREG6] *
               r->l->cta[o->sreg - PTX_SREG_ENVREG6];
    }
    return 0;
}

/* ---- reading ---- */

static uint64_t float_literal(const ptx_operand *o, ptx_type type)
{
    uint64_t v = (uint64_t)o->imm;

    if (o->type == PTX_TYPE_F64 && ptx_type_bits(type) == 32)
        return hw_pack(HW_F32, hw_unpack(HW_F64, v, false), HW_RN, false,
                       false);
    if (o->type == PTX_TYPE_F32 && ptx_type_bits(type) == 64)
        return hw_pack(HW_F64, hw_unpack(HW_F32, v, false), HW_RN, false,
                       false);
    return v;
}

ref_bits ref_get_all(ref_thread *t, const ptx_operand *o, ptx_type type)
{
    switch (o->kind) {
    case PTX_OPD_REG:
        if (t->cta->r->l->strict && !t->top->written[o->reg])
            ref_fail(t, "register %s was never written",
                     t->top->f->regs[o->reg].name);
        return t->top->reg[o->reg];
    case PTX_OPD_IMM:
        return (ref_bits)o->imm;
    case PTX_OPD_FIMM:
        return float_literal(o, type);
    case PTX_OPD_SREG:
        return special(t, o);
    case PTX_OPD_SYM:
        if (o->func)
            return REF_FUNC_BASE + o->func->number;
        return ref_offset(t, o->var) + (uint64_t)o->imm;
    default:
        ref_fail(t, "an operand of a kind that the reference does not know");
        return 0;
    }
}

uint64_t ref_get(ref_thread *t, const ptx_operand *o, ptx_type type)
{
    return (uint64_t)ref_get_all(t, o, type) & ref_mask(ptx_type_bits(type));
}

ref_int ref_get_int(ref_thread *t, const ptx_operand *o, ptx_type type)
{
    return ref_value(type, ref_get(t, o, type));
}

uint32_t ref_get_u32(ref_thread *t, const ptx_operand *o)
{
    return (uint32_t)ref_get(t, o, PTX_TYPE_U32);
}

bool ref_get_pred(ref_thread *t, const ptx_operand *o)
{
    return (ref_get_all(t, o, PTX_TYPE_PRED) != 0) != o->negated;
}

/* ---- writing ---- */

void ref_put_all(ref_thread *t, const ptx_operand *o, ref_bits v)
{
    if (o->kind == PTX_OPD_SINK)
        return;
    if (o->kind != PTX_OPD_REG) {
        ref_fail(t, "a destination that is no register");
        return;
    }
    unsigned bits = ptx_type_bits(t->top->f->regs[o->reg].type);
    if (bits < 128)
        v &= ((ref_bits)1 << bits) - 1;
    t->top->reg[o->reg] = v;
    t->top->written[o->reg] = true;
}

void ref_put(ref_thread *t, const ptx_operand *o, ptx_type type, uint64_t v)
{
    ref_put_all(t, o, (ref_bits)ref_value(type, v));
}

void ref_put_pred(ref_thread *t, const ptx_operand *o, bool v)
{
    ref_put_all(t, o, v);
}

const ptx_operand *ref_part(const ptx_operand *o, unsigned n)
{
    if (o->kind == PTX_OPD_PAIR)
        return &o->elems[n];
    return n ? NULL : o;
}
