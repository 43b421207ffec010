#include "codegen/codegen.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "codegen/dump.h"
#include "codegen/flow/wait.h"
#include "codegen/ir/frame.h"
#include "codegen/ir/pass.h"
#include "codegen/lower/lower.h"

static unsigned register_limit(const cg_unit *u, const ptx_func *fn)
{
    unsigned limit = cg_register_limit(u->opt->arch);

    if (u->opt->max_registers && u->opt->max_registers < limit)
        limit = u->opt->max_registers;
    if (fn->maxnreg && fn->maxnreg < limit)
        limit = fn->maxnreg;
    return limit;
}

/* That threads begin with if they change it: as far as ptxas 13.0 takes that to
 * be known [PTXAS13]; 0: not. */
static unsigned launch_registers(const cg_unit *u, const ptx_func *fn)
{
    enum { UNIT = 8 }; /* [PTX85:setmaxnreg] */
    unsigned most = cg_register_limit(u->opt->arch);
    unsigned limit = register_limit(u, fn), fit = 0;
    const uint32_t *dim = fn->reqntid[0] ? fn->reqntid : fn->maxntid;
    uint64_t threads = dim[0];

    for (unsigned i = 1; i < 3; i++)
        threads *= dim[i] ? dim[i] : 1;
    if (threads && fn->minnctapersm)
        fit = (unsigned)(u->opt->sm_registers /
                         (bits_align_up(threads, ISA_WARP) * fn->minnctapersm) /
                         UNIT * UNIT);
    if (fit)
        return fit < limit ? fit : limit;
    return limit < most ? limit : 0;
}

static void simplify(cg_func *f)
{
    cg_simplify(f);
    cg_dump_after(f, CG_PASS_simplify);
}

static void schedule_function(cg_func *f, bool allocated, unsigned limit)
{
    cg_schedule(f, allocated, limit);
    cg_dump_after(f, CG_PASS_schedule);
}

/* What is made of the operations before they get registers. */
static void transform(cg_func *f)
{
    const cg_options *o = f->opt;

    cg_clean_cfg(f);
    cg_dump_after(f, CG_PASS_clean_cfg);
    if (o->optimise)
        simplify(f);
    cg_expand(f);
    cg_dump_after(f, CG_PASS_expand);
    if (o->arch >= ARCH_VOLTA) {
        cg_replace_absent(f);
        cg_dump_after(f, CG_PASS_replace_absent);
    }
    if (o->optimise) {
        simplify(f);
        cg_retarget(f);
        cg_dump_after(f, CG_PASS_retarget);
        cg_mark_uniform(f);
        cg_convert_branches(f);
        cg_dump_after(f, CG_PASS_convert_branches);
        simplify(f);
        if (cg_widen(f)) {
            cg_dump_after(f, CG_PASS_widen);
            simplify(f);
        }
        while (cg_drop_unread(f))
            cg_eliminate(f);
        cg_dump_after(f, CG_PASS_drop_unread);
    }
    cg_prepare_waits(f);
    cg_dump_after(f, CG_PASS_prepare_waits);
    cg_mark_uniform(f);
    cg_dump_after(f, CG_PASS_mark_uniform);
    cg_reconverge(f);
    cg_dump_after(f, CG_PASS_reconverge);
    if (o->uniform && o->optimise) {
        cg_use_uniform(f);
        cg_dump_after(f, CG_PASS_use_uniform);
    }
    cg_legalise(f);
    cg_dump_after(f, CG_PASS_legalise);
    if (f->is_function && o->arch >= ARCH_VOLTA) {
        cg_keep_barriers(f);
        cg_dump_after(f, CG_PASS_keep_barriers);
    }
}

/* All is in order. */
static void drop_orders(cg_func *f)
{
    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH_SAFE(in, f->blocks[i])
        {
            if (in->op == CG_ORDER)
                cg_remove(in);
        }
}

/* From lowered to final operations, with at most `limit` registers. */
static bool compile_func(cg_func *f, unsigned limit)
{
    bool ordered = f->opt->schedule;

    cg_dump_after(f, CG_PASS_lower);
    transform(f);
    limit = cg_find_regions(f, limit);
    cg_find_depths(f);
    if (ordered)
        schedule_function(f, false, limit);
    if (!cg_allocate(f, limit))
        return false;
    cg_dump_after(f, CG_PASS_allocate);
    cg_frame(f);
    cg_dump_after(f, CG_PASS_frame);
    if (f->opt->optimise) {
        cg_balance(f);
        cg_dump_after(f, CG_PASS_balance);
    }
    if (ordered)
        schedule_function(f, true, 0);
    drop_orders(f);
    return true;
}

/* Callees first: their callers need the set of registers that they write. NULL,
 * or the function that does not fit into the registers. */
static const ptx_func *compile_parts(const lo_parts *p, unsigned limit)
{
    uint32_t *order = ARENA_ARRAY(p->part[0].f->mem, uint32_t, p->n);
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n; i++)
        p->part[i].f->number = i;
    for (uint32_t i = 0; i < p->n; i++)
        n = cg_callees_first(p->part[i].f, order, n);
    for (uint32_t i = 0; i < n; i++)
        if (!compile_func(p->part[order[i]].f, limit))
            return p->part[order[i]].fn;
    return NULL;
}

static void fill_handles(const cg_unit *u, const lo_parts *p)
{
    uint8_t *table;

    if (!p->has_table)
        return;
    table = p->part[0].f->pool->bytes + p->table;
    for (uint32_t i = 0; i <= u->nhandles; i++) {
        uint32_t start = UINT32_MAX;
        uint64_t at;

        if (i && map_get(p->of, (uintptr_t)u->handles[i - 1], &at))
            start = ((const cg_func *)(uintptr_t)at)->start;
        memcpy(table + 4 * i, &start, 4);
    }
}

static void finish_kernel(cg_unit *u, const lo_parts *p, isa_kernel *k)
{
    cg_func **f = ARENA_ARRAY(p->part[0].f->mem, cg_func *, p->n);
    const cg_pool *pool;
    uint32_t n = 0;
    bool open;

    for (uint32_t i = 0; i < p->n; i++)
        f[i] = p->part[i].f;
    pool = f[0]->pool;
    k->local_bytes = cg_stack_need(f, p->n, &open);
    k->open_stack = open;
    for (uint32_t i = 0; i < p->n; i++) {
        p->part[i].f->start = UINT32_MAX; /* not there */
        if (cg_is_reached(p->part[i].f))
            f[n++] = p->part[i].f;
    }
    cg_emit(f, n, u->p->mem, k);
    k->launch_registers = p->part[0].f->launch_registers;
    fill_handles(u, p);
    k->constant_bytes = pool->count;
    k->constants = arena_alloc(u->p->mem, pool->count + 1);
    if (pool->count)
        memcpy(k->constants, pool->bytes, pool->count);
    cu_place_lines(u, k);
}

/* What is called may need more registers than are left at its calls. */
static void keep_registers(cg_unit *u, const ptx_func *fn, cg_func *f)
{
    bool any = false;

    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH_SAFE(in, f->blocks[i])
        {
            if (in->op != ISA_USETMAXREG)
                continue;
            any = true;
            cg_remove(in);
        }
    if (any)
        diag_add(u->dg, DIAG_WARNING, u->m->file, fn->place.line,
                 fn->place.column, 1,
                 "setmaxnreg does nothing in '%s', which calls functions",
                 fn->name);
}

static void compile_kernel(cg_unit *u, const ptx_func *fn, isa_kernel *k)
{
    arena *a = arena_new();
    lo_part self = {.fn = fn};
    lo_parts parts = {.part = &self, .n = 1, .room = 1, .of = map_new()};
    const ptx_func *failed;
    unsigned limit = register_limit(u, fn);

    self.f = cg_func_new(a, u->opt, fn->name);
    self.f->const_slots = u->const_slots;
    self.f->frame_align = u->frame_align;
    self.f->launch_registers = launch_registers(u, fn);
    lower_kernel(u, fn, self.f, k, &parts);
    if (self.f->has_calls)
        keep_registers(u, fn, self.f);
    if (self.f->has_calls && limit < ABI_REGISTERS) {
        diag_add(u->dg, DIAG_WARNING, u->m->file, fn->place.line,
                 fn->place.column, 1,
                 "'%s' calls functions, which takes %u registers, not %u",
                 fn->name, (unsigned)ABI_REGISTERS, limit);
        limit = ABI_REGISTERS;
    }
    if (!u->failed && (u->opt->partial || !u->broken)) {
        failed = compile_parts(&parts, limit);
        if (failed)
            cu_error(u, failed->place, 1,
                     "'%s' does not fit into %u registers, not even with "
                     "spilling",
                     failed->name, limit);
        else
            finish_kernel(u, &parts, k);
    }
    map_free(parts.of);
    arena_free(a);
}

static void compile_kernels(cg_unit *u)
{
    isa_program *p = u->p;

    p->kernels = ARENA_ARRAY(p->mem, isa_kernel, u->m->nfuncs + 1);
    p->missing = ARENA_ARRAY(p->mem, const char *, u->m->nfuncs + 1);
    for (uint32_t i = 0; i < u->m->nfuncs; i++) {
        const ptx_func *fn = u->m->funcs[i];

        if (!fn->entry || !fn->has_body || fn->skipped)
            continue;
        if (u->opt->only && strcmp(u->opt->only, fn->name))
            continue;
        isa_kernel *k = &p->kernels[p->kernel_count];
        u->failed = false;
        compile_kernel(u, fn, k);
        if (u->failed) {
            *k = (isa_kernel){0};
            p->missing[p->missing_count++] = arena_strdup(p->mem, fn->name);
        } else {
            p->kernel_count++;
        }
    }
}

static void finish_program(cg_unit *u)
{
    isa_program *p = u->p;

    p->vars = u->vars;
    p->var_count = u->nvars;
    p->relocs = u->relocs;
    p->reloc_count = u->nrelocs;
    p->user_const_bytes = u->const_bytes;
    p->symbol_const_bytes = u->symbol_bytes;
    isa_program_files(p);
}

/* All messages. True if there is a program: no errors, or only in kernels that
 * may be left out. */
static bool report_messages(const cg_unit *u, diag *dg)
{
    bool some = u->opt->need_all ? !u->p->missing_count : u->p->kernel_count;
    bool good = !u->broken || (u->opt->partial && some);

    for (uint32_t i = 0; i < u->nmessages; i++) {
        const cu_message *m = &u->messages[i];

        diag_add(dg, good ? DIAG_WARNING : DIAG_ERROR, u->m->file, m->at.line,
                 m->at.column, m->length, "%s", m->text);
    }
    for (uint32_t i = 0; good && i < u->p->missing_count; i++)
        diag_add(dg, DIAG_WARNING, u->m->file, 0, 0, 0,
                 "kernel '%s' is left out, for what is said above",
                 u->p->missing[i]);
    return good;
}

bool cg_is_service(const char *name) { return lower_is_service(name); }

status cg_compile(const ptx_module *m, const cg_options *opt, diag *dg,
                  isa_program **out)
{
    cg_unit u = {.m = m, .opt = opt, .dg = dg};
    status st = ST_NOMEM;

    u.p = isa_program_new(opt->arch);
    u.symbols = map_new();
    u.reported = map_new();
    u.slots = map_new();
    u.const_slots = map_new();
    u.lines = map_new();
    u.files = map_new();
    u.paths = strmap_new();
    if (!u.p || !u.symbols || !u.reported || !u.slots || !u.const_slots ||
        !u.lines || !u.files || !u.paths)
        goto done;
    cu_find_calls(&u);
    cu_layout(&u);
    compile_kernels(&u);
    st = ST_PROGRAM;
    if (!report_messages(&u, dg))
        goto done;
    finish_program(&u);
    *out = u.p;
    u.p = NULL;
    st = ST_OK;
done:
    map_free(u.symbols);
    map_free(u.reported);
    map_free(u.slots);
    map_free(u.const_slots);
    map_free(u.lines);
    map_free(u.files);
    strmap_free(u.paths);
    free(u.places);
    isa_program_free(u.p);
    return st;
}
