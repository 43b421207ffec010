/* src/cublas/handle.h - the library's context, and what every call begins and
 * ends with. */
#ifndef CUBLAS_HANDLE_H
#define CUBLAS_HANDLE_H

#include <stdbool.h>

#include "cublas/api.h"
#include "cublas/kernels/problem.h"
#include "cublas/log.h"
#include "cuda_library/code.h"

struct cublasContext {
    uint32_t magic;
    cudaStream_t stream;
    cublasPointerMode_t pointer_mode;
    cublasAtomicsMode_t atomics;
    int math, sm_target;
    void *scratch; /* of reductions, in device memory: slots, */
    unsigned slot; /* of which the next is this one */
};

/* Reductions of several streams may be in flight: each has a slot. */
enum { BLAS_SLOTS = 64, BLAS_SLOT_BYTES = 2048 };

/* Declares and begins a function of the API. */
#define API(name, parameters)                                                  \
    EXPORT cublasStatus_t name parameters;                                     \
    EXPORT cublasStatus_t name parameters

/* At the head of every one with a handle: messages name it. */
#define BLAS_CALL(h)                                                           \
    do {                                                                       \
        blas_function = __func__;                                              \
        if (!blas_handle_good(h))                                              \
            return CUBLAS_STATUS_NOT_INITIALIZED;                              \
    } while (0)

/* False: it is none of cublasCreate, reported. */
bool blas_handle_good(cublasHandle_t h);

/* What the library returns where the runtime returned `code`. */
cublasStatus_t blas_status(cudaError_t code);

/* The factor at `p`, which is where the pointer mode says. */
blas_scalar blas_factor(cublasHandle_t h, const void *p, blas_type type);
blas_scalar blas_constant(double value);

/* A kernel on the handle's stream; its only parameter is at `arg`. */
cublasStatus_t blas_launch(cublasHandle_t h, library_kernel *k, dim3 grid,
                           unsigned threads, void *arg);

/* The kernels of a function of all four types, which are the index: `function`
 * of the files of a family, "s" and its like in front of the name. */
#define BLAS_KERNELS(family, function)                                         \
    {                                                                          \
        [BLAS_F32] = BLAS_KERNEL(family##_s, s##function),                     \
        [BLAS_F64] = BLAS_KERNEL(family##_d, d##function),                     \
        [BLAS_C32] = BLAS_KERNEL(family##_c, c##function),                     \
        [BLAS_C64] = BLAS_KERNEL(family##_z, z##function),                     \
    }
#define BLAS_KERNEL(file, kernel)                                              \
    {                                                                          \
        .code = &LIBRARY_CODE(cublas, file), .name = "heddle_blas_" #kernel    \
    }
/* Declares the code of a family. */
#define BLAS_FAMILY(family)                                                    \
    extern library_code LIBRARY_CODE(cublas, family##_s),                      \
        LIBRARY_CODE(cublas, family##_d), LIBRARY_CODE(cublas, family##_c),    \
        LIBRARY_CODE(cublas, family##_z)

/* The functions of all four types, with sizes of 32 and of 64 bits:
 * F(letter, type of an element, blas_type, type of sizes, end of the name). */
#define BLAS_FOUR(F, end)                                                      \
    F(S, float, BLAS_F32, int, end)                                            \
    F(D, double, BLAS_F64, int, end)                                           \
    F(C, cuComplex, BLAS_C32, int, end)                                        \
    F(Z, cuDoubleComplex, BLAS_C64, int, end)                                  \
    F(S, float, BLAS_F32, int64_t, end##_64)                                   \
    F(D, double, BLAS_F64, int64_t, end##_64)                                  \
    F(C, cuComplex, BLAS_C32, int64_t, end##_64)                               \
    F(Z, cuDoubleComplex, BLAS_C64, int64_t, end##_64)
#define BLAS_REAL(F, end)                                                      \
    F(S, float, BLAS_F32, int, end)                                            \
    F(D, double, BLAS_F64, int, end)                                           \
    F(S, float, BLAS_F32, int64_t, end##_64)                                   \
    F(D, double, BLAS_F64, int64_t, end##_64)
#define BLAS_COMPLEX(F, end)                                                   \
    F(C, cuComplex, BLAS_C32, int, end)                                        \
    F(Z, cuDoubleComplex, BLAS_C64, int, end)                                  \
    F(C, cuComplex, BLAS_C32, int64_t, end##_64)                               \
    F(Z, cuDoubleComplex, BLAS_C64, int64_t, end##_64)

/* Checks that several files make. */
static inline bool blas_is_op(cublasOperation_t op)
{
    return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}
static inline bool blas_lead_fits(long long lead, long long rows)
{
    return lead >= 1 && lead >= rows;
}

#endif
