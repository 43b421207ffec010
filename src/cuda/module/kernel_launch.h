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

/* Checks the launch against kernel and device, and makes an operation of it.
 * Takes the parameters' values as they are. */
cudaError_t launch_op(const cu_launch *l, const cu_args *args, cu_device *d,
                      cu_op *op);
/* The launch of what the program gave, which may be no kernel. */
cudaError_t launch_of(const void *symbol, dim3 grid, dim3 block, size_t shared,
                      bool cooperative, cu_launch *l);
/* Puts it into the stream. */
cudaError_t launch_submit(const cu_launch *l, const cu_args *args,
                          cudaStream_t stream);
cudaError_t launch_symbol(const void *symbol, dim3 grid, dim3 block,
                          const cu_args *args, size_t shared,
                          cudaStream_t stream, bool cooperative);
/* The same of a configuration with attributes. */
cudaError_t launch_config(const cudaLaunchConfig_t *how, const void *symbol,
                          const cu_args *args);

#endif
