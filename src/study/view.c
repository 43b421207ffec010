/* src/study/view.c - see view.h. */
#include "study/view.h"

#include <string.h>

#include "config/param.h"
#include "energy/energy.h"

view_name view_name_of(const char *name, arena *mem, const char **of)
{
    static const char *const functions[] = {
        [VIEW_MEAN] = "mean(", [VIEW_JAIN] = "jain(", [VIEW_BASE] = "base("};
    static const char prefix[] = "energy.";
    static const uint64_t none[ENERGY_PARTS];
    uint64_t fj;

    for (unsigned i = VIEW_MEAN; i <= VIEW_BASE; i++) {
        size_t n = strlen(functions[i]);

        if (strncmp(name, functions[i], n))
            continue;
        *of = arena_strndup(mem, name + n, strlen(name + n) - 1);
        return (view_name)i;
    }
    if (!strncmp(name, prefix, strlen(prefix)) &&
        energy_sum_fj(none, name + strlen(prefix), &fj)) {
        *of = name + strlen(prefix);
        return VIEW_ENERGY;
    }
    *of = name;
    return config_param_find(name) ? VIEW_PARAM : VIEW_COUNTER;
}

size_t view_count(const view *v)
{
    size_t n = 0;

    while (n < VIEW_ITEMS && v->items[n].name)
        n++;
    return n;
}

size_t view_count_of(const view *v, view_kind kind)
{
    size_t n = 0;

    for (size_t i = 0; i < view_count(v); i++)
        n += v->items[i].kind == kind;
    return n;
}

size_t view_first(const view *v, view_kind kind)
{
    size_t i = 0;

    while (i < view_count(v) && v->items[i].kind < kind)
        i++;
    return i;
}
