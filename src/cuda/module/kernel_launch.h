/* src/cuda/module/kernel_launch.h - launches, from whatever API. With the lock.
 */
#ifndef CUDA_MODULE_KERNEL_LAUNCH_H
#define CUDA_MODULE_KERNEL_LAUNCH_H

#include "cuda/module/module.h"
#include "cuda/stream/op.h"

/* The values of a kernel's parameters: an address of each, or all of them as
 * the kernel reads them. */
typedef struct cu_args {
    void **each;
    const void *packed; /* NULL: `each` */
    size_t packed_bytes;
} cu_args;

/* Checks the launch against kernel and device, and puts it into the stream.
 * Takes the parameters' values as they are. */
cudaError_t launch_submit(const cu_launch *l, const cu_args *args,
                          cudaStream_t stream);
/* The same with what the program gave, which may be no kernel. */
cudaError_t launch_symbol(const void *symbol, dim3 grid, dim3 block,
                          const cu_args *args, size_t shared,
                          cudaStream_t stream, bool cooperative);

#endif
