/* src/codegen/lower/lower_call.c - calls: small functions and those called once
 * become part of the caller, the others are called by the convention of
 * codegen/ir/abi.h. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "codegen/ir/frame.h"
#include "codegen/lower/context.h"

/* How much of other functions a kernel takes in, in PTX instructions. [guess]
 * INLINE_ALWAYS bounds what is not looked at more closely. */
enum {
    INLINE_ALWAYS = 6000,
    INLINE_MOST = 40000,
    INLINE_SMALL = 24,
    ISA_ALIGN_MAX = 4096,
};

/* ---- where arguments stand ----------------------------------------------- */

/* The words of parameters or results, in order. */
typedef struct places {
    unsigned next;       /* word */
    uint32_t stack_from; /* bytes, of word ABI_ARGS */
} places;

static unsigned words_of(const ptx_var *v)
{
    uint64_t n = bits_div_up(v->size, 4);

    return n ? (unsigned)n : 1;
}

/* The first word of the next value. */
static unsigned place_param(places *p, const ptx_var *v)
{
    unsigned at = p->next;

    if (v->size % 8 == 0)
        at += at & 1;
    p->next = at + words_of(v);
    return at;
}

static unsigned words_in_all(uint32_t n, ptx_var *const *v)
{
    places p = {0};

    for (uint32_t i = 0; i < n; i++)
        place_param(&p, v[i]);
    return p.next;
}

/* Bytes on the stack of so many words. */
static uint32_t stack_bytes(unsigned words)
{
    return words > ABI_ARGS ? 4 * (words - ABI_ARGS) : 0;
}

/* Registers that values of these sizes take: bit k is R4+k. */
static unsigned argument_registers(uint32_t n, ptx_var *const *v)
{
    places p = {0};
    unsigned mask = 0;

    for (uint32_t i = 0; i < n; i++) {
        unsigned at = place_param(&p, v[i]);

        for (unsigned k = at; k < p.next && k < ABI_ARGS; k++)
            mask |= 1u << k;
    }
    return mask;
}

static places places_of_rets(const ptx_func *sign)
{
    unsigned args = words_in_all(sign->nparams, sign->params);

    return (places){.stack_from = stack_bytes(args)};
}

static cg_src stack_word(cg_src base, const places *p, unsigned word)
{
    base.val = p->stack_from + 4 * (int64_t)(word - ABI_ARGS);
    return base;
}

/* Marks R1, R2 and these registers as read here for later passes. */
static void use_fixed(lower *l, unsigned values)
{
    uint32_t mask = 1u << ABI_SP | 1u << ABI_LINK | values << ABI_ARG;
    cg_inst *in = NULL;

    for (unsigned n = 0; mask; mask &= mask - 1, n++) {
        if (n % 3 == 0)
            in = cb_emit(&l->b, CG_USE);
        in->src[n % 3] = cg_r(cg_reg_fixed(l->b.f, bits_ctz32(mask)));
    }
}

static void define_fixed(lower *l, unsigned phys)
{
    cb_emit(&l->b, CG_DEF)->dst.reg = cg_reg_fixed(l->b.f, phys);
}

static void define_values(lower *l, unsigned mask)
{
    for (; mask; mask &= mask - 1)
        define_fixed(l, ABI_ARG + bits_ctz32(mask));
}

static void move_fixed(lower *l, unsigned phys, cg_src s)
{
    cb_to(&l->b, ISA_MOV, cb_dst(cg_reg_fixed(l->b.f, phys)), cb_none(), s,
          cb_none());
}

/* ---- calls ------------------------------------------------------------- */

/* The top of the stack as an operand of loads and stores. */
static cg_src stack_top(lower *l)
{
    cg_func *f = l->b.f;

    if (l->top)
        return cb_add(&l->b, cg_r(l->top), cg_imm(ABI_ALIGN));
    if (!f->is_function)
        return cg_r(cg_reg_fixed(f, ABI_SP));
    return cb_op(&l->b, CG_FRAME, cg_frame_base(f), cb_none(), cb_none());
}

/* All words first, then all moves: what computes them may be a call's worth
 * of code. */
static void pass_arguments(lower *l, const ptx_func *sign, const ptx_call *call)
{
    cg_src inreg[ABI_ARGS], top = cb_none();
    unsigned has = 0;
    places p = {0};

    for (uint32_t i = 0; i < call->nargs && i < sign->nparams; i++) {
        const ptx_operand *o = &call->args[i];
        const ptx_var *v = sign->params[i];
        lo_param from = o->kind == PTX_OPD_SYM && o->var
                            ? *lo_param_of(l, o->var)
                            : lo_value_param(l, o, v);
        unsigned at = place_param(&p, v);

        for (unsigned k = 0; k < words_of(v); k++) {
            cg_src s = lo_argument_word(l, &from, k);

            if (at + k < ABI_ARGS) {
                inreg[at + k] = s;
                has |= 1u << (at + k);
                continue;
            }
            if (!top.kind)
                top = stack_top(l);
            cb_to(&l->b, ISA_STL, (cg_dst){0}, stack_word(top, &p, at + k),
                  cb_reg(&l->b, s, 1), cb_none());
        }
    }
    for (; has; has &= has - 1)
        move_fixed(l, ABI_ARG + bits_ctz32(has), inreg[bits_ctz32(has)]);
}

static void take_results(lower *l, const ptx_func *sign, const ptx_call *call)
{
    places p = places_of_rets(sign);
    cg_src top = cb_none();

    define_values(l, argument_registers(sign->nrets, sign->rets));
    for (uint32_t i = 0; i < call->nrets && i < sign->nrets; i++) {
        const ptx_operand *o = &call->rets[i];
        const ptx_var *v = sign->rets[i];
        unsigned at = place_param(&p, v);
        lo_param got = lo_param_new(l, v, false);

        for (unsigned k = 0; k < words_of(v); k++) {
            cg_src s;

            if (at + k < ABI_ARGS) {
                s = cg_r(cg_reg_fixed(l->b.f, ABI_ARG + at + k));
            } else {
                if (!top.kind)
                    top = stack_top(l);
                s = cb_op(&l->b, ISA_LDL, stack_word(top, &p, at + k),
                          cb_none(), cb_none());
            }
            cb_copy(&l->b, got.word[k], s, 1);
        }
        if (o->kind == PTX_OPD_SYM && o->var) {
            lo_copy_param(l, lo_param_of(l, o->var), &got, v->size);
        } else if (o->kind == PTX_OPD_REG) {
            vreg d = lo_dst(l, o);

            for (unsigned w = 0; w < l->b.f->regs[d].words; w++)
                cb_to(&l->b, ISA_MOV, cb_dstw(d, w), cb_none(),
                      w < words_of(v) ? cg_r(got.word[w]) : cg_zero(),
                      cb_none());
        }
    }
}

/* R1 to the top of the stack, and back; see abi.h. With alloca the top varies:
 * the word below it keeps the old R1. */
static void enter_stack(lower *l)
{
    cg_func *f = l->b.f;
    cg_dst sp = cb_dst(cg_reg_fixed(f, ABI_SP));
    cg_src base = cg_r(sp.reg);

    if (l->top) {
        if (f->is_function)
            cb_to(&l->b, ISA_STL, (cg_dst){0}, cg_r(l->top), base, cb_none());
        cb_to(&l->b, ISA_IADD3, sp, cg_r(l->top), cg_imm(ABI_ALIGN), cg_zero());
    } else if (f->is_function) {
        cb_to(&l->b, CG_FRAME, sp, base, cb_none(), cb_none());
    }
}

static void leave_stack(lower *l)
{
    cg_func *f = l->b.f;
    cg_dst sp = cb_dst(cg_reg_fixed(f, ABI_SP));
    cg_src base = cg_r(sp.reg);

    if (!f->is_function)
        return;
    if (l->top) {
        base.val = -ABI_ALIGN;
        cb_to(&l->b, ISA_LDL, sp, base, cb_none(), cb_none());
    } else {
        cb_to(&l->b, CG_FRAME, sp, base, cb_none(), cb_none())->lut = 1;
    }
}

/* A call of `to`, or, if that is NULL, of the address in R3. Between the moves
 * of the arguments and the end of this only fixed registers are touched, so
 * that nothing can be spilled in between. */
static void real_call(lower *l, const ptx_func *sign, const ptx_call *call,
                      cg_func *to, cg_src target)
{
    cg_dst link = cb_dst(cg_reg_fixed(l->b.f, ABI_LINK));
    cg_inst *in;

    pass_arguments(l, sign, call);
    if (!to)
        move_fixed(l, ABI_TARGET, target);
    l->b.f->has_calls = true;
    enter_stack(l);
    in = cb_to(&l->b, to ? ISA_CALL : ISA_CALLX, link,
               to ? cb_none() : cg_r(cg_reg_fixed(l->b.f, ABI_TARGET)),
               cb_none(), cb_none());
    in->callee = to;
    use_fixed(l, argument_registers(sign->nparams, sign->params));
    leave_stack(l);
    take_results(l, sign, call);
}

/* ---- functions of a kernel ---------------------------------------------- */

/* The function that `fn` becomes in this kernel; lowered later. */
static cg_func *part_of_function(lower *l, const ptx_func *fn)
{
    uint64_t at;
    cg_func *f;

    if (map_get(l->parts->of, (uintptr_t)fn, &at))
        return (cg_func *)(uintptr_t)at;
    f = lo_part_new(l, fn, fn->name);
    cg_reg_fixed(f, ABI_SP);
    map_put(l->parts->of, (uintptr_t)fn, (uintptr_t)f);
    return f;
}

static bool same_shape(uint32_t n, ptx_var *const *a, uint32_t m,
                       ptx_var *const *b)
{
    if (n != m)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (words_of(a[i]) != words_of(b[i]))
            return false;
    return true;
}

/* Functions that a register may hold, for a call of this shape. */
static void add_targets(lower *l, const ptx_call *call, const ptx_func *sign)
{
    const cg_unit *u = l->u;

    for (uint32_t i = 0; i < u->nhandles; i++) {
        const ptx_func *fn = u->handles[i];
        bool listed = !call->targets;

        for (uint32_t k = 0; !listed && k < call->targets->count; k++)
            listed = cu_final(call->targets->funcs[k]) == fn;
        if (listed && fn->has_body &&
            same_shape(fn->nparams, fn->params, sign->nparams, sign->params) &&
            same_shape(fn->nrets, fn->rets, sign->nrets, sign->rets))
            part_of_function(l, fn)->has_handle = true;
    }
}

static void indirect_call(lower *l, const ptx_inst *in)
{
    const ptx_call *call = in->call;
    const ptx_func *sign = call->proto;
    lo_parts *p = l->parts;
    cg_src at, to;

    if (!sign && call->targets && call->targets->count)
        sign = call->targets->funcs[0];
    if (!sign) {
        lo_unsupported(l, "a call through a register needs a prototype");
        return;
    }
    add_targets(l, call, sign);
    if (!p->has_table)
        p->table = cg_constant_table(l->b.f, 4 * (l->u->nhandles + 1));
    p->has_table = true;
    at = cg_word(lo_reg_src(l, call->target.reg), 0);
    at.val = p->table;
    to = cb_op(&l->b, ISA_LDC, at, cb_none(), cb_none());
    cb_last(&l->b)->lut = CBANK_CODE;
    real_call(l, sign, call, NULL, to);
}

static bool uses_alloca(const ptx_func *fn)
{
    for (uint32_t i = 0; i < fn->ninsts; i++)
        if (fn->insts[i].op == PTX_ALLOCA)
            return true;
    return false;
}

/* Small, or called from one place, and the kernel has not grown too much. */
static bool is_worth_inlining(const lower *l, const ptx_func *fn)
{
    uint32_t size = l->parts->inlined + fn->ninsts;

    if (!l->b.f->opt->optimise || cu_is_recursive(l->u, fn) || fn->noinline ||
        lo_is_open(l->fr, fn) || uses_alloca(fn))
        return false;
    return size <= INLINE_ALWAYS ||
           (size <= INLINE_MOST &&
            (fn->ninsts <= INLINE_SMALL || cu_calls_of(l->u, fn) == 1));
}

void lop_call(lower *l, const ptx_inst *in)
{
    const ptx_call *call = in->call;
    const ptx_func *fn = cu_final(call->func);
    lo_skip skip;

    if (fn && !fn->has_body) {
        lo_service(l, fn, call);
        return;
    }
    skip = lo_skip_begin(l);
    if (!fn) {
        indirect_call(l, in);
    } else if (is_worth_inlining(l, fn)) {
        l->parts->inlined += fn->ninsts;
        lo_inline(l, fn, call);
    } else {
        real_call(l, fn, call, part_of_function(l, fn), cb_none());
    }
    lo_skip_end(l, skip);
}

/* ---- a function -------------------------------------------------------- */

static void receive_params(lower *l, const ptx_func *fn)
{
    cg_func *f = l->b.f;
    places p = {0};
    unsigned words = words_in_all(fn->nparams, fn->params);
    unsigned rets = words_in_all(fn->nrets, fn->rets);

    define_fixed(l, ABI_SP);
    define_fixed(l, ABI_LINK);
    define_values(l, argument_registers(fn->nparams, fn->params));
    l->link = cg_reg_new(f, CG_W1);
    cb_copy(&l->b, l->link, cg_r(f->fixed[ABI_LINK]), 1);
    f->local_bytes = stack_bytes(words) + stack_bytes(rets);
    for (uint32_t i = 0; i < fn->nparams; i++) {
        const ptx_var *v = fn->params[i];
        unsigned at = place_param(&p, v);
        lo_param got = lo_param_new(l, v, false);

        for (unsigned k = 0; k < words_of(v); k++) {
            cg_src s = at + k < ABI_ARGS
                           ? cg_r(f->fixed[ABI_ARG + at + k])
                           : cb_op(&l->b, ISA_LDL,
                                   stack_word(cg_frame_base(f), &p, at + k),
                                   cb_none(), cb_none());
            cb_copy(&l->b, got.word[k], s, 1);
        }
        if (v->space == PTX_SPACE_REG) {
            vreg r = lo_register_param(l, l->fr, v);

            for (unsigned k = 0; r && k < f->regs[r].words; k++)
                cb_to(&l->b, ISA_MOV, cb_dstw(r, k), cb_none(),
                      cg_r(got.word[k]), cb_none());
            continue;
        }
        l->fr->params[i] =
            lo_param_new(l, v, l->fr->address_taken[fn->nvars + i]);
        lo_copy_param(l, &l->fr->params[i], &got, v->size);
    }
}

/* Word k of result i, as the function left it. */
static cg_src result_word(lower *l, uint32_t i, unsigned k)
{
    const ptx_var *v = l->fr->fn->rets[i];
    const lo_param *p = &l->fr->rets[i];

    if (v->space == PTX_SPACE_REG) {
        vreg r = lo_register_param(l, l->fr, v);

        return r ? cg_rw(r, k) : cg_zero();
    }
    return p->made ? lo_argument_word(l, p, k) : cg_zero();
}

static void hand_back(lower *l, const ptx_func *fn)
{
    cg_func *f = l->b.f;
    places p = places_of_rets(fn);
    cg_src inreg[ABI_ARGS];
    unsigned has = argument_registers(fn->nrets, fn->rets);

    for (uint32_t i = 0; i < fn->nrets; i++) {
        unsigned at = place_param(&p, fn->rets[i]);

        for (unsigned k = 0; k < words_of(fn->rets[i]); k++) {
            cg_src s = result_word(l, i, k);

            if (at + k < ABI_ARGS) {
                inreg[at + k] = s;
            } else {
                cb_to(&l->b, ISA_STL, (cg_dst){0},
                      stack_word(cg_frame_base(f), &p, at + k),
                      cb_reg(&l->b, s, 1), cb_none());
            }
        }
    }
    for (unsigned left = has; left; left &= left - 1)
        move_fixed(l, ABI_ARG + bits_ctz32(left), inreg[bits_ctz32(left)]);
    move_fixed(l, ABI_LINK, cg_r(l->link));
    use_fixed(l, has);
    cb_to(&l->b, ISA_RET, (cg_dst){0}, cg_r(f->fixed[ABI_LINK]), cb_none(),
          cb_none());
    l->b.b->fall = NULL;
}

/* Lanes return together: all `ret` lead to one end, where they meet. */
static void lower_part(lower *l, const lo_part *part)
{
    const ptx_func *fn = part->fn;

    l->b.f = part->f;
    l->carry = l->top = 0;
    l->b.line = 0;
    l->b.b = cg_block_new(part->f);
    cg_block_append(part->f, l->b.b);
    if (part->slow) {
        lo_slow_body(l, part->slow);
        return;
    }
    l->fr = lo_frame_new(l, fn, NULL);
    l->fr->back = cg_block_new(part->f);
    receive_params(l, fn);
    lo_begin_alloca(l, fn);
    lo_body(l);
    cb_enter(&l->b, l->fr->back);
    hand_back(l, fn);
}

void lo_lower_parts(lower *l)
{
    for (uint32_t i = 1; i < l->parts->n; i++) {
        lo_part part = l->parts->part[i];

        lower_part(l, &part);
    }
}

/* ---- alloca ------------------------------------------------------------ */

/* The top of the stack becomes a value of its own. In front of it there are
 * ABI_ALIGN bytes for enter_stack. */
void lo_begin_alloca(lower *l, const ptx_func *fn)
{
    cg_func *f = l->b.f;

    if (!uses_alloca(fn))
        return;
    f->has_calls = f->dynamic_frame = true;
    l->top = cg_reg_new(f, CG_W1);
    cb_to(&l->b, CG_FRAME, cb_dst(l->top), cg_frame_base(f), cb_none(),
          cb_none());
}

static cg_src align_up(lower *l, cg_src s, int64_t align)
{
    s = cb_add(&l->b, s, cg_imm(align - 1));
    return cb_and(&l->b, s, cg_imm(-align));
}

void lop_alloca(lower *l, const ptx_inst *in)
{
    int64_t align = in->nops > 2 ? in->ops[2].imm : 8;
    cg_src size = cg_word(lo_src(l, &in->ops[1], lo_type(in, 0)), 0), at, end;

    if (!l->top || align > ISA_ALIGN_MAX) {
        lo_unsupported(l, "in this place");
        return;
    }
    at = align_up(l, cg_r(l->top), align < ABI_ALIGN ? ABI_ALIGN : align);
    at = cb_reg(&l->b, at, 1);
    end = align_up(l, cb_add(&l->b, at, size), ABI_ALIGN);
    cb_copy(&l->b, l->top, end, 1);
    lo_set(l, &in->ops[0], cb_pair(&l->b, at, cg_zero()));
}

void lop_stacksave(lower *l, const ptx_inst *in)
{
    cg_src top = l->top ? cg_r(l->top) : cg_zero();

    lo_set(l, &in->ops[0], cb_pair(&l->b, top, cg_zero()));
}

void lop_stackrestore(lower *l, const ptx_inst *in)
{
    if (l->top)
        cb_copy(&l->b, l->top, lo_src(l, &in->ops[0], lo_type(in, 0)), 1);
}
