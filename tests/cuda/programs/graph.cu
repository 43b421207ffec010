/* graph.cu - a graph from the capture of two streams, launched often, updated
 * by that of another capture. */
#include <cuda_runtime.h>

#include "check.h"

enum { N = 500 };

__global__ void step(int *x, int factor, int more)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        x[i] = x[i] * factor + more;
}

__global__ void join(const int *a, const int *b, int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        to[i] += a[i] - b[i];
}

/* a and b at the same time, then what comes of both. */
static cudaGraph_t capture(cudaStream_t one, cudaStream_t two, int *a, int *b,
                           int *to, int factor)
{
    cudaEvent_t fork, back;
    cudaGraph_t graph;

    TRY(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    TRY(cudaEventCreateWithFlags(&back, cudaEventDisableTiming));
    TRY(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    TRY(cudaEventRecord(fork, one));
    TRY(cudaStreamWaitEvent(two, fork, 0));
    step<<<(N + 63) / 64, 64, 0, one>>>(a, factor, 1);
    step<<<(N + 63) / 64, 64, 0, two>>>(b, 1, 5);
    TRY(cudaEventRecord(back, two));
    TRY(cudaStreamWaitEvent(one, back, 0));
    join<<<(N + 63) / 64, 64, 0, one>>>(a, b, to);
    TRY(cudaStreamEndCapture(one, &graph));
    TRY(cudaEventDestroy(fork));
    TRY(cudaEventDestroy(back));
    return graph;
}

int main()
{
    static int ha[N], hb[N], hto[N], got[N];
    cudaStream_t one, two;
    cudaGraphExecUpdateResultInfo info;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    size_t nodes = 0;
    int *a, *b, *to;

    TRY(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    TRY(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    TRY(cudaMalloc(&a, sizeof ha));
    TRY(cudaMalloc(&b, sizeof hb));
    TRY(cudaMalloc(&to, sizeof hto));
    for (int i = 0; i < N; i++) {
        ha[i] = i;
        hb[i] = 7 * i;
    }
    TRY(cudaMemcpy(a, ha, sizeof ha, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(b, hb, sizeof hb, cudaMemcpyHostToDevice));
    TRY(cudaMemset(to, 0, sizeof hto));
    TRY(cudaDeviceSynchronize());
    graph = capture(one, two, a, b, to, 2);
    TRY(cudaGraphGetNodes(graph, NULL, &nodes));
    SAME(nodes, 3, 0);
    TRY(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 4; i++)
        TRY(cudaGraphLaunch(exec, one));
    TRY(cudaGraphDestroy(graph));
    graph = capture(one, two, a, b, to, 3);
    TRY(cudaGraphExecUpdate(exec, graph, &info));
    SAME(info.result, cudaGraphExecUpdateSuccess, 0);
    for (int i = 0; i < 2; i++)
        TRY(cudaGraphLaunch(exec, one));
    TRY(cudaStreamSynchronize(one));
    for (int turn = 0; turn < 6; turn++)
        for (int i = 0; i < N; i++) {
            ha[i] = ha[i] * (turn < 4 ? 2 : 3) + 1;
            hb[i] += 5;
            hto[i] += ha[i] - hb[i];
        }
    TRY(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        SAME(got[i], hto[i], i);
    TRY(cudaGraphExecDestroy(exec));
    TRY(cudaGraphDestroy(graph));
    TRY(cudaStreamDestroy(one));
    TRY(cudaStreamDestroy(two));
    TRY(cudaFree(a));
    TRY(cudaFree(b));
    TRY(cudaFree(to));
    return passed();
}
