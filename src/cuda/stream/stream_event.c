/* Events: places in streams. Their times are simulated ones. */
#include <stdlib.h>

#include "cuda/stream/capture.h"

static void event_destroy(void *handle)
{
    cu_event *e = handle;

    event_set(e, NULL);
    free(e);
}

void event_set(cu_event *e, drv_event *recorded)
{
    capture_forget(e);
    if (recorded)
        drv_use(&recorded->o);
    if (e->recorded)
        drv_drop(&e->recorded->o);
    e->recorded = recorded;
}

cu_event *event_get(cudaEvent_t handle)
{
    if (drv_find_held(handle, CU_EVENT))
        return (cu_event *)handle;
    cu_fail(cudaErrorInvalidResourceHandle,
            "%p is no event, or one that was destroyed", (void *)handle);
    return NULL;
}

static cudaError_t create_event(cudaEvent_t *out, unsigned flags)
{
    const unsigned known =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the event");
    if (flags & ~known)
        return cu_fail(cudaErrorInvalidValue,
                       "event flags 0x%x: there are "
                       "0x%x",
                       flags, known);
    if (flags & cudaEventInterprocess)
        return cu_fail(cudaErrorNotSupported,
                       "events of several processes are not there");
    cu_event *e = drv_object_new(CU_EVENT, sizeof *e, offsetof(cu_event, o),
                                 event_destroy);
    if (!e)
        return cu_fail(cudaErrorMemoryAllocation, "no memory for an event");
    e->device = cu_current();
    e->flags = flags;
    *out = (cudaEvent_t)e;
    return cudaSuccess;
}

EXPORT cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    CUDA_CALL();
    return create_event(out, 0);
}

EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    CUDA_CALL();
    return create_event(out, flags);
}

EXPORT cudaError_t cudaEventDestroy(cudaEvent_t handle)
{
    CUDA_CALL();
    cu_event *e = event_get(handle);

    if (!e)
        return cudaErrorInvalidResourceHandle;
    drv_release(&e->o);
    return cudaSuccess;
}

static cudaError_t record_event(cudaEvent_t handle, cudaStream_t stream,
                                unsigned flags)
{
    cu_event *e = event_get(handle);
    cu_stream *s = e ? stream_get(stream) : NULL;

    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (flags & ~(unsigned)cudaEventRecordExternal)
        return cu_fail(cudaErrorInvalidValue, "flags 0x%x: there are 0 and 1",
                       flags);
    if (s->capture && flags != cudaEventRecordExternal)
        return capture_record(s, e);
    drv_use(&e->o);
    return op_submit(s, &(cu_op){.kind = CU_OP_RECORD, .event = e});
}

EXPORT cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream)
{
    CUDA_CALL();
    return record_event(handle, stream, 0);
}

EXPORT cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle,
                                            cudaStream_t stream, unsigned flags)
{
    CUDA_CALL();
    return record_event(handle, stream, flags);
}

EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t handle)
{
    CUDA_CALL();
    cu_event *e = event_get(handle);

    if (!e)
        return cudaErrorInvalidResourceHandle;
    cudaError_t code = capture_check_event(e);
    if (code != cudaSuccess || !e->recorded)
        return code;
    drv_event *done = e->recorded;
    drv_use(&done->o);
    drv_event_wait(done);
    drv_host_advance(done->end_ns);
    drv_drop(&done->o);
    return cu_result(cu_current()->sticky);
}

EXPORT cudaError_t cudaEventQuery(cudaEvent_t handle)
{
    CUDA_CALL();
    cu_event *e = event_get(handle);

    if (!e)
        return cudaErrorInvalidResourceHandle;
    cudaError_t code = capture_check_event(e);
    if (code == cudaSuccess && captures)
        code = capture_check_call();
    if (code != cudaSuccess)
        return code;
    if (e->recorded && drv_event_query(e->recorded) > DRV_COMPLETE)
        return cu_result(cudaErrorNotReady);
    return cu_result(cu_current()->sticky);
}

/* Both must have been recorded and be over. */
static cudaError_t check_timed(const cu_event *e, const char *role)
{
    cudaError_t code = capture_check_event(e);

    if (code != cudaSuccess)
        return code;
    if (e->flags & cudaEventDisableTiming)
        return cu_fail(cudaErrorInvalidResourceHandle,
                       "the %s was created with cudaEventDisableTiming", role);
    if (!e->recorded)
        return cu_fail(cudaErrorInvalidResourceHandle,
                       "the %s was not recorded", role);
    if (drv_event_query(e->recorded) > DRV_COMPLETE)
        return cu_result(cudaErrorNotReady);
    return cudaSuccess;
}

EXPORT cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t first,
                                        cudaEvent_t last)
{
    CUDA_CALL();
    const cu_event *a = event_get(first), *b = a ? event_get(last) : NULL;

    if (!b)
        return cudaErrorInvalidResourceHandle;
    if (!ms)
        return cu_fail(cudaErrorInvalidValue, "no place for the time");
    cudaError_t code = check_timed(a, "first event");
    if (code == cudaSuccess)
        code = check_timed(b, "last event");
    if (code != cudaSuccess)
        return code;
    *ms =
        (float)((double)((int64_t)(b->recorded->end_ns - a->recorded->end_ns)) /
                1e6);
    return cudaSuccess;
}
