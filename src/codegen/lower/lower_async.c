/* src/codegen/lower/lower_async.c - matrices to and from shared memory, copies
 * in the background, and arrival barriers in shared memory. */
#include "codegen/lower/context.h"

/* True if there are that many operands, and the one at `address` is one. */
static bool has_operands(lower *l, const ptx_inst *in, unsigned count,
                         unsigned address)
{
    if (in->nops >= count && in->ops[address].kind == PTX_OPD_ADDR)
        return true;
    lo_unsupported(l, NULL);
    return false;
}

/* ---- matrices ---------------------------------------------------------- */

static bool matrix_mods(lower *l, const ptx_inst *in, cg_inst *to)
{
    if ((in->num != 1 && in->num != 2 && in->num != 4) ||
        lo_type(in, 0) != PTX_TYPE_B16) {
        lo_unsupported(l, NULL);
        return false;
    }
    CG_PUT(to, MATNUM, in->num / 2);
    CG_PUT(to, MATT, ptx_has(in, PTX_FLAG_TRANS));
    return true;
}

/* An address in shared memory, also if it is given as a generic one: shared
 * memory starts at a multiple of its window's size. */
static lo_addr shared_address(lower *l, const ptx_operand *o)
{
    lo_addr a = lo_address(l, o, PTX_SPACE_SHARED);

    a.base = cb_pair(&l->b, cb_and(&l->b, cg_word(a.base, 0), cg_imm(0xffffff)),
                     cg_zero());
    return a;
}

static lo_addr matrix_address(lower *l, const ptx_inst *in,
                              const ptx_operand *o)
{
    return in->nspaces ? lo_address(l, o, PTX_SPACE_SHARED)
                       : shared_address(l, o);
}

void lop_ldmatrix(lower *l, const ptx_inst *in)
{
    cg_src w[4];
    lo_addr a;
    cg_inst *i;

    if (!lo_newer(l, 75) || !has_operands(l, in, 2, 1))
        return;
    a = matrix_address(l, in, &in->ops[1]);
    i = lo_mem(l, ISA_LDSM, &a);
    if (!matrix_mods(l, in, i))
        return;
    i->dst.reg = cg_reg_new(l->b.f, cg_class_of_words(in->num));
    for (unsigned k = 0; k < in->num; k++)
        w[k] = cg_rw(i->dst.reg, k);
    lo_set_list(l, &in->ops[0], w, in->num);
}

void lop_stmatrix(lower *l, const ptx_inst *in)
{
    cg_src w[LO_WORDS], v;
    lo_addr a;
    cg_inst *i;

    if (!lo_newer(l, 90) || !has_operands(l, in, 2, 0))
        return;
    if (lo_list(l, &in->ops[1], w) != in->num) {
        lo_unsupported(l, NULL);
        return;
    }
    a = matrix_address(l, in, &in->ops[0]);
    v = in->num == 1 ? cb_reg(&l->b, w[0], 1) : lo_join(l, w, in->num);
    i = lo_mem(l, ISA_STSM, &a);
    i->src[1] = v;
    matrix_mods(l, in, i);
}

void lop_movmatrix(lower *l, const ptx_inst *in)
{
    cg_src s;

    if (!lo_newer(l, 75))
        return;
    s = cb_reg(&l->b, lo_src(l, &in->ops[1], PTX_TYPE_B32), 1);
    lo_set(l, &in->ops[0], cb_op(&l->b, ISA_MOVM, s, cb_none(), cb_none()));
}

/* ---- copies ------------------------------------------------------------ */

/* Bytes to read: given, or none if the predicate to ignore the source is
 * true. */
static cg_src source_bytes(lower *l, const ptx_inst *in, int64_t size)
{
    const ptx_operand *o = in->nops > 3 ? &in->ops[3] : NULL;

    if (o && ptx_has(in, PTX_FLAG_L2_HINT) && in->nops == 4)
        o = NULL; /* the cache policy */
    if (!o)
        return cb_none();
    if (o->kind == PTX_OPD_REG && o->type == PTX_TYPE_PRED) {
        cg_pred none = lo_pred(l, o);

        return cb_sel(&l->b, cg_not(none), cb_reg(&l->b, cg_imm(size), 1),
                      cg_zero());
    }
    return cb_reg(&l->b, lo_src(l, o, PTX_TYPE_U32), 1);
}

static void lower_async_copy(lower *l, const ptx_inst *in)
{
    int64_t size = in->nops > 2 ? in->ops[2].imm : 0;
    lo_addr to, from;
    cg_src at, bytes;
    cg_inst *i;

    if (!has_operands(l, in, 3, 0) || !has_operands(l, in, 3, 1))
        return;
    if (in->ops[2].kind != PTX_OPD_IMM ||
        (size != 4 && size != 8 && size != 16)) {
        lo_unsupported(l, NULL);
        return;
    }
    bytes = source_bytes(l, in, size);
    to = lo_address(l, &in->ops[0], PTX_SPACE_SHARED);
    from = lo_address(l, &in->ops[1], PTX_SPACE_GLOBAL);
    at = cg_word(to.base, 0);
    if (to.offset)
        at = cb_add(&l->b, at, cg_imm(to.offset));
    at = cb_reg(&l->b, at, 1);
    i = lo_mem(l, ISA_LDGSTS, &from);
    i->src[1] = at;
    i->src[2] = bytes;
    CG_PUT(i, SIZE, size == 16 ? SIZE_128 : size == 8 ? SIZE_64 : SIZE_32);
    CG_PUT(i, CACHE, in->cache == PTX_CACHE_CG ? CACHE_CG : CACHE_CA);
}

static void wait_groups(lower *l, unsigned allowed)
{
    cb_emit(&l->b, ISA_DEPBAR)->lut = (uint8_t)(allowed < 255 ? allowed : 255);
}

/* Arrivals at the barrier, and bytes that will come; its state before that, in
 * `d` if not NULL. */
static void barrier_change(lower *l, unsigned op, const ptx_operand *d,
                           const lo_addr *a, cg_src count, cg_src bytes)
{
    cg_build *b = &l->b;
    cg_src n = cb_pair(b, count, bytes);
    cg_inst *i =
        lo_mem(l, a->space == PTX_SPACE_SHARED ? ISA_ATOMS : ISA_ATOM, a);

    i->src[1] = n;
    CG_PUT(i, ATOMOP, op);
    CG_PUT(i, ATYPE, ATYPE_U64);
    if (!d || d->kind != PTX_OPD_REG)
        return;
    i->dst.reg = cg_reg_new(b->f, CG_W2);
    lo_set(l, d, cg_r(i->dst.reg));
}

void lo_complete_tx(lower *l, const ptx_inst *in, unsigned at, unsigned bytes)
{
    lo_addr a;

    if (!lo_newer(l, 90) || in->nops <= at ||
        in->ops[at].kind != PTX_OPD_ADDR) {
        lo_unsupported(l, NULL);
        return;
    }
    a = lo_address(l, &in->ops[at],
                   in->nspaces ? (ptx_space)in->spaces[0] : PTX_SPACE_NONE);
    barrier_change(l, ATOM_ARRIVE, NULL, &a, cg_zero(),
                   cb_reg(&l->b, cg_imm(-(int64_t)bytes), 1));
}

static void lower_barrier_arrive(lower *l, const ptx_operand *d,
                                 const lo_addr *a, cg_src count, cg_src bytes)
{
    barrier_change(l, ATOM_ARRIVE, d, a, count, bytes);
}

static lo_addr barrier_address(lower *l, const ptx_inst *in,
                               const ptx_operand *o)
{
    bool cluster = in->nspaces && in->spaces[0] == PTX_SPACE_SHARED_CLUSTER;

    return lo_address(l, o,
                      cluster       ? PTX_SPACE_SHARED_CLUSTER
                      : in->nspaces ? PTX_SPACE_SHARED
                                    : PTX_SPACE_NONE);
}

void lop_cp(lower *l, const ptx_inst *in)
{
    lo_addr a;

    if (!lo_newer(l, 80))
        return;
    if (ptx_has_sub(in, PTX_SUB_BULK)) {
        lo_bulk(l, in);
        return;
    }
    if (ptx_has_sub(in, PTX_SUB_COMMIT_GROUP)) {
        cb_emit(&l->b, ISA_LDGDEPBAR);
    } else if (ptx_has_sub(in, PTX_SUB_WAIT_GROUP)) {
        if (in->nops && in->ops[0].kind == PTX_OPD_IMM)
            wait_groups(l, (unsigned)in->ops[0].imm);
        else
            lo_unsupported(l, NULL);
    } else if (ptx_has_sub(in, PTX_SUB_WAIT_ALL)) {
        cb_emit(&l->b, ISA_LDGDEPBAR);
        wait_groups(l, 0);
    } else if (ptx_has_sub(in, PTX_SUB_MBARRIER)) {
        if (!has_operands(l, in, 1, 0))
            return;
        /* Arrives when the copies are done: waits for them here. Without
         * .noinc the barrier first expects one arrival more, so that nothing
         * is left to do. */
        cb_emit(&l->b, ISA_LDGDEPBAR);
        wait_groups(l, 0);
        a = barrier_address(l, in, &in->ops[0]);
        if (ptx_has(in, PTX_FLAG_NOINC))
            lower_barrier_arrive(l, NULL, &a, cg_imm(1), cg_zero());
    } else {
        lower_async_copy(l, in);
    }
}

/* ---- arrival barriers: the word is that of exec/atom.h ------------------ */

/* Of the upper half: counts are negated. */
enum { COUNT_BITS = 20, EXPECTED_BIT = 1, DUE_BIT = 11, PHASE_BIT = 31 };

static void barrier_init(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    lo_addr a = barrier_address(l, in, &in->ops[0]);
    cg_src n = cb_reg(b, lo_src(l, &in->ops[1], PTX_TYPE_U32), 1), low, high;
    cg_inst *i;

    n = cb_reg(b, cb_add(b, cg_neg(n), cg_imm(1 << COUNT_BITS)), 1);
    high = cb_shl(b, n, cg_imm(DUE_BIT));
    low = cb_shl(b, n, cg_imm(EXPECTED_BIT));
    low = cb_pair(b, low, high);
    i = lo_mem(l, lo_store_op(a.space), &a);
    i->src[1] = low;
    CG_PUT(i, SIZE, SIZE_64);
    CG_PUT(i, ORDER, ORDER_VOLATILE);
}

/* p: the phase of a state, or of a parity, is over. try_wait waits for that, or
 * for as long as it may. */
static void barrier_test(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    bool parity = ptx_has_sub(in, PTX_SUB_PARITY);
    bool waits = ptx_has_sub(in, PTX_SUB_TRY_WAIT);
    lo_addr a = barrier_address(l, in, &in->ops[1]);
    cg_src state, phase;
    cg_inst *i;

    state = lo_src(l, &in->ops[2], parity ? PTX_TYPE_U32 : PTX_TYPE_U64);
    phase = parity ? cb_shl(b, cb_reg(b, state, 1), cg_imm(PHASE_BIT))
                   : cg_word(state, 1);
    if (a.space != PTX_SPACE_SHARED) /* a window of 24 bits: its offset */
        a = (lo_addr){
            .space = PTX_SPACE_SHARED,
            .offset = a.offset,
            .base = cb_reg(
                b,
                cb_and(b, cb_reg(b, cg_word(a.base, 0), 1), cg_imm(0xffffff)),
                1),
        };
    i = lo_mem(l, waits ? ISA_MBWAIT : ISA_MBTEST, &a);
    i->src[1] = cb_reg(b, phase, 1);
    if (waits && in->nops > 3)
        i->src[2] = cb_reg(b, lo_src(l, &in->ops[3], PTX_TYPE_U32), 1);
    i->pdst[0] = cg_reg_new(b->f, CG_PRED);
    lo_set_pred(l, &in->ops[0], cg_p(i->pdst[0]));
}

static bool is_arrival(const ptx_inst *in)
{
    return ptx_has_sub(in, PTX_SUB_ARRIVE) ||
           ptx_has_sub(in, PTX_SUB_ARRIVE_DROP);
}

/* Behind the result, if the form has one. */
static bool has_barrier(lower *l, const ptx_inst *in)
{
    if (ptx_has_sub(in, PTX_SUB_PENDING_COUNT)) {
        if (in->nops == 2)
            return true;
        lo_unsupported(l, NULL);
        return false;
    }
    if (ptx_has_sub(in, PTX_SUB_INVAL))
        return has_operands(l, in, 1, 0);
    if (ptx_has_sub(in, PTX_SUB_TEST_WAIT) || ptx_has_sub(in, PTX_SUB_TRY_WAIT))
        return has_operands(l, in, 3, 1);
    return is_arrival(in) ? has_operands(l, in, 2, 1)
                          : has_operands(l, in, 2, 0);
}

/* .noComplete is a promise that the phase does not end. */
static void barrier_arrival(lower *l, const ptx_inst *in)
{
    bool bytes = ptx_has_sub(in, PTX_SUB_EXPECT_TX);
    bool drop = ptx_has_sub(in, PTX_SUB_ARRIVE_DROP);
    cg_src n = in->nops > 2 ? lo_src(l, &in->ops[2], PTX_TYPE_U32) : cg_imm(1);
    lo_addr a = barrier_address(l, in, &in->ops[1]);

    /* Requests to another SM pass stores to a third one, and to memory. */
    if (in->nspaces && in->spaces[0] == PTX_SPACE_SHARED_CLUSTER &&
        in->order != PTX_ORDER_RELAXED)
        CG_PUT(cb_emit(&l->b, ISA_MEMBAR), SCOPE, SCOPE_GPU);
    barrier_change(l, drop ? ATOM_DROP : ATOM_ARRIVE, &in->ops[0], &a,
                   bytes ? cg_imm(1) : n, bytes ? n : cg_zero());
}

void lop_mbarrier(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    cg_src n;
    lo_addr a;

    if (!lo_newer(l, 80) || !has_barrier(l, in))
        return;
    if (ptx_has_sub(in, PTX_SUB_INIT)) {
        barrier_init(l, in);
    } else if (ptx_has_sub(in, PTX_SUB_INVAL)) {
        return; /* the memory is free for other use */
    } else if (ptx_has_sub(in, PTX_SUB_TEST_WAIT) ||
               ptx_has_sub(in, PTX_SUB_TRY_WAIT)) {
        barrier_test(l, in);
    } else if (is_arrival(in)) {
        barrier_arrival(l, in);
    } else if (ptx_has_sub(in, PTX_SUB_EXPECT_TX)) {
        n = lo_src(l, &in->ops[1], PTX_TYPE_U32);
        a = barrier_address(l, in, &in->ops[0]);
        lower_barrier_arrive(l, NULL, &a, cg_zero(), n);
    } else if (ptx_has_sub(in, PTX_SUB_COMPLETE_TX)) {
        n = cb_reg(b, lo_src(l, &in->ops[1], PTX_TYPE_U32), 1);
        n = cb_add(b, cg_neg(n), cg_zero());
        a = barrier_address(l, in, &in->ops[0]);
        lower_barrier_arrive(l, NULL, &a, cg_zero(), n);
    } else if (ptx_has_sub(in, PTX_SUB_PENDING_COUNT)) {
        n = cg_word(lo_src(l, &in->ops[1], PTX_TYPE_U64), 1);
        n = cb_shr(b, false, cb_reg(b, n, 1), cg_imm(DUE_BIT));
        n = cb_add(b, cg_neg(cb_reg(b, n, 1)), cg_imm(0));
        lo_set(l, &in->ops[0], cb_and(b, n, cg_imm((1 << COUNT_BITS) - 1)));
    } else {
        lo_unsupported(l, NULL);
    }
}
