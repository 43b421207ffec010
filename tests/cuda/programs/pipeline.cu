/* pipeline.cu - pieces of pinned memory through three streams: copy, kernel,
 * copy; an event joins them for a sum, and a function of the host follows. */
#include <cuda_runtime.h>

#include "check.h"

enum { STREAMS = 3, PIECES = 7, PIECE = 1000, ALL = PIECES * PIECE };

__global__ void square(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = x[i] * x[i] + i;
}

__global__ void add_all(const int *x, int n, unsigned long long *sum)
{
    unsigned long long mine = 0;

    for (int i = threadIdx.x; i < n; i += blockDim.x)
        mine += x[i];
    atomicAdd(sum, mine);
}

static void CUDART_CB note(void *data) { *(int *)data = 42; }

int main()
{
    cudaStream_t streams[STREAMS], last;
    cudaEvent_t done[PIECES], first, end;
    int *host, *device, noted = 0;
    unsigned long long *sum, got, due = 0;
    float ms = -1;

    TRY(cudaMallocHost(&host, ALL * sizeof *host));
    TRY(cudaMalloc(&device, ALL * sizeof *device));
    TRY(cudaMalloc(&sum, sizeof *sum));
    TRY(cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking));
    TRY(cudaEventCreate(&first));
    TRY(cudaEventCreate(&end));
    for (int i = 0; i < STREAMS; i++)
        TRY(cudaStreamCreate(&streams[i]));
    for (int i = 0; i < ALL; i++)
        host[i] = i % 251;
    TRY(cudaMemsetAsync(sum, 0, sizeof *sum, last));
    TRY(cudaEventRecord(first, streams[0]));
    for (int i = 0; i < PIECES; i++) {
        cudaStream_t s = streams[i % STREAMS];
        int *h = host + i * PIECE, *d = device + i * PIECE;

        TRY(cudaMemcpyAsync(d, h, PIECE * sizeof *d, cudaMemcpyHostToDevice,
                            s));
        square<<<(PIECE + 127) / 128, 128, 0, s>>>(d, PIECE);
        TRY(cudaMemcpyAsync(h, d, PIECE * sizeof *d, cudaMemcpyDeviceToHost,
                            s));
        TRY(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
        TRY(cudaEventRecord(done[i], s));
        TRY(cudaStreamWaitEvent(last, done[i], 0));
    }
    add_all<<<1, 256, 0, last>>>(device, ALL, sum);
    TRY(cudaEventRecord(end, last));
    TRY(cudaLaunchHostFunc(last, note, &noted));
    TRY(cudaStreamSynchronize(last));
    TRY(cudaEventQuery(end));
    TRY(cudaEventElapsedTime(&ms, first, end));
    for (int i = 0; i < ALL; i++) {
        int is = (i % 251) * (i % 251) + i % PIECE;

        SAME(host[i], is, i);
        due += is;
    }
    TRY(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
    SAME(got, due, 0);
    SAME(noted, 42, 0);
    SAME(ms >= 0, true, 0);
    for (int i = 0; i < PIECES; i++)
        TRY(cudaEventDestroy(done[i]));
    for (int i = 0; i < STREAMS; i++)
        TRY(cudaStreamDestroy(streams[i]));
    TRY(cudaStreamDestroy(last));
    TRY(cudaFreeHost(host));
    TRY(cudaFree(device));
    TRY(cudaFree(sum));
    return passed();
}
