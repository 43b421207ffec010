/* unified.cu - memory that host and device see: mapped, registered, managed
 * with a prefetch and advice. */
#include <cuda_runtime.h>

#include "check.h"

enum { N = 3000 };

/* CUDA 13 names places by a structure, earlier ones by a number. */
static cudaError_t prefetch(void *p, size_t size, int device)
{
#if CUDART_VERSION >= 13000
    cudaMemLocation place = {cudaMemLocationTypeDevice, device};

    if (device == cudaCpuDeviceId)
        place = {cudaMemLocationTypeHost, 0};
    return cudaMemPrefetchAsync(p, size, place, 0, 0);
#else
    return cudaMemPrefetchAsync(p, size, device, 0);
#endif
}

static cudaError_t mostly_read(void *p, size_t size)
{
#if CUDART_VERSION >= 13000
    cudaMemLocation place = {cudaMemLocationTypeDevice, 0};
#else
    int place = 0;
#endif
    return cudaMemAdvise(p, size, cudaMemAdviseSetReadMostly, place);
}

struct node {
    int value;
    node *next;
};

__global__ void add(const int *a, const int *b, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = 3 * a[i] + b[i];
}

__global__ void walk(const node *at, int *sum)
{
    for (; at; at = at->next)
        *sum += at->value;
}

int main()
{
    int *mapped, *seen, *own, *own_seen, *managed, sum = 0;
    node *nodes;

    TRY(cudaHostAlloc(&mapped, N * sizeof *mapped, cudaHostAllocMapped));
    TRY(cudaHostGetDevicePointer(&seen, mapped, 0));
    own = (int *)malloc(N * sizeof *own);
    TRY(cudaHostRegister(own, N * sizeof *own, cudaHostRegisterMapped));
    TRY(cudaHostGetDevicePointer(&own_seen, own, 0));
    TRY(cudaMallocManaged(&managed, (N + 1) * sizeof *managed));
    for (int i = 0; i < N; i++) {
        mapped[i] = i;
        own[i] = 100000 - i;
        managed[i] = -1;
    }
    TRY(mostly_read(managed, N * sizeof *managed));
    TRY(prefetch(managed, N * sizeof *managed, 0));
    add<<<(N + 255) / 256, 256>>>(seen, own_seen, managed, N);
    TRY(prefetch(managed, N * sizeof *managed, cudaCpuDeviceId));
    TRY(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        SAME(managed[i], 100000 + 2 * i, i);
    /* What was the device's is the host's at once, and the other way. */
    for (int i = 0; i < N; i++)
        mapped[i] = managed[i] / 2;
    add<<<(N + 255) / 256, 256>>>(seen, managed, own_seen, N);
    TRY(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        SAME(own[i], 3 * (50000 + i) + 100000 + 2 * i, i);
    /* A list that the host links. */
    TRY(cudaMallocManaged(&nodes, 50 * sizeof *nodes));
    for (int i = 0; i < 50; i++) {
        nodes[i].value = i * i;
        nodes[i].next = i ? &nodes[i - 1] : NULL;
        sum += i * i;
    }
    managed[N] = 0;
    walk<<<1, 1>>>(&nodes[49], managed + N);
    TRY(cudaDeviceSynchronize());
    SAME(managed[N], sum, 0);
    TRY(cudaHostUnregister(own));
    free(own);
    TRY(cudaFreeHost(mapped));
    TRY(cudaFree(managed));
    TRY(cudaFree(nodes));
    return passed();
}
