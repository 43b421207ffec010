#include "cuda/module/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "cuda/memory/range.h"
#include "cuda/module/kernel_name.h"
#include "cuda/module/module_code.h"
#include "cuda/module/registry.h"
#include "cuda/stream/stream.h"
#include "isa/program.h"

drv_object *module_object(cu_module *m) { return &m->o; }

/* ---- Loading ---- */

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
    rt_module *made = module_code_load(m, d, dg);
    module_code_print(dg, !made);
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
    for (int i = 0; i < CU_DEVICES_MAX; i++) {
        rt_module_unload(m->beside[i]);
        rt_module_unload(m->loaded[i].module);
    }
    fatbin_free(m->code);
    module_code_free_texts(&m->texts);
    module_code_free_texts(&m->ptx);
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

void module_has_references(cu_module *m) { m->references = true; }

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

/* In `m`, with at most `limit` registers, 0: as many as it likes. */
static bool find_in(cu_function *f, cu_device *d, rt_module *m, unsigned limit)
{
    struct cu_code *c = &f->code[d->number];
    diag *dg = diag_new();
    rt_module *part = rt_module_with_limit(m, f->name, limit, dg);

    module_code_print(dg, !part);
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

static bool find_code(cu_function *f, cu_device *d, rt_module *m)
{
    const struct cu_code *known = known_code(f, (unsigned)d->number);

    if (known)
        f->code[d->number] = *known;
    return known ||
           find_in(f, d, module_code_holder(f->module, d, m, f->name), 0);
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
    else if (!find_code(f, d, m))
        *code = cu_fail(cudaErrorInvalidDeviceFunction,
                        "%s has no kernel '%s', or it could not be compiled",
                        f->module->name, f->name);
    return c->kernel;
}

const isa_kernel *function_limit(cu_function *f, cu_device *d, unsigned limit)
{
    rt_module *m = module_load(f->module, d);

    if (m)
        find_in(f, d, module_code_holder(f->module, d, m, f->name), limit);
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
    if (!rt_module_variable(code, name, addr, size) &&
        !(m->beside[d->number] &&
          rt_module_variable(m->beside[d->number], name, addr, size)))
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
    bool found = module_code_keep(m, code, cu_current(), dg);
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
    if (code == cudaSuccess && !(made = module_code_load(m, d, dg)))
        code = cu_fail(cudaErrorInvalidPtx, "%s cannot be compiled", m->name);
    module_code_print(dg, code != cudaSuccess);
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
    cu_device *d = cu_current();
    rt_module *code = module_load(m, d);

    for (cu_function *f = m->functions; f; f = f->next)
        if (!strcmp(f->name, name))
            return f;
    diag *dg = diag_new();
    bool found =
        code && rt_module_with(module_code_holder(m, d, code, name), name, dg);
    module_code_print(dg, code && rt_module_lacks(code, name) && !found);
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
    cu_device *d = cu_current();
    const rt_module *code = module_load(m, d);
    const isa_program *p = code ? rt_module_program(code) : NULL;

    if (!p || i < p->kernel_count)
        return p ? p->kernels[i].name : NULL;
    i -= p->kernel_count;
    return i < p->missing_count && module_code_has_other(m, d) ? p->missing[i]
                                                               : NULL;
}
