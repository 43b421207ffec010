/* src/cuda/nvml/nvml.h - NVML, as far as it is there; nvml_missing.def has the
 * rest. */
#ifndef CUDA_NVML_NVML_H
#define CUDA_NVML_NVML_H

#include "cuda/door.h"
#include "cuda/nvml/nvml_api.h"

EXPORT nvmlReturn_t nvmlInitWithFlags(unsigned flags);
EXPORT nvmlReturn_t nvmlInit_v2(void);
EXPORT nvmlReturn_t nvmlInit(void);
EXPORT nvmlReturn_t nvmlShutdown(void);
EXPORT const char *nvmlErrorString(nvmlReturn_t answer);
EXPORT nvmlReturn_t nvmlSystemGetDriverVersion(char *out, unsigned room);
EXPORT nvmlReturn_t nvmlSystemGetNVMLVersion(char *out, unsigned room);
EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *out);
EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *out);
EXPORT nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *out);
EXPORT nvmlReturn_t nvmlDeviceGetCount(unsigned *out);
EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned i,
                                                  nvmlDevice_t *out);
EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned i, nvmlDevice_t *out);
EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id,
                                                     nvmlDevice_t *out);
EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *id,
                                                  nvmlDevice_t *out);
EXPORT nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *id,
                                              nvmlDevice_t *out);
EXPORT nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *out);
EXPORT nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device,
                                             unsigned *out);
EXPORT nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *out,
                                      unsigned room);
EXPORT nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *out,
                                      unsigned room);
EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device,
                                            nvmlPciInfo_t *out);
EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device,
                                            nvmlPciInfo_t *out);
EXPORT nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device,
                                         nvmlPciInfo_t *out);
EXPORT nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device,
                                                       int *major, int *minor);
EXPORT nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device,
                                                unsigned *out);
EXPORT nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, unsigned type,
                                           unsigned *out);
EXPORT nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device,
                                              unsigned type, unsigned *out);
EXPORT nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t device,
                                                   unsigned type,
                                                   unsigned *out);
EXPORT nvmlReturn_t nvmlDeviceGetDefaultApplicationsClock(nvmlDevice_t device,
                                                          unsigned type,
                                                          unsigned *out);
EXPORT nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, int *out);
EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device,
                                            nvmlMemory_t *out);
EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device,
                                               nvmlMemory_v2_t *out);
EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(
    nvmlDevice_t device, unsigned *count, nvmlProcessInfo_v1_t *out);
EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(
    nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *out);
EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(
    nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *out);

#endif
