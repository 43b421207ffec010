/* workloads/opencl.h - what the host programs of the workloads share: options,
 * choice of the device, building, buffers, launching, comparing. Plain OpenCL
 * 1.2 that knows nothing of any implementation. Whatever goes wrong ends the
 * program with a message and status 1; what the device lacks, with 77. */
#ifndef OPENCL_H
#define OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

#include "tool/wl.h"
#include "tool/workload.h"

enum { OCL_PASS = 0, OCL_FAIL = 1, OCL_USAGE = 2, OCL_LACKS = 77 };

/* Puts a file, found along -I, into the program as the text ocl_source. */
#define OCL_SOURCE(file)                                                       \
    __asm__(".pushsection .rodata\n"                                           \
            ".globl ocl_source\n"                                              \
            ".hidden ocl_source\n"                                             \
            "ocl_source: .incbin \"" file "\"\n"                               \
            ".byte 0\n"                                                        \
            ".popsection\n");                                                  \
    extern const char ocl_source[]

typedef struct ocl ocl;

/* A host program: which problem it solves, with which kernels, and how. */
typedef struct ocl_program {
    const workload *problem; /* inputs, and results of the CPU */
    const char *source;
    unsigned sizes[3]; /* small, medium, large */
    void (*run)(ocl *o);
    /* What the device must have, or the program ends with 77. */
    bool images;
    const char *extensions[3];
    /* WL_KNOBS of them, those with a name; wl_get has the values. One that is
     * `units` and 0 becomes the device's compute units. NULL: none. */
    const wl_knob *knobs;
} ocl_program;

struct ocl {
    const char *name;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* in order */
    unsigned size;
    wl *data; /* of this repetition */
    /* The rest is of opencl.c. */
    cl_program program;
    struct ocl_object *objects;
    size_t checked;
    bool failed;
};

/* All of main(): 0 if every check passed, otherwise one of the above. */
int ocl_main(const ocl_program *p, int argc, char **argv);

/* ---- Objects, released when the repetition ends ---- */

cl_kernel ocl_kernel(ocl *o, const char *name);
/* As the problem calls it: with its input, or zeros. */
cl_mem ocl_buffer(ocl *o, const char *name);
cl_mem ocl_scratch(ocl *o, size_t bytes);
/* The same as a 2D image of one channel of floats. */
cl_mem ocl_image(ocl *o, const char *name);
cl_command_queue ocl_queue(ocl *o, cl_command_queue_properties how);

/* ---- Work ---- */

/* Sets all arguments: m cl_mem, u cl_uint, f float (given as double), s
 * cl_sampler, l bytes of local memory (size_t). */
void ocl_args(ocl *o, cl_kernel k, const char *types, ...);

/* Enqueues `global` items, rounded up to whole groups of `local`, in one
 * dimension or in two. */
void ocl_run(ocl *o, cl_kernel k, size_t global, size_t local);
void ocl_run2(ocl *o, cl_kernel k, const size_t global[2],
              const size_t local[2]);

#define OCL_2D(x, y) ((const size_t[2]){(x), (y)})

/* Waits for everything in o->queue. */
void ocl_finish(ocl *o);
void ocl_read(ocl *o, cl_mem m, void *to, size_t bytes);

/* Reads the buffer and compares with what the problem expects under `name`. */
void ocl_check(ocl *o, const char *name, cl_mem m);
void ocl_check_image(ocl *o, const char *name, cl_mem m);
/* The same for results that the host has. */
void ocl_compare(ocl *o, const char *name, const void *got);

/* All launches of the problem, in as many queues as it has streams, and
 * compares whatever is expected. Their numbers are cl_uint. */
void ocl_run_problem(ocl *o);

/* ---- Ends ---- */

/* Ends the program if `err` is an error. */
void ocl_ok(const ocl *o, cl_int err, const char *call);
/* Ends the program with 77 unless the device has so much local memory. */
void ocl_need_local(const ocl *o, size_t bytes);

#endif
