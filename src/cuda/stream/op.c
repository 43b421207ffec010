#include "cuda/stream/op.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"
#include "cuda/stream/capture.h"
#include "cuda/stream/node.h"

void op_fini(cu_op *op)
{
    switch (op->kind) {
    case CU_OP_LAUNCH:
        free(op->launch.params);
        break;
    case CU_OP_RECORD:
    case CU_OP_WAIT:
        drv_drop(&op->event->o);
        break;
    case CU_OP_ALLOC:
        drv_drop(graph_memory_object(op->memory));
        break;
    case CU_OP_GRAPH:
        drv_release(&op->graph->o);
        break;
    case CU_OP_EMPTY:
    case CU_OP_COPY:
    case CU_OP_FILL:
    case CU_OP_HOST:
    case CU_OP_FREE:
        break;
    }
    op->kind = CU_OP_EMPTY;
}

cu_op op_copy(const cu_op *op)
{
    cu_op copy = *op;

    switch (op->kind) {
    case CU_OP_LAUNCH:
        copy.launch.params = new_copy((const char *)op->launch.params,
                                      op->launch.param_bytes + 1, 1);
        break;
    case CU_OP_RECORD:
    case CU_OP_WAIT:
        drv_use(&op->event->o);
        break;
    case CU_OP_ALLOC:
        drv_use(graph_memory_object(op->memory));
        break;
    case CU_OP_GRAPH:
        copy.graph = cu_graph_clone(op->graph);
        break;
    case CU_OP_EMPTY:
    case CU_OP_COPY:
    case CU_OP_FILL:
    case CU_OP_HOST:
    case CU_OP_FREE:
        break;
    }
    return copy;
}

static drv_command *empty_command(cu_stream *s)
{
    return drv_command_new(sizeof(drv_command), &s->q, drv_event_new(&s->q),
                           NULL);
}

/* An event that was never recorded is nothing to wait for. */
static drv_command *wait_command(cu_stream *s, const cu_event *e)
{
    drv_command *c = empty_command(s);

    if (c && e->recorded)
        drv_command_wait(c, e->recorded);
    return c;
}

static drv_command *command_of(cu_stream *s, const cu_op *op)
{
    switch (op->kind) {
    case CU_OP_EMPTY:
    case CU_OP_RECORD:
        return empty_command(s);
    case CU_OP_WAIT:
        return wait_command(s, op->event);
    case CU_OP_COPY:
        return copy_command(s, &op->copy);
    case CU_OP_FILL:
        return fill_command(s, &op->fill);
    case CU_OP_LAUNCH:
        return launch_command(s, &op->launch);
    case CU_OP_HOST:
        return host_command(s, &op->host);
    case CU_OP_FREE:
        return free_command(s, op->freed);
    case CU_OP_ALLOC:
        return alloc_command(s, op->memory);
    case CU_OP_GRAPH:
        break; /* a launch of it has commands for its nodes */
    }
    MUST(!"an operation that is one command");
}

cudaError_t op_enqueue(cu_stream *s, const cu_op *op, drv_event *const *waits,
                       unsigned wait_count, drv_event **done)
{
    drv_command *c = command_of(s, op);

    if (!c)
        return cu_fail(cudaErrorMemoryAllocation, "no memory for a command");
    for (unsigned i = 0; i < wait_count; i++)
        drv_command_wait(c, waits[i]);
    cudaError_t code = stream_put(s, c);
    if (code == cudaSuccess && op->kind == CU_OP_RECORD)
        event_set(op->event, s->last);
    if (code == cudaSuccess && done) {
        *done = s->last;
        drv_use(&s->last->o);
    }
    return code;
}

cudaError_t op_submit(cu_stream *s, cu_op *op)
{
    if (s->capture)
        return capture_op(s, op);
    cudaError_t code = op_enqueue(s, op, NULL, 0, NULL);
    op_fini(op);
    return code;
}
