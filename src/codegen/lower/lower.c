/* src/codegen/lower/lower.c - a kernel, instruction by instruction; blocks and
 * guards. */
#include "codegen/lower/lower.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"

static lo_fn *const lo_table[PTX_OP_COUNT] = {
#define LOWER(op, fn) [PTX_##op] = lop_##fn,
#include "codegen/lower/lower_op.def"
#undef LOWER
};

static const char *const refusals[PTX_OP_COUNT] = {
#define REFUSE(op, why) [PTX_##op] = why,
#include "codegen/lower/refuse.def"
#undef REFUSE
};

void lo_unsupported(lower *l, const char *why)
{
    const ptx_inst *in = l->in;
    const char *op = ptx_op_text(in->op), *mods = in->mods ? in->mods : "";
    const char *file =
        in->source.file ? ptx_file_path(l->u->m, in->source.file) : NULL;
    uint32_t length = (uint32_t)(strlen(op) + strlen(mods));
    char source[300] = "";

    if (file && in->source.line)
        snprintf(source, sizeof source, " (from %.256s:%u)", file,
                 in->source.line);
    cu_error(l->u, in->place, length, "unsupported instruction '%s%s'%s%s%s",
             op, mods, why ? ": " : "", why ? why : "", source);
}

/* ---- guards ------------------------------------------------------------ */

lo_skip lo_skip_begin(lower *l)
{
    lo_skip s = {NULL};

    if (!l->b.guard.reg)
        return s;
    cg_pred p = l->b.guard;
    l->b.guard = (cg_pred){0};
    s.join = cg_block_new(l->b.f);
    cb_branch(&l->b, cg_not(p), s.join);
    return s;
}

void lo_skip_end(lower *l, lo_skip s)
{
    if (s.join)
        cb_enter(&l->b, s.join);
}

/* ---- control flow ------------------------------------------------------ */

static cg_block *block_of(lower *l, const ptx_label *label)
{
    return l->fr->block[label->inst];
}

/* What follows cannot be reached until the next label. */
static void dead_end(lower *l)
{
    cg_block *next = cg_block_new(l->b.f);

    l->b.b->fall = NULL;
    cg_block_append(l->b.f, next);
    l->b.b = next;
}

void lop_bra(lower *l, const ptx_inst *in)
{
    cg_pred p = l->b.guard;
    cg_block *from = l->b.b;

    l->b.guard = (cg_pred){0};
    cb_branch(&l->b, p, block_of(l, in->ops[0].label));
    from->last->uniform = ptx_has(in, PTX_FLAG_UNI);
}

void lop_exit(lower *l, const ptx_inst *in)
{
    (void)in;
    cb_emit(&l->b, ISA_EXIT);
    if (!l->b.guard.reg)
        dead_end(l);
}

void lop_ret(lower *l, const ptx_inst *in)
{
    cg_pred p = l->b.guard;

    if (!l->fr->back) {
        lop_exit(l, in);
        return;
    }
    l->b.guard = (cg_pred){0};
    cb_branch(&l->b, p, l->fr->back);
}

void lop_trap(lower *l, const ptx_inst *in)
{
    cb_emit(&l->b, ISA_BPT);
    lop_exit(l, in);
}

void lop_nop(lower *l, const ptx_inst *in)
{
    (void)l;
    (void)in;
}

void lop_brx(lower *l, const ptx_inst *in)
{
    lo_skip skip = lo_skip_begin(l);
    const ptx_table *t = in->ops[1].table;
    cg_src index = lo_src(l, &in->ops[0], PTX_TYPE_U32);
    uint32_t at = cg_constant_table(l->b.f, 4 * t->count);
    cg_src scaled = cb_shl(&l->b, index, cg_imm(2)), to;
    cg_inst *br;

    scaled.val = at;
    to = cb_op(&l->b, ISA_LDC, scaled, cb_none(), cb_none());
    cb_last(&l->b)->lut = CBANK_CODE;
    to.val = at;
    br = cb_to(&l->b, ISA_BRX, (cg_dst){0}, to, cb_none(), cb_none());
    br->table_size = t->count;
    br->table = ARENA_ARRAY(l->b.f->mem, cg_block *, t->count);
    for (uint32_t i = 0; i < t->count; i++)
        br->table[i] = block_of(l, t->labels[i]);
    dead_end(l);
    lo_skip_end(l, skip);
}

/* ---- bodies ------------------------------------------------------------ */

/* The first .loc of a function, file 0 if it has none. */
static ptx_source first_source(const ptx_func *fn)
{
    for (uint32_t i = 0; i < fn->ninsts; i++)
        if (fn->insts[i].source.file && fn->insts[i].source.line)
            return fn->insts[i].source;
    return (ptx_source){0};
}

/* The source line of `in`. What precedes the first .loc belongs to it; line 0
 * is no line, so the one before goes on, and a function without .loc inlined
 * into one with counts for the call. */
static void find_line(lower *l, const ptx_inst *in)
{
    ptx_source at = in->source;

    if (!at.file)
        at = l->fr->first;
    if (at.file && at.line)
        l->b.line = cu_line(l->u, at.file, at.line);
    else if (!at.file && !l->located)
        l->b.line = cu_line(l->u, 0, in->place.line);
}

void lo_body(lower *l)
{
    const ptx_func *fn = l->fr->fn;

    l->fr->first = first_source(fn);

    for (uint32_t i = 0; i < fn->ninsts; i++) {
        const ptx_inst *in = &fn->insts[i];
        lo_fn *fun = lo_table[in->op];

        if (l->fr->block[i])
            cb_enter(&l->b, l->fr->block[i]);
        l->in = in;
        find_line(l, in);
        l->b.guard = (cg_pred){0};
        if (in->guarded)
            l->b.guard = (cg_pred){lo_reg(l, in->guard), in->guard_negated};
        if (fun)
            fun(l, in);
        else
            lo_unsupported(l, refusals[in->op]);
        l->b.guard = (cg_pred){0};
    }
    if (l->fr->block[fn->ninsts])
        cb_enter(&l->b, l->fr->block[fn->ninsts]);
}

/* ---- the kernel -------------------------------------------------------- */

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
        o->reg == PTX_NO_REG && !o->var->unsized &&
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

uint32_t lo_shared_offset(lower *l, const ptx_var *v)
{
    uint64_t at;

    if (v->unsized) { /* dynamic: behind all the others */
        l->dynamic_shared = true;
        return (uint32_t)bits_align_up(l->shared_bytes, 16);
    }
    if (map_get(l->shared_at, (uintptr_t)v, &at))
        return (uint32_t)at;
    at = bits_align_up(l->shared_bytes, v->align ? v->align : 1);
    if (at + v->size > UINT32_MAX / 2) {
        cu_error(l->u, v->place, 1, "'%s' is too large", v->name);
        return 0;
    }
    map_put(l->shared_at, (uintptr_t)v, at);
    l->shared_bytes = (uint32_t)(at + v->size);
    return (uint32_t)at;
}

static uint32_t product(const uint32_t v[3])
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
    k->max_threads = product(fn->maxntid);
    l->located = first_source(fn).file != 0;
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

cg_func *lo_part_new(lower *l, const ptx_func *fn, const char *name)
{
    lo_parts *p = l->parts;
    cg_func *f;

    if (p->n == p->room) {
        uint32_t room = p->room ? 2 * p->room : 16;
        lo_part *more = ARENA_ARRAY(l->b.f->mem, lo_part, room);

        if (p->n)
            memcpy(more, p->part, p->n * sizeof *more);
        p->part = more;
        p->room = room;
    }
    f = cg_func_new(l->b.f->mem, l->b.f->opt, name);
    f->const_slots = l->b.f->const_slots;
    f->pool = l->b.f->pool;
    f->frame_align = l->u->frame_align;
    f->is_function = true;
    p->part[p->n++] = (lo_part){fn, f, NULL};
    return f;
}

/* Blocks end up where they are entered; every block that a label made but
 * nothing entered is appended by cb_enter, so the list is complete. */
void lower_kernel(cg_unit *u, const ptx_func *fn, cg_func *f, isa_kernel *k,
                  lo_parts *parts)
{
    lower l = {.u = u, .kernel = fn, .b = {.f = f}, .parts = parts};
    map *seen = map_new();

    l.shared_at = map_new();
    MUST(seen && l.shared_at);
    kernel_header(&l, k);
    kernel_params(&l, k);
    find_shared(&l, fn, seen);
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
    if (l.dynamic_shared)
        k->shared_bytes = (uint32_t)bits_align_up(l.shared_bytes, 16);
    map_free(seen);
    map_free(l.shared_at);
}
