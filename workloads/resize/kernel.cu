/* Magnifies an image by linear interpolation and sharpens it: the value at a
 * point of the image, lifted off the mean of four around it. Steps of whole
 * 256ths keep the weights of the filter exact. The texture object holds its
 * sampler; the second parameter is there for OpenCL's kernel. */
#include "../cuda_lite.h"

extern "C" __global__ void resize(cudaTextureObject_t in,
                                  unsigned long long sampler,
                                  cudaSurfaceObject_t out, unsigned n,
                                  float step)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    (void)sampler;
    if (x >= n || y >= n)
        return;
    float u = x * step + 0.5f, v = y * step + 0.5f;
    float sum = tex2D<float>(in, u + 0.5f, v) + tex2D<float>(in, u - 0.5f, v) +
                tex2D<float>(in, u, v + 0.5f) + tex2D<float>(in, u, v - 0.5f);
    surf2Dwrite<float>(2 * tex2D<float>(in, u, v) - 0.25f * sum, out, 4 * x, y);
}
