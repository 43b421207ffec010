/* src/opencl/prelude/prelude.cl - included before every OpenCL kernel: the
 * built-in functions that libclc lacks for NVPTX, that clang cannot select or
 * that are less exact than OpenCL demands.
 *
 * With HEDDLE_GLOBAL_OFFSET the global work offset and the number of
 * dimensions are read from %envreg0 to %envreg3, which the OpenCL driver
 * fills; without it they are 0 and 3, and get_global_id costs no addition.
 *
 * With HEDDLE_UNIT the program is one of several that are linked: nothing here
 * is visible to the others, and what all share is left out (once.cl). */
#ifndef HEDDLE_PRELUDE_CL
#define HEDDLE_PRELUDE_CL

/* before 1.2 there is no `static` */
#pragma OPENCL EXTENSION cl_clang_storage_class_specifiers : enable

#define HEDDLE_INLINE __attribute__((overloadable, always_inline)) static

/* Features that the device has and clang does not know of. */
#if __OPENCL_C_VERSION__ >= 300
#ifndef __opencl_c_atomic_scope_device
#define __opencl_c_atomic_scope_device 1
#endif
#ifndef __opencl_c_work_group_collective_functions
#define __opencl_c_work_group_collective_functions 1
#endif
#endif

/* The driver names the parts that a program needs (opencl/program/prelude.h);
 * otherwise all are there. */
#ifndef HEDDLE_NEED_SELECTED
#define HEDDLE_NEED_NATIVE
#define HEDDLE_NEED_WORK_GROUP
#define HEDDLE_NEED_ATOMIC
#define HEDDLE_NEED_ATOM
#define HEDDLE_NEED_MATH
#define HEDDLE_NEED_COPY
#define HEDDLE_NEED_STORE
#define HEDDLE_NEED_LOAD
#define HEDDLE_NEED_INTEGER
#define HEDDLE_NEED_CONVERT
#define HEDDLE_NEED_PRINTF
#define HEDDLE_NEED_SUB_GROUP
#define HEDDLE_NEED_HALF
#define HEDDLE_NEED_IMAGE
#endif

#ifndef __IMAGE_SUPPORT__
#define __IMAGE_SUPPORT__ 1
#endif

#define mad_hi(a, b, c) (mul_hi(a, b) + (c))

/* clang holds that a barrier cannot write a local variable of the kernel and
 * moves loads of it across; an asm that clobbers memory it leaves in place. */
HEDDLE_INLINE void heddle_barrier(cl_mem_fence_flags flags)
{
    (void)flags;
    __asm__ volatile("bar.sync 0;" ::: "memory");
}
#define barrier(flags) heddle_barrier(flags)

#ifdef HEDDLE_GLOBAL_OFFSET
__attribute__((always_inline, const)) static uint heddle_envreg(uint i)
{
    uint v;

    switch (i) {
    case 0:
        __asm__("mov.u32 %0, %%envreg0;" : "=r"(v));
        return v;
    case 1:
        __asm__("mov.u32 %0, %%envreg1;" : "=r"(v));
        return v;
    case 2:
        __asm__("mov.u32 %0, %%envreg2;" : "=r"(v));
        return v;
    default:
        __asm__("mov.u32 %0, %%envreg3;" : "=r"(v));
        return v;
    }
}
__attribute__((always_inline)) static size_t heddle_global_offset(uint d)
{
    return d < 3 ? heddle_envreg(d) : 0;
}
__attribute__((always_inline)) static size_t heddle_global_id(uint d)
{
    return get_global_id(d) + heddle_global_offset(d);
}
#define get_global_id(d)     heddle_global_id(d)
#define get_global_offset(d) heddle_global_offset(d)
#define get_work_dim()       heddle_envreg(3)
#else
#define get_global_offset(d) ((size_t)0)
#define get_work_dim()       3u
#endif

#ifdef HEDDLE_NEED_NATIVE
#include "native.cl"
#endif
#ifdef HEDDLE_NEED_MATH
#include "math.cl"
#endif
#ifdef HEDDLE_NEED_COPY
#include "copy.cl"
#endif
#ifdef HEDDLE_NEED_CONVERT
#include "convert.cl"
#endif
#ifdef HEDDLE_NEED_INTEGER
#include "integer.cl"
#endif
#ifdef HEDDLE_NEED_LOAD
#include "load.cl"
#endif
#ifdef HEDDLE_NEED_STORE
#include "store.cl"
#endif
#ifdef HEDDLE_NEED_ATOM
#include "atom.cl"
#endif
#if __OPENCL_C_VERSION__ >= 200
#include "newer.cl"
#endif
#ifdef HEDDLE_NEED_PRINTF
#include "printf.cl"
#endif
#ifdef HEDDLE_NEED_SUB_GROUP
#include "subgroup.cl"
#endif
#ifdef HEDDLE_NEED_HALF
#include "half.cl"
#endif
#ifdef HEDDLE_NEED_IMAGE
#include "images.cl"
#endif

/* Kernels may use halves, but the driver does not claim the extension; clang
 * needs the macro to declare vload_half. */
#if defined HEDDLE_GLOBAL_OFFSET && !defined HEDDLE_NEED_HALF
#undef cl_khr_fp16
#endif

/* A function that a header defines `inline` belongs to no unit in C99: all
 * calls of it must be inlined, as there is nothing to call. */
#if defined HEDDLE_UNIT && !defined inline
#define inline inline __attribute__((always_inline))
#define __inline __inline __attribute__((always_inline))
#define __inline__ __inline__ __attribute__((always_inline))
#endif

#endif
