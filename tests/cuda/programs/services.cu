/* services.cu - what kernels ask for: text, memory of the heap, and an
 * assertion, after which the device gives nothing but that error. */
#include <assert.h>
#include <cuda_runtime.h>

#include "check.h"

enum { THREADS = 64 };

/* Each thread a list of its own length; another launch takes them down. */
struct item {
    int value;
    item *next;
};

__global__ void build(item **lists)
{
    item *list = NULL;

    for (unsigned i = 0; i <= threadIdx.x % 7; i++) {
        item *more = (item *)malloc(sizeof *more);

        assert(more);
        more->value = (int)(threadIdx.x * i);
        more->next = list;
        list = more;
    }
    lists[threadIdx.x] = list;
}

__global__ void take_down(item **lists, int *sums)
{
    int sum = 0;

    for (item *i = lists[threadIdx.x], *next; i; i = next) {
        sum += i->value;
        next = i->next;
        free(i);
    }
    sums[threadIdx.x] = sum;
    if (threadIdx.x % 32 == 5)
        printf("thread %d of %s: %d, %.2f\n", (int)threadIdx.x, "take_down",
               sum, sum / 4.0);
}

__global__ void must_be(int value, int limit) { assert(value < limit); }

int main()
{
    int got[THREADS], *sums;
    item **lists;

    TRY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    TRY(cudaMalloc((void **)&lists, THREADS * sizeof *lists));
    TRY(cudaMalloc(&sums, sizeof got));
    build<<<1, THREADS>>>(lists);
    take_down<<<1, THREADS>>>(lists, sums);
    TRY(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
    for (int t = 0; t < THREADS; t++) {
        int due = 0;

        for (int i = 0; i <= t % 7; i++)
            due += t * i;
        SAME(got[t], due, t);
    }
    must_be<<<1, 1>>>(3, 4);
    TRY(cudaDeviceSynchronize());
    must_be<<<1, 1>>>(4, 4);
    SAME(cudaDeviceSynchronize(), cudaErrorAssert, 0);
    SAME(cudaMemset(sums, 0, sizeof got), cudaErrorAssert, 1);
    return passed();
}
