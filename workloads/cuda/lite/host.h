/* workloads/cuda/lite/host.h - declarations of what host code beside a kernel
 * uses, so that a whole program's file compiles for its kernels; runtime.h has
 * more. cudaDeviceProp has not CUDA's layout: it is for code that is never run.
 */
#ifndef CUDA_LITE_HOST_H
#define CUDA_LITE_HOST_H

typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorNotReady = 600,
    cudaErrorPeerAccessAlreadyEnabled = 704,
    cudaErrorAssert = 710
} cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaDeviceAttr {
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
enum { cudaMemAttachGlobal = 1, cudaStreamNonBlocking = 1 };
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
struct cudaDeviceProp {
    char name[256];
    unsigned long totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3],
        maxGridSize[3], clockRate, major, minor, multiProcessorCount,
        memoryClockRate, memoryBusWidth, l2CacheSize,
        maxThreadsPerMultiProcessor;
};

extern "C" {
cudaError_t cudaMalloc(void **p, unsigned long size);
cudaError_t cudaMallocHost(void **p, unsigned long size);
cudaError_t cudaFree(void *p);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaMemcpy(void *to, const void *from, unsigned long size,
                       cudaMemcpyKind kind);
cudaError_t cudaMemset(void *p, int value, unsigned long size);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr what, int device);
cudaError_t cudaStreamCreate(cudaStream_t *s);
cudaError_t cudaStreamDestroy(cudaStream_t s);
cudaError_t cudaStreamSynchronize(cudaStream_t s);
cudaError_t cudaEventCreate(cudaEvent_t *e);
cudaError_t cudaEventDestroy(cudaEvent_t e);
cudaError_t cudaEventSynchronize(cudaEvent_t e);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
/* What a launch by <<<>>> becomes. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                     unsigned long shared = 0,
                                     void *stream = 0);
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, unsigned long shared = 0,
                              cudaStream_t stream = 0);
cudaError_t cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args,
                             unsigned long shared, cudaStream_t stream);
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s = 0);
cudaError_t cudaMallocManaged(void **p, unsigned long size,
                              unsigned flags = cudaMemAttachGlobal);
cudaError_t cudaMemcpyAsync(void *to, const void *from, unsigned long size,
                            cudaMemcpyKind kind, cudaStream_t s = 0);
cudaError_t cudaMemsetAsync(void *p, int value, unsigned long size,
                            cudaStream_t s = 0);
}
template <class LiteType>
cudaError_t cudaMalloc(LiteType **p, unsigned long size)
{
    return cudaMalloc((void **)p, size);
}
template <class LiteType>
cudaError_t cudaMallocHost(LiteType **p, unsigned long size)
{
    return cudaMallocHost((void **)p, size);
}
template <class LiteType>
cudaError_t cudaMallocManaged(LiteType **p, unsigned long size,
                              unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)p, size, flags);
}

#endif
