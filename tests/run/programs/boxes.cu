/* tests/run/programs/boxes.cu - boxes of tensors of one to five dimensions, by
 * tiles and by columns of images, to shared memory and back, as stores and as
 * reductions: what comes of it goes to the file that is named. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

enum { SIDE = 8, ITEMS = 8 * 8 * 8 * 8 * 8, BOX = 1024, CASES = 12 };

#define TRY(call)                                                              \
    do {                                                                       \
        int e_ = (int)(call);                                                  \
        if (e_) {                                                              \
            printf("%d: error %d\n", __LINE__, e_);                            \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

struct maps {
    CUtensorMap tile[5], column[3], back[5];
};

#define LOAD(dims, at, ...)                                                    \
    asm volatile("cp.async.bulk.tensor." #dims                                 \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes " \
                 "[%0], [%1, " at "], [%2];" ::"r"(box),                       \
                 "l"(&m.tile[dims - 1]), "r"(bar), "r"(c)                      \
                 : "memory")
#define COLUMN(dims, at, off)                                                  \
    asm volatile(                                                              \
        "{ .reg .u16 h; cvt.u16.u32 h, %4; cp.async.bulk.tensor." #dims        \
        "d.shared::cluster.global.im2col.mbarrier::"                           \
        "complete_tx::bytes [%0], [%1, " at "], [%2], " off "; }" ::"r"(box),  \
        "l"(&m.column[dims - 3]), "r"(bar), "r"(c), "r"(1)                     \
        : "memory")
#define STORE(what, dims, at)                                                  \
    asm volatile("cp" what "async.bulk.tensor." #dims                          \
                 "d.global.shared::cta" REDUCE "bulk_group [%0, " at           \
                 "], [%1];" ::"l"(&m.back[dims - 1]),                          \
                 "r"(box), "r"(c)                                              \
                 : "memory")

__global__ void boxes(const __grid_constant__ maps m, int which, int c,
                      uint32_t *out)
{
    __shared__ alignas(128) uint32_t data[BOX];
    __shared__ alignas(8) uint64_t full;
    uint32_t box = (uint32_t)__cvta_generic_to_shared(data);
    uint32_t bar = (uint32_t)__cvta_generic_to_shared(&full);
    static const int bytes[CASES] = {32,  128, 256, 512, 1024, 0,
                                     128, 128, 128, 0,   0,    0};
    uint32_t over = 0;

    for (int i = threadIdx.x; i < BOX; i += blockDim.x)
        data[i] = 7 * i + which;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("fence.proxy.async.shared::cta;");
    __syncthreads();
    if (threadIdx.x == 0 && bytes[which]) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&m.tile[0]) : "memory");
        asm volatile(
            "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar),
            "r"(bytes[which])
            : "memory");
        switch (which) {
        case 0:
            LOAD(1, "{%3}");
            break;
        case 1:
            LOAD(2, "{%3, 3}");
            break;
        case 2:
            LOAD(3, "{1, %3, 6}");
            break;
        case 3:
            LOAD(4, "{1, %3, 2, 3}");
            break;
        case 4:
            LOAD(5, "{1, %3, 2, 3, 7}");
            break;
        case 6:
            COLUMN(3, "{0, %3, 1}", "{h}");
            break;
        case 7:
            COLUMN(4, "{4, 1, %3, 1}", "{0, h}");
            break;
        case 8:
            COLUMN(5, "{0, 1, 2, %3, 1}", "{h, 0, 1}");
        }
    }
    while (bytes[which] && !over)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, "
                     "[%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(bar)
                     : "memory");
    __syncthreads();
    if (threadIdx.x < 32 && which == 5) {
#define REDUCE ".tile."
        STORE(".", 2, "{%2, 2}");
        STORE(".", 5, "{%2, 0, 1, 0, 1}");
#undef REDUCE
    }
    if (threadIdx.x == 0 && which >= 9) {
#define REDUCE ".add.tile."
        if (which == 9)
            STORE(".reduce.", 3, "{0, %2, 1}");
#undef REDUCE
#define REDUCE ".max.tile."
        if (which == 10)
            STORE(".reduce.", 1, "{%2}");
#undef REDUCE
#define REDUCE ".xor.tile."
        if (which == 11)
            STORE(".reduce.", 4, "{0, %2, 3, 1}");
#undef REDUCE
    }
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    __syncthreads();
    for (int i = threadIdx.x; i < BOX; i += blockDim.x)
        out[which * BOX + i] = data[i];
}

int main(int argc, char **argv)
{
    uint32_t *in, *back, *out, *host = (uint32_t *)malloc(4 * ITEMS);
    static uint32_t result[CASES * BOX + ITEMS];
    cuuint64_t dim[5], stride[4];
    cuuint32_t box[5], step[5] = {1, 1, 1, 1, 1};
    maps m;
    FILE *f;

    TRY(cudaMalloc(&in, 4 * ITEMS));
    TRY(cudaMalloc(&back, 4 * ITEMS));
    TRY(cudaMalloc(&out, 4 * CASES * BOX));
    for (uint32_t i = 0; i < ITEMS; i++)
        host[i] = i * 2654435761u;
    TRY(cudaMemcpy(in, host, 4 * ITEMS, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(back, host, 4 * ITEMS, cudaMemcpyHostToDevice));
    for (int i = 0; i < 5; i++) {
        dim[i] = SIDE;
        if (i < 4)
            stride[i] = i ? stride[i - 1] * SIDE : 4 * SIDE;
    }
    for (int n = 1; n <= 5; n++) {
        for (int i = 0; i < n; i++)
            box[i] = i == 0   ? (n == 1 ? 8 : 4)
                     : i == 1 ? (n == 2 ? 8 : 4)
                     : i == 2 ? 4
                              : 2;
        TRY(cuTensorMapEncodeTiled(
            &m.tile[n - 1], CU_TENSOR_MAP_DATA_TYPE_UINT32, n, in, dim, stride,
            box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
            CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
        TRY(cuTensorMapEncodeTiled(
            &m.back[n - 1], CU_TENSOR_MAP_DATA_TYPE_UINT32, n, back, dim,
            stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
            CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    }
    for (int n = 3; n <= 5; n++) {
        int low[3] = {-1, -1, -1}, high[3] = {-1, -1, -1};

        TRY(cuTensorMapEncodeIm2col(
            &m.column[n - 3], CU_TENSOR_MAP_DATA_TYPE_UINT32, n, in, dim,
            stride, low, high, 4, 8, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
            CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    }
    for (int which = 0; which < CASES; which++) {
        boxes<<<1, 64>>>(m, which, which == 1 ? 6 : 2, out);
        TRY(cudaDeviceSynchronize());
    }
    TRY(cudaMemcpy(result, out, 4 * CASES * BOX, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(result + CASES * BOX, back, 4 * ITEMS,
                   cudaMemcpyDeviceToHost));
    f = fopen(argv[argc - 1], "wb");
    if (!f || fwrite(result, sizeof result, 1, f) != 1 || fclose(f))
        return 1;
    puts("done");
    return 0;
}
