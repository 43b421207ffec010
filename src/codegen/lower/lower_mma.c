/* src/codegen/lower/lower_mma.c - products of matrices: mma.sync as the manual
 * lays its operands out, wmma.mma on the fragments that lower_wmma.c chose.
 *
 * Products of halves by wmma, and mma.m8n8k4, become sets of HMMA.884 as on
 * the V100: a set adds four columns of A times four rows of B, in four steps,
 * or two with results in halves. All other shapes are newer than Volta. */
#include <stdio.h>
#include <string.h>

#include "codegen/lower/context.h"
#include "isa/tensor.h"

/* ---- groups of registers ----------------------------------------------- */

bool lo_newer(lower *l, unsigned since)
{
    static const struct {
        const char *name;
        unsigned capability; /* that has all its operations */
    } newest[ISA_ARCHS] = {[ARCH_VOLTA] = {"Volta", LO_VOLTA},
                           [ARCH_AMPERE] = {"Ampere", 80},
                           [ARCH_HOPPER] = {"Hopper", 90}};
    const ptx_inst *in = l->in;

    if (l->u->opt->arch < ARCH_VOLTA) {
        lo_unsupported(l, "it exists from Volta on");
        return false;
    }
    if (since <= newest[l->u->opt->arch].capability || l->u->warned_newer)
        return true;
    l->u->warned_newer = true;
    diag_add(l->u->dg, DIAG_WARNING, l->u->m->file, in->place.line,
             in->place.column, 1,
             "'%s%s' is newer than %s: it runs as an extension of it",
             ptx_op_text(in->op), in->mods ? in->mods : "",
             newest[l->u->opt->arch].name);
    return true;
}

static unsigned add_words(lower *l, const ptx_operand *o, cg_src *w, unsigned n)
{
    ptx_type t = o->type ? (ptx_type)o->type : PTX_TYPE_B32;
    cg_src s = lo_src(l, o, t);
    unsigned words = lo_words(t);

    for (unsigned i = 0; i < words && n < LO_WORDS; i++)
        w[n++] = cg_word(s, i);
    return n;
}

unsigned lo_list(lower *l, const ptx_operand *o, cg_src w[LO_WORDS])
{
    unsigned n = 0;

    if (o->kind != PTX_OPD_VEC)
        return add_words(l, o, w, 0);
    for (unsigned i = 0; i < o->nelems; i++)
        n = add_words(l, &o->elems[i], w, n);
    return n;
}

static void wrong_size(lower *l)
{
    lo_unsupported(l, "the operands do not have the size of the matrices");
}

void lo_set_list(lower *l, const ptx_operand *o, const cg_src *w, unsigned n)
{
    unsigned elems = o->kind == PTX_OPD_VEC ? o->nelems : 1;

    for (unsigned i = 0; i < elems; i++) {
        const ptx_operand *e = o->kind == PTX_OPD_VEC ? &o->elems[i] : o;
        unsigned words = n / elems;

        if (e->kind == PTX_OPD_SINK)
            continue;
        if (n % elems || e->kind != PTX_OPD_REG ||
            ptx_type_bits((ptx_type)e->type) != 32 * words) {
            wrong_size(l);
            return;
        }
        lo_set(l, e,
               words == 1 ? w[i] : cb_pair(&l->b, w[2 * i], w[2 * i + 1]));
    }
}

bool lo_wmma_shape(lower *l, const ptx_inst *in)
{
    unsigned m = in->m, n = in->n;

    if ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32) ||
        (m == 8 && n == 8))
        return true;
    lo_unsupported(l, NULL);
    return false;
}

/* ---- one operation ----------------------------------------------------- */

/* d = a b + c, each with as many words as `op` under `mod` takes. */
static void emit_mma(lower *l, unsigned op, uint32_t mod, const cg_src *a,
                     const cg_src *b, const cg_src *c, cg_src *d)
{
    isa_tensor_groups n = isa_tensor_regs((isa_op)op, mod);
    cg_src x = lo_join(l, a, n.a), y = cg_zero(), z = cg_zero(), r;
    cg_inst *i;

    y = lo_join(l, b, n.b);
    z = lo_join(l, c, n.c);
    i = cb_to(&l->b, op, (cg_dst){0}, x, y, z);
    i->mod = mod;
    i->dst.reg = cg_reg_new(l->b.f, cg_class_of_words(n.d));
    r = cg_r(i->dst.reg);
    for (unsigned k = 0; k < n.d; k++)
        d[k] = cg_word(r, k);
}

static uint32_t with_mod_group(uint32_t mod, isa_mod group, unsigned value)
{
    isa_inst in = {.mod = mod};

    isa_mod_put(&in, group, value);
    return in.mod;
}

/* ---- Volta ------------------------------------------------------------- */

typedef struct volta {
    bool dhalf, chalf, acol, brow;
} volta;

/* One set: c becomes the result. */
static void volta_set(lower *l, const volta *v, const cg_src a[2],
                      const cg_src b[2], cg_src c[8])
{
    uint32_t mod = with_mod_group(with_mod_group(0, MOD_MMAD, v->dhalf),
                                  MOD_MMAC, v->chalf);
    unsigned steps = v->dhalf ? 2 : 4, at;
    cg_src x[2], y[2], d[8];

    mod = with_mod_group(with_mod_group(mod, MOD_LAYA, v->acol), MOD_LAYB,
                         v->brow);
    x[0] = lo_join(l, a, 2);
    x[1] = cg_word(x[0], 1);
    y[0] = lo_join(l, b, 2);
    y[1] = cg_word(y[0], 1);
    for (unsigned s = 0; s < steps; s++) {
        at = v->dhalf == v->chalf ? 2 * s : v->chalf ? 0 : 4 * s;
        emit_mma(l, ISA_HMMA884, with_mod_group(mod, MOD_STEP, s), x, y, &c[at],
                 &d[2 * s]);
    }
    for (unsigned i = 0; i < 2 * steps; i++)
        c[i] = d[i];
}

static volta volta_of(const ptx_inst *in, ptx_type dtype, ptx_type ctype)
{
    return (volta){.dhalf = dtype == PTX_TYPE_F16,
                   .chalf = ctype == PTX_TYPE_F16,
                   .acol = in->layouts[0] == PTX_LAYOUT_COL,
                   .brow = in->layouts[1] == PTX_LAYOUT_ROW};
}

/* mma.m8n8k4 is one set, wmma with k 16 is four. */
static void volta_product(lower *l, const ptx_inst *in, ptx_type dtype,
                          ptx_type ctype, unsigned sets)
{
    volta v = volta_of(in, dtype, ctype);
    cg_src a[LO_WORDS], b[LO_WORDS], c[LO_WORDS];
    unsigned na = lo_list(l, &in->ops[1], a), nb = lo_list(l, &in->ops[2], b);
    unsigned nc = lo_list(l, &in->ops[3], c);

    if (na != 2 * sets || nb != 2 * sets || nc != (v.chalf ? 4u : 8u)) {
        wrong_size(l);
        return;
    }
    for (unsigned s = 0; s < sets; s++) {
        volta_set(l, &v, &a[2 * s], &b[2 * s], c);
        v.chalf = v.dhalf;
    }
    lo_set_list(l, &in->ops[0], c, v.dhalf ? 4 : 8);
}

/* ---- newer shapes ------------------------------------------------------ */

typedef struct shape {
    unsigned op;
    uint32_t mod;
    unsigned since; /* compute capability */
} shape;

/* The value of `group` whose text is these numbers. */
static bool shape_mod(uint32_t *mod, isa_mod group, unsigned m, unsigned n,
                      unsigned k)
{
    char want[16];
    const char *s;
    size_t length;

    snprintf(want, sizeof want, "%u%u%u", m, n, k);
    for (unsigned v = 0; (s = isa_mod_text(group, v, &length)); v++)
        if (length == strlen(want) && !memcmp(s, want, length)) {
            *mod = with_mod_group(*mod, group, v);
            return true;
        }
    return false;
}

static bool integer_form(ptx_type t, unsigned *form)
{
    if (t == PTX_TYPE_S8) {
        *form = IFORM_S8;
        return true;
    }
    if (t == PTX_TYPE_U8) {
        *form = IFORM_U8;
        return true;
    }
    if (t == PTX_TYPE_S4) {
        *form = IFORM_S4;
        return true;
    }
    if (t == PTX_TYPE_U4) {
        *form = IFORM_U4;
        return true;
    }
    return false;
}

static bool is_fp8(ptx_type t)
{
    return t == PTX_TYPE_E4M3 || t == PTX_TYPE_E5M2;
}

/* Floats of 8 bits. */
static void fp8_shape(ptx_type dtype, ptx_type a, ptx_type b, shape *s)
{
    s->op = ISA_QMMA;
    s->mod = with_mod_group(0, MOD_QFORMA, a == PTX_TYPE_E5M2);
    s->mod = with_mod_group(s->mod, MOD_QFORMB, b == PTX_TYPE_E5M2);
    s->mod = with_mod_group(s->mod, MOD_MMAD, dtype == PTX_TYPE_F16);
    s->since = 89;
}

static isa_mod shape_group(unsigned op)
{
    return op == ISA_IMMA   ? MOD_ISHAPE
           : op == ISA_BMMA ? MOD_BSHAPE
           : op == ISA_QMMA ? MOD_QSHAPE
                            : MOD_HSHAPE;
}

/* The operation for factors of these types; `swap`: A and B change places. */
static bool find_shape(const ptx_inst *in, ptx_type dtype, ptx_type a,
                       ptx_type b, unsigned m, unsigned k, bool swap, shape *s)
{
    unsigned fa, fb;
    isa_inst check;

    *s = (shape){.since = 80};
    if (integer_form(a, &fa) && integer_form(b, &fb)) {
        s->op = ISA_IMMA;
        s->mod = with_mod_group(with_mod_group(0, MOD_IFORMA, swap ? fb : fa),
                                MOD_IFORMB, swap ? fa : fb);
        s->mod =
            with_mod_group(s->mod, MOD_SAT, ptx_has(in, PTX_FLAG_SATFINITE));
        s->since = m == 8 ? 75 : 80;
    } else if (a == PTX_TYPE_B1) {
        s->op = ISA_BMMA;
        s->mod = with_mod_group(0, MOD_BOPER, ptx_has_sub(in, PTX_SUB_AND));
        s->since = m == 8 ? 75 : 80;
    } else if (a == PTX_TYPE_F16 || a == PTX_TYPE_BF16 || a == PTX_TYPE_TF32) {
        s->op = ISA_HMMA;
        s->mod =
            with_mod_group(with_mod_group(0, MOD_HFORM,
                                          a == PTX_TYPE_F16    ? HFORM_F16
                                          : a == PTX_TYPE_BF16 ? HFORM_BF16
                                                               : HFORM_TF32),
                           MOD_MMAD, dtype == PTX_TYPE_F16);
        s->since = a == PTX_TYPE_F16 && k == 8 ? 75 : 80;
    } else if (is_fp8(a) && is_fp8(b)) {
        fp8_shape(dtype, a, b, s);
    } else {
        return false;
    }
    if (!shape_mod(&s->mod, shape_group(s->op), m, 8, k))
        return false;
    check = isa_new((isa_op)s->op);
    check.mod = s->mod;
    return !isa_tensor_check(&check);
}

/* Doubles: m8n8k4 is there; larger ones are made of it. */
static void double_product(lower *l, const ptx_inst *in)
{
    unsigned rows = in->m / 8, deep = in->k / 4;
    cg_src a[LO_WORDS], b[LO_WORDS], c[LO_WORDS], d[4];
    unsigned na, nb, nc;

    if (in->n != 8 || (in->m != 8 && in->m != 16) ||
        (in->k != 4 && in->k != 8 && in->k != 16)) {
        lo_unsupported(l, NULL);
        return;
    }
    na = lo_list(l, &in->ops[1], a);
    nb = lo_list(l, &in->ops[2], b);
    nc = lo_list(l, &in->ops[3], c);
    if (na != 2 * rows * deep || nb != 2 * deep || nc != 4 * rows) {
        wrong_size(l);
        return;
    }
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < deep; j++) {
            emit_mma(l, ISA_DMMA, 0, &a[2 * (j * rows + i)], &b[2 * j],
                     &c[4 * i], d);
            for (unsigned w = 0; w < 4; w++)
                c[4 * i + w] = d[w];
        }
    lo_set_list(l, &in->ops[0], c, nc);
}

/* ---- sparse A ---------------------------------------------------------- */

/* k of the operation whose stored rows of A are two registers; 0: there is
 * none for these elements. */
static unsigned sparse_depth(ptx_type t)
{
    unsigned f;

    if (t == PTX_TYPE_TF32)
        return 8;
    if (t == PTX_TYPE_F16 || t == PTX_TYPE_BF16)
        return 16;
    if (is_fp8(t) || integer_form(t, &f))
        return is_fp8(t) || f <= IFORM_U8 ? 32 : 64;
    return 0;
}

/* The elements decide on the shape. */
static uint32_t without_shape(uint32_t mod)
{
    return with_mod_group(mod, MOD_ISHAPE, 0); /* as wide as any */
}

static unsigned sparse_op(unsigned op)
{
    return op == ISA_HMMA   ? ISA_HMMASP
           : op == ISA_IMMA ? ISA_IMMASP
                            : ISA_QMMASP;
}

/* The lanes that hold the metadata of the first operation: those of each four
 * that the selector names, of rows of 16 bits one, else two; operations that
 * follow have the next ones. */
static bool sparse_lanes(lower *l, const ptx_operand *o, unsigned depth,
                         unsigned count, unsigned *first)
{
    unsigned choices = (depth <= 16 ? 4 : 2) / count;

    if (o->kind != PTX_OPD_IMM || o->imm >= choices) {
        lo_unsupported(l, "the selector names lanes that do not exist");
        return false;
    }
    *first = (unsigned)o->imm * count;
    return true;
}

/* One operation, or two that halve k: A's third register is the metadata. */
static void sparse_product(lower *l, const ptx_inst *in)
{
    ptx_type at = lo_type(in, 1);
    unsigned depth = sparse_depth(at), count = depth ? in->k / depth : 0, first;
    cg_src a[LO_WORDS], b[LO_WORDS], c[LO_WORDS], meta;
    isa_tensor_groups n;
    shape s;

    if (in->nops != 6 || in->m != 16 || in->n != 8 || !count || count > 2 ||
        in->k % depth || (is_fp8(at) && count != 2) ||
        !find_shape(in, lo_type(in, 0), at, lo_type(in, 2), 16, depth, false,
                    &s)) {
        lo_unsupported(l, NULL);
        return;
    }
    if (!sparse_lanes(l, &in->ops[5], depth, count, &first))
        return;
    n = isa_tensor_regs((isa_op)s.op, s.mod);
    s.op = sparse_op(s.op);
    s.mod = without_shape(s.mod);
    if (lo_list(l, &in->ops[1], a) != 2 * count ||
        lo_list(l, &in->ops[2], b) != n.b * count ||
        lo_list(l, &in->ops[3], c) != n.c) {
        wrong_size(l);
        return;
    }
    meta = lo_src(l, &in->ops[4], PTX_TYPE_B32);
    for (unsigned i = 0; i < count; i++) {
        cg_src x[4] = {a[2 * i], a[2 * i + 1], meta, cg_zero()}, d[4];

        emit_mma(l, s.op, s.mod, x, &b[n.b * i], c, d);
        cb_last(&l->b)->lut = (uint8_t)(first + i);
        for (unsigned w = 0; w < n.d; w++)
            c[w] = d[w];
    }
    lo_set_list(l, &in->ops[0], c, n.d);
}

void lop_mma(lower *l, const ptx_inst *in)
{
    ptx_type dt = lo_type(in, 0), at = lo_type(in, 1), bt = lo_type(in, 2);
    cg_src a[LO_WORDS], b[LO_WORDS], c[LO_WORDS], d[4];
    isa_tensor_groups n;
    unsigned na, nb, nc;
    shape s;

    if (ptx_has(in, PTX_FLAG_SP) || ptx_has(in, PTX_FLAG_SP_ORDERED)) {
        if (lo_newer(l, 80))
            sparse_product(l, in);
        return;
    }
    if (in->ntypes != 4 || in->nops != 4) {
        lo_unsupported(l, NULL);
        return;
    }
    if (in->m == 8 && in->k == 4 && at == PTX_TYPE_F16) {
        if (lo_newer(l, LO_VOLTA))
            volta_product(l, in, dt, lo_type(in, 3), 1);
        return;
    }
    if (!lo_newer(l, 75))
        return;
    if (at == PTX_TYPE_F64) {
        double_product(l, in);
        return;
    }
    if (in->n != 8 || in->layouts[0] != PTX_LAYOUT_ROW ||
        in->layouts[1] != PTX_LAYOUT_COL ||
        !find_shape(in, dt, at, bt, in->m, in->k, false, &s)) {
        lo_unsupported(l, NULL);
        return;
    }
    n = isa_tensor_regs((isa_op)s.op, s.mod);
    na = lo_list(l, &in->ops[1], a);
    nb = lo_list(l, &in->ops[2], b);
    nc = lo_list(l, &in->ops[3], c);
    if (na != n.a || nb != n.b || nc != n.c) {
        wrong_size(l);
        return;
    }
    emit_mma(l, s.op, s.mod, a, b, c, d);
    lo_set_list(l, &in->ops[0], d, n.d);
}

/* Two products beside or above each other; m8n32 as its transpose, B' A'. */
static void wmma_newer(lower *l, const ptx_inst *in)
{
    bool swap = in->m == 8 && in->n == 32, tall = in->m == 32 || swap;
    unsigned blocks = in->n == 8 && in->m == 8 ? 1 : 2, words = 0;
    unsigned m = blocks == 1 ? 8 : 16, na, nb, nc;
    cg_src x[LO_WORDS], y[LO_WORDS], c[LO_WORDS], d[LO_WORDS];
    isa_tensor_groups n;
    shape s;

    if (!find_shape(in, lo_type(in, 0), lo_type(in, 1), lo_type(in, 2), m,
                    in->k, swap, &s)) {
        lo_unsupported(l, NULL);
        return;
    }
    n = isa_tensor_regs((isa_op)s.op, s.mod);
    na = lo_list(l, &in->ops[swap ? 2 : 1], x);
    nb = lo_list(l, &in->ops[swap ? 1 : 2], y);
    nc = lo_list(l, &in->ops[3], c);
    if (na != n.a * (tall ? blocks : 1) || nb != n.b * (tall ? 1 : blocks) ||
        nc != n.c * blocks) {
        wrong_size(l);
        return;
    }
    for (unsigned i = 0; i < blocks; i++, words += n.d)
        emit_mma(l, s.op, s.mod, &x[tall ? i * n.a : 0], &y[tall ? 0 : i * n.b],
                 &c[words], &d[words]);
    lo_set_list(l, &in->ops[0], d, words);
}

static void wmma_mma(lower *l, const ptx_inst *in)
{
    if (in->nops != 4 || !lo_wmma_shape(l, in)) {
        if (in->nops != 4)
            lo_unsupported(l, NULL);
        return;
    }
    if (in->ntypes == 2) { /* halves: only D and C have a choice */
        bool single =
            lo_type(in, 0) == PTX_TYPE_F32 || lo_type(in, 1) == PTX_TYPE_F32;

        if (in->k != 16 || in->m + in->n == 16)
            lo_unsupported(l, NULL);
        else if (single && lo_wmma_bfloat(l))
            lo_unsupported(l, "the module also multiplies bfloat16");
        else if (lo_newer(l, LO_VOLTA))
            volta_product(l, in, lo_type(in, 0), lo_type(in, 1), 4);
        return;
    }
    if (in->ntypes != 4 || !lo_newer(l, 75)) {
        if (in->ntypes != 4)
            lo_unsupported(l, NULL);
        return;
    }
    if (lo_type(in, 1) == PTX_TYPE_F64)
        double_product(l, in);
    else
        wmma_newer(l, in);
}

void lop_wmma(lower *l, const ptx_inst *in)
{
    if (ptx_has_sub(in, PTX_SUB_LOAD))
        lo_wmma_load(l, in);
    else if (ptx_has_sub(in, PTX_SUB_STORE))
        lo_wmma_store(l, in);
    else
        wmma_mma(l, in);
}
