/* k-means of points in the plane, 8 clusters: assign each point to the nearest
 * centre, add it to that cluster's sums (x, y, count) with atomics, then
 * move the centres and clear the sums. */
#include "../cuda_lite.h"

extern "C" __global__ void kmeans_assign(const float2 *point,
                                         const float2 *centre, float *sums,
                                         unsigned *cluster, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    float2 p = point[i];
    float best = 3.0e38f;
    unsigned own = 0;
    for (unsigned k = 0; k < 8; k++) {
        float dx = p.x - centre[k].x, dy = p.y - centre[k].y;
        float d = dx * dx + dy * dy;
        if (d < best) {
            best = d;
            own = k;
        }
    }
    cluster[i] = own;
    atomicAdd(&sums[3 * own], p.x);
    atomicAdd(&sums[3 * own + 1], p.y);
    atomicAdd(&sums[3 * own + 2], 1.0f);
}

extern "C" __global__ void kmeans_move(float2 *centre, float *sums)
{
    unsigned k = threadIdx.x;
    float count = sums[3 * k + 2];

    if (count > 0)
        centre[k] = make_float2(sums[3 * k] / count, sums[3 * k + 1] / count);
    for (unsigned j = 0; j < 3; j++)
        sums[3 * k + j] = 0;
}
