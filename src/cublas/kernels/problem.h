/* src/cublas/kernels/problem.h - what kernels are given: matrices, scalars and
 * what to do with them. For the host and for the kernels. */
#ifndef CUBLAS_KERNELS_PROBLEM_H
#define CUBLAS_KERNELS_PROBLEM_H

/* What elements of a matrix mean that are not stored, beside those of a general
 * one. `LOWER` and `UPPER` say which triangle is read. */
enum {
    BLAS_LOWER = 1,
    BLAS_UPPER = 2,
    BLAS_SYMMETRIC = 4,   /* the other triangle mirrors it */
    BLAS_HERMITIAN = 8,   /* it is its conjugate, too */
    BLAS_TRIANGULAR = 16, /* it is zero */
    BLAS_UNIT = 32,       /* the diagonal is not read, but 1 */
    BLAS_CONJUGATE = 64,  /* all that is read is conjugated */
};

/* One matrix of each problem of a batch; element (i, j) lies at i * row + j *
 * column, in elements. */
typedef struct blas_matrix {
    const void *at;   /* the first problem's, or an array of addresses */
    long long offset; /* to its element (0, 0) */
    long long row, column;
    long long batch; /* from a problem's to the next one's */
    int addresses;   /* `at` is an array with one for each problem */
    int shape;
} blas_matrix;

typedef enum blas_type {
    BLAS_F32,
    BLAS_F64,
    BLAS_C32, /* complex, of two F32 */
    BLAS_C64,
    BLAS_F16,
    BLAS_BF16,
    BLAS_I8,
    BLAS_I32,
} blas_type;

/* A factor: a value, or one in memory. */
typedef struct blas_scalar {
    const void *at; /* NULL: `value` */
    double value[2];
    int type;
} blas_scalar;

/* c = alpha a b + beta c, of each problem of the batch. */
typedef struct blas_product {
    long long m, n, k;
    blas_matrix a, b, c;
    blas_scalar alpha, beta;
    int part; /* of c: BLAS_LOWER, BLAS_UPPER, 0: all of it; with BLAS_HERMITIAN
                 its diagonal becomes real */
    long long first; /* problem of this launch */
} blas_product;

#endif
