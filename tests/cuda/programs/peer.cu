/* peer.cu - two devices: each computes, copies go from one to the other, and
 * one reads the other's memory. */
#include <cuda_runtime.h>

#include "check.h"

enum { N = 2000 };

__global__ void add(int *x, const int *y, int more)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        x[i] = (y ? y[i] : i) + more;
}

int main()
{
    static int got[2][N];
    int count = 0, can = 0, device = -1, *x[2], *other;
    cudaEvent_t done;
    cudaStream_t streams[2];

    TRY(cudaGetDeviceCount(&count));
    SAME(count, 2, 0);
    for (int d = 0; d < 2; d++) {
        TRY(cudaSetDevice(d));
        TRY(cudaDeviceCanAccessPeer(&can, d, 1 - d));
        SAME(can, 1, d);
        TRY(cudaDeviceEnablePeerAccess(1 - d, 0));
        SAME(cudaDeviceEnablePeerAccess(1 - d, 0),
             cudaErrorPeerAccessAlreadyEnabled, d);
        cudaGetLastError();
        TRY(cudaStreamCreate(&streams[d]));
        TRY(cudaMalloc(&x[d], sizeof got[d]));
        add<<<(N + 127) / 128, 128, 0, streams[d]>>>(x[d], NULL, 1000 * d);
    }
    TRY(cudaStreamSynchronize(streams[0]));
    TRY(cudaStreamSynchronize(streams[1]));
    /* Device 1, which is the current one: a copy of what device 0 has. */
    TRY(cudaMalloc(&other, sizeof got[1]));
    TRY(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    TRY(cudaMemcpyPeer(other, 1, x[0], 0, sizeof got[0]));
    add<<<(N + 127) / 128, 128, 0, streams[1]>>>(other, other, 5);
    TRY(cudaEventRecord(done, streams[1]));
    /* Device 0 waits for it, and reads it in place. */
    TRY(cudaSetDevice(0));
    TRY(cudaStreamWaitEvent(streams[0], done, 0));
    add<<<(N + 127) / 128, 128, 0, streams[0]>>>(x[0], other, 70);
    TRY(cudaStreamSynchronize(streams[0]));
    TRY(cudaGetDevice(&device));
    SAME(device, 0, 0);
    for (int d = 0; d < 2; d++)
        TRY(cudaMemcpy(got[d], x[d], sizeof got[d], cudaMemcpyDefault));
    for (int i = 0; i < N; i++) {
        SAME(got[0][i], i + 75, i);
        SAME(got[1][i], i + 1000, i);
    }
    for (int d = 0; d < 2; d++) {
        TRY(cudaStreamDestroy(streams[d]));
        TRY(cudaFree(x[d]));
    }
    TRY(cudaEventDestroy(done));
    TRY(cudaFree(other));
    return passed();
}
