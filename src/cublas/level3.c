/* Level 3 but for gemm and systems: products of matrices of which a triangle is
 * stored, or wanted. */
#include "cublas/gemm.h"

static bool is_fill(cublasFillMode_t fill)
{
    return fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER;
}

static int triangle(cublasFillMode_t fill)
{
    return fill == CUBLAS_FILL_MODE_LOWER ? BLAS_LOWER : BLAS_UPPER;
}

/* ---- c = alpha op(a) op(b)' + beta c, of which a triangle is wanted ---- */

typedef struct rank {
    cublasFillMode_t fill;
    cublasOperation_t op;
    long long n, k;
    const void *alpha, *beta;
    blas_type type, alpha_type, beta_type;
    const void *a, *b, *c;
    long long lda, ldb, ldc;
    bool hermitian; /* ' is the conjugate, too */
    bool twice;     /* + alpha' op(b) op(a)' */
} rank;

static cublasStatus_t check_rank(const rank *r)
{
    cublasOperation_t flip = r->hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
    bool real = r->type == BLAS_F32 || r->type == BLAS_F64;
    long long rows = r->op == CUBLAS_OP_N ? r->n : r->k;

    BLAS_NEED(is_fill(r->fill), "there is no fill mode %d", (int)r->fill);
    BLAS_NEED(r->op == CUBLAS_OP_N || r->op == flip ||
                  (real && r->op == CUBLAS_OP_C),
              "operation %d is not one of this function", (int)r->op);
    BLAS_NEED(r->n >= 0 && r->k >= 0, "a size is negative: n %lld, k %lld",
              r->n, r->k);
    BLAS_NEED(blas_lead_fits(r->lda, rows) && blas_lead_fits(r->ldb, rows) &&
                  blas_lead_fits(r->ldc, r->n),
              "lda, ldb or ldc is less than the matrix' rows");
    BLAS_NEED(r->alpha && r->beta, "alpha or beta is NULL");
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t rank_run(cublasHandle_t h, const rank *r)
{
    cublasOperation_t flip = r->hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
    cublasStatus_t is = check_rank(r);

    if (is != CUBLAS_STATUS_SUCCESS)
        return is;
    blas_matrix a = blas_op(blas_stored(r->a, r->lda), r->op);
    blas_matrix b = blas_op(blas_stored(r->b, r->ldb), r->op);
    int real_diagonal = r->hermitian ? BLAS_HERMITIAN : 0;
    blas_product p = {
        .m = r->n,
        .n = r->n,
        .k = r->k,
        .a = a,
        .b = blas_op(b, flip),
        .c = blas_stored(r->c, r->ldc),
        .alpha = blas_factor(h, r->alpha, r->alpha_type),
        .beta = blas_factor(h, r->beta, r->beta_type),
        .part = triangle(r->fill) | (r->twice ? 0 : real_diagonal),
    };
    is = blas_multiply(h, (blas_product_kind)r->type, &p, 1);
    if (!r->twice || is != CUBLAS_STATUS_SUCCESS)
        return is;
    p.a = b;
    p.b = blas_op(a, flip);
    p.alpha.conjugate = r->hermitian;
    p.beta = blas_constant(1);
    p.part |= real_diagonal;
    return blas_multiply(h, (blas_product_kind)r->type, &p, 1);
}

/* A and B are the types of alpha and beta. */
#define RANK_K(name, T, type, A, alpha_type, hermitian, I)                     \
    API(name,                                                                  \
        (cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, I n,   \
         I k, const A *alpha, const T *a, I lda, const A *beta, T *c, I ldc))  \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return rank_run(h, &(rank){fill, op, n, k, alpha, beta, type,          \
                                   alpha_type, alpha_type, a, a, c, lda, lda,  \
                                   ldc, hermitian, false});                    \
    }
#define RANK_2K(name, T, type, B, beta_type, hermitian, twice, I)              \
    API(name, (cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op,  \
               I n, I k, const T *alpha, const T *a, I lda, const T *b, I ldb, \
               const B *beta, T *c, I ldc))                                    \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return rank_run(h, &(rank){fill, op, n, k, alpha, beta, type, type,    \
                                   beta_type, a, b, c, lda, ldb, ldc,          \
                                   hermitian, twice});                         \
    }
#define SYRK(letter, T, type, I, end)                                          \
    RANK_K(cublas##letter##syrk_v2##end, T, type, T, type, false, I)           \
    RANK_2K(cublas##letter##syr2k_v2##end, T, type, T, type, false, true, I)   \
    RANK_2K(cublas##letter##syrkx##end, T, type, T, type, false, false, I)
BLAS_FOUR(SYRK, )
#define HERK(letter, T, type, R, real, I, end)                                 \
    RANK_K(cublas##letter##herk_v2##end, T, type, R, real, true, I)            \
    RANK_2K(cublas##letter##her2k_v2##end, T, type, R, real, true, true, I)    \
    RANK_2K(cublas##letter##herkx##end, T, type, R, real, true, false, I)
HERK(C, cuComplex, BLAS_C32, float, BLAS_F32, int, )
HERK(Z, cuDoubleComplex, BLAS_C64, double, BLAS_F64, int, )
HERK(C, cuComplex, BLAS_C32, float, BLAS_F32, int64_t, _64)
HERK(Z, cuDoubleComplex, BLAS_C64, double, BLAS_F64, int64_t, _64)

/* ---- c = alpha a b + beta c, or b a, of whose a a triangle is stored ---- */

typedef struct sided {
    cublasSideMode_t side;
    cublasFillMode_t fill;
    int shape;
    long long m, n;
    const void *alpha, *beta;
    const void *a, *b, *c;
    long long lda, ldb, ldc;
} sided;

static cublasStatus_t check_sided(const sided *s)
{
    bool left = s->side == CUBLAS_SIDE_LEFT;

    BLAS_NEED(left || s->side == CUBLAS_SIDE_RIGHT, "there is no side %d",
              (int)s->side);
    BLAS_NEED(is_fill(s->fill), "there is no fill mode %d", (int)s->fill);
    BLAS_NEED(s->m >= 0 && s->n >= 0, "a size is negative: m %lld, n %lld",
              s->m, s->n);
    BLAS_NEED(blas_lead_fits(s->lda, left ? s->m : s->n) &&
                  blas_lead_fits(s->ldb, s->m) && blas_lead_fits(s->ldc, s->m),
              "lda, ldb or ldc is less than the matrix' rows");
    BLAS_NEED(s->alpha && s->beta, "alpha or beta is NULL");
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t sided_run(cublasHandle_t h, blas_type type,
                                const sided *s, blas_scalar beta,
                                cublasOperation_t op)
{
    bool left = s->side == CUBLAS_SIDE_LEFT;
    blas_matrix a = blas_stored(s->a, s->lda), b = blas_stored(s->b, s->ldb);

    a.shape = s->shape | triangle(s->fill);
    a = blas_op(a, op);
    blas_product p = {
        .m = s->m,
        .n = s->n,
        .k = left ? s->m : s->n,
        .a = left ? a : b,
        .b = left ? b : a,
        .c = blas_stored(s->c, s->ldc),
        .alpha = blas_factor(h, s->alpha, type),
        .beta = beta,
    };
    return blas_multiply(h, (blas_product_kind)type, &p, 1);
}

#define SYMM(name, shape, T, type, I)                                          \
    API(name, (cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, \
               I m, I n, const T *alpha, const T *a, I lda, const T *b, I ldb, \
               const T *beta, T *c, I ldc))                                    \
    {                                                                          \
        const sided s = {side, fill, shape, m,   n,   alpha, beta,             \
                         a,    b,    c,     lda, ldb, ldc};                    \
                                                                               \
        BLAS_CALL(h);                                                          \
        cublasStatus_t is = check_sided(&s);                                   \
        return is != CUBLAS_STATUS_SUCCESS                                     \
                   ? is                                                        \
                   : sided_run(h, type, &s, blas_factor(h, beta, type),        \
                               CUBLAS_OP_N);                                   \
    }
#define SYMMS(letter, T, type, I, end)                                         \
    SYMM(cublas##letter##symm##end, BLAS_SYMMETRIC, T, type, I)
#define HEMMS(letter, T, type, I, end)                                         \
    SYMM(cublas##letter##hemm##end, BLAS_HERMITIAN, T, type, I)
BLAS_FOUR(SYMMS, _v2)
BLAS_COMPLEX(HEMMS, _v2)

/* ---- c = alpha op(a) b, or b op(a), of a triangular a ---- */

/* The same with b's values in other memory: they are read after parts of c,
 * which may be b, were written. */
static cublasStatus_t in_place(cublasHandle_t h, blas_type type, sided *s,
                               cublasOperation_t op, size_t size)
{
    size_t width = (size_t)s->m * size, pitch = (size_t)s->ldb * size;
    void *copy;
    cublasStatus_t is =
        blas_status(cudaMallocAsync(&copy, width * (size_t)s->n, h->stream));

    if (is != CUBLAS_STATUS_SUCCESS)
        return is;
    is = blas_status(cudaMemcpy2DAsync(copy, width, s->b, pitch, width,
                                       (size_t)s->n, cudaMemcpyDeviceToDevice,
                                       h->stream));
    s->b = copy;
    s->ldb = s->m;
    if (is == CUBLAS_STATUS_SUCCESS)
        is = sided_run(h, type, s, blas_constant(0), op);
    cudaError_t code = cudaFreeAsync(copy, h->stream);
    return is == CUBLAS_STATUS_SUCCESS ? blas_status(code) : is;
}

static cublasStatus_t trmm(cublasHandle_t h, blas_type type, sided *s,
                           cublasOperation_t op, cublasDiagType_t diagonal,
                           size_t size)
{
    cublasStatus_t is = check_sided(s);

    if (is != CUBLAS_STATUS_SUCCESS)
        return is;
    BLAS_NEED(blas_is_op(op), "there is no operation %d", (int)op);
    BLAS_NEED(diagonal == CUBLAS_DIAG_NON_UNIT || diagonal == CUBLAS_DIAG_UNIT,
              "there is no kind of diagonal %d", (int)diagonal);
    BLAS_NEED(s->b != s->c || s->ldb == s->ldc,
              "c is b, but ldb %lld is not ldc %lld", s->ldb, s->ldc);
    if (s->m == 0 || s->n == 0)
        return is;
    s->shape = BLAS_TRIANGULAR | (diagonal == CUBLAS_DIAG_UNIT ? BLAS_UNIT : 0);
    return s->b == s->c ? in_place(h, type, s, op, size)
                        : sided_run(h, type, s, blas_constant(0), op);
}

#define TRMM(letter, T, type, I, end)                                          \
    API(cublas##letter##trmm##end,                                             \
        (cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,       \
         cublasOperation_t op, cublasDiagType_t diagonal, I m, I n,            \
         const T *alpha, const T *a, I lda, const T *b, I ldb, T *c, I ldc))   \
    {                                                                          \
        sided s = {side, fill, 0, m, n, alpha, alpha, a, b, c, lda, ldb, ldc}; \
                                                                               \
        BLAS_CALL(h);                                                          \
        return trmm(h, type, &s, op, diagonal, sizeof(T));                     \
    }
BLAS_FOUR(TRMM, _v2)
