/* src/cuda/functions.h - the functions of the CUDA runtime API that are there,
 * by the file that has them. What they do is what the vendor's documentation
 * says [CUDA13:runtime-api]; where they differ, their files and docs/cuda.md
 * say so. */
#ifndef CUDA_FUNCTIONS_H
#define CUDA_FUNCTIONS_H

#include "cuda/graph_functions.h"

/* error.c */
EXPORT const char *cudaGetErrorName(cudaError_t code);
EXPORT const char *cudaGetErrorString(cudaError_t code);
EXPORT cudaError_t cudaGetLastError(void);
EXPORT cudaError_t cudaPeekAtLastError(void);

/* version.c */
EXPORT cudaError_t cudaRuntimeGetVersion(int *out);
EXPORT cudaError_t cudaDriverGetVersion(int *out);

/* device/devices.c */
EXPORT cudaError_t cudaGetDeviceCount(int *out);
EXPORT cudaError_t cudaGetDevice(int *out);
EXPORT cudaError_t cudaSetDevice(int number);
EXPORT cudaError_t cudaInitDevice(int number, unsigned flags, unsigned with);
EXPORT cudaError_t cudaSetValidDevices(int *devices, int count);
EXPORT cudaError_t cudaChooseDevice(int *out, const void *properties);
EXPORT cudaError_t cudaGetDeviceProperties_v2(void *out, int number);
EXPORT cudaError_t cudaGetDeviceProperties(void *out, int number);
EXPORT cudaError_t cudaDeviceGetAttribute(int *out, int what, int number);
EXPORT cudaError_t cudaDeviceGetPCIBusId(char *out, int room, int number);
EXPORT cudaError_t cudaDeviceGetByPCIBusId(int *out, const char *id);
EXPORT cudaError_t cudaSetDeviceFlags(unsigned flags);
EXPORT cudaError_t cudaGetDeviceFlags(unsigned *out);
EXPORT cudaError_t cudaDeviceGetLimit(size_t *out, int what);
EXPORT cudaError_t cudaDeviceSetLimit(int what, size_t value);
EXPORT cudaError_t cudaDeviceSetCacheConfig(int preference);
EXPORT cudaError_t cudaDeviceGetCacheConfig(int *out);
EXPORT cudaError_t cudaDeviceSetSharedMemConfig(int preference);
EXPORT cudaError_t cudaDeviceGetSharedMemConfig(int *out);
EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
EXPORT cudaError_t cudaCtxResetPersistingL2Cache(void);
EXPORT cudaError_t cudaDeviceCanAccessPeer(int *out, int device, int peer);
EXPORT cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
EXPORT cudaError_t cudaDeviceDisablePeerAccess(int peer);
EXPORT cudaError_t cudaDeviceReset(void);
EXPORT cudaError_t cudaProfilerStart(void);
EXPORT cudaError_t cudaProfilerStop(void);

/* memory/linear.c */
EXPORT cudaError_t cudaMalloc(void **out, size_t size);
EXPORT cudaError_t cudaMallocManaged(void **out, size_t size, unsigned flags);
EXPORT cudaError_t cudaMallocHost(void **out, size_t size);
EXPORT cudaError_t cudaHostAlloc(void **out, size_t size, unsigned flags);
EXPORT cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width,
                                   size_t height);
EXPORT cudaError_t cudaMalloc3D(cudaPitchedPtr *out, cudaExtent size);
EXPORT cudaError_t cudaFree(void *at);
EXPORT cudaError_t cudaFreeHost(void *at);
EXPORT cudaError_t cudaMemGetInfo(size_t *left, size_t *all);
EXPORT cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out,
                                            const void *at);
EXPORT cudaError_t cudaHostGetDevicePointer(void **out, void *host,
                                            unsigned flags);
EXPORT cudaError_t cudaHostRegister(void *at, size_t size, unsigned flags);
EXPORT cudaError_t cudaHostUnregister(void *at);
EXPORT cudaError_t cudaHostGetFlags(unsigned *out, void *host);

/* memory/copy.c */
EXPORT cudaError_t cudaMemcpy(void *to, const void *from, size_t size,
                              cudaMemcpyKind kind);
EXPORT cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size,
                                   cudaMemcpyKind kind, cudaStream_t stream);
EXPORT cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from,
                                  int from_device, size_t size);
EXPORT cudaError_t cudaMemcpyPeerAsync(void *to, int to_device,
                                       const void *from, int from_device,
                                       size_t size, cudaStream_t stream);
EXPORT cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                                size_t from_pitch, size_t width, size_t height,
                                cudaMemcpyKind kind);
EXPORT cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch,
                                     const void *from, size_t from_pitch,
                                     size_t width, size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream);
EXPORT cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p);
EXPORT cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p,
                                     cudaStream_t stream);
EXPORT cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p);
EXPORT cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *p,
                                         cudaStream_t stream);

/* memory/fill.c */
EXPORT cudaError_t cudaMemset(void *to, int value, size_t size);
EXPORT cudaError_t cudaMemsetAsync(void *to, int value, size_t size,
                                   cudaStream_t stream);
EXPORT cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width,
                                size_t height);
EXPORT cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value,
                                     size_t width, size_t height,
                                     cudaStream_t stream);
EXPORT cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent size);
EXPORT cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value,
                                     cudaExtent size, cudaStream_t stream);

/* module/symbol.c */
EXPORT cudaError_t cudaGetSymbolAddress(void **out, const void *symbol);
EXPORT cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol);
EXPORT cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from,
                                      size_t count, size_t offset,
                                      cudaMemcpyKind kind);
EXPORT cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                           size_t count, size_t offset,
                                           cudaMemcpyKind kind,
                                           cudaStream_t stream);
EXPORT cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol,
                                        size_t count, size_t offset,
                                        cudaMemcpyKind kind);
EXPORT cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol,
                                             size_t count, size_t offset,
                                             cudaMemcpyKind kind,
                                             cudaStream_t stream);

/* memory/pool.c */
EXPORT cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int number);
EXPORT cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int number);
EXPORT cudaError_t cudaDeviceSetMemPool(int number, cudaMemPool_t pool);
EXPORT cudaError_t cudaMemPoolCreate(cudaMemPool_t *out,
                                     const void *properties);
EXPORT cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle);
EXPORT cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep);
EXPORT cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const void *list,
                                        size_t count);
EXPORT cudaError_t cudaMemPoolGetAccess(int *out, cudaMemPool_t handle,
                                        cudaMemLocation *place);
EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, int what,
                                           const void *value);
EXPORT cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, int what,
                                           void *out);
EXPORT cudaError_t cudaMallocAsync(void **out, size_t size,
                                   cudaStream_t stream);
EXPORT cudaError_t cudaMallocFromPoolAsync(void **out, size_t size,
                                           cudaMemPool_t pool,
                                           cudaStream_t stream);
EXPORT cudaError_t cudaFreeAsync(void *at, cudaStream_t stream);

/* memory/advice.c */
EXPORT cudaError_t cudaMemPrefetchAsync(const void *at, size_t size,
                                        uint64_t place, uint64_t next,
                                        cudaStream_t last);
EXPORT cudaError_t cudaMemPrefetchAsync_v2(const void *at, size_t size,
                                           cudaMemLocation place,
                                           unsigned flags, cudaStream_t stream);
EXPORT cudaError_t cudaMemAdvise(const void *at, size_t size, int advice,
                                 uint64_t place);
EXPORT cudaError_t cudaMemAdvise_v2(const void *at, size_t size, int advice,
                                    cudaMemLocation place);
EXPORT cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *at,
                                            size_t size, unsigned flags);

/* stream/stream.c */
EXPORT cudaError_t cudaStreamCreate(cudaStream_t *out);
EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags);
EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out,
                                                unsigned flags, int priority);
EXPORT cudaError_t cudaStreamDestroy(cudaStream_t handle);
EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t handle);
EXPORT cudaError_t cudaStreamQuery(cudaStream_t handle);
EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event,
                                       unsigned flags);
EXPORT cudaError_t cudaDeviceSynchronize(void);
EXPORT cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *out);
EXPORT cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *out);
EXPORT cudaError_t cudaStreamSetAttribute(cudaStream_t handle, int what,
                                          const void *value);
EXPORT cudaError_t cudaStreamGetAttribute(cudaStream_t handle, int what,
                                          void *out);
EXPORT cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
EXPORT cudaError_t cudaStreamGetId(cudaStream_t handle,
                                   unsigned long long *out);
EXPORT cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *out);

/* stream/host_call.c */
EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call,
                                      void *data);
EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                         cudaStreamCallback_t call, void *data,
                                         unsigned flags);

/* stream/stream_event.c */
EXPORT cudaError_t cudaEventCreate(cudaEvent_t *out);
EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags);
EXPORT cudaError_t cudaEventDestroy(cudaEvent_t handle);
EXPORT cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream);
EXPORT cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle,
                                            cudaStream_t stream,
                                            unsigned flags);
EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t handle);
EXPORT cudaError_t cudaEventQuery(cudaEvent_t handle);
EXPORT cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t first,
                                        cudaEvent_t last);

/* module/registry.c */
EXPORT void **__cudaRegisterFatBinary(void *wrapper);
EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
EXPORT void __cudaUnregisterFatBinary(void **handle);
EXPORT void __cudaRegisterFunction(void **handle, const char *host,
                                   char *device_name, const char *name,
                                   int thread_limit, void *tid, void *bid,
                                   void *block, void *grid, int *warp);
EXPORT void __cudaRegisterVar(void **handle, char *host, char *device_address,
                              const char *name, int external, size_t size,
                              int constant, int global);
EXPORT void __cudaRegisterManagedVar(void **handle, void **host,
                                     char *device_address, const char *name,
                                     int external, size_t size, int constant,
                                     int global);
EXPORT char __cudaInitModule(void **handle);
EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *symbol);
EXPORT cudaError_t cudaGetKernel(cudaKernel_t *out, const void *symbol);
EXPORT cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *symbol);

/* driver_api/driver_module.c */
EXPORT cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *image,
                                       const int *what, void **value,
                                       unsigned count, const int *options,
                                       void **option_values,
                                       unsigned option_count);
EXPORT cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t handle,
                                        const char *name);

/* module/kernel_launch.c */
EXPORT cudaError_t cudaLaunchKernel(const void *symbol, dim3 grid, dim3 block,
                                    void **args, size_t shared,
                                    cudaStream_t stream);
EXPORT cudaError_t cudaLaunchCooperativeKernel(const void *symbol, dim3 grid,
                                               dim3 block, void **args,
                                               size_t shared,
                                               cudaStream_t stream);
EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid,
                                      dim3 block, void **args, size_t shared,
                                      cudaStream_t stream);
EXPORT cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *how,
                                       const void *symbol, void **args);
EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                            size_t shared, cudaStream_t stream);
EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
                                              size_t *shared, void *stream);
EXPORT cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared,
                                     cudaStream_t stream);
EXPORT cudaError_t cudaSetupArgument(const void *value, size_t size,
                                     size_t offset);
EXPORT cudaError_t cudaLaunch(const void *symbol);

/* module/attributes.c */
EXPORT cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out,
                                         const void *symbol);
EXPORT cudaError_t cudaFuncSetAttribute(const void *symbol, int what,
                                        int value);
EXPORT cudaError_t cudaFuncSetCacheConfig(const void *symbol, int preference);
EXPORT cudaError_t cudaFuncSetSharedMemConfig(const void *symbol,
                                              int preference);
EXPORT cudaError_t cudaFuncGetName(const char **out, const void *symbol);

/* driver_api/driver_function.c */
EXPORT cudaError_t cudaFuncGetParamInfo(const void *symbol, size_t i,
                                        size_t *offset, size_t *size);

/* driver_api/entry_points.c */
EXPORT cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **out,
                                           unsigned long long flags,
                                           int *answer);
EXPORT cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **out,
                                                unsigned long long flags,
                                                int *answer);
EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol,
                                                    void **out,
                                                    unsigned version,
                                                    unsigned long long flags,
                                                    int *answer);
EXPORT cudaError_t cudaGetDriverEntryPointByVersion_ptsz(
    const char *symbol, void **out, unsigned version, unsigned long long flags,
    int *answer);

/* module/occupancy.c */
EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *out, const void *symbol, int threads, size_t shared);
EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *out, const void *symbol, int threads, size_t shared, unsigned flags);
EXPORT cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out,
                                                             const void *symbol,
                                                             int blocks,
                                                             int threads);

/* module/cluster_launch.c */
EXPORT cudaError_t cudaOccupancyMaxActiveClusters(
    int *out, const void *symbol, const cudaLaunchConfig_t *how);
EXPORT cudaError_t cudaOccupancyMaxPotentialClusterSize(
    int *out, const void *symbol, const cudaLaunchConfig_t *how);

/* memory/array_copy.c */
EXPORT cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y,
                                       const void *from, size_t pitch,
                                       size_t width, size_t height,
                                       cudaMemcpyKind kind);
EXPORT cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y,
                                            const void *from, size_t pitch,
                                            size_t width, size_t height,
                                            cudaMemcpyKind kind,
                                            cudaStream_t stream);
EXPORT cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch,
                                         cudaArray_const_t from, size_t x,
                                         size_t y, size_t width, size_t height,
                                         cudaMemcpyKind kind);
EXPORT cudaError_t cudaMemcpy2DFromArrayAsync(
    void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
    size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream);
EXPORT cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x,
                                            size_t to_y, cudaArray_const_t from,
                                            size_t from_x, size_t from_y,
                                            size_t width, size_t height,
                                            cudaMemcpyKind kind);
EXPORT cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y,
                                     const void *from, size_t count,
                                     cudaMemcpyKind kind);
EXPORT cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y,
                                          const void *from, size_t count,
                                          cudaMemcpyKind kind,
                                          cudaStream_t stream);
EXPORT cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from,
                                       size_t x, size_t y, size_t count,
                                       cudaMemcpyKind kind);
EXPORT cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from,
                                            size_t x, size_t y, size_t count,
                                            cudaMemcpyKind kind,
                                            cudaStream_t stream);
EXPORT cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x,
                                          size_t to_y, cudaArray_const_t from,
                                          size_t from_x, size_t from_y,
                                          size_t count, cudaMemcpyKind kind);

/* texture/arrays.c */
EXPORT cudaError_t cudaMallocArray(cudaArray_t *out,
                                   const cudaChannelFormatDesc *format,
                                   size_t width, size_t height, unsigned flags);
EXPORT cudaError_t cudaMalloc3DArray(cudaArray_t *out,
                                     const cudaChannelFormatDesc *format,
                                     cudaExtent size, unsigned flags);
EXPORT cudaError_t cudaFreeArray(cudaArray_t array);
EXPORT cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *out,
                                            const cudaChannelFormatDesc *format,
                                            cudaExtent size, unsigned levels,
                                            unsigned flags);
EXPORT cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *out,
                                              cudaMipmappedArray_const_t array,
                                              unsigned level);
EXPORT cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array);
EXPORT cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format,
                                    cudaExtent *size, unsigned *flags,
                                    cudaArray_t array);
EXPORT cudaError_t cudaArrayGetMemoryRequirements(
    cudaArrayMemoryRequirements *out, cudaArray_t array, int device);
EXPORT cudaError_t cudaMipmappedArrayGetMemoryRequirements(
    cudaArrayMemoryRequirements *out, cudaMipmappedArray_t array, int device);
EXPORT cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *out,
                                      cudaArray_const_t array);
EXPORT cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   cudaChannelFormatKind kind);
EXPORT cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(
    size_t *out, const cudaChannelFormatDesc *format, int number);

/* texture/texture_object.c */
EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out,
                                           const cudaResourceDesc *resource,
                                           const cudaTextureDesc *how,
                                           const cudaResourceViewDesc *view);
EXPORT cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t *out,
                                              const cudaResourceDesc *resource,
                                              const cudaTextureDesc *how,
                                              const cudaResourceViewDesc *view);
EXPORT cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle);
EXPORT cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *out,
                                                    cudaTextureObject_t handle);
EXPORT cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *out,
                                                   cudaTextureObject_t handle);
EXPORT cudaError_t cudaGetTextureObjectTextureDesc_v2(
    cudaTextureDesc *out, cudaTextureObject_t handle);
EXPORT cudaError_t cudaGetTextureObjectResourceViewDesc(
    cudaResourceViewDesc *out, cudaTextureObject_t handle);
EXPORT cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out,
                                           const cudaResourceDesc *resource);
EXPORT cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle);
EXPORT cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *out,
                                                    cudaSurfaceObject_t handle);

/* texture/reference.c */
EXPORT void __cudaRegisterTexture(void **handle, const textureReference *host,
                                  const void **device_address, const char *name,
                                  int dimensions, int fractions, int external);
EXPORT void __cudaRegisterSurface(void **handle, const surfaceReference *host,
                                  const void **device_address, const char *name,
                                  int dimensions, int external);
EXPORT cudaError_t cudaBindTexture(size_t *offset, const textureReference *host,
                                   const void *at,
                                   const cudaChannelFormatDesc *format,
                                   size_t size);
EXPORT cudaError_t cudaBindTexture2D(size_t *offset,
                                     const textureReference *host,
                                     const void *at,
                                     const cudaChannelFormatDesc *format,
                                     size_t width, size_t height, size_t pitch);
EXPORT cudaError_t cudaBindTextureToArray(const textureReference *host,
                                          cudaArray_const_t array,
                                          const cudaChannelFormatDesc *format);
EXPORT cudaError_t cudaBindTextureToMipmappedArray(
    const textureReference *host, cudaMipmappedArray_const_t array,
    const cudaChannelFormatDesc *format);
EXPORT cudaError_t cudaBindSurfaceToArray(const surfaceReference *host,
                                          cudaArray_const_t array,
                                          const cudaChannelFormatDesc *format);
EXPORT cudaError_t cudaUnbindTexture(const textureReference *host);
EXPORT cudaError_t cudaGetTextureAlignmentOffset(size_t *out,
                                                 const textureReference *host);
EXPORT cudaError_t cudaGetTextureReference(const textureReference **out,
                                           const void *symbol);
EXPORT cudaError_t cudaGetSurfaceReference(const surfaceReference **out,
                                           const void *symbol);

/* old.c */
EXPORT cudaError_t cudaThreadSynchronize(void);
EXPORT cudaError_t cudaThreadExit(void);
EXPORT cudaError_t cudaThreadGetLimit(size_t *out, int what);
EXPORT cudaError_t cudaThreadSetLimit(int what, size_t value);
EXPORT cudaError_t cudaThreadGetCacheConfig(int *out);
EXPORT cudaError_t cudaThreadSetCacheConfig(int preference);

#endif
