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

drv_object *module_object(cu_module *m) { return &m->o; }

/* ---- Loading ---- */

/* Messages of the compiler, on stderr: warnings only if wanted. */
static void print_messages(const diag *dg, bool failed)
{
    if (failed || drv_logs())
        diag_print(dg, stderr, false);
}

static rt_module *compile(cu_module *m, const cu_device *d, diag *dg)
{
    const fatbin_image *image;
    rt_module *out = NULL;
    char *text;
    size_t size;

    if (fatbin_choose(m->code, 0, d->drv->cfg->gpu.capability, dg, &image) !=
        ST_OK)
        return NULL;
    if (!image) {
        diag_error(dg, "%s holds no code", m->name);
        return NULL;
    }
    if (fatbin_unpack(m->code, image, dg, &text, &size) != ST_OK)
        return NULL;
    m->capability[d->number] = image->capability;
    rt_text whole = {m->name, text, size};
    if (rt_module_load_lazy(d->drv->rt, m->name, &whole, 1, dg, &out) != ST_OK)
        out = NULL;
    free(text);
    return out;
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
    *l = (drv_module){.number = ++drv.modules, .name = m->name, .module = made};
    return made;
}

static void module_destroy(void *handle)
{
    cu_module *m = handle;

    for (cu_function *f; (f = m->functions); free(f))
        m->functions = f->next;
    for (cu_variable *v; (v = m->variables); free(v))
        m->variables = v->next;
    for (int i = 0; i < CU_DEVICES_MAX; i++)
        rt_module_unload(m->loaded[i].module);
    fatbin_free(m->code);
    free(m->copy);
    free(m->name);
    free(m);
}

cu_module *module_of(fatbin *code)
{
    cu_module *m = drv_object_new(CU_MODULE, sizeof *m, offsetof(cu_module, o),
                                  module_destroy);

    if (!m)
        return NULL;
    m->code = code;
    m->name = alloc_try_text(fatbin_name(code));
    return m;
}

unsigned module_capability(const cu_module *m, const cu_device *d)
{
    return m->capability[d->number];
}

/* ---- Functions ---- */

cu_function *module_add_function(cu_module *m, const char *name)
{
    cu_function *f = drv_object_new(CU_FUNCTION, sizeof *f + strlen(name) + 1,
                                    offsetof(cu_function, o), NULL);

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

static bool find_code(cu_function *f, cu_device *d, rt_module *m)
{
    struct cu_code *c = &f->code[d->number];
    const struct cu_code *known = known_code(f, (unsigned)d->number);

    if (known) {
        *c = *known;
        return true;
    }
    diag *dg = diag_new();
    rt_module *part = rt_module_with(m, f->name, dg);

    print_messages(dg, !part);
    if (part) {
        isa_kernel *k = (isa_kernel *)rt_module_kernel(part, f->name, dg);

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
    else if (!find_code(f, d, m))
        *code = cu_fail(cudaErrorInvalidDeviceFunction,
                        "%s has no kernel '%s', or it could not be compiled",
                        f->module->name, f->name);
    return c->kernel;
}

const drv_module *function_module(const cu_function *f, const cu_device *d)
{
    return &f->code[d->number].module;
}

/* ---- Variables ---- */

cudaError_t variable_place(const cu_variable *v, cu_device *d, uint64_t *addr,
                           uint64_t *size)
{
    const rt_module *m = module_load(v->module, d);

    if (!m)
        return cu_fail(cudaErrorNoKernelImageForDevice,
                       "%s has no code for '%s'", v->module->name,
                       d->drv->name);
    if (!rt_module_variable(m, v->name, addr, size))
        return cu_fail(cudaErrorInvalidSymbol, "%s has no variable '%s'",
                       v->module->name, v->name);
    range_note(d, *addr);
    return cudaSuccess;
}
