/* Forces between atoms that are neighbours, by a potential of Lennard-Jones:
 * one atom per thread, whose list is a column of `list`. */
#include "../cuda_lite.h"

extern "C" __global__ void forces(const float4 *at, const unsigned *list,
                                  float4 *force, unsigned n, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    float4 own = at[i];
    float3 sum = {0, 0, 0};
    for (unsigned k = 0; k < count; k++) {
        float4 other = at[list[k * n + i]];
        float x = own.x - other.x, y = own.y - other.y, z = own.z - other.z;
        float r2 = 1 / (x * x + y * y + z * z), r6 = r2 * r2 * r2;
        float pull = r2 * r6 * (r6 - 0.5f);

        sum.x += x * pull;
        sum.y += y * pull;
        sum.z += z * pull;
    }
    force[i] = make_float4(sum.x, sum.y, sum.z, 0);
}
