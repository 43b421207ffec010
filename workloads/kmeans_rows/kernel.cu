/* Each thread finds the centre that is nearest to its point. A point is a row
 * of `features` values: neighbours read places that are a row apart. */
#include "../cuda_lite.h"

extern "C" __global__ void nearest(const float *point, const float *centre,
                                   unsigned *cluster, unsigned n,
                                   unsigned features, unsigned clusters)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, own = 0;
    float best = 3.402823466e+38f;

    if (i >= n)
        return;
    for (unsigned k = 0; k < clusters; k++) {
        float sum = 0;

        for (unsigned f = 0; f < features; f++) {
            float d = point[i * features + f] - centre[k * features + f];
            sum += d * d;
        }
        if (sum < best) {
            best = sum;
            own = k;
        }
    }
    cluster[i] = own;
}
