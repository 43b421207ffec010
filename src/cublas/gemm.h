/* src/cublas/gemm.h - products as programs ask for them. */
#ifndef CUBLAS_GEMM_H
#define CUBLAS_GEMM_H

#include "cublas/product.h"

typedef struct blas_gemm {
    cublasOperation_t ta, tb;
    long long m, n, k;
    const void *alpha, *beta; /* where the pointer mode says, of type: */
    blas_type factor;
    const void *a, *b, *c; /* or, with `addresses`, arrays of them */
    long long lda, ldb, ldc;
    long long step_a, step_b, step_c; /* from a problem to the next */
    long long count;                  /* of problems */
    bool addresses;
} blas_gemm;

cublasStatus_t blas_gemm_run(cublasHandle_t h, blas_product_kind kind,
                             const blas_gemm *g);

#endif
