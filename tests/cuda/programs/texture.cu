/* texture.cu - textures of an array (linear filter) and of pitched memory, and
 * a surface that is read and written. */
#include <cuda_runtime.h>

#include "check.h"

enum { W = 37, H = 23 };

/* Halfway between four texels: exact in nine bits, as all are whole numbers. */
__global__ void means(cudaTextureObject_t t, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < W && y < H)
        out[y * W + x] = tex2D<float>(t, x + 1.0f, y + 1.0f);
}

/* To the left, where the border is. */
__global__ void shift(cudaTextureObject_t t, cudaSurfaceObject_t s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < W && y < H)
        surf2Dwrite<float>(tex2D<float>(t, x - 2 + 0.5f, y + 0.5f), s, x * 4,
                           y);
}

__global__ void twice(cudaSurfaceObject_t s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < W && y < H)
        surf2Dwrite<float>(2 * surf2Dread<float>(s, x * 4, y), s, x * 4, y);
}

static float texel(int x, int y)
{
    x = x < 0 ? 0 : x < W ? x : W - 1;
    y = y < H ? y : H - 1;
    return (float)(x * x + 100 * y);
}

static cudaTextureObject_t texture(const cudaResourceDesc &what,
                                   cudaTextureFilterMode filter)
{
    cudaTextureDesc how = {};
    cudaTextureObject_t t;

    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = filter;
    how.readMode = cudaReadModeElementType;
    TRY(cudaCreateTextureObject(&t, &what, &how, NULL));
    return t;
}

int main()
{
    static float host[H][W], got[H][W];
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc of_array = {}, of_pitch = {};
    cudaArray_t array;
    cudaSurfaceObject_t surface;
    dim3 block(16, 4), grid((W + 15) / 16, (H + 3) / 4);
    float *pitched, *out;
    size_t pitch;

    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            host[y][x] = texel(x, y);
    TRY(cudaMallocArray(&array, &format, W, H, cudaArraySurfaceLoadStore));
    TRY(cudaMemcpy2DToArray(array, 0, 0, host, W * 4, W * 4, H,
                            cudaMemcpyHostToDevice));
    of_array.resType = cudaResourceTypeArray;
    of_array.res.array.array = array;
    TRY(cudaMalloc(&out, sizeof host));
    cudaTextureObject_t linear = texture(of_array, cudaFilterModeLinear);
    means<<<grid, block>>>(linear, out);
    TRY(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            SAME(got[y][x],
                 (texel(x, y) + texel(x + 1, y) + texel(x, y + 1) +
                  texel(x + 1, y + 1)) /
                     4,
                 y * W + x);

    TRY(cudaMallocPitch(&pitched, &pitch, W * 4, H));
    TRY(cudaMemcpy2D(pitched, pitch, host, W * 4, W * 4, H,
                     cudaMemcpyHostToDevice));
    of_pitch.resType = cudaResourceTypePitch2D;
    of_pitch.res.pitch2D.devPtr = pitched;
    of_pitch.res.pitch2D.desc = format;
    of_pitch.res.pitch2D.width = W;
    of_pitch.res.pitch2D.height = H;
    of_pitch.res.pitch2D.pitchInBytes = pitch;
    cudaTextureObject_t nearest = texture(of_pitch, cudaFilterModePoint);
    TRY(cudaCreateSurfaceObject(&surface, &of_array));
    shift<<<grid, block>>>(nearest, surface);
    twice<<<grid, block>>>(surface);
    TRY(cudaMemcpy2DFromArray(got, W * 4, array, 0, 0, W * 4, H,
                              cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            SAME(got[y][x], 2 * texel(x - 2, y), y * W + x);
    TRY(cudaDestroyTextureObject(linear));
    TRY(cudaDestroyTextureObject(nearest));
    TRY(cudaDestroySurfaceObject(surface));
    TRY(cudaFreeArray(array));
    TRY(cudaFree(pitched));
    TRY(cudaFree(out));
    return passed();
}
