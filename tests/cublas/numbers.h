/* tests/cublas/numbers.h - data of all four types, seen as complex doubles, and
 * matrices of them in memory that host and device share. */
#ifndef TESTS_NUMBERS_H
#define TESTS_NUMBERS_H

#include <complex.h>
#include <math.h>

#include "cublas.h"
#include "test.h"

typedef double complex number;
enum { S, D, C, Z };

static const size_t size_of[] = {4, 8, 8, 16};
/* Half a unit in the last place of 1, and what a complex operation adds. */
static const double epsilon[] = {0x1p-24, 0x1p-53, 0x1p-22, 0x1p-51};

static inline number get(int type, const void *p, long i)
{
    const float *f = p;
    const double *d = p;

    return type == S   ? f[i]
           : type == D ? d[i]
           : type == C ? f[2 * i] + f[2 * i + 1] * I
                       : d[2 * i] + d[2 * i + 1] * I;
}

static inline void put(int type, void *p, long i, number v)
{
    float *f = p;
    double *d = p;

    if (type == S)
        f[i] = (float)creal(v);
    else if (type == D)
        d[i] = creal(v);
    else if (type == C)
        f[2 * i] = (float)creal(v), f[2 * i + 1] = (float)cimag(v);
    else
        d[2 * i] = creal(v), d[2 * i + 1] = cimag(v);
}

/* With AddressSanitizer there may be none. */
static inline void need_device(void)
{
    if (cudaFree(NULL) == cudaErrorInitializationError)
        TEST_SKIP("simulated memory cannot lie at its own address here");
}

static inline void *shared(size_t bytes)
{
    void *p;

    need_device();
    CHECK_EQ(cudaMallocManaged(&p, bytes ? bytes : 1, 1), cudaSuccess);
    return p;
}

/* `n` numbers between -1 and 1. */
static inline void *noise(int type, long n, unsigned seed)
{
    void *p = shared((size_t)n * size_of[type]);

    for (long i = 0; i < n; i++) {
        double part[2];

        for (int k = 0; k < 2; k++) {
            seed = seed * 1664525 + 1013904223;
            part[k] = (double)(int)(seed >> 8) / (1 << 23) - 1;
        }
        put(type, p, i, part[0] + part[1] * I);
    }
    return p;
}

static inline H handle(void)
{
    static H h;

    need_device();
    if (!h)
        CHECK_EQ(cublasCreate_v2(&h), OK);
    return h;
}

/* A factor of that type, for the host; valid for four calls. */
static inline const void *factor(int type, number v)
{
    static double room[4][2];
    static unsigned next;
    void *p = room[next++ % 4];

    put(type, p, 0, v);
    return p;
}

static inline number op(int how, number v) { return how == OP_C ? conj(v) : v; }

/* Element (i, j) of op of the matrix. */
static inline number element(int type, const void *a, long lda, int how, long i,
                             long j)
{
    return how == OP_N ? get(type, a, i + j * lda)
                       : op(how, get(type, a, j + i * lda));
}

/* That of a matrix of which one triangle is stored; conjugate: Hermitian. */
static inline number mirrored(int type, const void *a, long lda, int fill,
                              bool conjugate, long i, long j)
{
    bool stored = fill == LOWER ? i >= j : i <= j;
    number v = stored ? get(type, a, i + j * lda) : get(type, a, j + i * lda);

    if (conjugate && i == j)
        return creal(v);
    return conjugate && !stored ? conj(v) : v;
}

/* Of op of a triangular one. */
static inline number triangular(int type, const void *a, long lda, int fill,
                                int how, int unit, long i, long j)
{
    bool lower = (fill == LOWER) == (how == OP_N);

    if (unit && i == j)
        return 1;
    if (lower ? i < j : i > j)
        return 0;
    return element(type, a, lda, how, i, j);
}

/* `got` is `want` but for `steps` roundings of numbers of that size. */
static inline bool near(int type, number got, number want, double size,
                        double steps)
{
    return cabs(got - want) <= (steps + 2) * epsilon[type] * size;
}

static inline void finish(void)
{
    CHECK_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

#endif
