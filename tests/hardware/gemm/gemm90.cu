/* tests/hardware/gemm/gemm90.cu - steps that need an H100: products of warp
 * groups from shared memory, filled by the tensor memory accelerator.
 * gemm90.ptx is what nvcc 13 makes of it for sm_90a (tools/gemm-ptx).
 *
 * A slice of 64 of k is 128 bytes a row, which is how far the swizzle of 128
 * bytes reaches: eight rows are a block of 1024 bytes, whose pieces of 16 are
 * exchanged by the accelerator and by the tensor cores alike. */
#include <cuda.h>

#include "gemm.h"

enum { DEEP = 64, GROUP = 128 /* threads */, ROW = DEEP * 2 };

/* ---- Barriers in shared memory ---- */

static __device__ __forceinline__ void barrier_init(uint32_t at, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(count)
                 : "memory");
}

static __device__ __forceinline__ void barrier_expect(uint32_t at, int bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at),
        "r"(bytes)
        : "memory");
}

static __device__ __forceinline__ void barrier_arrive(uint32_t at)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at)
                 : "memory");
}

static __device__ __forceinline__ void barrier_wait(uint32_t at, int parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(at),
                 "r"(parity)
                 : "memory");
}

/* Makes barriers that were just made known to the accelerator. */
static __device__ __forceinline__ void barrier_publish(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
}

/* ---- The accelerator ---- */

/* A box of the matrix to shared memory: x along k, y along the rows. */
static __device__ __forceinline__ void
load_box(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t barrier)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
        ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
        "l"(map), "r"(x), "r"(y), "r"(barrier)
        : "memory");
}

/* ---- Warp groups ---- */

/* The descriptor of a matrix in shared memory: address, 1024 bytes from eight
 * rows to the next eight, swizzle of 128 bytes. */
static __device__ __forceinline__ uint64_t matrix_at(uint32_t at)
{
    return (uint64_t)1 << 62 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 16 |
           (at & 0x3ffff) >> 4;
}

static __device__ __forceinline__ void products_begin(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static __device__ __forceinline__ void products_end(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int LEFT> static __device__ __forceinline__ void products_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

#define OUT8(d, i)                                                             \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]),                \
        "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define OUT32(d, i) OUT8(d, i), OUT8(d, i + 8), OUT8(d, i + 16), OUT8(d, i + 24)
#define R32                                                                    \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "   \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "   \
    "%30, %31"
#define R64                                                                    \
    R32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, "  \
        "%45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "    \
        "%58, %59, %60, %61, %62, %63"
#define R128                                                                   \
    R64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, "  \
        "%77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, "    \
        "%90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, "       \
        "%102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, "   \
        "%113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, "   \
        "%124, %125, %126, %127"

/* d += a b^T of 64 x N, 16 of k; d has N / 2 elements in each thread. */
template <int N> struct product;
template <> struct product<64> {
    static __device__ __forceinline__ void add(float *d, uint64_t a, uint64_t b)
    {
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                     "{" R32 "}, %32, %33, 1, 1, 1, 0, 0;"
                     : OUT32(d, 0)
                     : "l"(a), "l"(b));
    }
};
template <> struct product<128> {
    static __device__ __forceinline__ void add(float *d, uint64_t a, uint64_t b)
    {
        asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
                     "{" R64 "}, %64, %65, 1, 1, 1, 0, 0;"
                     : OUT32(d, 0), OUT32(d, 32)
                     : "l"(a), "l"(b));
    }
};
template <> struct product<256> {
    static __device__ __forceinline__ void add(float *d, uint64_t a, uint64_t b)
    {
        asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
                     "{" R128 "}, %128, %129, 1, 1, 1, 0, 0;"
                     : OUT32(d, 0), OUT32(d, 32), OUT32(d, 64), OUT32(d, 96)
                     : "l"(a), "l"(b));
    }
};

/* The products of a slice: M rows of a at `sa`, N of b at `sb`. */
template <int M, int N>
static __device__ __forceinline__ void slice(float (*sum)[N / 2], uint32_t sa,
                                             uint32_t sb)
{
    products_begin();
#pragma unroll
    for (int m = 0; m < M / 64; m++)
#pragma unroll
        for (int i = 0; i < DEEP / 16; i++)
            product<N>::add(sum[m], matrix_at(sa + m * 64 * ROW + i * 32),
                            matrix_at(sb + i * 32));
    products_end();
}

/* Sums of a group to c, whose first element of the group's rows is `c`. */
template <int M, int N>
static __device__ __forceinline__ void write(float *c, int n,
                                             float (*sum)[N / 2])
{
    int t = threadIdx.x % GROUP, row = t / 32 * 16 + t % 32 / 4;

#pragma unroll
    for (int m = 0; m < M / 64; m++)
#pragma unroll
        for (int i = 0; i < N / 8; i++) {
            float *to = c + (size_t)(m * 64 + row) * n + i * 8 + t % 4 * 2;

            *(float2 *)to = *(float2 *)(sum[m] + i * 4);
            *(float2 *)(to + (size_t)8 * n) = *(float2 *)(sum[m] + i * 4 + 2);
        }
}

/* ---- One slice at a time ---- */

/* M x N of c by one group, which asks for a slice and waits for it. */
template <int M, int N>
static __device__ __forceinline__ void
one_slice(const CUtensorMap *a, const CUtensorMap *b, float *c, int n, int k)
{
    extern __shared__ __align__(1024) char shared[];
    __shared__ __align__(8) uint64_t full;
    uint32_t sa = shared_at(shared), sb = sa + M * ROW;
    uint32_t barrier = shared_at(&full);
    float sum[M / 64][N / 2] = {};

    if (threadIdx.x == 0)
        barrier_init(barrier, 1);
    barrier_publish();
    for (int i = 0; i < k / DEEP; i++) {
        if (threadIdx.x == 0) {
            barrier_expect(barrier, (M + N) * ROW);
            load_box(sa, a, i * DEEP, blockIdx.y * M, barrier);
            load_box(sb, b, i * DEEP, blockIdx.x * N, barrier);
        }
        barrier_wait(barrier, i & 1);
        slice<M, N>(sum, sa, sb);
        products_wait<0>();
        __syncthreads();
    }
    write<M, N>(c + (size_t)blockIdx.y * M * n + blockIdx.x * N, n, sum);
}

extern "C" __global__ void __launch_bounds__(GROUP)
    group_64x64(const __grid_constant__ CUtensorMap a,
                const __grid_constant__ CUtensorMap b, float *c, int n, int k)
{
    one_slice<64, 64>(&a, &b, c, n, k);
}

extern "C" __global__ void __launch_bounds__(GROUP)
    group_128x128(const __grid_constant__ CUtensorMap a,
                  const __grid_constant__ CUtensorMap b, float *c, int n, int k)
{
    one_slice<128, 128>(&a, &b, c, n, k);
}

/* ---- A producer and its consumers ---- */

/* 128 x N of c: the first group's thread 0 fills STAGES slices in turn, GROUPS
 * others compute 128 / GROUPS rows each. */
template <int N, int GROUPS, int STAGES>
static __device__ __forceinline__ void
queue(const CUtensorMap *a, const CUtensorMap *b, float *c, int n, int k)
{
    enum { M = 128, OWN = M / GROUPS, BYTES = (M + N) * ROW };
    extern __shared__ __align__(1024) char shared[];
    __shared__ __align__(8) uint64_t full[STAGES], empty[STAGES];
    uint32_t base = shared_at(shared);
    int group = threadIdx.x / GROUP, slices = k / DEEP;

    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; i++) {
            barrier_init(shared_at(&full[i]), 1);
            barrier_init(shared_at(&empty[i]), GROUPS);
        }
    barrier_publish();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x != 0)
            return;
        for (int i = 0; i < slices; i++) {
            int s = i % STAGES;
            uint32_t to = base + s * BYTES, barrier = shared_at(&full[s]);

            barrier_wait(shared_at(&empty[s]), i / STAGES & 1 ^ 1);
            barrier_expect(barrier, BYTES);
            load_box(to, a, i * DEEP, blockIdx.y * M, barrier);
            load_box(to + M * ROW, b, i * DEEP, blockIdx.x * N, barrier);
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");

    float sum[OWN / 64][N / 2] = {};
    int own = (group - 1) * OWN;

    for (int i = 0; i < slices; i++) {
        int s = i % STAGES;
        uint32_t at = base + s * BYTES;

        barrier_wait(shared_at(&full[s]), i / STAGES & 1);
        slice<OWN, N>(sum, at + own * ROW, at + M * ROW);
        products_wait<0>();
        if (threadIdx.x % GROUP == 0)
            barrier_arrive(shared_at(&empty[s]));
    }
    write<OWN, N>(c + ((size_t)blockIdx.y * M + own) * n + blockIdx.x * N, n,
                  sum);
}

extern "C" __global__ void __launch_bounds__(2 * GROUP, 1)
    queue_128x128(const __grid_constant__ CUtensorMap a,
                  const __grid_constant__ CUtensorMap b, float *c, int n, int k)
{
    queue<128, 1, 5>(&a, &b, c, n, k);
}

extern "C" __global__ void __launch_bounds__(3 * GROUP, 1)
    queue_128x256(const __grid_constant__ CUtensorMap a,
                  const __grid_constant__ CUtensorMap b, float *c, int n, int k)
{
    queue<256, 2, 4>(&a, &b, c, n, k);
}
