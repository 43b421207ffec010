/* src/opencl/device.h - the devices of the platform. */
#ifndef OPENCL_DEVICE_H
#define OPENCL_DEVICE_H

#include "opencl/opencl.h"

/* Makes handles to the devices of the process. False: no memory. */
bool devices_add(ocl_state *s);

#endif
