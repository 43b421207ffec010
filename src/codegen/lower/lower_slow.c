/* src/codegen/lower/lower_slow.c - the rare halves of divisions and square
 * roots stand once in a kernel that has several of a kind, and are called.
 * Values are passed as in codegen/ir/abi.h, but they need no stack and save no
 * registers: the caller has the set that they write. */
#include "codegen/lower/context.h"

#include "base/bits.h"

/* Registers that keep the called halves from spilling: they have no frame. */
enum { REGISTERS_MIN = 64 };

static bool is_shared_kind(const ptx_inst *in)
{
    return (in->op == PTX_DIV || in->op == PTX_RCP || in->op == PTX_SQRT) &&
           !ptx_has(in, PTX_FLAG_APPROX) && !ptx_has(in, PTX_FLAG_FULL);
}

/* A reciprocal is a division. */
static bool same_kind(const ptx_inst *a, const ptx_inst *b)
{
    return is_shared_kind(a) && is_shared_kind(b) &&
           (a->op == PTX_SQRT) == (b->op == PTX_SQRT) &&
           lo_type(a, 0) == lo_type(b, 0) && a->round == b->round &&
           ptx_has(a, PTX_FLAG_FTZ) == ptx_has(b, PTX_FLAG_FTZ);
}

/* The kernel has two of this kind, functions that it takes in included. */
static bool is_frequent(const lower *l, const ptx_inst *in)
{
    const ptx_func *const fn[] = {l->kernel, l->fr->fn};
    unsigned n = 0;

    for (unsigned k = 0; k < COUNTOF(fn) && n < 2; k++)
        for (uint32_t i = 0; i < fn[k]->ninsts && n < 2; i++)
            n += same_kind(&fn[k]->insts[i], in) && (!k || fn[0] != fn[1]);
    return n > 1;
}

/* A kernel that changes its registers calls nothing. */
static bool sets_registers(const ptx_func *fn)
{
    for (uint32_t i = 0; i < fn->ninsts; i++)
        if (fn->insts[i].op == PTX_SETMAXNREG)
            return true;
    return false;
}

static bool may_call(const lower *l, const ptx_inst *in)
{
    const cg_options *o = l->u->opt;

    return o->optimise && !l->b.f->is_function && !l->top &&
           (!o->max_registers || o->max_registers >= REGISTERS_MIN) &&
           (!l->kernel->maxnreg || l->kernel->maxnreg >= REGISTERS_MIN) &&
           cg_register_limit(o->arch) >= REGISTERS_MIN && is_frequent(l, in) &&
           !sets_registers(l->kernel);
}

/* The part that has the slow half of `in`. */
static cg_func *slow_part(lower *l, const ptx_inst *in)
{
    cg_func *f;

    for (uint32_t i = 1; i < l->parts->n; i++) {
        const lo_part *p = &l->parts->part[i];

        if (p->slow && same_kind(p->slow, in))
            return p->f;
    }
    f = lo_part_new(l, l->kernel, "slow path");
    f->keeps_nothing = true;
    cg_reg_fixed(f, ABI_SP); /* the caller may have a stack */
    l->parts->part[l->parts->n - 1].slow = in;
    return f;
}

/* ---- both sides of a call ---------------------------------------------- */

static cg_src fixed(lower *l, unsigned phys)
{
    return cg_r(cg_reg_fixed(l->b.f, phys));
}

static void move_to(lower *l, unsigned phys, cg_src s)
{
    cb_to(&l->b, ISA_MOV, cb_dst(cg_reg_fixed(l->b.f, phys)), cb_none(), s,
          cb_none());
}

static void define_physical(lower *l, unsigned phys)
{
    cb_emit(&l->b, CG_DEF)->dst.reg = cg_reg_fixed(l->b.f, phys);
}

/* The link and `words` words of values are read here. */
static void emit_use(lower *l, unsigned words)
{
    cg_inst *in = NULL;

    for (unsigned n = 0; n <= words; n++) {
        if (n % 3 == 0)
            in = cb_emit(&l->b, CG_USE);
        in->src[n % 3] = fixed(l, n ? ABI_ARG + n - 1 : ABI_LINK);
    }
}

bool lo_slow_call(lower *l, const ptx_inst *in, vreg d, cg_src a, cg_src b)
{
    unsigned words = lo_words(lo_type(in, 0)), args = b.kind ? 2 : 1;
    cg_inst *call;
    cg_func *to;

    if (!may_call(l, in))
        return false;
    to = slow_part(l, in);
    for (unsigned i = 0; i < words * args; i++)
        move_to(l, ABI_ARG + i, cg_word(i < words ? a : b, i % words));
    call = cb_emit(&l->b, ISA_CALL);
    call->dst = cb_dst(cg_reg_fixed(l->b.f, ABI_LINK));
    call->callee = to;
    emit_use(l, words * args);
    for (unsigned i = 0; i < words; i++)
        define_physical(l, ABI_ARG + i);
    for (unsigned i = 0; i < words; i++)
        cb_to(&l->b, ISA_MOV, cb_dstw(d, i), cb_none(), fixed(l, ABI_ARG + i),
              cb_none());
    return true;
}

/* A value of the caller's in registers of its own. */
static cg_src argument_copy(lower *l, unsigned at, unsigned words)
{
    vreg v = cg_reg_new(l->b.f, cg_class_of_words(words));

    for (unsigned i = 0; i < words; i++)
        cb_to(&l->b, ISA_MOV, cb_dstw(v, i), cb_none(),
              fixed(l, ABI_ARG + at + i), cb_none());
    return cg_r(v);
}

void lo_slow_body(lower *l, const ptx_inst *in)
{
    unsigned words = lo_words(lo_type(in, 0));
    unsigned args = in->op == PTX_SQRT ? 1 : 2;
    vreg link = cg_reg_new(l->b.f, CG_W1), d;
    cg_src a, b = cb_none(), r;

    define_physical(l, ABI_LINK);
    for (unsigned i = 0; i < words * args; i++)
        define_physical(l, ABI_ARG + i);
    cb_copy(&l->b, link, fixed(l, ABI_LINK), 1);
    a = argument_copy(l, 0, words);
    if (args == 2)
        b = argument_copy(l, words, words);
    r = lo_slow_result(l, in, a, b);
    d = cg_reg_new(l->b.f, cg_class_of_words(words));
    cb_copy(&l->b, d, r, words);
    for (unsigned i = 0; i < words; i++)
        move_to(l, ABI_ARG + i, cg_rw(d, i));
    move_to(l, ABI_LINK, cg_r(link));
    emit_use(l, words);
    cb_to(&l->b, ISA_RET, (cg_dst){0}, fixed(l, ABI_LINK), cb_none(),
          cb_none());
    l->b.b->fall = NULL;
}
