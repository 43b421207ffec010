/* src/cuda/device/device_limits.h - what cudaDeviceSetLimit sets, of each
 * device. */
#ifndef CUDA_DEVICE_DEVICE_LIMITS_H
#define CUDA_DEVICE_DEVICE_LIMITS_H

#include "cuda/door.h"

/* Those that a device has at first: of heddle exec's options, or CUDA's. */
void device_limits_start(cu_device *d);
/* Those again, and the heap of malloc in kernels is gone. Nothing may be on its
 * way on the device. */
void device_limits_reset(cu_device *d);

#endif
