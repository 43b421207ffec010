/* src/cuda/nvml/nvml_api.h - types of NVML, the vendor's library that tells of
 * devices, under the names that programs are compiled with [NVML:api]. */
#ifndef CUDA_NVML_NVML_API_H
#define CUDA_NVML_NVML_API_H

typedef enum nvmlReturn {
#define NVML_STATUS(code, name, text) NVML_##name = (code),
#include "cuda/nvml/nvml_status.def"
#undef NVML_STATUS
} nvmlReturn_t;

typedef struct nvmlDevice_st *nvmlDevice_t; /* no program looks into it */

typedef struct nvmlPciInfo {
    char busIdLegacy[16]; /* "0000:01:00.0" */
    unsigned domain, bus, device;
    unsigned pciDeviceId;
    unsigned pciSubSystemId; /* here ends what the first interface had */
    char busId[32];          /* "00000000:01:00.0"; the second had four words */
} nvmlPciInfo_t;

typedef struct nvmlMemory {
    unsigned long long total, free, used;
} nvmlMemory_t;

typedef struct nvmlMemory_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
} nvmlMemory_v2_t;

typedef struct nvmlProcessInfo_v1 {
    unsigned pid;
    unsigned long long usedGpuMemory;
} nvmlProcessInfo_v1_t;

typedef struct nvmlProcessInfo {
    unsigned pid;
    unsigned long long usedGpuMemory;
    unsigned gpuInstanceId, computeInstanceId; /* 0xffffffff: none */
} nvmlProcessInfo_t;

enum { NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_CLOCK_VIDEO };

#endif
