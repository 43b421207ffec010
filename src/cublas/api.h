/* src/cublas/api.h - types of the cuBLAS API, under the names that programs are
 * compiled with [CUDA13:cublas]. They are the binary interface: numbers and
 * sizes are what counts. */
#ifndef CUBLAS_API_H
#define CUBLAS_API_H

#include <stddef.h>
#include <stdint.h>

#include "cuda/functions.h"

typedef enum cublasStatus_t {
#define STATUS(id, code, text) CUBLAS_STATUS_##id = (code),
#include "cublas/status.def"
#undef STATUS
} cublasStatus_t;

typedef struct cublasContext *cublasHandle_t;

typedef enum cublasOperation_t {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2, /* conjugate and transpose */
    CUBLAS_OP_CONJG = 3,
} cublasOperation_t;

typedef enum cublasFillMode_t {
    CUBLAS_FILL_MODE_LOWER = 0,
    CUBLAS_FILL_MODE_UPPER = 1,
} cublasFillMode_t;

typedef enum cublasDiagType_t {
    CUBLAS_DIAG_NON_UNIT = 0,
    CUBLAS_DIAG_UNIT = 1,
} cublasDiagType_t;

typedef enum cublasSideMode_t {
    CUBLAS_SIDE_LEFT = 0,
    CUBLAS_SIDE_RIGHT = 1,
} cublasSideMode_t;

typedef enum cublasPointerMode_t {
    CUBLAS_POINTER_MODE_HOST = 0,
    CUBLAS_POINTER_MODE_DEVICE = 1,
} cublasPointerMode_t;

typedef enum cublasAtomicsMode_t {
    CUBLAS_ATOMICS_NOT_ALLOWED = 0,
    CUBLAS_ATOMICS_ALLOWED = 1,
} cublasAtomicsMode_t;

/* cublasComputeType_t from 11 on; before, a cudaDataType, whose numbers the
 * interface still takes in its place. */
typedef enum cublasComputeType_t {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
    CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79,
} cublasComputeType_t;

typedef enum cudaDataType {
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_R_16F = 2,
    CUDA_R_8I = 3,
    CUDA_C_32F = 4,
    CUDA_C_64F = 5,
    CUDA_R_32I = 10,
    CUDA_R_16BF = 14,
} cudaDataType;

typedef struct cuComplex {
    float x, y;
} cuComplex;

typedef struct cuDoubleComplex {
    double x, y;
} cuDoubleComplex;

typedef void (*cublasLogCallback)(const char *text);

#endif
