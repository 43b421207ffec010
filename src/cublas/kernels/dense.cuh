/* Matrices with vectors, and element by element. */
#ifndef DENSE_CUH
#define DENSE_CUH

#include "matrix.cuh"

enum { THREADS = 128 };

/* ---- Matrix with vector ---- */

template <typename T, typename O, typename A>
DEVICE void gemv_store(const blas_image &p, long long problem, long long i,
                       A sum)
{
    O *y = matrix_start<O>(p.y, problem) + i * p.y.row;
    A alpha = scalar_read<A>(p.alpha), beta = scalar_read<A>(p.beta);
    A v = alpha * sum;

    if (!is_zero(beta))
        v = v + beta * as<A>::from(*y);
    *y = as<O>::from(v);
}

/* A row by each thread: for matrices whose rows lie next to each other. */
template <typename T, typename O, typename A>
DEVICE void gemv_rows(const blas_image &p)
{
    long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
    long long problem = p.first + blockIdx.y;
    A sum = as<A>::from(0.0f);

    if (i >= p.m)
        return;
    if (!is_zero(scalar_read<A>(p.alpha))) {
        const T *a = matrix_start<T>(p.a, problem);
        const T *x = matrix_start<T>(p.x, problem);

        for (long long j = 0; j < p.n; j++)
            sum = sum +
                  matrix_read<A>(a, p.a, i, j) * as<A>::from(x[j * p.x.row]);
    }
    gemv_store<T, O>(p, problem, i, sum);
}

/* A row by each CTA. */
template <typename T, typename O, typename A>
DEVICE void gemv_row(const blas_image &p)
{
    __shared__ A all[THREADS];
    long long i = blockIdx.x, problem = p.first + blockIdx.y;
    A sum = as<A>::from(0.0f);

    if (!is_zero(scalar_read<A>(p.alpha))) {
        const T *a = matrix_start<T>(p.a, problem);
        const T *x = matrix_start<T>(p.x, problem);

        for (long long j = threadIdx.x; j < p.n; j += THREADS)
            sum = sum +
                  matrix_read<A>(a, p.a, i, j) * as<A>::from(x[j * p.x.row]);
    }
    all[threadIdx.x] = sum;
    for (unsigned n = THREADS / 2; n; n /= 2) {
        __syncthreads();
        if (threadIdx.x < n)
            all[threadIdx.x] = all[threadIdx.x] + all[threadIdx.x + n];
    }
    if (threadIdx.x == 0)
        gemv_store<T, O>(p, problem, i, all[0]);
}

/* ---- Element by element ---- */

#define EACH(e, count)                                                         \
    for (long long e = (long long)blockIdx.x * THREADS + threadIdx.x;          \
         e < (count); e += (long long)gridDim.x * THREADS)

template <typename T> DEVICE void geam(const blas_sum &p)
{
    T alpha = scalar_read<T>(p.alpha), beta = scalar_read<T>(p.beta);
    const T *a = (const T *)p.a.at, *b = (const T *)p.b.at;

    EACH(e, p.m * p.n)
    {
        long long i = e % p.m, j = e / p.m;
        T v = as<T>::from(0.0f);

        if (!is_zero(alpha))
            v = alpha * matrix_read<T>(a, p.a, i, j);
        if (!is_zero(beta))
            v = v + beta * matrix_read<T>(b, p.b, i, j);
        ((T *)p.c.at)[i * p.c.row + j * p.c.column] = v;
    }
}

template <typename T> DEVICE void dgmm(const blas_sum &p)
{
    const T *a = (const T *)p.a.at, *x = (const T *)p.x.at;

    EACH(e, p.m * p.n)
    {
        long long i = e % p.m, j = e / p.m;

        ((T *)p.c.at)[i * p.c.row + j * p.c.column] =
            x[(p.columns ? j : i) * p.x.step] * matrix_read<T>(a, p.a, i, j);
    }
}

/* ---- Kernels ---- */

#define KERNEL(name, type, ...)                                                \
    extern "C" __global__ void __launch_bounds__(THREADS)                      \
        heddle_blas_##name(type p)                                             \
    {                                                                          \
        __VA_ARGS__(p);                                                        \
    }

#define GEMV(letter, T, O, A)                                                  \
    KERNEL(letter##gemv_rows, blas_image, gemv_rows<T, O, A>)                  \
    KERNEL(letter##gemv_row, blas_image, gemv_row<T, O, A>)

#define DENSE(letter, T)                                                       \
    GEMV(letter, T, T, T)                                                      \
    KERNEL(letter##geam, blas_sum, geam<T>)                                    \
    KERNEL(letter##dgmm, blas_sum, dgmm<T>)

#endif
