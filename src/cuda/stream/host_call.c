/* Functions of the program in a stream. */
#include "cuda/stream/capture.h"

typedef struct host_command_st {
    drv_command base;
    cu_host_call is;
    cu_device *device;
} host_command_st;

/* With the machine lock alone. */
static int run_host_call(drv_command *base)
{
    const host_command_st *c = (const host_command_st *)base;

    cu_thread *t = cu_thread_get();
    const char *driver = t->driver; /* a function of it may wait for this */

    t->driver = NULL;
    drv_call_begin();
    if (c->is.call)
        c->is.call(c->is.data);
    else
        c->is.callback(c->is.stream, c->device->sticky, c->is.data);
    drv_call_end();
    t->driver = driver;
    return 0;
}

drv_command *host_command(cu_stream *s, const cu_host_call *is)
{
    host_command_st *c =
        drv_command_new(sizeof *c, &s->q, drv_event_new(&s->q), run_host_call);

    if (!c)
        return NULL;
    c->is = *is;
    c->device = s->device;
    c->base.noticed = true;
    return &c->base;
}

static cudaError_t submit_call(cudaStream_t stream, cu_host_call call)
{
    cu_stream *s = stream_get(stream);

    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!call.call && !call.callback)
        return cu_fail(cudaErrorInvalidValue, "there is no function to call");
    if (s->capture && call.callback)
        return capture_refuse(s, "is given a callback; "
                                 "cudaLaunchHostFunc makes a node");
    call.stream = stream;
    cudaError_t code = op_submit(s, &(cu_op){.kind = CU_OP_HOST, .host = call});
    if (code == cudaSuccess)
        drv_flush(); /* it happens also if nobody waits */
    return code;
}

EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call,
                                      void *data)
{
    CUDA_CALL();
    return submit_call(stream, (cu_host_call){.call = call, .data = data});
}

EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                         cudaStreamCallback_t call, void *data,
                                         unsigned flags)
{
    CUDA_CALL();

    if (flags)
        return cu_fail(cudaErrorInvalidValue, "flags 0x%x must be 0", flags);
    return submit_call(stream, (cu_host_call){.callback = call, .data = data});
}
