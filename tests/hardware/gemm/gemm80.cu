/* tests/hardware/gemm/gemm80.cu - steps that an A100 has: a thread for each
 * element, tiles in registers, and tensor cores fed by asynchronous copies.
 * gemm80.ptx is what nvcc 13 makes of it (tools/gemm-ptx). */
#include "gemm.h"

/* A thread computes an element, from single-precision matrices: b is k x n
 * here, so that neighbours read neighbours. */
extern "C" __global__ void naive(const float *a, const float *b, float *c,
                                 int n, int k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;

    for (int i = 0; i < k; i++)
        sum = fmaf(a[(size_t)y * k + i], b[(size_t)i * n + x], sum);
    c[(size_t)y * n + x] = sum;
}

/* 128 x 128 of c by 256 threads, 8 x 8 each, by ordinary multiply-adds: slices
 * of 16 of k go through shared memory, transposed and widened on the way. */
enum { SIDE = 128, DEEP = 16 };

static __device__ __forceinline__ void widen(float (*to)[SIDE + 4],
                                             const bf16 *from, int k)
{
    int row = threadIdx.x / 2, col = threadIdx.x % 2 * 8;
    union {
        uint4 all;
        __nv_bfloat162 pair[4];
    } in;

    in.all = *(const uint4 *)(from + (size_t)row * k + col);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 f = __bfloat1622float2(in.pair[i]);

        to[col + 2 * i][row] = f.x;
        to[col + 2 * i + 1][row] = f.y;
    }
}

extern "C" __global__ void __launch_bounds__(256)
    registers(const bf16 *a, const bf16 *b, float *c, int n, int k)
{
    __shared__ __align__(16) float sa[DEEP][SIDE + 4], sb[DEEP][SIDE + 4];
    int y = threadIdx.x / 16 * 4, x = threadIdx.x % 16 * 4;
    float sum[8][8] = {};

    a += (size_t)blockIdx.y * SIDE * k;
    b += (size_t)blockIdx.x * SIDE * k;
    c += (size_t)blockIdx.y * SIDE * n + blockIdx.x * SIDE;
    for (int at = 0; at < k; at += DEEP) {
        widen(sa, a + at, k);
        widen(sb, b + at, k);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEEP; i++) {
            float p[8], q[8];

            *(float4 *)p = *(const float4 *)&sa[i][y];
            *(float4 *)(p + 4) = *(const float4 *)&sa[i][y + 64];
            *(float4 *)q = *(const float4 *)&sb[i][x];
            *(float4 *)(q + 4) = *(const float4 *)&sb[i][x + 64];
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int s = 0; s < 8; s++)
                    sum[r][s] = fmaf(p[r], q[s], sum[r][s]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 8; r++) {
        float *to = c + (size_t)(y + r % 4 + r / 4 * 64) * n + x;

        *(float4 *)to = *(float4 *)sum[r];
        *(float4 *)(to + 64) = *(float4 *)(sum[r] + 4);
    }
}

/* 128 x 256 of c by eight warps of 64 x 64, slices of 32 of k in four stages:
 * cp.async, ldmatrix, mma.m16n8k16. A row of a stage is 64 bytes; its pieces of
 * 16 are exchanged so that the eight rows that ldmatrix reads are in different
 * banks. */
enum { MMA_M = 128, MMA_N = 256, MMA_K = 32, STAGES = 4 };
enum { STAGE = (MMA_M + MMA_N) * MMA_K * 2 };

static __device__ __forceinline__ uint32_t piece(int row, int col)
{
    return row * (MMA_K * 2) + (col ^ (row / 2 % 4)) * 16;
}

static __device__ __forceinline__ void fetch(uint32_t to, const bf16 *from,
                                             int rows, int k)
{
#pragma unroll
    for (int i = threadIdx.x; i < rows * 4; i += 256)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         to + piece(i / 4, i % 4)),
                     "l"(from + (size_t)(i / 4) * k + i % 4 * 8)
                     : "memory");
}

static __device__ __forceinline__ void matrices(uint32_t *to, uint32_t at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at)
                 : "memory");
}

static __device__ __forceinline__ void multiply(float *d, const uint32_t *a,
                                                const uint32_t *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
                   "r"(b[1]));
}

/* The products of one stage for the warp at (y, x) of the tile. */
static __device__ __forceinline__ void stage(float (*sum)[8][4], uint32_t at,
                                             int y, int x)
{
    int lane = threadIdx.x % 32;

#pragma unroll
    for (int half = 0; half < 2; half++) {
        uint32_t a[4][4], b[4][4];

#pragma unroll
        for (int i = 0; i < 4; i++) {
            matrices(a[i],
                     at + piece(y + i * 16 + lane % 16, half * 2 + lane / 16));
            matrices(b[i], at + MMA_M * MMA_K * 2 +
                               piece(x + i * 16 + lane % 8 + lane / 16 * 8,
                                     half * 2 + lane / 8 % 2));
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 8; j++)
                multiply(sum[i][j], a[i], b[j / 2] + j % 2 * 2);
    }
}

extern "C" __global__ void __launch_bounds__(256)
    mma(const bf16 *a, const bf16 *b, float *c, int n, int k)
{
    extern __shared__ __align__(128) char shared[];
    uint32_t base = shared_at(shared);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int y = warp / 4 * 64, x = warp % 4 * 64;
    float sum[4][8][4] = {};

    a += (size_t)blockIdx.y * MMA_M * k;
    b += (size_t)blockIdx.x * MMA_N * k;
    c += ((size_t)blockIdx.y * MMA_M + y) * n + blockIdx.x * MMA_N + x;
#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
        fetch(base + i * STAGE, a + i * MMA_K, MMA_M, k);
        fetch(base + i * STAGE + MMA_M * MMA_K * 2, b + i * MMA_K, MMA_N, k);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int i = 0; i < k / MMA_K; i++) {
        int next = i + STAGES - 1;

        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        if (next < k / MMA_K) {
            uint32_t to = base + next % STAGES * STAGE;

            fetch(to, a + next * MMA_K, MMA_M, k);
            fetch(to + MMA_M * MMA_K * 2, b + next * MMA_K, MMA_N, k);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        stage(sum, base + i % STAGES * STAGE, y, x);
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) {
            float *to =
                c + (size_t)(i * 16 + lane / 4) * n + j * 8 + lane % 4 * 2;

            *(float2 *)to = *(float2 *)sum[i][j];
            *(float2 *)(to + (size_t)8 * n) = *(float2 *)(sum[i][j] + 2);
        }
}
