/* src/opencl/program/prelude.h - what stands before every OpenCL kernel:
 * built-in functions for PTX (src/opencl/prelude/, which the build makes one
 * text of) and which parts of them a program needs, since reading all takes
 * clang as long as everything else. Owns nothing. */
#ifndef OPENCL_PROGRAM_PRELUDE_H
#define OPENCL_PROGRAM_PRELUDE_H

#include <stddef.h>

extern const char opencl_prelude[]; /* ends with a 0 that size leaves out */
extern const size_t opencl_prelude_size;

/* What an executable has once, however many units it is linked from; a unit
 * is compiled without it (-DHEDDLE_UNIT). */
extern const char opencl_prelude_once[];

/* Extensions that clang must enable (after -Xclang), for every version of
 * OpenCL C. */
#define OPENCL_PRELUDE_EXTENSIONS                                              \
    "-cl-ext=+cl_khr_fp16,+cl_khr_3d_image_writes,"                            \
    "+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,"               \
    "+cl_clang_storage_class_specifiers,+__opencl_c_images,"                   \
    "+__opencl_c_3d_image_writes,+__opencl_c_fp64,+__opencl_c_int64,"          \
    "+__opencl_c_subgroups,+__opencl_c_work_group_collective_functions,"       \
    "+__opencl_c_atomic_order_acq_rel,+__opencl_c_atomic_order_seq_cst,"       \
    "+__opencl_c_atomic_scope_device"

enum { PRELUDE_FLAGS = 24 };

/* The -D options of the compiler that select the parts which a program with
 * this source and these build options may use; returns their number. With
 * none at all the prelude is complete, but for constant samplers. */
size_t opencl_prelude_flags(const char *source, size_t size,
                            const char *options,
                            const char *flags[PRELUDE_FLAGS]);

#endif
