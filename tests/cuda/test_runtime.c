/* tests/cuda/test_runtime.c - programs of the runtime API, as compilers make
 * them: what they register, allocate, copy, launch, and what they are told when
 * they are wrong. */
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "program.h"
#include "runtime/memory.h"
#include "test.h"

/* out[i] = scale * in[i] + count, `count` of constant memory, and one more for
 * each thread in `calls`. */
static const char ptx[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .const .align 4 .u32 count;\n"
    ".visible .global .align 4 .u32 calls = 5;\n"
    ".visible .entry work(.param .u64 in, .param .u64 out, .param .u32 scale)\n"
    "{\n"
    "  .reg .u64 %a<6>; .reg .u32 %r<12>;\n"
    "  ld.param.u64 %a1, [in]; ld.param.u64 %a2, [out];\n"
    "  ld.param.u32 %r1, [scale];\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "  mad.lo.u32 %r5, %r2, %r3, %r4;\n"
    "  mul.wide.u32 %a3, %r5, 4; add.u64 %a1, %a1, %a3; add.u64 %a2, %a2, "
    "%a3;\n"
    "  ld.global.u32 %r6, [%a1]; ld.const.u32 %r7, [count];\n"
    "  mad.lo.u32 %r6, %r6, %r1, %r7; st.global.u32 [%a2], %r6;\n"
    "  atom.global.add.u32 %r8, [calls], 1;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry fail(.param .u64 at)\n"
    "{\n"
    "  .reg .u64 %a1; .reg .u32 %r1;\n"
    "  ld.param.u64 %a1, [at]; ld.global.u32 %r1, [%a1];\n"
    "  st.global.u32 [%a1], %r1; ret;\n"
    "}\n";

static char work, fail, count, calls, nothing; /* addresses on the host */

__attribute__((constructor)) static void register_program(void)
{
    void **handle = program_register(ptx, sizeof ptx - 1);

    program_kernel(handle, &work, "work");
    program_kernel(handle, &fail, "fail");
    __cudaRegisterVar(handle, &count, "count", "count", 0, 4, 1, 0);
    __cudaRegisterVar(handle, &calls, "calls", "calls", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

static cudaError_t launch_work(unsigned blocks, unsigned threads, void *in,
                               void *out, unsigned scale, cudaStream_t s)
{
    void *args[] = {&in, &out, &scale};

    return cudaLaunchKernel(&work, (dim3){blocks, 1, 1}, (dim3){threads, 1, 1},
                            args, 0, s);
}

enum { N = 1000 };

static void *device_numbers(void)
{
    unsigned host[N];
    void *at;

    NEED_MEMORY();
    for (unsigned i = 0; i < N; i++)
        host[i] = i;
    CHECK_EQ(cudaMalloc(&at, sizeof host), cudaSuccess);
    CHECK_EQ(cudaMemcpy(at, host, sizeof host, cudaMemcpyHostToDevice),
             cudaSuccess);
    return at;
}

TEST(a_kernel_computes)
{
    void *in = device_numbers(), *out;
    unsigned host[N], seven = 7, told = 0, wrong = 0;

    NEED_MEMORY();
    CHECK_EQ(cudaMalloc(&out, sizeof host), cudaSuccess);
    CHECK_EQ(cudaMemcpyToSymbol(&count, &seven, 4, 0, cudaMemcpyHostToDevice),
             cudaSuccess);
    CHECK_EQ(launch_work(8, 125, in, out, 3, 0), cudaSuccess);
    CHECK_EQ(cudaMemcpy(host, out, sizeof host, cudaMemcpyDefault),
             cudaSuccess);
    for (unsigned i = 0; i < N; i++)
        wrong += host[i] != 3 * i + 7;
    CHECK_EQ(wrong, 0);
    CHECK_EQ(cudaMemcpyFromSymbol(&told, &calls, 4, 0, cudaMemcpyDeviceToHost),
             cudaSuccess);
    CHECK_EQ(told, 5 + N);
    CHECK_EQ(cudaFree(in), cudaSuccess);
    CHECK_EQ(cudaFree(out), cudaSuccess);
}

/* The constant is changed between two launches in one stream. */
TEST(copies_are_in_order)
{
    void *in = device_numbers(), *a, *b;
    unsigned first = 100, second = 200, got[2];
    cudaStream_t s;

    NEED_MEMORY();
    CHECK_EQ(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaSuccess);
    CHECK_EQ(cudaMalloc(&a, 4 * N), cudaSuccess);
    CHECK_EQ(cudaMalloc(&b, 4 * N), cudaSuccess);
    cudaMemcpyToSymbolAsync(&count, &first, 4, 0, cudaMemcpyHostToDevice, s);
    first = 0; /* the call has read what is not page-locked */
    CHECK_EQ(launch_work(1, 32, in, a, 1, s), cudaSuccess);
    cudaMemcpyToSymbolAsync(&count, &second, 4, 0, cudaMemcpyHostToDevice, s);
    CHECK_EQ(launch_work(1, 32, in, b, 1, s), cudaSuccess);
    cudaMemcpyAsync(&got[0], (char *)a + 4, 4, cudaMemcpyDeviceToHost, s);
    cudaMemcpyAsync(&got[1], (char *)b + 4, 4, cudaMemcpyDeviceToHost, s);
    CHECK_EQ(cudaStreamSynchronize(s), cudaSuccess);
    CHECK_EQ(got[0], 101);
    CHECK_EQ(got[1], 201);
    CHECK_EQ(cudaStreamDestroy(s), cudaSuccess);
    cudaFree(in), cudaFree(a), cudaFree(b);
}

/* What is put into the legacy stream waits for the other streams. */
TEST(the_default_stream_waits)
{
    void *in = device_numbers(), *a, *b;
    unsigned zero = 0, got = 0;
    cudaStream_t s;

    NEED_MEMORY();
    CHECK_EQ(cudaStreamCreate(&s), cudaSuccess);
    cudaMalloc(&a, 4 * N), cudaMalloc(&b, 4 * N);
    cudaMemcpyToSymbol(&count, &zero, 4, 0, cudaMemcpyHostToDevice);
    CHECK_EQ(launch_work(8, 125, in, a, 2, s), cudaSuccess);
    CHECK_EQ(launch_work(8, 125, a, b, 2, 0), cudaSuccess);
    CHECK_EQ(launch_work(8, 125, b, a, 2, s), cudaSuccess);
    cudaMemcpy(&got, (char *)a + 4 * (N - 1), 4, cudaMemcpyDeviceToHost);
    CHECK_EQ(got, 8 * (N - 1));
    cudaStreamDestroy(s);
    cudaFree(in), cudaFree(a), cudaFree(b);
}

/* One launch between two events takes as long as they are apart. */
TEST(events_measure)
{
    void *in = device_numbers(), *out;
    cudaEvent_t first, last;
    float one, ten;

    NEED_MEMORY();
    cudaMalloc(&out, 4 * N);
    cudaEventCreate(&first), cudaEventCreate(&last);
    CHECK_EQ(cudaEventElapsedTime(&one, first, last),
             cudaErrorInvalidResourceHandle); /* not recorded */
    CHECK_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    cudaEventRecord(first, 0);
    launch_work(8, 125, in, out, 1, 0);
    cudaEventRecord(last, 0);
    CHECK_EQ(cudaEventSynchronize(last), cudaSuccess);
    CHECK_EQ(cudaEventElapsedTime(&one, first, last), cudaSuccess);
    cudaEventRecord(first, 0);
    for (int i = 0; i < 10; i++)
        launch_work(8, 125, in, out, 1, 0);
    cudaEventRecord(last, 0);
    cudaEventSynchronize(last);
    CHECK_EQ(cudaEventElapsedTime(&ten, first, last), cudaSuccess);
    CHECK(one > 0);
    CHECK(ten > 5 * one && ten < 20 * one);
    cudaEventDestroy(first), cudaEventDestroy(last);
    cudaFree(in), cudaFree(out);
}

/* ---- Memory ---- */

TEST(rows_are_copied)
{
    char host[6][10], back[4][5] = {{0}};
    void *at;
    size_t pitch;

    NEED_MEMORY();
    for (int i = 0; i < 60; i++)
        host[i / 10][i % 10] = (char)i;
    CHECK_EQ(cudaMallocPitch(&at, &pitch, 10, 6), cudaSuccess);
    CHECK(pitch >= 10 && pitch % 32 == 0);
    CHECK_EQ(cudaMemcpy2D(at, pitch, host, 10, 10, 6, cudaMemcpyHostToDevice),
             cudaSuccess);
    CHECK_EQ(cudaMemcpy2D(back, 5, (char *)at + pitch + 3, pitch, 5, 4,
                          cudaMemcpyDeviceToHost),
             cudaSuccess);
    CHECK_EQ(back[0][0], 13);
    CHECK_EQ(back[3][4], 47);
    CHECK_EQ(cudaMemset2D(at, pitch, 9, 2, 3), cudaSuccess);
    CHECK_EQ(cudaMemcpy2D(host, 10, at, pitch, 10, 6, cudaMemcpyDeviceToHost),
             cudaSuccess);
    CHECK_EQ(host[2][1], 9);
    CHECK_EQ(host[2][2], 22);
    CHECK_EQ(host[3][0], 30);
    CHECK_EQ(cudaMemcpy2D(at, 5, host, 10, 10, 6, cudaMemcpyHostToDevice),
             cudaErrorInvalidPitchValue);
    cudaGetLastError();
    cudaFree(at);
}

/* The program and kernels use the same pointers. */
TEST(managed_and_host_memory)
{
    unsigned *in, *out, zero = 0, wrong = 0;
    cudaPointerAttributes is;

    NEED_MEMORY();
    CHECK_EQ(cudaMallocManaged((void **)&in, 4 * N, cudaMemAttachGlobal),
             cudaSuccess);
    CHECK_EQ(cudaHostAlloc((void **)&out, 4 * N, cudaHostAllocMapped),
             cudaSuccess);
    for (unsigned i = 0; i < N; i++)
        in[i] = i;
    cudaMemcpyToSymbol(&count, &zero, 4, 0, cudaMemcpyHostToDevice);
    CHECK_EQ(launch_work(8, 125, in, out, 5, 0), cudaSuccess);
    CHECK_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (unsigned i = 0; i < N; i++)
        wrong += out[i] != 5 * i;
    CHECK_EQ(wrong, 0);
    CHECK_EQ(cudaPointerGetAttributes(&is, in + 3), cudaSuccess);
    CHECK_EQ(is.type, cudaMemoryTypeManaged);
    CHECK_EQ(cudaPointerGetAttributes(&is, out), cudaSuccess);
    CHECK_EQ(is.type, cudaMemoryTypeHost);
    CHECK_EQ(cudaPointerGetAttributes(&is, &zero), cudaSuccess);
    CHECK_EQ(is.type, cudaMemoryTypeUnregistered);
    CHECK_EQ(cudaFree(out), cudaErrorInvalidValue); /* cudaFreeHost's */
    CHECK_EQ(cudaFreeHost(out), cudaSuccess);
    CHECK_EQ(cudaFree(in), cudaSuccess);
    cudaGetLastError();
}

/* The program goes on with its own pointers, kernels with the device's. */
TEST(memory_of_the_program_is_registered)
{
    unsigned *all, *mine, zero = 0, wrong = 0;
    void *seen;

    NEED_MEMORY();
    all = new_array(3 * N, sizeof *all);
    mine = all + N + 3;
    for (unsigned i = 0; i < 3 * N; i++)
        all[i] = 7;
    CHECK_EQ(cudaHostRegister(mine, 4 * N, 2), cudaSuccess);
    CHECK_EQ(cudaHostRegister(mine + 8, 4, 0),
             cudaErrorHostMemoryAlreadyRegistered);
    CHECK_EQ(cudaHostGetDevicePointer(&seen, mine, 0), cudaSuccess);
    for (unsigned i = 0; i < N; i++)
        mine[i] = i;
    cudaMemcpyToSymbol(&count, &zero, 4, 0, cudaMemcpyHostToDevice);
    CHECK_EQ(launch_work(8, 125, seen, seen, 3, 0), cudaSuccess);
    CHECK_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (unsigned i = 0; i < N; i++)
        wrong += mine[i] != 3 * i;
    CHECK_EQ(wrong, 0);
    CHECK_EQ(cudaHostUnregister(mine + 1), cudaErrorHostMemoryNotRegistered);
    CHECK_EQ(cudaHostUnregister(mine), cudaSuccess);
    for (unsigned i = 0; i < N; i++)
        wrong += mine[i] != 3 * i;
    for (unsigned i = 0; i < N + 3; i++)
        wrong += all[i] != 7;
    CHECK_EQ(wrong, 0);
    CHECK_EQ(cudaHostRegister((void *)4096, 4096, 0), cudaErrorInvalidValue);
    cudaGetLastError();
    free(all);
}

TEST(wrong_memory_is_refused)
{
    size_t left, all;
    char host[16];
    char *at;
    void *more;

    NEED_MEMORY();
    CHECK_EQ(cudaMalloc((void **)&at, 100), cudaSuccess);
    CHECK_EQ(cudaMemcpy(at, host, 101, cudaMemcpyHostToDevice),
             cudaErrorInvalidValue);
    CHECK_EQ(cudaMemcpy(host, host, 8, cudaMemcpyDeviceToHost),
             cudaErrorInvalidValue);
    CHECK_EQ(cudaMemcpy(at, host, 8, (cudaMemcpyKind)9),
             cudaErrorInvalidMemcpyDirection);
    CHECK_EQ(cudaMemset(host, 0, 8), cudaErrorInvalidValue);
    CHECK_EQ(cudaFree(at + 4), cudaErrorInvalidValue);
    CHECK_EQ(cudaFree(host), cudaErrorInvalidValue);
    CHECK_EQ(cudaFree(at), cudaSuccess);
    CHECK_EQ(cudaFree(at), cudaErrorInvalidValue);
    CHECK_EQ(cudaMemcpy(at, host, 8, cudaMemcpyHostToDevice),
             cudaErrorInvalidValue);
    CHECK_EQ(cudaFree(NULL), cudaSuccess);
    CHECK_EQ(cudaMemGetInfo(&left, &all), cudaSuccess);
    CHECK_EQ(cudaMalloc(&more, left + 1), cudaErrorMemoryAllocation);
    CHECK_EQ(cudaMalloc(&more, SIZE_MAX), cudaErrorMemoryAllocation);
    CHECK_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
    CHECK_EQ(cudaGetLastError(), cudaSuccess);
    CHECK_EQ(cudaMalloc(&more, 0), cudaSuccess);
    CHECK(!more);
}

TEST(memory_in_stream_order)
{
    size_t before, now, all;
    cudaStream_t s;
    void *at;

    NEED_MEMORY();
    cudaStreamCreate(&s);
    cudaMemGetInfo(&before, &all);
    CHECK_EQ(cudaMallocAsync(&at, 1 << 20, s), cudaSuccess);
    CHECK_EQ(cudaMemsetAsync(at, 1, 1 << 20, s), cudaSuccess);
    CHECK_EQ(cudaFreeAsync(at, s), cudaSuccess);
    cudaStreamSynchronize(s);
    cudaMemGetInfo(&now, &all);
    CHECK_EQ(now, before);
    cudaStreamDestroy(s);
}

/* ---- Devices ---- */

TEST(properties_agree)
{
    char props[2048];
    int value, n = 0;

    NEED_MEMORY();
    CHECK_EQ(cudaGetDeviceCount(&n), cudaSuccess);
    CHECK_EQ(n, 1);
    CHECK_EQ(cudaGetDeviceProperties(props, 0), cudaSuccess);
    CHECK_STR(props, "Tesla V100");
    CHECK_EQ(cudaDeviceGetAttribute(&value, 16, 0), cudaSuccess);
    CHECK_EQ(value, 80); /* SMs of a V100 */
    CHECK_EQ(cudaDeviceGetAttribute(&value, 75, 0), cudaSuccess);
    CHECK_EQ(value, 7);
    CHECK_EQ(cudaDeviceGetAttribute(&value, 9999, 0), cudaErrorInvalidValue);
    CHECK_EQ(cudaGetDeviceProperties(props, 1), cudaErrorInvalidDevice);
    CHECK_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
    cudaGetLastError();
}

/* 2,048 threads of an SM in blocks of 256: 8; a block of all shared memory:
 * one. */
TEST(occupancy)
{
    int blocks;

    NEED_MEMORY();
    CHECK_EQ(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &work, 256, 0),
        cudaSuccess);
    CHECK_EQ(blocks, 8);
    CHECK_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &work, 64,
                                                           96 << 10),
             cudaSuccess);
    CHECK_EQ(blocks, 1);
    CHECK_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &nothing,
                                                           256, 0),
             cudaErrorInvalidDeviceFunction);
    cudaGetLastError();
}

/* ---- Wrong launches ---- */

TEST(wrong_launches_are_refused)
{
    void *in = device_numbers();
    void *args[] = {&in, &in, &(unsigned){1}};

    NEED_MEMORY();
    CHECK_EQ(launch_work(0, 32, in, in, 1, 0), cudaErrorInvalidConfiguration);
    CHECK_EQ(launch_work(1, 1025, in, in, 1, 0), cudaErrorInvalidConfiguration);
    CHECK_EQ(cudaLaunchKernel(&nothing, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args,
                              0, 0),
             cudaErrorInvalidDeviceFunction);
    CHECK_EQ(cudaLaunchKernel(&work, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args,
                              64 << 10, 0),
             cudaErrorInvalidValue); /* it was not asked for */
    CHECK_EQ(cudaFuncSetAttribute(&work, 8, 64 << 10), cudaSuccess);
    CHECK_EQ(cudaLaunchKernel(&work, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args,
                              64 << 10, 0),
             cudaSuccess);
    CHECK_EQ(launch_work(1, 32, in, in, 1, (cudaStream_t)&nothing),
             cudaErrorInvalidResourceHandle);
    CHECK_EQ(cudaLaunchCooperativeKernel(&work, (dim3){1000, 1, 1},
                                         (dim3){1024, 1, 1}, args, 0, 0),
             cudaErrorCooperativeLaunchTooLarge);
    cudaGetLastError();
    CHECK_EQ(cudaDeviceSynchronize(), cudaSuccess);
    cudaFree(in);
}

/* The last test: nothing works after it but cudaDeviceReset. */
TEST(a_fault_stays)
{
    void *wild = (void *)16, *at;
    void *args[] = {&wild};

    NEED_MEMORY();
    CHECK_EQ(
        cudaLaunchKernel(&fail, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, 0),
        cudaSuccess);
    CHECK_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    CHECK_EQ(cudaMalloc(&at, 4), cudaErrorIllegalAddress);
    CHECK_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
    CHECK_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
    CHECK_EQ(cudaDeviceReset(), cudaSuccess);
    CHECK_EQ(cudaMalloc(&at, 4), cudaSuccess);
}
