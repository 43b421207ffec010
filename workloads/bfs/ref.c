/* workloads/bfs/ref.c - breadth-first levels with a queue. A random directed
 * graph of 1 to 15 edges a vertex, 8 on average; the search starts at 0. */
#include <string.h>

#include "tool/workload.h"

/* Returns the deepest level. */
static unsigned search(const uint32_t *start, const uint32_t *edge,
                       uint32_t *level, unsigned *queue)
{
    unsigned head = 0, tail = 0;

    level[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        unsigned v = queue[head++];

        for (unsigned i = start[v]; i < start[v + 1]; i++)
            if (level[edge[i]] == UINT32_MAX) {
                level[edge[i]] = level[v] + 1;
                queue[tail++] = edge[i];
            }
    }
    return level[queue[tail - 1]];
}

static void gen(wl *w, unsigned n)
{
    uint32_t *start = wl_input_u32(w, "start", (size_t)n + 1);

    for (unsigned v = 0; v < n; v++)
        start[v + 1] = start[v] + 1 + wl_below(w, 15);
    uint32_t *edge = wl_input_u32(w, "edge", start[n]);

    for (unsigned i = 0; i < start[n]; i++)
        edge[i] = wl_below(w, n);
    uint32_t *first = wl_input_u32(w, "level", n);
    uint32_t *level = wl_expect_u32(w, "level", n);

    memset(first, 0xff, n * sizeof *first);
    memset(level, 0xff, n * sizeof *level);
    first[0] = 0;
    unsigned depth =
        search(start, edge, level, wl_scratch(w, n * sizeof(unsigned)));
    wl_expect_u32(w, "reached", 1)[0] = depth;
    /* the last launch finds nothing new */
    for (unsigned d = 0; d <= depth; d++)
        wl_launch(w, "bfs_level", DIM1((n + 255) / 256), DIM1(256),
                  "start, edge, level, reached, %u, %u", d, n);
}

const workload wl_bfs = {"bfs", "breadth-first search by levels", 65536,
                         "vertices", gen};
