/* Accelerations of n bodies (x, y, z, mass) under gravity with softening, all
 * pairs; tiles of 256 bodies pass through shared memory. n is a multiple of
 * 256. */
#include "../cuda_lite.h"

extern "C" __global__ void nbody(const float4 *body, float4 *accel, unsigned n,
                                 float soft2)
{
    __shared__ float4 tile[256];
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;
    float4 me = body[i];
    float ax = 0, ay = 0, az = 0;

    for (unsigned first = 0; first < n; first += 256) {
        tile[t] = body[first + t];
        __syncthreads();
        for (unsigned j = 0; j < 256; j++) {
            float4 o = tile[j];
            float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + soft2);
            float f = o.w * inv * inv * inv;
            ax += dx * f;
            ay += dy * f;
            az += dz * f;
        }
        __syncthreads();
    }
    accel[i] = make_float4(ax, ay, az, 0);
}
