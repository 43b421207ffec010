#include "cuda/stream/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void nodes_fini(cu_nodes *l)
{
    free(l->at);
    *l = (cu_nodes){0};
}

unsigned nodes_find(const cu_nodes *l, const struct cu_node *n)
{
    unsigned i = 0;

    while (i < l->count && l->at[i] != n)
        i++;
    return i;
}

bool nodes_add(cu_nodes *l, struct cu_node *n)
{
    if (nodes_find(l, n) < l->count)
        return false;
    GROW(l->at, l->count + 1, l->room);
    l->at[l->count++] = n;
    return true;
}

void nodes_add_all(cu_nodes *l, const cu_nodes *more)
{
    for (unsigned i = 0; i < more->count; i++)
        nodes_add(l, more->at[i]);
}

void nodes_remove(cu_nodes *l, const struct cu_node *n)
{
    unsigned i = nodes_find(l, n);

    if (i == l->count)
        return;
    l->count--;
    memmove(&l->at[i], &l->at[i + 1], (l->count - i) * sizeof *l->at);
}
