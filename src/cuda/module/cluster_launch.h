/* src/cuda/module/cluster_launch.h - thread-block clusters of launches. With
 * the lock. */
#ifndef CUDA_MODULE_CLUSTER_LAUNCH_H
#define CUDA_MODULE_CLUSTER_LAUNCH_H

#include "cuda/module/module.h"
#include "cuda/stream/op.h"

/* The launch asks for clusters of so many blocks. */
cudaError_t cga_set(cu_launch *l, dim3 cga);

/* Can it have its clusters, or those of its kernel, where `each` blocks fit an
 * SM? Else *code says why not. */
bool cga_fits(const cu_launch *l, const isa_kernel *k, const config *c,
              unsigned each, cudaError_t *code);

#endif
