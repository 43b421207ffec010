/* src/opencl/prelude/copy.cl - copies by a whole work-group, which libclc has
 * but for vectors of three; they lie in memory as vectors of four do
 * [OCL12:async-copies]. To wait is a barrier that clang moves nothing over. */
#ifndef HEDDLE_COPY_CL
#define HEDDLE_COPY_CL

__attribute__((overloadable)) static void
heddle_wait(int n,
            event_t *events) __asm__("_Z17wait_group_eventsiP9ocl_event");
__attribute__((overloadable)) static void heddle_wait(int n, event_t *events)
{
    heddle_barrier(CLK_LOCAL_MEM_FENCE);
}

#define HEDDLE_COPY(T, c, to, from, marks)                                     \
    __attribute__((overloadable)) static event_t heddle_copy(                  \
        to T##3 * d, const from T##3 * s, size_t n,                            \
        event_t                                                                \
            e) __asm__("_Z21async_work_group_copy" marks(c) "m9ocl_event");    \
    __attribute__((overloadable)) static event_t heddle_copy(                  \
        to T##3 * d, const from T##3 * s, size_t n, event_t e)                 \
    {                                                                          \
        return async_work_group_copy((to T##4 *)d, (const from T##4 *)s, n,    \
                                     e);                                       \
    }                                                                          \
    __attribute__((overloadable)) static event_t heddle_copy_strided(          \
        to T##3 * d, const from T##3 * s, size_t n, size_t stride,             \
        event_t e) __asm__("_Z29async_work_group_strided_"                     \
                           "copy" marks(c) "mm9ocl_event");                    \
    __attribute__((overloadable)) static event_t heddle_copy_strided(          \
        to T##3 * d, const from T##3 * s, size_t n, size_t stride, event_t e)  \
    {                                                                          \
        return async_work_group_strided_copy(                                  \
            (to T##4 *)d, (const from T##4 *)s, n, stride, e);                 \
    }
#define HEDDLE_MARKS_IN(c)  "PU3AS3Dv3_" c "PU3AS1KS_"
#define HEDDLE_MARKS_OUT(c) "PU3AS1Dv3_" c "PU3AS3KS_"
#define HEDDLE_COPIES(T, c)                                                    \
    HEDDLE_COPY(T, c, local, global, HEDDLE_MARKS_IN)                          \
    HEDDLE_COPY(T, c, global, local, HEDDLE_MARKS_OUT)                         \
    __attribute__((overloadable)) static void heddle_prefetch(                 \
        const global T##3 * p,                                                 \
        size_t n) __asm__("_Z8prefetchPU3AS1KDv3_" c "m");                     \
    __attribute__((overloadable)) static void heddle_prefetch(                 \
        const global T##3 * p, size_t n)                                       \
    {                                                                          \
    }
HEDDLE_COPIES(char, "c")
HEDDLE_COPIES(uchar, "h")
HEDDLE_COPIES(short, "s")
HEDDLE_COPIES(ushort, "t")
HEDDLE_COPIES(int, "i")
HEDDLE_COPIES(uint, "j")
HEDDLE_COPIES(long, "l")
HEDDLE_COPIES(ulong, "m")
HEDDLE_COPIES(float, "f")
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
HEDDLE_COPIES(double, "d")
#endif

#endif
