/* The probing half of a hash join: each thread looks for the keys of `each`
 * rows and adds what belongs to those found. Slots are pairs of key and value,
 * 0 is no key; behind a slot that has another key the next is tried. */
#include "../cuda_lite.h"

extern "C" __global__ void probe(const uint2 *slot, const unsigned *key,
                                 unsigned *sum, unsigned n, unsigned mask,
                                 unsigned each)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, total = 0;

    if (i >= n)
        return;
    for (unsigned k = 0; k < each; k++) {
        unsigned wanted = key[k * n + i], at = wanted * 0x9e3779b1u >> 7 & mask;
        uint2 s = slot[at];

        while (s.x && s.x != wanted) {
            at = (at + 1) & mask;
            s = slot[at];
        }
        total += s.x ? s.y : 0;
    }
    sum[i] = total;
}
