/* tests/cuda/test_limits.c - what cudaDeviceSetLimit sets has the effect that
 * CUDA's documentation says. */
#include <stdio.h>
#include <unistd.h>

#include "cuda/driver_api/driver_functions.h"
#include "program.h"
#include "test.h"

static const char ptx[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
    ".global .align 1 .b8 line[6] = {108, 105, 110, 101, 10, 0};\n" /* line\n */
    /* n + (n - 1) + ... + 1, where each call waits for the next */
    ".func (.param .b32 r) deep(.param .b32 n)\n"
    "{\n"
    "  .reg .u32 %x<4>; .reg .pred %p; .param .b32 a; .param .b32 b;\n"
    "  ld.param.u32 %x0, [n]; setp.eq.u32 %p, %x0, 0; @%p bra NONE;\n"
    "  sub.u32 %x1, %x0, 1; st.param.b32 [a], %x1;\n"
    "  call (b), deep, (a);\n"
    "  ld.param.b32 %x2, [b]; add.u32 %x0, %x0, %x2;\n"
    "NONE: st.param.b32 [r], %x0; ret;\n"
    "}\n"
    ".visible .entry sum(.param .u64 to, .param .u32 n)\n"
    "{\n"
    "  .reg .u64 %a; .reg .u32 %r<2>; .param .b32 a; .param .b32 b;\n"
    "  ld.param.u64 %a, [to]; ld.param.u32 %r0, [n]; st.param.b32 [a], %r0;\n"
    "  call (b), deep, (a);\n"
    "  ld.param.b32 %r1, [b]; st.global.u32 [%a], %r1; ret;\n"
    "}\n"
    /* how many blocks of n bytes malloc gives */
    ".visible .entry take(.param .u64 to, .param .u32 n)\n"
    "{\n"
    "  .reg .u64 %a<3>; .reg .u32 %r<2>; .reg .pred %p;\n"
    "  .param .b64 b; .param .b64 q;\n"
    "  ld.param.u64 %a0, [to]; ld.param.u32 %r0, [n]; mov.u32 %r1, 0;\n"
    "  cvt.u64.u32 %a1, %r0;\n"
    "MORE: st.param.b64 [b], %a1;\n"
    "  call (q), malloc, (b);\n"
    "  ld.param.b64 %a2, [q]; setp.eq.u64 %p, %a2, 0; @%p bra END;\n"
    "  st.u32 [%a2], %r1; add.u32 %r1, %r1, 1; bra MORE;\n"
    "END: st.global.u32 [%a0], %r1; ret;\n"
    "}\n"
    /* n times "line\n" */
    ".visible .entry say(.param .u64 to, .param .u32 n)\n"
    "{\n"
    "  .reg .u64 %a<2>; .reg .u32 %r; .reg .pred %p;\n"
    "  .param .b64 f; .param .b64 v; .param .b32 q;\n"
    "  ld.param.u32 %r, [n]; mov.u64 %a0, line; cvta.global.u64 %a0, %a0;\n"
    "  mov.u64 %a1, 0;\n"
    "MORE: st.param.b64 [f], %a0; st.param.b64 [v], %a1;\n"
    "  call (q), vprintf, (f, v);\n"
    "  sub.u32 %r, %r, 1; setp.ne.u32 %p, %r, 0; @%p bra MORE;\n"
    "  ret;\n"
    "}\n";

static char sum, take, say; /* addresses on the host */

__attribute__((constructor)) static void register_program(void)
{
    void **handle = program_register(ptx, sizeof ptx - 1);

    program_kernel(handle, &sum, "sum");
    program_kernel(handle, &take, "take");
    program_kernel(handle, &say, "say");
    __cudaRegisterFatBinaryEnd(handle);
}

/* What one thread of the kernel gives for `n`; -1: it failed. */
static long result(const void *kernel, unsigned n)
{
    unsigned *to = NULL, got = 0;

    if (cudaMalloc((void **)&to, sizeof *to) ||
        cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1},
                         (void *[]){&to, &n}, 0, NULL) ||
        cudaMemcpy(&got, to, sizeof got, cudaMemcpyDeviceToHost))
        return -1;
    return cudaFree(to) ? -1 : (long)got;
}

static uint64_t limit(int what)
{
    size_t is = 0;

    CHECK_EQ(cudaDeviceGetLimit(&is, what), cudaSuccess);
    return is;
}

TEST(a_larger_stack_holds_more_calls)
{
    NEED_MEMORY();
    CHECK_EQ(cudaDeviceReset(), cudaSuccess);
    CHECK_EQ(limit(cudaLimitStackSize), 1024);
    CHECK_EQ(result(&sum, 5), 15);
    CHECK_EQ(result(&sum, 1000), -1);
    CHECK_EQ(cudaDeviceReset(), cudaSuccess);
    CHECK_EQ(cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10), cudaSuccess);
    CHECK_EQ(limit(cudaLimitStackSize), 64 << 10);
    CHECK_EQ(result(&sum, 1000), 1000 * 1001 / 2);
    /* It may change between launches. */
    CHECK_EQ(cuCtxSetLimit(cudaLimitStackSize, 512), cudaSuccess);
    CHECK_EQ(result(&sum, 1000), -1);
    CHECK_EQ(cudaDeviceReset(), cudaSuccess);
    CHECK_EQ(limit(cudaLimitStackSize), 1024);
}

TEST(a_stack_is_at_most_local_memory)
{
    NEED_MEMORY();
    CHECK_EQ(cudaDeviceSetLimit(cudaLimitStackSize, (512 << 10) + 1),
             cudaErrorInvalidValue);
    CHECK_EQ(limit(cudaLimitStackSize), 1024);
}

TEST(malloc_gives_what_the_heap_has)
{
    enum { BLOCK = 64 << 10 };

    NEED_MEMORY();
    for (size_t bytes = 1 << 20; bytes <= 4 << 20; bytes *= 4) {
        CHECK_EQ(cudaDeviceReset(), cudaSuccess);
        CHECK_EQ(limit(cudaLimitMallocHeapSize), 8 << 20);
        CHECK_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes),
                 cudaSuccess);
        CHECK_EQ(result(&take, BLOCK), (long)(bytes / BLOCK));
        CHECK_EQ(result(&take, BLOCK), 0); /* nothing was freed */
    }
}

/* Each SM would have it all, which is more than there is. */
TEST(a_heap_may_be_large)
{
    NEED_MEMORY();
    CHECK_EQ(cudaDeviceReset(), cudaSuccess);
    CHECK_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2ull << 30),
             cudaSuccess);
    CHECK(result(&take, 8 << 20) >= 4);
    CHECK_EQ(cudaDeviceReset(), cudaSuccess);
    CHECK_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1ull << 60),
             cudaErrorMemoryAllocation);
    CHECK_EQ(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1ull << 60),
             cudaErrorMemoryAllocation);
}

TEST(a_heap_in_use_stays_as_it_is)
{
    NEED_MEMORY();
    CHECK_EQ(cudaDeviceReset(), cudaSuccess);
    CHECK_EQ(result(&sum, 5), 15); /* uses no heap */
    CHECK_EQ(cuCtxSetLimit(cudaLimitMallocHeapSize, 1 << 20), cudaSuccess);
    CHECK_EQ(result(&take, 256 << 10), 4);
    CHECK_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 << 20),
             cudaErrorInvalidValue);
    CHECK_EQ(cuCtxSetLimit(cudaLimitMallocHeapSize, 2 << 20),
             cudaErrorInvalidValue);
    CHECK_EQ(limit(cudaLimitMallocHeapSize), 1 << 20);
    CHECK_EQ(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4096), cudaSuccess);
    CHECK_EQ(result(&take, 256 << 10), 0); /* which did not touch it */
}

/* Lines that the program prints while `n` are printed by a kernel. */
static unsigned printed(unsigned n)
{
    FILE *to = tmpfile();
    int before = dup(STDOUT_FILENO), c;
    unsigned lines = 0;

    fflush(stdout);
    CHECK(to && before >= 0 && dup2(fileno(to), STDOUT_FILENO) >= 0);
    long got = result(&say, n);
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    CHECK_EQ(got, 0);
    rewind(to);
    while ((c = getc(to)) != EOF)
        lines += c == '\n';
    fclose(to);
    return lines;
}

TEST(lines_beyond_the_fifo_are_lost)
{
    NEED_MEMORY();
    CHECK_EQ(cudaDeviceReset(), cudaSuccess);
    CHECK_EQ(limit(cudaLimitPrintfFifoSize), 1 << 20);
    CHECK_EQ(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 100), cudaSuccess);
    CHECK_EQ(printed(19), 19);
    CHECK_EQ(printed(50), 20); /* 5 bytes each */
    CHECK_EQ(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 200),
             cudaErrorInvalidValue);
    CHECK_EQ(cudaDeviceReset(), cudaSuccess);
    CHECK_EQ(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 200), cudaSuccess);
    CHECK_EQ(printed(50), 40);
    CHECK_EQ(cudaDeviceReset(), cudaSuccess);
    CHECK_EQ(printed(50), 50);
}

TEST(other_limits_are_kept)
{
    NEED_MEMORY();
    CHECK_EQ(cudaDeviceReset(), cudaSuccess);
    CHECK_EQ(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 32),
             cudaSuccess);
    CHECK_EQ(limit(cudaLimitMaxL2FetchGranularity), 32);
    CHECK_EQ(cudaDeviceSetLimit(7, 1), cudaErrorUnsupportedLimit);
}
