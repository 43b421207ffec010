/* Programs, their kernels and variables. */
#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "base/alloc.h"
#include "base/file.h"
#include "fatbin/fatbin.h"

/* ---- Fat binaries ---- */

typedef struct images {
    rt_text *text; /* of each part */
    size_t count;
} images;

static void images_fini(images *is)
{
    for (size_t i = 0; i < is->count; i++)
        free((void *)is->text[i].text);
    free(is->text);
    *is = (images){.text = NULL};
}

/* Of each part the image that the device runs: of one part machine code, if it
 * can, else PTX. */
static status choose(heddle_sim *sim, const char *name, const fatbin *f,
                     images *out)
{
    const unsigned capability = rt_device_config(sim->device)->gpu.capability;
    size_t parts = fatbin_part_count(f);
    status st = ST_OK;

    *out = (images){.text = new0(parts + 1, sizeof *out->text)};
    for (size_t i = 0; i < parts && st == ST_OK; i++) {
        const fatbin_image *image = NULL;
        diag *quiet = diag_new();
        char *bytes;

        if (parts > 1 || !rt_runs_machine_code(sim->device) ||
            fatbin_choose_machine_code(f, i, capability, quiet, &image) !=
                ST_OK ||
            !image)
            st = fatbin_choose(f, i, capability, sim->dg, &image);
        diag_free(quiet);
        if (st != ST_OK || !image)
            continue;
        rt_text *to = &out->text[out->count];
        st = fatbin_unpack(f, image, sim->dg, &bytes, &to->size);
        if (st != ST_OK)
            continue;
        to->path = name;
        to->text = bytes;
        out->count++;
    }
    return st;
}

static status load_fatbin(heddle_sim *sim, const char *name, const char *bytes,
                          size_t size, rt_module **out)
{
    fatbin *f = NULL;
    images is = {.text = NULL};
    status st = fatbin_open(name, bytes, size, sim->dg, &f);

    if (st != ST_OK)
        return st;
    st = choose(sim, name, f, &is);
    if (st == ST_OK && !is.count) {
        diag_error(sim->dg, "%s: it has no code for this GPU", name);
        st = ST_PROGRAM;
    }
    if (st == ST_OK)
        st = rt_module_load_parts(sim->device, name, is.text, is.count, 0,
                                  sim->dg, out);
    images_fini(&is);
    fatbin_free(f);
    return st;
}

/* ---- Loading ---- */

static void make_kernels(heddle_module *m)
{
    const isa_program *p = rt_module_program(m->is);

    m->kernels = new0(p->kernel_count + 1, sizeof *m->kernels);
    for (uint32_t i = 0; i < p->kernel_count; i++)
        m->kernels[i] = (heddle_kernel){m, &p->kernels[i]};
}

/* It belongs to the simulation. */
static void list_module(heddle_module *m)
{
    make_kernels(m);
    m->next = m->sim->modules;
    m->sim->modules = m;
}

/* `bytes` have a NUL behind them. */
static heddle_code load(heddle_sim *sim, const char *name, const char *bytes,
                        size_t size, heddle_module **out)
{
    heddle_module *m = new0(1, sizeof *m);
    status st;

    *m = (heddle_module){.sim = sim, .name = new_text(name)};
    st = fatbin_is(bytes, size)
             ? load_fatbin(sim, m->name, bytes, size, &m->is)
             : rt_module_load_text(sim->device, m->name, bytes, size, sim->dg,
                                   &m->is);
    if (st != ST_OK) {
        free(m->name);
        free(m);
        return api_code(st);
    }
    list_module(m);
    *out = m;
    return HEDDLE_OK;
}

heddle_module *api_module_of(heddle_sim *sim, rt_module *is, const char *name)
{
    for (heddle_module *m = sim->modules; m; m = m->next)
        if (m->is == is)
            return m;
    heddle_module *m = new0(1, sizeof *m);

    *m = (heddle_module){.sim = sim, .name = new_text(name), .is = is};
    list_module(m);
    return m;
}

static heddle_code load_memory(heddle_sim *sim, const char *name,
                               const void *bytes, uint64_t size,
                               heddle_module **out)
{
    if (!out || !bytes || !size)
        return api_wrong(sim, "heddle_load: %s",
                         !out     ? "`module` is NULL"
                         : !bytes ? "`bytes` is NULL"
                                  : "`size` is 0");
    char *copy = size < SIZE_MAX ? alloc_try_array((size_t)size + 1, 1) : NULL;
    if (!copy) {
        api_wrong(sim, "no memory for a program of %llu bytes",
                  (unsigned long long)size);
        return HEDDLE_NO_MEMORY;
    }
    memcpy(copy, bytes, (size_t)size);
    copy[size] = '\0';
    heddle_code code =
        load(sim, name ? name : "memory", copy, (size_t)size, out);
    if (code == HEDDLE_OK && strlen(copy) == size) {
        (*out)->text = copy;
        (*out)->text_size = (size_t)size;
    } else {
        free(copy);
    }
    return code;
}

heddle_code heddle_load(heddle_sim *sim, const char *name, const void *bytes,
                        uint64_t size, heddle_module **module)
{
    API_NO(module);
    API_BEGIN(sim);
    return api_end(&call, load_memory(sim, name, bytes, size, module));
}

heddle_code api_module_load_file(heddle_sim *sim, const char *path,
                                 heddle_module **out)
{
    char *text;
    size_t size;
    status st;

    st = file_read(path, sim->dg, &text, &size);
    if (st != ST_OK)
        return api_code(st);
    heddle_code code = load(sim, path, text, size, out);
    free(text);
    return code;
}

static heddle_code load_file(heddle_sim *sim, const char *path,
                             heddle_module **out)
{
    if (!out || !path || !*path || !strcmp(path, "-"))
        return api_wrong(sim, "heddle_load_file: %s",
                         !out ? "`module` is NULL" : "`path` names no file");
    return api_module_load_file(sim, path, out);
}

heddle_code heddle_load_file(heddle_sim *sim, const char *path,
                             heddle_module **module)
{
    API_NO(module);
    API_BEGIN(sim);
    return api_end(&call, load_file(sim, path, module));
}

/* ---- Unloading ---- */

void api_module_free(heddle_module *m)
{
    heddle_module **at = &m->sim->modules;

    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    while (m->variables) {
        heddle_buffer *b = m->variables;

        m->variables = b->next;
        free(b->name);
        free(b);
    }
    rt_module_unload(m->is);
    sources_free(m->sources);
    free(m->text);
    free(m->kernels);
    free(m->name);
    free(m);
}

void api_module_release(heddle_module *m)
{
    if (m->unloaded && !m->results)
        api_module_free(m);
}

void api_module_unload(heddle_module *m)
{
    m->unloaded = true;
    api_module_release(m);
}

static heddle_code unload(heddle_module *m)
{
    heddle_sim *sim = m->sim;

    if (sim->in_flight) {
        api_wrong(sim, "a launch is in flight: no module can be unloaded");
        return HEDDLE_BUSY;
    }
    for (const heddle_plan *p = sim->plans; p; p = p->next)
        if (p->module == m && !p->closed)
            return api_wrong(sim, "the module is of a launch file: "
                                  "heddle_plan_close unloads it");
    api_module_unload(m);
    return HEDDLE_OK;
}

heddle_code heddle_unload(heddle_module *module)
{
    if (!module)
        return HEDDLE_OK;
    API_BEGIN(module->sim);
    return api_end(&call, unload(module));
}

/* ---- Sources ---- */

const sources *api_module_sources(heddle_module *m)
{
    const isa_program *p = rt_module_program(m->is);

    if (m->sources)
        return m->sources;
    m->sources = sources_new(p->files, p->file_count, m->name);
    for (uint32_t i = 0; m->text && i < p->file_count; i++)
        if (!strcmp(p->files[i], m->name))
            sources_put(m->sources, i, m->text, m->text_size);
    return m->sources;
}

/* ---- Kernels ---- */

size_t heddle_kernel_count(const heddle_module *module)
{
    return module ? rt_module_program(module->is)->kernel_count : 0;
}

heddle_kernel *heddle_kernel_at(heddle_module *module, size_t i)
{
    return i < heddle_kernel_count(module) ? &module->kernels[i] : NULL;
}

static heddle_code find_kernel(heddle_module *m, const char *name,
                               heddle_kernel **out)
{
    if (!out)
        return api_wrong(m->sim, "heddle_kernel_find: `kernel` is NULL");
    const isa_kernel *k = rt_module_kernel(m->is, name, m->sim->dg);
    if (!k)
        return HEDDLE_NOT_FOUND;
    *out = &m->kernels[k - rt_module_program(m->is)->kernels];
    return HEDDLE_OK;
}

heddle_code heddle_kernel_find(heddle_module *module, const char *name,
                               heddle_kernel **kernel)
{
    API_NO(kernel);
    API_BEGIN(module ? module->sim : NULL);
    return api_end(&call, find_kernel(module, name, kernel));
}

heddle_code heddle_kernel_describe(const heddle_kernel *kernel,
                                   heddle_kernel_info *info)
{
    if (!kernel || !info)
        return HEDDLE_BAD_ARGUMENT;
    const isa_kernel *k = kernel->is;
    *info = (heddle_kernel_info){.name = k->name,
                                 .registers = isa_kernel_begins_with(k),
                                 .shared_bytes = k->shared_bytes,
                                 .local_bytes = k->local_bytes,
                                 .spill_bytes = k->spill_bytes,
                                 .max_threads = k->max_threads,
                                 .param_count = k->param_count};
    return HEDDLE_OK;
}

static heddle_param_kind kind_of(isa_param_kind kind)
{
    switch (kind) {
    case PARAM_BYTES:
        return HEDDLE_PARAM_BYTES;
    case PARAM_INT:
        return HEDDLE_PARAM_INT;
    case PARAM_FLOAT:
        return HEDDLE_PARAM_FLOAT;
    case PARAM_POINTER:
        return HEDDLE_PARAM_POINTER;
    case PARAM_IMAGE:
        return HEDDLE_PARAM_IMAGE;
    case PARAM_SAMPLER:
        return HEDDLE_PARAM_SAMPLER;
    }
    MUST(!"a kind of parameter");
    return HEDDLE_PARAM_BYTES;
}

heddle_code heddle_kernel_param(const heddle_kernel *kernel, size_t i,
                                heddle_param_info *info)
{
    if (!kernel || !info || i >= kernel->is->param_count)
        return HEDDLE_BAD_ARGUMENT;
    const isa_param *p = &kernel->is->params[i];
    *info = (heddle_param_info){.name = p->name ? p->name : "",
                                .kind = kind_of(p->kind),
                                .size = p->size,
                                .align = p->align};
    return HEDDLE_OK;
}

/* ---- Variables ---- */

static heddle_code find_variable(heddle_module *m, const char *name,
                                 heddle_buffer **out)
{
    uint64_t addr, size;

    if (!out || !name)
        return api_wrong(m->sim, "heddle_variable: `%s` is NULL",
                         !out ? "buffer" : "name");
    if (!rt_module_variable(m->is, name, &addr, &size)) {
        api_wrong(m->sim, "no variable '%s' in global or constant memory",
                  name);
        return HEDDLE_NOT_FOUND;
    }
    for (heddle_buffer *b = m->variables; b; b = b->next)
        if (b->addr == addr) {
            *out = b;
            return HEDDLE_OK;
        }
    heddle_buffer *b = new0(1, sizeof *b);
    *b = (heddle_buffer){.sim = m->sim,
                         .module = m,
                         .name = new_text(name),
                         .addr = addr,
                         .size = size,
                         .next = m->variables};
    m->variables = b;
    *out = b;
    return HEDDLE_OK;
}

heddle_code heddle_variable(heddle_module *module, const char *name,
                            heddle_buffer **buffer)
{
    API_NO(buffer);
    API_BEGIN(module ? module->sim : NULL);
    return api_end(&call, find_variable(module, name, buffer));
}
