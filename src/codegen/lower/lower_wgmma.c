/* src/codegen/lower/lower_wgmma.c - products of warp groups. A product of n
 * columns becomes n / 8 steps of HGMMA, each with registers of its own for the
 * results; what it reads of them in flight would be undefined, so that is an
 * error where it can be seen. */
#include <stdlib.h>
#include <string.h>

#include "codegen/lower/context.h"
#include "isa/tensor.h"

static bool is_kind(const ptx_inst *in, const char *kind)
{
    return in->op == PTX_WGMMA && in->mods && strstr(in->mods, kind);
}

/* ---- what a program must keep to --------------------------------------- */

static bool same_register(const ptx_operand *o, uint32_t reg)
{
    if (o->kind == PTX_OPD_REG || o->kind == PTX_OPD_ADDR)
        return o->reg == reg;
    if (o->kind == PTX_OPD_VEC || o->kind == PTX_OPD_PAIR)
        for (unsigned i = 0; i < o->nelems; i++)
            if (same_register(&o->elems[i], reg))
                return true;
    return false;
}

/* An operand of `in` is among the registers of `d`. */
static bool touches(const ptx_inst *in, const ptx_operand *d)
{
    unsigned n = d->kind == PTX_OPD_VEC ? d->nelems : 0;

    for (unsigned k = 0; k < n; k++)
        for (unsigned i = 0; i < in->nops; i++)
            if (d->elems[k].kind == PTX_OPD_REG &&
                same_register(&in->ops[i], d->elems[k].reg))
                return true;
    return false;
}

/* Follows the code from the product to the end of its basic block: nothing but
 * products may touch its results until its group has been waited for. */
static bool is_awaited(lower *l, const ptx_inst *in)
{
    const ptx_func *fn = l->fr->fn;
    const ptx_inst *end = fn->insts + fn->ninsts;
    int64_t younger = -1; /* groups closed behind that of the product */

    for (const ptx_inst *x = in + 1; x < end; x++) {
        if (l->fr->block[x - fn->insts] || x->op == PTX_BRA ||
            x->op == PTX_RET || x->op == PTX_EXIT)
            return true;
        if (is_kind(x, "commit_group"))
            younger++;
        if (is_kind(x, "wait_group") && x->nops && x->ops[0].imm <= younger)
            return true;
        if (x->op == PTX_WGMMA || !touches(x, &in->ops[0]))
            continue;
        l->in = x;
        lo_unsupported(l, "it uses a result of wgmma.mma_async without a "
                          "wgmma.wait_group before it");
        l->in = in;
        return false;
    }
    return true;
}

/* Registers that the first product uses have to be fenced. */
static bool is_fenced(lower *l, const ptx_inst *in)
{
    const ptx_func *fn = l->fr->fn;

    for (const ptx_inst *x = fn->insts; x < in; x++)
        if (is_kind(x, "fence"))
            return true;
    if (l->fr->up)
        return true;
    lo_unsupported(l, "there is no wgmma.fence before it");
    return false;
}

/* ---- one product -------------------------------------------------------- */

static bool form_of(ptx_type t, unsigned *form)
{
    static const struct {
        ptx_type type;
        enum isa_gform form;
    } all[] = {{PTX_TYPE_F16, GFORM_F16},   {PTX_TYPE_BF16, GFORM_BF16},
               {PTX_TYPE_TF32, GFORM_TF32}, {PTX_TYPE_E4M3, GFORM_E4M3},
               {PTX_TYPE_E5M2, GFORM_E5M2}, {PTX_TYPE_S8, GFORM_S8},
               {PTX_TYPE_U8, GFORM_U8},     {PTX_TYPE_B1, GFORM_B1}};

    for (size_t i = 0; i < COUNTOF(all); i++)
        if (all[i].type == t) {
            *form = all[i].form;
            return true;
        }
    return false;
}

/* Operand i as a number that may be 1, 0 or -1; 0 if there is none. */
static int64_t number(const ptx_inst *in, unsigned i)
{
    return i < in->nops && in->ops[i].kind == PTX_OPD_IMM ? in->ops[i].imm : 0;
}

/* The modifiers of `in` without its step; false: there is no such product. */
static bool group_mods(const ptx_inst *in, isa_inst *to)
{
    unsigned a, b;
    bool registers = in->ops[1].kind == PTX_OPD_VEC, halves;

    *to = isa_new(ISA_HGMMA);
    if (in->ntypes != 3 || !form_of(lo_type(in, 1), &a) ||
        !form_of(lo_type(in, 2), &b))
        return false;
    halves = a <= GFORM_BF16;
    ISA_PUT(to, GFORMA, a);
    ISA_PUT(to, GFORMB, b);
    ISA_PUT(to, GREGA, registers);
    ISA_PUT(to, MMAD, lo_type(in, 0) == PTX_TYPE_F16);
    ISA_PUT(to, SAT, ptx_has(in, PTX_FLAG_SATFINITE));
    ISA_PUT(to, GNEGA, number(in, 4) < 0);
    ISA_PUT(to, GNEGB, number(in, 5) < 0);
    ISA_PUT(to, GTRA, halves && !registers && number(in, 6));
    ISA_PUT(to, GTRB, halves && number(in, registers ? 6 : 7));
    if (lo_type(in, 0) != (a >= GFORM_S8       ? PTX_TYPE_S32
                           : ISA_GET(to, MMAD) ? PTX_TYPE_F16
                                               : PTX_TYPE_F32))
        return false;
    return in->m == 64 && in->n % 8 == 0 && in->n >= 8 && in->n <= 256 &&
           in->k == isa_tensor_shape(ISA_HGMMA, to->mod).k &&
           !isa_tensor_check(to);
}

static cg_src words_of(lower *l, const ptx_operand *o, unsigned n)
{
    cg_src w[4], s;

    if (o->kind == PTX_OPD_VEC) {
        for (unsigned i = 0; i < n; i++)
            w[i] = lo_src(l, &o->elems[i], PTX_TYPE_B32);
    } else {
        s = lo_src(l, o, PTX_TYPE_B64);
        w[0] = cg_word(s, 0);
        w[1] = cg_word(s, 1);
    }
    return lo_join(l, w, n);
}

static void mma_async(lower *l, const ptx_inst *in)
{
    const ptx_operand *d = &in->ops[0];
    isa_tensor_groups n;
    isa_inst proto;
    cg_src a, b;
    cg_pred add;

    if (in->nops < 4 || !group_mods(in, &proto)) {
        lo_unsupported(l, NULL);
        return;
    }
    n = isa_tensor_regs(ISA_HGMMA, proto.mod);
    if (d->kind != PTX_OPD_VEC || d->nelems != in->n / 8 * n.d ||
        (in->ops[1].kind == PTX_OPD_VEC && in->ops[1].nelems != n.a)) {
        lo_unsupported(l, "the operands do not have the size of the matrices");
        return;
    }
    if (!is_fenced(l, in) || !is_awaited(l, in))
        return;
    a = words_of(l, &in->ops[1], n.a);
    b = words_of(l, &in->ops[2], n.b);
    add = lo_pred(l, &in->ops[3]);
    for (unsigned s = 0; s < in->n / 8u; s++) {
        cg_src c[4], sum;
        cg_inst *i;
        vreg r;

        for (unsigned k = 0; k < n.d; k++)
            c[k] = lo_src(l, &d->elems[s * n.d + k], PTX_TYPE_B32);
        sum = lo_join(l, c, n.d);
        i = cb_to(&l->b, ISA_HGMMA, (cg_dst){0}, a, b, sum);
        i->mod = proto.mod;
        i->lut = (uint8_t)s;
        i->psrc[0] = add;
        r = i->dst.reg = cg_reg_new(l->b.f, cg_class_of_words(n.d));
        for (unsigned k = 0; k < n.d; k++)
            lo_set(l, &d->elems[s * n.d + k], cg_rw(r, k));
    }
}

void lop_wgmma(lower *l, const ptx_inst *in)
{
    if (!lo_newer(l, 90))
        return;
    if (is_kind(in, "mma_async.sp"))
        lo_unsupported(l, "sparse factors of warp groups");
    else if (is_kind(in, "mma_async"))
        mma_async(l, in);
    else if (is_kind(in, "fence"))
        cb_emit(&l->b, ISA_WGARRIVE);
    else if (is_kind(in, "commit_group"))
        cb_emit(&l->b, ISA_WGCOMMIT);
    else if (is_kind(in, "wait_group") && in->nops == 1)
        cb_emit(&l->b, ISA_WGWAIT)->lut =
            (uint8_t)(in->ops[0].imm < 255 ? in->ops[0].imm : 255);
    else
        lo_unsupported(l, NULL);
}
