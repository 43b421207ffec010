/* src/codegen/lower/lower_atom.c - atomics and reductions. */
#include "codegen/lower/context.h"

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
        {PTX_TYPE_BF16, ATYPE_BF16},   {PTX_TYPE_B128, ATYPE_B128},
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
    CG_PUT(to, SCOPE, lo_scope(in));
}

/* One operation on one element. */
typedef struct atomic {
    const ptx_inst *in;
    unsigned op, type;
    bool result;
} atomic;

static unsigned machine_op(const atomic *t, ptx_space space)
{
    if (space == PTX_SPACE_SHARED)
        return ISA_ATOMS;
    if (space == PTX_SPACE_NONE)
        return ISA_ATOM;
    return t->result || t->op == ATOM_EXCH || t->op == ATOM_CAS ? ISA_ATOMG
                                                                : ISA_RED;
}

/* What was at `at`, `words` words. */
static cg_src lower_atomic_access(lower *l, const atomic *t, const lo_addr *at,
                                  unsigned words, cg_src x, cg_src y)
{
    cg_inst *i = lo_mem(l, machine_op(t, at->space), at);

    if (t->result)
        i->dst.reg = cg_reg_new(l->b.f, cg_class_of_words(words));
    i->src[1] = x;
    i->src[2] = y;
    CG_PUT(i, ATOMOP, t->op);
    CG_PUT(i, ATYPE, t->type);
    atom_mods(t->in, i);
    return cg_r(i->dst.reg);
}

enum { MOST = 8 }; /* elements of a vector */

/* Vectors are operations on their elements one after the other, halves two at
 * a time; nothing makes them one access [PTX85:atom]. */
static void lower_vector_atomic(lower *l, atomic *t, lo_addr at,
                                const ptx_operand *d, const ptx_operand *s)
{
    cg_build *b = &l->b;
    ptx_type e = lo_type(t->in, 0);
    bool half = ptx_type_bits(e) == 16;
    unsigned step = half ? 2 : 1;
    cg_src x[MOST] = {{0}}, old[MOST] = {{0}};

    for (unsigned i = 0; i < s->nelems && i < MOST; i++)
        x[i] = lo_src(l, &s->elems[i], e);
    if (half)
        t->type = e == PTX_TYPE_BF16 ? ATYPE_BF16X2 : ATYPE_F16X2;
    for (unsigned i = 0; i < s->nelems && i < MOST; i += step) {
        cg_src v = half ? cb_op(b, ISA_PRMT, x[i], cg_imm(0x5410), x[i + 1])
                        : cb_reg(b, x[i], 1);

        old[i] = lower_atomic_access(l, t, &at, 1, v, cb_none());
        if (half && t->result)
            old[i + 1] = cb_shr(b, false, old[i], cg_imm(16));
        at.offset += 4;
    }
    for (unsigned i = 0; t->result && i < d->nelems && i < MOST; i++)
        lo_set(l, &d->elems[i], old[i]);
}

void lop_atom(lower *l, const ptx_inst *in)
{
    bool has_dst = in->op == PTX_ATOM;
    const ptx_operand *d = &in->ops[0], *o = &in->ops[has_dst];
    ptx_type e = lo_type(in, 0);
    atomic t = {.in = in};
    cg_src x, y = cb_none();
    lo_addr at;

    if (!atom_op(in, &t.op) || !atom_type(e, &t.type)) {
        lo_unsupported(l, "no such operation on this type; use .cas");
        return;
    }
    at = lo_address(l, o,
                    in->nspaces ? (ptx_space)in->spaces[0] : PTX_SPACE_NONE);
    if (at.space == PTX_SPACE_LOCAL || at.space == PTX_SPACE_PARAM) {
        lo_unsupported(l, "memory of one thread knows no atomics");
        return;
    }
    t.result = has_dst && d->kind != PTX_OPD_SINK;
    if (o[1].kind == PTX_OPD_VEC) {
        lower_vector_atomic(l, &t, at, d, &o[1]);
        return;
    }
    x = cb_reg(&l->b, lo_src(l, &o[1], e), lo_words(e));
    if (t.op == ATOM_CAS)
        y = cb_reg(&l->b, lo_src(l, &o[2], e), lo_words(e));
    x = lower_atomic_access(l, &t, &at, lo_words(e), x, y);
    if (t.result)
        lo_set(l, d, x);
    if (ptx_has_sub(in, PTX_SUB_ASYNC))
        lo_complete_tx(l, in, 2, 4 * lo_words(e));
}
