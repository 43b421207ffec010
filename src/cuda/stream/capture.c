#include "cuda/stream/capture.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cuda/generation.h"

typedef struct cu_capture {
    drv_object o;            /* events of it use it */
    struct cu_capture *next; /* of those that have not ended */
    uint64_t id;
    cu_graph *graph;
    bool owned; /* the graph is the program's already */
    cu_stream *origin;
    cudaStreamCaptureMode mode;
    const cu_thread *thread; /* that began it */
    bool invalid, ended;
} cu_capture;

/* Part of the process's state. */
cu_capture *captures;
static uint64_t ids;

static void capture_destroy(void *handle) { free(handle); }

static cudaError_t invalidate(cu_capture *c, cudaError_t code)
{
    c->invalid = true;
    return code;
}

static cudaError_t check_valid(const cu_capture *c)
{
    return c->invalid ? cu_fail(cudaErrorStreamCaptureInvalidated,
                                "an earlier call has spoilt the capture: "
                                "cudaStreamEndCapture ends it")
                      : cudaSuccess;
}

static bool is_of_device(const cu_capture *c, const cu_device *d)
{
    return c->origin && c->origin->device == d;
}

/* ---- What may not be done meanwhile ---- */

cudaError_t capture_refuse(cu_stream *s, const char *what)
{
    return invalidate(s->capture, cu_fail(cudaErrorStreamCaptureUnsupported,
                                          "a stream that captures %s", what));
}

cudaError_t capture_check_legacy(const cu_device *d, bool spoils)
{
    for (const cu_stream *s = d->streams; s; s = s->next) {
        if (!s->capture || !s->blocking)
            continue;
        if (spoils)
            s->capture->invalid = true;
        return cu_fail(cudaErrorStreamCaptureImplicit,
                       "the legacy stream would wait for a stream that "
                       "captures; cudaStreamNonBlocking makes others");
    }
    return cudaSuccess;
}

cudaError_t capture_check_device(const cu_device *d)
{
    for (cu_capture *c = captures; c; c = c->next)
        if (is_of_device(c, d))
            return invalidate(c, cu_fail(cudaErrorStreamCaptureUnsupported,
                                         "a device of which a stream captures "
                                         "is waited for"));
    return cudaSuccess;
}

/* [CUDA13:cudaThreadExchangeStreamCaptureMode] */
static bool forbids_calls(const cu_capture *c, const cu_thread *t)
{
    if (c->mode == cudaStreamCaptureModeRelaxed ||
        t->capture_mode == cudaStreamCaptureModeRelaxed)
        return false;
    return c->thread == t || (c->mode == cudaStreamCaptureModeGlobal &&
                              t->capture_mode == cudaStreamCaptureModeGlobal);
}

cudaError_t capture_check_call(void)
{
    for (cu_capture *c = captures; c; c = c->next)
        if (forbids_calls(c, cu_thread_get()))
            return invalidate(
                c, cu_fail(cudaErrorStreamCaptureUnsupported,
                           "not while a stream captures; "
                           "cudaStreamCaptureModeRelaxed would allow it"));
    return cudaSuccess;
}

cudaError_t capture_check_event(const cu_event *e)
{
    if (!e->capture)
        return cudaSuccess;
    return invalidate(e->capture,
                      cu_fail(cudaErrorCapturedEvent,
                              "the event was recorded in a stream that "
                              "captured"));
}

/* ---- Operations ---- */

static void set_front(cu_nodes *front, cu_node *n)
{
    front->count = 0;
    nodes_add(front, n);
}

cudaError_t capture_op(cu_stream *s, cu_op *op)
{
    cudaError_t code = check_valid(s->capture);

    if (code != cudaSuccess) {
        op_fini(op);
        return code;
    }
    set_front(&s->front,
              node_new(s->capture->graph, *op, &s->front, s->device));
    return cudaSuccess;
}

/* ---- Events ---- */

void capture_forget(cu_event *e)
{
    if (e->capture)
        drv_drop(&e->capture->o);
    e->capture = NULL;
    nodes_fini(&e->front);
}

cudaError_t capture_record(cu_stream *s, cu_event *e)
{
    cudaError_t code = check_valid(s->capture);

    if (code != cudaSuccess)
        return code;
    event_set(e, NULL);
    e->capture = s->capture;
    drv_use(&e->capture->o);
    nodes_add_all(&e->front, &s->front);
    return cudaSuccess;
}

/* Why the stream cannot wait for the event of a capture. */
static cudaError_t check_wait(const cu_stream *s, const cu_event *e)
{
    if (e->capture->ended)
        return cu_fail(cudaErrorCapturedEvent,
                       "the event was recorded in a capture, which has ended");
    if (s->legacy)
        return invalidate(e->capture,
                          cu_fail(cudaErrorStreamCaptureUnsupported,
                                  "the legacy stream cannot capture"));
    if (s->capture && s->capture != e->capture) {
        s->capture->invalid = true;
        return invalidate(e->capture,
                          cu_fail(cudaErrorStreamCaptureMerge,
                                  "stream and event are of two captures"));
    }
    return check_valid(e->capture);
}

cudaError_t capture_wait(cu_stream *s, cu_event *e)
{
    if (!e->capture && !e->recorded)
        return check_valid(s->capture); /* never recorded: no dependency */
    if (!e->capture)
        return invalidate(s->capture,
                          cu_fail(cudaErrorStreamCaptureIsolation,
                                  "the event was recorded in a stream that "
                                  "does not capture: cudaEventWaitExternal "
                                  "makes a node that waits for it"));
    cudaError_t code = check_wait(s, e);
    if (code != cudaSuccess)
        return code;
    if (!s->capture)
        s->capture = e->capture;
    nodes_add_all(&s->front, &e->front);
    return cudaSuccess;
}

/* ---- Beginning and ending ---- */

static void leave(cu_stream *s)
{
    s->capture = NULL;
    nodes_fini(&s->front);
}

static cudaError_t begin_capture(cu_stream *s, cu_graph *g, bool owned,
                                 cudaStreamCaptureMode mode)
{
    cu_capture *c =
        drv_object_new(0, sizeof *c, offsetof(cu_capture, o), capture_destroy);

    ALLOC_MUST(c);
    c->id = ++ids;
    c->graph = g;
    c->owned = owned;
    c->origin = s;
    c->mode = mode;
    c->thread = cu_thread_get();
    c->next = captures;
    captures = c;
    s->capture = c;
    return cudaSuccess;
}

/* Is it `g`, or of a node in it? */
static bool is_within(const cu_graph *in, const cu_graph *g)
{
    while (in != g && in->parent)
        in = in->parent->graph;
    return in == g;
}

cudaError_t capture_check_graph(const cu_graph *g)
{
    const cu_capture *c = captures;

    while (c && !is_within(c->graph, g))
        c = c->next;
    return c ? cu_fail(cudaErrorIllegalState,
                       "a stream captures into graph %p: it has to end first",
                       (const void *)g)
             : cudaSuccess;
}

/* The first stream of the device in the capture; NULL: none. */
static cu_stream *member_of(const cu_capture *c, const cu_device *d)
{
    cu_stream *s = d->streams;

    while (s && s->capture != c)
        s = s->next;
    return s;
}

/* Does it lead back to the first stream? */
static bool is_joined(const cu_capture *c, const cu_stream *s)
{
    return nodes_reach(c->graph, &c->origin->front, &s->front);
}

static bool all_joined(const cu_capture *c)
{
    const cu_state *st = cu_get();

    for (int i = 0; i < st->device_count; i++)
        for (const cu_stream *s = st->devices[i].streams; s; s = s->next)
            if (s->capture == c && !is_joined(c, s))
                return false;
    return true;
}

/* All streams leave it. */
static void end_capture(cu_capture *c)
{
    cu_state *st = cu_get();
    cu_capture **at = &captures;
    cu_stream *s;

    for (int i = 0; i < st->device_count; i++)
        while ((s = member_of(c, &st->devices[i])))
            leave(s);
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    c->ended = true;
    drv_release(&c->o);
}

void capture_leave(cu_stream *s)
{
    cu_capture *c = s->capture;

    if (c->origin != s) {
        c->invalid |= !is_joined(c, s);
        leave(s);
        return;
    }
    cu_graph *g = c->owned ? NULL : c->graph;
    end_capture(c);
    if (g)
        drv_release(&g->o);
}

static cudaError_t check_end(const cu_stream *s, cu_capture *c)
{
    if (c->origin != s)
        return invalidate(c, cu_fail(cudaErrorStreamCaptureUnmatched,
                                     "the capture began in another stream"));
    if (c->mode != cudaStreamCaptureModeRelaxed && c->thread != cu_thread_get())
        return cu_fail(cudaErrorStreamCaptureWrongThread,
                       "the capture began in another thread");
    return cudaSuccess;
}

/* ---- The API ---- */

static cu_stream *stream_to_begin(cudaStream_t handle,
                                  cudaStreamCaptureMode mode, cudaError_t *code)
{
    cu_stream *s = stream_get(handle);

    *code = cudaSuccess;
    if (!s)
        *code = cudaErrorInvalidResourceHandle;
    else if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
        *code = cu_fail(cudaErrorInvalidValue, "%d is no mode of captures",
                        (int)mode);
    else if (s->legacy)
        *code = cu_fail(cudaErrorStreamCaptureUnsupported,
                        "the legacy stream cannot capture");
    else if (s->capture)
        *code = cu_fail(cudaErrorIllegalState, "the stream captures already");
    return s;
}

EXPORT cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                          cudaStreamCaptureMode mode)
{
    CUDA_CALL();
    cudaError_t code;
    cu_stream *s = stream_to_begin(stream, mode, &code);

    if (code != cudaSuccess)
        return code;
    cu_graph *g = cu_graph_new();
    if (!g)
        return cu_fail(cudaErrorMemoryAllocation, "no memory for a graph");
    return begin_capture(s, g, false, mode);
}

EXPORT cudaError_t cudaStreamBeginCaptureToGraph(
    cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
    const cudaGraphEdgeData *edges, size_t count, cudaStreamCaptureMode mode)
{
    CUDA_CALL();
    cudaError_t code;
    cu_stream *s = stream_to_begin(stream, mode, &code);
    cu_graph *g = code == cudaSuccess ? cu_graph_get(graph, &code) : NULL;
    cu_nodes front = {0};

    (void)edges; /* all dependencies are whole */
    if (code == cudaSuccess)
        code = nodes_get(g, after, count, &front);
    if (code == cudaSuccess)
        code = begin_capture(s, g, true, mode);
    if (code == cudaSuccess)
        nodes_add_all(&s->front, &front);
    nodes_fini(&front);
    return code;
}

EXPORT cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out)
{
    CUDA_CALL();
    cu_stream *s = stream_get(stream);

    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the graph");
    *out = NULL;
    cu_capture *c = s->capture;
    if (!c)
        return cu_fail(cudaErrorIllegalState, "the stream does not capture");
    cudaError_t code = check_end(s, c);
    if (code != cudaSuccess)
        return code;
    code = check_valid(c);
    if (code == cudaSuccess && !all_joined(c))
        code = cu_fail(cudaErrorStreamCaptureUnjoined,
                       "a stream that joined the capture does not lead back "
                       "to the first: an event recorded in it and waited for "
                       "would");
    cu_graph *g = c->graph;
    bool owned = c->owned;
    end_capture(c);
    if (code == cudaSuccess)
        *out = (cudaGraph_t)g;
    else if (!owned)
        drv_release(&g->o);
    return code;
}

static cudaStreamCaptureStatus status_of(const cu_stream *s)
{
    if (!s->capture)
        return cudaStreamCaptureStatusNone;
    return s->capture->invalid ? cudaStreamCaptureStatusInvalidated
                               : cudaStreamCaptureStatusActive;
}

/* The stream that is asked about; NULL: *code says why not. */
static cu_stream *stream_asked(cudaStream_t handle, const void *out,
                               cudaError_t *code)
{
    cu_stream *s = stream_get(handle);

    *code = s ? cudaSuccess : cudaErrorInvalidResourceHandle;
    if (s && !out)
        *code = cu_fail(cudaErrorInvalidValue, "no place for the answer");
    else if (s && s->legacy && captures)
        *code = capture_check_legacy(s->device, false);
    return *code == cudaSuccess ? s : NULL;
}

EXPORT cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                         cudaStreamCaptureStatus *out)
{
    CUDA_CALL();
    cudaError_t code;
    const cu_stream *s = stream_asked(stream, out, &code);

    if (s)
        *out = status_of(s);
    return code;
}

EXPORT cudaError_t cudaStreamGetCaptureInfo_v3(
    cudaStream_t stream, cudaStreamCaptureStatus *is, unsigned long long *id,
    cudaGraph_t *graph, const cudaGraphNode_t **after,
    const cudaGraphEdgeData **edges, size_t *count)
{
    CUDA_CALL();
    cudaError_t code;
    const cu_stream *s = stream_asked(stream, is, &code);

    if (!s)
        return code;
    *is = status_of(s);
    if (edges)
        *edges = NULL; /* all dependencies are whole */
    if (*is != cudaStreamCaptureStatusActive)
        return cudaSuccess;
    if (id)
        *id = s->capture->id;
    if (graph)
        *graph = (cudaGraph_t)s->capture->graph;
    if (after)
        *after = (const cudaGraphNode_t *)s->front.at;
    if (count)
        *count = s->front.count;
    return cudaSuccess;
}

EXPORT cudaError_t cudaStreamGetCaptureInfo_v2(
    cudaStream_t stream, cudaStreamCaptureStatus *is, unsigned long long *id,
    cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *count)
{
    return cudaStreamGetCaptureInfo_v3(stream, is, id, graph, after, NULL,
                                       count);
}

/* Up to generation 12 with three arguments: the others are then not there. */
EXPORT cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t stream, cudaStreamCaptureStatus *is, unsigned long long *id,
    cudaGraph_t *graph, const cudaGraphNode_t **after,
    const cudaGraphEdgeData **edges, size_t *count)
{
    if (cu_program_generation() < CUDA_13)
        return cudaStreamGetCaptureInfo_v3(stream, is, id, NULL, NULL, NULL,
                                           NULL);
    return cudaStreamGetCaptureInfo_v3(stream, is, id, graph, after, edges,
                                       count);
}

EXPORT cudaError_t cudaStreamUpdateCaptureDependencies_v2(
    cudaStream_t stream, cudaGraphNode_t *after, const cudaGraphEdgeData *edges,
    size_t count, unsigned flags)
{
    CUDA_CALL();
    cu_stream *s = stream_get(stream);
    cu_nodes more = {0};

    (void)edges;
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!s->capture)
        return cu_fail(cudaErrorIllegalState, "the stream does not capture");
    if (flags > cudaStreamSetCaptureDependencies)
        return cu_fail(cudaErrorInvalidValue, "flags 0x%x: there are 0 and 1",
                       flags);
    cudaError_t code = check_valid(s->capture);
    if (code == cudaSuccess)
        code = nodes_get(s->capture->graph, after, count, &more);
    if (code == cudaSuccess) {
        if (flags == cudaStreamSetCaptureDependencies)
            s->front.count = 0;
        nodes_add_all(&s->front, &more);
    }
    nodes_fini(&more);
    return code;
}

/* Up to generation 12 without data of edges: then the third is the count. */
EXPORT cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                       cudaGraphNode_t *after,
                                                       uintptr_t third,
                                                       size_t fourth,
                                                       unsigned flags)
{
    if (cu_program_generation() < CUDA_13)
        return cudaStreamUpdateCaptureDependencies_v2(stream, after, NULL,
                                                      third, (unsigned)fourth);
    return cudaStreamUpdateCaptureDependencies_v2(
        stream, after, (const cudaGraphEdgeData *)third, fourth, flags);
}

EXPORT cudaError_t
cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode)
{
    CUDA_CALL();
    cu_thread *t = cu_thread_get();

    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return cu_fail(cudaErrorInvalidValue, "no mode of captures is given");
    cudaStreamCaptureMode before = (cudaStreamCaptureMode)t->capture_mode;
    t->capture_mode = *mode;
    *mode = before;
    return cudaSuccess;
}
