/* gemm and its batches, of one type. */
#include "cublas/gemm.h"

static cublasStatus_t check(const blas_gemm *g)
{
    BLAS_NEED(blas_is_op(g->ta) && blas_is_op(g->tb),
              "there is no operation %d or %d", (int)g->ta, (int)g->tb);
    BLAS_NEED(g->m >= 0 && g->n >= 0 && g->k >= 0 && g->count >= 0,
              "a size is negative: m %lld, n %lld, k %lld, batch of %lld", g->m,
              g->n, g->k, g->count);
    BLAS_NEED(blas_lead_fits(g->lda, g->ta == CUBLAS_OP_N ? g->m : g->k),
              "lda %lld is less than a's rows, or 1", g->lda);
    BLAS_NEED(blas_lead_fits(g->ldb, g->tb == CUBLAS_OP_N ? g->k : g->n),
              "ldb %lld is less than b's rows, or 1", g->ldb);
    BLAS_NEED(blas_lead_fits(g->ldc, g->m),
              "ldc %lld is less than c's rows, or 1", g->ldc);
    BLAS_NEED(g->alpha && g->beta, "alpha or beta is NULL");
    return CUBLAS_STATUS_SUCCESS;
}

static blas_matrix stored(const void *at, long long lead, long long step,
                          bool addresses)
{
    blas_matrix m = blas_stored(at, lead);

    m.batch = step;
    m.addresses = addresses;
    return m;
}

cublasStatus_t blas_gemm_run(cublasHandle_t h, blas_product_kind kind,
                             const blas_gemm *g)
{
    cublasStatus_t is = check(g);

    if (is != CUBLAS_STATUS_SUCCESS)
        return is;
    blas_product p = {
        .m = g->m,
        .n = g->n,
        .k = g->k,
        .a = blas_op(stored(g->a, g->lda, g->step_a, g->addresses), g->ta),
        .b = blas_op(stored(g->b, g->ldb, g->step_b, g->addresses), g->tb),
        .c = stored(g->c, g->ldc, g->step_c, g->addresses),
        .alpha = blas_factor(h, g->alpha, g->factor),
        .beta = blas_factor(h, g->beta, g->factor),
    };
    return blas_multiply(h, kind, &p, g->count);
}

#define GEMM(name, kind, T, type, I)                                           \
    API(name, (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,   \
               I m, I n, I k, const T *alpha, const T *a, I lda, const T *b,   \
               I ldb, const T *beta, T *c, I ldc))                             \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return blas_gemm_run(h, kind,                                          \
                             &(blas_gemm){ta, tb, m, n, k, alpha, beta, type,  \
                                          a, b, c, lda, ldb, ldc,              \
                                          .count = 1});                        \
    }
#define GEMM_BATCHED(name, kind, T, type, I)                                   \
    API(name, (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,   \
               I m, I n, I k, const T *alpha, const T *const a[], I lda,       \
               const T *const b[], I ldb, const T *beta, T *const c[], I ldc,  \
               I count))                                                       \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return blas_gemm_run(h, kind,                                          \
                             &(blas_gemm){ta, tb, m, n, k, alpha, beta, type,  \
                                          a, b, c, lda, ldb, ldc,              \
                                          .count = count, .addresses = true}); \
    }
#define GEMM_STRIDED(name, kind, T, type, I)                                   \
    API(name, (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,   \
               I m, I n, I k, const T *alpha, const T *a, I lda,               \
               long long step_a, const T *b, I ldb, long long step_b,          \
               const T *beta, T *c, I ldc, long long step_c, I count))         \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return blas_gemm_run(h, kind,                                          \
                             &(blas_gemm){ta, tb, m, n, k, alpha, beta, type,  \
                                          a, b, c, lda, ldb, ldc, step_a,      \
                                          step_b, step_c, count, false});      \
    }

#define GEMMS(letter, T, type, I, end)                                         \
    GEMM(cublas##letter##gemm_v2##end, BLAS_PRODUCT_##letter, T, type, I)      \
    GEMM_BATCHED(cublas##letter##gemmBatched##end, BLAS_PRODUCT_##letter, T,   \
                 type, I)                                                      \
    GEMM_STRIDED(cublas##letter##gemmStridedBatched##end,                      \
                 BLAS_PRODUCT_##letter, T, type, I)
BLAS_FOUR(GEMMS, )

/* Sums of halves are singles, which is more than is asked for. */
typedef uint16_t half;
GEMM(cublasHgemm, BLAS_PRODUCT_H, half, BLAS_F16, int)
GEMM(cublasHgemm_64, BLAS_PRODUCT_H, half, BLAS_F16, int64_t)
GEMM_BATCHED(cublasHgemmBatched, BLAS_PRODUCT_H, half, BLAS_F16, int)
GEMM_BATCHED(cublasHgemmBatched_64, BLAS_PRODUCT_H, half, BLAS_F16, int64_t)
GEMM_STRIDED(cublasHgemmStridedBatched, BLAS_PRODUCT_H, half, BLAS_F16, int)
GEMM_STRIDED(cublasHgemmStridedBatched_64, BLAS_PRODUCT_H, half, BLAS_F16,
             int64_t)

/* With three multiplications on a device; here as any product. */
GEMM(cublasCgemm3m, BLAS_PRODUCT_C, cuComplex, BLAS_C32, int)
GEMM(cublasCgemm3m_64, BLAS_PRODUCT_C, cuComplex, BLAS_C32, int64_t)
GEMM(cublasZgemm3m, BLAS_PRODUCT_Z, cuDoubleComplex, BLAS_C64, int)
GEMM(cublasZgemm3m_64, BLAS_PRODUCT_Z, cuDoubleComplex, BLAS_C64, int64_t)
GEMM_BATCHED(cublasCgemm3mBatched, BLAS_PRODUCT_C, cuComplex, BLAS_C32, int)
GEMM_BATCHED(cublasCgemm3mBatched_64, BLAS_PRODUCT_C, cuComplex, BLAS_C32,
             int64_t)
GEMM_STRIDED(cublasCgemm3mStridedBatched, BLAS_PRODUCT_C, cuComplex, BLAS_C32,
             int)
GEMM_STRIDED(cublasCgemm3mStridedBatched_64, BLAS_PRODUCT_C, cuComplex,
             BLAS_C32, int64_t)
