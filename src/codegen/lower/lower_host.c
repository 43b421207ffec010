/* src/codegen/lower/lower_host.c - functions without a body that the run-time
 * performs: printf, assertions, the heap. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "codegen/ir/frame.h"
#include "codegen/lower/context.h"
#include "exec/services.h"

/* ---- arguments and results ---------------------------------------------- */

/* Argument i as 64 bits, zeros above what it has. */
static cg_src argument64(lower *l, const ptx_func *fn, const ptx_call *call,
                         uint32_t i)
{
    const ptx_operand *o = &call->args[i];
    const ptx_var *v = fn->params[i];
    lo_param p = o->kind == PTX_OPD_SYM && o->var ? *lo_param_of(l, o->var)
                                                  : lo_value_param(l, o, v);
    cg_src low = lo_argument_word(l, &p, 0);

    return cb_pair(&l->b, low,
                   v->size > 4 ? lo_argument_word(l, &p, 1) : cg_zero());
}

static void set_result(lower *l, const ptx_func *fn, const ptx_call *call,
                       cg_src s)
{
    const ptx_operand *o;

    if (!call->nrets || !fn->nrets)
        return;
    o = &call->rets[0];
    if (o->kind == PTX_OPD_SYM && o->var) {
        lo_param p = lo_param_new(l, o->var, false);

        for (unsigned i = 0; i < bits_div_up(o->var->size, 4); i++)
            cb_copy(&l->b, p.word[i], i < 2 ? cg_word(s, i) : cg_zero(), 1);
        lo_copy_param(l, lo_param_of(l, o->var), &p, o->var->size);
    } else if (o->kind == PTX_OPD_REG) {
        lo_set(l, o, s);
    }
}

/* ---- memory in the frame ------------------------------------------------- */

/* The same bytes for one service after the other: nothing of one is needed
 * when the next begins. */
static uint32_t frame_room(lower *l, uint32_t bytes)
{
    cg_func *f = l->b.f;

    if (l->scratch_of != f || l->scratch_bytes < bytes) {
        l->scratch_of = f;
        l->scratch_bytes = bytes;
        l->scratch_at = (uint32_t)bits_align_up(f->local_bytes, 8);
        f->local_bytes = l->scratch_at + bytes;
    }
    return l->scratch_at;
}

static void store_word(lower *l, uint32_t at, cg_src s)
{
    cg_src to = cg_frame_base(l->b.f);

    to.val = at;
    s = cb_reg(&l->b, s, 1);
    cb_to(&l->b, ISA_STL, (cg_dst){0}, to, s, cb_none());
}

static cg_src generic_frame(lower *l, uint32_t at)
{
    cg_src low = cb_reg(&l->b, lo_frame_address(l, at), 2);

    return cb_add64(&l->b, low, cg_const(CBANK_PARAM, C0_LOCAL_WINDOW));
}

/* ---- printf -------------------------------------------------------------- */

static cg_src emit_print(lower *l, enum exec_print kind, cg_src format,
                         cg_src args)
{
    cg_src s = cb_op(&l->b, ISA_PRINT, format, args, cb_none());

    cb_last(&l->b)->lut = (uint8_t)kind;
    return s;
}

static void serve_vprintf(lower *l, const ptx_func *fn, const ptx_call *call)
{
    cg_src format = argument64(l, fn, call, 0),
           args = argument64(l, fn, call, 1);

    set_result(l, fn, call,
               cb_pair(&l->b, emit_print(l, PRINT_C, format, args), cg_zero()));
}

/* Bytes of an argument behind the format. */
static uint32_t argument_bytes(const lower *l, const ptx_operand *o)
{
    if (o->kind == PTX_OPD_SYM && o->var)
        return (uint32_t)o->var->size;
    return o->kind == PTX_OPD_REG ? ptx_type_bytes(l->fr->fn->regs[o->reg].type)
                                  : 4;
}

/* Each argument behind its size; before them, how many bytes there are. */
static void serve_printf(lower *l, const ptx_func *fn, const ptx_call *call)
{
    cg_src format = argument64(l, fn, call, 0);
    uint32_t bytes = 8, at, start;

    for (uint32_t i = 1; i < call->nargs; i++)
        bytes +=
            8 + (uint32_t)bits_align_up(argument_bytes(l, &call->args[i]), 8);
    start = at = frame_room(l, bytes);
    store_word(l, at, cg_imm(bytes - 8));
    store_word(l, at + 4, cg_zero());
    at += 8;
    for (uint32_t i = 1; i < call->nargs; i++) {
        const ptx_operand *o = &call->args[i];
        uint32_t size = argument_bytes(l, o);
        lo_param p = {.made = true};
        cg_src value = cb_none();

        if (o->kind == PTX_OPD_SYM && o->var)
            p = *lo_param_of(l, o->var);
        else
            value = lo_src(l, o, PTX_TYPE_B32);
        store_word(l, at, cg_imm(size));
        store_word(l, at + 4, cg_zero());
        for (unsigned k = 0; k < (size + 3) / 4; k++)
            store_word(l, at + 8 + 4 * k,
                       value.kind ? cg_word(value, k)
                                  : lo_argument_word(l, &p, k));
        at += 8 + (uint32_t)bits_align_up(size, 8);
    }
    set_result(
        l, fn, call,
        cb_pair(&l->b,
                emit_print(l, PRINT_OPENCL, format, generic_frame(l, start)),
                cg_zero()));
}

/* void __assertfail(text, file, line, function, size of a character) */
static void serve_assert(lower *l, const ptx_func *fn, const ptx_call *call)
{
    static const uint8_t order[] = {0, 1, 3, 2};
    uint32_t at = frame_room(l, 32);

    for (unsigned i = 0; i < 4; i++) {
        cg_src s = argument64(l, fn, call, order[i]);

        store_word(l, at + 8 * i, cg_word(s, 0));
        store_word(l, at + 8 * i + 4, cg_word(s, 1));
    }
    emit_print(l, PRINT_ASSERT, cb_reg(&l->b, cg_zero(), 2),
               generic_frame(l, at));
}

/* ---- the heap ------------------------------------------------------------ */

static void serve_malloc(lower *l, const ptx_func *fn, const ptx_call *call)
{
    cg_src size = argument64(l, fn, call, 0);

    set_result(l, fn, call,
               cb_op(&l->b, ISA_MALLOC, size, cb_none(), cb_none()));
}

static void serve_free(lower *l, const ptx_func *fn, const ptx_call *call)
{
    cg_src at = argument64(l, fn, call, 0);

    cb_to(&l->b, ISA_FREE, (cg_dst){0}, at, cb_none(), cb_none());
}

/* ---- all ----------------------------------------------------------------- */

typedef void serve(lower *l, const ptx_func *fn, const ptx_call *call);

static const struct service {
    const char *name;
    uint32_t args;
    serve *fn;
} services[] = {
    {"vprintf", 2, serve_vprintf},     {"printf", 1, serve_printf},
    {"__assertfail", 5, serve_assert}, {"malloc", 1, serve_malloc},
    {"free", 1, serve_free},
};

static bool starts(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

void lo_service(lower *l, const ptx_func *fn, const ptx_call *call)
{
    char why[256];

    for (unsigned i = 0; i < COUNTOF(services); i++) {
        const struct service *s = &services[i];

        if (strcmp(s->name, fn->name) || fn->nparams < s->args ||
            call->nargs < s->args)
            continue;
        lo_skip skip = lo_skip_begin(l);
        s->fn(l, fn, call);
        lo_skip_end(l, skip);
        return;
    }
    if (starts(fn->name, "cudaLaunchDevice") ||
        starts(fn->name, "cudaGetParameterBuffer") ||
        starts(fn->name, "cudaGraph") ||
        starts(fn->name, "cudaDeviceSynchronize"))
        snprintf(why, sizeof why,
                 "'%s': kernels cannot launch or control kernels here",
                 fn->name);
    else
        snprintf(why, sizeof why, "'%s' has no body", fn->name);
    lo_unsupported(l, why);
}
