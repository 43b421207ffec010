/* src/codegen/lower/lower.c - a kernel: its parameters and shared variables,
 * its body, and the functions that it calls. */
#include "codegen/lower/lower.h"

#include <string.h>

#include "base/bits.h"
#include "codegen/lower/context.h"

static void kernel_params(lower *l, isa_kernel *k)
{
    const ptx_func *fn = l->kernel;
    arena *a = l->u->p->mem;
    uint32_t base = cbank_param_base(l->u->opt->arch), at = 0;

    l->param_at = ARENA_ARRAY(l->b.f->mem, uint32_t, fn->nparams + 1);
    k->params = ARENA_ARRAY(a, isa_param, fn->nparams + 1);
    k->param_count = fn->nparams;
    for (uint32_t i = 0; i < fn->nparams; i++) {
        const ptx_var *v = fn->params[i];
        isa_param *p = &k->params[i];

        at = (uint32_t)bits_align_up(at, v->align ? v->align : 1);
        p->name = arena_strdup(a, v->name);
        p->size = (uint32_t)v->size;
        p->align = v->align;
        p->offset = at; /* of cbank_param_base */
        p->shared = v->is_ptr && v->ptr_space == PTX_SPACE_SHARED;
        l->param_at[i] = base + at;
        if (ptx_type_kind(v->type) == PTX_KIND_OPAQUE)
            p->kind =
                v->type == PTX_TYPE_SAMPLERREF ? PARAM_SAMPLER : PARAM_IMAGE;
        else
            p->kind = v->ndims                                   ? PARAM_BYTES
                      : v->is_ptr                                ? PARAM_POINTER
                      : ptx_type_kind(v->type) == PTX_KIND_FLOAT ? PARAM_FLOAT
                                                                 : PARAM_INT;
        at += (uint32_t)v->size;
    }
    k->param_bytes = l->param_bytes = at;
    if (base + at > CBANK_BYTES)
        cu_error(l->u, fn->place, 1, "the parameters of '%s' need %u bytes",
                 fn->name, at);
}

static void find_shared(lower *l, const ptx_func *fn, map *seen);

static void see_operand(lower *l, const ptx_operand *o)
{
    for (uint32_t i = 0; o->elems && i < o->nelems; i++)
        see_operand(l, &o->elems[i]);
    if ((o->kind == PTX_OPD_ADDR || o->kind == PTX_OPD_SYM) && o->var &&
        o->reg == PTX_NO_REG &&
        ptx_space_base(o->var->space) == PTX_SPACE_SHARED)
        lo_shared_offset(l, o->var);
}

static void find_shared(lower *l, const ptx_func *fn, map *seen)
{
    uint64_t old;

    if (map_get(seen, (uintptr_t)fn, &old))
        return;
    map_put(seen, (uintptr_t)fn, 1);
    for (uint32_t i = 0; i < fn->ninsts; i++) {
        const ptx_inst *in = &fn->insts[i];

        for (uint32_t j = 0; j < in->nops; j++)
            see_operand(l, &in->ops[j]);
        if (!in->call)
            continue;
        for (uint32_t j = 0; j < in->call->nargs; j++)
            see_operand(l, &in->call->args[j]);
        if (in->call->func)
            find_shared(l, cu_final(in->call->func), seen);
        for (uint32_t j = 0; !in->call->func && j < l->u->nhandles; j++)
            find_shared(l, l->u->handles[j], seen);
    }
}

static uint32_t thread_product(const uint32_t v[3])
{
    uint32_t n = v[0];

    for (unsigned i = 1; i < 3; i++)
        n *= v[i] ? v[i] : 1;
    return n;
}

static void kernel_header(lower *l, isa_kernel *k)
{
    const ptx_func *fn = l->kernel;

    k->name = arena_strdup(l->u->p->mem, fn->name);
    memcpy(k->req_threads, fn->reqntid, sizeof k->req_threads);
    for (unsigned i = 1; i < 3; i++)
        if (k->req_threads[0] && !k->req_threads[i])
            k->req_threads[i] = 1;
    k->max_threads = thread_product(fn->maxntid);
    memcpy(k->req_cga, fn->reqnctapercluster, sizeof k->req_cga);
    for (unsigned i = 1; i < 3; i++)
        if (k->req_cga[0] && !k->req_cga[i])
            k->req_cga[i] = 1;
    k->max_cga = fn->maxclusterrank;
    k->explicit_cga = fn->explicitcluster;
    l->located = lo_first_source(fn).file != 0;
}

/* As ptxas does, what has to lie on larger boundaries comes first, so that a
 * tile declared with 128 bytes may rely on 1024. Older architectures keep the
 * order in which variables are used. */
static void place_shared(lower *l, const ptx_func *fn)
{
    static const uint32_t least[] = {1024, 128, 16, 0};
    unsigned i = l->u->opt->arch >= ARCH_HOPPER ? 0 : COUNTOF(least) - 1;

    for (; i < COUNTOF(least); i++) {
        map *seen = map_new();

        l->shared_least = least[i];
        find_shared(l, fn, seen);
        map_free(seen);
    }
}

/* R1 of a kernel that calls is the end of its own frame, from the start on. */
static void begin_stack(cg_func *f)
{
    cg_block *b = f->blocks[0];
    cg_inst *in = cg_inst_new(f, CG_FRAME);

    in->dst.reg = cg_reg_fixed(f, ABI_SP);
    in->src[0] = cg_zero();
    if (b->first)
        cg_insert_before(in, b->first);
    else
        cg_append(b, in);
}

/* Blocks end up where they are entered; every block that a label made but
 * nothing entered is appended by cb_enter, so the list is complete. */
void lower_kernel(cg_unit *u, const ptx_func *fn, cg_func *f, isa_kernel *k,
                  lo_parts *parts)
{
    lower l = {.u = u, .kernel = fn, .b = {.f = f}, .parts = parts};

    l.shared_at = map_new();
    kernel_header(&l, k);
    kernel_params(&l, k);
    place_shared(&l, fn);
    l.fr = lo_frame_new(&l, fn, NULL);
    l.b.b = cg_block_new(f);
    cg_block_append(f, l.b.b);
    lo_begin_alloca(&l, fn);
    lo_body(&l);
    cb_emit(&l.b, ISA_EXIT);
    l.b.b->fall = NULL;
    if (f->has_calls && !f->dynamic_frame)
        begin_stack(f);
    lo_lower_parts(&l);
    k->shared_bytes = l.shared_bytes;
    if (l.dynamic_align)
        k->shared_bytes = lo_dynamic_shared(&l);
    k->shared = l.shared;
    k->shared_count = l.shared_count;
    for (uint32_t i = 0; i < l.shared_count; i++)
        if (!l.shared[i].size)
            l.shared[i].offset = k->shared_bytes;
    map_free(l.shared_at);
}
