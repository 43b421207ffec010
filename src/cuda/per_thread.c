/* Names for programs compiled with --default-stream per-thread: the same
 * functions, in which stream 0 is the thread's own [CUDA12:default-stream]. */
#include "cuda/door.h"

/* Before and behind a call: whether stream 0 was the thread's own. */
static bool set_per_thread(bool is)
{
    bool before = cu_thread_get()->per_thread;

    cu_thread_get()->per_thread = is;
    return before;
}

#define PER_THREAD(name, suffix, parameters, arguments)                        \
    EXPORT cudaError_t name##suffix parameters;                                \
    EXPORT cudaError_t name##suffix parameters                                 \
    {                                                                          \
        bool before = set_per_thread(true);                                    \
        cudaError_t code = name arguments;                                     \
                                                                               \
        set_per_thread(before);                                                \
        return code;                                                           \
    }

/* clang-format off */
PER_THREAD(cudaMemcpy, _ptds,
           (void *to, const void *from, size_t n, cudaMemcpyKind kind),
           (to, from, n, kind))
PER_THREAD(cudaMemcpyAsync, _ptsz,
           (void *to, const void *from, size_t n, cudaMemcpyKind kind,
            cudaStream_t s),
           (to, from, n, kind, s))
PER_THREAD(cudaMemcpy2D, _ptds,
           (void *to, size_t to_pitch, const void *from, size_t pitch,
            size_t width, size_t height, cudaMemcpyKind kind),
           (to, to_pitch, from, pitch, width, height, kind))
PER_THREAD(cudaMemcpy2DAsync, _ptsz,
           (void *to, size_t to_pitch, const void *from, size_t pitch,
            size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t s),
           (to, to_pitch, from, pitch, width, height, kind, s))
PER_THREAD(cudaMemcpy3D, _ptds, (const cudaMemcpy3DParms *p), (p))
PER_THREAD(cudaMemcpy3DAsync, _ptsz,
           (const cudaMemcpy3DParms *p, cudaStream_t s), (p, s))
PER_THREAD(cudaMemcpy3DPeer, _ptds, (const cudaMemcpy3DPeerParms *p), (p))
PER_THREAD(cudaMemcpy3DPeerAsync, _ptsz,
           (const cudaMemcpy3DPeerParms *p, cudaStream_t s), (p, s))
PER_THREAD(cudaMemcpyToArray, _ptds,
           (cudaArray_t to, size_t x, size_t y, const void *from, size_t n,
            cudaMemcpyKind kind),
           (to, x, y, from, n, kind))
PER_THREAD(cudaMemcpyToArrayAsync, _ptsz,
           (cudaArray_t to, size_t x, size_t y, const void *from, size_t n,
            cudaMemcpyKind kind, cudaStream_t s),
           (to, x, y, from, n, kind, s))
PER_THREAD(cudaMemcpyFromArray, _ptds,
           (void *to, cudaArray_const_t from, size_t x, size_t y, size_t n,
            cudaMemcpyKind kind),
           (to, from, x, y, n, kind))
PER_THREAD(cudaMemcpyFromArrayAsync, _ptsz,
           (void *to, cudaArray_const_t from, size_t x, size_t y, size_t n,
            cudaMemcpyKind kind, cudaStream_t s),
           (to, from, x, y, n, kind, s))
PER_THREAD(cudaMemcpyArrayToArray, _ptds,
           (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
            size_t x, size_t y, size_t n, cudaMemcpyKind kind),
           (to, to_x, to_y, from, x, y, n, kind))
PER_THREAD(cudaMemcpy2DToArray, _ptds,
           (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
            size_t width, size_t height, cudaMemcpyKind kind),
           (to, x, y, from, pitch, width, height, kind))
PER_THREAD(cudaMemcpy2DToArrayAsync, _ptsz,
           (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
            size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t s),
           (to, x, y, from, pitch, width, height, kind, s))
PER_THREAD(cudaMemcpy2DFromArray, _ptds,
           (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
            size_t width, size_t height, cudaMemcpyKind kind),
           (to, pitch, from, x, y, width, height, kind))
PER_THREAD(cudaMemcpy2DFromArrayAsync, _ptsz,
           (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
            size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t s),
           (to, pitch, from, x, y, width, height, kind, s))
PER_THREAD(cudaMemcpy2DArrayToArray, _ptds,
           (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
            size_t x, size_t y, size_t width, size_t height,
            cudaMemcpyKind kind),
           (to, to_x, to_y, from, x, y, width, height, kind))
PER_THREAD(cudaMemcpyToSymbol, _ptds,
           (const void *symbol, const void *from, size_t n, size_t offset,
            cudaMemcpyKind kind),
           (symbol, from, n, offset, kind))
PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz,
           (const void *symbol, const void *from, size_t n, size_t offset,
            cudaMemcpyKind kind, cudaStream_t s),
           (symbol, from, n, offset, kind, s))
PER_THREAD(cudaMemcpyFromSymbol, _ptds,
           (void *to, const void *symbol, size_t n, size_t offset,
            cudaMemcpyKind kind),
           (to, symbol, n, offset, kind))
PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz,
           (void *to, const void *symbol, size_t n, size_t offset,
            cudaMemcpyKind kind, cudaStream_t s),
           (to, symbol, n, offset, kind, s))
PER_THREAD(cudaMemset, _ptds, (void *to, int value, size_t n), (to, value, n))
PER_THREAD(cudaMemsetAsync, _ptsz,
           (void *to, int value, size_t n, cudaStream_t s), (to, value, n, s))
PER_THREAD(cudaMemset2D, _ptds,
           (void *to, size_t pitch, int value, size_t width, size_t height),
           (to, pitch, value, width, height))
PER_THREAD(cudaMemset2DAsync, _ptsz,
           (void *to, size_t pitch, int value, size_t width, size_t height,
            cudaStream_t s),
           (to, pitch, value, width, height, s))
PER_THREAD(cudaMemset3D, _ptds,
           (cudaPitchedPtr to, int value, cudaExtent size), (to, value, size))
PER_THREAD(cudaMemset3DAsync, _ptsz,
           (cudaPitchedPtr to, int value, cudaExtent size, cudaStream_t s),
           (to, value, size, s))
PER_THREAD(cudaLaunchKernel, _ptsz,
           (const void *f, dim3 grid, dim3 block, void **args, size_t shared,
            cudaStream_t s),
           (f, grid, block, args, shared, s))
PER_THREAD(__cudaLaunchKernel, _ptsz,
           (cudaKernel_t f, dim3 grid, dim3 block, void **args, size_t shared,
            cudaStream_t s),
           (f, grid, block, args, shared, s))
PER_THREAD(cudaLaunchCooperativeKernel, _ptsz,
           (const void *f, dim3 grid, dim3 block, void **args, size_t shared,
            cudaStream_t s),
           (f, grid, block, args, shared, s))
PER_THREAD(cudaLaunchKernelExC, _ptsz,
           (const cudaLaunchConfig_t *how, const void *f, void **args),
           (how, f, args))
PER_THREAD(cudaLaunchHostFunc, _ptsz,
           (cudaStream_t s, cudaHostFn_t call, void *data), (s, call, data))
PER_THREAD(cudaStreamAddCallback, _ptsz,
           (cudaStream_t s, cudaStreamCallback_t call, void *data,
            unsigned flags),
           (s, call, data, flags))
PER_THREAD(cudaStreamSynchronize, _ptsz, (cudaStream_t s), (s))
PER_THREAD(cudaStreamQuery, _ptsz, (cudaStream_t s), (s))
PER_THREAD(cudaStreamWaitEvent, _ptsz,
           (cudaStream_t s, cudaEvent_t e, unsigned flags), (s, e, flags))
PER_THREAD(cudaStreamGetFlags, _ptsz, (cudaStream_t s, unsigned *out), (s, out))
PER_THREAD(cudaStreamGetPriority, _ptsz, (cudaStream_t s, int *out), (s, out))
PER_THREAD(cudaStreamSetAttribute, _ptsz,
           (cudaStream_t s, int what, const void *value), (s, what, value))
PER_THREAD(cudaStreamGetAttribute, _ptsz, (cudaStream_t s, int what, void *out),
           (s, what, out))
PER_THREAD(cudaStreamCopyAttributes, _ptsz, (cudaStream_t to, cudaStream_t from),
           (to, from))
PER_THREAD(cudaStreamGetId, _ptsz,
           (cudaStream_t s, unsigned long long *out), (s, out))
PER_THREAD(cudaStreamGetDevice, _ptsz, (cudaStream_t s, int *out), (s, out))
PER_THREAD(cudaEventRecord, _ptsz, (cudaEvent_t e, cudaStream_t s), (e, s))
PER_THREAD(cudaEventRecordWithFlags, _ptsz,
           (cudaEvent_t e, cudaStream_t s, unsigned flags), (e, s, flags))
PER_THREAD(cudaMallocAsync, _ptsz, (void **out, size_t n, cudaStream_t s),
           (out, n, s))
PER_THREAD(cudaFreeAsync, _ptsz, (void *at, cudaStream_t s), (at, s))
PER_THREAD(cudaMallocFromPoolAsync, _ptsz,
           (void **out, size_t n, cudaMemPool_t pool, cudaStream_t s),
           (out, n, pool, s))
PER_THREAD(cudaMemPrefetchAsync, _ptsz,
           (const void *at, size_t n, uint64_t place, uint64_t next,
            cudaStream_t last),
           (at, n, place, next, last))
PER_THREAD(cudaStreamAttachMemAsync, _ptsz,
           (cudaStream_t s, void *at, size_t n, unsigned flags),
           (s, at, n, flags))
PER_THREAD(cudaStreamBeginCapture, _ptsz, (cudaStream_t stream, cudaStreamCaptureMode mode), (stream, mode))
PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz, (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *edges, size_t count, cudaStreamCaptureMode mode), (stream, graph, after, edges, count, mode))
PER_THREAD(cudaStreamEndCapture, _ptsz, (cudaStream_t stream, cudaGraph_t *out), (stream, out))
PER_THREAD(cudaStreamIsCapturing, _ptsz, (cudaStream_t stream, cudaStreamCaptureStatus *out), (stream, out))
PER_THREAD(cudaStreamGetCaptureInfo, _ptsz, (cudaStream_t stream, cudaStreamCaptureStatus *is, unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges, size_t *count), (stream, is, id, graph, after, edges, count))
PER_THREAD(cudaStreamGetCaptureInfo_v2, _ptsz, (cudaStream_t stream, cudaStreamCaptureStatus *is, unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *count), (stream, is, id, graph, after, count))
PER_THREAD(cudaStreamGetCaptureInfo_v3, _ptsz, (cudaStream_t stream, cudaStreamCaptureStatus *is, unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges, size_t *count), (stream, is, id, graph, after, edges, count))
PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz, (cudaStream_t stream, cudaGraphNode_t *after, uintptr_t third, size_t fourth, unsigned flags), (stream, after, third, fourth, flags))
PER_THREAD(cudaStreamUpdateCaptureDependencies_v2, _ptsz, (cudaStream_t stream, cudaGraphNode_t *after, const cudaGraphEdgeData *edges, size_t count, unsigned flags), (stream, after, edges, count, flags))
PER_THREAD(cudaGraphLaunch, _ptsz, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream))
PER_THREAD(cudaGraphUpload, _ptsz, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream))
PER_THREAD(cudaGraphInstantiateWithParams, _ptsz, (cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphInstantiateParams *p), (out, graph, p))
/* clang-format on */
