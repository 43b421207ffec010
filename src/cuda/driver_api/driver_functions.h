/* src/cuda/driver_api/driver_functions.h - types and functions of the CUDA
 * driver API, under the names that programs are compiled with
 * [CUDA13:driver-api]. Handles are those of the runtime API; result codes share
 * its numbers. Functions of streams exist with _ptsz or _ptds behind their
 * names, too (driver_call.h). */
#ifndef CUDA_DRIVER_API_DRIVER_FUNCTIONS_H
#define CUDA_DRIVER_API_DRIVER_FUNCTIONS_H

#include "cuda/functions.h"

typedef cudaError_t CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct cu_context *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef cudaFunction_t CUfunction;
typedef cudaKernel_t CUkernel;
typedef cudaLibrary_t CUlibrary;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef cudaArray_t CUarray;
typedef cudaMemPool_t CUmemoryPool;
typedef cudaGraph_t CUgraph;
typedef cudaGraphNode_t CUgraphNode;
typedef cudaGraphExec_t CUgraphExec;
typedef struct cu_link *CUlinkState;
typedef size_t (*CUoccupancyB2DSize)(int threads);

typedef struct CUlaunchConfig {
    unsigned gridDimX, gridDimY, gridDimZ;
    unsigned blockDimX, blockDimY, blockDimZ;
    unsigned sharedMemBytes;
    CUstream hStream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} CUlaunchConfig;

typedef struct CUctxCreateParams {
    void *execAffinityParams;
    int numExecAffinityParams;
    void *cigParams; /* shared with graphics */
} CUctxCreateParams;

typedef struct CUDA_KERNEL_NODE_PARAMS_v2 {
    cudaKernelNodeParams p; /* all of the first form */
    CUkernel kern;
    CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS_v2;

typedef enum CUmemorytype {
    CU_MEMORYTYPE_HOST = 1,
    CU_MEMORYTYPE_DEVICE = 2,
    CU_MEMORYTYPE_ARRAY = 3,
    CU_MEMORYTYPE_UNIFIED = 4, /* the pointer says it */
} CUmemorytype;

typedef struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

/* Also CUDA_MEMCPY3D_PEER, whose contexts are the reserved ones. */
typedef struct CUDA_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef struct CUmemAllocationProp {
    int type;
    int requestedHandleTypes;
    cudaMemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType, gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} CUmemAllocationProp;

typedef struct CUmemAccessDesc {
    cudaMemLocation location;
    int flags;
} CUmemAccessDesc;

enum {
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
    CU_MEM_ACCESS_FLAGS_PROT_NONE = 0,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
};

/* driver_call.c */
EXPORT CUresult cuInit(unsigned flags);
EXPORT CUresult cuDriverGetVersion(int *out);
EXPORT CUresult cuGetErrorName(CUresult code, const char **out);
EXPORT CUresult cuGetErrorString(CUresult code, const char **out);
EXPORT CUresult cuProfilerStart(void);
EXPORT CUresult cuProfilerStop(void);

/* driver_device.c */
EXPORT CUresult cuDeviceGetCount(int *out);
EXPORT CUresult cuDeviceGet(CUdevice *out, int number);
EXPORT CUresult cuDeviceGetAttribute(int *out, int what, CUdevice number);
EXPORT CUresult cuDeviceGetName(char *out, int room, CUdevice number);
EXPORT CUresult cuDeviceTotalMem_v2(size_t *out, CUdevice number);
EXPORT CUresult cuDeviceComputeCapability(int *major, int *minor,
                                          CUdevice number);
EXPORT CUresult cuDeviceGetUuid(cudaUUID_t *out, CUdevice number);
EXPORT CUresult cuDeviceGetUuid_v2(cudaUUID_t *out, CUdevice number);
EXPORT CUresult cuDeviceGetPCIBusId(char *out, int room, CUdevice number);
EXPORT CUresult cuDeviceGetByPCIBusId(CUdevice *out, const char *id);
EXPORT CUresult cuDeviceCanAccessPeer(int *out, CUdevice device, CUdevice peer);
EXPORT CUresult cuDeviceGetP2PAttribute(int *out, int what, CUdevice device,
                                        CUdevice peer);
EXPORT CUresult cuDeviceGetDefaultMemPool(cudaMemPool_t *out, CUdevice number);
EXPORT CUresult cuDeviceGetMemPool(cudaMemPool_t *out, CUdevice number);
EXPORT CUresult cuDeviceSetMemPool(CUdevice number, cudaMemPool_t pool);

/* driver_context.c */
EXPORT CUresult cuCtxPushCurrent_v2(CUcontext handle);
EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *out);
EXPORT CUresult cuCtxSetCurrent(CUcontext handle);
EXPORT CUresult cuCtxGetCurrent(CUcontext *out);
EXPORT CUresult cuCtxGetDevice(CUdevice *out);
EXPORT CUresult cuCtxGetDevice_v2(CUdevice *out, CUcontext handle);
EXPORT CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice number);
EXPORT CUresult cuCtxCreate_v3(CUcontext *out, void *list, int count,
                               unsigned flags, CUdevice number);
EXPORT CUresult cuCtxCreate_v4(CUcontext *out, const CUctxCreateParams *how,
                               unsigned flags, CUdevice number);
EXPORT CUresult cuCtxDestroy_v2(CUcontext handle);
EXPORT CUresult cuCtxAttach(CUcontext *out, unsigned flags);
EXPORT CUresult cuCtxDetach(CUcontext handle);
EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice number);
EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice number);
EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice number);
EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice number, unsigned *flags,
                                           int *active);
EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice number, unsigned flags);
EXPORT CUresult cuCtxSynchronize(void);
EXPORT CUresult cuCtxSynchronize_v2(CUcontext handle);
EXPORT CUresult cuCtxGetFlags(unsigned *out);
EXPORT CUresult cuCtxGetApiVersion(CUcontext handle, unsigned *out);
EXPORT CUresult cuCtxGetId(CUcontext handle, unsigned long long *out);
EXPORT CUresult cuCtxGetLimit(size_t *out, int what);
EXPORT CUresult cuCtxSetLimit(int what, size_t value);
EXPORT CUresult cuCtxGetCacheConfig(int *out);
EXPORT CUresult cuCtxSetCacheConfig(int preference);
EXPORT CUresult cuCtxGetSharedMemConfig(int *out);
EXPORT CUresult cuCtxSetSharedMemConfig(int preference);
EXPORT CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);
EXPORT CUresult cuCtxResetPersistingL2Cache(void);
EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);
EXPORT CUresult cuCtxDisablePeerAccess(CUcontext peer);

/* driver_module.c */
EXPORT CUresult cuModuleLoad(CUmodule *out, const char *path);
EXPORT CUresult cuModuleLoadData(CUmodule *out, const void *image);
EXPORT CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image);
EXPORT CUresult cuModuleLoadDataEx(CUmodule *out, const void *image,
                                   unsigned count, const int *what,
                                   void **value);
EXPORT CUresult cuModuleUnload(CUmodule handle);
EXPORT CUresult cuModuleGetLoadingMode(int *out);
EXPORT CUresult cuModuleGetFunction(CUfunction *out, CUmodule handle,
                                    const char *name);
EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *addr, size_t *bytes,
                                     CUmodule handle, const char *name);
EXPORT CUresult cuModuleGetFunctionCount(unsigned *out, CUmodule handle);
EXPORT CUresult cuModuleEnumerateFunctions(CUfunction *out, unsigned room,
                                           CUmodule handle);
EXPORT CUresult cuLibraryLoadData(CUlibrary *out, const void *image,
                                  const int *what, void **value, unsigned count,
                                  const int *options, void **option_values,
                                  unsigned option_count);
EXPORT CUresult cuLibraryLoadFromFile(CUlibrary *out, const char *path,
                                      const int *what, void **value,
                                      unsigned count, const int *options,
                                      void **option_values,
                                      unsigned option_count);
EXPORT CUresult cuLibraryUnload(CUlibrary handle);
EXPORT CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary handle,
                                   const char *name);
EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *addr, size_t *bytes,
                                   CUlibrary handle, const char *name);
EXPORT CUresult cuLibraryGetManaged(CUdeviceptr *addr, size_t *bytes,
                                    CUlibrary handle, const char *name);
EXPORT CUresult cuLibraryGetKernelCount(unsigned *out, CUlibrary handle);
EXPORT CUresult cuLibraryEnumerateKernels(CUkernel *out, unsigned room,
                                          CUlibrary handle);
EXPORT CUresult cuLibraryGetModule(CUmodule *out, CUlibrary handle);

/* driver_link.c */
EXPORT CUresult cuLinkCreate_v2(unsigned count, const int *what, void **value,
                                CUlinkState *out);
EXPORT CUresult cuLinkAddData_v2(CUlinkState handle, int type, void *data,
                                 size_t size, const char *name, unsigned count,
                                 const int *what, void **value);
EXPORT CUresult cuLinkAddFile_v2(CUlinkState handle, int type, const char *path,
                                 unsigned count, const int *what, void **value);
EXPORT CUresult cuLinkComplete(CUlinkState handle, void **out, size_t *size);
EXPORT CUresult cuLinkDestroy(CUlinkState handle);

/* driver_tensor.c: a map has TENSOR_MAP_BYTES; enumerations as numbers, as they
 * come from programs. */
EXPORT CUresult cuTensorMapEncodeTiled(void *map, int type, unsigned rank,
                                       void *address, const uint64_t *dim,
                                       const uint64_t *stride,
                                       const uint32_t *box,
                                       const uint32_t *step, int interleave,
                                       int swizzle, int promotion, int fill);
EXPORT CUresult cuTensorMapEncodeIm2col(void *map, int type, unsigned rank,
                                        void *address, const uint64_t *dim,
                                        const uint64_t *stride,
                                        const int *lower, const int *upper,
                                        unsigned channels, unsigned pixels,
                                        const uint32_t *step, int interleave,
                                        int swizzle, int promotion, int fill);
EXPORT CUresult cuTensorMapReplaceAddress(void *map, void *address);

/* driver_function.c */
EXPORT CUresult cuFuncGetAttribute(int *out, int what, CUfunction f);
EXPORT CUresult cuFuncSetAttribute(CUfunction f, int what, int value);
EXPORT CUresult cuFuncSetCacheConfig(CUfunction f, int preference);
EXPORT CUresult cuFuncSetSharedMemConfig(CUfunction f, int preference);
EXPORT CUresult cuKernelGetAttribute(int *out, int what, CUkernel f,
                                     CUdevice number);
EXPORT CUresult cuKernelSetAttribute(int what, int value, CUkernel f,
                                     CUdevice number);
EXPORT CUresult cuKernelSetCacheConfig(CUkernel f, int preference,
                                       CUdevice number);
EXPORT CUresult cuFuncGetName(const char **out, CUfunction f);
EXPORT CUresult cuKernelGetName(const char **out, CUkernel f);
EXPORT CUresult cuFuncGetModule(CUmodule *out, CUfunction f);
EXPORT CUresult cuKernelGetLibrary(CUlibrary *out, CUkernel f);
EXPORT CUresult cuKernelGetFunction(CUfunction *out, CUkernel f);
EXPORT CUresult cuFuncGetParamInfo(CUfunction f, size_t i, size_t *offset,
                                   size_t *size);
EXPORT CUresult cuKernelGetParamInfo(CUkernel f, size_t i, size_t *offset,
                                     size_t *size);
EXPORT CUresult cuFuncLoad(CUfunction f);
EXPORT CUresult cuFuncIsLoaded(int *out, CUfunction f);
EXPORT CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy,
                               unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned shared, CUstream s,
                               void **each, void **extra);
EXPORT CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx,
                                          unsigned gy, unsigned gz, unsigned bx,
                                          unsigned by, unsigned bz,
                                          unsigned shared, CUstream s,
                                          void **each);
EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *how, CUfunction f,
                                 void **each, void **extra);
EXPORT CUresult cuLaunchHostFunc(CUstream s, cudaHostFn_t call, void *data);
EXPORT CUresult cuOccupancyMaxActiveClusters(int *out, CUfunction f,
                                             const CUlaunchConfig *how);
EXPORT CUresult cuOccupancyMaxPotentialClusterSize(int *out, CUfunction f,
                                                   const CUlaunchConfig *how);
EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out,
                                                            CUfunction f,
                                                            int threads,
                                                            size_t shared);
EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *out, CUfunction f, int threads, size_t shared, unsigned flags);
EXPORT CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *out,
                                                        CUfunction f,
                                                        int blocks,
                                                        int threads);
EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block,
                                                 CUfunction f,
                                                 CUoccupancyB2DSize shared_of,
                                                 size_t shared, int limit);
EXPORT CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *grid, int *block, CUfunction f, CUoccupancyB2DSize shared_of,
    size_t shared, int limit, unsigned flags);

/* driver_memory.c */
EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t size);
EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch,
                                   size_t width, size_t rows, unsigned element);
EXPORT CUresult cuMemAllocManaged(CUdeviceptr *out, size_t size,
                                  unsigned flags);
EXPORT CUresult cuMemAllocHost_v2(void **out, size_t size);
EXPORT CUresult cuMemHostAlloc(void **out, size_t size, unsigned flags);
EXPORT CUresult cuMemFree_v2(CUdeviceptr at);
EXPORT CUresult cuMemFreeHost(void *at);
EXPORT CUresult cuMemHostRegister_v2(void *at, size_t size, unsigned flags);
EXPORT CUresult cuMemHostUnregister(void *at);
EXPORT CUresult cuMemGetInfo_v2(size_t *left, size_t *all);
EXPORT CUresult cuMemAllocAsync(CUdeviceptr *out, size_t size, CUstream s);
EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t size,
                                        CUmemoryPool p, CUstream s);
EXPORT CUresult cuMemFreeAsync(CUdeviceptr at, CUstream s);
EXPORT CUresult cuMemPoolCreate(CUmemoryPool *out, const void *how);
EXPORT CUresult cuMemPoolDestroy(CUmemoryPool p);
EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool p, size_t keep);
EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool p, int what, void *value);
EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool p, int what, void *out);
EXPORT CUresult cuMemPoolSetAccess(CUmemoryPool p, const void *list,
                                   size_t count);
EXPORT CUresult cuMemPoolGetAccess(int *out, CUmemoryPool p,
                                   cudaMemLocation *place);
EXPORT CUresult cuMemPrefetchAsync(CUdeviceptr at, size_t size, CUdevice to,
                                   CUstream s);
EXPORT CUresult cuMemPrefetchAsync_v2(CUdeviceptr at, size_t size,
                                      cudaMemLocation to, unsigned flags,
                                      CUstream s);
EXPORT CUresult cuMemAdvise(CUdeviceptr at, size_t size, int advice,
                            CUdevice place);
EXPORT CUresult cuMemAdvise_v2(CUdeviceptr at, size_t size, int advice,
                               cudaMemLocation place);
EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *host,
                                             unsigned flags);
EXPORT CUresult cuMemHostGetFlags(unsigned *out, void *host);
EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *first, size_t *size,
                                        CUdeviceptr at);
EXPORT CUresult cuPointerGetAttribute(void *out, int what, CUdeviceptr at);
EXPORT CUresult cuPointerGetAttributes(unsigned count, const int *what,
                                       void **out, CUdeviceptr at);
EXPORT CUresult cuPointerSetAttribute(const void *value, int what,
                                      CUdeviceptr at);

/* driver_mapping.c; handles of memory are numbers */
EXPORT CUresult cuMemAddressReserve(CUdeviceptr *out, size_t size, size_t align,
                                    CUdeviceptr hint, unsigned long long flags);
EXPORT CUresult cuMemAddressFree(CUdeviceptr at, size_t size);
EXPORT CUresult cuMemGetAllocationGranularity(size_t *out,
                                              const CUmemAllocationProp *how,
                                              int option);
EXPORT CUresult cuMemCreate(unsigned long long *out, size_t size,
                            const CUmemAllocationProp *how,
                            unsigned long long flags);
EXPORT CUresult cuMemRelease(unsigned long long handle);
EXPORT CUresult cuMemGetAllocationPropertiesFromHandle(
    CUmemAllocationProp *out, unsigned long long handle);
EXPORT CUresult cuMemExportToShareableHandle(void *out,
                                             unsigned long long handle,
                                             int type,
                                             unsigned long long flags);
EXPORT CUresult cuMemImportFromShareableHandle(unsigned long long *out,
                                               void *from, int type);
EXPORT CUresult cuMemMap(CUdeviceptr at, size_t size, size_t offset,
                         unsigned long long handle, unsigned long long flags);
EXPORT CUresult cuMemUnmap(CUdeviceptr at, size_t size);
EXPORT CUresult cuMemSetAccess(CUdeviceptr at, size_t size,
                               const CUmemAccessDesc *is, size_t count);
EXPORT CUresult cuMemGetAccess(unsigned long long *out,
                               const cudaMemLocation *place, CUdeviceptr at);
EXPORT CUresult cuMemRetainAllocationHandle(unsigned long long *out, void *at);

/* driver_copy.c */
EXPORT CUresult cuMemcpyPeer(CUdeviceptr d, CUcontext to, CUdeviceptr s,
                             CUcontext from, size_t n);
EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr d, CUcontext to, CUdeviceptr s,
                                  CUcontext from, size_t n, CUstream in);
EXPORT CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *p);
EXPORT CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *p);
EXPORT CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *p, CUstream s);
EXPORT CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *p);
EXPORT CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *p, CUstream s);
EXPORT CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D *p);
EXPORT CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D *p, CUstream s);
EXPORT CUresult cuMemcpyHtoA_v2(CUarray d, size_t at, const void *s, size_t n);
EXPORT CUresult cuMemcpyAtoH_v2(void *d, CUarray s, size_t at, size_t n);
EXPORT CUresult cuMemcpyHtoAAsync_v2(CUarray d, size_t at, const void *s,
                                     size_t n, CUstream in);
EXPORT CUresult cuMemcpyAtoHAsync_v2(void *d, CUarray s, size_t at, size_t n,
                                     CUstream in);
EXPORT CUresult cuMemcpyDtoA_v2(CUarray d, size_t at, CUdeviceptr s, size_t n);
EXPORT CUresult cuMemcpyAtoD_v2(CUdeviceptr d, CUarray s, size_t at, size_t n);
EXPORT CUresult cuMemcpyAtoA_v2(CUarray d, size_t to, CUarray s, size_t at,
                                size_t n);
EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n);
EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n,
                              CUstream in);
EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n);
EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n,
                                     CUstream in);
EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n);
EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n,
                                     CUstream in);
EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n);
EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n,
                                     CUstream in);
EXPORT CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n);
EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n,
                                CUstream s);
EXPORT CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch,
                                unsigned char value, size_t width,
                                size_t height);
EXPORT CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch,
                                  unsigned char value, size_t width,
                                  size_t height, CUstream s);
EXPORT CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t n);
EXPORT CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n,
                                 CUstream s);
EXPORT CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch,
                                 unsigned short value, size_t width,
                                 size_t height);
EXPORT CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch,
                                   unsigned short value, size_t width,
                                   size_t height, CUstream s);
EXPORT CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t n);
EXPORT CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n,
                                 CUstream s);
EXPORT CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value,
                                 size_t width, size_t height);
EXPORT CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value,
                                   size_t width, size_t height, CUstream s);

/* driver_stream.c */
EXPORT CUresult cuStreamCreate(CUstream *out, unsigned flags);
EXPORT CUresult cuStreamCreateWithPriority(CUstream *out, unsigned flags,
                                           int priority);
EXPORT CUresult cuStreamDestroy_v2(CUstream s);
EXPORT CUresult cuStreamSynchronize(CUstream s);
EXPORT CUresult cuStreamQuery(CUstream s);
EXPORT CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags);
EXPORT CUresult cuStreamAddCallback(CUstream s, cudaStreamCallback_t call,
                                    void *data, unsigned flags);
EXPORT CUresult cuStreamGetFlags(CUstream s, unsigned *out);
EXPORT CUresult cuStreamGetPriority(CUstream s, int *out);
EXPORT CUresult cuStreamGetId(CUstream s, unsigned long long *out);
EXPORT CUresult cuStreamGetDevice(CUstream s, CUdevice *out);
EXPORT CUresult cuStreamGetCtx(CUstream handle, CUcontext *out);
EXPORT CUresult cuStreamAttachMemAsync(CUstream s, CUdeviceptr at, size_t size,
                                       unsigned flags);
EXPORT CUresult cuEventCreate(CUevent *out, unsigned flags);
EXPORT CUresult cuEventDestroy_v2(CUevent e);
EXPORT CUresult cuEventRecord(CUevent e, CUstream s);
EXPORT CUresult cuEventRecordWithFlags(CUevent e, CUstream s, unsigned flags);
EXPORT CUresult cuEventQuery(CUevent e);
EXPORT CUresult cuEventSynchronize(CUevent e);
EXPORT CUresult cuEventElapsedTime(float *ms, CUevent first, CUevent last);
EXPORT CUresult cuEventElapsedTime_v2(float *ms, CUevent first, CUevent last);

/* entry_points.c */
EXPORT CUresult cuGetProcAddress(const char *symbol, void **out, int version,
                                 uint64_t flags);
EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **out, int version,
                                    uint64_t flags, int *answer);

/* of the runtime API: driver_module.c */
EXPORT cudaError_t cudaLibraryLoadData(CUlibrary *out, const void *image,
                                       const int *what, void **value,
                                       unsigned count, const int *options,
                                       void **option_values,
                                       unsigned option_count);
EXPORT cudaError_t cudaLibraryLoadFromFile(CUlibrary *out, const char *path,
                                           const int *what, void **value,
                                           unsigned count, const int *options,
                                           void **option_values,
                                           unsigned option_count);
EXPORT cudaError_t cudaLibraryUnload(CUlibrary handle);
EXPORT cudaError_t cudaLibraryGetKernel(CUkernel *out, CUlibrary handle,
                                        const char *name);
EXPORT cudaError_t cudaLibraryGetGlobal(CUdeviceptr *addr, size_t *bytes,
                                        CUlibrary handle, const char *name);
EXPORT cudaError_t cudaLibraryGetManaged(CUdeviceptr *addr, size_t *bytes,
                                         CUlibrary handle, const char *name);
EXPORT cudaError_t cudaLibraryGetKernelCount(unsigned *out, CUlibrary handle);
EXPORT cudaError_t cudaLibraryEnumerateKernels(CUkernel *out, unsigned room,
                                               CUlibrary handle);

/* driver_graph.c */
EXPORT CUresult cuStreamBeginCapture_v2(CUstream s, cudaStreamCaptureMode mode);
EXPORT CUresult cuStreamEndCapture(CUstream s, CUgraph *out);
EXPORT CUresult cuStreamIsCapturing(CUstream s, cudaStreamCaptureStatus *out);
EXPORT CUresult cuStreamGetCaptureInfo_v2(
    CUstream s, cudaStreamCaptureStatus *is, unsigned long long *id,
    CUgraph *graph, const CUgraphNode **after, size_t *count);
EXPORT CUresult cuStreamGetCaptureInfo_v3(
    CUstream s, cudaStreamCaptureStatus *is, unsigned long long *id,
    CUgraph *graph, const CUgraphNode **after, const cudaGraphEdgeData **edges,
    size_t *count);
EXPORT CUresult cuStreamUpdateCaptureDependencies(CUstream s,
                                                  CUgraphNode *after,
                                                  size_t count, unsigned flags);
EXPORT CUresult cuThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode);
EXPORT CUresult cuGraphCreate(CUgraph *out, unsigned flags);
EXPORT CUresult cuGraphDestroy(CUgraph g);
EXPORT CUresult cuGraphClone(CUgraph *out, CUgraph g);
EXPORT CUresult cuGraphDestroyNode(CUgraphNode n);
EXPORT CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *out, size_t *count);
EXPORT CUresult cuGraphGetRootNodes(CUgraph g, CUgraphNode *out, size_t *count);
EXPORT CUresult cuGraphNodeGetType(CUgraphNode n, cudaGraphNodeType *out);
EXPORT CUresult cuGraphAddDependencies(CUgraph g, const CUgraphNode *from,
                                       const CUgraphNode *to, size_t count);
EXPORT CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph g,
                                    const CUgraphNode *after, size_t count);
EXPORT CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph g,
                                         const CUgraphNode *after, size_t count,
                                         CUgraph child);
EXPORT CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph g,
                                   const CUgraphNode *after, size_t count,
                                   const cudaHostNodeParams *p);
EXPORT CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph g,
                                     const CUgraphNode *after, size_t count,
                                     const cudaKernelNodeParams *p);
EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph g,
                                        const CUgraphNode *after, size_t count,
                                        const CUDA_KERNEL_NODE_PARAMS_v2 *p);
EXPORT CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph g,
                                     const CUgraphNode *after, size_t count,
                                     const cudaMemsetParams *p,
                                     CUcontext context);
EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g,
                                            unsigned long long flags);
EXPORT CUresult cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph g,
                                             cudaGraphInstantiateParams *p);
EXPORT CUresult cuGraphInstantiate_v2(CUgraphExec *out, CUgraph g,
                                      CUgraphNode *bad, char *log, size_t room);
EXPORT CUresult cuGraphLaunch(CUgraphExec x, CUstream s);
EXPORT CUresult cuGraphUpload(CUgraphExec x, CUstream s);
EXPORT CUresult cuGraphExecDestroy(CUgraphExec x);

#endif
