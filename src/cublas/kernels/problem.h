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
    int conjugate;
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

/* A vector: element i lies at i * step, in elements. */
typedef struct blas_vector {
    const void *at;
    long long step;
} blas_vector;

enum { BLAS_PARTS = 64 }; /* blocks of a reduction, at most */

/* What functions of vectors do: kernels/vector.cuh. */
typedef struct blas_vectors {
    long long n;
    blas_vector x, y;
    blas_scalar alpha, beta;
    int conjugate; /* x, in products */
    int smallest;  /* not the largest is looked for */
    void *parts;   /* of a reduction in two steps: one of each block */
    int stage;     /* 0: of the vectors, 1: of the parts */
    void *result;
    int type; /* of the result; BLAS_I8 stands for integers of 64 bits */
} blas_vectors;

/* A rotation that makes b of (a, b) zero: a becomes what is left of both, c and
 * s its cosine and sine, b, of real numbers, what both can be made of again. */
typedef struct blas_rotation {
    void *a, *b, *c, *s;
} blas_rotation;

/* y = alpha a x + beta y, of each problem of the batch; x and y are columns. */
typedef struct blas_image {
    long long m, n;
    blas_matrix a, x, y;
    blas_scalar alpha, beta;
    long long first;
} blas_image;

/* c = alpha a + beta b; or c = a with its rows, or columns, times what x has.
 */
typedef struct blas_sum {
    long long m, n;
    blas_matrix a, b, c;
    blas_vector x;
    blas_scalar alpha, beta;
    int columns;
} blas_sum;

enum { BLAS_SOLVE_ROWS = 32 };

/* b = a^-1 b, of each problem of the batch: a is triangular, of at most
 * BLAS_SOLVE_ROWS rows. */
typedef struct blas_solution {
    long long m, n;
    blas_matrix a, b;
    long long first;
} blas_solution;

/* a = p^-1 l u of n rows, of each problem: in place, the unit diagonal of l is
 * not stored. */
typedef struct blas_factors {
    long long n;
    blas_matrix a;
    int *pivots; /* n of each problem, from 1; NULL: rows stay */
    int *info;   /* of each problem: 0, or which pivot is zero */
} blas_factors;

/* Rows of b exchanged as the pivots say. */
typedef struct blas_exchange {
    long long n, columns;
    blas_matrix b;
    const int *pivots; /* NULL: they stay */
    int backwards;
    int identity;  /* b becomes the identity first, */
    blas_matrix a; /* and it is told whether the factors in a have a zero */
    int *info;     /* pivot, and which */
} blas_exchange;

#endif
