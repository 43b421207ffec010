/* gemm and its batches. */
#include "cublas/product.h"

typedef struct gemm_sizes {
    cublasOperation_t ta, tb;
    long long m, n, k, lda, ldb, ldc;
} gemm_sizes;

static bool is_op(cublasOperation_t op) { return op >= 0 && op <= CUBLAS_OP_C; }

static bool fits(long long lead, long long rows)
{
    return lead >= rows && lead >= 1;
}

static cublasStatus_t check(const gemm_sizes *s)
{
    BLAS_NEED(is_op(s->ta) && is_op(s->tb), "operation %d or %d", s->ta, s->tb);
    BLAS_NEED(s->m >= 0 && s->n >= 0 && s->k >= 0,
              "a size is negative: m %lld, n %lld, k %lld", s->m, s->n, s->k);
    BLAS_NEED(fits(s->lda, s->ta == CUBLAS_OP_N ? s->m : s->k),
              "lda %lld is less than a's rows", s->lda);
    BLAS_NEED(fits(s->ldb, s->tb == CUBLAS_OP_N ? s->k : s->n),
              "ldb %lld is less than b's rows", s->ldb);
    BLAS_NEED(fits(s->ldc, s->m), "ldc %lld is less than c's rows", s->ldc);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t gemm(cublasHandle_t h, blas_product_kind kind,
                           blas_type type, const gemm_sizes *s,
                           const void *alpha, const void *a, const void *b,
                           const void *beta, void *c)
{
    cublasStatus_t is = check(s);

    if (is != CUBLAS_STATUS_SUCCESS)
        return is;
    BLAS_NEED(alpha && beta, "alpha or beta is NULL");
    blas_product p = {
        .m = s->m,
        .n = s->n,
        .k = s->k,
        .a = blas_op(blas_stored(a, s->lda), s->ta),
        .b = blas_op(blas_stored(b, s->ldb), s->tb),
        .c = blas_stored(c, s->ldc),
        .alpha = blas_factor(h, alpha, type),
        .beta = blas_factor(h, beta, type),
    };
    return blas_multiply(h, kind, &p, 1);
}

#define GEMM(letter, T, type, I, suffix)                                       \
    API(cublas##letter##gemm##suffix,                                          \
        (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, I m,    \
         I n, I k, const T *alpha, const T *a, I lda, const T *b, I ldb,       \
         const T *beta, T *c, I ldc))                                          \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return gemm(h, BLAS_PRODUCT_##letter, type,                            \
                    &(gemm_sizes){ta, tb, m, n, k, lda, ldb, ldc}, alpha, a,   \
                    b, beta, c);                                               \
    }
GEMM(S, float, BLAS_F32, int, _v2)
GEMM(S, float, BLAS_F32, int64_t, _v2_64)
