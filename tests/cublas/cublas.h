/* tests/cublas/cublas.h - cuBLAS as programs see it: own declarations, with
 * `void *` for data of all types. */
#ifndef TESTS_CUBLAS_H
#define TESTS_CUBLAS_H

#include <stdint.h>

#include "cuda/functions.h"

typedef struct cublasContext *cublasHandle_t;
enum { OK = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };
enum { OP_N, OP_T, OP_C };

int cublasCreate_v2(cublasHandle_t *h);
int cublasDestroy_v2(cublasHandle_t h);
int cublasSetStream_v2(cublasHandle_t h, cudaStream_t stream);
int cublasGetStream_v2(cublasHandle_t h, cudaStream_t *out);
int cublasSetPointerMode_v2(cublasHandle_t h, int mode);

#define GEMM_PARAMETERS(I)                                                     \
    (cublasHandle_t h, int ta, int tb, I m, I n, I k, const void *alpha,       \
     const void *a, I lda, const void *b, I ldb, const void *beta, void *c,    \
     I ldc)
int cublasSgemm_v2 GEMM_PARAMETERS(int);
int cublasSgemm_v2_64 GEMM_PARAMETERS(int64_t);

#endif
