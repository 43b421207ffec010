/* PTX of which only some kernels are wanted. */
#include "isa/program.h"
#include "ptx/ptx.h"
#include "runtime/internal.h"

/* Leaves of the kernels only those of `names` and those that kernels may
 * launch; if one of these is no kernel, or several, all of them, so that the
 * message about it can list them. */
static void choose_kernels(ptx_module *m, const char *const *names, arena *mem)
{
    ptx_func **kept = ARENA_ARRAY(mem, ptx_func *, m->nfuncs + 1);
    uint32_t n = 0, found = 0, wanted = 0;

    while (names[wanted])
        wanted++;
    for (uint32_t i = 0; i < m->nfuncs; i++) {
        uint32_t j = 0;

        while (j < wanted && !isa_name_is(m->funcs[i]->name, names[j]))
            j++;
        found += m->funcs[i]->entry && j < wanted;
        if (!m->funcs[i]->entry || m->funcs[i]->taken || j < wanted)
            kept[n++] = m->funcs[i];
    }
    if (found != wanted)
        return;
    m->funcs = kept;
    m->nfuncs = n;
}

/* Is it among the names, which are `arg`? */
static bool is_named(void *arg, const char *kernel)
{
    const char *const *names = arg;

    while (*names && !isa_name_is(kernel, *names))
        names++;
    return *names != NULL;
}

/* Has all that is needed been parsed? A name that no kernel has, or several
 * have, is told with the names of all; and kernels may launch others. */
static bool is_enough(const ptx_module *m, const char *const *names)
{
    size_t wanted = 0, found = 0;

    while (names[wanted])
        wanted++;
    for (uint32_t i = 0; i < m->nfuncs; i++) {
        if (m->funcs[i]->skipped && m->funcs[i]->taken)
            return false;
        found += m->funcs[i]->entry && !m->funcs[i]->skipped;
    }
    return found == wanted;
}

static status parse_wanted(const rt_options *how, const char *path,
                           const char *text, size_t size, arena **mem, diag *dg,
                           ptx_module **m)
{
    if (how->kernels && size >= RT_PTX_BIG) {
        status st = ptx_parse_some(path, text, size, *mem, dg, is_named,
                                   (void *)how->kernels, m);

        if (st != ST_OK || is_enough(*m, how->kernels))
            return st;
        arena_free(*mem);
        *mem = arena_new();
    }
    return ptx_parse(path, text, size, *mem, dg, m);
}

status rt_compile_ptx(const config *cfg, const rt_options *how,
                      const char *path, const char *text, size_t size, diag *dg,
                      isa_program **out)
{
    arena *mem = arena_new();
    ptx_module *m;
    status st = parse_wanted(how, path, text, size, &mem, dg, &m);

    if (st == ST_OK && how->kernels)
        choose_kernels(m, how->kernels, mem);
    if (st == ST_OK)
        st = rt_compile_tree(cfg, how, m, NULL, dg, out);
    arena_free(mem);
    return st;
}
