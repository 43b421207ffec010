#include "cuda/stream/op.h"

#include <stdlib.h>

#include "base/must.h"

void op_fini(cu_op *op)
{
    if (op->kind == CU_OP_LAUNCH)
        free(op->launch.params);
}

static drv_command *command_of(cu_stream *s, const cu_op *op)
{
    switch (op->kind) {
    case CU_OP_EMPTY:
        return drv_command_new(sizeof(drv_command), &s->q, drv_event_new(&s->q),
                               NULL);
    case CU_OP_COPY:
        return copy_command(s, &op->copy);
    case CU_OP_FILL:
        return fill_command(s, &op->fill);
    case CU_OP_LAUNCH:
        return launch_command(s, &op->launch);
    case CU_OP_HOST:
        return host_command(s, &op->host);
    }
    MUST(!"every value is above");
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
    if (code == cudaSuccess && done) {
        *done = s->last;
        drv_use(&s->last->o);
    }
    return code;
}

cudaError_t op_submit(cu_stream *s, cu_op *op)
{
    cudaError_t code = op_enqueue(s, op, NULL, 0, NULL);
    op_fini(op);
    return code;
}

cudaError_t op_wait(cu_stream *s, const cu_event *e)
{
    cu_op op = {.kind = CU_OP_EMPTY};

    if (!e->recorded)
        return cudaSuccess; /* never recorded: nothing to wait for */
    return op_enqueue(s, &op, &e->recorded, 1, NULL);
}
