#include "cuda/graph/node_params.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/memory/array.h"
#include "cuda/memory/copy.h"
#include "cuda/memory/graph_memory.h"
#include "cuda/module/kernel_launch.h"
#include "cuda/module/symbol.h"

/* ---- Kernels ---- */

enum { /* in `extra`: what the next one is */
       EXTRA_END,
       EXTRA_BUFFER,
       EXTRA_SIZE,
       EXTRA_MOST = 8,
};

static cu_args args_of(const cudaKernelNodeParams *p)
{
    cu_args a = {.each = p->kernelParams};

    for (unsigned i = 0; p->extra && !a.each && i < EXTRA_MOST; i += 2) {
        uintptr_t what = (uintptr_t)p->extra[i];

        if (what == EXTRA_END)
            break;
        if (what == EXTRA_BUFFER)
            a.packed = p->extra[i + 1];
        if (what == EXTRA_SIZE)
            a.packed_bytes = *(const size_t *)p->extra[i + 1];
    }
    return a;
}

cudaError_t kernel_op(const cudaKernelNodeParams *p, cu_op *op)
{
    cu_launch l;

    if (!p)
        return cu_fail(cudaErrorInvalidValue, "there are no parameters");
    cu_args args = args_of(p);
    cudaError_t code = launch_of(p->func, p->gridDim, p->blockDim,
                                 p->sharedMemBytes, false, &l);
    return code == cudaSuccess ? launch_op(&l, &args, cu_current(), op) : code;
}

cudaError_t kernel_params(cu_node *n, cudaKernelNodeParams *out)
{
    const cu_launch *l = &n->op.launch;
    cudaError_t code;
    const isa_kernel *k = function_code(l->function, n->device, &code);

    if (!k)
        return code;
    if (!n->args) {
        n->args = new0(k->param_count + 1u, sizeof *n->args);
        for (unsigned i = 0; i < k->param_count; i++)
            n->args[i] = (char *)l->params + k->params[i].offset;
    }
    *out = (cudaKernelNodeParams){
        .func = (void *)(uintptr_t)(l->symbol ? l->symbol : l->function),
        .gridDim = {l->grid[0], l->grid[1], l->grid[2]},
        .blockDim = {l->block[0], l->block[1], l->block[2]},
        .sharedMemBytes = l->shared_bytes,
        .kernelParams = n->args};
    return cudaSuccess;
}

/* ---- Copies and fills ---- */

static cudaError_t copy_op(const cu_copy *c, cudaMemcpyKind kind, cu_op *op)
{
    *op = (cu_op){.kind = CU_OP_COPY, .copy = *c};
    if (!c->width || !c->height || !c->depth)
        return cu_fail(cudaErrorInvalidValue,
                       "a copy of %zu x %zu x %zu bytes is nothing", c->width,
                       c->height, c->depth);
    return copy_check(&op->copy, kind);
}

cudaError_t box_op(const cudaMemcpy3DParms *p, cu_op *op)
{
    cu_copy c;
    cudaError_t code = copy_of_box(p, &c);

    return code == cudaSuccess ? copy_op(&c, p->kind, op) : code;
}

cudaError_t bytes_op(void *to, const void *from, size_t count,
                     cudaMemcpyKind kind, cu_op *op)
{
    cu_copy c = copy_bytes_of(to, from, count);

    return copy_op(&c, kind, op);
}

cudaError_t symbol_op(const void *symbol, size_t offset, const void *other,
                      size_t count, bool to_symbol, cudaMemcpyKind kind,
                      cu_op *op)
{
    cu_copy c;
    cudaError_t code = symbol_copy(symbol, offset, other, count, to_symbol, &c);

    return code == cudaSuccess ? copy_op(&c, kind, op) : code;
}

static void side_params(const cu_side *s, const cu_copy *c, cudaArray_t *array,
                        cudaPos *at, cudaPitchedPtr *in)
{
    *array = s->array;
    if (s->array)
        *at = (cudaPos){s->x / array_element(s->array), s->y, s->z};
    else
        *in = (cudaPitchedPtr){s->bytes, s->pitch, c->width,
                               s->pitch ? s->slice / s->pitch : 0};
}

void box_params(const cu_copy *c, cudaMemcpy3DParms *out)
{
    cu_array *array = c->from.array ? c->from.array : c->to.array;

    memset(out, 0, sizeof *out);
    side_params(&c->from, c, &out->srcArray, &out->srcPos, &out->srcPtr);
    side_params(&c->to, c, &out->dstArray, &out->dstPos, &out->dstPtr);
    out->extent = (cudaExtent){c->width / (array ? array_element(array) : 1),
                               c->height, c->depth};
    out->kind = c->kind;
}

cudaError_t fill_op(const cudaMemsetParams *p, cu_op *op)
{
    if (!p ||
        (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return cu_fail(cudaErrorInvalidValue,
                       "elements to fill have 1, 2 or 4 bytes");
    size_t width = p->width * p->elementSize;
    size_t pitch = p->height > 1 ? p->pitch : width;
    if (!p->width || !p->height || pitch < width)
        return cu_fail(cudaErrorInvalidValue,
                       "%zu rows of %zu bytes with a pitch of %zu", p->height,
                       width, pitch);
    *op = (cu_op){.kind = CU_OP_FILL,
                  .fill = {.to = side_rows(p->dst, pitch, pitch * p->height),
                           .value = p->value,
                           .unit = p->elementSize,
                           .width = width,
                           .height = p->height,
                           .depth = 1}};
    return fill_check(&op->fill);
}

void fill_params(const cu_fill *f, cudaMemsetParams *out)
{
    *out = (cudaMemsetParams){.dst = f->to.bytes,
                              .pitch = f->to.pitch,
                              .value = f->value,
                              .elementSize = f->unit,
                              .width = f->width / f->unit,
                              .height = f->height};
}

/* ---- The others ---- */

cudaError_t host_op(const cudaHostNodeParams *p, cu_op *op)
{
    if (!p || !p->fn)
        return cu_fail(cudaErrorInvalidValue, "there is no function to call");
    *op = (cu_op){.kind = CU_OP_HOST,
                  .host = {.call = p->fn, .data = p->userData}};
    return cudaSuccess;
}

cudaError_t child_op(cudaGraph_t graph, cu_op *op)
{
    cudaError_t code;
    const cu_graph *g = cu_graph_get(graph, &code);

    if (!g)
        return code;
    for (unsigned i = 0; i < g->nodes.count; i++)
        if (g->nodes.at[i]->op.kind == CU_OP_ALLOC ||
            g->nodes.at[i]->op.kind == CU_OP_FREE)
            return cu_fail(cudaErrorNotSupported,
                           "a graph whose nodes allocate or free memory is no "
                           "child");
    *op = (cu_op){.kind = CU_OP_GRAPH, .graph = cu_graph_clone(g)};
    op->graph->hidden = true;
    return cudaSuccess;
}

cudaError_t event_op(cu_op_kind kind, cudaEvent_t event, cu_op *op)
{
    cu_event *e = event_get(event);

    if (!e)
        return cudaErrorInvalidResourceHandle;
    drv_use(&e->o);
    *op = (cu_op){.kind = kind, .event = e};
    return cudaSuccess;
}

cudaError_t alloc_op(cudaMemAllocNodeParams *p, cu_op *op)
{
    cu_device *d = p ? device_get(p->poolProps.location.id) : NULL;
    cudaError_t code;

    if (!p || !p->bytesize)
        return cu_fail(cudaErrorInvalidValue, "there are no bytes to allocate");
    if (!d)
        return cudaErrorInvalidDevice;
    cu_graph_memory *m = graph_memory_new(d, p->bytesize, &code);
    if (!m)
        return code;
    p->dptr = (void *)(uintptr_t)m->addr;
    *op = (cu_op){.kind = CU_OP_ALLOC, .memory = m};
    return cudaSuccess;
}

void alloc_params(const cu_node *n, cudaMemAllocNodeParams *out)
{
    enum { PINNED = 1, ON_DEVICE = 1 };
    const cu_graph_memory *m = n->op.memory;

    *out = (cudaMemAllocNodeParams){
        .poolProps = {.allocType = PINNED,
                      .location = {ON_DEVICE, m->device->number}},
        .bytesize = m->size,
        .dptr = (void *)(uintptr_t)m->addr};
}

cudaError_t free_op(void *at, cu_op *op)
{
    const cu_range *r = range_at(at);

    if (!r || !r->graph)
        return cu_fail(cudaErrorInvalidValue,
                       "%p was not allocated by a node of a graph", at);
    *op = (cu_op){.kind = CU_OP_FREE, .freed = at};
    return cudaSuccess;
}

cudaError_t params_op(cudaGraphNodeParams *p, cu_op *op)
{
    if (!p)
        return cu_fail(cudaErrorInvalidValue, "there are no parameters");
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return kernel_op(&p->kernel, op);
    case cudaGraphNodeTypeMemcpy:
        return box_op(&p->memcpy.copyParams, op);
    case cudaGraphNodeTypeMemset:
        return fill_op(&p->memset, op);
    case cudaGraphNodeTypeHost:
        return host_op(&p->host, op);
    case cudaGraphNodeTypeGraph:
        return child_op(p->graph, op);
    case cudaGraphNodeTypeEmpty:
        *op = (cu_op){.kind = CU_OP_EMPTY};
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        return event_op(CU_OP_WAIT, p->event, op);
    case cudaGraphNodeTypeEventRecord:
        return event_op(CU_OP_RECORD, p->event, op);
    case cudaGraphNodeTypeMemAlloc:
        return alloc_op(&p->alloc, op);
    case cudaGraphNodeTypeMemFree:
        return free_op(p->freed, op);
    case cudaGraphNodeTypeConditional:
        return cu_fail(cudaErrorNotSupported, "there are no conditional nodes");
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
        return cu_fail(cudaErrorNotSupported,
                       "there are no semaphores of other APIs");
    }
    return cu_fail(cudaErrorInvalidValue, "%d is no type of nodes",
                   (int)p->type);
}
