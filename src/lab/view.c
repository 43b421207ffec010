/* src/lab/view.c - see view.h. */
#include "lab/view.h"

#include <string.h>

view_name view_name_of(const char *name, arena *mem, const char **of)
{
    static const char *const functions[] = {
        [VIEW_MEAN] = "mean(", [VIEW_JAIN] = "jain("};

    for (unsigned i = VIEW_MEAN; i <= VIEW_JAIN; i++) {
        size_t n = strlen(functions[i]);

        if (strncmp(name, functions[i], n))
            continue;
        *of = arena_strndup(mem, name + n, strlen(name + n) - 1);
        return (view_name)i;
    }
    *of = name;
    return VIEW_COUNTER;
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
