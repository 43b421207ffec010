/* src/codegen/lower/lower_host.c - functions without a body that the run-time
 * performs: printf, assertions, the heap, and what CUDA's device run-time has
 * for kernels that launch kernels. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "codegen/ir/frame.h"
#include "codegen/lower/context.h"
#include "codegen/lower/lower.h"
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

/* ---- kernels of kernels -------------------------------------------------- */

static void store_generic(lower *l, cg_src at, cg_src value, unsigned size)
{
    lo_addr to = {.space = PTX_SPACE_NONE, .base = cb_reg(&l->b, at, 2)};
    cg_inst *i = lo_mem(l, ISA_ST, &to);

    i->src[1] = cb_reg(&l->b, value, size == SIZE_64 ? 2 : 1);
    CG_PUT(i, SIZE, size);
}

static void return_success(lower *l, const ptx_func *fn, const ptx_call *call)
{
    set_result(l, fn, call, cg_zero());
}

/* void *GetParameterBufferV2(kernel, grid, block, shared bytes): three numbers
 * each of grid and block. */
static void serve_buffer(lower *l, const ptx_func *fn, const ptx_call *call)
{
    static const uint8_t words[] = {2, 3, 3, 1};
    uint32_t at = frame_room(l, 40), to = at;

    for (uint32_t i = 0; i < COUNTOF(words); i++) {
        const ptx_operand *o = &call->args[i];
        lo_param p = o->kind == PTX_OPD_SYM && o->var
                         ? *lo_param_of(l, o->var)
                         : lo_value_param(l, o, fn->params[i]);

        for (unsigned k = 0; k < words[i]; k++, to += 4)
            store_word(l, to, lo_argument_word(l, &p, k));
    }
    cg_src room = cb_pair(&l->b, cg_imm(CHILD_PARAM_BYTES), cg_zero());
    cg_src buffer = cb_op(&l->b, ISA_MALLOC, room, cb_none(), cb_none());
    emit_print(l, PRINT_BUFFER, buffer, generic_frame(l, at));
    set_result(l, fn, call, buffer);
}

/* cudaError_t LaunchDeviceV2(buffer, stream) */
static void serve_launch(lower *l, const ptx_func *fn, const ptx_call *call)
{
    cg_src buffer = argument64(l, fn, call, 0),
           stream = argument64(l, fn, call, 1);

    set_result(l, fn, call, emit_print(l, PRINT_LAUNCH, buffer, stream));
}

static void store_word64(lower *l, uint32_t at, cg_src s)
{
    store_word(l, at, cg_word(s, 0));
    store_word(l, at + 4, cg_word(s, 1));
}

/* Arguments `from`, bytes and stream stand at i[0] to i[2]. */
static void emit_copy(lower *l, const ptx_func *fn, const ptx_call *call,
                      exec_child_kind kind, const uint8_t *i)
{
    uint32_t at = frame_room(l, 40);

    store_word64(l, at, argument64(l, fn, call, 0));
    for (unsigned k = 0; k < 3; k++)
        store_word64(l, at + 8 + 8 * k, argument64(l, fn, call, i[k]));
    emit_print(l, PRINT_COPY,
               cb_reg(&l->b, cb_pair(&l->b, cg_imm(kind), cg_zero()), 2),
               generic_frame(l, at));
    return_success(l, fn, call);
}

/* cudaError_t MemcpyAsync(to, from, bytes, kind, stream) */
static void serve_memcpy(lower *l, const ptx_func *fn, const ptx_call *call)
{
    emit_copy(l, fn, call, CHILD_COPY, (const uint8_t[]){1, 2, 4});
}

/* cudaError_t MemsetAsync(to, byte, bytes, stream) */
static void serve_memset(lower *l, const ptx_func *fn, const ptx_call *call)
{
    emit_copy(l, fn, call, CHILD_FILL, (const uint8_t[]){1, 2, 3});
}

/* cudaError_t StreamCreateWithFlags(stream *, flags), and of events. All that a
 * grid launches runs in one order, so any handle that is not 0 will do. */
static void serve_create(lower *l, const ptx_func *fn, const ptx_call *call)
{
    enum { ANY = 0x100 };

    store_generic(l, argument64(l, fn, call, 0),
                  cb_pair(&l->b, cg_imm(ANY), cg_zero()), SIZE_64);
    return_success(l, fn, call);
}

/* cudaError_t Malloc(void **, size) */
static void serve_device_malloc(lower *l, const ptx_func *fn,
                                const ptx_call *call)
{
    cg_src size = argument64(l, fn, call, 1);

    store_generic(l, argument64(l, fn, call, 0),
                  cb_op(&l->b, ISA_MALLOC, size, cb_none(), cb_none()),
                  SIZE_64);
    return_success(l, fn, call);
}

static void serve_device_free(lower *l, const ptx_func *fn,
                              const ptx_call *call)
{
    serve_free(l, fn, call);
    return_success(l, fn, call);
}

/* cudaError_t GetDevice(int *), the only one there is */
static void serve_device(lower *l, const ptx_func *fn, const ptx_call *call)
{
    store_generic(l, argument64(l, fn, call, 0), cg_zero(), SIZE_32);
    return_success(l, fn, call);
}

/* const char *GetErrorString(error), of which there is none but success */
static void serve_error_text(lower *l, const ptx_func *fn, const ptx_call *call)
{
    static const char text[12] = "no error";
    cg_func *f = l->b.f;
    uint32_t at = (uint32_t)bits_align_up(f->local_bytes, 8);

    f->local_bytes = at + sizeof text;
    for (uint32_t i = 0; i < sizeof text; i += 4) {
        uint32_t word;

        memcpy(&word, text + i, sizeof word);
        store_word(l, at + i, cg_imm(word));
    }
    set_result(l, fn, call, generic_frame(l, at));
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

/* CUDA's device run-time: "__cudaCDP2" and these, or "cuda" and these in code
 * older than CUDA 12, perhaps with "_ptsz" behind it. */
static const struct service device_services[] = {
    {"GetParameterBufferV2", 4, serve_buffer},
    {"LaunchDeviceV2", 2, serve_launch},
    {"GetLastError", 0, return_success},
    {"PeekAtLastError", 0, return_success},
    {"GetErrorString", 1, serve_error_text},
    {"GetErrorName", 1, serve_error_text},
    {"StreamCreateWithFlags", 2, serve_create},
    {"StreamDestroy", 1, return_success},
    {"StreamWaitEvent", 2, return_success},
    {"EventCreateWithFlags", 2, serve_create},
    {"EventRecord", 2, return_success},
    {"EventRecordWithFlags", 2, return_success},
    {"EventDestroy", 1, return_success},
    {"MemcpyAsync", 5, serve_memcpy},
    {"MemsetAsync", 4, serve_memset},
    {"Malloc", 2, serve_device_malloc},
    {"Free", 1, serve_device_free},
    {"GetDevice", 1, serve_device},
};

static bool starts(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

/* Behind the prefix of the device run-time; NULL: it is none of it. */
static const char *device_name(const char *name)
{
    static const char *const prefixes[] = {"__cudaCDP2", "cuda"};

    for (unsigned i = 0; i < COUNTOF(prefixes); i++)
        if (starts(name, prefixes[i]))
            return name + strlen(prefixes[i]);
    return NULL;
}

static bool is_device_service(const char *name, const char *service)
{
    size_t n = strlen(service);

    return name && !strncmp(name, service, n) &&
           (!name[n] || !strcmp(name + n, "_ptsz"));
}

static const struct service *find_service(const char *name)
{
    const char *device = device_name(name);

    for (unsigned i = 0; i < COUNTOF(services); i++)
        if (!strcmp(services[i].name, name))
            return &services[i];
    for (unsigned i = 0; i < COUNTOF(device_services); i++)
        if (is_device_service(device, device_services[i].name))
            return &device_services[i];
    return NULL;
}

bool lower_is_service(const char *name) { return find_service(name) != NULL; }

void lo_service(lower *l, const ptx_func *fn, const ptx_call *call)
{
    const struct service *s = find_service(fn->name);
    char why[256];

    if (s && fn->nparams >= s->args && call->nargs >= s->args) {
        lo_skip skip = lo_skip_begin(l);

        s->fn(l, fn, call);
        lo_skip_end(l, skip);
        return;
    }
    if (is_device_service(device_name(fn->name), "DeviceSynchronize"))
        snprintf(why, sizeof why,
                 "'%s': a kernel cannot wait for kernels that it launched; "
                 "since CUDA 12 none can (use cudaStreamTailLaunch)",
                 fn->name);
    else if (device_name(fn->name))
        snprintf(why, sizeof why,
                 "'%s': kernels can launch kernels, but have nothing else of "
                 "CUDA's device run-time",
                 fn->name);
    else
        snprintf(why, sizeof why, "'%s' has no body", fn->name);
    lo_unsupported(l, why);
}
