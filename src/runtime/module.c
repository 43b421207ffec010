#include <stdlib.h>
#include <string.h>

#include "asm/asm.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/kind.h"
#include "base/must.h"
#include "base/suggest.h"
#include "codegen/codegen.h"
#include "codegen/schedule/ctl.h"
#include "fatbin/fatbin.h"
#include "isa/object.h"
#include "ptx/link.h"
#include "ptx/ptx.h"
#include "runtime/image.h"
#include "runtime/internal.h"
#include "sass/assemble.h"
#include "sass/cubin_write.h"
#include "sass/load.h"
#include "sm/hazard/hazard.h"

/* ---- Compiling ---- */

static bool has_suffix(const char *path, const char *suffix)
{
    size_t n = strlen(path), k = strlen(suffix);

    return n >= k && !strcmp(path + n - k, suffix);
}

/* PTX begins with .version, behind comments only. */
static bool begins_ptx(const char *at, const char *end)
{
    return end - at >= 8 && !memcmp(at, ".version", 8);
}

/* Should it be parsed as code? Yes if it begins with a directive, or if its
 * file name says so and it does not look like something else: it may have an
 * error on its first line. */
static bool is_code(const char *path, const char *text, size_t size,
                    const char *wanted, diag *dg)
{
    const char *at = file_first_word(text, size);
    bool named = has_suffix(path, ".ptx") || has_suffix(path, ".sass");
    file_kind k;

    if (at < text + size && *at == '.')
        return true;
    k = file_kind_of(path, text, size);
    if (named && (k == FILE_TEXT || k == FILE_PTX || k == FILE_ASSEMBLY))
        return true;
    file_kind_refuse(path, k, wanted, dg);
    return false;
}

bool rt_is_assembly(const char *path, const char *text, size_t size, diag *dg)
{
    if (begins_ptx(file_first_word(text, size), text + size))
        file_kind_refuse(path, FILE_PTX, "assembly", dg);
    else
        return is_code(path, text, size, "assembly", dg);
    return false;
}

bool rt_is_kernel(const char *path, const char *text, size_t size, diag *dg)
{
    return object_file_is(text, size) || cubin_is(text, size) ||
           is_code(path, text, size, "kernel (PTX, assembly or cubin)", dg);
}

status rt_compile_tree(const config *cfg, const rt_options *how,
                       const ptx_module *tree, const char *only, diag *dg,
                       isa_program **out)
{
    cg_options opt = cg_options_of(cfg);
    unsigned limit = cfg->sm.registers_per_thread;

    opt.max_registers = how->max_registers && how->max_registers < limit
                            ? how->max_registers
                            : limit;
    opt.no_r0 = sm_hazard_lacks_r0(cfg);
    opt.partial = how->partial;
    opt.need_all = how->kernels != NULL;
    opt.dump = how->dump;
    opt.only = only;
    return cg_compile(tree, &opt, dg, out);
}

void rt_limit_registers(rt_options *how, unsigned most)
{
    if (most && (!how->max_registers || most < how->max_registers))
        how->max_registers = most;
}

static status refuse_dump(const char *path, diag *dg)
{
    diag_add(dg, DIAG_ERROR, path, 0, 0, 0,
             "this is machine code, which goes through no pass of the "
             "compiler: give PTX");
    return ST_PROGRAM;
}

static status load_cubin(const config *cfg, const rt_options *how,
                         const char *path, const char *text, size_t size,
                         diag *dg, isa_program **out)
{
    const sass_load_options opt = {.capability = cfg->gpu.capability,
                                   .gpu = cfg->gpu.name,
                                   .partial = how->partial};

    return sass_load(path, text, size, &opt, dg, out);
}

status rt_assemble_sass(const char *path, const char *text, size_t size,
                        diag *dg, strbuf *out)
{
    arena *mem = arena_new();
    cubin *c = NULL;
    status st = sass_assemble(path, text, size, cg_control_code, mem, dg, &c);

    if (st == ST_OK)
        cubin_write(c, out);
    arena_free(mem);
    return st;
}

static status load_sass_source(const config *cfg, const rt_options *how,
                               const char *path, const char *text, size_t size,
                               diag *dg, isa_program **out)
{
    strbuf file = {0};
    status st = rt_assemble_sass(path, text, size, dg, &file);

    if (st == ST_OK)
        st = load_cubin(cfg, how, path, file.text, file.size, dg, out);
    strbuf_fini(&file);
    return st;
}

static status compile_program(const config *cfg, const rt_options *how,
                              const char *path, const char *text, size_t size,
                              diag *dg, isa_program **out);

/* Of code for several GPUs what a driver takes: machine code, else PTX. */
static status choose_image(const config *cfg, const rt_options *how,
                           const fatbin *f, diag *dg,
                           const fatbin_image **image)
{
    unsigned capability = cfg->gpu.capability;
    diag *unsaid = diag_new();

    *image = NULL;
    if (sass_runs(capability) && !how->dump && !how->max_registers)
        fatbin_choose_machine_code(f, 0, capability, unsaid, image);
    diag_free(unsaid);
    return *image ? ST_OK : fatbin_choose(f, 0, capability, dg, image);
}

static status compile_fatbin(const config *cfg, const rt_options *how,
                             const char *path, const char *text, size_t size,
                             diag *dg, isa_program **out)
{
    const fatbin_image *image = NULL;
    char *data = NULL;
    size_t bytes;
    fatbin *f;
    status st = fatbin_open(path, text, size, dg, &f);

    if (st != ST_OK)
        return st;
    if (fatbin_part_count(f) != 1) {
        diag_add(dg, DIAG_ERROR, path, 0, 0, 0,
                 "it has %zu parts, and one can be run: link them first (nvcc "
                 "-dlink), or run the program with heddle exec",
                 fatbin_part_count(f));
        st = ST_PROGRAM;
    }
    if (st == ST_OK)
        st = choose_image(cfg, how, f, dg, &image);
    if (st == ST_OK)
        st = fatbin_unpack(f, image, dg, &data, &bytes);
    if (st == ST_OK)
        st = compile_program(cfg, how, path, data, bytes, dg, out);
    free(data);
    fatbin_free(f);
    return st;
}

static status compile_program(const config *cfg, const rt_options *how,
                              const char *path, const char *text, size_t size,
                              diag *dg, isa_program **out)
{
    status st;

    if (fatbin_is(text, size))
        return compile_fatbin(cfg, how, path, text, size, dg, out);
    diag_source(dg, path, text, size);
    if (object_file_is(text, size))
        st = how->dump ? refuse_dump(path, dg)
                       : object_read(path, text, size, dg, out);
    else if (cubin_is(text, size))
        st = how->dump ? refuse_dump(path, dg)
                       : load_cubin(cfg, how, path, text, size, dg, out);
    else if (sass_is_source(text, size))
        st = how->dump ? refuse_dump(path, dg)
                       : load_sass_source(cfg, how, path, text, size, dg, out);
    else if (!rt_is_kernel(path, text, size, dg))
        st = ST_PROGRAM;
    else if (has_suffix(path, ".ptx") ||
             begins_ptx(file_first_word(text, size), text + size))
        return rt_compile_ptx(cfg, how, path, text, size, dg, out);
    else if (how->dump)
        st = refuse_dump(path, dg);
    else
        st = asm_parse(path, text, size, dg, out);
    if (st == ST_OK && (*out)->arch != cg_arch_of(cfg)) {
        diag_add(
            dg, DIAG_ERROR, path, 0, 0, 0,
            "the code is for %s, but the GPU '%s' runs that for %s: choose "
            "another with --gpu",
            isa_arch_names[(*out)->arch], cfg->gpu.name,
            isa_arch_names[cg_arch_of(cfg)]);
        isa_program_free(*out);
        *out = NULL;
        return ST_PROGRAM;
    }
    return st;
}

/* Its place among the missing ones; behind their end: it is none. */
static uint32_t find_missing(const isa_program *p, const char *name)
{
    uint32_t i = 0;

    while (i < p->missing_count && (!name || !isa_name_is(p->missing[i], name)))
        i++;
    return i;
}

static void report_no_kernel(const isa_program *p, const char *name, diag *dg)
{
    const char **all = new0(p->kernel_count + 1, sizeof *all), *near = NULL;
    strbuf names = {0};
    const char *comma = "";
    uint32_t missing = find_missing(p, name);

    for (uint32_t i = 0; i < p->kernel_count; i++, comma = ", ") {
        all[i] = p->kernels[i].name;
        strbuf_printf(&names, "%s%s", comma, all[i]);
    }
    if (name && p->kernel_count > 1)
        near = suggest_nearest(name, all, p->kernel_count);
    for (uint32_t i = 0; !name && i < p->missing_count; i++, comma = ", ")
        strbuf_printf(&names, "%s%s", comma, p->missing[i]);
    if (missing < p->missing_count && p->missing_why)
        diag_error(dg, "kernel '%s' cannot run: %s", name,
                   p->missing_why[missing]);
    else if (missing < p->missing_count)
        diag_error(dg, "kernel '%s' cannot be compiled", name);
    else if (!p->kernel_count)
        diag_error(dg, "the program has no kernel");
    else if (name)
        diag_error(dg, "no kernel '%s' in the program; it has: %s%s%s%s", name,
                   names.text, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
    else
        diag_error(dg, "the program has several kernels, name one of: %s",
                   names.text);
    strbuf_fini(&names);
    free(all);
}

status rt_compile(const config *cfg, const rt_options *how, const char *path,
                  const char *text, size_t size, diag *dg, isa_program **out)
{
    isa_program *p;
    status st = compile_program(cfg, how, path, text, size, dg, &p);

    if (st != ST_OK)
        return st;
    for (unsigned i = 0; how->kernels && how->kernels[i]; i++)
        if (!isa_program_kernel_by_name(p, how->kernels[i])) {
            report_no_kernel(p, how->kernels[i], dg);
            st = ST_PROGRAM;
        }
    if (st == ST_OK)
        *out = p;
    else
        isa_program_free(p);
    return st;
}

/* ---- Loading ---- */

/* Variables that it has from the module that it is a part of. */
static uint32_t shared_variables(const rt_module *m)
{
    return m->whole ? m->whole->program->var_count : 0;
}

/* The variable of the module beside it that is the same as `i`. Names with '$'
 * are the compiler's own. */
static const isa_var *same_variable(const rt_module *m, uint32_t i,
                                    uint32_t *at)
{
    const isa_var *v = &m->program->vars[i];
    const isa_program *p = m->beside ? m->beside->program : NULL;

    if (!p || strchr(v->name, '$'))
        return NULL;
    for (*at = 0; *at < p->var_count; ++*at)
        if (p->vars[*at].space == v->space && p->vars[*at].size == v->size &&
            !strcmp(p->vars[*at].name, v->name))
            return &p->vars[*at];
    return NULL;
}

/* Is its memory that of the module beside? */
static bool is_borrowed(const rt_module *m, uint32_t i)
{
    uint32_t at;

    return m->program->vars[i].space == SPACE_GLOBAL &&
           same_variable(m, i, &at);
}

/* What place_variables made. */
static void release_variables(rt_module *m)
{
    const isa_program *p = m->program;
    rt_memory *in = m->device->memory;

    for (uint32_t i = shared_variables(m); i < p->var_count; i++) {
        if (p->vars[i].space == SPACE_GLOBAL && m->addr[i] &&
            !is_borrowed(m, i))
            rt_release(in, m->addr[i]);
        if (m->own_sampler[i])
            rt_sampler_release(in, m->own_sampler[i]);
    }
    if (m->user_copy && !m->whole)
        rt_release(in, m->user_copy);
}

/* All but the program. */
static void module_free(rt_module *m)
{
    free(m->services);
    free(m->addr);
    free(m->own_sampler);
    if (!m->whole)
        free(m->user);
    free(m->symbol);
    free(m->made_for);
    free(m);
}

static void leave_whole(rt_module *m)
{
    rt_module **at = m->whole ? &m->whole->parts : NULL;

    while (at && *at != m)
        at = &(*at)->next_part;
    if (at)
        *at = m->next_part;
}

void rt_module_unload(rt_module *m)
{
    rt_memory *in;

    if (!m)
        return;
    in = m->device->memory;
    while (m->parts)
        rt_module_unload(m->parts);
    leave_whole(m);
    rt_source_free(m->source);
    release_variables(m);
    rt_lock(in);
    if (m->next)
        m->next->previous = m->previous;
    if (m->previous)
        m->previous->next = m->next;
    else
        m->device->modules = m->next;
    rt_unlock(in);
    isa_program_free(m->program);
    module_free(m);
}

/* A sampler has the modes of its initial value; textures and surfaces are
 * invalid until something is bound to them. */
static uint64_t initial_handle(rt_module *m, uint32_t var)
{
    const uint8_t *init = m->program->vars[var].init;
    tex_sampler s = tex_literal(0);

    if (init[HANDLE_KIND] != HANDLE_SAMPLER)
        return 0;
    s.linear = init[HANDLE_LINEAR];
    s.normalised = !init[HANDLE_UNNORMALISED];
    for (unsigned i = 0; i < 3; i++)
        s.address[i] = init[HANDLE_ADDRESS + i] % TEX_ADDRESSES;
    m->own_sampler[var] = rt_sampling_new(m->device->memory, &s);
    return tex_handle(0, m->own_sampler[var]);
}

/* The bytes of a variable that was placed. */
static uint8_t *variable_bytes(const rt_module *m, uint64_t addr)
{
    return mem_host(m->device->memory->image, addr);
}

static bool place_variables(rt_module *m, diag *dg)
{
    const isa_program *p = m->program;
    rt_memory *in = m->device->memory;
    const char *failed = NULL;
    uint32_t shared = shared_variables(m);

    if (m->whole) {
        memcpy(m->addr, m->whole->addr, shared * sizeof *m->addr);
        m->user_copy = m->whole->user_copy;
    } else if (p->user_const_bytes) {
        m->user_copy = rt_alloc(in, p->user_const_bytes, "constant variables");
        if (!m->user_copy)
            failed = "constant variables";
    }
    for (uint32_t i = shared; i < p->var_count && !failed; i++) {
        const isa_var *v = &p->vars[i];
        uint32_t at;

        if (v->space == SPACE_GLOBAL && same_variable(m, i, &at)) {
            m->addr[i] = m->beside->addr[at];
        } else if (v->space == SPACE_GLOBAL) {
            m->addr[i] = rt_alloc(in, v->size ? v->size : 1, v->name);
            if (!m->addr[i])
                failed = v->name;
            else if (v->init)
                memcpy(variable_bytes(m, m->addr[i]), v->init, v->size);
        } else if (v->space == SPACE_HANDLE) {
            m->addr[i] = initial_handle(m, i);
        } else if (v->space == SPACE_CONST && v->init) {
            MUST(v->offset + v->size <= CBANK_BYTES);
            memcpy(m->user + v->offset, v->init, v->size);
        }
    }
    if (failed)
        diag_error(dg, "no simulated memory left for '%s'", failed);
    return !failed;
}

static uint64_t generic_address(const rt_module *m, uint32_t var)
{
    const isa_var *v = &m->program->vars[var];

    switch (v->space) {
    case SPACE_GLOBAL:
    case SPACE_HANDLE:
        return m->addr[var];
    case SPACE_CONST:
        return m->user_copy + v->offset;
    case SPACE_SHARED:
        return MEM_SHARED_WINDOW + v->offset;
    }
    MUST(!"every value is above");
}

static void relocate_one(rt_module *m, const isa_reloc *r)
{
    const isa_program *p = m->program;
    uint64_t value = (uint64_t)r->addend;

    if (r->target_kernel < 0)
        value += generic_address(m, r->target);
    if (r->var < 0) {
        MUST(r->offset + 8 <= CBANK_BYTES);
        memcpy(m->symbol + r->offset, &value, 8);
    } else if (p->vars[r->var].space == SPACE_GLOBAL) {
        memcpy(variable_bytes(m, m->addr[r->var] + r->offset), &value, 8);
    } else {
        memcpy(m->user + p->vars[r->var].offset + r->offset, &value, 8);
    }
}

static void relocate(rt_module *m)
{
    const isa_program *p = m->program;

    for (uint32_t i = 0; i < p->reloc_count; i++)
        if (p->relocs[i].var < 0 ||
            ((uint32_t)p->relocs[i].var >= shared_variables(m) &&
             !is_borrowed(m, (uint32_t)p->relocs[i].var)))
            relocate_one(m, &p->relocs[i]);
    if (m->user_copy && !m->whole)
        memcpy(variable_bytes(m, m->user_copy), m->user, p->user_const_bytes);
}

/* The host knows those of the module beside, and writes there. */
static void copy_constants(const rt_module *m)
{
    const isa_program *p = m->program;
    uint32_t at;

    for (uint32_t i = 0; i < p->var_count; i++)
        if (p->vars[i].space == SPACE_CONST && same_variable(m, i, &at))
            memcpy(variable_bytes(m, generic_address(m, i)),
                   variable_bytes(m, generic_address(m->beside, at)),
                   p->vars[i].size);
}

uint8_t *rt_module_constants(const rt_module *m)
{
    const rt_module *has = m->whole ? m->whole : m;

    if (has->beside)
        copy_constants(has);
    if (has->user_copy)
        memcpy(has->user, variable_bytes(has, has->user_copy),
               has->program->user_const_bytes);
    return has->user;
}

static status make(rt_device *d, isa_program *p, rt_module *whole,
                   rt_module *beside, diag *dg, rt_module **out)
{
    rt_module *m = new0(1, sizeof *m);

    m->device = d;
    m->program = p;
    m->whole = whole;
    m->beside = beside;
    m->services = new0(p->kernel_count + 1, sizeof *m->services);
    m->addr = new0(p->var_count + 1, sizeof *m->addr);
    m->own_sampler = new0(p->var_count + 1, sizeof *m->own_sampler);
    m->user = whole ? whole->user : new0(1, CBANK_BYTES);
    m->symbol = new0(1, CBANK_BYTES);
    if (!place_variables(m, dg)) {
        release_variables(m);
        module_free(m);
        return ST_PROGRAM;
    }
    for (uint32_t i = 0; i < p->kernel_count; i++)
        m->services[i] = rt_services_of(&p->kernels[i]);
    relocate(m);
    rt_lock(d->memory);
    for (uint32_t i = 0; i < p->kernel_count; i++)
        p->kernels[i].serial = ++d->kernels;
    m->next = d->modules;
    if (m->next)
        m->next->previous = m;
    d->modules = m;
    rt_unlock(d->memory);
    *out = m;
    return ST_OK;
}

status rt_module_make(rt_device *d, isa_program *p, rt_module *whole, diag *dg,
                      rt_module **out)
{
    return make(d, p, whole, NULL, dg, out);
}

status rt_module_make_beside(rt_device *d, isa_program *p, rt_module *beside,
                             diag *dg, rt_module **out)
{
    return make(d, p, NULL, beside, dg, out);
}

status rt_module_new(rt_device *d, isa_program *p, diag *dg, rt_module **out)
{
    return rt_module_make(d, p, NULL, dg, out);
}

static status load_text(rt_device *d, const rt_options *how, const char *path,
                        const char *text, size_t size, diag *dg,
                        rt_module **out)
{
    isa_program *p = NULL;
    status st = compile_program(d->cfg, how, path, text, size, dg, &p);

    if (st != ST_OK)
        return st;
    st = rt_module_new(d, p, dg, out);
    if (st != ST_OK)
        isa_program_free(p);
    return st;
}

status rt_module_load_text(rt_device *d, const char *path, const char *text,
                           size_t size, diag *dg, rt_module **out)
{
    return load_text(d, &d->opt, path, text, size, dg, out);
}

bool rt_runs_machine_code(const rt_device *d)
{
    const config *c = d->cfg;

    return sass_runs(c->gpu.capability) && !d->opt.max_registers &&
           !c->sm.uniform.compiled && c->gpu.cluster.size <= 1 &&
           !sm_hazard_lacks_r0(c);
}

status rt_module_load_cubin(rt_device *d, const rt_text *t, diag *dg,
                            rt_module **out)
{
    rt_options how = d->opt;

    how.partial = true;
    return load_text(d, &how, t->path, t->text, t->size, dg, out);
}

const char *rt_module_lacks(const rt_module *m, const char *kernel)
{
    const isa_program *p = m->program;

    for (uint32_t i = 0; p->missing_why && i < p->missing_count; i++)
        if (!strcmp(p->missing[i], kernel))
            return p->missing_why[i];
    return NULL;
}

/* Is it the vendor's library of functions that the run-time performs? nvcc
 * links it to programs whose kernels launch kernels. */
static bool is_device_library(const ptx_module *m)
{
    for (uint32_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->has_body && cg_is_service(m->funcs[i]->name))
            return true;
    return false;
}

status rt_link_parts(const rt_text *part, size_t count, diag *dg, strbuf *out)
{
    ptx_module **m = new0(count, sizeof *m);
    arena *mem = arena_new();
    status st = ST_OK;
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        diag_source(dg, part[i].path, part[i].text, part[i].size);
        if (ptx_parse(part[i].path, part[i].text, part[i].size, mem, dg,
                      &m[n]) != ST_OK)
            st = ST_PROGRAM;
        else
            n += !is_device_library(m[n]);
    }
    if (st == ST_OK)
        st = ptx_link(m, n, mem, dg, out);
    arena_free(mem);
    free(m);
    return st;
}

status rt_module_load_parts(rt_device *d, const char *path, const rt_text *part,
                            size_t count, unsigned max_registers, diag *dg,
                            rt_module **out)
{
    rt_options how = d->opt;
    strbuf text = {0};

    rt_limit_registers(&how, max_registers);
    if (count == 1)
        return load_text(d, &how, part->path, part->text, part->size, dg, out);
    if (cubin_is(part->text, part->size)) {
        diag_error(dg,
                   "%s: it has %zu files of machine code, which Heddle does "
                   "not link: link it with nvcc, or run its PTX",
                   path, count);
        return ST_PROGRAM;
    }
    status st = rt_link_parts(part, count, dg, &text);
    if (st == ST_OK)
        st = load_text(d, &how, path, text.text, text.size, dg, out);
    strbuf_fini(&text);
    return st;
}

status rt_module_load(rt_device *d, const char *path, diag *dg, rt_module **out)
{
    char *text;
    size_t size;
    status st = file_read(path, dg, &text, &size);

    if (st != ST_OK)
        return st;
    st = rt_module_load_text(d, path, text, size, dg, out);
    free(text);
    return st;
}

const isa_program *rt_module_program(const rt_module *m) { return m->program; }

const isa_kernel *rt_module_kernel(const rt_module *m, const char *name,
                                   diag *dg)
{
    const isa_program *p = m->program;
    const isa_kernel *k = name ? isa_program_kernel_by_name(p, name) : NULL;

    if (k)
        return k;
    if (!name && p->kernel_count == 1 && !p->missing_count)
        return &p->kernels[0];
    report_no_kernel(p, name, dg);
    return NULL;
}

static void bind_variable(rt_module *m, uint32_t var, uint32_t handle)
{
    const isa_program *p = m->program;

    m->addr[var] = handle;
    for (uint32_t i = 0; i < p->reloc_count; i++)
        if (p->relocs[i].target == var && p->relocs[i].target_kernel < 0)
            relocate_one(m, &p->relocs[i]);
}

bool rt_module_bind(rt_module *m, const char *name, uint32_t handle)
{
    const isa_program *p = m->program;
    uint32_t var = 0;

    while (var < p->var_count && (p->vars[var].space != SPACE_HANDLE ||
                                  strcmp(p->vars[var].name, name)))
        var++;
    if (var == p->var_count)
        return false;
    bind_variable(m, var, handle);
    for (rt_module *part = m->parts; part; part = part->next_part)
        bind_variable(part, var, handle);
    return true;
}

bool rt_module_variable(const rt_module *m, const char *name, uint64_t *addr,
                        uint64_t *size)
{
    const isa_program *p = m->program;

    for (uint32_t i = 0; i < p->var_count; i++) {
        const isa_var *v = &p->vars[i];

        if ((v->space != SPACE_GLOBAL && v->space != SPACE_CONST) ||
            strcmp(v->name, name))
            continue;
        *addr = generic_address(m, i);
        *size = v->size;
        return true;
    }
    return false;
}
