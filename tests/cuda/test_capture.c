/* tests/cuda/test_capture.c - graphs captured from streams: that they do what
 * the streams would, and what is refused meanwhile. */
#include <pthread.h>
#include <string.h>

#include "mix.h"

/* ---- What is captured ---- */

/* a to d as in the diamond, from one stream into another and back. */
static void fork_and_join(unsigned *const *p, cudaStream_t s, cudaStream_t t)
{
    cudaEvent_t fork = new_event(), back = new_event();

    OK(cudaMemsetAsync(p[3], 0xff, BYTES, s));
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork, 0));
    launch_mix(p[1], p[0], p[0], 1, s);
    launch_mix(p[2], p[0], p[0], 2, t);
    OK(cudaEventRecord(back, t));
    OK(cudaStreamWaitEvent(s, back, 0));
    launch_mix(p[3], p[1], p[2], 10, s);
    OK(cudaEventDestroy(fork));
    OK(cudaEventDestroy(back));
}

TEST(a_captured_graph_does_what_streams_do)
{
    unsigned *p[4] = {numbers(), buffer(), buffer(), buffer()};
    cudaStream_t s = new_stream(), t = new_stream();
    cudaStreamCaptureStatus is;
    cudaGraph_t g;
    size_t count;

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fork_and_join(p, s, t);
    OK(cudaStreamIsCapturing(t, &is));
    CHECK_EQ(is, cudaStreamCaptureStatusActive);
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaStreamIsCapturing(t, &is));
    CHECK_EQ(is, cudaStreamCaptureStatusNone);
    OK(cudaDeviceSynchronize());
    CHECK_EQ(wrong(p[3], 0), 0); /* nothing was done */
    OK(cudaGraphGetNodes(g, NULL, &count));
    CHECK_EQ(count, 4); /* events are edges */
    OK(cudaGraphGetRootNodes(g, NULL, &count));
    CHECK_EQ(count, 1);
    OK(cudaGraphGetEdges_v2(g, NULL, NULL, NULL, &count));
    CHECK_EQ(count, 4);
    OK(cudaGraphLaunch(instantiate(g), s));
    OK(cudaStreamSynchronize(s));
    CHECK_EQ(wrong(p[3], 23), 0);
    OK(cudaMemset(p[3], 0, BYTES));
    fork_and_join(p, s, t); /* the streams do things again */
    OK(cudaStreamSynchronize(s));
    CHECK_EQ(wrong(p[3], 23), 0);
    for (int i = 0; i < 4; i++)
        cudaFree(p[i]);
}

/* Memory of the program is read when the graph runs. */
TEST(captured_copies_are_made_later)
{
    unsigned host[N], back[N], *a = buffer(), two = 2;
    cudaStream_t s = new_stream();
    cudaGraph_t g;

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, s));
    launch_mix(a, a, a, 1, s);
    OK(cudaMemcpyToSymbolAsync(&place, &two, 4, 0, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpyAsync(back, a, BYTES, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamEndCapture(s, &g));
    cudaGraphExec_t x = instantiate(g);
    for (unsigned times = 1; times < 3; times++) {
        for (unsigned i = 0; i < N; i++)
            host[i] = i * times;
        two = times;
        OK(cudaGraphLaunch(x, s));
        OK(cudaStreamSynchronize(s));
        CHECK_EQ(back[N - 1], 2 * times * (N - 1));
        OK(cudaMemcpyFromSymbol(&two, &place, 4, 0, cudaMemcpyDeviceToHost));
        CHECK_EQ(two, times);
    }
    cudaFree(a);
}

TEST(a_capture_can_be_asked_and_led)
{
    unsigned *a = numbers(), *b = buffer();
    cudaStream_t s = new_stream();
    cudaStreamCaptureStatus is;
    unsigned long long id = 0;
    const cudaGraphNode_t *after;
    cudaGraph_t g, other;
    cudaGraphNode_t n, all[4];
    size_t count;

    OK(cudaStreamGetCaptureInfo_v2(s, &is, &id, &g, &after, &count));
    CHECK_EQ(is, cudaStreamCaptureStatusNone);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    launch_mix(b, a, a, 1, s);
    OK(cudaStreamGetCaptureInfo_v3(s, &is, &id, &g, &after, NULL, &count));
    CHECK_EQ(is, cudaStreamCaptureStatusActive);
    CHECK(id != 0);
    CHECK_EQ(count, 1);
    n = add_mix(g, after, 1, b, b, a, 1); /* 3 */
    OK(cudaStreamUpdateCaptureDependencies_v2(
        s, &n, NULL, 1, cudaStreamSetCaptureDependencies));
    launch_mix(b, b, a, 2, s); /* 7 */
    OK(cudaStreamEndCapture(s, &other));
    CHECK(g == other);
    /* More, into the same graph. */
    count = 4;
    OK(cudaGraphGetNodes(g, all, &count));
    CHECK_EQ(count, 3);
    CHECK(all[3] == NULL);
    OK(cudaStreamBeginCaptureToGraph(s, g, &all[2], NULL, 1,
                                     cudaStreamCaptureModeRelaxed));
    launch_mix(b, b, a, 2, s); /* 15 */
    OK(cudaStreamEndCapture(s, &other));
    OK(cudaGraphLaunch(instantiate(g), s));
    OK(cudaStreamSynchronize(s));
    CHECK_EQ(wrong(b, 15), 0);
    cudaFree(a), cudaFree(b);
}

/* ---- What a capture cannot have ---- */

static void no_function(void *data) { (void)data; }

/* The capture is spoilt, and ends so. */
static void ends_spoilt(cudaStream_t s)
{
    cudaStreamCaptureStatus is;
    cudaGraph_t g;

    OK(cudaStreamIsCapturing(s, &is));
    CHECK_EQ(is, cudaStreamCaptureStatusInvalidated);
    FAILS(cudaLaunchHostFunc(s, no_function, NULL),
          cudaErrorStreamCaptureInvalidated);
    FAILS(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
    CHECK(g == NULL);
    OK(cudaStreamSynchronize(s));
}

static void begin(cudaStream_t s)
{
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
}

static void no_callback(cudaStream_t s, cudaError_t is, void *data)
{
    (void)s, (void)is, (void)data;
}

TEST(waiting_spoils_a_capture)
{
    cudaStream_t s = new_stream();
    cudaEvent_t e = new_event();
    void *at;

    begin(s);
    FAILS(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    ends_spoilt(s);
    begin(s);
    FAILS(cudaStreamQuery(s), cudaErrorStreamCaptureUnsupported);
    ends_spoilt(s);
    begin(s);
    FAILS(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
    ends_spoilt(s);
    begin(s);
    OK(cudaEventRecord(e, s));
    FAILS(cudaEventSynchronize(e), cudaErrorCapturedEvent);
    ends_spoilt(s);
    FAILS(cudaEventQuery(e), cudaErrorCapturedEvent);
    OK(cudaEventRecord(e, s)); /* the event is as before */
    OK(cudaEventSynchronize(e));
    begin(s);
    FAILS(cudaStreamAddCallback(s, no_callback, NULL, 0),
          cudaErrorStreamCaptureUnsupported);
    ends_spoilt(s);
    begin(s);
    FAILS(cudaMalloc(&at, 4), cudaErrorStreamCaptureUnsupported);
    ends_spoilt(s);
}

TEST(the_legacy_stream_spoils_a_capture)
{
    unsigned host = 0, *a = buffer();
    cudaStream_t s = new_stream(), free_one;
    cudaStreamCaptureStatus is;
    cudaGraph_t g;

    OK(cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking));
    FAILS(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal),
          cudaErrorStreamCaptureUnsupported);
    begin(s);
    FAILS(cudaStreamIsCapturing(0, &is), cudaErrorStreamCaptureImplicit);
    OK(cudaStreamIsCapturing(s, &is));
    CHECK_EQ(is, cudaStreamCaptureStatusActive);
    FAILS(cudaMemcpy(a, &host, 4, cudaMemcpyHostToDevice),
          cudaErrorStreamCaptureImplicit);
    ends_spoilt(s);
    begin(free_one); /* for which it does not wait */
    OK(cudaMemcpy(a, &host, 4, cudaMemcpyHostToDevice));
    OK(cudaStreamEndCapture(free_one, &g));
    cudaFree(a);
}

TEST(events_lead_out_of_no_capture)
{
    cudaStream_t s = new_stream(), t = new_stream();
    cudaEvent_t e = new_event(), f = new_event(), outside = new_event();
    cudaGraph_t g;

    OK(cudaEventRecord(outside, t));
    begin(s);
    FAILS(cudaStreamWaitEvent(s, outside, 0), cudaErrorStreamCaptureIsolation);
    ends_spoilt(s);
    begin(s);
    begin(t);
    OK(cudaEventRecord(e, s));
    FAILS(cudaStreamWaitEvent(t, e, 0), cudaErrorStreamCaptureMerge);
    ends_spoilt(s);
    ends_spoilt(t);
    begin(s); /* what was forked must be joined */
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(t, e, 0));
    OK(cudaLaunchHostFunc(t, no_function, NULL));
    FAILS(cudaStreamEndCapture(t, &g), cudaErrorStreamCaptureUnmatched);
    ends_spoilt(s);
    begin(s);
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(t, e, 0));
    OK(cudaLaunchHostFunc(t, no_function, NULL));
    FAILS(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureUnjoined);
    CHECK(g == NULL);
    FAILS(cudaStreamWaitEvent(t, e, 0), cudaErrorCapturedEvent);
    OK(cudaStreamSynchronize(t));
    FAILS(cudaStreamEndCapture(s, &g), cudaErrorIllegalState);
    begin(s);
    FAILS(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed),
          cudaErrorIllegalState);
    OK(cudaStreamWaitEvent(s, f, 0)); /* never recorded */
    OK(cudaStreamWaitEvent(s, outside, cudaEventWaitExternal));
    OK(cudaStreamEndCapture(s, &g));
    cudaGraphNode_t n;
    cudaGraphNodeType type;
    size_t one = 1;
    OK(cudaGraphGetNodes(g, &n, &one));
    OK(cudaGraphNodeGetType(n, &type));
    CHECK_EQ(type, cudaGraphNodeTypeWaitEvent);
}

static void *end_elsewhere(void *s)
{
    cudaGraph_t g;

    return (void *)(uintptr_t)cudaStreamEndCapture(s, &g);
}

static void *allocate_elsewhere(void *none)
{
    void *at;

    (void)none;
    return (void *)(uintptr_t)cudaMalloc(&at, 4);
}

static cudaError_t in_thread(void *(*run)(void *), void *arg)
{
    pthread_t thread;
    void *result;

    CHECK_EQ(pthread_create(&thread, NULL, run, arg), 0);
    pthread_join(thread, &result);
    return (cudaError_t)(uintptr_t)result;
}

TEST(modes_are_about_threads)
{
    cudaStream_t s = new_stream();
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaGraph_t g;
    void *at;

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    CHECK_EQ(in_thread(end_elsewhere, s), cudaErrorStreamCaptureWrongThread);
    CHECK_EQ(in_thread(allocate_elsewhere, NULL), cudaSuccess);
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    CHECK_EQ(mode, cudaStreamCaptureModeGlobal);
    OK(cudaMalloc(&at, 4)); /* this thread knows what it does */
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    CHECK_EQ(mode, cudaStreamCaptureModeRelaxed);
    OK(cudaStreamEndCapture(s, &g));
    begin(s);
    CHECK_EQ(in_thread(allocate_elsewhere, NULL),
             cudaErrorStreamCaptureUnsupported);
    ends_spoilt(s);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CHECK_EQ(in_thread(end_elsewhere, s), cudaSuccess);
    begin(s);
    OK(cudaStreamDestroy(s)); /* the capture ends with it */
    OK(cudaMalloc(&at, 4));
}
