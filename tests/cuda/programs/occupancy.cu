/* occupancy.cu - how many CTAs an SM holds, a grid of just as many, more shared
 * memory than usual, and launches with attributes. */
#include <cuda_runtime.h>

#include "check.h"

enum { N = 20000, THREADS = 256 };

__global__ void sum(const int *x, int n, unsigned long long *out)
{
    extern __shared__ unsigned long long part[];
    unsigned long long mine = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        mine += x[i];
    part[threadIdx.x] = mine;
    for (unsigned by = blockDim.x / 2; by > 0; by /= 2) {
        __syncthreads();
        if (threadIdx.x < by)
            part[threadIdx.x] += part[threadIdx.x + by];
    }
    if (threadIdx.x == 0)
        atomicAdd(out, part[0]);
}

int main()
{
    int sms = 0, most = 0, few = 0, room = 0, *x, *host;
    unsigned long long *out, got, due = 0;

    host = (int *)malloc(N * sizeof *host);
    for (int i = 0; i < N; i++)
        due += host[i] = i ^ 0x155;
    TRY(cudaMalloc(&x, N * sizeof *x));
    TRY(cudaMalloc(&out, sizeof *out));
    TRY(cudaMemcpy(x, host, N * sizeof *x, cudaMemcpyHostToDevice));
    TRY(cudaMemset(out, 0, sizeof *out));
    TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    TRY(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                               0));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, sum, THREADS,
                                                      THREADS * 8));
    SAME(most >= 2, true, 0);
    /* As much shared memory as a CTA may have: one on an SM. */
    SAME(room > 48 * 1024, true, 0);
    TRY(cudaFuncSetAttribute(sum, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             room));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, sum, THREADS,
                                                      room));
    SAME(few, 1, 0);

    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t how = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    how.gridDim = dim3(sms * few);
    how.blockDim = dim3(THREADS);
    how.dynamicSmemBytes = room;
    how.attrs = &attribute;
    how.numAttrs = 1;
    TRY(cudaLaunchKernelEx(&how, sum, (const int *)x, (int)N, out));
    TRY(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    SAME(got, due, 0);
    /* One CTA more than fit at once cannot be a cooperative grid. */
    how.gridDim = dim3(sms * few + 1);
    SAME(cudaLaunchKernelEx(&how, sum, (const int *)x, (int)N, out) !=
             cudaSuccess,
         true, 1);
    cudaGetLastError();
    how.numAttrs = 0;
    TRY(cudaLaunchKernelEx(&how, sum, (const int *)x, (int)N, out));
    TRY(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    SAME(got, 2 * due, 1);
    TRY(cudaFree(x));
    TRY(cudaFree(out));
    free(host);
    return passed();
}
