/* src/cublas/vectors.h - level 1: functions of vectors, by type. */
#ifndef CUBLAS_VECTORS_H
#define CUBLAS_VECTORS_H

#include "cublas/handle.h"

typedef struct blas_operand { /* a vector as programs give it */
    const void *at;
    long long step; /* negative: the last element is at the address */
    blas_type type;
} blas_operand;

/* Element i of `n` lies at i * step from what this returns. */
blas_vector blas_vector_of(blas_operand x, long long n);

/* Bytes of an element. */
size_t blas_size(blas_type type);

/* The kernel once, over the elements; not at all for n <= 0. */
cublasStatus_t blas_each(cublasHandle_t h, library_kernel *k, blas_vectors *p);
/* The kernel as a reduction, whose result of `bytes` goes to `out`, which is
 * where the pointer mode says. Zeros for n <= 0. */
cublasStatus_t blas_reduce(cublasHandle_t h, library_kernel *k, blas_vectors *p,
                           size_t bytes, void *out);

#endif
