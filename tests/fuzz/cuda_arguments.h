/* tests/fuzz/cuda_arguments.h - the words of cuda_calls.def: what a parameter
 * is given. */
#ifndef CUDA_ARGUMENTS_H
#define CUDA_ARGUMENTS_H

#include "cuda/driver_api/driver_functions.h"

/* By the harness: the next number of the input, 0..n-1. */
unsigned argument_below(unsigned n);

typedef enum argument_kind {
    STREAM,
    EVENT,
    GRAPH,
    NODE,
    EXEC,
    FUNCTION,
    KERNEL,
    MODULE,
    LIBRARY,
    CONTEXT,
    POOL,
    ARRAY,
    MIPMAP,
    LINK,
    USER_OBJECT,
    ARGUMENT_KINDS
} argument_kind;

enum { ARGUMENT_SYMBOLS = 4, ARGUMENT_IMAGES = 3 };

/* Both are borrowed. */
void arguments_init(const void *const *symbols, const void *const *images);
void arguments_begin(void); /* of another call */
void arguments_end(void);   /* destroys all that it has handles of */

void *argument_handle(argument_kind kind);
void *argument_new(argument_kind kind);
void *argument_bytes(void);
void *argument_new_bytes(void);
size_t argument_span(void);
int argument_small(void);
void *argument_answer(void);
void *argument_room(void);
void *argument_nodes(void);
void *argument_record(void);
void *argument_symbol(void);
const void *argument_image(void);
const char *argument_text(void);
const char *argument_path(void);
void **argument_list(void);  /* of parameters of a kernel */
void **argument_extra(void); /* the same */
const int *argument_options(void);
unsigned long long argument_number(void);
void *argument_new_number(void);
unsigned argument_edge(void); /* of a grid or block */
void *argument_host_function(void);

dim3 argument_dim3(void);
cudaExtent argument_extent(void);
cudaPitchedPtr argument_pitched(void);
cudaMemLocation argument_location(void);
size_t argument_granules(void); /* of mapped memory, bytes */
CUmemAllocationProp *argument_properties(void);
CUmemAccessDesc *argument_access(void);
cudaChannelFormatDesc *argument_format(void);
cudaMemcpy3DParms *argument_box(void);
cudaMemcpy3DPeerParms *argument_peer_box(void);
CUDA_MEMCPY2D *argument_box2(void);
CUDA_MEMCPY3D *argument_box3(void);
CUDA_KERNEL_NODE_PARAMS_v2 *argument_kernel(void);
cudaMemsetParams *argument_fill(void);
cudaHostNodeParams *argument_host_node(void);
cudaMemAllocNodeParams *argument_alloc(void);
cudaGraphNodeParams *argument_node(void);
cudaResourceDesc *argument_resource(void);
cudaTextureDesc *argument_sampler(void);
cudaResourceViewDesc *argument_view(void);
textureReference *argument_reference(void);
cudaLaunchConfig_t *argument_launch(void);
CUlaunchConfig *argument_driver_launch(void);

#define HANDLE(kind)  argument_handle(kind)
#define NEW(kind)     argument_new(kind)
#define BYTES         argument_bytes()
#define ADDRESS       ((CUdeviceptr)(uintptr_t)argument_bytes())
#define NEW_BYTES     argument_new_bytes()
#define SPAN          argument_span()
#define SMALL         argument_small()
#define COUNT         argument_below(5)
#define ANSWER        argument_answer()
#define ANSWERS       argument_list()
#define ROOM          argument_room()
#define NODES         argument_nodes()
#define NODES_NUMBER  ((uintptr_t)argument_nodes())
#define RECORD        argument_record()
#define RECORD_OUT    argument_record()
#define SYMBOL        argument_symbol()
#define IMAGE         (void *)(uintptr_t)argument_image()
#define TEXT          argument_text()
#define PATH          argument_path()
#define ARGUMENTS     argument_list()
#define EXTRA         argument_extra()
#define OPTIONS       argument_options()
#define OPTIONS_OUT   (int *)(uintptr_t)argument_options()
#define OPTION_VALUES argument_list()
#define NUMBER_HANDLE argument_number()
#define NEW_NUMBER    argument_new_number()
#define EDGE          argument_edge()
#define CALLBACK      argument_host_function()
#define SHARED_OF     NULL
#define NONE          NULL
#define HOST_FUNCTION argument_host_function()

#define DIM3             argument_dim3()
#define EXTENT           argument_extent()
#define PITCHED          argument_pitched()
#define LOCATION         argument_location()
#define GRANULES         argument_granules()
#define PROPERTIES       argument_properties()
#define ACCESS           argument_access()
#define PLACE            (&argument_access()->location)
#define FORMAT           argument_format()
#define BOX              argument_box()
#define PEER_BOX         argument_peer_box()
#define BOX2             argument_box2()
#define BOX3             argument_box3()
#define KERNEL_PARAMS    (void *)argument_kernel()
#define KERNEL_PARAMS_V2 argument_kernel()
#define FILL_PARAMS      argument_fill()
#define HOST_PARAMS      argument_host_node()
#define ALLOC_PARAMS     argument_alloc()
#define NODE_PARAMS      argument_node()
#define RESOURCE         argument_resource()
#define SAMPLER          argument_sampler()
#define VIEW             argument_view()
#define REFERENCE        (void *)argument_reference()
#define LAUNCH           argument_launch()
#define DRIVER_LAUNCH    argument_driver_launch()

#endif
