/* src/opencl/program.h - programs and kernels of the OpenCL driver.
 * Part of opencl.h; a file of its own because queues and memory need nothing
 * of it. */
#ifndef OPENCL_PROGRAM_H
#define OPENCL_PROGRAM_H

#include "opencl/opencl.h"

/* What came of a program for one device. */
typedef struct ocl_build {
    cl_device_id device;
    cl_build_status status;
    cl_program_binary_type type;
    char *options; /* as given, owned */
    char *log;     /* owned, NULL: empty */
    char *binary;  /* PTX, or bitcode of a library or of what was compiled */
    size_t binary_size;
    rt_module *module;       /* NULL unless it is executable */
    uint32_t session_module; /* its number there, 0: not told yet */
} ocl_build;

struct _cl_program {
    ocl_object base;
    cl_context context;
    char *source;      /* NULL: from binaries */
    ocl_build *builds; /* one per device */
    unsigned build_count;
    unsigned kernels; /* living kernel objects: it cannot be built again */
    bool building;
};

/* One argument as set. */
typedef struct ocl_arg {
    bool set;
    uint8_t *bytes; /* of a value or handle, owned; NULL: local memory */
    size_t size;    /* of the value, or of local memory */
    cl_mem mem;     /* uses it; NULL: none */
    cl_sampler sampler;
} ocl_arg;

struct _cl_kernel {
    ocl_object base;
    cl_program program;
    cl_context context;
    char *name;
    unsigned arg_count;
    ocl_arg *args;
    struct ocl_arg_info *infos; /* names, types; NULL: not asked for yet */
};

/* The code of the kernel on a device; NULL: none. */
const isa_kernel *kernel_code(cl_kernel k, cl_device_id d, rt_module **module);

#endif
