/* src/lab/view.c - see view.h. */
#include "lab/view.h"

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
