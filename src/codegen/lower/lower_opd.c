/* src/codegen/lower/lower_opd.c - operands of PTX instructions. */
#include <string.h>

#include "base/must.h"
#include "codegen/ir/frame.h"
#include "codegen/lower/context.h"
#include "exec/services.h"

unsigned lo_words(ptx_type t)
{
    unsigned bits = ptx_type_bits(t);

    return bits <= 32 ? 1 : bits / 32;
}

ptx_type lo_type(const ptx_inst *in, unsigned t)
{
    if (!in->ntypes)
        return PTX_TYPE_NONE;
    return (ptx_type)in->types[t < in->ntypes ? t : in->ntypes - 1u];
}

bool lo_signed(ptx_type t) { return ptx_type_kind(t) == PTX_KIND_SINT; }
bool lo_is64(ptx_type t) { return ptx_type_bits(t) == 64; }
bool lo_is16(ptx_type t) { return ptx_type_bits(t) <= 16; }

vreg lo_reg(lower *l, uint32_t number)
{
    const ptx_func *fn = l->fr->fn;
    vreg *v = &l->fr->reg[number];

    if (!*v) {
        ptx_type t = fn->regs[number].type;

        *v = cg_reg_new(l->b.f, t == PTX_TYPE_PRED
                                    ? CG_PRED
                                    : cg_class_of_words(lo_words(t)));
    }
    return *v;
}

cg_src lo_reg_src(lower *l, uint32_t number) { return cg_r(lo_reg(l, number)); }

vreg lo_dst(lower *l, const ptx_operand *o)
{
    return o->kind == PTX_OPD_REG ? lo_reg(l, o->reg) : 0;
}

void lo_set(lower *l, const ptx_operand *d, cg_src s)
{
    vreg v = lo_dst(l, d);

    if (v)
        cb_copy(&l->b, v, s, l->b.f->regs[v].words);
}

/* PLOP3 with all its inputs the same: the table of A is a copy. */
void lo_set_pred(lower *l, const ptx_operand *d, cg_pred p)
{
    vreg v = lo_dst(l, d);
    cg_inst *in;

    if (!v)
        return;
    in = cb_emit(&l->b, ISA_PLOP3);
    in->lut = LUT_A;
    in->pdst[0] = v;
    in->psrc[0] = p;
}

cg_src lo_ext(lower *l, cg_src s, ptx_type t)
{
    if (!lo_is16(t))
        return s;
    if (lo_signed(t))
        return cb_sext(&l->b, s, ptx_type_bits(t));
    return cb_zext(&l->b, s, ptx_type_bits(t));
}

/* ---- special registers ------------------------------------------------- */

typedef enum sreg_how { HOW_S2R, HOW_CS2R, HOW_CONST, HOW_VALUE } sreg_how;

static const struct {
    uint8_t how;
    uint16_t what; /* isa_sreg, offset in bank 0, value; of component .x */
    uint16_t rest; /* value of .w, and for HOW_VALUE of .y and .z too */
} sregs[PTX_SREG_COUNT] = {
    [PTX_SREG_TID] = {HOW_S2R, SR_TID_X, 0},
    [PTX_SREG_NTID] = {HOW_CONST, C0_NTID_X, 1},
    [PTX_SREG_CTAID] = {HOW_S2R, SR_CTAID_X, 0},
    [PTX_SREG_NCTAID] = {HOW_CONST, C0_NCTAID_X, 1},
    [PTX_SREG_LANEID] = {HOW_S2R, SR_LANEID, 0},
    [PTX_SREG_WARPID] = {HOW_S2R, SR_WARPID, 0},
    [PTX_SREG_NWARPID] = {HOW_S2R, SR_NWARPID, 0},
    [PTX_SREG_SMID] = {HOW_S2R, SR_SMID, 0},
    [PTX_SREG_NSMID] = {HOW_S2R, SR_NSMID, 0},
    [PTX_SREG_GRIDID] = {HOW_S2R, SR_GRIDID, 0},
    [PTX_SREG_CLUSTERID] = {HOW_S2R, SR_CGAID_X, 0},
    [PTX_SREG_NCLUSTERID] = {HOW_CONST, C0_NCGA_X, 1},
    [PTX_SREG_CLUSTER_CTAID] = {HOW_S2R, SR_CGACTAID_X, 0},
    [PTX_SREG_CLUSTER_NCTAID] = {HOW_CONST, C0_CGA_X, 1},
    [PTX_SREG_CLUSTER_CTARANK] = {HOW_S2R, SR_CGARANK, 0},
    [PTX_SREG_CLUSTER_NCTARANK] = {HOW_CONST, C0_CGA_CTAS, 0},
    [PTX_SREG_LANEMASK_EQ] = {HOW_S2R, SR_EQMASK, 0},
    [PTX_SREG_LANEMASK_LE] = {HOW_S2R, SR_LEMASK, 0},
    [PTX_SREG_LANEMASK_LT] = {HOW_S2R, SR_LTMASK, 0},
    [PTX_SREG_LANEMASK_GE] = {HOW_S2R, SR_GEMASK, 0},
    [PTX_SREG_LANEMASK_GT] = {HOW_S2R, SR_GTMASK, 0},
    [PTX_SREG_CLOCK] = {HOW_S2R, SR_CLOCKLO, 0},
    [PTX_SREG_CLOCK_HI] = {HOW_S2R, SR_CLOCKHI, 0},
    [PTX_SREG_CLOCK64] = {HOW_CS2R, SR_CLOCK64, 0},
    [PTX_SREG_GLOBALTIMER] = {HOW_CS2R, SR_TIMER, 0},
    [PTX_SREG_GLOBALTIMER_LO] = {HOW_S2R, SR_TIMERLO, 0},
    [PTX_SREG_GLOBALTIMER_HI] = {HOW_S2R, SR_TIMERHI, 0},
    [PTX_SREG_TOTAL_SMEM_SIZE] = {HOW_CONST, C0_SHARED_TOTAL, 0},
    [PTX_SREG_AGGR_SMEM_SIZE] = {HOW_CONST, C0_SHARED_TOTAL, 0},
    [PTX_SREG_DYNAMIC_SMEM_SIZE] = {HOW_CONST, C0_SHARED_BYTES, 0},
    [PTX_SREG_ENVREG0] = {HOW_CONST, C0_GRID_OFFSET_X, 0},
    [PTX_SREG_ENVREG1] = {HOW_CONST, C0_GRID_OFFSET_Y, 0},
    [PTX_SREG_ENVREG2] = {HOW_CONST, C0_GRID_OFFSET_Z, 0},
    [PTX_SREG_ENVREG3] = {HOW_CONST, C0_WORK_DIM, 0},
    [PTX_SREG_ENVREG6] = {HOW_CONST, C0_THREADS_X, 0},
    [PTX_SREG_ENVREG7] = {HOW_CONST, C0_THREADS_Y, 0},
    [PTX_SREG_ENVREG8] = {HOW_CONST, C0_THREADS_Z, 0},
};

/* Counters and the other environment registers, which read zero. */
static bool reads_zero(ptx_sreg r)
{
    return (r >= PTX_SREG_ENVREG4 && r <= PTX_SREG_PM7_64 &&
            sregs[r].how != HOW_CONST) ||
           (r >= PTX_SREG_RESERVED_SMEM_BEGIN &&
            r <= PTX_SREG_RESERVED_SMEM_1) ||
           r == PTX_SREG_CURRENT_GRAPH_EXEC;
}

static cg_src lo_sreg(lower *l, const ptx_operand *o)
{
    unsigned how = sregs[o->sreg].how, what = sregs[o->sreg].what;

    if (reads_zero(o->sreg))
        return cg_zero();
    if (o->sel == 3)
        return cg_imm(sregs[o->sreg].rest);
    switch (how) {
    case HOW_CONST:
        return cg_const(CBANK_PARAM, what + 4u * o->sel);
    case HOW_VALUE:
        return cg_imm(o->sel ? sregs[o->sreg].rest : (int64_t)what);
    case HOW_CS2R: {
        cg_src s = cb_op(&l->b, ISA_CS2R, cb_none(), cb_none(), cb_none());

        cb_last(&l->b)->lut = (uint8_t)what;
        return s;
    }
    default: {
        cg_src s = cb_sreg(&l->b, (isa_sreg)(what + o->sel));

        return o->sreg == PTX_SREG_GRIDID ? cb_pair(&l->b, s, cg_zero()) : s;
    }
    }
}

/* ---- symbols ----------------------------------------------------------- */

static cg_src function_address(lower *l, const ptx_operand *o)
{
    const ptx_func *fn = cu_final(o->func);
    uint32_t handle = fn && !fn->entry ? cu_handle(l->u, fn) : 0;

    if (fn && fn->entry)
        return cg_imm((int64_t)exec_kernel_handle(fn->name) + o->imm);
    if (!handle)
        lo_unsupported(l, "the address of a function without body");
    return cg_imm((int64_t)handle + o->imm);
}

/* An address in the frame of the function. */
cg_src lo_frame_address(lower *l, int64_t offset)
{
    cg_src base = cg_frame_base(l->b.f);

    if (!base.reg)
        return cg_imm(offset);
    base = cb_reg(&l->b, cb_add(&l->b, base, cg_imm(offset)), 1);
    return cb_pair(&l->b, base, cg_zero());
}

cg_src lo_symbol(lower *l, const ptx_operand *o)
{
    const ptx_var *v = o->var;
    const cg_symbol *s;
    uint32_t at;

    if (!v)
        return function_address(l, o);
    switch (ptx_space_base(v->space)) {
    case PTX_SPACE_SHARED:
        return cg_imm((int64_t)lo_shared_offset(l, v) + o->imm);
    case PTX_SPACE_LOCAL:
        return lo_frame_address(l, (int64_t)lo_local_offset(l, v) + o->imm);
    case PTX_SPACE_PARAM:
        if (lo_kernel_param(l, v, &at))
            return cg_imm((int64_t)at + o->imm);
        return lo_frame_address(l, (int64_t)lo_param_of(l, v)->offset + o->imm);
    case PTX_SPACE_NONE:
    case PTX_SPACE_REG:
    case PTX_SPACE_SREG:
    case PTX_SPACE_CONST:
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_PARAM_ENTRY:
    case PTX_SPACE_PARAM_FUNC:
    case PTX_SPACE_SHARED_CTA:
    case PTX_SPACE_SHARED_CLUSTER:
    case PTX_SPACE_TEX:
    case PTX_SPACE_COUNT:
        s = cu_use(l->u, v);
        if (s && s->number != UINT32_MAX)
            return cg_const(CBANK_SYMBOL, cu_slot(l->u, s, o->imm));
        lo_unsupported(l, "the address of such a variable");
        return cg_zero();
    }
    MUST(!"every value is above");
}

/* ---- values ------------------------------------------------------------ */

static cg_src immediate(const ptx_operand *o, ptx_type t)
{
    unsigned bits = ptx_type_bits(t);
    double d;
    float x;
    uint32_t word;
    int64_t v = o->imm;

    if (o->kind == PTX_OPD_FIMM && o->type == PTX_TYPE_F64 && bits == 32) {
        memcpy(&d, &o->imm, sizeof d);
        x = (float)d;
        memcpy(&word, &x, sizeof word);
        return cg_imm((int32_t)word);
    }
    if (o->kind == PTX_OPD_FIMM && o->type == PTX_TYPE_F32 && bits == 64) {
        word = (uint32_t)o->imm;
        memcpy(&x, &word, sizeof x);
        d = (double)x;
        memcpy(&v, &d, sizeof v);
        return cg_imm(v);
    }
    if (bits == 16)
        v = lo_signed(t) ? (int16_t)v : (uint16_t)v;
    else if (bits == 8)
        v = lo_signed(t) ? (int8_t)v : (uint8_t)v;
    else if (bits == 32 || !bits)
        v = (int32_t)v;
    return cg_imm(v);
}

cg_src lo_src(lower *l, const ptx_operand *o, ptx_type t)
{
    switch (o->kind) {
    case PTX_OPD_REG:
        return lo_reg_src(l, o->reg);
    case PTX_OPD_IMM:
    case PTX_OPD_FIMM:
        return immediate(o, t);
    case PTX_OPD_SREG:
        return lo_sreg(l, o);
    case PTX_OPD_SYM:
        return lo_symbol(l, o);
    default:
        lo_unsupported(l, "this kind of operand");
        return cg_zero();
    }
}

lo_args lo_sources(lower *l, const ptx_inst *in, ptx_type t)
{
    lo_args s = {cb_none(), cb_none(), cb_none()};

    if (in->nops > 1)
        s.a = lo_src(l, &in->ops[1], t);
    if (in->nops > 2)
        s.b = lo_src(l, &in->ops[2], t);
    if (in->nops > 3)
        s.c = lo_src(l, &in->ops[3], t);
    return s;
}

cg_pred lo_pred(lower *l, const ptx_operand *o)
{
    if (o->kind == PTX_OPD_SREG) /* %is_explicit_cluster */
        return cg_p(cb_isetp(&l->b, CMP_NE, false,
                             cg_const(CBANK_PARAM, C0_CGA_EXPLICIT),
                             cg_zero()));
    if (o->kind == PTX_OPD_REG)
        return (cg_pred){lo_reg(l, o->reg), o->negated};
    if (o->kind == PTX_OPD_IMM)
        return (cg_pred){0, !o->imm != o->negated};
    lo_unsupported(l, "this kind of predicate");
    return (cg_pred){0};
}
