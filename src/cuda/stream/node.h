/* src/cuda/stream/node.h - graphs: operations, each of which comes after some
 * of the others. What a stream captures becomes one; programs build others, and
 * those that can be launched are copies (graph/graph_exec.h). With the lock. */
#ifndef CUDA_STREAM_NODE_H
#define CUDA_STREAM_NODE_H

#include "cuda/stream/op.h"

typedef struct cu_node {
    drv_object o;
    struct cu_graph *graph;
    unsigned index; /* there */
    cu_op op;
    cu_device *device;
    cu_nodes after;      /* what it comes after */
    unsigned followers;  /* nodes that come after it */
    uint64_t number;     /* of all nodes of the process */
    uint64_t model;      /* of a copy: the number of what it was copied from */
    bool disabled;       /* of a graph to launch */
    unsigned char visit; /* of cu_graph_order and nodes_reach */
    void **args;         /* addresses of a kernel's parameters, which the
                            program has asked for */
    drv_event *done;     /* while its graph is put into streams */
} cu_node;

/* References to an object of the program. */
typedef struct cu_held {
    struct cu_held *next;
    struct cu_user_object *object;
    unsigned count;
} cu_held;

typedef struct cu_graph {
    drv_object o;
    cu_nodes nodes;  /* in the order in which they were made; owned */
    cu_nodes order;  /* of a graph to launch: each after what it comes after */
    cu_node *parent; /* of which it is the operation; NULL: of none */
    uint64_t model;  /* of a clone: the number of what it was made from */
    uint64_t number;
    bool hidden; /* programs have no handle of it, yet or as it is to launch */
    cu_held *held;
} cu_graph;

/* The graph of that handle, NULL: it is none, which was reported. */
cu_graph *cu_graph_get(cudaGraph_t handle, cudaError_t *code);
cu_node *node_get(cudaGraphNode_t handle, cudaError_t *code);
/* Adds these nodes, which have to be of the graph. */
cudaError_t nodes_get(const cu_graph *g, const cudaGraphNode_t *handles,
                      size_t count, cu_nodes *out);

/* NULL: no memory. */
cu_graph *cu_graph_new(void);
cu_graph *cu_graph_clone(const cu_graph *g); /* with the same order of nodes */
/* The node in a copy of the graph; NULL: it has none. */
cu_node *cu_graph_copied(const cu_graph *copy, const cu_node *of);

/* A node that comes after these. Takes over what the operation owns. */
cu_node *node_new(cu_graph *g, cu_op op, const cu_nodes *after, cu_device *d);
/* Takes it out of its graph. */
void node_remove(cu_node *n);
void node_set(cu_node *n, cu_op op); /* takes over what it owns */
/* False: it was, or was not, so before. */
bool node_add_edge(cu_node *from, cu_node *to);
bool node_remove_edge(cu_node *from, cu_node *to);

/* All nodes, each after what it comes after; false: there is a circle, of which
 * *in is a node. */
bool cu_graph_order(const cu_graph *g, cu_nodes *out, cu_node **in);
/* Are these what `from` are, or come after them, directly or not? */
bool nodes_reach(const cu_graph *g, const cu_nodes *from,
                 const cu_nodes *these);

/* graph/user_object.c: of what a graph holds. */
void held_use(const cu_graph *from, cu_graph *to);
void held_drop(cu_graph *g);

#endif
