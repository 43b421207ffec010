/* src/codegen/lower/lower_sync.c - fences, barriers, and lanes that read each
 * other. */
#include "codegen/lower/context.h"

/* ---- fences and barriers ----------------------------------------------- */

unsigned lo_scope(const ptx_inst *in)
{
    switch (in->scope) {
    case PTX_SCOPE_CTA:
    case PTX_SCOPE_CLUSTER:
        return SCOPE_CTA;
    case PTX_SCOPE_SYS:
        return SCOPE_SYS;
    default:
        return SCOPE_GPU;
    }
}

/* There is one path to memory, so what orders proxies orders accesses. */
void lop_membar(lower *l, const ptx_inst *in)
{
    bool proxy = ptx_has_sub(in, PTX_SUB_PROXY);
    cg_inst *i = cb_emit(&l->b, ISA_MEMBAR);

    CG_PUT(i, SCOPE, proxy && !in->scope ? SCOPE_CTA : lo_scope(in));
    CG_PUT(i, SC,
           (in->op == PTX_MEMBAR && !proxy) || in->order == PTX_ORDER_SC);
    /* Nothing but the checker of accesses (exec/async.h) asks. */
    if (ptx_has_sub(in, PTX_SUB_MBARRIER_INIT))
        CG_PUT(i, PROXY, PROXY_MBARRIER);
    else if (proxy && (ptx_has_sub(in, PTX_SUB_ASYNC) ||
                       ptx_has_sub(in, PTX_SUB_ASYNC_GENERIC)))
        CG_PUT(i, PROXY, PROXY_ASYNC);
}

/* Before Volta lanes need not wait for each other: what has parted them ends
 * where they meet. */
static void warpsync(lower *l, cg_src mask)
{
    if (l->u->opt->arch >= ARCH_VOLTA)
        cb_to(&l->b, ISA_WARPSYNC, (cg_dst){0}, cb_none(), mask, cb_none());
    else
        cb_emit(&l->b, CG_ORDER);
}

static void barrier_number(lower *l, cg_inst *i, const ptx_operand *o)
{
    cg_func *f = l->b.f;

    if (o->kind == PTX_OPD_IMM) {
        i->lut = (uint8_t)o->imm;
        if (f->barriers < (uint32_t)o->imm + 1)
            f->barriers = (uint32_t)o->imm + 1;
        if (o->imm < 0 || o->imm > 15)
            lo_unsupported(l, "barriers are numbered 0 to 15");
    } else {
        f->barriers = 16;
    }
}

/* bar.red: a reduction of a predicate over the threads. */
static void bar_red(lower *l, const ptx_inst *in)
{
    unsigned op = ptx_has_sub(in, PTX_SUB_POPC)  ? ISA_BARPOPC
                  : ptx_has_sub(in, PTX_SUB_AND) ? ISA_BARAND
                                                 : ISA_BAROR;
    cg_pred p = lo_pred(l, &in->ops[in->nops - 1]);
    cg_src a = cb_none(), n = cb_none();
    cg_inst *i;

    if (in->ops[1].kind != PTX_OPD_IMM)
        a = cb_reg(&l->b, lo_src(l, &in->ops[1], PTX_TYPE_U32), 1);
    if (in->nops > 3)
        n = lo_src(l, &in->ops[2], PTX_TYPE_U32);
    i = cb_to(&l->b, op, (cg_dst){0}, a, n, cb_none());
    i->psrc[0] = p;
    barrier_number(l, i, &in->ops[1]);
    if (op == ISA_BARPOPC) {
        i->dst.reg = cg_reg_new(l->b.f, CG_W1);
        lo_set(l, &in->ops[0], cg_r(i->dst.reg));
    } else {
        i->pdst[0] = cg_reg_new(l->b.f, CG_PRED);
        lo_set_pred(l, &in->ops[0], cg_p(i->pdst[0]));
    }
}

void lop_bar(lower *l, const ptx_inst *in)
{
    bool arrive = ptx_has_sub(in, PTX_SUB_ARRIVE);
    cg_src a = cb_none(), n = cb_none();
    cg_inst *i;

    if (ptx_has_sub(in, PTX_SUB_WARP)) {
        warpsync(l, lo_src(l, &in->ops[0], PTX_TYPE_B32));
        return;
    }
    if (in->scope == PTX_SCOPE_CLUSTER) {
        lo_cluster_barrier(l, in);
        return;
    }
    if (ptx_has_sub(in, PTX_SUB_RED)) {
        bar_red(l, in);
        return;
    }
    if (in->nops && in->ops[0].kind != PTX_OPD_IMM)
        a = cb_reg(&l->b, lo_src(l, &in->ops[0], PTX_TYPE_U32), 1);
    if (in->nops > 1)
        n = lo_src(l, &in->ops[1], PTX_TYPE_U32);
    i = cb_to(&l->b, arrive ? ISA_BARARV : ISA_BARSYNC, (cg_dst){0}, a, n,
              cb_none());
    barrier_number(l, i, &in->ops[0]);
}

void lop_nanosleep(lower *l, const ptx_inst *in)
{
    cb_to(&l->b, ISA_NANOSLEEP, (cg_dst){0}, cb_none(),
          lo_src(l, &in->ops[0], PTX_TYPE_U32), cb_none());
}

/* ---- lanes ------------------------------------------------------------- */

static cg_src ballot(lower *l, cg_pred p)
{
    cg_inst *i = cb_emit(&l->b, ISA_VOTE);

    CG_PUT(i, VOTEOP, VOTE_ANY);
    i->psrc[0] = p;
    i->dst.reg = cg_reg_new(l->b.f, CG_W1);
    return cg_r(i->dst.reg);
}

void lop_activemask(lower *l, const ptx_inst *in)
{
    lo_set(l, &in->ops[0], ballot(l, (cg_pred){0}));
}

/* The member mask of a .sync form, after the wait for its lanes; -1 of the
 * older forms. */
static cg_src members(lower *l, const ptx_inst *in)
{
    cg_src mask = cg_imm(-1);

    if (!ptx_has(in, PTX_FLAG_SYNC))
        return mask;
    mask = lo_src(l, &in->ops[in->nops - 1], PTX_TYPE_B32);
    warpsync(l, mask);
    return mask;
}

static bool is_all(cg_src mask)
{
    return mask.kind == SRC_IMM && (int32_t)mask.val == -1;
}

/* Lanes outside of the mask may vote in the same instruction. */
static vreg vote_some(lower *l, unsigned how, cg_pred p, cg_src mask)
{
    cg_build *b = &l->b;
    cg_src yes = cb_and(b, ballot(l, p), mask), no;
    vreg any, all;

    if (how == VOTE_ANY)
        return cb_isetp(b, CMP_NE, false, yes, cg_zero());
    no = cb_and(b, ballot(l, cg_not(p)), mask);
    all = cb_isetp(b, CMP_EQ, false, no, cg_zero());
    if (how == VOTE_ALL)
        return all;
    any = cb_isetp(b, CMP_EQ, false, yes, cg_zero());
    return cb_plop(b, LUT_A | LUT_B, cg_p(all), cg_p(any), (cg_pred){0});
}

void lop_vote(lower *l, const ptx_inst *in)
{
    cg_pred p = lo_pred(l, &in->ops[1]);
    unsigned how = ptx_has_sub(in, PTX_SUB_ALL)   ? VOTE_ALL
                   : ptx_has_sub(in, PTX_SUB_ANY) ? VOTE_ANY
                                                  : VOTE_EQ;
    cg_src mask = members(l, in), d;
    cg_inst *i;

    if (ptx_has_sub(in, PTX_SUB_BALLOT)) {
        d = ballot(l, p);
        lo_set(l, &in->ops[0], is_all(mask) ? d : cb_and(&l->b, d, mask));
        return;
    }
    if (!is_all(mask)) {
        lo_set_pred(l, &in->ops[0], cg_p(vote_some(l, how, p, mask)));
        return;
    }
    i = cb_emit(&l->b, ISA_VOTE);
    CG_PUT(i, VOTEOP, how);
    i->psrc[0] = p;
    i->pdst[0] = cg_reg_new(l->b.f, CG_PRED);
    lo_set_pred(l, &in->ops[0], cg_p(i->pdst[0]));
}

void lop_shfl(lower *l, const ptx_inst *in)
{
    const ptx_operand *d = &in->ops[0];
    unsigned how = ptx_has_sub(in, PTX_SUB_UP)     ? SHFL_UP
                   : ptx_has_sub(in, PTX_SUB_DOWN) ? SHFL_DOWN
                   : ptx_has_sub(in, PTX_SUB_BFLY) ? SHFL_BFLY
                                                   : SHFL_IDX;
    lo_args from;
    cg_src s;
    cg_inst *i;

    members(l, in);
    from = lo_sources(l, in, PTX_TYPE_B32);
    s = cb_op(&l->b, ISA_SHFL, from.a, from.b, from.c);
    i = cb_last(&l->b);
    CG_PUT(i, SHFLOP, how);
    if (d->kind == PTX_OPD_PAIR) {
        i->pdst[0] = cg_reg_new(l->b.f, CG_PRED);
        lo_set_pred(l, &d->elems[1], cg_p(i->pdst[0]));
        d = &d->elems[0];
    }
    lo_set(l, d, s);
}

void lop_match(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    ptx_type t = lo_type(in, 0);
    bool all = ptx_has_sub(in, PTX_SUB_ALL);
    const ptx_operand *d = &in->ops[0];
    cg_src x = lo_src(l, &in->ops[1], t), mask = members(l, in), live, s;
    vreg p = 0;

    s = cb_op(b, lo_is64(t) ? ISA_MATCHL : ISA_MATCH, x, cb_none(), cb_none());
    if (!is_all(mask))
        s = cb_and(b, s, mask);
    if (all) { /* every lane of the mask that is here has my value */
        live = ballot(l, (cg_pred){0});
        if (!is_all(mask))
            live = cb_and(b, live, mask);
        p = cb_isetp(b, CMP_EQ, false, s, live);
        s = cb_sel(b, cg_p(p), s, cg_zero());
    }
    if (d->kind == PTX_OPD_PAIR) {
        if (p)
            lo_set_pred(l, &d->elems[1], cg_p(p));
        d = &d->elems[0];
    }
    lo_set(l, d, s);
}

void lop_redux(lower *l, const ptx_inst *in)
{
    static const struct {
        uint16_t sub, op;
    } rows[] = {
        {PTX_SUB_ADD, REDUX_SUM}, {PTX_SUB_MIN, REDUX_MIN},
        {PTX_SUB_MAX, REDUX_MAX}, {PTX_SUB_AND, REDUX_AND},
        {PTX_SUB_OR, REDUX_OR},   {PTX_SUB_XOR, REDUX_XOR},
    };
    ptx_type t = lo_type(in, 0);
    bool real = t == PTX_TYPE_F32;
    unsigned op = REDUX_SUM;
    cg_src s;

    for (unsigned i = 0; i < COUNTOF(rows); i++)
        if (ptx_has_sub(in, (ptx_sub)rows[i].sub))
            op = rows[i].op;
    if (real)
        op = op == REDUX_MIN ? REDUX_FMIN : REDUX_FMAX;
    members(l, in);
    s = lo_src(l, &in->ops[1], t);
    if (ptx_has(in, PTX_FLAG_ABS))
        s = cb_and(&l->b, s, cg_imm(INT32_MAX));
    s = cb_op(&l->b, ISA_REDUX, s, cb_none(), cb_none());
    CG_PUT(cb_last(&l->b), U32, !real && !lo_signed(t));
    CG_PUT(cb_last(&l->b), NANP, ptx_has(in, PTX_FLAG_NAN));
    CG_PUT(cb_last(&l->b), REDUXOP, op);
    lo_set(l, &in->ops[0], s);
}

/* elect.sync d|p, mask: the lowest lane of the mask leads. */
void lop_elect(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    const ptx_operand *d = &in->ops[0];
    cg_src mask = lo_src(l, &in->ops[1], PTX_TYPE_B32), leader, lane;
    vreg p;

    warpsync(l, mask);
    leader = ballot(l, (cg_pred){0});
    if (!is_all(mask))
        leader = cb_and(b, leader, mask);
    leader = cb_op(b, ISA_BREV, leader, cb_none(), cb_none());
    leader = cb_op(b, ISA_FLO, leader, cb_none(), cb_none());
    CG_PUT(cb_last(b), U32, 1);
    CG_PUT(cb_last(b), SH, 1);
    lane = cb_sreg(b, SR_LANEID);
    p = cb_isetp(b, CMP_EQ, false, lane, leader);
    if (d->kind == PTX_OPD_PAIR) {
        lo_set_pred(l, &d->elems[1], cg_p(p));
        d = &d->elems[0];
    }
    lo_set(l, d, leader);
}
