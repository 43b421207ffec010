#include "cublas/product.h"

BLAS_FAMILY(product);
extern library_code LIBRARY_CODE(cublas, product_h),
    LIBRARY_CODE(cublas, product_i);

/* Kernels for tiles of 64 and of 16 rows and columns. */
static library_kernel kernels[BLAS_PRODUCT_KINDS][2] = {
#define PRODUCT(id, file, kernel)                                              \
    [BLAS_PRODUCT_##                                                           \
        id] = {BLAS_KERNEL(file, kernel##_64), BLAS_KERNEL(file, kernel##_16)}
    PRODUCT(S, product_s, sgemm), PRODUCT(D, product_d, dgemm),
    PRODUCT(C, product_c, cgemm), PRODUCT(Z, product_z, zgemm),
    PRODUCT(H, product_h, hgemm), PRODUCT(HS, product_h, hsgemm),
    PRODUCT(B, product_h, bgemm), PRODUCT(BS, product_h, bsgemm),
    PRODUCT(I, product_i, igemm), PRODUCT(IS, product_i, isgemm),
#undef PRODUCT
};

blas_matrix blas_stored(const void *at, long long lead)
{
    return (blas_matrix){.at = at, .row = 1, .column = lead};
}

blas_matrix blas_op(blas_matrix m, cublasOperation_t op)
{
    long long row = m.row;
    int triangle = m.shape & (BLAS_LOWER | BLAS_UPPER);

    if (op != CUBLAS_OP_N && op != CUBLAS_OP_CONJG) {
        m.row = m.column;
        m.column = row;
        if (triangle)
            m.shape ^= BLAS_LOWER | BLAS_UPPER;
    }
    if (op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG)
        m.shape ^= BLAS_CONJUGATE;
    return m;
}

static long long tiles(long long size, long long tile)
{
    return (size + tile - 1) / tile;
}

cublasStatus_t blas_multiply(cublasHandle_t h, blas_product_kind kind,
                             blas_product *p, long long count)
{
    /* Fewer large tiles than this leave most of a GPU without work. */
    enum { ENOUGH = 64, BATCH_MOST = 65535 };
    long long large = tiles(p->m, 64) * tiles(p->n, 64);
    bool small = p->m <= 32 || p->n <= 32 || large * count < ENOUGH;
    long long grid = small ? tiles(p->m, 16) * tiles(p->n, 16) : large;
    cublasStatus_t is = CUBLAS_STATUS_SUCCESS;

    if (p->m == 0 || p->n == 0)
        return is;
    if (grid > INT32_MAX)
        return blas_fail(CUBLAS_STATUS_NOT_SUPPORTED,
                         "a result of more than 2^31 tiles");
    for (p->first = 0; p->first < count && is == CUBLAS_STATUS_SUCCESS;
         p->first += BATCH_MOST) {
        long long now = count - p->first;

        is = blas_launch(h, &kernels[kind][small],
                         (dim3){(unsigned)grid,
                                (unsigned)(now < BATCH_MOST ? now : BATCH_MOST),
                                1},
                         256, p);
    }
    return is;
}
