/* cooperative.cu - a grid that waits for all its CTAs between the rounds of a
 * prefix sum, with tiles of warps for the sum at the end. */
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "check.h"

namespace cg = cooperative_groups;

enum { CTAS = 6, THREADS = 96, N = CTAS * THREADS };

/* Each round adds what stands 1, 2, 4, ... places before, of the other half. */
__global__ void prefix(int *x, unsigned *sum)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block_tile<16> tile =
        cg::tiled_partition<16>(cg::this_thread_block());
    int i = (int)grid.thread_rank(), from = 0;

    for (int by = 1; by < N; by *= 2) {
        int *is = x + from * N, *to = x + (1 - from) * N;

        to[i] = is[i] + (i >= by ? is[i - by] : 0);
        from = 1 - from;
        grid.sync();
    }
    if (from)
        x[i] = x[N + i];
    grid.sync();
    /* Of the neighbour in another CTA. */
    unsigned v = (unsigned)x[(i + THREADS) % N];
    for (unsigned by = tile.size() / 2; by > 0; by /= 2)
        v += tile.shfl_down(v, by);
    if (tile.thread_rank() == 0)
        atomicAdd(sum, v);
}

int main()
{
    static int host[2 * N], got[N];
    int *x, can = 0, is = 0;
    unsigned *sum, got_sum, due = 0;

    TRY(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
    SAME(can, 1, 0);
    for (int i = 0; i < N; i++)
        host[i] = i * 7 % 13;
    TRY(cudaMalloc(&x, sizeof host));
    TRY(cudaMalloc(&sum, sizeof *sum));
    for (int turn = 0; turn < 2; turn++) {
        void *args[] = {&x, &sum};

        TRY(cudaMemset(sum, 0, sizeof *sum));
        TRY(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
        TRY(cudaLaunchCooperativeKernel(prefix, dim3(CTAS), dim3(THREADS), args,
                                        0, 0));
        TRY(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
        is = 0;
        due = 0;
        for (int i = 0; i < N; i++) {
            is += host[i];
            due += (unsigned)is;
            SAME(got[i], is, i);
        }
        TRY(cudaMemcpy(&got_sum, sum, sizeof got_sum, cudaMemcpyDeviceToHost));
        SAME(got_sum, due, turn);
    }
    TRY(cudaFree(x));
    TRY(cudaFree(sum));
    return passed();
}
