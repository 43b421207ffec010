/* tests/cuda/test_graph.c - graphs built of nodes: what they compute, in which
 * time, and how they change. */
#include <string.h>
#include <time.h>

#include "mix.h"

/* ---- Launching ---- */

/* 2 a and 3 a, of which the last makes 10 (2 a) + 3 a. */
TEST(a_diamond_is_done_in_order)
{
    unsigned *a = numbers(), *b = buffer(), *c = buffer(), *d = buffer();
    cudaGraph_t g = new_graph();
    cudaGraphNode_t n[4], leaf;
    unsigned host[N];

    OK(cudaGraphAddEmptyNode(&n[0], g, NULL, 0));
    n[1] = add_mix(g, n, 1, b, a, a, 1);
    n[2] = add_mix(g, n, 1, c, a, a, 2);
    n[3] = add_mix(g, n + 1, 2, d, b, c, 10);
    OK(cudaGraphAddMemcpyNode1D(&leaf, g, n + 3, 1, host, d, BYTES,
                                cudaMemcpyDeviceToHost));
    cudaGraphExec_t x = instantiate(g);
    OK(cudaGraphDestroy(g)); /* the other lives on */
    for (int i = 0; i < 2; i++) {
        OK(cudaMemset(d, 0, BYTES));
        OK(cudaGraphLaunch(x, 0));
        OK(cudaDeviceSynchronize());
        CHECK_EQ(wrong(d, 23), 0);
        CHECK_EQ(host[N - 1], 23 * (N - 1));
    }
    OK(cudaGraphExecDestroy(x));
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d);
}

/* Milliseconds of one launch. */
static float time_of(cudaGraphExec_t x)
{
    cudaEvent_t first = new_event(), last = new_event();
    float ms;

    OK(cudaGraphLaunch(x, 0)); /* warm */
    OK(cudaEventRecord(first, 0));
    OK(cudaGraphLaunch(x, 0));
    OK(cudaEventRecord(last, 0));
    OK(cudaEventSynchronize(last));
    OK(cudaEventElapsedTime(&ms, first, last));
    cudaEventDestroy(first), cudaEventDestroy(last);
    return ms;
}

/* Four small kernels take the time of about one if nothing orders them. */
TEST(independent_nodes_run_at_the_same_time)
{
    unsigned *a = numbers(), *b = buffer();
    cudaGraph_t chain = new_graph(), wide = new_graph(), one = new_graph();
    cudaGraphNode_t last = NULL;

    add_mix(one, NULL, 0, b, a, a, 1);
    for (int i = 0; i < 4; i++) {
        last = add_mix(chain, &last, i > 0, b, a, a, 1);
        add_mix(wide, NULL, 0, b, a, a, 1);
    }
    float one_ms = time_of(instantiate(one));
    float wide_ms = time_of(instantiate(wide));
    float chain_ms = time_of(instantiate(chain));
    CHECK(one_ms > 0);
    CHECK(wide_ms >= one_ms && wide_ms < 2 * one_ms);
    CHECK(chain_ms > 3 * one_ms && chain_ms < 5 * one_ms);
    cudaFree(a), cudaFree(b);
}

/* A launch begins when the former one of the same graph, in whatever stream,
 * has ended: a = 2 a each time. */
TEST(launches_of_a_graph_follow_each_other)
{
    unsigned *a = numbers(), *b = buffer(), *zero = buffer();
    cudaGraph_t g = new_graph();
    cudaStream_t s[2] = {new_stream(), new_stream()};

    cudaGraphNode_t n = add_mix(g, NULL, 0, b, a, a, 1);
    add_mix(g, &n, 1, a, b, zero, 1);
    cudaGraphExec_t x = instantiate(g);
    for (int i = 0; i < 6; i++)
        OK(cudaGraphLaunch(x, s[i % 2]));
    OK(cudaDeviceSynchronize());
    CHECK_EQ(wrong(a, 64), 0);
    cudaFree(a), cudaFree(b), cudaFree(zero);
}

struct calls {
    int count, order[4];
};
struct call {
    struct calls *in;
    int number;
};

static void note(void *data)
{
    const struct call *c = data;

    c->in->order[c->in->count++] = c->number;
}

TEST(functions_are_called_in_order)
{
    struct calls done = {0};
    struct call c[3] = {{&done, 1}, {&done, 2}, {&done, 3}};
    cudaGraph_t g = new_graph();
    cudaGraphNode_t n[3];

    /* The edges say 3, 1, 2. */
    for (int i = 0; i < 3; i++)
        OK(cudaGraphAddHostNode(&n[i], g, NULL, 0,
                                &(cudaHostNodeParams){note, &c[i]}));
    OK(cudaGraphAddDependencies_v2(g, &n[2], &n[0], NULL, 1));
    OK(cudaGraphAddDependencies_v2(g, &n[0], &n[1], NULL, 1));
    OK(cudaGraphLaunch(instantiate(g), 0));
    OK(cudaDeviceSynchronize());
    CHECK_EQ(done.count, 3);
    CHECK_EQ(done.order[0], 3);
    CHECK_EQ(done.order[1], 1);
    CHECK_EQ(done.order[2], 2);
}

/* What comes after a graph comes after all of it, and it after what was before
 * in the stream. */
TEST(a_graph_is_in_the_order_of_its_stream)
{
    unsigned *a = numbers(), *b = buffer(), *c = buffer(), *zero = buffer();
    cudaGraph_t inner = new_graph(), g = new_graph();
    cudaStream_t s = new_stream();
    cudaGraphNode_t n;

    add_mix(inner, NULL, 0, b, a, a, 1); /* 2 (a) */
    add_mix(inner, NULL, 0, c, a, a, 2); /* 3 (a) */
    OK(cudaGraphAddChildGraphNode(&n, g, NULL, 0, inner));
    add_mix(g, &n, 1, b, b, c, 1); /* 5 */
    launch_mix(a, a, zero, 7, s);  /* 7 i */
    OK(cudaGraphLaunch(instantiate(g), s));
    launch_mix(c, b, zero, 2, s); /* 70 */
    OK(cudaStreamSynchronize(s));
    CHECK_EQ(wrong(c, 70), 0);
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(zero);
}

TEST(events_in_graphs)
{
    unsigned *a = numbers(), *b = buffer(), *c = buffer(), *zero = buffer();
    cudaGraph_t first = new_graph(), second = new_graph();
    cudaEvent_t e = new_event(), got;
    cudaStream_t s[2] = {new_stream(), new_stream()};
    cudaGraphNode_t n, m;

    n = add_mix(first, NULL, 0, b, a, a, 4);
    OK(cudaGraphAddEventRecordNode(&n, first, &n, 1, e));
    OK(cudaGraphAddEventWaitNode(&m, second, NULL, 0, e));
    add_mix(second, &m, 1, c, b, zero, 3);
    OK(cudaGraphEventWaitNodeGetEvent(m, &got));
    CHECK(got == e);
    FAILS(cudaGraphEventRecordNodeGetEvent(m, &got), cudaErrorInvalidValue);
    OK(cudaGraphLaunch(instantiate(first), s[0]));
    OK(cudaGraphLaunch(instantiate(second), s[1]));
    OK(cudaStreamSynchronize(s[1]));
    CHECK_EQ(wrong(c, 15), 0);
    OK(cudaEventQuery(e));
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(zero);
}

/* ---- Structure ---- */

TEST(nodes_and_edges_can_be_asked)
{
    cudaGraph_t g = new_graph(), clone;
    cudaGraphNode_t n[4], got[8], from[8], to[8];
    cudaGraphNodeType type;
    size_t count = 8;

    for (int i = 0; i < 4; i++) /* 0 -> 1, 2 -> 3 */
        OK(cudaGraphAddEmptyNode(&n[i], g, i ? &n[(i - 1) / 2] : NULL, i > 0));
    OK(cudaGraphAddDependencies_v2(g, &n[2], &n[3], NULL, 1));
    OK(cudaGraphGetEdges_v2(g, from, to, NULL, &count));
    CHECK_EQ(count, 4);
    CHECK(from[0] == n[0] && to[0] == n[1]);
    count = 8;
    OK(cudaGraphNodeGetDependencies_v2(n[3], got, NULL, &count));
    CHECK_EQ(count, 2);
    CHECK(got[0] == n[1] && got[1] == n[2] && !got[2]);
    count = 8;
    OK(cudaGraphNodeGetDependentNodes_v2(n[0], got, NULL, &count));
    CHECK_EQ(count, 2);
    CHECK(got[0] == n[1] && got[1] == n[2]);
    OK(cudaGraphClone(&clone, g));
    OK(cudaGraphNodeFindInClone(&got[0], n[2], clone));
    CHECK(got[0] != n[2]);
    FAILS(cudaGraphNodeFindInClone(&got[1], got[0], g), cudaErrorInvalidValue);
    OK(cudaGraphNodeGetType(got[0], &type));
    CHECK_EQ(type, cudaGraphNodeTypeEmpty);
    OK(cudaGraphDestroyNode(n[2]));
    OK(cudaGraphGetNodes(g, NULL, &count));
    CHECK_EQ(count, 3);
    OK(cudaGraphGetNodes(clone, NULL, &count));
    CHECK_EQ(count, 4);
    FAILS(cudaGraphDestroyNode(n[2]), cudaErrorInvalidValue);
    OK(cudaGraphRemoveDependencies_v2(g, &n[1], &n[3], NULL, 1));
    FAILS(cudaGraphRemoveDependencies_v2(g, &n[1], &n[3], NULL, 1),
          cudaErrorInvalidValue);
    OK(cudaGraphGetRootNodes(g, NULL, &count));
    CHECK_EQ(count, 2);
    OK(cudaGraphDestroy(clone));
    OK(cudaGraphDestroy(g));
    FAILS(cudaGraphDestroy(g), cudaErrorInvalidValue);
}

TEST(a_circle_cannot_be_instantiated)
{
    cudaGraph_t g = new_graph();
    cudaGraphNode_t n[3];
    cudaGraphInstantiateParams p = {0};
    cudaGraphExec_t x;

    for (int i = 0; i < 3; i++)
        OK(cudaGraphAddEmptyNode(&n[i], g, NULL, 0));
    OK(cudaGraphAddDependencies_v2(g, &n[1], &n[2], NULL, 1));
    OK(cudaGraphAddDependencies_v2(g, &n[2], &n[1], NULL, 1));
    FAILS(cudaGraphInstantiateWithParams(&x, g, &p), cudaErrorInvalidValue);
    CHECK_EQ(p.result_out, cudaGraphInstantiateInvalidStructure);
    CHECK(p.errNode_out == n[1] || p.errNode_out == n[2]);
    OK(cudaGraphDestroy(g));
}

/* ---- Parameters ---- */

TEST(parameters_come_back)
{
    unsigned *a = numbers(), *b = buffer(), scale = 5, two;
    void *args[] = {&b, &a, &a, &scale};
    cudaGraph_t g = new_graph();
    cudaGraphNode_t kernel, copy, fill;
    cudaKernelNodeParams k = mix_params(args), k2;
    cudaMemsetParams m = {b, 64, 0xabcd, 2, 8, 3}, m2;
    cudaMemcpy3DParms c = {.srcPtr = {a, 32, 32, 4},
                           .dstPtr = {b, 64, 64, 4},
                           .extent = {16, 4, 1},
                           .kind = cudaMemcpyDeviceToDevice},
                      c2;

    OK(cudaGraphAddKernelNode(&kernel, g, NULL, 0, &k));
    OK(cudaGraphAddMemsetNode(&fill, g, &kernel, 1, &m));
    OK(cudaGraphAddMemcpyNode(&copy, g, &fill, 1, &c));
    scale = 0; /* the node has the value */
    OK(cudaGraphKernelNodeGetParams(kernel, &k2));
    CHECK(k2.func == &mix);
    CHECK_EQ(k2.blockDim.x, THREADS);
    memcpy(&two, k2.kernelParams[3], 4);
    CHECK_EQ(two, 5);
    CHECK(!memcmp(k2.kernelParams[0], &b, sizeof b));
    OK(cudaGraphMemsetNodeGetParams(fill, &m2));
    CHECK(!memcmp(&m, &m2, sizeof m));
    OK(cudaGraphMemcpyNodeGetParams(copy, &c2));
    CHECK(c2.srcPtr.ptr == a && c2.dstPtr.ptr == b);
    CHECK_EQ(c2.srcPtr.pitch, 32);
    CHECK_EQ(c2.dstPtr.pitch, 64);
    CHECK_EQ(c2.extent.width, 16);
    CHECK_EQ(c2.extent.height, 4);
    CHECK_EQ(c2.kind, cudaMemcpyDeviceToDevice);
    FAILS(cudaGraphMemcpyNodeGetParams(fill, &c2), cudaErrorInvalidValue);
    OK(cudaGraphKernelNodeSetParams(kernel, &k2)); /* its own */
    OK(cudaGraphLaunch(instantiate(g), 0));
    OK(cudaDeviceSynchronize());
    unsigned host[N];
    cudaMemcpy(host, b, BYTES, cudaMemcpyDeviceToHost);
    CHECK_EQ(host[N - 1], 6 * (N - 1));
    CHECK_EQ(host[16], 8);  /* row 1 of the copy: a[8] */
    CHECK_EQ(host[19], 11); /* its last */
    CHECK_EQ(host[20], 6 * 20);
    m.elementSize = 3;
    FAILS(cudaGraphAddMemsetNode(&fill, g, NULL, 0, &m), cudaErrorInvalidValue);
    k.blockDim.x = 4096;
    FAILS(cudaGraphAddKernelNode(&kernel, g, NULL, 0, &k),
          cudaErrorInvalidConfiguration);
    cudaFree(a), cudaFree(b);
}

static void expect(cudaGraphExec_t x, const unsigned *at, unsigned times)
{
    OK(cudaGraphLaunch(x, 0));
    OK(cudaDeviceSynchronize());
    CHECK_EQ(wrong(at, times), 0);
}

/* The graph stays as it is when the one to launch changes, and so on. */
TEST(a_graph_to_launch_can_be_changed)
{
    unsigned *a = numbers(), *b = buffer(), scale = 7;
    void *args[] = {&b, &a, &a, &scale};
    cudaKernelNodeParams p = mix_params(args);
    cudaGraph_t g = new_graph(), other = new_graph();
    cudaGraphExecUpdateResultInfo info;
    cudaGraphNode_t clear, n, m;
    unsigned is;

    OK(cudaGraphAddMemsetNode(&clear, g, NULL, 0,
                              &(cudaMemsetParams){b, 0, 0, 4, N, 1}));
    n = add_mix(g, &clear, 1, b, a, a, 1);
    cudaGraphExec_t x = instantiate(g);
    expect(x, b, 2);
    OK(cudaGraphExecKernelNodeSetParams(x, n, &p));
    expect(x, b, 8);
    expect(instantiate(g), b, 2);
    OK(cudaGraphNodeSetEnabled(x, n, 0));
    OK(cudaGraphNodeGetEnabled(x, n, &is));
    CHECK_EQ(is, 0);
    expect(x, b, 0);
    OK(cudaGraphNodeSetEnabled(x, n, 1));
    expect(x, b, 8);
    OK(cudaGraphAddMemsetNode(&m, other, NULL, 0,
                              &(cudaMemsetParams){b, 0, 0, 4, N, 1}));
    FAILS(cudaGraphExecUpdate(x, other, &info, NULL),
          cudaErrorGraphExecUpdateFailure);
    CHECK_EQ(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    add_mix(other, &m, 1, b, a, a, 11);
    OK(cudaGraphExecUpdate(x, other, &info, NULL));
    CHECK_EQ(info.result, cudaGraphExecUpdateSuccess);
    expect(x, b, 12);
    FAILS(cudaGraphExecKernelNodeSetParams(x, m, &p), cudaErrorInvalidValue);
    FAILS(cudaGraphExecHostNodeSetParams(x, n, &(cudaHostNodeParams){note, 0}),
          cudaErrorInvalidValue);
    OK(cudaGraphExecDestroy(x));
    FAILS(cudaGraphLaunch(x, 0), cudaErrorInvalidValue);
    cudaFree(a), cudaFree(b);
}

TEST(nodes_of_all_kinds_by_one_function)
{
    unsigned *a = numbers(), *b = buffer(), scale = 4;
    void *args[] = {&b, &a, &a, &scale};
    cudaGraph_t g = new_graph();
    cudaGraphNodeParams p = {.type = cudaGraphNodeTypeKernel};
    cudaGraphNode_t n;

    p.kernel = mix_params(args);
    OK(cudaGraphAddNode_v2(&n, g, NULL, NULL, 0, &p));
    p = (cudaGraphNodeParams){.type = cudaGraphNodeTypeMemcpy};
    p.memcpy.copyParams = (cudaMemcpy3DParms){.srcPtr = {b, BYTES, BYTES, 1},
                                              .dstPtr = {a, BYTES, BYTES, 1},
                                              .extent = {BYTES, 1, 1},
                                              .kind = cudaMemcpyDefault};
    OK(cudaGraphAddNode_v2(&n, g, &n, NULL, 1, &p));
    expect(instantiate(g), a, 5);
    p = (cudaGraphNodeParams){.type = cudaGraphNodeTypeConditional};
    FAILS(cudaGraphAddNode_v2(&n, g, NULL, NULL, 0, &p), cudaErrorNotSupported);
    cudaFree(a), cudaFree(b);
}

/* ---- Memory ---- */

static uint64_t used_bytes(void)
{
    uint64_t bytes;

    OK(cudaDeviceGetGraphMemAttribute(0, 0, &bytes));
    return bytes;
}

static cudaGraphNode_t add_alloc(cudaGraph_t g, unsigned **at)
{
    enum { PINNED = 1, ON_DEVICE = 1 };
    cudaMemAllocNodeParams p = {
        .poolProps = {.allocType = PINNED, .location = {ON_DEVICE, 0}},
        .bytesize = BYTES};
    cudaGraphNode_t n;

    OK(cudaGraphAddMemAllocNode(&n, g, NULL, 0, &p));
    CHECK(p.dptr != NULL);
    *at = p.dptr;
    return n;
}

TEST(nodes_allocate_memory)
{
    unsigned *a = numbers(), *b = buffer(), *t;
    cudaGraph_t g = new_graph(), clone;
    cudaGraphNode_t n = add_alloc(g, &t);

    CHECK_EQ(used_bytes(), 0);
    n = add_mix(g, &n, 1, t, a, a, 2); /* 3 */
    n = add_mix(g, &n, 1, b, t, a, 2); /* 7 */
    OK(cudaGraphAddMemFreeNode(&n, g, &n, 1, t));
    FAILS(cudaGraphClone(&clone, g), cudaErrorNotSupported);
    FAILS(cudaGraphAddMemFreeNode(&n, g, NULL, 0, a), cudaErrorInvalidValue);
    cudaGraphExec_t x = instantiate(g);
    expect(x, b, 7);
    expect(x, b, 7);
    CHECK_EQ(used_bytes(), 0);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    cudaFree(a), cudaFree(b);
}

/* What a graph has not freed lives on until the program frees it. */
TEST(memory_outlives_its_graph)
{
    unsigned *a = numbers(), *t;
    cudaGraph_t g = new_graph();
    cudaGraphNode_t n = add_alloc(g, &t);
    cudaGraphExec_t x, again;

    add_mix(g, &n, 1, t, a, a, 2);
    x = instantiate(g);
    OK(cudaGraphInstantiateWithFlags(&again, g,
                                     cudaGraphInstantiateFlagAutoFreeOnLaunch));
    OK(cudaGraphLaunch(x, 0));
    CHECK_EQ(used_bytes(), BYTES);
    FAILS(cudaGraphLaunch(x, 0), cudaErrorInvalidValue);
    OK(cudaGraphLaunch(again, 0));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphExecDestroy(again));
    OK(cudaGraphDestroy(g));
    OK(cudaDeviceSynchronize());
    CHECK_EQ(wrong(t, 3), 0);
    OK(cudaFreeAsync(t, 0));
    CHECK_EQ(used_bytes(), 0);
    OK(cudaDeviceSynchronize());
    FAILS(cudaFree(t), cudaErrorInvalidValue);
    cudaFree(a);
}

TEST(captured_allocations_are_nodes)
{
    unsigned *a = numbers(), *b = buffer();
    cudaStream_t s = new_stream();
    cudaGraph_t g;
    size_t count;
    void *t;

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&t, BYTES, s));
    launch_mix(t, a, a, 1, s);
    launch_mix(b, t, a, 1, s);
    OK(cudaFreeAsync(t, s));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphGetNodes(g, NULL, &count));
    CHECK_EQ(count, 4);
    CHECK_EQ(used_bytes(), 0);
    expect(instantiate(g), b, 3);
    CHECK_EQ(used_bytes(), 0);
    cudaFree(a), cudaFree(b);
}

/* ---- Objects of the program ---- */

static void count_up(void *at)
{
    __atomic_add_fetch((int *)at, 1, __ATOMIC_SEQ_CST);
}

TEST(a_graph_keeps_objects)
{
    static int ended;
    cudaGraph_t g = new_graph();
    cudaUserObject_t o;

    OK(cudaUserObjectCreate(&o, &ended, count_up, 2,
                            cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(g, o, 1, cudaGraphUserObjectMove));
    OK(cudaUserObjectRelease(o, 1));
    cudaGraphExec_t x = instantiate(g);
    OK(cudaGraphDestroy(g));
    CHECK_EQ(__atomic_load_n(&ended, __ATOMIC_SEQ_CST), 0);
    OK(cudaGraphExecDestroy(x));
    for (int i = 0; i < 5000 && !__atomic_load_n(&ended, __ATOMIC_SEQ_CST); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    CHECK_EQ(__atomic_load_n(&ended, __ATOMIC_SEQ_CST), 1);
    FAILS(cudaUserObjectRelease(o, 1), cudaErrorInvalidValue);
}
