/* src/codegen/lower_sync.c - atomics, fences, barriers, and lanes that read
 * each other. */
#include "codegen/lower.h"

/* ---- atomics ----------------------------------------------------------- */

static bool atom_op(const ptx_inst *in, unsigned *op)
{
    static const struct {
        uint16_t sub, op;
    } rows[] = {
        {PTX_SUB_ADD, ATOM_ADD},   {PTX_SUB_MIN, ATOM_MIN},
        {PTX_SUB_MAX, ATOM_MAX},   {PTX_SUB_INC, ATOM_INC},
        {PTX_SUB_DEC, ATOM_DEC},   {PTX_SUB_AND, ATOM_AND},
        {PTX_SUB_OR, ATOM_OR},     {PTX_SUB_XOR, ATOM_XOR},
        {PTX_SUB_EXCH, ATOM_EXCH}, {PTX_SUB_CAS, ATOM_CAS},
    };

    for (unsigned i = 0; i < COUNTOF(rows); i++) {
        if (ptx_has_sub(in, (ptx_sub)rows[i].sub)) {
            *op = rows[i].op;
            return true;
        }
    }
    return false;
}

static bool atom_type(ptx_type t, unsigned *type)
{
    static const struct {
        uint8_t t, type;
    } rows[] = {
        {PTX_TYPE_U32, ATYPE_U32},     {PTX_TYPE_B32, ATYPE_U32},
        {PTX_TYPE_S32, ATYPE_S32},     {PTX_TYPE_U64, ATYPE_U64},
        {PTX_TYPE_B64, ATYPE_U64},     {PTX_TYPE_S64, ATYPE_S64},
        {PTX_TYPE_F32, ATYPE_F32},     {PTX_TYPE_F64, ATYPE_F64},
        {PTX_TYPE_F16, ATYPE_F16},     {PTX_TYPE_B16, ATYPE_F16},
        {PTX_TYPE_F16X2, ATYPE_F16X2}, {PTX_TYPE_BF16X2, ATYPE_BF16X2},
    };

    for (unsigned i = 0; i < COUNTOF(rows); i++) {
        if (rows[i].t == t) {
            *type = rows[i].type;
            return true;
        }
    }
    return false;
}

static void atom_mods(const ptx_inst *in, cg_inst *to)
{
    static const uint8_t orders[PTX_ORDER_COUNT] = {
        [PTX_ORDER_RELAXED] = ORDER_RELAXED,
        [PTX_ORDER_ACQUIRE] = ORDER_ACQUIRE,
        [PTX_ORDER_RELEASE] = ORDER_RELEASE,
        [PTX_ORDER_ACQ_REL] = ORDER_ACQ_REL};

    if (!(isa_table[to->op].mods >> MOD_ORDER & 1))
        return;
    CG_PUT(to, ORDER, orders[in->order] ? orders[in->order] : ORDER_RELAXED);
    CG_PUT(to, SCOPE,
           in->scope == PTX_SCOPE_SYS   ? SCOPE_SYS
           : in->scope == PTX_SCOPE_CTA ? SCOPE_CTA
                                        : SCOPE_GPU);
}

void lop_atom(lower *l, const ptx_inst *in)
{
    bool has_dst = in->op == PTX_ATOM;
    const ptx_operand *o = &in->ops[has_dst];
    ptx_type t = lo_type(in, 0);
    unsigned op, type, machine;
    vreg d = 0;
    lo_addr a;
    cg_inst *i;
    cg_src x, y = cb_none();

    if (!atom_op(in, &op) || !atom_type(t, &type) || in->vec > 1) {
        lo_unsupported(l, NULL);
        return;
    }
    a = lo_address(l, o,
                   in->nspaces ? (ptx_space)in->spaces[0] : PTX_SPACE_NONE);
    x = cb_reg(&l->b, lo_src(l, &o[1], t), lo_words(t));
    if (op == ATOM_CAS)
        y = cb_reg(&l->b, lo_src(l, &o[2], t), lo_words(t));
    if (has_dst && in->ops[0].kind == PTX_OPD_REG)
        d = cg_reg_new(l->b.f, cg_class_of_words(lo_words(t)));
    machine = a.space == PTX_SPACE_SHARED ? ISA_ATOMS
              : a.space == PTX_SPACE_NONE ? ISA_ATOM
                                          : ISA_ATOMG;
    if (machine == ISA_ATOMG && !d && op != ATOM_EXCH && op != ATOM_CAS)
        machine = ISA_RED;
    if (a.space == PTX_SPACE_LOCAL || a.space == PTX_SPACE_PARAM) {
        lo_unsupported(l, NULL);
        return;
    }
    i = lo_mem(l, machine, &a);
    i->dst.reg = d;
    i->src[1] = x;
    i->src[2] = y;
    CG_PUT(i, ATOMOP, op);
    CG_PUT(i, ATYPE, type);
    atom_mods(in, i);
    if (d)
        lo_set(l, &in->ops[0], cg_r(d));
}

/* ---- fences and barriers ----------------------------------------------- */

void lop_membar(lower *l, const ptx_inst *in)
{
    cg_inst *i;

    if (ptx_has_sub(in, PTX_SUB_PROXY) ||
        ptx_has_sub(in, PTX_SUB_MBARRIER_INIT)) {
        lo_unsupported(l, NULL);
        return;
    }
    i = cb_emit(&l->b, ISA_MEMBAR);
    CG_PUT(i, SCOPE,
           in->scope == PTX_SCOPE_SYS   ? SCOPE_SYS
           : in->scope == PTX_SCOPE_CTA ? SCOPE_CTA
                                        : SCOPE_GPU);
    CG_PUT(i, SC, in->op == PTX_MEMBAR || in->order == PTX_ORDER_SC);
}

static void warpsync(lower *l, cg_src mask)
{
    if (l->u->opt->arch == ARCH_VOLTA)
        cb_to(&l->b, ISA_WARPSYNC, (cg_dst){0}, cb_none(), mask, cb_none());
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
        lo_unsupported(l, NULL);
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
    } rows[] = {{PTX_SUB_ADD, 0}, {PTX_SUB_MIN, 1}, {PTX_SUB_MAX, 2},
                {PTX_SUB_AND, 3}, {PTX_SUB_OR, 4},  {PTX_SUB_XOR, 5}};
    ptx_type t = lo_type(in, 0);
    cg_src s;

    if (ptx_type_kind(t) == PTX_KIND_FLOAT) {
        lo_unsupported(l, NULL);
        return;
    }
    members(l, in);
    s = cb_op(&l->b, ISA_REDUX, lo_src(l, &in->ops[1], t), cb_none(),
              cb_none());
    CG_PUT(cb_last(&l->b), U32, !lo_signed(t));
    for (unsigned i = 0; i < COUNTOF(rows); i++)
        if (ptx_has_sub(in, (ptx_sub)rows[i].sub))
            CG_PUT(cb_last(&l->b), REDUXOP, rows[i].op);
    lo_set(l, &in->ops[0], s);
}
