/* src/codegen/lower/lower_frame.c - frames of functions, their parameters, and
 * functions that become part of their caller. */
#include <string.h>

#include "base/bits.h"
#include "codegen/ir/frame.h"
#include "codegen/lower/context.h"

enum { INLINE_DEPTH = 64 }; /* [guess] */

/* ---- frames ------------------------------------------------------------ */

static void mark_address_taken(const lo_frame *fr, const ptx_var *v)
{
    const ptx_func *fn = fr->fn;

    if (!v || v->func != fn)
        return;
    for (uint32_t i = 0; i < fn->nvars; i++)
        if (fn->vars[i] == v)
            fr->address_taken[i] = true;
    for (uint32_t i = 0; i < fn->nparams; i++)
        if (fn->params[i] == v)
            fr->address_taken[fn->nvars + i] = true;
    for (uint32_t i = 0; i < fn->nrets; i++)
        if (fn->rets[i] == v)
            fr->address_taken[fn->nvars + fn->nparams + i] = true;
}

lo_frame *lo_frame_new(lower *l, const ptx_func *fn, lo_frame *up)
{
    arena *a = l->b.f->mem;
    lo_frame *fr = ARENA_NEW(a, lo_frame);

    fr->fn = fn;
    fr->up = up;
    fr->reg = ARENA_ARRAY(a, vreg, fn->nregs + 1);
    fr->block = ARENA_ARRAY(a, cg_block *, fn->ninsts + 1);
    fr->vars = ARENA_ARRAY(a, lo_param, fn->nvars + 1);
    fr->params = ARENA_ARRAY(a, lo_param, fn->nparams + 1);
    fr->rets = ARENA_ARRAY(a, lo_param, fn->nrets + 1);
    fr->local_offset = ARENA_ARRAY(a, uint32_t, fn->nvars + 1);
    fr->address_taken =
        ARENA_ARRAY(a, bool, fn->nvars + fn->nparams + fn->nrets + 1);
    for (uint32_t i = 0; i < fn->nlabels; i++)
        if (!fr->block[fn->labels[i]->inst])
            fr->block[fn->labels[i]->inst] = cg_block_new(l->b.f);
    for (uint32_t i = 0; i < fn->ninsts; i++)
        for (uint32_t j = 0; j < fn->insts[i].nops; j++)
            if (fn->insts[i].ops[j].kind == PTX_OPD_SYM)
                mark_address_taken(fr, fn->insts[i].ops[j].var);
    return fr;
}

lo_param lo_param_new(lower *l, const ptx_var *v, bool on_stack)
{
    lo_param p = {.made = true};
    uint64_t words = bits_div_up(v->size, 4);
    cg_func *f = l->b.f;

    if (on_stack) {
        f->local_bytes = (uint32_t)bits_align_up(f->local_bytes,
                                                 v->align > 4 ? v->align : 4);
        p.offset = f->local_bytes;
        f->local_bytes += (uint32_t)(4 * words);
        return p;
    }
    p.word = ARENA_ARRAY(f->mem, vreg, words + 1);
    for (uint64_t i = 0; i < words; i++)
        p.word[i] = cg_reg_new(f, CG_W1);
    return p;
}

lo_param *lo_param_of(lower *l, const ptx_var *v)
{
    lo_frame *fr = l->fr;
    const ptx_func *fn = fr->fn;
    lo_param *p = NULL;
    uint32_t at = 0;

    for (uint32_t i = 0; i < fn->nvars && !p; i++, at++)
        if (fn->vars[i] == v)
            p = &fr->vars[i];
    for (uint32_t i = 0; fr->back && i < fn->nparams && !p; i++, at++)
        if (fn->params[i] == v)
            p = &fr->params[i];
    for (uint32_t i = 0; i < fn->nrets && !p; i++, at++)
        if (fn->rets[i] == v)
            p = &fr->rets[i];
    if (p && !p->made)
        *p = lo_param_new(l, v, fr->address_taken[at - 1]);
    return p;
}

/* More than any GPU has for a thread [CUDA12:technical-specifications]. */
enum { LOCAL_MOST = 1 << 24 };

uint32_t lo_local_offset(lower *l, const ptx_var *v)
{
    lo_frame *fr = l->fr;
    cg_func *f = l->b.f;

    for (uint32_t i = 0; i < fr->fn->nvars; i++) {
        if (fr->fn->vars[i] != v)
            continue;
        if (!fr->local_offset[i]) {
            uint64_t at =
                bits_align_up(f->local_bytes, v->align > 4 ? v->align : 4);
            uint64_t end = at + bits_align_up(v->size, 4);

            fr->local_offset[i] = (uint32_t)at + 1;
            if (end <= LOCAL_MOST)
                f->local_bytes = (uint32_t)end;
            else
                cu_error(l->u, v->place, (uint32_t)strlen(v->name),
                         "the local variables need more than %u bytes",
                         LOCAL_MOST);
        }
        return fr->local_offset[i] - 1;
    }
    return 0;
}

/* ---- parameters -------------------------------------------------------- */

void lo_copy_param(lower *l, const lo_param *to, const lo_param *from,
                   uint64_t size)
{
    for (uint64_t i = 0; i < bits_div_up(size, 4); i++) {
        cg_src s;

        if (from->word) {
            s = cg_r(from->word[i]);
        } else {
            cg_src at = cg_frame_base(l->b.f);

            at.val = from->offset + 4 * (int64_t)i;
            s = cb_op(&l->b, ISA_LDL, at, cb_none(), cb_none());
        }
        if (to->word) {
            cb_copy(&l->b, to->word[i], s, 1);
        } else {
            cg_src at = cg_frame_base(l->b.f);

            at.val = to->offset + 4 * (int64_t)i;
            cb_to(&l->b, ISA_STL, (cg_dst){0}, at, s, cb_none());
        }
    }
}

/* An argument or result that is a plain value: words of its own. */
lo_param lo_value_param(lower *l, const ptx_operand *o, const ptx_var *as)
{
    lo_param p = lo_param_new(l, as, false);
    cg_src s = lo_src(l, o, as->type);

    for (unsigned i = 0; i < lo_words(as->type); i++)
        cb_copy(&l->b, p.word[i], cg_word(s, i), 1);
    return p;
}

/* The register that a parameter in a register is: `.func f(.reg .b32 a)`. */
vreg lo_register_param(lower *l, lo_frame *fr, const ptx_var *v)
{
    lo_frame *here = l->fr;
    vreg r = 0;

    for (uint32_t i = 0; i < fr->fn->nregs; i++) {
        if (strcmp(fr->fn->regs[i].name, v->name))
            continue;
        l->fr = fr;
        r = lo_reg(l, i);
        l->fr = here;
        break;
    }
    return r;
}

/* Word i of an argument. */
cg_src lo_argument_word(lower *l, const lo_param *from, unsigned i)
{
    cg_src at = cg_frame_base(l->b.f);

    if (from->word)
        return cg_r(from->word[i]);
    at.val = from->offset + 4 * (int64_t)i;
    return cb_op(&l->b, ISA_LDL, at, cb_none(), cb_none());
}

/* ---- bodies of others, taken in ---------------------------------------- */

static void bind_args(lower *l, lo_frame *to, const ptx_call *call)
{
    for (uint32_t i = 0; i < call->nargs && i < to->fn->nparams; i++) {
        const ptx_operand *o = &call->args[i];
        const ptx_var *v = to->fn->params[i];

        if (v->space == PTX_SPACE_REG) {
            vreg r = lo_register_param(l, to, v);

            if (r)
                cb_copy(&l->b, r, lo_src(l, o, v->type), lo_words(v->type));
            continue;
        }
        bool stack = to->address_taken[to->fn->nvars + i];
        lo_param from = o->kind == PTX_OPD_SYM && o->var
                            ? *lo_param_of(l, o->var)
                            : lo_value_param(l, o, v);

        to->params[i] = lo_param_new(l, v, stack);
        lo_copy_param(l, &to->params[i], &from, v->size);
    }
}

static void bind_rets(lower *l, lo_frame *from, const ptx_call *call)
{
    for (uint32_t i = 0; i < call->nrets && i < from->fn->nrets; i++) {
        const ptx_operand *o = &call->rets[i];
        const ptx_var *v = from->fn->rets[i];
        const lo_param *p = &from->rets[i];

        if (v->space == PTX_SPACE_REG) {
            vreg r = lo_register_param(l, from, v);

            if (r)
                lo_set(l, o, cg_r(r));
            continue;
        }
        if (!p->made)
            continue; /* never set */
        if (o->kind == PTX_OPD_SYM && o->var) {
            lo_copy_param(l, lo_param_of(l, o->var), p, v->size);
        } else if (o->kind == PTX_OPD_REG && p->word) {
            vreg d = lo_dst(l, o);

            for (unsigned w = 0; w < lo_words(v->type); w++)
                cb_to(&l->b, ISA_MOV, cb_dstw(d, w), cb_none(),
                      cg_r(p->word[w]), cb_none());
        }
    }
}

bool lo_is_open(const lo_frame *fr, const ptx_func *fn)
{
    unsigned depth = 0;

    for (; fr; fr = fr->up)
        if (fr->fn == fn || ++depth > INLINE_DEPTH)
            return true;
    return false;
}

void lo_inline(lower *l, const ptx_func *fn, const ptx_call *call)
{
    lo_frame *up = l->fr, *fr = lo_frame_new(l, fn, up);
    const ptx_inst *in = l->in;
    uint32_t line = l->b.line;

    fr->back = cg_block_new(l->b.f);
    bind_args(l, fr, call);
    l->fr = fr;
    lo_body(l);
    cb_enter(&l->b, fr->back);
    l->fr = up;
    l->in = in;
    l->b.line = line;
    bind_rets(l, fr, call);
}
