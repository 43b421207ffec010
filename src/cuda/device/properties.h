/* src/cuda/device/properties.h - what programs can ask of a device. */
#ifndef CUDA_DEVICE_PROPERTIES_H
#define CUDA_DEVICE_PROPERTIES_H

#include "cuda/door.h"
#include "cuda/generation.h"

/* The attribute of that number; false: there is none. */
bool device_attribute(const cu_device *d, int number, int64_t *value);

/* 16 bytes, which no other device of the process has. */
void device_uuid(const cu_device *d, void *to);

/* Fills in a struct cudaDeviceProp of that generation. */
void device_properties(const cu_device *d, cu_generation g, void *to);

#endif
