/* symbols.cu - constants and variables of the device, by symbol and by address.
 */
#include <cuda_runtime.h>

#include "check.h"

enum { TAPS = 9, N = 700 };

struct limits {
    int low, high;
};

__constant__ int taps[TAPS];
__constant__ limits range = {-50, 50}; /* until the host says otherwise */
__device__ unsigned clipped;
__device__ int table[4] = {1, 2, 3, 4};

__global__ void filter(const int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

    if (i >= N)
        return;
    for (int k = 0; k < TAPS; k++)
        if (i + k < N)
            sum += taps[k] * x[i + k];
    sum *= table[i % 4];
    if (sum < range.low || sum > range.high)
        atomicAdd(&clipped, 1u);
    y[i] = sum < range.low ? range.low : sum > range.high ? range.high : sum;
}

/* The same on the host. */
static unsigned expected(const int *x, const int *w, const int *t, limits r,
                         int *y)
{
    unsigned count = 0;

    for (int i = 0; i < N; i++) {
        int sum = 0;

        for (int k = 0; k < TAPS && i + k < N; k++)
            sum += w[k] * x[i + k];
        sum *= t[i % 4];
        count += sum < r.low || sum > r.high;
        y[i] = sum < r.low ? r.low : sum > r.high ? r.high : sum;
    }
    return count;
}

int main()
{
    static int x[N], due[N], got[N];
    int w[TAPS], t[4] = {1, 2, 3, 4}, *dx, *dy;
    limits r = {-50, 50};
    unsigned count, all = 0;
    void *at;
    size_t size = 0;

    for (int i = 0; i < N; i++)
        x[i] = (i * 37 % 101) - 50;
    for (int i = 0; i < TAPS; i++)
        w[i] = i - 4;
    TRY(cudaMalloc(&dx, sizeof x));
    TRY(cudaMalloc(&dy, sizeof x));
    TRY(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    TRY(cudaMemcpyToSymbol(taps, w, sizeof w));
    for (int turn = 0; turn < 3; turn++) {
        if (turn == 1) { /* one tap, and all limits */
            w[3] = 20;
            r = {-900, 1100};
            TRY(cudaMemcpyToSymbol(taps, &w[3], sizeof *w, 3 * sizeof *w));
            TRY(cudaMemcpyToSymbol(range, &r, sizeof r));
        }
        if (turn == 2) { /* by its address */
            t[2] = -6;
            TRY(cudaGetSymbolAddress(&at, table));
            TRY(cudaGetSymbolSize(&size, table));
            SAME(size, sizeof t, 0);
            TRY(cudaMemcpy((int *)at + 2, &t[2], sizeof *t,
                           cudaMemcpyHostToDevice));
        }
        filter<<<(N + 127) / 128, 128>>>(dx, dy);
        TRY(cudaMemcpy(got, dy, sizeof got, cudaMemcpyDeviceToHost));
        all += expected(x, w, t, r, due);
        for (int i = 0; i < N; i++)
            SAME(got[i], due[i], i);
        TRY(cudaMemcpyFromSymbol(&count, clipped, sizeof count));
        SAME(count, all, turn);
    }
    TRY(cudaFree(dx));
    TRY(cudaFree(dy));
    return passed();
}
