/* workloads/opencl.h - the rig of OpenCL 1.2, for programs that need more of it
 * than rig.h has: its objects, which are behind those of rig.h. */
#ifndef OPENCL_H
#define OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include "rig.h"

typedef struct rig_device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue; /* in order */
    cl_program program;
    cl_sampler sampler; /* linear; NULL until it is needed */
} rig_device;

static inline cl_kernel ocl_kernel(dev_kernel k) { return (cl_kernel)k; }
static inline cl_mem ocl_memory(dev_memory m) { return (cl_mem)m; }

/* Released when the repetition ends. */
cl_command_queue ocl_queue(rig *o, cl_command_queue_properties how);
/* Waits for everything in the queue. */
void ocl_finish(rig *o);
/* Ends the program if `err` is an error. */
void ocl_ok(const rig *o, cl_int err, const char *call);

#endif
