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

/* The PTX of a part, to be freed; size 0: it has no code. */
static bool unpack_part(cu_module *m, const cu_device *d, size_t i, diag *dg,
                        char **text, size_t *size)
{
    const fatbin_image *image;

    *text = NULL;
    *size = 0;
    if (fatbin_choose(m->code, i, d->drv->cfg->gpu.capability, dg, &image) !=
        ST_OK)
        return false;
    if (!image)
        return true;
    m->capability[d->number] = image->capability;
    return fatbin_unpack(m->code, image, dg, text, size) == ST_OK;
}

static rt_module *compile_parts(const cu_module *m, const cu_device *d,
                                const rt_text *part, size_t n, diag *dg)
{
    rt_module *out = NULL;

    if (!n)
        diag_error(dg, "%s holds no code", m->name);
    else if (rt_module_load_lazy(d->drv->rt, m->name, part, n, dg, &out) !=
             ST_OK)
        out = NULL;
    return out;
}

static rt_module *compile(cu_module *m, const cu_device *d, diag *dg)
{
    size_t all = fatbin_part_count(m->code), n = 0;
    rt_text *part = new0(all + 1, sizeof *part);
    rt_module *out = NULL;
    bool good = true;

    for (size_t i = 0; i < all && good; i++) {
        char *text;

        good = unpack_part(m, d, i, dg, &text, &part[n].size);
        part[n].path = m->name;
        part[n].text = text;
        n += text != NULL;
    }
    if (good)
        out = compile_parts(m, d, part, n, dg);
    for (size_t i = 0; i < n; i++)
        free((void *)part[i].text);
    free(part);
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
