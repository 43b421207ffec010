/* Level 2, and functions of matrices element by element. */
#include "cublas/product.h"
#include "cublas/vectors.h"

BLAS_FAMILY(dense);
extern library_code LIBRARY_CODE(cublas, dense_h);

enum { THREADS = 128, BATCH_MOST = 65535 };

/* ---- Matrix with vector ---- */

typedef struct kernel_pair {
    library_kernel *rows, *row; /* a thread, or a CTA for each row */
} kernel_pair;

static library_kernel gemv_rows[] = BLAS_KERNELS(dense, gemv_rows),
                      gemv_row[] = BLAS_KERNELS(dense, gemv_row);

static kernel_pair gemv_of(blas_type type)
{
    return (kernel_pair){&gemv_rows[type], &gemv_row[type]};
}

static cublasStatus_t image(cublasHandle_t h, kernel_pair k, blas_image *p,
                            long long count)
{
    enum { ENOUGH = 256 };
    bool rows = p->a.row == 1 && p->m >= ENOUGH;
    long long grid = rows ? (p->m + THREADS - 1) / THREADS : p->m;
    cublasStatus_t is = CUBLAS_STATUS_SUCCESS;

    if (grid > INT32_MAX)
        return blas_fail(CUBLAS_STATUS_NOT_SUPPORTED, "a result of %lld rows",
                         p->m);
    for (p->first = 0; p->first < count && is == CUBLAS_STATUS_SUCCESS;
         p->first += BATCH_MOST) {
        long long now = count - p->first;

        is = blas_launch(h, rows ? k.rows : k.row,
                         (dim3){(unsigned)grid,
                                (unsigned)(now < BATCH_MOST ? now : BATCH_MOST),
                                1},
                         THREADS, p);
    }
    return is;
}

typedef struct gemv {
    cublasOperation_t op;
    long long m, n;
    const void *alpha, *beta;
    blas_type factor, type, out; /* of alpha and beta, of a and x, of y */
    const void *a, *x, *y;
    long long lda, incx, incy;
    long long step_a, step_x, step_y;
    long long count;
    bool addresses;
} gemv;

/* The vector as a column, of `n` elements. */
static blas_matrix column(const gemv *g, const void *at, long long step,
                          long long n, long long next)
{
    blas_matrix m = {.at = at, .row = step, .batch = next};

    m.addresses = g->addresses;
    if (step < 0)
        m.offset = (n - 1) * -step;
    return m;
}

static cublasStatus_t gemv_run(cublasHandle_t h, kernel_pair k, const gemv *g)
{
    bool plain = g->op == CUBLAS_OP_N;
    long long rows = plain ? g->m : g->n, columns = plain ? g->n : g->m;

    BLAS_NEED(blas_is_op(g->op), "there is no operation %d", (int)g->op);
    BLAS_NEED(g->m >= 0 && g->n >= 0 && g->count >= 0,
              "a size is negative: m %lld, n %lld, batch of %lld", g->m, g->n,
              g->count);
    BLAS_NEED(blas_lead_fits(g->lda, g->m), "lda %lld is less than a's rows",
              g->lda);
    BLAS_NEED(g->incx && g->incy, "incx or incy is 0");
    BLAS_NEED(g->alpha && g->beta, "alpha or beta is NULL");
    if (rows == 0 || columns == 0)
        return CUBLAS_STATUS_SUCCESS;
    blas_image p = {
        .m = rows,
        .n = columns,
        .a = blas_stored(g->a, g->lda),
        .x = column(g, g->x, g->incx, columns, g->step_x),
        .y = column(g, g->y, g->incy, rows, g->step_y),
        .alpha = blas_factor(h, g->alpha, g->factor),
        .beta = blas_factor(h, g->beta, g->factor),
    };
    p.a.batch = g->step_a;
    p.a.addresses = g->addresses;
    p.a = blas_op(p.a, g->op);
    return image(h, k, &p, g->count);
}

#define GEMV(name, kernels, factor, type, out, F, T, O, I)                     \
    API(name,                                                                  \
        (cublasHandle_t h, cublasOperation_t op, I m, I n, const F *alpha,     \
         const T *a, I lda, const T *x, I incx, const F *beta, O *y, I incy))  \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return gemv_run(h, kernels,                                            \
                        &(gemv){op, m, n, alpha, beta, factor, type, out, a,   \
                                x, y, lda, incx, incy, .count = 1});           \
    }
#define GEMV_BATCHED(name, kernels, factor, type, out, F, T, O, I)             \
    API(name, (cublasHandle_t h, cublasOperation_t op, I m, I n,               \
               const F *alpha, const T *const a[], I lda, const T *const x[],  \
               I incx, const F *beta, O *const y[], I incy, I count))          \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return gemv_run(h, kernels,                                            \
                        &(gemv){op, m, n, alpha, beta, factor, type, out, a,   \
                                x, y, lda, incx, incy, .count = count,         \
                                .addresses = true});                           \
    }
#define GEMV_STRIDED(name, kernels, factor, type, out, F, T, O, I)             \
    API(name, (cublasHandle_t h, cublasOperation_t op, I m, I n,               \
               const F *alpha, const T *a, I lda, long long step_a,            \
               const T *x, I incx, long long step_x, const F *beta, O *y,      \
               I incy, long long step_y, I count))                             \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return gemv_run(h, kernels,                                            \
                        &(gemv){op, m, n, alpha, beta, factor, type, out, a,   \
                                x, y, lda, incx, incy, step_a, step_x, step_y, \
                                count, false});                                \
    }
#define GEMVS(letter, T, type, I, end)                                         \
    GEMV(cublas##letter##gemv_v2##end, gemv_of(type), type, type, type, T, T,  \
         T, I)                                                                 \
    GEMV_BATCHED(cublas##letter##gemvBatched##end, gemv_of(type), type, type,  \
                 type, T, T, T, I)                                             \
    GEMV_STRIDED(cublas##letter##gemvStridedBatched##end, gemv_of(type), type, \
                 type, type, T, T, T, I)
BLAS_FOUR(GEMVS, )

/* Of numbers of 16 bits, with factors that are singles. */
typedef uint16_t half;
#define GEMV_SHORT(letters, kernel, type, out, T, O)                           \
    static library_kernel kernel##_rows =                                      \
        BLAS_KERNEL(dense_h, kernel##gemv_rows),                               \
                          kernel##_row =                                       \
                              BLAS_KERNEL(dense_h, kernel##gemv_row);          \
    GEMV_BATCHED(cublas##letters##gemvBatched,                                 \
                 ((kernel_pair){&kernel##_rows, &kernel##_row}), BLAS_F32,     \
                 type, out, float, T, O, int)                                  \
    GEMV_BATCHED(cublas##letters##gemvBatched_64,                              \
                 ((kernel_pair){&kernel##_rows, &kernel##_row}), BLAS_F32,     \
                 type, out, float, T, O, int64_t)                              \
    GEMV_STRIDED(cublas##letters##gemvStridedBatched,                          \
                 ((kernel_pair){&kernel##_rows, &kernel##_row}), BLAS_F32,     \
                 type, out, float, T, O, int)                                  \
    GEMV_STRIDED(cublas##letters##gemvStridedBatched_64,                       \
                 ((kernel_pair){&kernel##_rows, &kernel##_row}), BLAS_F32,     \
                 type, out, float, T, O, int64_t)
GEMV_SHORT(HSH, hsh, BLAS_F16, BLAS_F16, half, half)
GEMV_SHORT(HSS, hss, BLAS_F16, BLAS_F32, half, float)
GEMV_SHORT(TST, tst, BLAS_BF16, BLAS_BF16, half, half)
GEMV_SHORT(TSS, tss, BLAS_BF16, BLAS_F32, half, float)

/* y = alpha a x + beta y, of which a triangle of a is stored. */
static cublasStatus_t symv(cublasHandle_t h, blas_type type, int shape,
                           cublasFillMode_t fill, long long n,
                           const void *alpha, const void *beta, const void *a,
                           long long lda, blas_operand x, blas_operand y)
{
    BLAS_NEED(fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER,
              "there is no fill mode %d", (int)fill);
    BLAS_NEED(n >= 0, "n is negative: %lld", n);
    BLAS_NEED(blas_lead_fits(lda, n), "lda %lld is less than a's rows", lda);
    BLAS_NEED(x.step && y.step, "incx or incy is 0");
    BLAS_NEED(alpha && beta, "alpha or beta is NULL");
    if (n == 0)
        return CUBLAS_STATUS_SUCCESS;
    blas_vector vx = blas_vector_of(x, n), vy = blas_vector_of(y, n);
    blas_image p = {
        .m = n,
        .n = n,
        .a = blas_stored(a, lda),
        .x = {.at = vx.at, .row = vx.step},
        .y = {.at = vy.at, .row = vy.step},
        .alpha = blas_factor(h, alpha, type),
        .beta = blas_factor(h, beta, type),
    };
    p.a.shape =
        shape | (fill == CUBLAS_FILL_MODE_LOWER ? BLAS_LOWER : BLAS_UPPER);
    return image(h, gemv_of(type), &p, 1);
}

#define SYMV(name, shape, T, type, I)                                          \
    API(name,                                                                  \
        (cublasHandle_t h, cublasFillMode_t fill, I n, const T *alpha,         \
         const T *a, I lda, const T *x, I incx, const T *beta, T *y, I incy))  \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return symv(h, type, shape, fill, n, alpha, beta, a, lda,              \
                    (blas_operand){x, incx, type},                             \
                    (blas_operand){y, incy, type});                            \
    }
#define SYMVS(letter, T, type, I, end)                                         \
    SYMV(cublas##letter##symv##end, BLAS_SYMMETRIC, T, type, I)
#define HEMVS(letter, T, type, I, end)                                         \
    SYMV(cublas##letter##hemv##end, BLAS_HERMITIAN, T, type, I)
BLAS_FOUR(SYMVS, _v2)
BLAS_COMPLEX(HEMVS, _v2)

/* ---- a = alpha x y^T + a: products of a depth of one ---- */

static cublasStatus_t ger(cublasHandle_t h, blas_type type, long long m,
                          long long n, const void *alpha, blas_operand x,
                          blas_operand y, bool conjugate, void *a,
                          long long lda)
{
    BLAS_NEED(m >= 0 && n >= 0, "a size is negative: m %lld, n %lld", m, n);
    BLAS_NEED(x.step && y.step, "incx or incy is 0");
    BLAS_NEED(blas_lead_fits(lda, m), "lda %lld is less than a's rows", lda);
    BLAS_NEED(alpha, "alpha is NULL");
    blas_vector vx = blas_vector_of(x, m), vy = blas_vector_of(y, n);
    blas_product p = {
        .m = m,
        .n = n,
        .k = 1,
        .a = {.at = vx.at, .row = vx.step},
        .b = {.at = vy.at,
              .column = vy.step,
              .shape = conjugate ? BLAS_CONJUGATE : 0},
        .c = blas_stored(a, lda),
        .alpha = blas_factor(h, alpha, type),
        .beta = blas_constant(1),
    };
    return blas_multiply(h, (blas_product_kind)type, &p, 1);
}

#define GER(name, T, type, I, conjugate)                                       \
    API(name, (cublasHandle_t h, I m, I n, const T *alpha, const T *x, I incx, \
               const T *y, I incy, T *a, I lda))                               \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return ger(h, type, m, n, alpha, (blas_operand){x, incx, type},        \
                   (blas_operand){y, incy, type}, conjugate, a, lda);          \
    }
#define GER_REAL(letter, T, type, I, end)                                      \
    GER(cublas##letter##ger##end, T, type, I, false)
#define GER_COMPLEX(letter, T, type, I, end)                                   \
    GER(cublas##letter##geru##end, T, type, I, false)                          \
    GER(cublas##letter##gerc##end, T, type, I, true)
BLAS_REAL(GER_REAL, _v2)
BLAS_COMPLEX(GER_COMPLEX, _v2)

/* ---- Element by element ---- */

static library_kernel geam[] = BLAS_KERNELS(dense, geam),
                      dgmm[] = BLAS_KERNELS(dense, dgmm);

static cublasStatus_t each(cublasHandle_t h, library_kernel *k, blas_sum *p)
{
    enum { GRID_MOST = 65536 };
    long long grid = (p->m * p->n + THREADS - 1) / THREADS;

    if (grid == 0)
        return CUBLAS_STATUS_SUCCESS;
    return blas_launch(
        h, k, (dim3){(unsigned)(grid < GRID_MOST ? grid : GRID_MOST), 1, 1},
        THREADS, p);
}

/* c may be a or b, if it is the same matrix. */
static bool apart(const void *a, long long lda, cublasOperation_t op,
                  const void *c, long long ldc)
{
    return a != c || (lda == ldc && op == CUBLAS_OP_N);
}

#define GEAM(letter, T, type, I, end)                                          \
    API(cublas##letter##geam##end,                                             \
        (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, I m,    \
         I n, const T *alpha, const T *a, I lda, const T *beta, const T *b,    \
         I ldb, T *c, I ldc))                                                  \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        BLAS_NEED(blas_is_op(ta) && blas_is_op(tb),                            \
                  "there is no operation %d or %d", (int)ta, (int)tb);         \
        BLAS_NEED(m >= 0 && n >= 0, "a size is negative");                     \
        BLAS_NEED(alpha &&beta, "alpha or beta is NULL");                      \
        BLAS_NEED(blas_lead_fits(lda, ta == CUBLAS_OP_N ? m : n) &&            \
                      blas_lead_fits(ldb, tb == CUBLAS_OP_N ? m : n) &&        \
                      blas_lead_fits(ldc, m),                                  \
                  "lda, ldb or ldc is less than the matrix' rows");            \
        BLAS_NEED(apart(a, lda, ta, c, ldc) && apart(b, ldb, tb, c, ldc),      \
                  "c is a or b, but not in the same form");                    \
        blas_sum p = {.m = m,                                                  \
                      .n = n,                                                  \
                      .a = blas_op(blas_stored(a, lda), ta),                   \
                      .b = blas_op(blas_stored(b, ldb), tb),                   \
                      .c = blas_stored(c, ldc),                                \
                      .alpha = blas_factor(h, alpha, type),                    \
                      .beta = blas_factor(h, beta, type)};                     \
        return each(h, &geam[type], &p);                                       \
    }
BLAS_FOUR(GEAM, )

#define DGMM(letter, T, type, I, end)                                          \
    API(cublas##letter##dgmm##end,                                             \
        (cublasHandle_t h, cublasSideMode_t side, I m, I n, const T *a, I lda, \
         const T *x, I incx, T *c, I ldc))                                     \
    {                                                                          \
        bool columns = side == CUBLAS_SIDE_RIGHT;                              \
                                                                               \
        BLAS_CALL(h);                                                          \
        BLAS_NEED(columns || side == CUBLAS_SIDE_LEFT, "there is no side %d",  \
                  (int)side);                                                  \
        BLAS_NEED(m >= 0 && n >= 0, "a size is negative");                     \
        BLAS_NEED(blas_lead_fits(lda, m) && blas_lead_fits(ldc, m),            \
                  "lda or ldc is less than the matrix' rows");                 \
        blas_operand given = {x, incx, type};                                  \
        blas_sum p = {.m = m,                                                  \
                      .n = n,                                                  \
                      .a = blas_stored(a, lda),                                \
                      .c = blas_stored(c, ldc),                                \
                      .x = blas_vector_of(given, columns ? n : m),             \
                      .columns = columns};                                     \
        return each(h, &dgmm[type], &p);                                       \
    }
BLAS_FOUR(DGMM, )
