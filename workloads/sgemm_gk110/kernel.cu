/* The product of sgemm.sass as one would write it for a compiler, for the same
 * launch: c = alpha a b + beta c, CTAs of 256 threads for 192 x 192 results, 12
 * by 12 of a thread; two slices of 8 in shared memory, one under way. */
#include "../cuda_lite.h"

enum {
    TILE = 192,
    SLICE = 8,
    LEAD = TILE + 4, /* of a in shared memory: stores meet no conflict */
    PART = 64,
    PARTS = 3,
    SIDE = 12
};

/* What a thread fetches of a slice. */
struct staged {
    float2 a[PARTS], b[PARTS];
};

static __device__ __forceinline__ void load(staged *s, const float *a,
                                            const float *b, int lda)
{
#pragma unroll
    for (int i = 0; i < PARTS; i++) {
        s->a[i] = *(const float2 *)(a + (long)i * PART * lda);
        s->b[i] = *(const float2 *)(b + i * PART);
    }
}

static __device__ __forceinline__ void store(const staged *s, float *a,
                                             float *b)
{
#pragma unroll
    for (int i = 0; i < PARTS; i++) {
        a[i * PART] = s->a[i].x;
        a[i * PART + LEAD] = s->a[i].y;
        *(float2 *)(b + i * PART) = s->b[i];
    }
}

static __device__ __forceinline__ void multiply(float sum[SIDE][SIDE],
                                                const float *a, const float *b)
{
#pragma unroll
    for (int k = 0; k < SLICE; k++) {
        float4 x[PARTS], y[PARTS];

#pragma unroll
        for (int i = 0; i < PARTS; i++) {
            y[i] = *(const float4 *)(a + k * LEAD + i * PART);
            x[i] = *(const float4 *)(b + k * TILE + i * PART);
        }
#pragma unroll
        for (int i = 0; i < SIDE; i++)
#pragma unroll
            for (int j = 0; j < SIDE; j++)
                sum[i][j] += ((const float *)y)[i] * ((const float *)x)[j];
    }
}

extern "C" __global__ void __launch_bounds__(256, 1)
    sgemm(const float *a, const float *b, float *c, int lda, int ldb, int ldc,
          int k, float alpha, float beta)
{
    static __shared__ float sa[2][SLICE * LEAD], sb[2][SLICE * TILE];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int tx = (lane % 8 + warp % 2 * 8) * 4, ty = (lane / 8 + warp / 2 * 4) * 4;
    int to_a = t % 4 * 2 * LEAD + t / 4, to_b = warp * TILE + lane * 2;
    int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sum[SIDE][SIDE] = {};
    staged next;

    a += (long)(row + t / 4) * lda + t % 4 * 2;
    b += (long)warp * ldb + column + lane * 2;
    c += (long)(row + ty) * ldc + column + tx;
    if (alpha == 0)
        k = 0;
    if (k) {
        load(&next, a, b, lda);
        store(&next, sa[0] + to_a, sb[0] + to_b);
        __syncthreads();
    }
    for (int at = 0, now = 0; at < k; at += SLICE, now ^= 1) {
        a += SLICE;
        b += (long)SLICE * ldb;
        if (at + SLICE < k)
            load(&next, a, b, lda);
        multiply(sum, sa[now] + ty, sb[now] + tx);
        if (at + SLICE < k)
            store(&next, sa[now ^ 1] + to_a, sb[now ^ 1] + to_b);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
        float *line = c + (long)(i / 4 * PART + i % 4) * ldc;

#pragma unroll
        for (int j = 0; j < SIDE; j++) {
            float *p = line + j / 4 * PART + j % 4;
            *p = beta == 0 ? alpha * sum[i][j] : alpha * sum[i][j] + beta * *p;
        }
    }
}
