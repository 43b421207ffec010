/* src/cuda/graph_functions.h - the functions of the CUDA runtime API for graphs
 * and the capture of streams, as functions.h lists the others. */
#ifndef CUDA_GRAPH_FUNCTIONS_H
#define CUDA_GRAPH_FUNCTIONS_H

#include "cuda/api_graph.h"

/* Functions that programs call; all others are hidden. */
#define EXPORT __attribute__((visibility("default")))

/* stream/capture.c */
EXPORT cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                          cudaStreamCaptureMode mode);
EXPORT cudaError_t cudaStreamBeginCaptureToGraph(
    cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
    const cudaGraphEdgeData *edges, size_t count, cudaStreamCaptureMode mode);
EXPORT cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out);
EXPORT cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                         cudaStreamCaptureStatus *out);
EXPORT cudaError_t cudaStreamGetCaptureInfo_v3(
    cudaStream_t stream, cudaStreamCaptureStatus *is, unsigned long long *id,
    cudaGraph_t *graph, const cudaGraphNode_t **after,
    const cudaGraphEdgeData **edges, size_t *count);
EXPORT cudaError_t cudaStreamGetCaptureInfo_v2(
    cudaStream_t stream, cudaStreamCaptureStatus *is, unsigned long long *id,
    cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *count);
EXPORT cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t stream, cudaStreamCaptureStatus *is, unsigned long long *id,
    cudaGraph_t *graph, const cudaGraphNode_t **after,
    const cudaGraphEdgeData **edges, size_t *count);
EXPORT cudaError_t cudaStreamUpdateCaptureDependencies_v2(
    cudaStream_t stream, cudaGraphNode_t *after, const cudaGraphEdgeData *edges,
    size_t count, unsigned flags);
EXPORT cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                       cudaGraphNode_t *after,
                                                       uintptr_t third,
                                                       size_t fourth,
                                                       unsigned flags);
EXPORT cudaError_t
cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode);

/* graph/structure.c */
EXPORT cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags);
EXPORT cudaError_t cudaGraphDestroy(cudaGraph_t graph);
EXPORT cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t graph);
EXPORT cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out,
                                            cudaGraphNode_t node,
                                            cudaGraph_t clone);
EXPORT cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *out,
                                     size_t *count);
EXPORT cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph,
                                         cudaGraphNode_t *out, size_t *count);
EXPORT cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node,
                                                   cudaGraphNode_t *out,
                                                   cudaGraphEdgeData *edges,
                                                   size_t *count);
EXPORT cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                                cudaGraphNode_t *out,
                                                void *third, size_t *fourth);
EXPORT cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node,
                                                     cudaGraphNode_t *out,
                                                     cudaGraphEdgeData *edges,
                                                     size_t *count);
EXPORT cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                  cudaGraphNode_t *out,
                                                  void *third, size_t *fourth);
EXPORT cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph,
                                        cudaGraphNode_t *from,
                                        cudaGraphNode_t *to,
                                        cudaGraphEdgeData *edges,
                                        size_t *count);
EXPORT cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                                     cudaGraphNode_t *to, void *third,
                                     size_t *fourth);
EXPORT cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node,
                                        cudaGraphNodeType *out);
EXPORT cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
EXPORT cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                            const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to,
                                            uintptr_t third, size_t fourth);
EXPORT cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph,
                                               const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to,
                                               const cudaGraphEdgeData *edges,
                                               size_t count);
EXPORT cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                               const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to,
                                               uintptr_t third, size_t fourth);
EXPORT cudaError_t cudaGraphRemoveDependencies_v2(
    cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
    const cudaGraphEdgeData *edges, size_t count);

/* graph/node_api.c */
EXPORT cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out,
                                         cudaGraph_t graph,
                                         const cudaGraphNode_t *after,
                                         size_t count);
EXPORT cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *out, cudaGraph_t graph,
                                       const cudaGraphNode_t *after,
                                       const cudaGraphEdgeData *edges,
                                       size_t count, cudaGraphNodeParams *p);
EXPORT cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                    const cudaGraphNode_t *after,
                                    uintptr_t fourth, uintptr_t fifth,
                                    cudaGraphNodeParams *sixth);
EXPORT cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node,
                                                   int what, const void *value);
EXPORT cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node,
                                                   int what, void *out);
EXPORT cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t first,
                                                     cudaGraphNode_t second);
EXPORT cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out,
                                          cudaGraph_t graph,
                                          const cudaGraphNode_t *after,
                                          size_t count,
                                          const cudaKernelNodeParams *p);
EXPORT cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out,
                                          cudaGraph_t graph,
                                          const cudaGraphNode_t *after,
                                          size_t count,
                                          const cudaMemcpy3DParms *p);
EXPORT cudaError_t cudaGraphAddMemcpyNode1D(
    cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *after,
    size_t count, void *to, const void *from, size_t size, cudaMemcpyKind kind);
EXPORT cudaError_t cudaGraphAddMemcpyNodeToSymbol(
    cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *after,
    size_t count, const void *symbol, const void *from, size_t size,
    size_t offset, cudaMemcpyKind kind);
EXPORT cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
    cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *after,
    size_t count, void *to, const void *symbol, size_t size, size_t offset,
    cudaMemcpyKind kind);
EXPORT cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out,
                                          cudaGraph_t graph,
                                          const cudaGraphNode_t *after,
                                          size_t count,
                                          const cudaMemsetParams *p);
EXPORT cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                        const cudaGraphNode_t *after,
                                        size_t count,
                                        const cudaHostNodeParams *p);
EXPORT cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out,
                                              cudaGraph_t graph,
                                              const cudaGraphNode_t *after,
                                              size_t count, cudaGraph_t child);
EXPORT cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out,
                                               cudaGraph_t graph,
                                               const cudaGraphNode_t *after,
                                               size_t count, cudaEvent_t event);
EXPORT cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out,
                                             cudaGraph_t graph,
                                             const cudaGraphNode_t *after,
                                             size_t count, cudaEvent_t event);
EXPORT cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out,
                                            cudaGraph_t graph,
                                            const cudaGraphNode_t *after,
                                            size_t count,
                                            cudaMemAllocNodeParams *p);
EXPORT cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out,
                                           cudaGraph_t graph,
                                           const cudaGraphNode_t *after,
                                           size_t count, void *at);
EXPORT cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                                cudaKernelNodeParams *out);
EXPORT cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                                cudaMemcpy3DParms *out);
EXPORT cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                                cudaMemsetParams *out);
EXPORT cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                              cudaHostNodeParams *out);
EXPORT cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node,
                                                   cudaGraph_t *out);
EXPORT cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node,
                                                    cudaEvent_t *out);
EXPORT cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node,
                                                  cudaEvent_t *out);
EXPORT cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                                  cudaMemAllocNodeParams *out);
EXPORT cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node,
                                                 void **out);
EXPORT cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                const cudaKernelNodeParams *p);
EXPORT cudaError_t cudaGraphExecKernelNodeSetParams(
    cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams *p);
EXPORT cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                const cudaMemcpy3DParms *p);
EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec,
                                                    cudaGraphNode_t node,
                                                    const cudaMemcpy3DParms *p);
EXPORT cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node,
                                                  void *to, const void *from,
                                                  size_t size,
                                                  cudaMemcpyKind kind);
EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParams1D(
    cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from,
    size_t size, cudaMemcpyKind kind);
EXPORT cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(
    cudaGraphNode_t node, const void *symbol, const void *from, size_t size,
    size_t offset, cudaMemcpyKind kind);
EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol,
    const void *from, size_t size, size_t offset, cudaMemcpyKind kind);
EXPORT cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(
    cudaGraphNode_t node, void *to, const void *symbol, size_t size,
    size_t offset, cudaMemcpyKind kind);
EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *symbol,
    size_t size, size_t offset, cudaMemcpyKind kind);
EXPORT cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                                const cudaMemsetParams *p);
EXPORT cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec,
                                                    cudaGraphNode_t node,
                                                    const cudaMemsetParams *p);
EXPORT cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                              const cudaHostNodeParams *p);
EXPORT cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec,
                                                  cudaGraphNode_t node,
                                                  const cudaHostNodeParams *p);
EXPORT cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node,
                                                    cudaEvent_t event);
EXPORT cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec,
                                                        cudaGraphNode_t node,
                                                        cudaEvent_t event);
EXPORT cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node,
                                                  cudaEvent_t event);
EXPORT cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec,
                                                      cudaGraphNode_t node,
                                                      cudaEvent_t event);
EXPORT cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
                                          cudaGraphNodeParams *p);
EXPORT cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec,
                                              cudaGraphNode_t node,
                                              cudaGraphNodeParams *p);
EXPORT cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec,
                                                        cudaGraphNode_t node,
                                                        cudaGraph_t child);

/* graph/instance.c */
EXPORT cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out,
                                                 cudaGraph_t graph,
                                                 unsigned long long flags);
EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph,
                                        uintptr_t third, char *log,
                                        size_t room);
EXPORT cudaError_t cudaGraphInstantiateWithParams(
    cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphInstantiateParams *p);
EXPORT cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
EXPORT cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec,
                                         unsigned long long *out);
EXPORT cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
EXPORT cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
EXPORT cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec,
                                           cudaGraphNode_t node, unsigned is);
EXPORT cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec,
                                           cudaGraphNode_t node, unsigned *out);
EXPORT cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       void *third,
                                       cudaGraphExecUpdateResult *fourth);

/* graph/user_object.c */
EXPORT cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *at,
                                        cudaHostFn_t destroy, unsigned count,
                                        unsigned flags);
EXPORT cudaError_t cudaUserObjectRetain(cudaUserObject_t object,
                                        unsigned count);
EXPORT cudaError_t cudaUserObjectRelease(cudaUserObject_t object,
                                         unsigned count);
EXPORT cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph,
                                             cudaUserObject_t object,
                                             unsigned count, unsigned flags);
EXPORT cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph,
                                              cudaUserObject_t object,
                                              unsigned count);

/* graph/dot.c */
EXPORT cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path,
                                          unsigned flags);

/* memory/graph_memory.c */
EXPORT cudaError_t cudaDeviceGetGraphMemAttribute(int number, int what,
                                                  void *out);
EXPORT cudaError_t cudaDeviceSetGraphMemAttribute(int number, int what,
                                                  void *value);
EXPORT cudaError_t cudaDeviceGraphMemTrim(int number);

#endif
