/* src/cuda/stream/stream.h - streams and events as objects, and what goes into
 * streams.
 *
 * A stream is a queue in order. What is put into the legacy default stream of a
 * device waits for all that is in its other streams, but for those made with
 * cudaStreamNonBlocking, and what is put into those then waits for it
 * [CUDA12:default-stream].
 *
 * Everything that a stream can be given is an operation (cu_op), whose kinds
 * are made where their API is: stream/op.h. With the lock. */
#ifndef CUDA_STREAM_STREAM_H
#define CUDA_STREAM_STREAM_H

#include "cuda/door.h"
#include "cuda/stream/nodes.h"
#include "driver/command.h"
#include "exec/exec.h"

struct cu_capture;

/* Kinds of objects, see driver/object.h. */
enum {
    CU_STREAM = 1,
    CU_EVENT,
    CU_MODULE,
    CU_FUNCTION,
    CU_ARRAY,
    CU_GRAPH,
    CU_GRAPH_EXEC,
    CU_POOL,
    CU_LIBRARY,
    CU_LINK,
    CU_MIPMAP,
    CU_NODE,
    CU_USER_OBJECT,
    CU_CONTEXT,
    CU_PHYSICAL,
};

typedef struct cu_stream {
    drv_queue q; /* its object is the stream's */
    cu_device *device;
    struct cu_stream *next; /* of the device */
    bool legacy;            /* its default stream */
    bool blocking;          /* waits for that one, and it for this */
    unsigned flags;
    int priority;
    drv_event *last; /* of what was put into it last; NULL: nothing was */
    struct cu_capture *capture; /* NULL: it does what it is given */
    cu_nodes front;             /* what its next node comes after */
    exec_hints hints;           /* of launches: its access window */
} cu_stream;

/* The stream that the handle means in this call: a made one, the default stream
 * of the current device, or the thread's own. NULL: the handle is none;
 * cudaErrorInvalidResourceHandle was reported, or there is no memory. */
cu_stream *stream_get(cudaStream_t handle);
/* NULL: no memory. */
cu_stream *stream_new(cu_device *d, unsigned flags, int priority);

/* The command, complete but for what the stream's order adds, goes into the
 * stream: cudaErrorMemoryAllocation: there was no memory, and it is gone. */
cudaError_t stream_put(cu_stream *s, drv_command *c);
/* What the stream's next command has to wait for besides its own waits: all
 * that is in it. Waits until it has ended; the failure of the device, if one
 * has come. */
cudaError_t stream_wait(cu_stream *s);
/* Until everything in all streams of the device has. */
cudaError_t device_wait(cu_device *d);

/* ---- Events ---- */

typedef struct cu_event {
    drv_object o;
    cu_device *device;
    unsigned flags;
    drv_event *recorded;        /* NULL: never */
    struct cu_capture *capture; /* where it was recorded last, or NULL */
    cu_nodes front;             /* what came before it there */
} cu_event;

cu_event *event_get(cudaEvent_t handle); /* NULL: it is none, reported */
/* It was recorded: by a command, NULL: by none. */
void event_set(cu_event *e, drv_event *recorded);

#endif
