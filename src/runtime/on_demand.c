/* Modules whose kernels are compiled one by one, when they are first needed.
 *
 * The compiler lays out the variables of a module before its kernels, and the
 * same each time: so the module is compiled without any kernel, and each kernel
 * with nothing but itself; the variables of all are those of the former. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "runtime/internal.h"
#include "sass/cubin.h"

void rt_source_free(rt_source *s)
{
    if (!s)
        return;
    arena_free(s->mem);
    free(s->path);
    free(s->text);
    free(s);
}

/* Functions get numbers in the order in which kernels mention them, and a
 * kernel that launches another has to have its code. */
static bool needs_all(const char *text)
{
    static const char *const words[] = {".callprototype", "LaunchDevice",
                                        "GetParameterBuffer"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

static bool is_kernel(void *arg, const char *kernel)
{
    return arg && !strcmp(arg, kernel);
}

static status parse_source(const char *path, char *text, size_t size, diag *dg,
                           rt_source **out)
{
    rt_source *s = new0(1, sizeof *s);

    s->mem = arena_new();
    s->path = new_text(path);
    s->text = text;
    s->size = size;
    s->skips = size >= RT_PTX_BIG;
    diag_source(dg, s->path, s->text, s->size);
    status st = ptx_parse_some(s->path, s->text, s->size, s->mem, dg,
                               s->skips ? is_kernel : NULL, NULL, &s->tree);
    if (st == ST_OK)
        *out = s;
    else
        rt_source_free(s);
    return st;
}

/* The module's variables, without a kernel. Takes over the source. */
static status make_whole(rt_device *d, rt_source *s, rt_module *beside,
                         diag *dg, rt_module **out)
{
    isa_program *p = NULL;
    rt_options how = d->opt;

    how.partial = true;
    how.kernels = NULL;
    status st = rt_compile_tree(d->cfg, &how, s->tree, "", dg, &p);
    if (st == ST_OK)
        st = rt_module_make_beside(d, p, beside, dg, out);
    if (st == ST_OK) {
        (*out)->source = s;
        return ST_OK;
    }
    isa_program_free(p);
    rt_source_free(s);
    return st;
}

/* All of its kernels at once. */
static status load_all(rt_device *d, const char *path, const strbuf *text,
                       rt_module *beside, diag *dg, rt_module **out)
{
    isa_program *p = NULL;
    status st =
        rt_compile(d->cfg, &d->opt, path, text->text, text->size, dg, &p);

    if (st == ST_OK &&
        (st = rt_module_make_beside(d, p, beside, dg, out)) != ST_OK)
        isa_program_free(p);
    return st;
}

status rt_module_load_beside(rt_device *d, const char *path,
                             const rt_text *part, size_t count,
                             rt_module *beside, diag *dg, rt_module **out)
{
    strbuf text = {0};
    rt_source *s = NULL;
    status st = ST_OK;

    if (count > 1)
        st = rt_link_parts(part, count, dg, &text);
    else
        strbuf_write(&text, part->text, part->size);
    const char *name = count > 1 ? path : part->path;
    if (st == ST_OK && needs_all(text.text)) {
        st = load_all(d, name, &text, beside, dg, out);
    } else if (st == ST_OK) {
        char *own = new_copy(text.text, text.size + 1, 1);

        st = parse_source(name, own, text.size, dg, &s);
        if (st == ST_OK)
            st = make_whole(d, s, beside, dg, out);
    }
    strbuf_fini(&text);
    return st;
}

status rt_module_load_lazy(rt_device *d, const char *path, const rt_text *part,
                           size_t count, diag *dg, rt_module **out)
{
    if (cubin_is(part->text, part->size)) /* is compiled already */
        return rt_module_load_parts(d, path, part, count, 0, dg, out);
    return rt_module_load_beside(d, path, part, count, NULL, dg, out);
}

static rt_module *find_part(const rt_module *m, const char *kernel,
                            unsigned limit)
{
    rt_module *part = m->parts;

    while (part &&
           (strcmp(part->made_for, kernel) || part->register_limit != limit))
        part = part->next_part;
    return part;
}

static bool has_entry(const rt_source *s, const char *kernel)
{
    for (uint32_t i = 0; i < s->tree->nfuncs; i++)
        if (s->tree->funcs[i]->entry &&
            !strcmp(s->tree->funcs[i]->name, kernel))
            return true;
    return false;
}

/* Where bodies of kernels are not in the tree: parses that of one. Variables
 * that such bodies declare would come between those of the module. */
static status compile_skipped(const rt_module *m, const rt_options *how,
                              const char *kernel, diag *dg, isa_program **out)
{
    const rt_source *s = m->source;
    const isa_program *whole = m->program;
    arena *mem = arena_new();
    ptx_module *tree;
    status st = ptx_parse_some(s->path, s->text, s->size, mem, dg, is_kernel,
                               (void *)kernel, &tree);

    if (st == ST_OK)
        st = rt_compile_tree(m->device->cfg, how, tree, kernel, dg, out);
    for (uint32_t i = 0; st == ST_OK && i < whole->var_count; i++)
        if (i >= (*out)->var_count ||
            strcmp((*out)->vars[i].name, whole->vars[i].name) != 0) {
            diag_error(dg,
                       "%s: kernel '%s' declares variables, which a module of "
                       "more than %d MB must do outside of kernels",
                       s->path, kernel, RT_PTX_BIG >> 20);
            isa_program_free(*out);
            st = ST_PROGRAM;
        }
    arena_free(mem);
    return st;
}

static rt_module *make_part(rt_module *m, const char *kernel, unsigned limit,
                            diag *dg)
{
    const rt_source *s = m->source;
    rt_module *part = NULL;
    isa_program *p = NULL;
    rt_options how = m->device->opt;

    how.partial = false;
    how.kernels = NULL;
    rt_limit_registers(&how, limit);
    diag_source(dg, s->path, s->text, s->size);
    if ((s->skips ? compile_skipped(m, &how, kernel, dg, &p)
                  : rt_compile_tree(m->device->cfg, &how, s->tree, kernel, dg,
                                    &p)) != ST_OK)
        return NULL;
    if (rt_module_make(m->device, p, m, dg, &part) != ST_OK) {
        isa_program_free(p);
        return NULL;
    }
    part->made_for = new_text(kernel);
    part->register_limit = limit;
    part->next_part = m->parts;
    m->parts = part;
    return part;
}

rt_module *rt_module_with_limit(rt_module *m, const char *kernel,
                                unsigned max_registers, diag *dg)
{
    rt_module *part;

    if (!m->source)
        return rt_module_kernel(m, kernel, dg) ? m : NULL;
    if ((part = find_part(m, kernel, max_registers)))
        return part;
    if (has_entry(m->source, kernel))
        return make_part(m, kernel, max_registers, dg);
    diag_error(dg, "%s has no kernel '%s'", m->source->path, kernel);
    return NULL;
}

rt_module *rt_module_with(rt_module *m, const char *kernel, diag *dg)
{
    return rt_module_with_limit(m, kernel, 0, dg);
}

void rt_module_name(rt_module *m, const isa_kernel *k, const char *name)
{
    isa_kernel *is = &m->program->kernels[k - m->program->kernels];

    if (!is->symbol)
        is->symbol = is->name;
    is->name = arena_strdup(m->program->mem, name);
}
