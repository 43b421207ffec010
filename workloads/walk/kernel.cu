/* Each thread walks over a graph and leaves each vertex by an edge drawn at
 * random; a walk ends where no edge leads on. Edges of vertex v are those from
 * start[v] to start[v + 1]. */
#include "../cuda_lite.h"

extern "C" __global__ void walk(const unsigned *start, const unsigned *edge,
                                unsigned *end, unsigned *length, unsigned n,
                                unsigned steps, unsigned vertices)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = i % vertices,
             draw = i, s;

    if (i >= n)
        return;
    for (s = 0; s < steps; s++) {
        unsigned first = start[at], degree = start[at + 1] - first;

        if (!degree)
            break;
        draw = draw * 1664525u + 1013904223u;
        at = edge[first + __umulhi(draw, degree)];
    }
    end[i] = at;
    length[i] = s;
}
