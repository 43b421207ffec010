#include "gpu/dispatch/extents.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"

void extents_init(extents *x, unsigned pieces)
{
    x->room = pieces + 1;
    x->gap = new0(x->room, sizeof *x->gap);
}

void extents_fini(extents *x) { free(x->gap); }

static void find_largest(extents *x)
{
    x->largest = 0;
    for (unsigned i = 0; i < x->gaps; i++)
        if (x->gap[i].size > x->largest)
            x->largest = x->gap[i].size;
}

static void remove_gap(extents *x, unsigned i)
{
    x->gaps--;
    memmove(&x->gap[i], &x->gap[i + 1], (x->gaps - i) * sizeof *x->gap);
}

static void insert_gap(extents *x, unsigned i, uint64_t at, uint64_t size)
{
    MUST(x->gaps < x->room);
    memmove(&x->gap[i + 1], &x->gap[i], (x->gaps - i) * sizeof *x->gap);
    x->gap[i] = (extent){at, size};
    x->gaps++;
}

void extents_clear(extents *x, uint64_t size)
{
    x->gaps = 0;
    if (size)
        insert_gap(x, 0, 0, size);
    x->largest = size;
}

uint64_t extents_take(extents *x, uint64_t size)
{
    unsigned i = 0;

    if (!size)
        return 0;
    MUST(size <= x->largest);
    while (x->gap[i].size < size)
        i++;
    uint64_t at = x->gap[i].at;
    x->gap[i].at += size;
    x->gap[i].size -= size;
    if (!x->gap[i].size)
        remove_gap(x, i);
    find_largest(x);
    return at;
}

void extents_give(extents *x, uint64_t at, uint64_t size)
{
    unsigned i = 0;

    if (!size)
        return;
    while (i < x->gaps && x->gap[i].at < at)
        i++;
    bool low = i && x->gap[i - 1].at + x->gap[i - 1].size == at;
    bool high = i < x->gaps && at + size == x->gap[i].at;
    MUST(!i || x->gap[i - 1].at + x->gap[i - 1].size <= at);
    MUST(i == x->gaps || at + size <= x->gap[i].at);
    if (low && high) {
        x->gap[i - 1].size += size + x->gap[i].size;
        remove_gap(x, i);
    } else if (low) {
        x->gap[i - 1].size += size;
    } else if (high) {
        x->gap[i].at = at;
        x->gap[i].size += size;
    } else {
        insert_gap(x, i, at, size);
    }
    find_largest(x);
}
