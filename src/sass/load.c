/* src/sass/load.c - the program, kernel by kernel. */
#include "sass/load.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sass/load_parts.h"
#include "sass/translate.h"

enum {
    PARAM_BASE_70 = 0x160, /* where there are no parameters that say so */
    PARAM_BASE_90 = 0x210,
    RESERVED_90 = 1024, /* of shared memory, by the system, from sm_90 on */
    ALIGN_MOST = 16,
};

bool load_fail(const load *l, const char *fmt, ...)
{
    strbuf text = {0};
    va_list ap;

    va_start(ap, fmt);
    strbuf_vprintf(&text, fmt, ap);
    va_end(ap);
    diag_add(l->dg, DIAG_ERROR, l->c->file, 0, 0, 0, "%s", text.text);
    strbuf_fini(&text);
    return false;
}

/* ---- The file ---- */

bool sass_runs(unsigned capability)
{
    return capability >= 70 && capability <= 90;
}

static bool check_file(const load *l, isa_arch *arch)
{
    const cubin *c = l->c;

    if (!sass_runs(c->sm))
        return load_fail(l,
                         "this is machine code of sm_%u, but Heddle runs "
                         "that of sm_70 to sm_90: compile for one of these, "
                         "or to PTX",
                         c->sm);
    *arch = sass_arch(c->sm);
    if (c->elf_type != CUBIN_LINKED)
        return load_fail(l,
                         "this is an object that has to be linked first: "
                         "nvlink -arch=sm_%u, or compile without -rdc=true",
                         c->sm);
    if (l->opt->capability && c->sm > l->opt->capability)
        return load_fail(l,
                         "the code is for sm_%u, but the GPU '%s' has "
                         "compute capability %u.%u: choose another with "
                         "--gpu",
                         c->sm, l->opt->gpu ? l->opt->gpu : "?",
                         l->opt->capability / 10, l->opt->capability % 10);
    return true;
}

/* ---- Kernels ---- */

static uint32_t align_of(uint32_t offset)
{
    uint32_t lowest = offset & -offset;

    return lowest && lowest < ALIGN_MOST ? lowest : ALIGN_MOST;
}

static bool take_params(load *l, const cubin_function *f, isa_kernel *k,
                        strbuf *why)
{
    bool old = l->c->sm < 90;

    k->bank0 = old ? BANK0_SM70 : BANK0_SM90;
    k->param_base = f->param_base;
    if (!k->param_base)
        k->param_base = old ? PARAM_BASE_70 : PARAM_BASE_90;
    k->param_bytes = f->param_bytes;
    k->param_count = f->param_count;
    k->params = ARENA_ARRAY(l->p->mem, isa_param, f->param_count + 1);
    for (uint32_t i = 0; i < f->param_count; i++) {
        const cubin_param *from = &f->params[i];

        if ((uint64_t)from->offset + from->size > k->param_bytes) {
            strbuf_printf(why, "its parameter %u lies outside of the others",
                          i);
            return false;
        }
        k->params[i] = (isa_param){
            .name = arena_printf(l->p->mem, "param_%u", i),
            .kind = from->size <= 8 && !(from->size & (from->size - 1))
                        ? PARAM_INT
                        : PARAM_BYTES,
            .size = from->size,
            .align = align_of(from->offset),
            .offset = from->offset};
    }
    return true;
}

/* Textures and surfaces that code names are patched into bank 0. */
static bool check_bank0(const load *l, const cubin_function *f, strbuf *why)
{
    uint32_t count;
    const cubin_reloc *r = cubin_relocs_of(l->c, f->constant0, &count);

    if (!f->constant0 || !count)
        return true;
    strbuf_printf(why,
                  "it reads the texture or surface '%s' by name, which Heddle "
                  "has for PTX alone",
                  l->c->symbols[r->symbol].name);
    return false;
}

static bool take_constants(load *l, const cubin_function *f, isa_kernel *k,
                           strbuf *why)
{
    const cubin_section *s = &l->c->sections[f->constant2];
    uint32_t count;

    if (!f->constant2 || !s->bytes)
        return true;
    cubin_relocs_of(l->c, f->constant2, &count);
    if (count || s->size > CBANK_BYTES) {
        strbuf_printf(why, "section '%s' %s", s->name,
                      count ? "has addresses, which Heddle does not know"
                            : "is larger than a constant bank");
        return false;
    }
    k->constant_bytes = (uint32_t)s->size;
    k->constants = arena_alloc(l->p->mem, s->size + 1);
    memcpy(k->constants, s->bytes, s->size);
    return true;
}

static bool take_shared(const load *l, const cubin_function *f, isa_kernel *k,
                        strbuf *why)
{
    uint64_t size = f->shared ? l->c->sections[f->shared].size : 0;

    k->shared_reserved = l->c->sm < 90 ? 0 : RESERVED_90;
    if (size > UINT32_MAX / 2) {
        strbuf_puts(why, "its shared memory is larger than any GPU's");
        return false;
    }
    k->shared_bytes =
        (uint32_t)(size > k->shared_reserved ? size - k->shared_reserved : 0);
    return true;
}

static uint32_t product(const uint32_t of[3])
{
    uint64_t all = (uint64_t)of[0] * of[1];

    all = all > UINT32_MAX ? UINT32_MAX : all * of[2];
    return all > UINT32_MAX ? UINT32_MAX : (uint32_t)all;
}

static void take_limits(const cubin_function *f, isa_kernel *k)
{
    k->max_threads = product(f->max_threads);
    memcpy(k->req_threads, f->req_threads, sizeof k->req_threads);
    memcpy(k->req_cga, f->req_cga, sizeof k->req_cga);
    k->max_cga = f->max_cga;
    k->explicit_cga = f->explicit_cga;
}

static bool take_kernel(load *l, const cubin_function *f, isa_kernel *k,
                        strbuf *why)
{
    *k = (isa_kernel){.name = arena_strdup(l->p->mem, f->name)};
    take_limits(f, k);
    return take_params(l, f, k, why) && check_bank0(l, f, why) &&
           take_constants(l, f, k, why) && take_shared(l, f, k, why) &&
           load_code(l, f, k, why);
}

/* What cannot run is an error, or a warning where the rest is enough. */
static void leave_out(load *l, const cubin_function *f, const strbuf *why)
{
    isa_program *p = l->p;

    p->missing[p->missing_count] = arena_strdup(p->mem, f->name);
    p->missing_why[p->missing_count++] =
        arena_strdup(p->mem, why->text ? why->text : "");
    diag_add(l->dg, l->opt->partial ? DIAG_WARNING : DIAG_ERROR, l->c->file, 0,
             0, 0, "kernel '%s' cannot run: %s%s", f->name,
             why->text ? why->text : "",
             l->opt->partial ? "; it is left out" : "");
}

static bool take_kernels(load *l)
{
    isa_program *p = l->p;
    bool good = true;

    p->kernels = ARENA_ARRAY(p->mem, isa_kernel, l->c->function_count + 1);
    p->missing = ARENA_ARRAY(p->mem, const char *, l->c->function_count + 1);
    p->missing_why =
        ARENA_ARRAY(p->mem, const char *, l->c->function_count + 1);
    for (uint32_t i = 0; i < l->c->function_count; i++) {
        strbuf why = {0};

        if (!l->c->functions[i].entry)
            continue;
        if (take_kernel(l, &l->c->functions[i], &p->kernels[p->kernel_count],
                        &why)) {
            p->kernel_count++;
        } else {
            leave_out(l, &l->c->functions[i], &why);
            good = l->opt->partial;
        }
        strbuf_fini(&why);
    }
    return good;
}

/* ---- All of it ---- */

static void take_files(load *l)
{
    isa_program *p = l->p;

    p->file_count = l->c->file_count;
    p->files = ARENA_ARRAY(p->mem, const char *, p->file_count + 1);
    for (uint32_t i = 0; i < p->file_count; i++)
        p->files[i] = arena_strdup(p->mem, l->c->files[i]);
    isa_program_files(p);
}

/* Addresses of functions are for the kernels that call them. */
static void drop_function_relocs(isa_program *p)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < p->reloc_count; i++)
        if (p->relocs[i].target_kernel < 0)
            p->relocs[kept++] = p->relocs[i];
    p->reloc_count = kept;
}

static bool check_program(const load *l)
{
    strbuf why = {0};
    bool good = isa_program_check(l->p, &why);

    if (!good)
        load_fail(l,
                  "the machine code is not in order: %s; make it again with "
                  "nvcc or ptxas",
                  why.text);
    strbuf_fini(&why);
    return good;
}

static bool load_all(load *l)
{
    isa_arch arch = ARCH_VOLTA;

    if (!check_file(l, &arch))
        return false;
    l->p->arch = arch;
    if (!load_layout(l) || !load_data(l) || !take_kernels(l))
        return false;
    take_files(l);
    if (!l->p->kernel_count)
        drop_function_relocs(l->p);
    return check_program(l);
}

status sass_load(const char *file, const void *data, size_t size,
                 const sass_load_options *opt, diag *dg, isa_program **out)
{
    arena *mem = arena_new();
    cubin *c;
    status st = cubin_read(file, data, size, mem, dg, &c);

    if (st == ST_OK) {
        load l = {.c = c,
                  .opt = opt,
                  .p = isa_program_new(ARCH_VOLTA),
                  .dg = dg,
                  .slots = map_new(),
                  .code_left = SASS_CODE_MOST};

        if (load_all(&l)) {
            *out = l.p;
        } else {
            isa_program_free(l.p);
            st = ST_PROGRAM;
        }
        map_free(l.slots);
    }
    arena_free(mem);
    return st;
}
