/* src/codegen/lower/lower_cluster.c - thread-block clusters, the registers of a
 * thread, and dependent launches. */
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

/* ---- the shared memory of other CTAs: exec/remote.h --------------------- */

enum { SHIFT = 24, NO_RANK = 16 };

void lo_cga_address(lower *l, lo_addr *a)
{
    cg_src high = cb_reg(&l->b, cg_const(CBANK_PARAM, C0_SHARED_WINDOW + 4), 1);

    a->space = PTX_SPACE_NONE;
    a->base = cb_pair(&l->b, cg_word(a->base, 0), high);
}

/* mapa: the address that CTA `rank` of the cluster has for `a`, for all of its
 * CTAs. */
void lop_mapa(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    cg_src a = lo_src(l, &in->ops[1], lo_type(in, 0));
    cg_src rank = cb_reg(b, lo_src(l, &in->ops[2], PTX_TYPE_U32), 1), at, top;
    cg_pred good = cg_p(cb_isetp(b, CMP_LT, false, rank, cg_imm(NO_RANK)));

    rank = cb_sel(b, good, rank, cb_reg(b, cg_imm(NO_RANK), 1));
    top = cb_shl(b, cb_add(b, rank, cg_imm(1)), cg_imm(SHIFT));
    at = cb_reg(b, cg_word(a, 0), 1);
    at = cb_or(b, cb_and(b, at, cg_imm((1 << SHIFT) - 1)), top);
    lo_set(l, &in->ops[0],
           lo_is64(lo_type(in, 0)) ? cb_pair(b, at, cg_word(a, 1)) : at);
}

vreg lo_is_own_cta(lower *l, cg_src s)
{
    cg_build *b = &l->b;
    cg_src rank = cb_add(b, cb_sreg(b, SR_CGARANK), cg_imm(1));
    cg_src own = cb_shl(b, cb_reg(b, rank, 1), cg_imm(SHIFT));
    cg_src at = cb_add64(b, s, cg_neg(cg_const(CBANK_PARAM, C0_SHARED_WINDOW)));

    at = cb_add64(b, at, cg_neg(cb_pair(b, own, cg_zero())));
    return cb_isetp64(b, CMP_LT, false, at, cg_imm(1 << SHIFT));
}

void lop_getctarank(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    cg_src a = lo_src(l, &in->ops[1], lo_type(in, 0));
    cg_src top = cb_shr(b, false, cb_reg(b, cg_word(a, 0), 1), cg_imm(SHIFT));
    cg_pred own = cg_p(cb_isetp(b, CMP_EQ, false, top, cg_zero()));

    lo_set(l, &in->ops[0],
           cb_sel(b, own, cb_sreg(b, SR_CGARANK),
                  cb_reg(b, cb_add(b, top, cg_imm(-1)), 1)));
}

/* Without a count at the launch, ptxas leaves it out as well [PTXAS13]. */
static void warn_unknown(lower *l, const ptx_inst *in)
{
    cg_unit *u = l->u;

    if (!u->warned_registers)
        diag_add(
            u->dg, DIAG_WARNING, u->m->file, in->place.line, in->place.column,
            1, "setmaxnreg does nothing: %s",
            l->b.f->is_function
                ? "it stands in a function that is called"
                : "the registers at the launch are not known "
                  "(.maxnreg, .minnctapersm or --max-registers says them)");
    u->warned_registers = true;
}

/* GPUs before Hopper do not have it: there it does nothing. */
void lop_setmaxnreg(lower *l, const ptx_inst *in)
{
    int64_t n = in->ops[0].imm;
    cg_inst *set;

    if (in->ops[0].kind != PTX_OPD_IMM || n < 24 || n > 256 || n % 8)
        lo_unsupported(l, "the registers are a multiple of 8 from 24 to 256");
    if (l->u->opt->arch < ARCH_HOPPER)
        return;
    if (!l->b.f->launch_registers) {
        warn_unknown(l, in);
        return;
    }
    set = cb_emit(&l->b, ISA_USETMAXREG);
    set->src[1] = cg_imm(n);
    CG_PUT(set, POOL, ptx_has_sub(in, PTX_SUB_INC));
}

/* The stores of the launch before are visible to all when it has ended. */
void lop_griddepcontrol(lower *l, const ptx_inst *in)
{
    bool wait = ptx_has_sub(in, PTX_SUB_WAIT);

    if (l->u->opt->arch >= ARCH_HOPPER)
        cb_emit(&l->b, wait ? ISA_ACQBULK : ISA_PREEXIT);
}
