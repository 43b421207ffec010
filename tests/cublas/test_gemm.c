/* tests/cublas/test_gemm.c - products of matrices against sums in double, with
 * bounds that follow from the number of roundings. */
#include "numbers.h"

typedef struct shape {
    int type, ta, tb, m, n, k;
    number alpha, beta;
} shape;

enum { PAD_A = 3, PAD_B = 1, PAD_C = 2 };

static int lda_of(const shape *s) { return (s->ta ? s->k : s->m) + PAD_A; }
static int ldb_of(const shape *s) { return (s->tb ? s->n : s->k) + PAD_B; }
static long size_a(const shape *s)
{
    return (long)lda_of(s) * (s->ta ? s->m : s->k);
}
static long size_b(const shape *s)
{
    return (long)ldb_of(s) * (s->tb ? s->k : s->n);
}

/* c, that was `before`, and what lies between its columns. */
static void check_product(const shape *s, const void *a, const void *b,
                          const void *before, const void *c)
{
    int ldc = s->m + PAD_C;

    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < ldc; i++) {
            number sum = 0, old = get(s->type, before, i + (long)j * ldc);
            number got = get(s->type, c, i + (long)j * ldc);
            double size = 0;

            if (i >= s->m) {
                CHECK(got == old);
                continue;
            }
            for (int q = 0; q < s->k; q++) {
                number x = element(s->type, a, lda_of(s), s->ta, i, q);
                number y = element(s->type, b, ldb_of(s), s->tb, q, j);

                sum += x * y;
                size += cabs(x * y);
            }
            size = cabs(s->alpha) * size + cabs(s->beta * old);
            CHECK(
                near(s->type, got, s->alpha * sum + s->beta * old, size, s->k));
        }
}

typedef struct operands {
    void *a, *b, *c, *before;
} operands;

static operands operands_new(const shape *s, int count)
{
    long c = (long)(s->m + PAD_C) * s->n * count;

    return (operands){noise(s->type, size_a(s) * count, 1),
                      noise(s->type, size_b(s) * count, 2),
                      noise(s->type, c, 3), noise(s->type, c, 3)};
}

static void operands_free(operands *o)
{
    cudaFree(o->a), cudaFree(o->b), cudaFree(o->c), cudaFree(o->before);
}

static void check_gemm(shape *s)
{
    operands o = operands_new(s, 1);

    if (s->type == S || s->type == D)
        s->alpha = creal(s->alpha), s->beta = creal(s->beta);

    CHECK_EQ(gemm[s->type](handle(), s->ta, s->tb, s->m, s->n, s->k,
                           factor(s->type, s->alpha), o.a, lda_of(s), o.b,
                           ldb_of(s), factor(s->type, s->beta), o.c,
                           s->m + PAD_C),
             OK);
    finish();
    check_product(s, o.a, o.b, o.before, o.c);
    operands_free(&o);
}

TEST(products_of_all_types_and_transposes)
{
    for (int type = S; type <= Z; type++)
        for (int t = 0; t < 9; t++) {
            check_gemm(&(shape){type, t / 3, t % 3, 37, 29, 23, 1.5 - I * 0.25,
                                -0.5 + I});
            check_gemm(&(shape){type, t / 3, t % 3, 1, 17, 16, 1, 0});
        }
}

/* More than 64 tiles of 64 rows and columns, so that these are used. */
TEST(large_products)
{
    check_gemm(&(shape){S, OP_N, OP_T, 515, 450, 19, 2, 1});
    check_gemm(&(shape){S, OP_T, OP_N, 515, 450, 19, 2, 0});
    check_gemm(&(shape){Z, OP_C, OP_N, 449, 513, 5, 2, 1});
}

TEST(an_empty_sum_scales)
{
    check_gemm(&(shape){D, OP_N, OP_N, 9, 5, 0, 1, -2});
    CHECK_EQ(gemm[D](handle(), 0, 0, 0, 5, 4, factor(D, 1), NULL, 1, NULL, 4,
                     factor(D, 1), NULL, 1),
             OK);
    CHECK_EQ(gemm[D](handle(), 0, 0, 5, 0, 4, factor(D, 1), NULL, 5, NULL, 4,
                     factor(D, 1), NULL, 5),
             OK);
}

TEST(zero_factors_hide_what_is_no_number)
{
    shape s = {S, OP_N, OP_N, 20, 18, 4, 1, 0};
    operands o = operands_new(&s, 1);
    long n = 22 * 18;

    for (long i = 0; i < n; i++)
        put(S, o.c, i, NAN);
    CHECK_EQ(gemm[S](handle(), 0, 0, 20, 18, 4, factor(S, 1), o.a, lda_of(&s),
                     o.b, ldb_of(&s), factor(S, 0), o.c, 22),
             OK);
    finish();
    CHECK(!isnan(((float *)o.c)[0]) && isnan(((float *)o.c)[20]));
    ((float *)o.a)[0] = NAN;
    CHECK_EQ(gemm[S](handle(), 0, 0, 20, 18, 4, factor(S, 0), o.a, lda_of(&s),
                     o.b, ldb_of(&s), factor(S, 2), o.before, 22),
             OK);
    finish();
    CHECK(!isnan(((float *)o.before)[0]));
    CHECK_EQ(gemm[S](handle(), 0, 0, 20, 18, 4, factor(S, 1), o.a, lda_of(&s),
                     o.b, ldb_of(&s), factor(S, 0), o.c, 22),
             OK);
    finish();
    CHECK(isnan(((float *)o.c)[0]) && !isnan(((float *)o.c)[1]));
    operands_free(&o);
}

TEST(batches_at_steps_and_addresses)
{
    enum { COUNT = 5 };

    for (int type = S; type <= Z; type++) {
        shape s = {type, OP_T, OP_N, 18, 7, 33, 0.5, 2};
        operands o = operands_new(&s, COUNT);
        long step_c = (s.m + PAD_C) * s.n;
        size_t bytes = size_of[type];
        char **list = shared(3 * COUNT * sizeof *list);

        CHECK_EQ(gemmStridedBatched[type](
                     handle(), s.ta, s.tb, s.m, s.n, s.k, factor(type, s.alpha),
                     o.a, lda_of(&s), size_a(&s), o.b, ldb_of(&s), size_b(&s),
                     factor(type, s.beta), o.c, s.m + PAD_C, step_c, COUNT),
                 OK);
        void *c = noise(type, step_c * COUNT, 3);
        for (int i = 0; i < COUNT; i++) {
            list[i] = (char *)o.a + (size_t)(i * size_a(&s)) * bytes;
            list[COUNT + i] = (char *)o.b + (size_t)(i * size_b(&s)) * bytes;
            list[2 * COUNT + i] = (char *)c + (size_t)(i * step_c) * bytes;
        }
        CHECK_EQ(gemmBatched[type](handle(), s.ta, s.tb, s.m, s.n, s.k,
                                   factor(type, s.alpha), list, lda_of(&s),
                                   list + COUNT, ldb_of(&s),
                                   factor(type, s.beta), list + 2 * COUNT,
                                   s.m + PAD_C, COUNT),
                 OK);
        finish();
        for (int i = 0; i < COUNT; i++) {
            size_t at = (size_t)(i * step_c) * bytes;

            check_product(&s, list[i], list[COUNT + i], (char *)o.before + at,
                          (char *)o.c + at);
            check_product(&s, list[i], list[COUNT + i], (char *)o.before + at,
                          (char *)c + at);
        }
        operands_free(&o);
        cudaFree(c), cudaFree(list);
    }
}

TEST(factors_in_device_memory)
{
    shape s = {Z, OP_N, OP_C, 12, 9, 30, 0.5 + I, 2 - I};
    operands o = operands_new(&s, 1);
    void *factors = shared(32);

    put(Z, factors, 0, s.alpha), put(Z, factors, 1, s.beta);
    CHECK_EQ(cublasSetPointerMode_v2(handle(), 1), OK);
    CHECK_EQ(gemm[Z](handle(), s.ta, s.tb, s.m, s.n, s.k, factors, o.a,
                     lda_of(&s), o.b, ldb_of(&s), (char *)factors + 16, o.c,
                     s.m + PAD_C),
             OK);
    CHECK_EQ(cublasSetPointerMode_v2(handle(), 0), OK);
    finish();
    check_product(&s, o.a, o.b, o.before, o.c);
    operands_free(&o);
    cudaFree(factors);
}

TEST(sizes_of_64_bits)
{
    shape s = {S, OP_N, OP_N, 8, 9, 10, 1, 1};
    operands o = operands_new(&s, 1);

    CHECK_EQ(cublasSgemm_v2_64(handle(), 0, 0, 8, 9, 10, factor(S, 1), o.a,
                               lda_of(&s), o.b, ldb_of(&s), factor(S, 1), o.c,
                               10),
             OK);
    finish();
    check_product(&s, o.a, o.b, o.before, o.c);
    operands_free(&o);
}

/* ---- Other types ---- */

enum { F32 = 0, F16 = 2, I8 = 3, I32 = 10, BF16 = 14 };
enum { COMPUTE_16F = 64, COMPUTE_32F = 68, COMPUTE_32I = 72 };

/* Small integers are exact in all of them. */
static int small(int i) { return (i * 7 + 3) % 9 - 4; }
static uint16_t half_of(int v)
{
    uint16_t bits = v < 0 ? 0x8000 : 0;
    int size = v < 0 ? -v : v, e = 15;

    if (!size)
        return 0;
    while (size >> (e - 14))
        e++;
    return (uint16_t)(bits | e << 10 | ((size << (25 - e)) & 1023));
}
static uint16_t bfloat_of(int v)
{
    float f = (float)v;
    uint32_t bits;

    memcpy(&bits, &f, 4);
    return (uint16_t)(bits >> 16);
}

static void fill(int type, void *at, int n)
{
    for (int i = 0; i < n; i++)
        if (type == F16)
            ((uint16_t *)at)[i] = half_of(small(i));
        else if (type == BF16)
            ((uint16_t *)at)[i] = bfloat_of(small(i));
        else
            ((int8_t *)at)[i] = (int8_t)small(i);
}

static void check_mixed(int ab, int type_c, int compute, const void *one,
                        const void *zero)
{
    enum { M = 20, N = 12, K = 8 };
    void *a = shared(512), *b = shared(512), *c = shared(4096);

    fill(ab, a, M * K), fill(ab, b, K * N);
    CHECK_EQ(cublasGemmEx(handle(), OP_N, OP_N, M, N, K, one, a, ab, M, b, ab,
                          K, zero, c, type_c, M, compute, -1),
             OK);
    finish();
    for (int i = 0; i < M * N; i++) {
        int want = 0;

        for (int k = 0; k < K; k++)
            want += small(i % M + k * M) * small(k + i / M * K);
        if (type_c == F32)
            CHECK(((float *)c)[i] == (float)want);
        else if (type_c == I32)
            CHECK_EQ(((int *)c)[i], want);
        else
            CHECK_EQ(((uint16_t *)c)[i],
                     type_c == F16 ? half_of(want) : bfloat_of(want));
    }
    cudaFree(a), cudaFree(b), cudaFree(c);
}

TEST(products_of_other_types)
{
    float one = 1, zero = 0;
    uint16_t half_one = 0x3c00, half_zero = 0;
    int int_one = 1, int_zero = 0;

    check_mixed(F16, F16, COMPUTE_32F, &one, &zero);
    check_mixed(F16, F32, COMPUTE_32F, &one, &zero);
    check_mixed(F16, F16, COMPUTE_16F, &half_one, &half_zero);
    check_mixed(BF16, BF16, COMPUTE_32F, &one, &zero);
    check_mixed(BF16, F32, COMPUTE_32F, &one, &zero);
    check_mixed(I8, I32, COMPUTE_32I, &int_one, &int_zero);
    check_mixed(I8, F32, COMPUTE_32F, &one, &zero);
    check_mixed(F16, F32, 0, &one,
                &zero); /* CUDA_R_32F of programs before 11 */
    CHECK_EQ(cublasGemmEx(handle(), 0, 0, 1, 1, 1, &one, NULL, F16, 1, NULL,
                          F32, 1, &zero, NULL, F32, 1, COMPUTE_32F, -1),
             NOT_SUPPORTED);
    CHECK_EQ(cublasGemmEx(handle(), 0, 0, 1, 1, 1, &one, NULL, F16, 1, NULL,
                          F16, 1, &zero, NULL, F32, 1, 99, -1),
             INVALID_VALUE);
}

/* ---- What is wrong ---- */

TEST(wrong_arguments_are_refused)
{
    float one = 1, x[64];
#define BAD(ta, tb, m, n, k, al, lda, ldb, ldc)                                \
    CHECK_EQ(                                                                  \
        gemm[S](handle(), ta, tb, m, n, k, al, x, lda, x, ldb, &one, x, ldc),  \
        INVALID_VALUE)
    BAD(7, 0, 4, 4, 4, &one, 4, 4, 4);
    BAD(0, -1, 4, 4, 4, &one, 4, 4, 4);
    BAD(0, 0, -1, 4, 4, &one, 4, 4, 4);
    BAD(0, 0, 4, -1, 4, &one, 4, 4, 4);
    BAD(0, 0, 4, 4, -1, &one, 4, 4, 4);
    BAD(0, 0, 4, 4, 2, &one, 3, 4, 4);
    BAD(1, 0, 2, 4, 4, &one, 3, 4, 4);
    BAD(0, 0, 4, 4, 4, &one, 4, 3, 4);
    BAD(0, 1, 4, 4, 2, &one, 4, 3, 4);
    BAD(0, 0, 4, 4, 4, &one, 4, 4, 3);
    BAD(0, 0, 4, 4, 4, NULL, 4, 4, 4);
    BAD(0, 0, 0, 0, 0, &one, 0, 1, 1);
    CHECK_EQ(gemm[S](NULL, 0, 0, 1, 1, 1, &one, x, 1, x, 1, &one, x, 1),
             NOT_INITIALIZED);
}
