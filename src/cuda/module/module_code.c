#include "cuda/module/module_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/module/kernel_name.h"
#include "session/setup.h"

void module_code_print(const diag *dg, bool failed)
{
    if (failed || drv_logs())
        diag_print(dg, stderr, false);
}

void module_code_free_texts(cu_texts *t)
{
    for (size_t i = 0; i < t->count; i++)
        free((void *)(uintptr_t)t->part[i].text);
    free(t->part);
    *t = (cu_texts){0};
}

/* ---- What there is ---- */

typedef status choose_image(const fatbin *f, size_t part, unsigned capability,
                            diag *dg, const fatbin_image **out);

static choose_image *chooser(bool machine_code)
{
    return machine_code ? fatbin_choose_machine_code : fatbin_choose;
}

/* The parts that count: of machine code that was linked the result alone. */
static size_t first_part(const fatbin *code, bool machine_code, size_t *end)
{
    bool linked = machine_code && fatbin_has_linked(code);

    *end = fatbin_part_count(code) + linked;
    return linked ? *end - 1 : 0;
}

/* Of how many parts there is code that the device runs; 0: of some with code
 * there is none. */
static size_t suitable_parts(const fatbin *code, const cu_device *d,
                             bool machine_code)
{
    diag *dg = diag_new();
    size_t end, found = 0;
    bool all = true;

    for (size_t i = first_part(code, machine_code, &end); i < end && all; i++) {
        const fatbin_image *image = NULL;

        all = chooser(machine_code)(code, i, d->drv->cfg->gpu.capability, dg,
                                    &image) == ST_OK;
        found += image != NULL;
    }
    diag_free(dg);
    return all ? found : 0;
}

/* Of part `i`, if it has code, what the device runs. */
static bool unpack_part(cu_module *m, const fatbin *code, size_t i,
                        const cu_device *d, bool machine_code, diag *dg,
                        cu_texts *out)
{
    unsigned capability = d->drv->cfg->gpu.capability;
    rt_text *to = &out->part[out->count];
    const fatbin_image *image;
    char *text;

    if (chooser(machine_code)(code, i, capability, dg, &image) != ST_OK)
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

/* False: errors in `dg`. */
static bool unpack_texts(cu_module *m, const fatbin *code, const cu_device *d,
                         bool machine_code, diag *dg, cu_texts *out)
{
    size_t end, first = first_part(code, machine_code, &end);

    *out = (cu_texts){.part = new0(end + 1, sizeof *out->part)};
    for (size_t i = first; i < end; i++)
        if (!unpack_part(m, code, i, d, machine_code, dg, out))
            return false;
    if (!out->count)
        diag_error(dg, "%s holds no code", m->name);
    return out->count > 0;
}

/* ---- Which of both ---- */

static session_code wished(void)
{
    session_code code = drv.session ? drv.setup->code : CODE_AUTO;
    const char *word = getenv("HEDDLE_CODE");

    if (code == CODE_AUTO && word)
        session_code_of(word, &code);
    return code;
}

/* Parts of machine code that were not linked are no program. */
static bool takes_machine_code(const cu_module *m, const fatbin *code,
                               const cu_device *d)
{
    switch (wished()) {
    case CODE_PTX:
        return false;
    case CODE_SASS:
        return true;
    case CODE_AUTO:
        break;
    }
    return suitable_parts(code, d, true) == 1 &&
           (!suitable_parts(code, d, false) ||
            (!m->references && !m->max_registers &&
             rt_runs_machine_code(d->drv->rt)));
}

bool module_code_has_other(const cu_module *m, const cu_device *d)
{
    return wished() == CODE_AUTO &&
           (m->code ? suitable_parts(m->code, d, false) : m->ptx.count) > 0;
}

bool module_code_keep(cu_module *m, const fatbin *code, const cu_device *d,
                      diag *dg)
{
    m->machine_code = takes_machine_code(m, code, d);
    if (m->machine_code && wished() == CODE_AUTO &&
        suitable_parts(code, d, false))
        unpack_texts(m, code, d, false, dg, &m->ptx);
    return unpack_texts(m, code, d, m->machine_code, dg, &m->texts);
}

/* ---- Loading ---- */

/* Once for a module. */
static void tell(cu_module *m, const char *kernel, const char *why)
{
    char *shown = kernel ? kernel_name(kernel, false) : NULL;

    if (!m->told)
        fprintf(
            stderr, "heddle: %s: %s%s%s by PTX, since by machine code %s: %s\n",
            m->name, shown ? "kernel '" : "its kernels run", shown ? shown : "",
            shown ? "' runs" : "", shown ? "it cannot" : "not all can", why);
    m->told = true;
    free(shown);
}

/* The PTX, compiled when it is needed, with the variables of `beside`, or all
 * of it at once if the program loads it. */
static rt_module *load_ptx(cu_module *m, const cu_device *d, rt_module *beside,
                           diag *dg)
{
    unsigned capability = m->capability[d->number];
    rt_device *to = d->drv->rt;
    rt_module *out = NULL;
    cu_texts own = {0}, *t = m->machine_code ? &m->ptx : &m->texts;
    bool good = true;

    if (m->code)
        good = unpack_texts(m, m->code, d, false, dg, t = &own);
    if (beside)
        m->capability[d->number] = capability;
    if (good && !m->code && !beside)
        good = rt_module_load_parts(to, m->name, t->part, t->count,
                                    m->max_registers, dg, &out) == ST_OK;
    else if (good)
        good = rt_module_load_beside(to, m->name, t->part, t->count, beside, dg,
                                     &out) == ST_OK;
    module_code_free_texts(&own);
    return good ? out : NULL;
}

static rt_module *load_cubin(cu_module *m, const cu_device *d, diag *dg)
{
    rt_module *out = NULL;
    cu_texts own = {0}, *t = &m->texts;
    bool good = true;

    if (m->code)
        good = unpack_texts(m, m->code, d, true, dg, t = &own);
    if (good && t->count > 1) /* which is an error */
        good = rt_module_load_parts(d->drv->rt, m->name, t->part, t->count, 0,
                                    dg, &out) == ST_OK;
    else if (good)
        good = rt_module_load_cubin(d->drv->rt, t->part, dg, &out) == ST_OK;
    module_code_free_texts(&own);
    return good ? out : NULL;
}

/* The first error. */
static const char *error_of(const diag *dg)
{
    for (size_t i = 0; i < diag_count(dg); i++)
        if (diag_get(dg, i)->level == DIAG_ERROR)
            return diag_get(dg, i)->text;
    return "it cannot be read";
}

/* Does its PTX call functions by their address? */
static bool calls_by_address(cu_module *m, const cu_device *d)
{
    diag *dg = diag_new();
    cu_texts own = {0}, *t = &m->ptx;
    bool found = false;

    if (m->code)
        unpack_texts(m, m->code, d, false, dg, t = &own);
    for (size_t i = 0; i < t->count && !found; i++)
        found = strstr(t->part[i].text, ".callprototype");
    module_code_free_texts(&own);
    diag_free(dg);
    return found;
}

/* Where kernels are lacking and addresses of functions are in variables, PTX
 * beside would find those of the machine code there. NULL: they are not. */
static const char *lacks_too_much(cu_module *m, const cu_device *d,
                                  const rt_module *made)
{
    unsigned capability = m->capability[d->number];
    const isa_program *p = rt_module_program(made);
    bool much = p->missing_count && calls_by_address(m, d);

    m->capability[d->number] = capability;
    return much ? p->missing_why[0] : NULL;
}

rt_module *module_code_load(cu_module *m, const cu_device *d, diag *dg)
{
    if (m->code)
        m->machine_code = takes_machine_code(m, m->code, d);
    if (!m->machine_code)
        return load_ptx(m, d, NULL, dg);
    if (!module_code_has_other(m, d))
        return load_cubin(m, d, dg);
    diag *quiet = diag_new();
    rt_module *out = load_cubin(m, d, quiet);
    const char *why = out ? lacks_too_much(m, d, out) : error_of(quiet);

    if (why) {
        tell(m, NULL, why);
        rt_module_unload(out);
        out = load_ptx(m, d, NULL, dg);
    }
    diag_free(quiet);
    return out;
}

rt_module *module_code_beside(cu_module *m, const cu_device *d,
                              const char *kernel, const char *why)
{
    rt_module **to = &m->beside[d->number];
    diag *dg = diag_new();

    if (!*to && module_code_has_other(m, d)) {
        *to = load_ptx(m, d, m->loaded[d->number].module, dg);
        module_code_print(dg, !*to);
    }
    if (*to)
        tell(m, kernel, why);
    diag_free(dg);
    return *to;
}

rt_module *module_code_holder(cu_module *m, const cu_device *d, rt_module *made,
                              const char *kernel)
{
    const char *why = rt_module_lacks(made, kernel);
    rt_module *other = why ? module_code_beside(m, d, kernel, why) : NULL;

    return other ? other : made;
}
