/* tests/cublas/test_gemm.c - products of matrices against sums in double. */
#include <math.h>

#include "cublas.h"
#include "test.h"

static cublasHandle_t handle(void)
{
    static cublasHandle_t h;

    if (!h)
        CHECK_EQ(cublasCreate_v2(&h), OK);
    return h;
}

static void *managed(size_t bytes)
{
    void *p;

    CHECK_EQ(cudaMallocManaged(&p, bytes ? bytes : 1, 1), cudaSuccess);
    return p;
}

static float *noise(size_t n, unsigned seed)
{
    float *p = managed(n * sizeof *p);

    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        p[i] = (float)(int)(seed >> 8) / (1 << 23) - 1;
    }
    return p;
}

static void check_sgemm(int ta, int tb, int m, int n, int k, float alpha,
                        float beta)
{
    int lda = (ta ? k : m) + 3, ldb = (tb ? n : k) + 1, ldc = m + 2;
    float *a = noise((size_t)lda * (unsigned)(ta ? m : k), 1);
    float *b = noise((size_t)ldb * (unsigned)(tb ? k : n), 2);
    float *c = noise((size_t)ldc * (unsigned)n, 3);
    float *before = noise((size_t)ldc * (unsigned)n, 3);

    CHECK_EQ(cublasSgemm_v2(handle(), ta, tb, m, n, k, &alpha, a, lda, b, ldb,
                            &beta, c, ldc),
             OK);
    CHECK_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < ldc; i++) {
            double sum = 0, size = 0;
            size_t at = (size_t)j * (unsigned)ldc + (unsigned)i;

            if (i >= m) {
                CHECK(c[at] == before[at]);
                continue;
            }
            for (int q = 0; q < k; q++) {
                double x = ta ? a[i * lda + q] : a[q * lda + i];
                double y = tb ? b[j + q * ldb] : b[q + j * ldb];

                sum += x * y;
                size += fabs(x * y);
            }
            double want = alpha * sum + beta * before[at];
            double bound = (k + 3) * 0x1p-24 *
                           (fabs(alpha) * size + fabs(beta * before[at]));
            CHECK(fabs(c[at] - want) <= bound);
        }
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(before);
}

TEST(sgemm_of_all_transposes)
{
    for (int ta = 0; ta < 3; ta++)
        for (int tb = 0; tb < 3; tb++) {
            check_sgemm(ta, tb, 37, 29, 23, 1.5f, -0.5f);
            check_sgemm(ta, tb, 130, 70, 33, 1, 0);
        }
}
