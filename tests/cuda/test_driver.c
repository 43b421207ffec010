/* tests/cuda/test_driver.c - programs of the driver API: contexts, modules,
 * launches, memory, and what they are told when they are wrong. */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cuda/driver_api/driver_functions.h"
#include "test.h"

#define HEAD ".version 6.0\n.target sm_70\n.address_size 64\n"

/* out[i] = scale * in[i] + count */
static const char ptx[] =
    HEAD ".visible .global .align 4 .u32 count = 5;\n"
         ".visible .entry work(.param .u64 in, .param .u64 out, "
         ".param .u32 scale)\n{\n"
         "  .reg .u64 %a<6>; .reg .u32 %r<12>;\n"
         "  ld.param.u64 %a1, [in]; ld.param.u64 %a2, [out];\n"
         "  ld.param.u32 %r1, [scale];\n"
         "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
         "  mad.lo.u32 %r5, %r2, %r3, %r4;\n"
         "  mul.wide.u32 %a3, %r5, 4; add.u64 %a1, %a1, %a3;\n"
         "  add.u64 %a2, %a2, %a3;\n"
         "  ld.global.u32 %r6, [%a1]; ld.global.u32 %r7, [count];\n"
         "  mad.lo.u32 %r6, %r6, %r1, %r7; st.global.u32 [%a2], %r6;\n"
         "  ret;\n}\n";

__attribute__((constructor)) static void choose_devices(void)
{
    unsetenv("HEDDLE_SESSION");
    setenv("HEDDLE_GPU", "v100,k20", 1);
}

/* The first test: nothing has begun yet. */
TEST(nothing_before_init)
{
    CUcontext c;
    CUdeviceptr at;
    int count;

    CHECK_EQ(cuDeviceGetCount(&count), 3); /* not initialised */
    CUresult wrong = cuInit(1);
    if (cuInit(0) == 3)
        TEST_SKIP("simulated memory cannot lie at its own address here");
    CHECK_EQ(wrong, 1);
    CHECK_EQ(cuDeviceGetCount(&count), 0);
    CHECK_EQ(count, 2);
    CHECK_EQ(cuMemAlloc_v2(&at, 4), 201); /* no context */
    CHECK_EQ(cuCtxGetCurrent(&c), 0);
    CHECK(!c);
}

static CUcontext begin(CUdevice number)
{
    CUcontext c;

    if (cuInit(0) == 3)
        TEST_SKIP("simulated memory cannot lie at its own address here");
    CHECK_EQ(cuCtxCreate_v2(&c, 0, number), 0);
    return c;
}

TEST(devices_tell_what_they_are)
{
    int major, minor, value, same;
    size_t bytes;
    char name[64], short_name[4];
    cudaUUID_t a, b;

    if (cuInit(0) == 3)
        TEST_SKIP("simulated memory cannot lie at its own address here");
    CHECK_EQ(cuDeviceComputeCapability(&major, &minor, 0), 0);
    CHECK_EQ(major * 10 + minor, 70);
    CHECK_EQ(cuDeviceGetAttribute(&value, 16, 0), 0);
    CHECK_EQ(value, 80); /* SMs of a V100 */
    CHECK_EQ(cudaDeviceGetAttribute(&same, 16, 0), 0);
    CHECK_EQ(value, same);
    CHECK_EQ(cuDeviceGetAttribute(&value, 1000, 0), 1);
    CHECK_EQ(cuDeviceTotalMem_v2(&bytes, 0), 0);
    CHECK_EQ(bytes >> 30, 16);
    CHECK_EQ(cuDeviceGetName(name, sizeof name, 1), 0);
    CHECK(strstr(name, "K20"));
    CHECK_EQ(cuDeviceGetName(short_name, sizeof short_name, 1), 0);
    CHECK_EQ(strlen(short_name), 3);
    CHECK_EQ(cuDeviceGetName(name, sizeof name, 2), 101);
    CHECK_EQ(cuDeviceGetUuid_v2(&a, 0), 0);
    CHECK_EQ(cuDeviceGetUuid_v2(&b, 1), 0);
    CHECK(memcmp(&a, &b, sizeof a));
}

/* A thread's contexts are a stack; the runtime's device is the same thing. */
TEST(contexts_are_a_stack)
{
    CUcontext first = begin(0), second = begin(1), got;
    int number, active;

    CHECK_EQ(cuCtxGetDevice(&number), 0);
    CHECK_EQ(number, 1);
    CHECK_EQ(cudaGetDevice(&number), 0);
    CHECK_EQ(number, 1);
    CHECK_EQ(cuCtxPopCurrent_v2(&got), 0);
    CHECK(got == second);
    CHECK_EQ(cudaGetDevice(&number), 0);
    CHECK_EQ(number, 0);
    CHECK_EQ(cuCtxSetCurrent(second), 0);
    CHECK_EQ(cuCtxGetCurrent(&got), 0);
    CHECK(got == second);
    CHECK_EQ(cuCtxDestroy_v2(first), 0);
    CHECK_EQ(cuCtxSetCurrent(first), 201); /* destroyed */
    CHECK_EQ(cuCtxDestroy_v2(second), 0);
    CHECK_EQ(cuCtxCreate_v4(&first, &(CUctxCreateParams){NULL, 0, NULL}, 0, 0),
             0);
    CHECK_EQ(cuCtxDestroy_v2(first), 0);
    CHECK_EQ(cuCtxSynchronize(), 201);
    CHECK_EQ(cuDevicePrimaryCtxRetain(&got, 1), 0);
    CHECK_EQ(cuDevicePrimaryCtxGetState(1, NULL, &active), 0);
    CHECK_EQ(active, 1);
    CHECK_EQ(cudaSetDevice(1), cudaSuccess);
    CHECK_EQ(cuCtxGetCurrent(&second), 0);
    CHECK(got == second);
    CHECK_EQ(cuCtxSetCurrent(NULL), 0);
    CHECK_EQ(cuDevicePrimaryCtxRelease_v2(1), 0);
    CHECK_EQ(cuDevicePrimaryCtxRelease_v2(1), 201);
    CHECK_EQ(cudaSetDevice(0), cudaSuccess);
    CHECK_EQ(cuCtxSetCurrent(NULL), 0);
}

enum { N = 64 };

static void check_work(CUfunction f, bool packed)
{
    unsigned host[N], scale = 3, wrong = 0;
    CUdeviceptr in, out;

    for (unsigned i = 0; i < N; i++)
        host[i] = i;
    CHECK_EQ(cuMemAlloc_v2(&in, sizeof host), 0);
    CHECK_EQ(cuMemAlloc_v2(&out, sizeof host), 0);
    CHECK_EQ(cuMemcpyHtoD_v2(in, host, sizeof host), 0);
    void *each[] = {&in, &out, &scale};
    struct {
        CUdeviceptr in, out;
        unsigned scale;
    } block = {in, out, scale};
    size_t size = sizeof block;
    void *extra[] = {(void *)1, &block, (void *)2, &size, NULL};
    CHECK_EQ(cuLaunchKernel(f, 2, 1, 1, N / 2, 1, 1, 0, NULL,
                            packed ? NULL : each, packed ? extra : NULL),
             0);
    CHECK_EQ(cuMemcpyDtoH_v2(host, out, sizeof host), 0);
    for (unsigned i = 0; i < N; i++)
        wrong += host[i] != 3 * i + 5;
    CHECK_EQ(wrong, 0);
    CHECK_EQ(cuMemFree_v2(in), 0);
    CHECK_EQ(cuMemFree_v2(out), 0);
    CHECK_EQ(cuMemFree_v2(out), 1);
}

TEST(modules_are_loaded)
{
    CUcontext c = begin(0);
    CUmodule m, from;
    CUfunction f;
    CUdeviceptr at;
    size_t bytes, offset, size;
    unsigned value = 0, count;
    int most;

    CHECK_EQ(cuModuleLoadData(&m, ptx), 0);
    CHECK_EQ(cuModuleGetFunction(&f, m, "none"), 500);
    CHECK_EQ(cuModuleGetFunction(&f, m, "work"), 0);
    CHECK_EQ(cuModuleGetFunctionCount(&count, m), 0);
    CHECK_EQ(count, 1);
    CHECK_EQ(cuFuncGetModule(&from, f), 0);
    CHECK(from == m);
    CHECK_EQ(cuFuncGetParamInfo(f, 2, &offset, &size), 0);
    CHECK_EQ(offset, 16);
    CHECK_EQ(size, 4);
    CHECK_EQ(cuFuncGetAttribute(&most, 0, f), 0);
    CHECK_EQ(most, 1024);
    CHECK_EQ(cuModuleGetGlobal_v2(&at, &bytes, m, "count"), 0);
    CHECK_EQ(bytes, 4);
    CHECK_EQ(cuMemcpyDtoH_v2(&value, at, 4), 0);
    CHECK_EQ(value, 5);
    CHECK_EQ(cuModuleGetGlobal_v2(&at, &bytes, m, "none"), 500);
    check_work(f, false);
    check_work(f, true);
    CHECK_EQ(cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 1);
    CHECK_EQ(cudaGetLastError(), cudaSuccess); /* not of this API */
    CHECK_EQ(cuModuleUnload(m), 0);
    CHECK_EQ(cuModuleUnload(m), 400);
    CHECK_EQ(cuModuleGetFunction(&f, m, "work"), 400);
    cuCtxDestroy_v2(c);
}

/* The compiler's message is in the log, and its size is what was written. */
TEST(errors_of_the_compiler_are_logged)
{
    CUcontext c = begin(0);
    char log[400] = "";
    int what[] = {5, 6};
    void *value[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule m;

    CHECK_EQ(cuModuleLoadDataEx(&m, HEAD ".visible .entry k() { nonsense; }\n",
                                2, what, value),
             218);
    CHECK(strstr(log, "nonsense"));
    CHECK_EQ((uintptr_t)value[1], strlen(log));
    CHECK_EQ(cuModuleLoadData(&m, "no code"), 200);
    CHECK_EQ(cuModuleLoad(&m, "/nowhere/k.ptx"), 301);
    cuCtxDestroy_v2(c);
}

/* Loads to[0..39], then adds (i + 1) * to[i] from the last to the first, so
 * that all are alive at once; the sum is to[0]. */
static char *wide_kernel(void)
{
    enum { LIVE = 40 };
    strbuf b = {0};

    strbuf_printf(&b,
                  HEAD ".visible .entry wide(.param .u64 to)\n{\n"
                       "  .reg .u64 %%a; .reg .u32 %%v<%d>; .reg .u32 %%s;\n"
                       "  .shared .align 4 .b8 room[48];\n"
                       "  ld.param.u64 %%a, [to]; mov.u32 %%s, 0;\n"
                       "  st.shared.u32 [room], %%s;\n",
                  LIVE);
    for (unsigned i = 0; i < LIVE; i++)
        strbuf_printf(&b, "  ld.volatile.global.u32 %%v%u, [%%a+%u];\n", i,
                      4 * i);
    for (unsigned i = LIVE; i--;)
        strbuf_printf(&b, "  mad.lo.u32 %%s, %%v%u, %u, %%s;\n", i, i + 1);
    strbuf_printf(&b, "  st.global.u32 [%%a], %%s; ret;\n}\n");
    return b.text;
}

/* Its registers, with at most so many; 0: any number. The log tells them. */
static int check_wide(unsigned most)
{
    char *text = wide_kernel(), log[400] = "", want[80];
    unsigned data[40], sum = 0;
    int what[] = {3, 4, 0}, registers, local, shared;
    void *value[] = {log, (void *)(uintptr_t)sizeof log,
                     (void *)(uintptr_t)most};
    CUdeviceptr at;
    CUmodule m;
    CUfunction f;

    CHECK_EQ(cuModuleLoadDataEx(&m, text, 3, what, value), 0);
    free(text);
    CHECK_EQ(cuModuleGetFunction(&f, m, "wide"), 0);
    CHECK_EQ(cuFuncGetAttribute(&registers, 4, f), 0);
    CHECK_EQ(cuFuncGetAttribute(&local, 3, f), 0);
    CHECK_EQ(cuFuncGetAttribute(&shared, 1, f), 0);
    CHECK_EQ(shared, 48);
    CHECK_EQ(local > 0, most != 0);
    snprintf(want, sizeof want, "'wide': %d registers, 48 bytes of shared",
             registers);
    CHECK(strstr(log, want));
    CHECK_EQ((uintptr_t)value[1], strlen(log));
    for (unsigned i = 0; i < 40; i++)
        sum += (i + 1) * (data[i] = i * i + 3);
    CHECK_EQ(cuMemAlloc_v2(&at, sizeof data), 0);
    CHECK_EQ(cuMemcpyHtoD_v2(at, data, sizeof data), 0);
    CHECK_EQ(
        cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&at}, NULL), 0);
    CHECK_EQ(cuMemcpyDtoH_v2(data, at, 4), 0);
    CHECK_EQ(data[0], sum);
    CHECK_EQ(cuMemFree_v2(at), 0);
    CHECK_EQ(cuModuleUnload(m), 0);
    return registers;
}

TEST(registers_are_limited_and_logged)
{
    CUcontext c = begin(0);

    CHECK(check_wide(0) > 40);
    CHECK(check_wide(24) <= 24);
    CHECK(check_wide(1) <= 16);
    cuCtxDestroy_v2(c);
}

TEST(texts_are_linked)
{
    static const char part[] =
        HEAD ".extern .global .align 4 .u32 count;\n"
             ".visible .entry set() { .reg .u32 %r;\n"
             "  mov.u32 %r, 5; st.global.u32 [count], %r; ret; }\n";
    CUcontext c = begin(0);
    CUlinkState l;
    CUmodule m;
    CUfunction f;
    void *image;
    size_t size;

    CHECK_EQ(cuLinkCreate_v2(0, NULL, NULL, &l), 0);
    CHECK_EQ(cuLinkComplete(l, &image, &size), 1); /* there is nothing */
    CHECK_EQ(cuLinkAddData_v2(l, 1, (void *)(uintptr_t)ptx, sizeof ptx, "a", 0,
                              NULL, NULL),
             0);
    CHECK_EQ(cuLinkAddData_v2(l, 1, (void *)(uintptr_t)part, sizeof part, "b",
                              0, NULL, NULL),
             0);
    CHECK_EQ(cuLinkComplete(l, &image, &size), 0);
    CHECK_EQ(cuModuleLoadData(&m, image), 0);
    CHECK_EQ(cuLinkDestroy(l), 0);
    CHECK_EQ(cuLinkDestroy(l), 400);
    CHECK_EQ(cuModuleGetFunction(&f, m, "set"), 0);
    CHECK_EQ(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 0);
    CHECK_EQ(cuModuleGetFunction(&f, m, "work"), 0);
    check_work(f, false);
    CHECK_EQ(cuModuleUnload(m), 0);
    cuCtxDestroy_v2(c);
}

TEST(boxes_and_fills)
{
    CUcontext c = begin(0);
    unsigned char host[8][8], back[4] = {0};
    unsigned short twos[3];
    CUdeviceptr at, first;
    size_t pitch, size;
    int managed;

    for (unsigned i = 0; i < 64; i++)
        host[i / 8][i % 8] = (unsigned char)i;
    CHECK_EQ(cuMemAllocPitch_v2(&at, &pitch, 8, 8, 3), 1);
    CHECK_EQ(cuMemAllocPitch_v2(&at, &pitch, 8, 8, 4), 0);
    CHECK_EQ(
        cuMemcpy2D_v2(&(CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                                       .srcHost = host,
                                       .srcPitch = 8,
                                       .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                       .dstDevice = at,
                                       .dstPitch = pitch,
                                       .WidthInBytes = 8,
                                       .Height = 8}),
        0);
    CHECK_EQ(
        cuMemcpy3D_v2(&(CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                       .srcDevice = at,
                                       .srcXInBytes = 3,
                                       .srcY = 2,
                                       .srcZ = 1,
                                       .srcHeight = 4,
                                       .srcPitch = pitch,
                                       .dstMemoryType = CU_MEMORYTYPE_HOST,
                                       .dstHost = back,
                                       .dstPitch = 2,
                                       .WidthInBytes = 2,
                                       .Height = 2,
                                       .Depth = 1}),
        0);
    CHECK_EQ(back[0], 6 * 8 + 3); /* row 2 of slice 1 is row 6 */
    CHECK_EQ(back[3], 7 * 8 + 4);
    CHECK_EQ(cuMemsetD16_v2(at, 0x1234, 2), 0);
    CHECK_EQ(cuMemsetD16_v2(at + 1, 0x1234, 2), 1);
    CHECK_EQ(cuMemcpyDtoH_v2(twos, at, 6), 0);
    CHECK_EQ(twos[1], 0x1234);
    CHECK_EQ(twos[2], 0x504); /* untouched */
    CHECK_EQ(cuMemGetAddressRange_v2(&first, &size, at + 17), 0);
    CHECK_EQ(first, at);
    CHECK_EQ(size, 8 * pitch);
    CHECK_EQ(cuPointerGetAttribute(&managed, 8, at), 0);
    CHECK_EQ(managed, 0);
    CHECK_EQ(cuPointerGetAttribute(&managed, 8, 1), 1);
    CHECK_EQ(cuMemFree_v2(at), 0);
    cuCtxDestroy_v2(c);
}

static void count_up(void *at) { ++*(int *)at; }

/* A capture that waits is spoilt; a graph of nodes does its work at each
 * launch. */
TEST(graphs_are_captured_and_launched)
{
    CUcontext c = begin(0);
    CUgraph g;
    CUgraphNode n;
    CUgraphExec x;
    CUstream s;
    CUdeviceptr at;
    cudaStreamCaptureStatus is;
    unsigned got[2] = {1, 1};
    int calls = 0;

    CHECK_EQ(cuStreamCreate(&s, 1), 0);
    CHECK_EQ(cuMemAlloc_v2(&at, 8), 0);
    CHECK_EQ(cuMemsetD32_v2(at, 7, 2), 0);
    CHECK_EQ(cuStreamBeginCapture_v2(s, cudaStreamCaptureModeRelaxed), 0);
    CHECK_EQ(cuStreamIsCapturing(s, &is), 0);
    CHECK_EQ(is, cudaStreamCaptureStatusActive);
    CHECK_EQ(cuLaunchHostFunc(s, count_up, &calls), 0);
    CHECK_EQ(cuStreamSynchronize(s), 900);
    CHECK_EQ(cuStreamEndCapture(s, &g), 901);
    CHECK_EQ(cuGraphCreate(&g, 0), 0);
    CHECK_EQ(cuGraphAddHostNode(&n, g, NULL, 0,
                                &(cudaHostNodeParams){count_up, &calls}),
             0);
    CHECK_EQ(cuGraphAddMemsetNode(
                 &n, g, &n, 1,
                 &(cudaMemsetParams){(void *)(uintptr_t)at, 0, 3, 4, 1, 1}, c),
             0);
    CHECK_EQ(cuGraphInstantiateWithFlags(&x, g, 0), 0);
    CHECK_EQ(cuGraphLaunch(x, s), 0);
    CHECK_EQ(cuGraphLaunch(x, s), 0);
    CHECK_EQ(cuStreamSynchronize(s), 0);
    CHECK_EQ(calls, 2);
    CHECK_EQ(cuMemcpyDtoH_v2(got, at, 8), 0);
    CHECK_EQ(got[0], 3);
    CHECK_EQ(got[1], 7);
    CHECK_EQ(cuGraphExecDestroy(x), 0);
    CHECK_EQ(cuGraphDestroy(g), 0);
    CHECK_EQ(cuGraphDestroy(g), 1);
    CHECK_EQ(cuCtxDestroy_v2(c), 0);
}

TEST(errors_have_names)
{
    const char *text;

    CHECK_EQ(cuGetErrorName(201, &text), 0);
    CHECK_STR(text, "CUDA_ERROR_INVALID_CONTEXT");
    CHECK_EQ(cuGetErrorName(12345, &text), 1);
    CHECK(!text);
}
