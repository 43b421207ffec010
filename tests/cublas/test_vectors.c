/* tests/cublas/test_vectors.c - level 1, handles and copies. */
#include "numbers.h"

/* Lengths of one block, of several, and of several steps of the grid. */
static const int lengths[] = {1, 31, 1000, 70001};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* Element i of a vector of n with that step, as BLAS counts. */
static long place(int i, int n, int step)
{
    return step < 0 ? (long)(n - 1 - i) * -step : (long)i * step;
}

TEST(scal_axpy_copy_swap)
{
    for (int type = S; type <= Z; type++) {
        const int n = 300, incx = 2, incy = -3;
        void *x = noise(type, 2 * n, 1), *y = noise(type, 3 * n, 2);
        void *x0 = noise(type, 2 * n, 1), *y0 = noise(type, 3 * n, 2);
        number alpha = type < C ? 0.75 : 0.75 - 2 * I;

        CHECK_EQ(axpy[type](handle(), n, factor(type, alpha), x, incx, y, incy),
                 OK);
        CHECK_EQ(scal[type](handle(), n, factor(type, alpha), x, incx), OK);
        finish();
        for (int i = 0; i < n; i++) {
            number a = get(type, x0, place(i, n, incx));
            number b = get(type, y0, place(i, n, incy));

            CHECK(near(type, get(type, y, place(i, n, incy)), alpha * a + b,
                       cabs(alpha * a) + cabs(b), 2));
            CHECK(near(type, get(type, x, place(i, n, incx)), alpha * a,
                       cabs(alpha * a), 2));
            CHECK(get(type, x, 2 * i + 1) == get(type, x0, 2 * i + 1));
        }
        CHECK_EQ(copy[type](handle(), n, x0, incx, y, incy), OK);
        CHECK_EQ(swap[type](handle(), n, x, incx, y0, incy), OK);
        void *back = noise(type, 3 * n, 2);
        finish();
        for (int i = 0; i < n; i++) {
            CHECK(get(type, y, place(i, n, incy)) ==
                  get(type, x0, place(i, n, incx)));
            CHECK(get(type, x, place(i, n, incx)) ==
                  get(type, back, place(i, n, incy)));
        }
        cudaFree(x), cudaFree(y), cudaFree(x0), cudaFree(y0), cudaFree(back);
    }
}

TEST(rotations)
{
    for (int type = S; type <= Z; type++) {
        const int n = 50;
        void *x = noise(type, n, 1), *y = noise(type, n, 2);
        void *x0 = noise(type, n, 1), *y0 = noise(type, n, 2);
        number s = type < C ? 0.8 : 0.48 + 0.64 * I;

        CHECK_EQ(rot[type](handle(), n, x, 1, y, 1, factor(type & 1, 0.6),
                           factor(type, s)),
                 OK);
        finish();
        for (int i = 0; i < n; i++) {
            number a = get(type, x0, i), b = get(type, y0, i);

            CHECK(near(type, get(type, x, i), 0.6 * a + s * b, 2, 3));
            CHECK(near(type, get(type, y, i), 0.6 * b - conj(s) * a, 2, 3));
        }
        cudaFree(x), cudaFree(y), cudaFree(x0), cudaFree(y0);
    }
}

/* (c, s; -s', c) (a, b) = (r, 0), c real, c^2 + |s|^2 = 1. */
static void check_rotation(int type, number a, number b)
{
    double x[2] = {0}, y[2] = {0}, c[2] = {0}, s[2] = {0};

    put(type, x, 0, a), put(type, y, 0, b);
    a = get(type, x, 0), b = get(type, y, 0);
    CHECK_EQ(rotg[type](handle(), x, y, c, s), OK);
    double cosine = creal(get(type & 1, c, 0)), size = cabs(a) + cabs(b);
    number sine = get(type, s, 0), r = get(type, x, 0);
    CHECK(near(type, cosine * a + sine * b, r, 2 * size, 8));
    CHECK(near(type, cosine * b - conj(sine) * a, 0, 2 * size, 8));
    CHECK(near(type, cosine * cosine + sine * conj(sine), 1, 1, 8));
}

TEST(rotations_are_made)
{
    for (int type = S; type <= Z; type++) {
        check_rotation(type, 3, -4);
        check_rotation(type, -0.5, 0.25);
        check_rotation(type, 0, 2);
        check_rotation(type, 0, 0);
        check_rotation(type, 1e30, 1e30);
        check_rotation(type, type < C ? 2 : 2 + I, type < C ? 7 : 1 - 3 * I);
    }
    double a = 3, b = 4, c, s; /* what BLAS says of b: 1 / c, if |a| < |b| */
    CHECK_EQ(rotg[D](handle(), &a, &b, &c, &s), OK);
    CHECK(fabs(a - 5) < 1e-15 && fabs(c - 0.6) < 1e-15);
    CHECK(fabs(b - 1 / 0.6) < 1e-15);
}

static void check_dots(int type, int n)
{
    void *x = noise(type, n, 1), *y = noise(type, 2L * n, 2);
    void *out = shared(16), *there = shared(16);
    number plain = 0, conjugate = 0;
    double size = 0;

    for (int i = 0; i < n; i++) {
        number a = get(type, x, i), b = get(type, y, place(i, n, -2));

        plain += a * b;
        conjugate += conj(a) * b;
        size += cabs(a * b);
    }
    CHECK_EQ(dot[type](handle(), n, x, 1, y, -2, out), OK);
    CHECK(near(type, get(type, out, 0), plain, size, n));
    CHECK_EQ(dotc[type](handle(), n, x, 1, y, -2, out), OK);
    CHECK(near(type, get(type, out, 0), conjugate, size, n));
    CHECK_EQ(cublasSetPointerMode_v2(handle(), 1), OK);
    CHECK_EQ(dotc[type](handle(), n, x, 1, y, -2, there), OK);
    CHECK_EQ(cublasSetPointerMode_v2(handle(), 0), OK);
    finish();
    CHECK(get(type, there, 0) == get(type, out, 0));
    cudaFree(x), cudaFree(y), cudaFree(out), cudaFree(there);
}

static void check_measures(int type, int n)
{
    void *x = noise(type, 2L * n, 5);
    char out[16];
    double sum = 0, squares = 0;

    for (int i = 0; i < n; i++) {
        number v = get(type, x, 2L * i);

        sum += fabs(creal(v)) + fabs(cimag(v));
        squares += creal(v) * creal(v) + cimag(v) * cimag(v);
    }
    CHECK_EQ(asum[type](handle(), n, x, 2, out), OK);
    CHECK(near(type, get(type & 1, out, 0), sum, sum, 2 * n));
    CHECK_EQ(nrm2[type](handle(), n, x, 2, out), OK);
    CHECK(
        near(type, get(type & 1, out, 0), sqrt(squares), sqrt(squares), 2 * n));
    cudaFree(x);
}

TEST(sums)
{
    for (int type = S; type <= Z; type++)
        for (int i = 0; i < LENGTHS; i++) {
            check_dots(type, lengths[i]);
            check_measures(type, lengths[i]);
        }
}

TEST(norms_neither_overflow_nor_vanish)
{
    double *x = shared(32), out;
    float *f = shared(16), small;

    x[0] = 3e200, x[1] = 4e200, x[2] = 1;
    CHECK_EQ(nrm2[D](handle(), 3, x, 1, &out), OK);
    CHECK(fabs(out - 5e200) < 1e186);
    x[0] = 3e-200, x[1] = 4e-200, x[2] = 0;
    CHECK_EQ(nrm2[D](handle(), 3, x, 1, &out), OK);
    CHECK(fabs(out - 5e-200) < 1e-214);
    x[2] = INFINITY;
    CHECK_EQ(nrm2[D](handle(), 3, x, 1, &out), OK);
    CHECK(isinf(out));
    x[0] = NAN;
    CHECK_EQ(nrm2[D](handle(), 3, x, 1, &out), OK);
    CHECK(isnan(out));
    f[0] = 3e30f, f[1] = 4e30f;
    CHECK_EQ(nrm2[S](handle(), 2, f, 1, &small), OK);
    CHECK(fabsf(small - 5e30f) < 1e24f);
    cudaFree(x), cudaFree(f);
}

static int extreme_of(int type, const void *x, int n, bool smallest)
{
    int best = 0;
    double size = 0;

    for (int i = 0; i < n; i++) {
        number v = get(type, x, i);
        double s = fabs(creal(v)) + fabs(cimag(v));

        if (i == 0 || (smallest ? s < size : s > size))
            best = i, size = s;
    }
    return best + 1;
}

TEST(first_of_the_largest_and_smallest)
{
    for (int type = S; type <= Z; type += 1)
        for (int i = 0; i < LENGTHS; i++) {
            int n = lengths[i], out;
            void *x = noise(type, n, 9);

            if (n > 30) { /* twice, once in another block */
                put(type, x, 7, -4), put(type, x, n - 3, 4);
                put(type, x, 12, 0), put(type, x, n - 4, 0);
            }
            CHECK_EQ(amax[type](handle(), n, x, 1, &out), OK);
            CHECK_EQ(out, extreme_of(type, x, n, false));
            CHECK_EQ(amin[type](handle(), n, x, 1, &out), OK);
            CHECK_EQ(out, extreme_of(type, x, n, true));
            cudaFree(x);
        }
    double *x = noise(D, 10, 1);
    int64_t wide;
    x[4] = -7;
    CHECK_EQ(cublasIdamax_v2_64(handle(), 10, x, 1, &wide), OK);
    CHECK_EQ(wide, 5);
    cudaFree(x);
}

TEST(nothing_of_no_elements)
{
    double out = 5;
    int where = 5;

    CHECK_EQ(dot[D](handle(), 0, NULL, 1, NULL, 1, &out), OK);
    CHECK(out == 0);
    CHECK_EQ(amax[D](handle(), -3, NULL, 1, &where), OK);
    CHECK_EQ(where, 0);
    CHECK_EQ(nrm2[D](handle(), 4, NULL, 0, &out), OK);
    CHECK_EQ(axpy[D](handle(), 0, factor(D, 1), NULL, 1, NULL, 1), OK);
    CHECK_EQ(scal[D](handle(), 3, NULL, NULL, 1), INVALID_VALUE);
    CHECK_EQ(dot[D](handle(), 3, NULL, 1, NULL, 1, NULL), INVALID_VALUE);
}

TEST(a_real_factor_leaves_infinities_apart)
{
    float *x = shared(8), two = 2;

    x[0] = INFINITY, x[1] = 3;
    CHECK_EQ(cublasCsscal_v2(handle(), 1, &two, x, 1), OK);
    finish();
    CHECK(isinf(x[0]) && x[1] == 6);
    cudaFree(x);
}

/* ---- Handles ---- */

static char logged[300];
static void logger(const char *text) { strncpy(logged, text, 299); }

TEST(handles_keep_what_is_set)
{
    H h;
    cudaStream_t stream, got;
    int mode;

    need_device();
    CHECK_EQ(cublasCreate_v2(NULL), INVALID_VALUE);
    CHECK_EQ(cublasCreate_v2(&h), OK);
    CHECK_EQ(cudaStreamCreate(&stream), cudaSuccess);
    CHECK_EQ(cublasSetStream_v2(h, stream), OK);
    CHECK_EQ(cublasGetStream_v2(h, &got), OK);
    CHECK(got == stream);
    CHECK_EQ(cublasSetPointerMode_v2(h, 2), INVALID_VALUE);
    CHECK_EQ(cublasGetPointerMode_v2(h, &mode), OK);
    CHECK_EQ(mode, 0);
    CHECK_EQ(cublasSetMathMode(h, 3), OK);
    CHECK_EQ(cublasGetMathMode(h, &mode), OK);
    CHECK_EQ(mode, 3);
    CHECK_EQ(cublasSetMathMode(h, 11), INVALID_VALUE);
    CHECK_EQ(cublasSetWorkspace_v2(h, (void *)0x100, 64), OK);
    CHECK_EQ(cublasSetWorkspace_v2(h, (void *)0x101, 64), INVALID_VALUE);
    CHECK_EQ(cublasSetLoggerCallback(logger), OK);
    CHECK_EQ(cublasSetMathMode(h, -1), INVALID_VALUE);
    CHECK(strstr(logged, "cublasSetMathMode: CUBLAS_STATUS_INVALID_VALUE"));
    CHECK_EQ(cublasSetLoggerCallback(NULL), OK);
    CHECK_EQ(cublasDestroy_v2(h), OK);
    CHECK_EQ(cublasDestroy_v2(NULL), NOT_INITIALIZED);
    CHECK_STR(cublasGetStatusName(7), "CUBLAS_STATUS_INVALID_VALUE");
    CHECK_EQ(cublasSspmv_v2(), NOT_SUPPORTED);
    cudaStreamDestroy(stream);
}

TEST(copies_of_vectors_and_matrices)
{
    float from[24], back[24], *there;

    need_device();
    for (int i = 0; i < 24; i++)
        from[i] = (float)i, back[i] = -1;
    CHECK_EQ(cudaMalloc((void **)&there, sizeof from), cudaSuccess);
    CHECK_EQ(cublasSetVector(8, 4, from, 3, there, 1), OK);
    CHECK_EQ(cublasGetVector(8, 4, there, 1, back, 2), OK);
    for (int i = 0; i < 16; i++)
        CHECK(back[i] == (i % 2 ? -1 : 3 * (float)(i / 2)));
    CHECK_EQ(cublasSetMatrix(3, 4, 4, from, 6, there, 5), OK);
    CHECK_EQ(cublasGetMatrix(3, 4, 4, there, 5, back, 4), OK);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 3; i++)
            CHECK(back[4 * j + i] == from[6 * j + i]);
    CHECK_EQ(cublasSetMatrix(3, 4, 4, from, 2, there, 5), INVALID_VALUE);
    CHECK_EQ(cublasSetVector(8, 0, from, 1, there, 1), INVALID_VALUE);
    CHECK_EQ(cublasSetVector(8, 4, from, 0, there, 1), INVALID_VALUE);
    CHECK_EQ(cublasSetVector(0, 4, from, 1, there, 1), OK);
    cudaFree(there);
}
