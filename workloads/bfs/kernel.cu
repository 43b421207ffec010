/* One level of a breadth-first search: threads whose vertex was reached in
 * `depth` reach its neighbours. level holds ~0 where nobody has been. */
#include "../cuda_lite.h"

extern "C" __global__ void bfs_level(const unsigned *start,
                                     const unsigned *edge, unsigned *level,
                                     unsigned *reached, unsigned depth,
                                     unsigned vertices)
{
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v >= vertices || level[v] != depth)
        return;
    for (unsigned i = start[v]; i < start[v + 1]; i++) {
        unsigned to = edge[i];
        if (level[to] == ~0u) {
            level[to] = depth + 1;
            *reached = depth + 1;
        }
    }
}
