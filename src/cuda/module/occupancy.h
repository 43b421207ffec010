/* src/cuda/module/occupancy.h - how many blocks an SM holds, as the machine
 * itself counts it. */
#ifndef CUDA_MODULE_OCCUPANCY_H
#define CUDA_MODULE_OCCUPANCY_H

#include "cuda/door.h"

/* Blocks of so many threads and bytes of dynamic shared memory; 0: not one. */
unsigned occupancy_of(const cu_device *d, const isa_kernel *k, unsigned threads,
                      uint32_t shared, int carveout);

#endif
