/* Graphs and the capture of streams: the functions of the runtime API under
 * their names here, which have forms for what runtimes of other generations
 * differ in. Copies in graphs are not among them. */
#include "cuda/driver_api/driver_call.h"

/* ---- Capture ---- */

DRIVER_STREAM(cuStreamBeginCapture_v2, _ptsz,
              (CUstream s, cudaStreamCaptureMode mode), (s, mode))
{
    return cudaStreamBeginCapture(s, mode);
}

DRIVER_STREAM(cuStreamEndCapture, _ptsz, (CUstream s, CUgraph *out), (s, out))
{
    return cudaStreamEndCapture(s, out);
}

DRIVER_STREAM(cuStreamIsCapturing, _ptsz,
              (CUstream s, cudaStreamCaptureStatus *out), (s, out))
{
    return cudaStreamIsCapturing(s, out);
}

DRIVER_STREAM(cuStreamGetCaptureInfo_v2, _ptsz,
              (CUstream s, cudaStreamCaptureStatus *is, unsigned long long *id,
               CUgraph *graph, const CUgraphNode **after, size_t *count),
              (s, is, id, graph, after, count))
{
    return cudaStreamGetCaptureInfo_v2(s, is, id, graph, after, count);
}

DRIVER_STREAM(cuStreamGetCaptureInfo_v3, _ptsz,
              (CUstream s, cudaStreamCaptureStatus *is, unsigned long long *id,
               CUgraph *graph, const CUgraphNode **after,
               const cudaGraphEdgeData **edges, size_t *count),
              (s, is, id, graph, after, edges, count))
{
    return cudaStreamGetCaptureInfo_v3(s, is, id, graph, after, edges, count);
}

DRIVER_STREAM(cuStreamUpdateCaptureDependencies, _ptsz,
              (CUstream s, CUgraphNode *after, size_t count, unsigned flags),
              (s, after, count, flags))
{
    return cudaStreamUpdateCaptureDependencies_v2(s, after, NULL, count, flags);
}

DRIVER(cuThreadExchangeStreamCaptureMode, (cudaStreamCaptureMode * mode),
       (mode))
{
    return cudaThreadExchangeStreamCaptureMode(mode);
}

/* ---- Graphs ---- */

DRIVER(cuGraphCreate, (CUgraph * out, unsigned flags), (out, flags))
{
    return cudaGraphCreate(out, flags);
}

DRIVER(cuGraphDestroy, (CUgraph g), (g)) { return cudaGraphDestroy(g); }

DRIVER(cuGraphClone, (CUgraph * out, CUgraph g), (out, g))
{
    return cudaGraphClone(out, g);
}

DRIVER(cuGraphDestroyNode, (CUgraphNode n), (n))
{
    return cudaGraphDestroyNode(n);
}

DRIVER(cuGraphGetNodes, (CUgraph g, CUgraphNode *out, size_t *count),
       (g, out, count))
{
    return cudaGraphGetNodes(g, out, count);
}

DRIVER(cuGraphGetRootNodes, (CUgraph g, CUgraphNode *out, size_t *count),
       (g, out, count))
{
    return cudaGraphGetRootNodes(g, out, count);
}

DRIVER(cuGraphNodeGetType, (CUgraphNode n, cudaGraphNodeType *out), (n, out))
{
    return cudaGraphNodeGetType(n, out);
}

DRIVER(cuGraphAddDependencies,
       (CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
        size_t count),
       (g, from, to, count))
{
    return cudaGraphAddDependencies_v2(g, from, to, NULL, count);
}

/* ---- Nodes ---- */

DRIVER(cuGraphAddEmptyNode,
       (CUgraphNode * out, CUgraph g, const CUgraphNode *after, size_t count),
       (out, g, after, count))
{
    return cudaGraphAddEmptyNode(out, g, after, count);
}

DRIVER(cuGraphAddChildGraphNode,
       (CUgraphNode * out, CUgraph g, const CUgraphNode *after, size_t count,
        CUgraph child),
       (out, g, after, count, child))
{
    return cudaGraphAddChildGraphNode(out, g, after, count, child);
}

DRIVER(cuGraphAddHostNode,
       (CUgraphNode * out, CUgraph g, const CUgraphNode *after, size_t count,
        const cudaHostNodeParams *p),
       (out, g, after, count, p))
{
    return cudaGraphAddHostNode(out, g, after, count, p);
}

/* The first form; its structure is that of the runtime API. */
DRIVER(cuGraphAddKernelNode,
       (CUgraphNode * out, CUgraph g, const CUgraphNode *after, size_t count,
        const cudaKernelNodeParams *p),
       (out, g, after, count, p))
{
    return cudaGraphAddKernelNode(out, g, after, count, p);
}

/* The second, too, but for functions by another name. */
DRIVER(cuGraphAddKernelNode_v2,
       (CUgraphNode * out, CUgraph g, const CUgraphNode *after, size_t count,
        const CUDA_KERNEL_NODE_PARAMS_v2 *p),
       (out, g, after, count, p))
{
    cudaKernelNodeParams own;

    if (!p || p->p.func)
        return cudaGraphAddKernelNode(out, g, after, count, p ? &p->p : NULL);
    own = p->p;
    own.func = p->kern;
    return cudaGraphAddKernelNode(out, g, after, count, &own);
}

DRIVER(cuGraphAddMemsetNode,
       (CUgraphNode * out, CUgraph g, const CUgraphNode *after, size_t count,
        const cudaMemsetParams *p, CUcontext context),
       (out, g, after, count, p, context))
{
    (void)context; /* the pointer says it */
    return cudaGraphAddMemsetNode(out, g, after, count, p);
}

/* ---- Graphs to launch ---- */

DRIVER(cuGraphInstantiateWithFlags,
       (CUgraphExec * out, CUgraph g, unsigned long long flags),
       (out, g, flags))
{
    return cudaGraphInstantiateWithFlags(out, g, flags);
}

DRIVER_STREAM(cuGraphInstantiateWithParams, _ptsz,
              (CUgraphExec * out, CUgraph g, cudaGraphInstantiateParams *p),
              (out, g, p))
{
    return cudaGraphInstantiateWithParams(out, g, p);
}

DRIVER(cuGraphInstantiate_v2,
       (CUgraphExec * out, CUgraph g, CUgraphNode *bad, char *log, size_t room),
       (out, g, bad, log, room))
{
    if (bad)
        *bad = NULL;
    if (log && room)
        *log = 0;
    return cudaGraphInstantiateWithFlags(out, g, 0);
}

DRIVER_STREAM(cuGraphLaunch, _ptsz, (CUgraphExec x, CUstream s), (x, s))
{
    return cudaGraphLaunch(x, s);
}

DRIVER_STREAM(cuGraphUpload, _ptsz, (CUgraphExec x, CUstream s), (x, s))
{
    return cudaGraphUpload(x, s);
}

DRIVER(cuGraphExecDestroy, (CUgraphExec x), (x))
{
    return cudaGraphExecDestroy(x);
}
