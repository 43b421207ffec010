/* src/opencl/device.h - the devices, one per configuration. */
#ifndef OPENCL_DEVICE_H
#define OPENCL_DEVICE_H

#include "opencl/opencl.h"

/* Adds a device to the platform while it is made. False: no memory. */
bool device_add(ocl_state *s, const char *name, const config *cfg);
/* Makes their memory, which all of them share, and the simulated GPUs. False:
 * the error is in `dg`. */
bool devices_start(ocl_state *s, const rt_options *opt, diag *dg);

#endif
