/* A round of colouring a graph after Jones and Plassmann: a vertex that comes
 * before all its neighbours without a colour takes the least colour that none
 * of the others has. Colours from 1 to 32, 0 is none. */
#include "../cuda_lite.h"

extern "C" __global__ void colour(const unsigned *start, const unsigned *edge,
                                  const unsigned *rank, const unsigned *old,
                                  unsigned *colour, unsigned *left,
                                  unsigned round, unsigned n)
{
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v >= n)
        return;
    unsigned own = old[v], used = 0;
    bool first = true;
    if (!own) {
        for (unsigned i = start[v]; i < start[v + 1]; i++) {
            unsigned c = old[edge[i]];

            if (c)
                used |= 1u << (c - 1);
            else
                first &= rank[v] < rank[edge[i]];
        }
        if (first) /* up to the lowest bit that is 0 */
            own = __popc(used ^ (used + 1));
        else
            *left = round;
    }
    colour[v] = own;
}
