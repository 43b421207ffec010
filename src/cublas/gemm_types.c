/* Functions whose types are parameters: products, and level 1. */
#include "cublas/gemm.h"
#include "cublas/vectors.h"

/* ---- Products ---- */

/* What stands for a type of programs in the tables below; -1: nothing. */
static int type_of(cudaDataType type)
{
    switch (type) {
    case CUDA_R_32F:
        return BLAS_F32;
    case CUDA_R_64F:
        return BLAS_F64;
    case CUDA_R_16F:
        return BLAS_F16;
    case CUDA_R_8I:
        return BLAS_I8;
    case CUDA_C_32F:
        return BLAS_C32;
    case CUDA_C_64F:
        return BLAS_C64;
    case CUDA_R_32I:
        return BLAS_I32;
    case CUDA_R_16BF:
        return BLAS_BF16;
    }
    return -1;
}

/* What alpha, beta and sums are of: programs before 11 give a cudaDataType. */
static int factor_of(int compute)
{
    switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
    case CUDA_R_16F:
        return BLAS_F16;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
    case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
    case CUDA_R_32F:
    case CUDA_C_32F:
        return BLAS_F32;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
    case CUDA_R_64F:
    case CUDA_C_64F:
        return BLAS_F64;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
    case CUDA_R_32I:
        return BLAS_I32;
    default:
        return -1;
    }
}

/* What cublasGemmEx documents: types of a and b, of c, of the sums, and of
 * alpha and beta. */
static const struct {
    blas_type ab, c, sums, factor;
    blas_product_kind kind;
} supported[] = {
    {BLAS_F16, BLAS_F16, BLAS_F16, BLAS_F16, BLAS_PRODUCT_H},
    {BLAS_F16, BLAS_F16, BLAS_F32, BLAS_F32, BLAS_PRODUCT_H},
    {BLAS_F16, BLAS_F32, BLAS_F32, BLAS_F32, BLAS_PRODUCT_HS},
    {BLAS_BF16, BLAS_BF16, BLAS_F32, BLAS_F32, BLAS_PRODUCT_B},
    {BLAS_BF16, BLAS_F32, BLAS_F32, BLAS_F32, BLAS_PRODUCT_BS},
    {BLAS_F32, BLAS_F32, BLAS_F32, BLAS_F32, BLAS_PRODUCT_S},
    {BLAS_F64, BLAS_F64, BLAS_F64, BLAS_F64, BLAS_PRODUCT_D},
    {BLAS_C32, BLAS_C32, BLAS_F32, BLAS_C32, BLAS_PRODUCT_C},
    {BLAS_C64, BLAS_C64, BLAS_F64, BLAS_C64, BLAS_PRODUCT_Z},
    {BLAS_I8, BLAS_I32, BLAS_I32, BLAS_I32, BLAS_PRODUCT_I},
    {BLAS_I8, BLAS_F32, BLAS_F32, BLAS_F32, BLAS_PRODUCT_IS},
};

typedef struct types {
    cudaDataType a, b, c;
    int compute;
} types;

static cublasStatus_t gemm(cublasHandle_t h, types t, const blas_gemm *asked)
{
    int ab = type_of(t.a), c = type_of(t.c), sums = factor_of(t.compute);
    blas_gemm g = *asked;

    BLAS_NEED(sums >= 0, "there is no type of computation %d", t.compute);
    for (size_t i = 0; i < sizeof supported / sizeof *supported; i++)
        if (t.a == t.b && (int)supported[i].ab == ab &&
            (int)supported[i].c == c && (int)supported[i].sums == sums) {
            g.factor = supported[i].factor;
            return blas_gemm_run(h, supported[i].kind, &g);
        }
    return blas_fail(CUBLAS_STATUS_NOT_SUPPORTED,
                     "no product of types %d and %d to %d, computed in %d",
                     (int)t.a, (int)t.b, (int)t.c, t.compute);
}

#define GEMM_EX(end, I)                                                        \
    API(cublasGemmEx##end,                                                     \
        (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, I m,    \
         I n, I k, const void *alpha, const void *a, cudaDataType type_a,      \
         I lda, const void *b, cudaDataType type_b, I ldb, const void *beta,   \
         void *c, cudaDataType type_c, I ldc, int compute, int algorithm))     \
    {                                                                          \
        (void)algorithm;                                                       \
        BLAS_CALL(h);                                                          \
        return gemm(h, (types){type_a, type_b, type_c, compute},               \
                    &(blas_gemm){ta, tb, m, n, k, alpha, beta, BLAS_F32, a, b, \
                                 c, lda, ldb, ldc, .count = 1});               \
    }                                                                          \
    API(cublasGemmBatchedEx##end,                                              \
        (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, I m,    \
         I n, I k, const void *alpha, const void *const a[],                   \
         cudaDataType type_a, I lda, const void *const b[],                    \
         cudaDataType type_b, I ldb, const void *beta, void *const c[],        \
         cudaDataType type_c, I ldc, I count, int compute, int algorithm))     \
    {                                                                          \
        (void)algorithm;                                                       \
        BLAS_CALL(h);                                                          \
        return gemm(h, (types){type_a, type_b, type_c, compute},               \
                    &(blas_gemm){ta, tb, m, n, k, alpha, beta, BLAS_F32, a, b, \
                                 c, lda, ldb, ldc, .count = count,             \
                                 .addresses = true});                          \
    }                                                                          \
    API(cublasGemmStridedBatchedEx##end,                                       \
        (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, I m,    \
         I n, I k, const void *alpha, const void *a, cudaDataType type_a,      \
         I lda, long long step_a, const void *b, cudaDataType type_b, I ldb,   \
         long long step_b, const void *beta, void *c, cudaDataType type_c,     \
         I ldc, long long step_c, I count, int compute, int algorithm))        \
    {                                                                          \
        (void)algorithm;                                                       \
        BLAS_CALL(h);                                                          \
        return gemm(h, (types){type_a, type_b, type_c, compute},               \
                    &(blas_gemm){ta, tb, m, n, k, alpha, beta, BLAS_F32, a, b, \
                                 c, lda, ldb, ldc, step_a, step_b, step_c,     \
                                 count, false});                               \
    }
GEMM_EX(, int)
GEMM_EX(_64, int64_t)

#define GEMM_OF_TYPES(name, T, sums, I)                                        \
    API(name, (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,   \
               I m, I n, I k, const T *alpha, const void *a,                   \
               cudaDataType type_a, I lda, const void *b, cudaDataType type_b, \
               I ldb, const T *beta, void *c, cudaDataType type_c, I ldc))     \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return gemm(h, (types){type_a, type_b, type_c, sums},                  \
                    &(blas_gemm){ta, tb, m, n, k, alpha, beta, BLAS_F32, a, b, \
                                 c, lda, ldb, ldc, .count = 1});               \
    }
GEMM_OF_TYPES(cublasSgemmEx, float, CUBLAS_COMPUTE_32F, int)
GEMM_OF_TYPES(cublasSgemmEx_64, float, CUBLAS_COMPUTE_32F, int64_t)
GEMM_OF_TYPES(cublasCgemmEx, cuComplex, CUBLAS_COMPUTE_32F, int)
GEMM_OF_TYPES(cublasCgemmEx_64, cuComplex, CUBLAS_COMPUTE_32F, int64_t)
GEMM_OF_TYPES(cublasCgemm3mEx, cuComplex, CUBLAS_COMPUTE_32F, int)
GEMM_OF_TYPES(cublasCgemm3mEx_64, cuComplex, CUBLAS_COMPUTE_32F, int64_t)

/* ---- Level 1 ---- */

BLAS_FAMILY(vector);
extern library_code LIBRARY_CODE(cublas, vector_h);

#define KERNELS(function)                                                      \
    {                                                                          \
        [BLAS_F32] = BLAS_KERNEL(vector_s, s##function),                       \
        [BLAS_F64] = BLAS_KERNEL(vector_d, d##function),                       \
        [BLAS_C32] = BLAS_KERNEL(vector_c, c##function),                       \
        [BLAS_C64] = BLAS_KERNEL(vector_z, z##function),                       \
        [BLAS_F16] = BLAS_KERNEL(vector_h, h##function),                       \
        [BLAS_BF16] = BLAS_KERNEL(vector_h, b##function),                      \
    }
static library_kernel scal[] = KERNELS(scal), axpy[] = KERNELS(axpy),
                      dot[] = KERNELS(dot), nrm2[] = KERNELS(nrm2);

/* Vectors of one type, computed in it, or in singles if it has 16 bits. */
static bool vectors_fit(cudaDataType x, cudaDataType y, cudaDataType compute)
{
    int type = type_of(x);
    bool narrow = type == BLAS_F16 || type == BLAS_BF16;

    return type >= 0 && type <= BLAS_BF16 && x == y &&
           compute == (narrow ? CUDA_R_32F : x);
}

/* Factors of such vectors are of one of both types. */
static bool factor_fits(cudaDataType alpha, cudaDataType x,
                        cudaDataType compute)
{
    return alpha == x || alpha == compute;
}

static cublasStatus_t refuse(void)
{
    return blas_fail(CUBLAS_STATUS_NOT_SUPPORTED,
                     "not these types together: vectors of one type, computed "
                     "in it or, of 16 bits, in singles");
}

static cublasStatus_t dot_of(cublasHandle_t h, long long n, blas_operand x,
                             blas_operand y, bool conjugate, void *out)
{
    blas_vectors p = {.n = n,
                      .x = blas_vector_of(x, n),
                      .y = blas_vector_of(y, n),
                      .conjugate = conjugate,
                      .type = x.type};

    return blas_reduce(h, &dot[x.type], &p, blas_size(x.type), out);
}

#define DOT(name, conjugate, I)                                                \
    API(name, (cublasHandle_t h, I n, const void *x, cudaDataType type_x,      \
               I incx, const void *y, cudaDataType type_y, I incy, void *out,  \
               cudaDataType type, cudaDataType compute))                       \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        if (!vectors_fit(type_x, type_y, compute) || type != type_x)           \
            return refuse();                                                   \
        blas_type t = (blas_type)type_of(type_x);                              \
        return dot_of(h, n, (blas_operand){x, incx, t},                        \
                      (blas_operand){y, incy, t}, conjugate, out);             \
    }
DOT(cublasDotEx, false, int)
DOT(cublasDotEx_64, false, int64_t)
DOT(cublasDotcEx, true, int)
DOT(cublasDotcEx_64, true, int64_t)

#define OTHERS(end, I)                                                         \
    API(cublasNrm2Ex##end,                                                     \
        (cublasHandle_t h, I n, const void *x, cudaDataType type_x, I incx,    \
         void *out, cudaDataType type, cudaDataType compute))                  \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return norm(h, n, x, type_x, incx, out, type, compute);                \
    }                                                                          \
    API(cublasAxpyEx##end,                                                     \
        (cublasHandle_t h, I n, const void *alpha, cudaDataType type_alpha,    \
         const void *x, cudaDataType type_x, I incx, void *y,                  \
         cudaDataType type_y, I incy, cudaDataType compute))                   \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        BLAS_NEED(alpha, "alpha is NULL");                                     \
        if (!vectors_fit(type_x, type_y, compute) ||                           \
            !factor_fits(type_alpha, type_x, compute))                         \
            return refuse();                                                   \
        blas_type t = (blas_type)type_of(type_x);                              \
        blas_vectors p = {                                                     \
            .n = n,                                                            \
            .x = blas_vector_of((blas_operand){x, incx, t}, n),                \
            .y = blas_vector_of((blas_operand){y, incy, t}, n),                \
            .alpha = blas_factor(h, alpha, (blas_type)type_of(type_alpha))};   \
        return blas_each(h, &axpy[t], &p);                                     \
    }                                                                          \
    API(cublasScalEx##end,                                                     \
        (cublasHandle_t h, I n, const void *alpha, cudaDataType type_alpha,    \
         void *x, cudaDataType type_x, I incx, cudaDataType compute))          \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        BLAS_NEED(alpha, "alpha is NULL");                                     \
        if (!vectors_fit(type_x, type_x, compute) ||                           \
            !factor_fits(type_alpha, type_x, compute))                         \
            return refuse();                                                   \
        blas_vectors p = {                                                     \
            .n = incx > 0 ? n : 0,                                             \
            .x = {x, incx},                                                    \
            .alpha = blas_factor(h, alpha, (blas_type)type_of(type_alpha))};   \
        return blas_each(h, &scal[type_of(type_x)], &p);                       \
    }

/* Of complex numbers the norm is real. */
static cublasStatus_t norm(cublasHandle_t h, long long n, const void *x,
                           cudaDataType type_x, long long incx, void *out,
                           cudaDataType type, cudaDataType compute)
{
    cudaDataType real = type_x == CUDA_C_32F   ? CUDA_R_32F
                        : type_x == CUDA_C_64F ? CUDA_R_64F
                                               : type_x;

    if (type != real || !(vectors_fit(type_x, type_x, compute) ||
                          (real != type_x && compute == real)))
        return refuse();
    blas_vectors p = {
        .n = incx > 0 ? n : 0, .x = {x, incx}, .type = type_of(real)};
    return blas_reduce(h, &nrm2[type_of(type_x)], &p,
                       blas_size((blas_type)type_of(real)), out);
}
OTHERS(, int)
OTHERS(_64, int64_t)
