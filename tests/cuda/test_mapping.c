/* tests/cuda/test_mapping.c - virtual memory of the driver API: addresses,
 * memory, and the one mapped at the other. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/driver_api/driver_functions.h"
#include "test.h"

#define GRANULE ((size_t)2 << 20)

enum { NO_ACCESS, READS_AND_WRITES = 3 };

/* Adds 1 to the number at `at`. */
static const char ptx[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry add(.param .u64 at)\n{\n"
    "  .reg .u64 %a; .reg .u32 %r;\n"
    "  ld.param.u64 %a, [at]; ld.global.u32 %r, [%a];\n"
    "  add.u32 %r, %r, 1; st.global.u32 [%a], %r; ret;\n}\n";

static const CUmemAllocationProp on_device = {
    .type = 1, .requestedHandleTypes = 1, .location = {1, 0}};

__attribute__((constructor)) static void choose_devices(void)
{
    unsetenv("HEDDLE_SESSION");
    setenv("HEDDLE_GPU", "v100,k20", 1);
}

static CUcontext begin(void)
{
    CUcontext c;

    if (cuInit(0) == 3)
        TEST_SKIP("simulated memory cannot lie at its own address here");
    CHECK_EQ(cuCtxCreate_v2(&c, 0, 0), 0);
    return c;
}

static void allow(CUdeviceptr at, size_t size, int flags)
{
    CHECK_EQ(cuMemSetAccess(at, size, &(CUmemAccessDesc){{1, 0}, flags}, 1), 0);
}

static CUdeviceptr reserve(size_t size)
{
    CUdeviceptr at = 0;

    CHECK_EQ(cuMemAddressReserve(&at, size, 0, 0, 0), 0);
    CHECK_EQ(at % GRANULE, 0);
    return at;
}

static unsigned long long create(size_t size)
{
    unsigned long long handle = 0;

    CHECK_EQ(cuMemCreate(&handle, size, &on_device, 0), 0);
    return handle;
}

static CUresult add_one(CUdeviceptr at)
{
    CUmodule m;
    CUfunction f;
    void *arguments[] = {&at};

    CHECK_EQ(cuModuleLoadData(&m, ptx), 0);
    CHECK_EQ(cuModuleGetFunction(&f, m, "add"), 0);
    CHECK_EQ(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), 0);
    CUresult code = cuCtxSynchronize();
    cuModuleUnload(m);
    return code;
}

static unsigned value_at(CUdeviceptr at)
{
    unsigned value = 0;

    CHECK_EQ(cuMemcpyDtoH_v2(&value, at, sizeof value), 0);
    return value;
}

/* Two memories behind each other are one range for copies. */
TEST(memory_is_mapped)
{
    CUcontext c = begin();
    CUdeviceptr at = reserve(4 * GRANULE), first;
    size_t left, less, size;
    unsigned long long a, b, flags;
    char text[16] = "";

    CHECK_EQ(cuMemGetInfo_v2(&left, &size), 0);
    a = create(GRANULE);
    b = create(2 * GRANULE);
    CHECK_EQ(cuMemGetInfo_v2(&less, &size), 0);
    CHECK_EQ(left - less, 3 * GRANULE);
    CHECK_EQ(cuMemMap(at, GRANULE, 0, a, 0), 0);
    CHECK_EQ(cuMemMap(at + GRANULE, 2 * GRANULE, 0, b, 0), 0);
    CHECK_EQ(cuMemRelease(b), 0);
    CHECK_EQ(cuMemMap(at + 3 * GRANULE, GRANULE, 0, b, 0), 1);
    CHECK_EQ(cuMemGetAddressRange_v2(&first, &size, at), 500); /* no access */
    allow(at, 3 * GRANULE, READS_AND_WRITES);
    CHECK_EQ(cuMemGetAddressRange_v2(&first, &size, at + GRANULE + 5), 0);
    CHECK_EQ(first, at);
    CHECK_EQ(size, 3 * GRANULE);
    CHECK_EQ(cuMemcpyHtoD_v2(at + GRANULE - 6, "over the edge", 14), 0);
    CHECK_EQ(cuMemcpyDtoH_v2(text, at + GRANULE - 6, 14), 0);
    CHECK_STR(text, "over the edge");
    CHECK_EQ(cuMemGetAccess(&flags, &(cudaMemLocation){1, 0}, at), 0);
    CHECK_EQ(flags, READS_AND_WRITES);
    CHECK_EQ(cuMemGetAccess(&flags, &(cudaMemLocation){1, 1}, at), 0);
    CHECK_EQ(flags, NO_ACCESS);
    CHECK_EQ(cuMemFree_v2(at), 1);
    allow(at + GRANULE, 2 * GRANULE, NO_ACCESS);
    CHECK_EQ(cuMemcpyDtoH_v2(text, at + GRANULE - 6, 14), 1);
    allow(at + GRANULE, 2 * GRANULE, READS_AND_WRITES);
    CHECK_EQ(cuMemUnmap(at, 3 * GRANULE), 0);
    CHECK_EQ(cuMemGetInfo_v2(&less, &size), 0);
    CHECK_EQ(left - less, GRANULE);
    CHECK_EQ(cuMemRelease(a), 0);
    CHECK_EQ(cuMemAddressFree(at, 4 * GRANULE), 0);
    cuCtxDestroy_v2(c);
}

/* What a kernel writes at one address is at the other, and stays when that is
 * not mapped any more. */
TEST(memory_lies_at_two_addresses)
{
    CUcontext c = begin();
    CUdeviceptr one = reserve(GRANULE), two = reserve(2 * GRANULE);
    unsigned long long a = create(GRANULE), same;

    CHECK_EQ(cuMemMap(one, GRANULE, 0, a, 0), 0);
    CHECK_EQ(cuMemMap(two + GRANULE, GRANULE, 0, a, 0), 0);
    allow(one, GRANULE, READS_AND_WRITES);
    allow(two + GRANULE, GRANULE, READS_AND_WRITES);
    CHECK_EQ(add_one(one + 4), 0);
    CHECK_EQ(add_one(two + GRANULE + 4), 0);
    CHECK_EQ(value_at(one + 4), 2);
    CHECK_EQ(cuMemUnmap(one, GRANULE), 0);
    CHECK_EQ(value_at(two + GRANULE + 4), 2);
    CHECK_EQ(cuMemRetainAllocationHandle(
                 &same, (void *)(uintptr_t)(two + GRANULE + 9)),
             0);
    CHECK(same == a);
    CHECK_EQ(cuMemRelease(same), 0);
    CHECK_EQ(cuMemRelease(a), 0);
    CHECK_EQ(cuMemRelease(a), 1);
    CHECK_EQ(value_at(two + GRANULE + 4), 2);
    CHECK_EQ(cuMemAddressFree(two, 2 * GRANULE), 1); /* mapped */
    CHECK_EQ(cuMemUnmap(two + GRANULE, GRANULE), 0);
    CHECK_EQ(cuMemAddressFree(two, 2 * GRANULE), 0);
    CHECK_EQ(cuMemAddressFree(two, 2 * GRANULE), 1);
    CHECK_EQ(cuMemAddressFree(one, GRANULE), 0);
    cuCtxDestroy_v2(c);
}

/* Memory that comes later is in the same place, zeroed. */
TEST(new_memory_is_zero)
{
    CUcontext c = begin();
    CUdeviceptr at = reserve(GRANULE);

    for (int i = 0; i < 2; i++) {
        unsigned long long a = create(GRANULE);

        CHECK_EQ(cuMemMap(at, GRANULE, 0, a, 0), 0);
        CHECK_EQ(cuMemRelease(a), 0);
        allow(at, GRANULE, READS_AND_WRITES);
        CHECK_EQ(value_at(at), 0);
        CHECK_EQ(add_one(at), 0);
        CHECK_EQ(value_at(at), 1);
        CHECK_EQ(cuMemUnmap(at, GRANULE), 0);
    }
    CHECK_EQ(cuMemAddressFree(at, GRANULE), 0);
    cuCtxDestroy_v2(c);
}

/* A descriptor leads to the memory; other files do not. */
TEST(memory_is_exported)
{
    CUcontext c = begin();
    CUdeviceptr at = reserve(2 * GRANULE);
    unsigned long long a = create(GRANULE), b;
    CUmemAllocationProp how;
    int file = -1, other = open("/dev/null", O_RDONLY);

    CHECK_EQ(cuMemExportToShareableHandle(&file, a, 1, 0), 0);
    CHECK_EQ(cuMemExportToShareableHandle(&file, a, 2, 0), 1);
    CHECK_EQ(cuMemImportFromShareableHandle(&b, (void *)(intptr_t)other, 1), 1);
    CHECK_EQ(cuMemImportFromShareableHandle(&b, (void *)(intptr_t)-1, 1), 1);
    CHECK_EQ(cuMemImportFromShareableHandle(&b, (void *)(intptr_t)file, 1), 0);
    close(file);
    close(other);
    CHECK_EQ(cuMemGetAllocationPropertiesFromHandle(&how, b), 0);
    CHECK_EQ(how.type, 1);
    CHECK_EQ(how.location.type, 1);
    CHECK_EQ(cuMemMap(at, GRANULE, 0, a, 0), 0);
    CHECK_EQ(cuMemMap(at + GRANULE, GRANULE, 0, b, 0), 0);
    allow(at, 2 * GRANULE, READS_AND_WRITES);
    CHECK_EQ(add_one(at + 8), 0);
    CHECK_EQ(value_at(at + GRANULE + 8), 1);
    CHECK_EQ(cuMemUnmap(at, 2 * GRANULE), 0);
    CHECK_EQ(cuMemRelease(a), 0);
    CHECK_EQ(cuMemRelease(b), 0);
    CHECK_EQ(cuMemAddressFree(at, 2 * GRANULE), 0);
    cuCtxDestroy_v2(c);
}

TEST(wrong_calls_fail)
{
    CUcontext c = begin();
    CUmemAllocationProp how = on_device;
    CUdeviceptr at;
    size_t size;
    unsigned long long a;

    CHECK_EQ(cuMemAddressReserve(&at, GRANULE + 1, 0, 0, 0), 1);
    CHECK_EQ(cuMemAddressReserve(&at, GRANULE, 3, 0, 0), 1);
    CHECK_EQ(cuMemAddressReserve(NULL, GRANULE, 0, 0, 0), 1);
    CHECK_EQ(cuMemAddressReserve(&at, (size_t)1 << 60, 0, 0, 0), 2);
    CHECK_EQ(cuMemGetAllocationGranularity(&size, &how, 0), 0);
    CHECK_EQ(size, GRANULE);
    CHECK_EQ(cuMemGetAllocationGranularity(&size, &how, 2), 1);
    CHECK_EQ(cuMemCreate(&a, 5, &how, 0), 1);
    CHECK_EQ(cuMemCreate(&a, (size_t)1 << 40, &how, 0), 2);
    how.location.id = 2;
    CHECK_EQ(cuMemCreate(&a, GRANULE, &how, 0), 101);
    how.location.type = 2;
    CHECK_EQ(cuMemCreate(&a, GRANULE, &how, 0), 801);
    CHECK_EQ(cuMemCreate(&a, GRANULE, NULL, 0), 1);
    at = reserve(2 * GRANULE);
    a = create(GRANULE);
    CHECK_EQ(cuMemMap(at, 2 * GRANULE, 0, a, 0), 1);
    CHECK_EQ(cuMemMap(at + 4096, GRANULE, 0, a, 0), 1);
    CHECK_EQ(cuMemMap(at, GRANULE, GRANULE, a, 0), 1);
    CHECK_EQ(cuMemMap(at + 2 * GRANULE, GRANULE, 0, a, 0), 1);
    CHECK_EQ(cuMemMap(at, GRANULE, 0, 12345, 0), 1);
    CHECK_EQ(cuMemMap(at, GRANULE, 0, a, 0), 0);
    CHECK_EQ(cuMemMap(at, GRANULE, 0, a, 0), 1);
    CHECK_EQ(cuMemUnmap(at, 2 * GRANULE), 1);
    CHECK_EQ(cuMemSetAccess(at, GRANULE, NULL, 1), 1);
    CHECK_EQ(cuMemSetAccess(at, GRANULE, &(CUmemAccessDesc){{1, 0}, 1}, 1),
             801);
    CHECK_EQ(cuMemSetAccess(at, GRANULE, &(CUmemAccessDesc){{1, 7}, 3}, 1),
             101);
    CHECK_EQ(cuMemUnmap(at, GRANULE), 0);
    CHECK_EQ(cuMemRelease(a), 0);
    CHECK_EQ(cuMemAddressFree(at, GRANULE), 1);
    CHECK_EQ(cuMemAddressFree(at, 2 * GRANULE), 0);
    cuCtxDestroy_v2(c);
}

/* The last one: the device is of no use any more. */
TEST(kernels_fault_where_nothing_is_mapped)
{
    begin();
    CUdeviceptr at = reserve(8 * GRANULE);
    unsigned long long a = create(GRANULE);

    CHECK_EQ(cuMemMap(at, GRANULE, 0, a, 0), 0);
    allow(at, GRANULE, READS_AND_WRITES);
    CHECK_EQ(add_one(at), 0);
    CHECK_EQ(add_one(at + 4 * GRANULE), 700);
}
