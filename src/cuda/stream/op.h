/* src/cuda/stream/op.h - operations: what a stream can be given.
 * With the lock. */
#ifndef CUDA_STREAM_OP_H
#define CUDA_STREAM_OP_H

#include "cuda/stream/stream.h"

struct cu_function;
struct cu_graph;
struct cu_graph_memory;

/* One side of a copy: bytes, or texels of an array. */
typedef struct cu_side {
    uint8_t *bytes;      /* its first byte; NULL: in an array */
    size_t pitch, slice; /* bytes from a row and a slice to the next */
    struct cu_array *array;
    size_t x, y, z; /* there; x in bytes */
} cu_side;

/* A box of `width` bytes, `height` rows, `depth` slices. */
typedef struct cu_copy {
    cu_side from, to;
    size_t width, height, depth;
    drv_engine engine;   /* DRV_READS, ...; DRV_NONE: from host to host */
    cudaMemcpyKind kind; /* as the program called it */
} cu_copy;

/* The same, filled with a value of 1, 2 or 4 bytes. */
typedef struct cu_fill {
    cu_side to;
    uint32_t value;
    unsigned unit;
    size_t width, height, depth; /* width in bytes */
} cu_fill;

typedef struct cu_launch {
    struct cu_function *function;
    const void *symbol; /* what the program calls it */
    uint32_t grid[3], block[3];
    uint32_t shared_bytes; /* dynamic */
    uint32_t cga[3]; /* CTAs of a thread-block cluster; 0: as the kernel says */
    bool cooperative;
    bool dependent;   /* may begin beside the one before */
    exec_hints hints; /* no window: that of the stream */
    void *params;     /* as the kernel reads them; the operation's own */
    size_t param_bytes;
} cu_launch;

typedef struct cu_host_call {
    cudaHostFn_t call; /* or */
    cudaStreamCallback_t callback;
    cudaStream_t stream; /* which that is told */
    void *data;
} cu_host_call;

typedef enum cu_op_kind {
    CU_OP_EMPTY,
    CU_OP_COPY,
    CU_OP_FILL,
    CU_OP_LAUNCH,
    CU_OP_HOST,
    CU_OP_RECORD, /* of an event */
    CU_OP_WAIT,   /* for an event */
    CU_OP_FREE,
    CU_OP_ALLOC, /* only in graphs, as is */
    CU_OP_GRAPH, /* a whole graph */
} cu_op_kind;

typedef struct cu_op {
    cu_op_kind kind;
    union {
        cu_copy copy;
        cu_fill fill;
        cu_launch launch;
        cu_host_call host;
        cu_event *event;                /* used by the operation */
        struct cu_graph_memory *memory; /* CU_OP_ALLOC; used, too */
        void *freed;
        struct cu_graph *graph; /* the operation's own */
    };
} cu_op;

/* The stream does it; while it captures, it becomes a node. Takes over what the
 * operation owns. */
cudaError_t op_submit(cu_stream *s, cu_op *op);
/* The same after these events too, without taking anything over; *done, if
 * wanted, is its event, which the caller drops. */
cudaError_t op_enqueue(cu_stream *s, const cu_op *op, drv_event *const *waits,
                       unsigned wait_count, drv_event **done);
/* Frees what it owns. */
void op_fini(cu_op *op);
/* Another one that does the same. */
cu_op op_copy(const cu_op *op);

/* The command of each kind, NULL: no memory. */
drv_command *copy_command(cu_stream *s, const cu_copy *c);
drv_command *fill_command(cu_stream *s, const cu_fill *f);
drv_command *launch_command(cu_stream *s, const cu_launch *l);
drv_command *host_command(cu_stream *s, const cu_host_call *h);
drv_command *free_command(cu_stream *s, void *at);
drv_command *alloc_command(cu_stream *s, struct cu_graph_memory *m);
drv_object *graph_memory_object(struct cu_graph_memory *m);

#endif
