/* tests/cublas/test_matrices.c - level 2 and 3 but for gemm, factors. */
#include "numbers.h"

TEST(matrix_with_vector)
{
    static const int sizes[][2] = {{40, 33}, {301, 20}, {5, 700}};

    for (int type = S; type <= Z; type++)
        for (int how = OP_N; how <= OP_C; how++)
            for (int s = 0; s < 3; s++) {
                int m = sizes[s][0], n = sizes[s][1], lda = m + 1;
                int rows = how ? n : m, columns = how ? m : n;
                void *a = noise(type, (long)lda * n, 1);
                void *x = noise(type, 2L * columns, 2);
                void *y = noise(type, rows, 3), *y0 = noise(type, rows, 3);
                number alpha = type < C ? 0.5 : 0.5 + I, beta = 2;

                CHECK_EQ(gemv[type](handle(), how, m, n, factor(type, alpha), a,
                                    lda, x, -2, factor(type, beta), y, 1),
                         OK);
                finish();
                for (int i = 0; i < rows; i++) {
                    number sum = 0, old = get(type, y0, i);
                    double size = 0;

                    for (int j = 0; j < columns; j++) {
                        number v = element(type, a, lda, how, i, j) *
                                   get(type, x, 2L * (columns - 1 - j));

                        sum += v;
                        size += cabs(v);
                    }
                    CHECK(near(type, get(type, y, i), alpha * sum + beta * old,
                               cabs(alpha) * size + cabs(beta * old), columns));
                }
                cudaFree(a), cudaFree(x), cudaFree(y), cudaFree(y0);
            }
}

TEST(rank_one_and_symmetric_vectors)
{
    for (int type = S; type <= Z; type++) {
        const int m = 35, n = 20, lda = 37;
        void *a = noise(type, lda * m, 1), *a0 = noise(type, lda * m, 1);
        void *x = noise(type, m, 2), *y = noise(type, 2 * n, 3);

        CHECK_EQ(ger[type](handle(), m, n, factor(type, 2), x, 1, y, 2, a, lda),
                 OK);
        CHECK_EQ(
            gerc[type](handle(), m, n, factor(type, 1), x, 1, y, 2, a, lda),
            OK);
        finish();
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                number v = get(type, x, i), w = get(type, y, 2 * j);
                number old = get(type, a0, i + j * lda);

                CHECK(near(type, get(type, a, i + j * lda),
                           old + 2 * v * w + v * conj(w),
                           cabs(old) + 3 * cabs(v * w), 4));
            }
        for (int fill = LOWER; fill <= UPPER; fill++) {
            void *out = noise(type, m, 7);

            CHECK_EQ(symv[type](handle(), fill, m, factor(type, 1), a, lda, x,
                                1, factor(type, 0), out, 1),
                     OK);
            finish();
            for (int i = 0; i < m; i++) {
                number sum = 0;

                for (int j = 0; j < m; j++)
                    sum += mirrored(type, a, lda, fill, false, i, j) *
                           get(type, x, j);
                CHECK(near(type, get(type, out, i), sum, 4 * m, m));
            }
            cudaFree(out);
        }
        cudaFree(a), cudaFree(a0), cudaFree(x), cudaFree(y);
    }
}

TEST(sums_and_diagonals)
{
    for (int type = S; type <= Z; type++)
        for (int t = 0; t < 9; t++) {
            const int m = 21, n = 13, ld = 25;
            void *a = noise(type, ld * ld, 1), *b = noise(type, ld * ld, 2);
            void *c = noise(type, ld * n, 3), *x = noise(type, 3 * m, 4);

            CHECK_EQ(geam[type](handle(), t / 3, t % 3, m, n, factor(type, 2),
                                a, ld, factor(type, -3), b, ld, c, ld),
                     OK);
            finish();
            for (int e = 0; e < m * n; e++) {
                int i = e % m, j = e / m;
                number want = 2 * element(type, a, ld, t / 3, i, j) -
                              3 * element(type, b, ld, t % 3, i, j);

                CHECK(near(type, get(type, c, i + j * ld), want, 8, 2));
            }
            CHECK_EQ(dgmm[type](handle(), t % 2, m, n, a, ld, x, 2, c, ld), OK);
            finish();
            for (int e = 0; e < m * n; e++) {
                int i = e % m, j = e / m;
                number want = get(type, a, i + j * ld) *
                              get(type, x, 2 * (t % 2 ? j : i));

                CHECK(near(type, get(type, c, i + j * ld), want, 2, 2));
            }
            cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(x);
        }
}

/* c = 0.5 op(a) op(b)' + 2 c in one triangle; b NULL: a. */
static void check_rank(int type, int fill, int how, bool conjugate, bool twice)
{
    const int n = 37, k = 20, ld = 40;
    void *a = noise(type, ld * ld, 1), *b = noise(type, ld * ld, 2);
    void *c = noise(type, ld * n, 3), *c0 = noise(type, ld * n, 3);
    number alpha = conjugate && twice ? 0.5 + I : 0.5;
    const void *factors[] = {factor(type, alpha), factor(type, 2), factor(D, 2),
                             factor(D, 0.5)};
    int flip = conjugate ? OP_C : OP_T;

    if (conjugate && twice)
        CHECK_EQ(cublasZher2k_v2(handle(), fill, how, n, k, factors[0], a, ld,
                                 b, ld, factors[2], c, ld),
                 OK);
    else if (conjugate)
        CHECK_EQ(cublasZherk_v2(handle(), fill, how, n, k, factors[3], a, ld,
                                factors[2], c, ld),
                 OK);
    else if (twice)
        CHECK_EQ(syr2k[type](handle(), fill, how, n, k, factors[0], a, ld, b,
                             ld, factors[1], c, ld),
                 OK);
    else
        CHECK_EQ(syrk[type](handle(), fill, how, n, k, factors[0], a, ld,
                            factors[1], c, ld),
                 OK);
    finish();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            number old = get(type, c0, i + j * ld), sum = 2 * old;
            number got = get(type, c, i + j * ld);

            for (int q = 0; q < k; q++) {
                number ai = element(type, a, ld, how, i, q);
                number aj = op(flip, element(type, a, ld, how, j, q));
                number bi = element(type, b, ld, how, i, q);
                number bj = op(flip, element(type, b, ld, how, j, q));

                sum += twice ? alpha * ai * bj + op(flip, alpha) * bi * aj
                             : alpha * ai * aj;
            }
            if (conjugate && i == j)
                sum = creal(sum);
            if (fill == LOWER ? i < j : i > j)
                CHECK(got == old);
            else
                CHECK(near(type, got, sum, 4 + 6.0 * k, 2 * k));
        }
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(c0);
}

TEST(rank_k)
{
    for (int type = S; type <= Z; type++)
        for (int v = 0; v < 8; v++)
            check_rank(type, v & 1, v & 2 ? OP_T : OP_N, false, v & 4);
    for (int v = 0; v < 8; v++)
        check_rank(Z, v & 1, v & 2 ? OP_C : OP_N, true, v & 4);
    CHECK_EQ(cublasZherk_v2(handle(), LOWER, OP_T, 1, 1, factor(D, 1), NULL, 1,
                            factor(D, 1), NULL, 1),
             INVALID_VALUE);
}

static void check_symm(int type, int side, int fill, bool conjugate)
{
    const int m = 35, n = 18, ld = 41;
    void *a = noise(type, ld * ld, 1), *b = noise(type, ld * n, 2);
    void *c = noise(type, ld * n, 3), *c0 = noise(type, ld * n, 3);
    int order = side == LEFT ? m : n;

    CHECK_EQ((conjugate ? cublasZhemm_v2 : symm[type])(
                 handle(), side, fill, m, n, factor(type, 2), a, ld, b, ld,
                 factor(type, -1), c, ld),
             OK);
    finish();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            number sum = 0, old = get(type, c0, i + j * ld);

            for (int q = 0; q < order; q++)
                sum += side == LEFT
                           ? mirrored(type, a, ld, fill, conjugate, i, q) *
                                 get(type, b, q + j * ld)
                           : get(type, b, i + q * ld) *
                                 mirrored(type, a, ld, fill, conjugate, q, j);
            CHECK(near(type, get(type, c, i + j * ld), 2 * sum - old,
                       4.0 * order, order));
        }
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(c0);
}

TEST(symmetric_and_hermitian_products)
{
    for (int type = S; type <= Z; type++)
        for (int v = 0; v < 4; v++)
            check_symm(type, v & 1, v >> 1, false);
    for (int v = 0; v < 4; v++)
        check_symm(Z, v & 1, v >> 1, true);
}

/* op(a) x, or x op(a), element (i, j) of it. */
static number times(int type, int side, int fill, int how, int unit,
                    const void *a, long lda, const void *x, long ldx, int order,
                    int i, int j, double *size)
{
    number sum = 0;

    *size = 0;
    for (int q = 0; q < order; q++) {
        number v = side == LEFT
                       ? triangular(type, a, lda, fill, how, unit, i, q) *
                             get(type, x, q + j * ldx)
                       : get(type, x, i + q * ldx) *
                             triangular(type, a, lda, fill, how, unit, q, j);

        sum += v;
        *size += cabs(v);
    }
    return sum;
}

/* Products, of b in place and not, and systems: what solves them gives b. */
static void check_triangle(int type, int side, int fill, int how, int unit)
{
    const int m = 40, n = 35, ld = 43;
    int order = side == LEFT ? m : n;
    void *a = noise(type, ld * ld, 1), *b = noise(type, ld * n, 2);
    void *c = noise(type, ld * n, 3), *b0 = noise(type, ld * n, 2);

    for (int i = 0; i < ld * ld; i++) /* well conditioned, unit or not */
        put(type, a, i, get(type, a, i) / (type < C ? 16 : 32));
    for (int i = 0; i < ld; i++)
        put(type, a, i * (ld + 1), 1.5 + get(type, a, i * (ld + 1)));
    CHECK_EQ(trmm[type](handle(), side, fill, how, unit, m, n, factor(type, 2),
                        a, ld, b, ld, c, ld),
             OK);
    CHECK_EQ(trmm[type](handle(), side, fill, how, unit, m, n, factor(type, 2),
                        a, ld, b, ld, b, ld),
             OK);
    finish();
    for (int e = 0; e < m * n; e++) {
        int i = e % m, j = e / m;
        double size;
        number want = 2 * times(type, side, fill, how, unit, a, ld, b0, ld,
                                order, i, j, &size);

        CHECK(near(type, get(type, c, i + j * ld), want, 2 * size, order));
        CHECK(get(type, b, i + j * ld) == get(type, c, i + j * ld));
    }
    CHECK_EQ(trsm[type](handle(), side, fill, how, unit, m, n, factor(type, 3),
                        a, ld, c, ld),
             OK);
    finish();
    for (int e = 0; e < m * n; e++) {
        int i = e % m, j = e / m;
        double size;
        number back = times(type, side, fill, how, unit, a, ld, c, ld, order, i,
                            j, &size);

        CHECK(near(type, back, 3 * get(type, b, i + j * ld), 3 * size + 20,
                   4 * order));
    }
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(b0);
}

TEST(triangular_products_and_systems)
{
    for (int type = S; type <= Z; type++)
        for (int v = 0; v < 8; v++)
            for (int how = OP_N; how <= OP_C; how++)
                if (type == Z || how != OP_C)
                    check_triangle(type, v & 1, v >> 1 & 1, how, v >> 2);
}

TEST(systems_of_vectors)
{
    double *a = noise(D, 64 * 64, 1), *x = noise(D, 128, 2);
    double *b = noise(D, 128, 2);

    for (int i = 0; i < 64; i++)
        a[65 * i] += 20;
    CHECK_EQ(trsv[D](handle(), LOWER, OP_N, 0, 64, a, 64, x, 2), OK);
    finish();
    for (int i = 0; i < 64; i++) {
        double sum = 0;

        for (int j = 0; j <= i; j++)
            sum += a[i + 64 * j] * x[2 * j];
        CHECK(fabs(sum - b[2 * i]) < 1e-13);
    }
    cudaFree(a), cudaFree(x), cudaFree(b);
}

/* ---- Factors ---- */

static void check_factors(int type, int n)
{
    enum { COUNT = 3, COLUMNS = 4 };
    int lda = n + 2, host_info = 9, *pivots = shared(4 * COUNT * (size_t)n);
    int *info = shared(4 * COUNT);
    void *a = noise(type, (long)lda * n * COUNT, 1);
    void *a0 = noise(type, (long)lda * n * COUNT, 1);
    void *inverse = noise(type, (long)lda * n * COUNT, 2);
    void *b = noise(type, (long)lda * COLUMNS * COUNT, 3);
    void *b0 = noise(type, (long)lda * COLUMNS * COUNT, 3);
    char **list = shared(3 * COUNT * sizeof *list);
    size_t bytes = size_of[type] * (size_t)lda;

    for (int i = 0; i < COUNT; i++) {
        list[i] = (char *)a + bytes * (size_t)(n * i);
        list[COUNT + i] = (char *)inverse + bytes * (size_t)(n * i);
        list[2 * COUNT + i] = (char *)b + bytes * (size_t)(COLUMNS * i);
    }
    CHECK_EQ(getrfBatched[type](handle(), n, list, lda, pivots, info, COUNT),
             OK);
    CHECK_EQ(getriBatched[type](handle(), n, list, lda, pivots, list + COUNT,
                                lda, info, COUNT),
             OK);
    CHECK_EQ(getrsBatched[type](handle(), OP_T, n, COLUMNS, list, lda, pivots,
                                list + 2 * COUNT, lda, &host_info, COUNT),
             OK);
    finish();
    CHECK_EQ(host_info, 0);
    for (int s = 0; s < COUNT; s++) {
        const char *m = (char *)a0 + bytes * (size_t)(n * s);

        CHECK_EQ(info[s], 0);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                number sum = 0;

                for (int k = 0; k < n; k++)
                    sum += get(type, m, i + (long)k * lda) *
                           get(type, list[COUNT + s], k + (long)j * lda);
                CHECK(cabs(sum - (i == j)) < 2e4 * n * epsilon[type]);
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < COLUMNS; j++) {
                number sum = 0;
                const char *x = list[2 * COUNT + s];

                for (int k = 0; k < n; k++)
                    sum += get(type, m, k + (long)i * lda) *
                           get(type, x, k + (long)j * lda);
                CHECK(cabs(sum -
                           get(type, b0,
                               i + (long)j * lda + (long)lda * COLUMNS * s)) <
                      2e4 * n * epsilon[type]);
            }
    }
    cudaFree(a), cudaFree(a0), cudaFree(inverse), cudaFree(b), cudaFree(b0);
    cudaFree(list), cudaFree(pivots), cudaFree(info);
}

TEST(factors_inverses_and_systems)
{
    for (int type = S; type <= Z; type++) {
        check_factors(type, 5);
        check_factors(type, 50);
    }
}

TEST(a_zero_pivot_is_told)
{
    double *a = shared(9 * 8);
    double **list = shared(8);
    int *info = shared(4), *pivots = shared(12);
    const double values[] = {1, 2, 4, 2, 4, 8, 1, 1, 2};

    memcpy(a, values, sizeof values);
    list[0] = a;
    CHECK_EQ(getrfBatched[D](handle(), 3, list, 3, pivots, info, 1), OK);
    finish();
    CHECK_EQ(info[0], 2);
    CHECK_EQ(pivots[0], 3);
    CHECK_EQ(getrfBatched[D](handle(), 3, list, 2, pivots, info, 1),
             INVALID_VALUE);
    cudaFree(a), cudaFree(list), cudaFree(info), cudaFree(pivots);
}
