/* Triangular systems, and factors of batches of matrices. */
#include "cublas/product.h"
#include "cublas/vectors.h"

BLAS_FAMILY(solve);

static library_kernel solve[] = BLAS_KERNELS(solve, solve),
                      getrf[] = BLAS_KERNELS(solve, getrf),
                      exchange[] = BLAS_KERNELS(solve, exchange);

enum { BATCH_MOST = 65535, COLUMNS = 32, THREADS = 256 };

/* ---- b = op(a)^-1 b ---- */

static blas_matrix part(blas_matrix m, long long i, long long j)
{
    m.offset += i * m.row + j * m.column;
    return m;
}

/* Of a block on the diagonal of a. */
static cublasStatus_t solve_block(cublasHandle_t h, blas_type type,
                                  blas_matrix a, blas_matrix b, long long m,
                                  long long n, long long count)
{
    blas_solution p = {.m = m, .n = n, .a = a, .b = b};
    cublasStatus_t is = CUBLAS_STATUS_SUCCESS;

    for (; p.first < count && is == CUBLAS_STATUS_SUCCESS;
         p.first += BATCH_MOST) {
        long long now = count - p.first;

        is = blas_launch(h, &solve[type],
                         (dim3){(unsigned)((n + COLUMNS - 1) / COLUMNS),
                                (unsigned)(now < BATCH_MOST ? now : BATCH_MOST),
                                1},
                         COLUMNS, &p);
    }
    return is;
}

/* Block by block along the diagonal: what is solved is taken from the rows that
 * are not. */
static cublasStatus_t solve_all(cublasHandle_t h, blas_type type, blas_matrix a,
                                blas_matrix b, long long m, long long n,
                                long long count)
{
    bool lower = a.shape & BLAS_LOWER;
    blas_matrix general = a;
    cublasStatus_t is = CUBLAS_STATUS_SUCCESS;

    general.shape &= BLAS_CONJUGATE;
    for (long long done = 0; done < m && is == CUBLAS_STATUS_SUCCESS;) {
        long long left = m - done;
        long long rows = left < BLAS_SOLVE_ROWS ? left : BLAS_SOLVE_ROWS;
        long long at = lower ? done : left - rows;
        long long rest = lower ? at + rows : 0;

        is = solve_block(h, type, part(a, at, at), part(b, at, 0), rows, n,
                         count);
        done += rows;
        if (done == m || is != CUBLAS_STATUS_SUCCESS)
            break;
        blas_product p = {
            .m = m - done,
            .n = n,
            .k = rows,
            .a = part(general, rest, at),
            .b = part(b, at, 0),
            .c = part(b, rest, 0),
            .alpha = blas_constant(-1),
            .beta = blas_constant(1),
        };
        is = blas_multiply(h, (blas_product_kind)type, &p, count);
    }
    return is;
}

typedef struct triangle_system {
    cublasSideMode_t side;
    cublasFillMode_t fill;
    cublasOperation_t op;
    cublasDiagType_t diagonal;
    long long m, n;
    blas_scalar alpha;
    blas_matrix a, b;
    long long count;
} triangle_system;

static cublasStatus_t check(const triangle_system *s)
{
    bool left = s->side == CUBLAS_SIDE_LEFT;

    BLAS_NEED(left || s->side == CUBLAS_SIDE_RIGHT, "there is no side %d",
              (int)s->side);
    BLAS_NEED(s->fill == CUBLAS_FILL_MODE_LOWER ||
                  s->fill == CUBLAS_FILL_MODE_UPPER,
              "there is no fill mode %d", (int)s->fill);
    BLAS_NEED(blas_is_op(s->op), "there is no operation %d", (int)s->op);
    BLAS_NEED(s->diagonal == CUBLAS_DIAG_NON_UNIT ||
                  s->diagonal == CUBLAS_DIAG_UNIT,
              "there is no kind of diagonal %d", (int)s->diagonal);
    BLAS_NEED(s->m >= 0 && s->n >= 0 && s->count >= 0,
              "a size is negative: m %lld, n %lld, batch of %lld", s->m, s->n,
              s->count);
    BLAS_NEED(blas_lead_fits(s->a.column, left ? s->m : s->n),
              "lda %lld is less than a's rows", s->a.column);
    return CUBLAS_STATUS_SUCCESS;
}

/* x op(a) = b is op(a)^T x^T = b^T. */
static cublasStatus_t trsm(cublasHandle_t h, blas_type type, triangle_system *s,
                           cublasSideMode_t side, cublasFillMode_t fill,
                           cublasOperation_t op, cublasDiagType_t diagonal,
                           long long m, long long n)
{
    bool left = side == CUBLAS_SIDE_LEFT;

    s->side = side, s->fill = fill, s->op = op, s->diagonal = diagonal;
    s->m = m, s->n = n;
    cublasStatus_t is = check(s);

    if (is != CUBLAS_STATUS_SUCCESS || s->m == 0 || s->n == 0)
        return is;
    blas_product scale = {
        /* b = alpha b, zeros where alpha is 0 */
        .m = s->m,
        .n = s->n,
        .c = s->b,
        .beta = s->alpha,
    };
    if ((is = blas_multiply(h, (blas_product_kind)type, &scale, s->count)) !=
        CUBLAS_STATUS_SUCCESS)
        return is;
    s->a.shape = BLAS_TRIANGULAR |
                 (s->fill == CUBLAS_FILL_MODE_LOWER ? BLAS_LOWER : BLAS_UPPER) |
                 (s->diagonal == CUBLAS_DIAG_UNIT ? BLAS_UNIT : 0);
    s->a = blas_op(s->a, s->op);
    if (left)
        return solve_all(h, type, s->a, s->b, s->m, s->n, s->count);
    return solve_all(h, type, blas_op(s->a, CUBLAS_OP_T),
                     blas_op(s->b, CUBLAS_OP_T), s->n, s->m, s->count);
}

static blas_matrix addressed(const void *at, long long lead)
{
    blas_matrix m = blas_stored(at, lead);

    m.addresses = true;
    return m;
}

#define TRSM(letter, T, type, I, end)                                          \
    API(cublas##letter##trsm_v2##end,                                          \
        (cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,       \
         cublasOperation_t op, cublasDiagType_t diagonal, I m, I n,            \
         const T *alpha, const T *a, I lda, T *b, I ldb))                      \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        BLAS_NEED(alpha, "alpha is NULL");                                     \
        BLAS_NEED(blas_lead_fits(ldb, m), "ldb is less than b's rows");        \
        triangle_system s = {.alpha = blas_factor(h, alpha, type),             \
                             .a = blas_stored(a, lda),                         \
                             .b = blas_stored(b, ldb),                         \
                             .count = 1};                                      \
        return trsm(h, type, &s, side, fill, op, diagonal, m, n);              \
    }                                                                          \
    API(cublas##letter##trsmBatched##end,                                      \
        (cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,       \
         cublasOperation_t op, cublasDiagType_t diagonal, I m, I n,            \
         const T *alpha, const T *const a[], I lda, T *const b[], I ldb,       \
         I count))                                                             \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        BLAS_NEED(alpha, "alpha is NULL");                                     \
        BLAS_NEED(blas_lead_fits(ldb, m), "ldb is less than b's rows");        \
        triangle_system s = {.alpha = blas_factor(h, alpha, type),             \
                             .a = addressed(a, lda),                           \
                             .b = addressed(b, ldb),                           \
                             .count = count};                                  \
        return trsm(h, type, &s, side, fill, op, diagonal, m, n);              \
    }                                                                          \
    API(cublas##letter##trsv_v2##end,                                          \
        (cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op,        \
         cublasDiagType_t diagonal, I n, const T *a, I lda, T *x, I incx))     \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        BLAS_NEED(incx, "incx is 0");                                          \
        blas_vector v = blas_vector_of((blas_operand){x, incx, type}, n);      \
        triangle_system s = {.alpha = blas_constant(1),                        \
                             .a = blas_stored(a, lda),                         \
                             .b = {.at = v.at, .row = v.step},                 \
                             .count = 1};                                      \
        return trsm(h, type, &s, CUBLAS_SIDE_LEFT, fill, op, diagonal, n, 1);  \
    }
BLAS_FOUR(TRSM, )

/* ---- Batches of factors ---- */

static cublasStatus_t check_batch(long long n, long long lda, long long count)
{
    BLAS_NEED(n >= 0 && count >= 0, "a size is negative: n %lld, batch of %lld",
              n, count);
    BLAS_NEED(blas_lead_fits(lda, n), "lda %lld is less than a's rows", lda);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t factor(cublasHandle_t h, blas_type type, int n,
                             const void *a, int lda, int *pivots, int *info,
                             int count)
{
    blas_factors p = {n, addressed(a, lda), pivots, info};
    cublasStatus_t is = check_batch(n, lda, count);

    if (is != CUBLAS_STATUS_SUCCESS || n == 0 || count == 0)
        return is;
    BLAS_NEED(a && info,
              "no matrices, or no place for what is wrong with them");
    return blas_launch(h, &getrf[type], (dim3){(unsigned)count, 1, 1}, THREADS,
                       &p);
}

/* b = op(l u)^-1 b, without the rows' exchange. */
static cublasStatus_t solve_factors(cublasHandle_t h, blas_type type,
                                    cublasOperation_t op, blas_matrix a,
                                    blas_matrix b, long long n,
                                    long long columns, long long count)
{
    blas_matrix l = a, u = a;

    l.shape = BLAS_TRIANGULAR | BLAS_LOWER | BLAS_UNIT;
    u.shape = BLAS_TRIANGULAR | BLAS_UPPER;
    l = blas_op(l, op);
    u = blas_op(u, op);
    bool plain = op == CUBLAS_OP_N;
    cublasStatus_t is = solve_all(h, type, plain ? l : u, b, n, columns, count);
    return is == CUBLAS_STATUS_SUCCESS
               ? solve_all(h, type, plain ? u : l, b, n, columns, count)
               : is;
}

static cublasStatus_t exchange_rows(cublasHandle_t h, blas_type type,
                                    blas_exchange *p, long long count)
{
    if (!p->pivots && !p->identity)
        return CUBLAS_STATUS_SUCCESS;
    return blas_launch(h, &exchange[type], (dim3){(unsigned)count, 1, 1},
                       THREADS, p);
}

static cublasStatus_t solve_batch(cublasHandle_t h, blas_type type,
                                  cublasOperation_t op, blas_exchange *p,
                                  blas_matrix a, int *info, long long count)
{
    bool plain = op == CUBLAS_OP_N;
    cublasStatus_t is = check_batch(p->n, a.column, count);

    if (is != CUBLAS_STATUS_SUCCESS)
        return is;
    BLAS_NEED(blas_is_op(op), "there is no operation %d", (int)op);
    BLAS_NEED(p->columns >= 0 && blas_lead_fits(p->b.column, p->n),
              "%lld columns, ldb %lld", p->columns, p->b.column);
    BLAS_NEED(info, "no place for what is wrong");
    *info = 0;
    if (p->n == 0 || p->columns == 0 || count == 0)
        return is;
    p->backwards = !plain;
    if (plain)
        is = exchange_rows(h, type, p, count);
    if (is == CUBLAS_STATUS_SUCCESS)
        is = solve_factors(h, type, op, a, p->b, p->n, p->columns, count);
    return is == CUBLAS_STATUS_SUCCESS && !plain
               ? exchange_rows(h, type, p, count)
               : is;
}

static cublasStatus_t invert(cublasHandle_t h, blas_type type, blas_exchange *p,
                             long long count)
{
    cublasStatus_t is = check_batch(p->n, p->a.column, count);

    if (is != CUBLAS_STATUS_SUCCESS)
        return is;
    BLAS_NEED(blas_lead_fits(p->b.column, p->n),
              "ldc %lld is less than c's rows", p->b.column);
    BLAS_NEED(p->info, "no place for what is wrong");
    if (p->n == 0 || count == 0)
        return is;
    is = exchange_rows(h, type, p, count);
    return is == CUBLAS_STATUS_SUCCESS
               ? solve_factors(h, type, CUBLAS_OP_N, p->a, p->b, p->n, p->n,
                               count)
               : is;
}

#define FACTORS(letter, T, type)                                               \
    API(cublas##letter##getrfBatched,                                          \
        (cublasHandle_t h, int n, T *const a[], int lda, int *pivots,          \
         int *info, int count))                                                \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return factor(h, type, n, a, lda, pivots, info, count);                \
    }                                                                          \
    API(cublas##letter##getrsBatched,                                          \
        (cublasHandle_t h, cublasOperation_t op, int n, int columns,           \
         const T *const a[], int lda, const int *pivots, T *const b[],         \
         int ldb, int *info, int count))                                       \
    {                                                                          \
        blas_exchange p = {.n = n,                                             \
                           .columns = columns,                                 \
                           .b = addressed(b, ldb),                             \
                           .pivots = pivots};                                  \
                                                                               \
        BLAS_CALL(h);                                                          \
        return solve_batch(h, type, op, &p, addressed(a, lda), info, count);   \
    }                                                                          \
    API(cublas##letter##getriBatched,                                          \
        (cublasHandle_t h, int n, const T *const a[], int lda,                 \
         const int *pivots, T *const c[], int ldc, int *info, int count))      \
    {                                                                          \
        blas_exchange p = {.n = n,                                             \
                           .columns = n,                                       \
                           .b = addressed(c, ldc),                             \
                           .pivots = pivots,                                   \
                           .identity = true,                                   \
                           .a = addressed(a, lda),                             \
                           .info = info};                                      \
                                                                               \
        BLAS_CALL(h);                                                          \
        return invert(h, type, &p, count);                                     \
    }
FACTORS(S, float, BLAS_F32)
FACTORS(D, double, BLAS_F64)
FACTORS(C, cuComplex, BLAS_C32)
FACTORS(Z, cuDoubleComplex, BLAS_C64)
