/* Streams and events. */
#include "cuda/driver_api/driver_call.h"
#include "cuda/driver_api/driver_context.h"
#include "cuda/stream/stream.h"

/* ---- Streams ---- */

DRIVER(cuStreamCreate, (CUstream * out, unsigned flags), (out, flags))
{
    return cudaStreamCreateWithFlags(out, flags);
}

DRIVER(cuStreamCreateWithPriority,
       (CUstream * out, unsigned flags, int priority), (out, flags, priority))
{
    return cudaStreamCreateWithPriority(out, flags, priority);
}

DRIVER(cuStreamDestroy_v2, (CUstream s), (s)) { return cudaStreamDestroy(s); }

DRIVER_STREAM(cuStreamSynchronize, _ptsz, (CUstream s), (s))
{
    return cudaStreamSynchronize(s);
}

DRIVER_STREAM(cuStreamQuery, _ptsz, (CUstream s), (s))
{
    return cudaStreamQuery(s);
}

DRIVER_STREAM(cuStreamWaitEvent, _ptsz, (CUstream s, CUevent e, unsigned flags),
              (s, e, flags))
{
    return cudaStreamWaitEvent(s, e, flags);
}

DRIVER_STREAM(cuStreamAddCallback, _ptsz,
              (CUstream s, cudaStreamCallback_t call, void *data,
               unsigned flags),
              (s, call, data, flags))
{
    return cudaStreamAddCallback(s, call, data, flags);
}

DRIVER_STREAM(cuStreamGetFlags, _ptsz, (CUstream s, unsigned *out), (s, out))
{
    return cudaStreamGetFlags(s, out);
}

DRIVER_STREAM(cuStreamGetPriority, _ptsz, (CUstream s, int *out), (s, out))
{
    return cudaStreamGetPriority(s, out);
}

DRIVER_STREAM(cuStreamGetId, _ptsz, (CUstream s, unsigned long long *out),
              (s, out))
{
    return cudaStreamGetId(s, out);
}

DRIVER_STREAM(cuStreamGetDevice, _ptsz, (CUstream s, CUdevice *out), (s, out))
{
    return cudaStreamGetDevice(s, out);
}

DRIVER_STREAM(cuStreamGetCtx, _ptsz, (CUstream handle, CUcontext *out),
              (handle, out))
{
    CUDA_CALL();
    const cu_stream *s = stream_get(handle);

    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the context");
    *out = s->device == cu_current() ? context_current()
                                     : context_primary(s->device);
    return cudaSuccess;
}

DRIVER_STREAM(cuStreamAttachMemAsync, _ptsz,
              (CUstream s, CUdeviceptr at, size_t size, unsigned flags),
              (s, at, size, flags))
{
    return cudaStreamAttachMemAsync(s, (void *)(uintptr_t)at, size, flags);
}

/* ---- Events ---- */

DRIVER(cuEventCreate, (CUevent * out, unsigned flags), (out, flags))
{
    return cudaEventCreateWithFlags(out, flags);
}

DRIVER(cuEventDestroy_v2, (CUevent e), (e)) { return cudaEventDestroy(e); }

DRIVER_STREAM(cuEventRecord, _ptsz, (CUevent e, CUstream s), (e, s))
{
    return cudaEventRecord(e, s);
}

DRIVER_STREAM(cuEventRecordWithFlags, _ptsz,
              (CUevent e, CUstream s, unsigned flags), (e, s, flags))
{
    return cudaEventRecordWithFlags(e, s, flags);
}

DRIVER(cuEventQuery, (CUevent e), (e)) { return cudaEventQuery(e); }

DRIVER(cuEventSynchronize, (CUevent e), (e)) { return cudaEventSynchronize(e); }

DRIVER(cuEventElapsedTime, (float *ms, CUevent first, CUevent last),
       (ms, first, last))
{
    return cudaEventElapsedTime(ms, first, last);
}

DRIVER(cuEventElapsedTime_v2, (float *ms, CUevent first, CUevent last),
       (ms, first, last))
{
    return cudaEventElapsedTime(ms, first, last);
}
