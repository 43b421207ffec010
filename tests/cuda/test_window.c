/* tests/cuda/test_window.c - access windows: what persists is still in the L2
 * behind a stream, which the time of reading it again tells; and the L1's share
 * of memory that programs prefer. The GPU has an L2 of 512 lines. */
#include <stdio.h>
#include <unistd.h>

#include "program.h"
#include "test.h"

static const char ptx[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry read(.param .u64 from)\n"
    "{\n"
    "  .reg .u64 %a<3>; .reg .u32 %r<5>; .reg .pred %p;\n"
    "  ld.param.u64 %a1, [from]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"
    "  mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;\n"
    "  mul.wide.u32 %a2, %r1, 128; add.u64 %a1, %a1, %a2;\n"
    "  ld.global.cg.u32 %r4, [%a1]; setp.ne.u32 %p, %r4, 0;\n"
    "  @%p st.global.u32 [%a1], %r4;\n"
    "  ret;\n"
    "}\n"
    /* 20 KB of shared memory */
    ".visible .entry wide(.param .u64 from)\n"
    "{\n"
    "  .shared .align 4 .b8 own[20480]; .reg .u32 %r<3>;\n"
    "  mov.u32 %r1, own; mov.u32 %r2, %tid.x; st.shared.u32 [%r1], %r2; ret;\n"
    "}\n";

static char read_lines, wide; /* addresses on the host */
static char gpu[] = "/tmp/window-XXXXXX.yaml";

__attribute__((constructor)) static void register_program(void)
{
    FILE *f = fdopen(mkstemps(gpu, 5), "w");

    fputs("extends: a100\ngpu: {sms: 2}\nl1: {globals: false}\n"
          "l2: {partitions: 1, slices: 1, sets: 32, index: mod}\n"
          "dram: {channels: 1}\n",
          f);
    fclose(f);
    unsetenv("HEDDLE_SESSION");
    setenv("HEDDLE_GPU", gpu, 1);
    void **handle = program_code(ptx, sizeof ptx - 1);

    program_kernel(handle, &read_lines, "read");
    program_kernel(handle, &wide, "wide");
    __cudaRegisterFatBinaryEnd(handle);
}

#define OK(call) CHECK_EQ(call, cudaSuccess)

enum { LINE = 128, HOT = 128, COLD = 2048 }; /* lines */

static void put(void *from, unsigned lines, cudaStream_t s)
{
    void *args[] = {&from};

    OK(cudaLaunchKernel(&read_lines, (dim3){lines / 128, 1, 1},
                        (dim3){128, 1, 1}, args, 0, s));
}

/* Microseconds to read the hot lines when the cold ones have come through. */
static float again(char *at, cudaStream_t s)
{
    cudaEvent_t from, to;
    float ms = 0;

    OK(cudaEventCreate(&from));
    OK(cudaEventCreate(&to));
    put(at, HOT, s);
    put(at + HOT * LINE, COLD, s);
    OK(cudaEventRecord(from, s));
    put(at, HOT, s);
    OK(cudaEventRecord(to, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaEventElapsedTime(&ms, from, to));
    OK(cudaEventDestroy(from));
    OK(cudaEventDestroy(to));
    return 1000 * ms;
}

static cudaLaunchAttribute window(void *at, int hit)
{
    cudaLaunchAttribute a = {.id = cudaLaunchAttributeAccessPolicyWindow};

    a.val.accessPolicyWindow =
        (cudaAccessPolicyWindow){.base_ptr = at,
                                 .num_bytes = HOT * LINE,
                                 .hitRatio = 1,
                                 .hitProp = hit,
                                 .missProp = cudaAccessPropertyStreaming};
    return a;
}

TEST(what_persists_is_there_behind_a_stream)
{
    cudaStream_t s;
    cudaLaunchAttribute a, is;
    void *at;
    int most;

    NEED_MEMORY();
    OK(cudaMalloc(&at, (HOT + COLD) * LINE));
    OK(cudaMemset(at, 0, (HOT + COLD) * LINE));
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaDeviceGetAttribute(&most, 108, 0));
    CHECK_EQ(most, 512 * LINE / 100 * 75);
    OK(cudaDeviceGetAttribute(&most, 109, 0));
    CHECK(most >= 1 << 20);
    float gone = again(at, s);

    a = window(at, cudaAccessPropertyPersisting);
    OK(cudaStreamSetAttribute(s, a.id, &a.val));
    OK(cudaStreamGetAttribute(s, a.id, &is.val));
    CHECK(is.val.accessPolicyWindow.base_ptr == at);
    CHECK_EQ(is.val.accessPolicyWindow.num_bytes, HOT * LINE);
    CHECK_EQ(is.val.accessPolicyWindow.hitProp, cudaAccessPropertyPersisting);
    CHECK(again(at, s) > 0.98f * gone); /* nothing is set aside */
    OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 14));
    float kept = again(at, s);
    CHECK(kept < 0.95f * gone);
    a.val.accessPolicyWindow.num_bytes = 0;
    OK(cudaStreamSetAttribute(s, a.id, &a.val));
    CHECK(again(at, s) < 0.95f * gone); /* they are still there */
    OK(cudaCtxResetPersistingL2Cache());
    CHECK(again(at, s) > 0.98f * gone);
    OK(cudaFree(at));
    OK(cudaStreamDestroy(s));
}

TEST(wrong_windows_are_refused)
{
    cudaLaunchAttribute a = window(NULL, cudaAccessPropertyPersisting);

    NEED_MEMORY();
    a.val.accessPolicyWindow.hitRatio = 1.5f;
    CHECK_EQ(cudaStreamSetAttribute(NULL, a.id, &a.val), cudaErrorInvalidValue);
    a = window(NULL, 3);
    CHECK_EQ(cudaStreamSetAttribute(NULL, a.id, &a.val), cudaErrorInvalidValue);
    a = window(NULL, cudaAccessPropertyNormal);
    a.val.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
    CHECK_EQ(cudaStreamSetAttribute(NULL, a.id, &a.val), cudaErrorInvalidValue);
    a.val.accessPolicyWindow.num_bytes = (size_t)1 << 30;
    CHECK_EQ(cudaStreamSetAttribute(NULL, a.id, &a.val), cudaErrorInvalidValue);
    cudaGetLastError();
}

/* 164 KB for eight blocks of 20 KB and 1 KB of the system's: seven; of the
 * sizes of a carve-out that are at least 82 KB, 100 is the smallest. */
TEST(occupancy_follows_the_preferred_carveout)
{
    static const int row[][2] = {{-1, 7}, {100, 7}, {50, 4}, {0, 1}};
    int blocks;

    NEED_MEMORY();
    for (unsigned i = 0; i < 4; i++) {
        OK(cudaFuncSetAttribute(
            &wide, cudaFuncAttributePreferredSharedMemoryCarveout, row[i][0]));
        OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &wide, 32,
                                                         0));
        CHECK_EQ(blocks, row[i][1]);
    }
    remove(gpu);
}
