/* cudaGraphDebugDotPrint. */
#include <inttypes.h>
#include <stdio.h>

#include "cuda/module/module.h"
#include "cuda/stream/node.h"

static const char *const kinds[] = {
    [CU_OP_EMPTY] = "empty", [CU_OP_COPY] = "copy", [CU_OP_FILL] = "fill",
    [CU_OP_LAUNCH] = NULL,   [CU_OP_HOST] = "host", [CU_OP_RECORD] = "record",
    [CU_OP_WAIT] = "wait",   [CU_OP_FREE] = "free", [CU_OP_ALLOC] = "alloc",
    [CU_OP_GRAPH] = "graph",
};

static void print_graph(FILE *f, const cu_graph *g)
{
    for (unsigned i = 0; i < g->nodes.count; i++) {
        const cu_node *n = g->nodes.at[i];

        fprintf(f, "  n%" PRIu64 " [label=\"%u: %s\"];\n", n->number, i,
                n->op.kind == CU_OP_LAUNCH ? n->op.launch.function->name
                                           : kinds[n->op.kind]);
        for (unsigned j = 0; j < n->after.count; j++)
            fprintf(f, "  n%" PRIu64 " -> n%" PRIu64 ";\n",
                    n->after.at[j]->number, n->number);
        if (n->op.kind != CU_OP_GRAPH)
            continue;
        fprintf(f, "  subgraph cluster_%" PRIu64 " { label=\"graph of %u\";\n",
                n->number, i);
        print_graph(f, n->op.graph);
        fputs("  }\n", f);
    }
}

EXPORT cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path,
                                          unsigned flags)
{
    CUDA_CALL();
    cudaError_t code;
    const cu_graph *g = cu_graph_get(graph, &code);

    (void)flags; /* more details */
    if (!g)
        return code;
    FILE *f = path ? fopen(path, "w") : NULL;
    if (!f)
        return cu_fail(cudaErrorOperatingSystem, "%s cannot be written",
                       path ? path : "no file");
    fputs("digraph graph_ {\n", f);
    print_graph(f, g);
    fputs("}\n", f);
    if (fclose(f))
        return cu_fail(cudaErrorOperatingSystem, "%s cannot be written", path);
    return cudaSuccess;
}
