/* Streams: what is put into them and in which order it runs. */
#include "cuda/stream/stream.h"

#include <stddef.h>
#include <stdlib.h>

#include "cuda/stream/capture.h"

/* ---- Objects ---- */

static void stream_destroy(void *handle)
{
    cu_stream *s = handle, **at = &s->device->streams;

    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    if (s->last)
        drv_drop(&s->last->o);
    nodes_fini(&s->front);
    free(s);
}

cu_stream *stream_new(cu_device *d, unsigned flags, int priority)
{
    cu_stream *s = drv_object_new(CU_STREAM, sizeof *s,
                                  offsetof(cu_stream, q.o), stream_destroy);

    if (!s)
        return NULL;
    s->device = d;
    s->flags = flags;
    s->priority = priority;
    s->blocking = !(flags & cudaStreamNonBlocking);
    s->next = d->streams;
    d->streams = s;
    cu_device_use(d);
    drv_queue_open(&s->q, d->drv, true);
    return s;
}

static cu_stream *default_stream(cu_device *d)
{
    if (d->legacy || !(d->legacy = stream_new(d, 0, 0)))
        return d->legacy;
    d->legacy->legacy = true;
    d->legacy->blocking = false;
    return d->legacy;
}

static cu_stream *own_stream(cu_thread *t)
{
    cu_stream **own = &t->own[t->device];

    if (!*own)
        *own = stream_new(cu_current(), 0, 0);
    return *own;
}

cu_stream *stream_get(cudaStream_t handle)
{
    cu_thread *t = cu_thread_get();
    cu_stream *s;

    if (handle == cudaStreamPerThread || (!handle && t->per_thread))
        s = own_stream(t);
    else if (!handle || handle == cudaStreamLegacy)
        s = default_stream(cu_current());
    else if (!drv_find_held(handle, CU_STREAM)) {
        cu_fail(cudaErrorInvalidResourceHandle,
                "%p is no stream, or one that was destroyed", (void *)handle);
        return NULL;
    } else
        return (cu_stream *)handle;
    if (!s)
        cu_fail(cudaErrorMemoryAllocation, "no memory for a stream");
    return s;
}

/* ---- Order ---- */

/* Can a command still notice when that ended? */
static bool is_open(const drv_event *e)
{
    return e && (!drv_event_ended(e) || e->end_ns > drv.host_ns);
}

/* The legacy stream and the others wait for each other. */
static void wait_for_others(const cu_stream *s, drv_command *c)
{
    const cu_device *d = s->device;

    if (s->blocking && d->legacy && is_open(d->legacy->last))
        drv_command_wait(c, d->legacy->last);
    for (cu_stream *o = s->legacy ? d->streams : NULL; o; o = o->next)
        if (o->blocking && is_open(o->last))
            drv_command_wait(c, o->last);
}

cudaError_t stream_put(cu_stream *s, drv_command *c)
{
    drv_event *e = c->event;
    cudaError_t code = s->legacy && captures
                           ? capture_check_legacy(s->device, true)
                           : cudaSuccess;

    if (code != cudaSuccess) {
        drv_command_free(c);
        return code;
    }
    wait_for_others(s, c);
    drv_use(&e->o);
    if (!drv_command_enqueue(c)) {
        drv_drop(&e->o);
        return cu_fail(cudaErrorMemoryAllocation, "no memory for a command");
    }
    drv_release(&e->o);
    if (s->last)
        drv_drop(&s->last->o);
    s->last = e;
    return cudaSuccess;
}

/* All in the queue ends, and the program has seen it. */
static void wait_for_queue(cu_stream *s)
{
    drv_use(&s->q.o);
    drv_queue_wait(&s->q);
    drv_host_advance(s->q.end_ns);
    drv_drop(&s->q.o);
}

/* Streams may end and begin while one is waited for. */
static void wait_for_blocking(const cu_device *d)
{
    cu_stream *s = d->streams, *next;

    if (s)
        drv_use(&s->q.o);
    for (; s; s = next) {
        if (s->blocking)
            wait_for_queue(s);
        if ((next = s->next))
            drv_use(&next->q.o);
        drv_drop(&s->q.o);
    }
}

cudaError_t stream_wait(cu_stream *s)
{
    cu_device *d = s->device;

    if (s->capture)
        return capture_refuse(s, "is waited for");
    if (s->legacy && captures) {
        cudaError_t code = capture_check_legacy(d, true);
        if (code != cudaSuccess)
            return code;
    }
    if (s->legacy)
        wait_for_blocking(d);
    wait_for_queue(s);
    return cu_result(d->sticky);
}

cudaError_t device_wait(cu_device *d)
{
    cudaError_t code = captures ? capture_check_device(d) : cudaSuccess;

    if (code != cudaSuccess)
        return code;
    drv_device_wait(d->drv);
    drv_host_advance(d->drv->end_ns);
    return cu_result(d->sticky);
}

/* ---- Making and ending ---- */

static cudaError_t create_stream(cudaStream_t *out, unsigned flags,
                                 int priority)
{
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the stream");
    if (flags & ~(unsigned)cudaStreamNonBlocking)
        return cu_fail(cudaErrorInvalidValue,
                       "stream flags 0x%x: there are 0 and 1", flags);
    cu_stream *s = stream_new(cu_current(), flags, priority);
    if (!s)
        return cu_fail(cudaErrorMemoryAllocation, "no memory for a stream");
    *out = (cudaStream_t)s;
    return cudaSuccess;
}

EXPORT cudaError_t cudaStreamCreate(cudaStream_t *out)
{
    CUDA_CALL();
    return create_stream(out, 0, 0);
}

EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    CUDA_CALL();
    return create_stream(out, flags, 0);
}

/* Streams have no priorities here: cudaDeviceGetStreamPriorityRange says so. */
EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out,
                                                unsigned flags, int priority)
{
    CUDA_CALL();
    (void)priority;
    return create_stream(out, flags, 0);
}

EXPORT cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
    CUDA_CALL();

    if (!drv_find_held(handle, CU_STREAM))
        return cu_fail(cudaErrorInvalidResourceHandle,
                       "%p is no stream that a program can destroy",
                       (void *)handle);
    cu_stream *s = (cu_stream *)handle;
    if (s->capture)
        capture_leave(s);
    drv_flush();
    drv_queue_close(&s->q);
    drv_release(&s->q.o);
    return cudaSuccess;
}

/* ---- Waiting ---- */

EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
    CUDA_CALL();
    cu_stream *s = stream_get(handle);

    return s ? stream_wait(s) : cudaErrorInvalidResourceHandle;
}

/* Has all that is in it ended, if commands were quick? */
static bool has_ended(cu_stream *s)
{
    bool ended = true;

    for (cu_stream *o = s->legacy ? s->device->streams : NULL; o && ended;
         o = o->next)
        ended = !o->blocking || drv_queue_try(&o->q);
    if (!ended || !drv_queue_try(&s->q))
        return false;
    drv_host_advance(s->q.end_ns);
    return true;
}

EXPORT cudaError_t cudaStreamQuery(cudaStream_t handle)
{
    CUDA_CALL();
    cu_stream *s = stream_get(handle);

    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (s->capture)
        return capture_refuse(s, "is asked whether it has ended");
    if (!has_ended(s))
        return cu_result(cudaErrorNotReady);
    return cu_result(s->device->sticky);
}

EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event,
                                       unsigned flags)
{
    CUDA_CALL();
    cu_stream *s = stream_get(handle);
    cu_event *e = s ? event_get(event) : NULL;

    if (!e)
        return cudaErrorInvalidResourceHandle;
    if (flags & ~(unsigned)cudaEventWaitExternal)
        return cu_fail(cudaErrorInvalidValue, "flags 0x%x: there are 0 and 1",
                       flags);
    if ((s->capture && flags != cudaEventWaitExternal) || e->capture)
        return capture_wait(s, e);
    drv_use(&e->o);
    return op_submit(s, &(cu_op){.kind = CU_OP_WAIT, .event = e});
}

EXPORT cudaError_t cudaDeviceSynchronize(void)
{
    CUDA_CALL();
    return device_wait(cu_current());
}

/* ---- Questions ---- */

#define STREAM_VALUE(name, type, value)                                        \
    EXPORT cudaError_t name(cudaStream_t handle, type *out)                    \
    {                                                                          \
        CUDA_CALL();                                                           \
        const cu_stream *s = stream_get(handle);                               \
                                                                               \
        if (!s)                                                                \
            return cudaErrorInvalidResourceHandle;                             \
        if (!out)                                                              \
            return cu_fail(cudaErrorInvalidValue, "no place for the answer");  \
        *out = (value);                                                        \
        return cudaSuccess;                                                    \
    }

STREAM_VALUE(cudaStreamGetFlags, unsigned, s->flags)
STREAM_VALUE(cudaStreamGetPriority, int, s->priority)
STREAM_VALUE(cudaStreamGetId, unsigned long long, s->q.number)
STREAM_VALUE(cudaStreamGetDevice, int, s->device->number)
