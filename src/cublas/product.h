/* src/cublas/product.h - products of matrices, which most of level 3 is. */
#ifndef CUBLAS_PRODUCT_H
#define CUBLAS_PRODUCT_H

#include "cublas/handle.h"

/* Types of a and b, and of c where it has another: H are numbers of 16 bits, B
 * bfloat16, I small integers. The first four are numbered as blas_type. Sums of
 * H and B are singles. */
typedef enum blas_product_kind {
    BLAS_PRODUCT_S,
    BLAS_PRODUCT_D,
    BLAS_PRODUCT_C,
    BLAS_PRODUCT_Z,
    BLAS_PRODUCT_H,
    BLAS_PRODUCT_HS,
    BLAS_PRODUCT_B,
    BLAS_PRODUCT_BS,
    BLAS_PRODUCT_I,
    BLAS_PRODUCT_IS,
    BLAS_PRODUCT_KINDS,
} blas_product_kind;

/* A matrix as it is stored, column by column, or op of it. */
blas_matrix blas_stored(const void *at, long long lead);
blas_matrix blas_op(blas_matrix m, cublasOperation_t op);

/* Performs `count` of them, as a batch; nothing where c is empty. */
cublasStatus_t blas_multiply(cublasHandle_t h, blas_product_kind kind,
                             blas_product *p, long long count);

#endif
