/* src/cublas/product.h - products of matrices, which most of level 3 is. */
#ifndef CUBLAS_PRODUCT_H
#define CUBLAS_PRODUCT_H

#include "cublas/handle.h"

/* Which kernels: types of a and b, and of c; sums and factors are of what
 * `blas_product_kinds` says. */
typedef enum blas_product_kind {
    BLAS_PRODUCT_S,
    BLAS_PRODUCT_KINDS,
} blas_product_kind;

/* A matrix as it is stored, column by column, or op of it. */
blas_matrix blas_stored(const void *at, long long lead);
blas_matrix blas_op(blas_matrix m, cublasOperation_t op);

/* Performs `count` of them, as a batch; nothing where c is empty. */
cublasStatus_t blas_multiply(cublasHandle_t h, blas_product_kind kind,
                             blas_product *p, long long count);

#endif
