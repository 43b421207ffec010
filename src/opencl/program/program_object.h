/* src/opencl/program/program_object.h - programs and kernels of the OpenCL
 * driver, and what their files share. Part of opencl.h; a file of its own
 * because queues and memory need nothing of it. */
#ifndef OPENCL_PROGRAM_PROGRAM_OBJECT_H
#define OPENCL_PROGRAM_PROGRAM_OBJECT_H

#include "driver/kernel_command.h"
#include "opencl/opencl.h"
#include "opencl/program/compile.h"
#include "opencl/program/kernel_info.h"

/* What came of a program for one device. */
typedef struct ocl_build {
    cl_device_id device;
    cl_build_status status;
    cl_program_binary_type type;
    char *options; /* as given, owned; NULL: none */
    char *log;     /* owned; NULL: empty */
    char *code;    /* PTX of an executable, bitcode of an object or library;
                      owned, NULL: none */
    size_t code_size;
    kernel_infos *infos;   /* owned; NULL: not looked for */
    bool infos_sought;     /* in vain, if there are none */
    bool arg_info;         /* clGetKernelArgInfo is available */
    compile_traits traits; /* of an object or library */
    char *binary;          /* for clGetProgramInfo, owned; NULL: not made yet */
    size_t binary_size;
    drv_module loaded; /* module NULL: not executable */
} ocl_build;

struct _cl_program {
    ocl_object base;
    cl_context context;
    uint64_t number;   /* of the process, from 1 */
    char *name;        /* "program 1" */
    char *source;      /* NULL: from binaries */
    ocl_build *builds; /* one per device */
    unsigned build_count;
    /* What the source may contain, for which its declarations must be
     * parsed. */
    bool attributes, sizes, images;
    unsigned kernels; /* living kernel objects: it cannot be built again */
    bool held;        /* a thread works on it without the lock */
};

/* A program of that context for these devices; NULL: no memory. */
cl_program program_new(cl_context c, const cl_device_id *devices, unsigned n);
/* NULL: it is not for that device. */
ocl_build *program_build_for(cl_program p, cl_device_id d);
/* Notes what a source or its options may have: attributes, sizes, images. */
void program_look_through(cl_program p, const char *text);
/* Takes code, infos, log, options and module away. */
void program_build_clear(ocl_build *b);
/* The kernel among those of the program's executables; `b`, which may be
 * NULL, gets the build. NULL: there is none. */
const isa_kernel *program_kernel(cl_program p, const char *name, ocl_build **b);

/* The log of a build that failed, from its first error on; "" if none did. */
const char *program_log(cl_program p);

/* Between these no other thread changes the program, and the lock may be given
 * back. Waits until no other thread holds it. */
void program_hold(cl_program p);
void program_let_go(cl_program p);

/* The declarations of the kernels; NULL if unknown. May run the compiler, for
 * which it gives the lock back for a while. */
const kernel_infos *program_infos(cl_program p, ocl_build *b);

/* ---- Kernels ---- */

typedef enum ocl_param { /* what an argument's parameter takes */
                         OCL_PARAM_VALUE,
                         OCL_PARAM_LOCAL,  /* a size */
                         OCL_PARAM_OBJECT, /* memory object or sampler; or an
                                              SVM pointer */
} ocl_param;

/* One argument as set. It does not keep objects alive: their callbacks come
 * when the program has released them [OCL30:clSetKernelArg]. */
typedef struct ocl_arg {
    bool set;
    uint8_t *bytes;     /* of a value or an SVM pointer, owned; else NULL */
    size_t size;        /* of the value, or of local memory */
    cl_mem mem;         /* uses it; NULL: none */
    cl_sampler sampler; /* uses it; NULL: none */
} ocl_arg;

struct _cl_kernel {
    ocl_object base;
    cl_program program;
    cl_context context;
    char *name;
    const isa_kernel *code; /* of the first device that has it; all have the
                               same parameters */
    unsigned arg_count;
    ocl_arg *args;
};

/* The code of the kernel on a device; NULL: none. */
const isa_kernel *kernel_code(cl_kernel k, cl_device_id d, drv_module *m);
ocl_param kernel_param(const struct _cl_kernel *k, unsigned i);
/* Most work-items that a work-group of it can have. */
unsigned kernel_max_threads(const isa_kernel *code, cl_device_id d);
/* reqd_work_group_size and work_group_size_hint; false and 0s: not given. May
 * run the compiler like program_infos. */
bool kernel_required(cl_kernel k, size_t size[3]);
bool kernel_hint(cl_kernel k, size_t size[3]);
/* Local memory: static, and of the arguments that are set so far; `at`, which
 * may be NULL, gets the offset of each argument's. */
uint64_t kernel_local_bytes(const struct _cl_kernel *k, const isa_kernel *code,
                            uint32_t *at);

#endif
