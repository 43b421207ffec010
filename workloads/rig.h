/* workloads/rig.h - what the host programs of the workloads share: options,
 * choice of the device, kernels, buffers, launching, comparing. A program is
 * compiled once for each API: with opencl.c, and if it has a kernel.cu with
 * cuda.c and -DRIG_CUDA. Neither knows anything of an implementation. Whatever
 * goes wrong ends the program with a message and status 1; what the device
 * lacks, with 77. */
#ifndef RIG_H
#define RIG_H

#include <stdbool.h>
#include <stddef.h>

#include "tool/wl.h"
#include "tool/workload.h"

enum { RIG_PASS = 0, RIG_FAIL = 1, RIG_USAGE = 2, RIG_LACKS = 77 };

/* Puts a file of OpenCL C, found along -I, into the program as the text
 * rig_source. CUDA's kernels are linked to the program. */
#ifdef RIG_CUDA
#define RIG_SOURCE(file)     _Static_assert(1, file)
#define RIG_SOURCES(include) _Static_assert(1, include)
#else
#define RIG_SOURCE(file) RIG_SOURCES(RIG_INCLUDE(file))
/* Several files, one behind the other: RIG_INCLUDE("a.cl") RIG_INCLUDE("b.cl")
 */
#define RIG_SOURCES(include)                                                   \
    __asm__(".pushsection .rodata\n"                                           \
            ".globl rig_source\n"                                              \
            ".hidden rig_source\n"                                             \
            "rig_source:\n" include ".byte 0\n"                                \
            ".popsection\n")
#endif
#define RIG_INCLUDE(file) ".incbin \"" file "\"\n"

/* On the device. */
typedef struct dev_kernel *dev_kernel;
typedef struct dev_memory *dev_memory;

typedef struct rig rig;

/* A host program: which problem it solves, and how. */
typedef struct rig_program {
    const workload *problem; /* inputs, and results of the CPU */
    unsigned sizes[3];       /* small, medium, large */
    void (*run)(rig *o);
    /* What the device must have, or the program ends with 77. */
    bool images, doubles, atomics64;
    /* WL_KNOBS of them, those with a name; wl_get has the values. One that is
     * `units` and 0 becomes the device's compute units. NULL: none. */
    const wl_knob *knobs;
} rig_program;

struct rig {
    const char *name;
    unsigned size;
    wl *data; /* of this repetition */
    /* The rest is of rig.c and the API's file. */
    struct rig_device *device;
    struct rig_object *objects;
    size_t checked;
    bool failed;
};

/* All of main(): 0 if every check passed, otherwise one of the above. */
int rig_main(const rig_program *p, int argc, char **argv);

/* ---- Objects, released when the repetition ends ---- */

dev_kernel rig_kernel(rig *o, const char *name);
/* As the problem calls it: with its input, or zeros. */
dev_memory rig_buffer(rig *o, const char *name);
dev_memory rig_scratch(rig *o, size_t bytes);
/* The same as a 2D image of one channel of floats. */
dev_memory rig_image(rig *o, const char *name);

/* ---- Work ---- */

/* Sets all arguments: m a buffer, i an image to be read and, as the next
 * parameter, its sampler (linear, at the edge the last value, unnormalised), o
 * an image to be written, u unsigned, f float (given as double), l bytes of
 * local memory (size_t). */
void rig_args(rig *o, dev_kernel k, const char *types, ...);

/* Enqueues `global` items, rounded up to whole groups of `local`, in one
 * dimension or in two. */
void rig_run(rig *o, dev_kernel k, size_t global, size_t local);
void rig_run2(rig *o, dev_kernel k, const size_t global[2],
              const size_t local[2]);

#define RIG_2D(x, y) ((const size_t[2]){(x), (y)})

/* Waits for everything before. */
void rig_read(rig *o, dev_memory m, void *to, size_t bytes);

/* Reads the buffer and compares with what the problem expects under `name`. */
void rig_check(rig *o, const char *name, dev_memory m);
void rig_check_image(rig *o, const char *name, dev_memory m);
/* The same for results that the host has. */
void rig_compare(rig *o, const char *name, const void *got);

/* All launches of the problem, those of one stream in order, and compares
 * whatever is expected. Their numbers are unsigned. */
void rig_run_problem(rig *o);

/* ---- Ends ---- */

/* Zeroed memory of the host; ends the program if there is none. */
void *rig_alloc(const rig *o, size_t bytes);
/* Ends the program with 77 unless the device has so much local memory. */
void rig_need_local(const rig *o, size_t bytes);

#endif
