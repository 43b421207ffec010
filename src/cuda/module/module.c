#include "cuda/module/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "cuda/memory/range.h"
#include "cuda/module/kernel_name.h"
#include "cuda/module/registry.h"
#include "cuda/stream/stream.h"
#include "isa/program.h"
#include "session/setup.h"

drv_object *module_object(cu_module *m) { return &m->o; }

/* ---- Loading ---- */

/* Messages of the compiler, on stderr: warnings only if wanted. */
static void print_messages(const diag *dg, bool failed)
{
    if (failed || drv_logs())
        diag_print(dg, stderr, false);
}

static void free_texts(cu_texts *t)
{
    for (size_t i = 0; i < t->count; i++)
        free((void *)(uintptr_t)t->part[i].text);
    free(t->part);
    *t = (cu_texts){0};
}

/* Do programs run their machine code, not their PTX? */
static bool wants_machine_code(void)
{
    const char *wish = getenv("HEDDLE_CODE");

    return (drv.session && drv.setup->machine_code) ||
           (wish && !strcmp(wish, "sass"));
}

/* Of part `i`, if it has code, what the device runs. */
static bool unpack_part(cu_module *m, const fatbin *code, size_t i,
                        const cu_device *d, diag *dg, cu_texts *out)
{
    unsigned capability = d->drv->cfg->gpu.capability;
    rt_text *to = &out->part[out->count];
    const fatbin_image *image;
    char *text;

    if ((wants_machine_code()
             ? fatbin_choose_machine_code(code, i, capability, dg, &image)
             : fatbin_choose(code, i, capability, dg, &image)) != ST_OK)
        return false;
    if (!image)
        return true;
    m->capability[d->number] = image->capability;
    if (fatbin_unpack(code, image, dg, &text, &to->size) != ST_OK)
        return false;
    to->path = m->name;
    to->text = text;
    out->count++;
    return true;
}

/* Of each part that has code what the device runs; of machine code that was
 * linked the result. False: errors in `dg`. */
static bool unpack_texts(cu_module *m, const fatbin *code, const cu_device *d,
                         diag *dg, cu_texts *out)
{
    size_t end = fatbin_part_count(code), first = 0;

    if (wants_machine_code() && fatbin_has_linked(code))
        first = end++;
    *out = (cu_texts){.part = new0(end + 1, sizeof *out->part)};
    for (size_t i = first; i < end; i++)
        if (!unpack_part(m, code, i, d, dg, out))
            return false;
    if (!out->count)
        diag_error(dg, "%s holds no code", m->name);
    return out->count > 0;
}

static rt_module *compile(cu_module *m, const cu_device *d, diag *dg)
{
    rt_module *out = NULL;
    cu_texts t;

    if (m->texts.count) { /* loaded: all errors are told at once */
        if (rt_module_load_parts(d->drv->rt, m->name, m->texts.part,
                                 m->texts.count, m->max_registers, dg,
                                 &out) != ST_OK)
            out = NULL;
        return out;
    }
    if (unpack_texts(m, m->code, d, dg, &t) &&
        rt_module_load_lazy(d->drv->rt, m->name, t.part, t.count, dg, &out) !=
            ST_OK)
        out = NULL;
    free_texts(&t);
    return out;
}

static void set_loaded(cu_module *m, const cu_device *d, rt_module *made)
{
    m->loaded[d->number] =
        (drv_module){.number = ++drv.modules, .name = m->name, .module = made};
}

rt_module *module_load(cu_module *m, cu_device *d)
{
    drv_module *l = &m->loaded[d->number];

    if (l->module || m->failed[d->number])
        return l->module;
    diag *dg = diag_new();
    rt_module *made = compile(m, d, dg);
    print_messages(dg, !made);
    diag_free(dg);
    if (!made) {
        m->failed[d->number] = true;
        return NULL;
    }
    set_loaded(m, d, made);
    return made;
}

static void module_destroy(void *handle)
{
    cu_module *m = handle;

    for (cu_function *f; (f = m->functions);) {
        m->functions = f->next;
        drv_release(&f->o);
    }
    range_forget(m);
    for (cu_variable *v; (v = m->variables); free(v))
        m->variables = v->next;
    for (int i = 0; i < CU_DEVICES_MAX; i++)
        rt_module_unload(m->loaded[i].module);
    fatbin_free(m->code);
    free_texts(&m->texts);
    free(m->name);
    free(m);
}

cu_module *module_of(const char *name, fatbin *code)
{
    cu_module *m = drv_object_new(CU_MODULE, sizeof *m, offsetof(cu_module, o),
                                  module_destroy);

    if (!m)
        return NULL;
    m->code = code;
    m->name = alloc_try_text(name);
    return m;
}

bool module_is_loaded(const cu_module *m) { return m->texts.count != 0; }

unsigned module_capability(const cu_module *m, const cu_device *d)
{
    return m->capability[d->number];
}

/* ---- Functions ---- */

cu_function *module_add_function(cu_module *m, const char *name)
{
    cu_function *f = drv_object_new(CU_FUNCTION, sizeof *f + strlen(name) + 1,
                                    offsetof(cu_function, o), free);

    if (!f)
        return NULL;
    f->module = m;
    f->name = strcpy((char *)(f + 1), name);
    f->max_dynamic = f->carveout = -1;
    f->next = m->functions;
    m->functions = f;
    return f;
}

/* Is there another kernel in the module that people call the same? */
static bool is_ambiguous(const cu_function *f, const char *shown)
{
    bool found = false;

    for (const cu_function *o = f->module->functions; o && !found;
         o = o->next) {
        char *other =
            strcmp(o->name, f->name) ? kernel_name(o->name, false) : NULL;

        found = other && !strcmp(other, shown);
        free(other);
    }
    return found;
}

/* From here on reports and messages call the kernel as people do. */
static void name_kernel(const cu_function *f, rt_module *m, isa_kernel *k)
{
    char *shown = kernel_name(f->name, false);

    if (shown && is_ambiguous(f, shown)) {
        free(shown);
        shown = kernel_name(f->name, true);
    }
    if (shown)
        rt_module_name(m, k, shown);
    free(shown);
}

/* A kernel may be known by several handles. */
static const struct cu_code *known_code(const cu_function *f, unsigned device)
{
    const cu_function *o = f->module->functions;

    while (o && (strcmp(o->name, f->name) || !o->code[device].kernel))
        o = o->next;
    return o ? &o->code[device] : NULL;
}

/* With at most `limit` registers, 0: as many as it likes. */
static bool find_code(cu_function *f, cu_device *d, rt_module *m,
                      unsigned limit)
{
    struct cu_code *c = &f->code[d->number];
    const struct cu_code *known = known_code(f, (unsigned)d->number);

    if (known && !limit) {
        *c = *known;
        return true;
    }
    diag *dg = diag_new();
    rt_module *part = rt_module_with_limit(m, f->name, limit, dg);

    print_messages(dg, !part);
    if (part && part != c->module.module) {
        /* A part has one kernel, which may have got its name before. */
        isa_kernel *k = part == m
                            ? (isa_kernel *)rt_module_kernel(part, f->name, dg)
                            : &rt_module_program(part)->kernels[0];

        c->module = (drv_module){
            .number = ++drv.modules, .name = f->module->name, .module = part};
        name_kernel(f, part, k);
        c->kernel = k;
    }
    diag_free(dg);
    return part != NULL;
}

const isa_kernel *function_code(cu_function *f, cu_device *d, cudaError_t *code)
{
    struct cu_code *c = &f->code[d->number];

    if (c->kernel)
        return c->kernel;
    rt_module *m = module_load(f->module, d);
    if (!m)
        *code =
            cu_fail(cudaErrorNoKernelImageForDevice, "%s has no code for '%s'",
                    f->module->name, d->drv->name);
    else if (!find_code(f, d, m, 0))
        *code = cu_fail(cudaErrorInvalidDeviceFunction,
                        "%s has no kernel '%s', or it could not be compiled",
                        f->module->name, f->name);
    return c->kernel;
}

const isa_kernel *function_limit(cu_function *f, cu_device *d, unsigned limit)
{
    rt_module *m = module_load(f->module, d);

    if (m)
        find_code(f, d, m, limit);
    return f->code[d->number].kernel;
}

const drv_module *function_module(const cu_function *f, const cu_device *d)
{
    return &f->code[d->number].module;
}

/* ---- Variables ---- */

cudaError_t module_variable(cu_module *m, cu_device *d, const char *name,
                            uint64_t *addr, uint64_t *size)
{
    const rt_module *code = module_load(m, d);

    if (!code)
        return cu_fail(cudaErrorNoKernelImageForDevice,
                       "%s has no code for '%s'", m->name, d->drv->name);
    if (!rt_module_variable(code, name, addr, size))
        return cu_fail(cudaErrorInvalidSymbol, "%s has no variable '%s'",
                       m->name, name);
    range_note(d, *addr, m);
    return cudaSuccess;
}

cudaError_t variable_place(const cu_variable *v, cu_device *d, uint64_t *addr,
                           uint64_t *size)
{
    return module_variable(v->module, d, v->name, addr, size);
}

/* ---- What programs load ---- */

/* The container is read now: the program may free it. */
static cudaError_t take_text(cu_module *m, const void *image, size_t size,
                             diag *dg)
{
    fatbin *code;
    status is = size ? fatbin_open(m->name, image, size, dg, &code)
                     : fatbin_open_loaded(m->name, image, dg, &code);

    if (is != ST_OK)
        return cu_fail(cudaErrorInvalidKernelImage,
                       "what is to be loaded is no code for GPUs");
    bool found = unpack_texts(m, code, cu_current(), dg, &m->texts);
    fatbin_free(code);
    if (!found)
        return cu_fail(cudaErrorNoKernelImageForDevice,
                       "%s has no code for '%s'", m->name,
                       cu_current()->drv->name);
    return cudaSuccess;
}

cudaError_t module_new(const char *name, const void *image, size_t size,
                       unsigned max_registers, diag *dg, cu_module **out)
{
    cu_device *d = cu_current();
    cu_module *m = module_of(name, NULL);
    rt_module *made;

    if (!m)
        return cu_fail(cudaErrorMemoryAllocation, "no memory for a module");
    m->max_registers = max_registers;
    cu_device_use(d);
    cudaError_t code = take_text(m, image, size, dg);
    if (code == cudaSuccess && !(made = compile(m, d, dg)))
        code = cu_fail(cudaErrorInvalidPtx, "%s cannot be compiled", m->name);
    print_messages(dg, code != cudaSuccess);
    if (code == cudaSuccess) {
        set_loaded(m, d, made);
        *out = m;
    } else {
        drv_release(&m->o);
    }
    return code;
}

cu_module *module_get(const void *handle)
{
    if (drv_find_held(handle, CU_MODULE))
        return (cu_module *)(uintptr_t)handle;
    cu_fail(cudaErrorInvalidResourceHandle,
            "%p is no module, or one that was unloaded", handle);
    return NULL;
}

void module_unload(cu_module *m) { drv_release(&m->o); }

cu_function *module_function(cu_module *m, const char *name)
{
    rt_module *code = module_load(m, cu_current());

    for (cu_function *f = m->functions; f; f = f->next)
        if (!strcmp(f->name, name))
            return f;
    diag *dg = diag_new();
    bool found = code && rt_module_with(code, name, dg);
    diag_free(dg);
    if (found)
        return module_add_function(m, name);
    cu_fail(cudaErrorSymbolNotFound,
            "%s has no kernel '%s', or it could not be compiled", m->name,
            name);
    return NULL;
}

const char *module_kernel_name(cu_module *m, uint32_t i)
{
    const rt_module *code = module_load(m, cu_current());
    const isa_program *p = code ? rt_module_program(code) : NULL;

    return p && i < p->kernel_count ? p->kernels[i].name : NULL;
}
