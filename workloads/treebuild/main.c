/* workloads/treebuild/main.c - the tree of a Barnes-Hut simulation, built by
 * all bodies at once; who changes a child locks it. Which cells there are does
 * not depend on the order, only their numbers do. So what is compared is how
 * many there are, and the bodies in the order in which a walk meets them, which
 * is that of their Morton codes. */
#include "rig.h"

#include <stdlib.h>

RIG_SOURCE("treebuild/kernel.cl");

enum { LEVELS = 16 };

typedef struct body {
    uint32_t code, number;
} body;

static int compare(const void *a, const void *b)
{
    uint32_t x = ((const body *)a)->code, y = ((const body *)b)->code;

    return x < y ? -1 : x > y;
}

/* Different ones for different i. */
static uint32_t code_of(uint32_t i, uint32_t seed)
{
    uint32_t x = (i ^ seed) * 0x9e3779b1u;

    x = (x ^ x >> 15) * 0x85ebca6bu;
    return x ^ x >> 13;
}

/* Every second bit, from bit `from` on, as a number from 0 to 1 that no border
 * of a cell is at. */
static float coordinate(uint32_t code, unsigned from)
{
    uint32_t v = 0;

    for (unsigned k = 0; k < LEVELS; k++)
        v |= (code >> (2 * k + from) & 1) << k;
    return ((float)v + 0.5f) / 65536;
}

/* Those below the root: one for each prefix that two bodies share. */
static uint32_t count_cells(const body *sorted, unsigned n)
{
    uint32_t cells = 0;

    for (unsigned level = 1; level < LEVELS; level++) {
        unsigned shift = 2 * (LEVELS - level);
        bool counted = false;

        for (unsigned i = 1; i < n; i++) {
            bool same = sorted[i].code >> shift == sorted[i - 1].code >> shift;

            cells += same && !counted;
            counted = same;
        }
    }
    return cells;
}

static void gen(wl *w, unsigned n)
{
    float *x = wl_input_f32(w, "x", n), *y = wl_input_f32(w, "y", n);
    uint32_t *order = wl_expect_u32(w, "order", n);
    uint32_t *cells = wl_expect_u32(w, "cells", 1);
    body *sorted = wl_scratch(w, n * sizeof *sorted);
    uint32_t seed = wl_random(w);

    for (unsigned i = 0; i < n; i++) {
        sorted[i] = (body){code_of(i, seed), i + 1};
        x[i] = coordinate(sorted[i].code, 0);
        y[i] = coordinate(sorted[i].code, 1);
    }
    qsort(sorted, n, sizeof *sorted, compare);
    cells[0] = count_cells(sorted, n);
    wl_zero(w, "child", WL_U32, 4 * ((size_t)cells[0] + 1));
    for (unsigned i = 0; i < n; i++)
        order[i] = sorted[i].number;
}

typedef struct tree {
    const int32_t *child;
    uint32_t n, cells, *order;
    uint32_t bodies, seen; /* met so far */
} tree;

static void walk(tree *t, uint32_t cell, unsigned level)
{
    for (unsigned c = 0; c < 4; c++) {
        uint32_t ch = (uint32_t)t->child[4 * cell + c];

        if (ch && ch <= t->n && t->bodies < t->n)
            t->order[t->bodies++] = ch;
        if (ch <= t->n || ch - t->n - 1 > t->cells || level == LEVELS)
            continue;
        t->seen++;
        walk(t, ch - t->n - 1, level + 1);
    }
}

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel build = rig_kernel(o, "build");
    dev_memory x = rig_buffer(o, "x"), y = rig_buffer(o, "y");
    dev_memory cells = rig_buffer(o, "cells");
    uint32_t count = *(const uint32_t *)wl_find(o->data, "cells")->expect;
    size_t bytes = 4 * sizeof(int32_t) * ((size_t)count + 1);
    dev_memory child = rig_buffer(o, "child");
    int32_t *got = rig_alloc(o, bytes);
    uint32_t *order = rig_alloc(o, n * sizeof *order);
    tree t = {got, n, count, order, 0, 0};

    rig_args(o, build, "mmmmu", x, y, child, cells, n);
    rig_run(o, build, n, 128);
    rig_check(o, "cells", cells);
    rig_read(o, child, got, bytes);
    walk(&t, 0, 1);
    rig_compare(o, "order", order);
    rig_compare(o, "cells", &t.seen);
    free(got);
    free(order);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "treebuild", "a quadtree, a lock for each child", 0, "bodies", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {2048, 16384, 131072},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
