/* workloads/cuda/lite/runtime.h - more of the runtime's functions and types for
 * host code that runs: names, values and layouts are CUDA's [CUDA12:runtime].
 */
#ifndef CUDA_LITE_RUNTIME_H
#define CUDA_LITE_RUNTIME_H

enum {
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaHostRegisterMapped = 2,
    cudaEventDisableTiming = 2,
    cudaCpuDeviceId = -1
};
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseSetPreferredLocation = 3
};
enum cudaLimit { cudaLimitMallocHeapSize = 2 };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum cudaMemPoolAttr {
    cudaMemPoolAttrReleaseThreshold = 4,
    cudaMemPoolAttrUsedMemCurrent = 7,
    cudaMemPoolAttrUsedMemHigh = 8
};
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct cudaArray *cudaArray_t;
#define CUDART_CB
typedef void (*cudaHostFn_t)(void *data);

enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess,
    cudaGraphExecUpdateError,
    cudaGraphExecUpdateErrorTopologyChanged
};
struct cudaGraphExecUpdateResultInfo {
    cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
};

enum cudaLaunchAttributeID { cudaLaunchAttributeCooperative = 2 };
union cudaLaunchAttributeValue {
    char pad[64];
    int cooperative;
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    char pad[4];
    cudaLaunchAttributeValue val;
};
/* The names of its members are macros here: calls of these. */
struct cudaLaunchConfig_t {
    dim3 grid_lite, block_lite;
    unsigned long dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
    dim3 &gridDim { return grid_lite; }
    dim3 &blockDim { return block_lite; }
};

enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat
};
struct cudaChannelFormatDesc {
    int x, y, z, w;
    cudaChannelFormatKind f;
};
enum { cudaArrayDefault = 0, cudaArraySurfaceLoadStore = 2 };
enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
struct cudaResourceDesc {
    cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            unsigned long sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            unsigned long width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
};
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType };
struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};

extern "C" {
cudaError_t cudaHostAlloc(void **p, unsigned long size, unsigned flags);
cudaError_t cudaHostGetDevicePointer(void **p, void *host, unsigned flags);
cudaError_t cudaHostRegister(void *p, unsigned long size, unsigned flags);
cudaError_t cudaHostUnregister(void *p);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags);
cudaError_t cudaEventQuery(cudaEvent_t e);
cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t call, void *data);
cudaError_t cudaDeviceSetLimit(cudaLimit what, unsigned long value);
cudaError_t cudaMemAdvise(const void *p, unsigned long size,
                          cudaMemoryAdvise advice, int device);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaMemcpyPeer(void *to, int device, const void *from,
                           int from_device, unsigned long size);
cudaError_t cudaMallocPitch(void **p, unsigned long *pitch, unsigned long width,
                            unsigned long height);
cudaError_t cudaMemcpy2D(void *to, unsigned long to_pitch, const void *from,
                         unsigned long pitch, unsigned long width,
                         unsigned long height, cudaMemcpyKind kind);
cudaError_t cudaMemcpyToSymbol(const void *to, const void *from,
                               unsigned long size, unsigned long offset,
                               cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromSymbol(void *to, const void *from, unsigned long size,
                                 unsigned long offset, cudaMemcpyKind kind);
cudaError_t cudaGetSymbolAddress(void **p, const void *symbol);
cudaError_t cudaGetSymbolSize(unsigned long *size, const void *symbol);
cudaError_t cudaFreeAsync(void *p, cudaStream_t s);
cudaError_t cudaMallocFromPoolAsync(void **p, unsigned long size,
                                    cudaMemPool_t pool, cudaStream_t s);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr what,
                                    void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr what,
                                    void *value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, unsigned long keep);
cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *graph);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                              unsigned long *count);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *x, cudaGraph_t graph,
                                          unsigned long long flags);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t x, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *result);
cudaError_t cudaGraphLaunch(cudaGraphExec_t x, cudaStream_t s);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t x);
cudaError_t cudaLaunchCooperativeKernel(const void *f, dim3 grid, dim3 block,
                                        void **args, unsigned long shared,
                                        cudaStream_t s);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *how, const void *f,
                                void **args);
cudaError_t cudaFuncSetAttribute(const void *f, cudaFuncAttribute what,
                                 int value);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *count,
                                                          const void *f,
                                                          int threads,
                                                          unsigned long shared);
cudaError_t cudaMallocArray(cudaArray_t *array,
                            const cudaChannelFormatDesc *desc,
                            unsigned long width, unsigned long height,
                            unsigned flags);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, unsigned long x,
                                unsigned long y, const void *from,
                                unsigned long pitch, unsigned long width,
                                unsigned long height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray(void *to, unsigned long pitch,
                                  cudaArray_t from, unsigned long x,
                                  unsigned long y, unsigned long width,
                                  unsigned long height, cudaMemcpyKind kind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *t,
                                    const cudaResourceDesc *what,
                                    const cudaTextureDesc *how,
                                    const void *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t t);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *s,
                                    const cudaResourceDesc *what);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t s);
}
extern "C" cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e,
                                           unsigned flags = 0);
extern "C" cudaError_t cudaMemPrefetchAsync(const void *p, unsigned long size,
                                            int device, cudaStream_t s = 0);
extern "C" cudaError_t cudaMallocAsync(void **p, unsigned long size,
                                       cudaStream_t s);

/* ---- C++ ---- */
template <class LiteType>
cudaError_t cudaHostAlloc(LiteType **p, unsigned long size, unsigned flags)
{
    return cudaHostAlloc((void **)p, size, flags);
}
template <class LiteType>
cudaError_t cudaHostGetDevicePointer(LiteType **p, void *host, unsigned flags)
{
    return cudaHostGetDevicePointer((void **)p, host, flags);
}
template <class LiteType>
cudaError_t cudaMallocPitch(LiteType **p, unsigned long *pitch,
                            unsigned long width, unsigned long height)
{
    return cudaMallocPitch((void **)p, pitch, width, height);
}
template <class LiteType>
cudaError_t cudaMallocAsync(LiteType **p, unsigned long size, cudaStream_t s)
{
    return cudaMallocAsync((void **)p, size, s);
}
template <class LiteType>
cudaError_t cudaMemcpyToSymbol(const LiteType &to, const void *from,
                               unsigned long size, unsigned long offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&to, from, size, offset, kind);
}
template <class LiteType>
cudaError_t cudaMemcpyFromSymbol(void *to, const LiteType &from,
                                 unsigned long size, unsigned long offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, (const void *)&from, size, offset, kind);
}
template <class LiteType>
cudaError_t cudaGetSymbolAddress(void **p, const LiteType &symbol)
{
    return cudaGetSymbolAddress(p, (const void *)&symbol);
}
template <class LiteType>
cudaError_t cudaGetSymbolSize(unsigned long *size, const LiteType &symbol)
{
    return cudaGetSymbolSize(size, (const void *)&symbol);
}
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *x,
                                               cudaGraph_t graph,
                                               unsigned long long flags = 0)
{
    return cudaGraphInstantiateWithFlags(x, graph, flags);
}
template <class... LiteParams>
cudaError_t cudaLaunchCooperativeKernel(void (*f)(LiteParams...), dim3 grid,
                                        dim3 block, void **args,
                                        unsigned long shared = 0,
                                        cudaStream_t s = 0)
{
    return cudaLaunchCooperativeKernel((const void *)f, grid, block, args,
                                       shared, s);
}
template <class... LiteParams, class... LiteArgs>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *how,
                               void (*f)(LiteParams...), LiteArgs... a)
{
    return [&](LiteParams... p) {
        void *args[] = {(void *)&p...};

        return cudaLaunchKernelExC(how, (const void *)f, args);
    }(a...);
}
template <class... LiteParams>
cudaError_t cudaFuncSetAttribute(void (*f)(LiteParams...),
                                 cudaFuncAttribute what, int value)
{
    return cudaFuncSetAttribute((const void *)f, what, value);
}
template <class... LiteParams>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *count, void (*f)(LiteParams...), int threads, unsigned long shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(count, (const void *)f,
                                                         threads, shared);
}
template <class LiteType> cudaChannelFormatDesc cudaCreateChannelDesc();
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<float>()
{
    return {32, 0, 0, 0, cudaChannelFormatKindFloat};
}
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<int>()
{
    return {32, 0, 0, 0, cudaChannelFormatKindSigned};
}

#endif
