/* tests/cuda/test_nvml.c - what NVML tells of simulated devices. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/nvml/nvml.h"
#include "test.h"

__attribute__((constructor)) static void choose_devices(void)
{
    unsetenv("HEDDLE_SESSION");
    setenv("HEDDLE_GPU", "v100,k20", 1);
}

static nvmlDevice_t begin(unsigned number)
{
    nvmlDevice_t d = NULL;

    if (nvmlInit_v2() == NVML_ERROR_DRIVER_NOT_LOADED)
        TEST_SKIP("simulated memory cannot lie at its own address here");
    CHECK_EQ(nvmlDeviceGetHandleByIndex_v2(number, &d), NVML_SUCCESS);
    return d;
}

/* The first test: nothing has begun yet. */
TEST(nvml_counts_who_began)
{
    unsigned n = 9;
    nvmlReturn_t before = nvmlDeviceGetCount_v2(&n);

    if (nvmlInit_v2() == NVML_ERROR_DRIVER_NOT_LOADED)
        TEST_SKIP("simulated memory cannot lie at its own address here");
    CHECK_EQ(before, NVML_ERROR_UNINITIALIZED);
    CHECK_EQ(nvmlInit(), NVML_SUCCESS);
    CHECK_EQ(nvmlShutdown(), NVML_SUCCESS);
    CHECK_EQ(nvmlDeviceGetCount_v2(&n), NVML_SUCCESS);
    CHECK_EQ(n, 2);
    CHECK_EQ(nvmlShutdown(), NVML_SUCCESS);
    CHECK_EQ(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
    CHECK_EQ(nvmlDeviceGetCount_v2(&n), NVML_ERROR_UNINITIALIZED);
    CHECK_STR(nvmlErrorString(NVML_ERROR_UNINITIALIZED), "Uninitialized");
    CHECK_STR(nvmlErrorString((nvmlReturn_t)12345), "Unknown Error");
}

TEST(nvml_tells_what_devices_are)
{
    nvmlDevice_t v100 = begin(0), k20 = begin(1), none;
    char name[64], small[5];
    unsigned v;
    int major, minor;

    CHECK_EQ(nvmlDeviceGetHandleByIndex_v2(2, &none),
             NVML_ERROR_INVALID_ARGUMENT);
    CHECK_EQ(nvmlDeviceGetName(v100, name, sizeof name), NVML_SUCCESS);
    CHECK_STR(name, "Tesla V100");
    CHECK_EQ(nvmlDeviceGetName(v100, small, sizeof small),
             NVML_ERROR_INSUFFICIENT_SIZE);
    CHECK_EQ(nvmlDeviceGetName((nvmlDevice_t)&v, name, sizeof name),
             NVML_ERROR_INVALID_ARGUMENT);
    CHECK_EQ(nvmlDeviceGetCudaComputeCapability(k20, &major, &minor), 0);
    CHECK_EQ(major, 3);
    CHECK_EQ(minor, 5);
    CHECK_EQ(nvmlDeviceGetClockInfo(v100, NVML_CLOCK_SM, &v), 0);
    CHECK_EQ(v, 1380);
    CHECK_EQ(nvmlDeviceGetMaxClockInfo(k20, NVML_CLOCK_GRAPHICS, &v), 0);
    CHECK_EQ(v, 706);
    CHECK_EQ(nvmlDeviceGetClockInfo(v100, NVML_CLOCK_VIDEO, &v),
             NVML_ERROR_NOT_SUPPORTED);
    CHECK_EQ(nvmlDeviceGetClockInfo(v100, 77, &v), NVML_ERROR_INVALID_ARGUMENT);
    CHECK_EQ(nvmlDeviceGetMemoryBusWidth(v100, &v), 0);
    CHECK_EQ(v, 4096);
    nvmlShutdown();
    nvmlShutdown();
}

TEST(nvml_finds_devices_again)
{
    nvmlDevice_t k20 = begin(1), same = NULL;
    char uuid[48], runtime[24];
    nvmlPciInfo_t pci;
    nvmlPciInfo_t old;

    CHECK_EQ(nvmlDeviceGetUUID(k20, uuid, sizeof uuid), 0);
    CHECK_EQ(strlen(uuid), 40);
    CHECK(!strncmp(uuid, "GPU-", 4) && uuid[12] == '-' && uuid[27] == '-');
    CHECK_EQ(nvmlDeviceGetHandleByUUID(uuid, &same), 0);
    CHECK(same == k20);
    CHECK_EQ(nvmlDeviceGetHandleByUUID("GPU-0", &same), NVML_ERROR_NOT_FOUND);
    CHECK_EQ(nvmlDeviceGetPciInfo_v3(k20, &pci), 0);
    CHECK_EQ(cudaDeviceGetPCIBusId(runtime, sizeof runtime, 1), 0);
    CHECK_STR(pci.busIdLegacy, runtime);
    same = NULL;
    CHECK_EQ(nvmlDeviceGetHandleByPciBusId_v2(pci.busId, &same), 0);
    CHECK(same == k20);
    CHECK_EQ(nvmlDeviceGetHandleByPciBusId_v2("0000:09:00.0", &same),
             NVML_ERROR_NOT_FOUND);
    /* Of programs whose type is shorter nothing behind it is written. */
    memset(&old, 0x55, sizeof old);
    CHECK_EQ(nvmlDeviceGetPciInfo(k20, &old), 0);
    CHECK_EQ(old.bus, 2);
    CHECK_EQ(old.pciSubSystemId, 0x55555555);
    nvmlShutdown();
}

TEST(nvml_knows_how_much_memory_is_used)
{
    nvmlDevice_t d = begin(0);
    nvmlMemory_t before, after;
    nvmlMemory_v2_t more = {.version = sizeof more | 2u << 24};
    nvmlProcessInfo_t own[2];
    unsigned n = 2;
    void *at;

    CHECK_EQ(cudaSetDevice(0), 0);
    CHECK_EQ(cudaMalloc(&at, 4), 0);
    CHECK_EQ(nvmlDeviceGetMemoryInfo(d, &before), 0);
    CHECK_EQ(before.total, 16ull << 30);
    CHECK_EQ(before.used + before.free, before.total);
    CHECK_EQ(cudaMalloc(&at, 1 << 20), 0);
    CHECK_EQ(nvmlDeviceGetMemoryInfo(d, &after), 0);
    CHECK_EQ(after.used - before.used, 1 << 20);
    CHECK_EQ(nvmlDeviceGetMemoryInfo_v2(d, &more), 0);
    CHECK_EQ(more.used, after.used);
    more.version = 1;
    CHECK_EQ(nvmlDeviceGetMemoryInfo_v2(d, &more),
             NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    CHECK_EQ(nvmlDeviceGetComputeRunningProcesses_v3(d, &n, own), 0);
    CHECK_EQ(n, 1);
    CHECK_EQ(own[0].pid, getpid());
    CHECK_EQ(own[0].usedGpuMemory, after.used);
    n = 0;
    CHECK_EQ(nvmlDeviceGetComputeRunningProcesses_v3(d, &n, NULL),
             NVML_ERROR_INSUFFICIENT_SIZE);
    CHECK_EQ(n, 1);
    CHECK_EQ(cudaFree(at), 0);
    nvmlShutdown();
}
