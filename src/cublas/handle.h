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
    void *scratch; /* of reductions, in device memory */
};

enum { BLAS_SCRATCH_BYTES = 64 << 10 };

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

#endif
