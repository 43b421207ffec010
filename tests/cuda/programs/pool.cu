/* pool.cu - memory in the order of a stream, from the device's pool, which
 * keeps what is given back. */
#include <cuda_runtime.h>

#include "check.h"

enum { N = 4096, ROUNDS = 8 };

__global__ void fill(int *x, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        x[i] = first + i;
}

__global__ void add(int *to, const int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        to[i] += x[i];
}

static unsigned long long used(cudaMemPool_t pool, cudaMemPoolAttr what)
{
    unsigned long long bytes = 0;

    TRY(cudaMemPoolGetAttribute(pool, what, &bytes));
    return bytes;
}

int main()
{
    static int got[N];
    unsigned long long keep = ~0ull;
    cudaMemPool_t pool;
    cudaStream_t stream;
    int *sum, *x, *y;

    TRY(cudaDeviceGetDefaultMemPool(&pool, 0));
    TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    TRY(cudaStreamCreate(&stream));
    TRY(cudaMallocAsync(&sum, sizeof got, stream));
    TRY(cudaMemsetAsync(sum, 0, sizeof got, stream));
    for (int i = 0; i < ROUNDS; i++) {
        TRY(cudaMallocAsync(&x, sizeof got, stream));
        TRY(cudaMallocFromPoolAsync((void **)&y, sizeof got, pool, stream));
        fill<<<N / 256, 256, 0, stream>>>(x, i);
        fill<<<N / 256, 256, 0, stream>>>(y, -2 * i);
        add<<<N / 256, 256, 0, stream>>>(sum, x);
        add<<<N / 256, 256, 0, stream>>>(sum, y);
        TRY(cudaFreeAsync(x, stream));
        TRY(cudaFreeAsync(y, stream));
    }
    TRY(cudaMemcpyAsync(got, sum, sizeof got, cudaMemcpyDeviceToHost, stream));
    TRY(cudaStreamSynchronize(stream));
    for (int i = 0; i < N; i++) /* i - 2 i of all rounds, and i twice in each */
        SAME(got[i], 2 * ROUNDS * i - ROUNDS * (ROUNDS - 1) / 2, i);
    /* The sum's alone; at the height there were three. */
    SAME(used(pool, cudaMemPoolAttrUsedMemCurrent), sizeof got, 0);
    SAME(used(pool, cudaMemPoolAttrUsedMemHigh) >= 3 * sizeof got, true, 0);
    TRY(cudaFreeAsync(sum, stream));
    TRY(cudaStreamSynchronize(stream));
    SAME(used(pool, cudaMemPoolAttrUsedMemCurrent), 0, 0);
    TRY(cudaMemPoolTrimTo(pool, 0));
    TRY(cudaStreamDestroy(stream));
    return passed();
}
