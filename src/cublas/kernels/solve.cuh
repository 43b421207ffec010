/* Triangular systems and factors of matrices. */
#ifndef SOLVE_CUH
#define SOLVE_CUH

#include "matrix.cuh"

enum { ROWS = BLAS_SOLVE_ROWS, COLUMNS = 32, THREADS = 256 };

/* b = a^-1 b for up to 32 rows: a CTA has a in shared memory, each of its 32
 * threads a column of b. */
template <typename T> DEVICE void solve(const blas_solution &p)
{
    __shared__ T a[ROWS][ROWS + 1], b[ROWS][COLUMNS + 1];
    long long problem = p.first + blockIdx.y;
    long long j = (long long)blockIdx.x * COLUMNS + threadIdx.x;
    int m = (int)p.m, t = threadIdx.x;
    const T *from = matrix_start<T>(p.a, problem);
    T *to = matrix_start<T>(p.b, problem) + j * p.b.column;
    bool lower = p.a.shape & BLAS_LOWER;

    for (int i = 0; i < m; i++)
        if (t < m)
            a[i][t] = matrix_read<T>(from, p.a, i, t);
    __syncthreads();
    if (j >= p.n)
        return;
    for (int i = 0; i < m; i++)
        b[i][t] = to[i * p.b.row];
    for (int s = 0; s < m; s++) {
        int k = lower ? s : m - 1 - s;
        T x = p.a.shape & BLAS_UNIT ? b[k][t] : b[k][t] / a[k][k];

        b[k][t] = x;
        for (int i = lower ? k + 1 : 0; i < (lower ? m : k); i++)
            b[i][t] = b[i][t] - a[i][k] * x;
    }
    for (int i = 0; i < m; i++)
        to[i * p.b.row] = b[i][t];
}

/* The row of the largest element of column k, from k down, which all threads
 * are told; the first of equals. */
template <typename T>
DEVICE long long pivot_row(const T *a, const blas_matrix &m, long long n,
                           long long k)
{
    __shared__ long long rows[THREADS];
    __shared__ double sizes[THREADS];
    long long best = k;
    double size = -1;

    for (long long i = k + threadIdx.x; i < n; i += THREADS) {
        double v = magnitude(a[i * m.row + k * m.column]);

        if (v > size)
            best = i, size = v;
    }
    rows[threadIdx.x] = best;
    sizes[threadIdx.x] = size;
    for (unsigned half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            long long row = rows[threadIdx.x + half];
            double other = sizes[threadIdx.x + half];

            if (other > sizes[threadIdx.x] ||
                (other == sizes[threadIdx.x] && row < rows[threadIdx.x])) {
                rows[threadIdx.x] = row;
                sizes[threadIdx.x] = other;
            }
        }
    }
    __syncthreads();
    best = rows[0];
    __syncthreads();
    return best;
}

/* A CTA for each problem, column by column. */
template <typename T> DEVICE void getrf(const blas_factors &p)
{
    long long n = p.n, problem = blockIdx.x;
    long long down = p.a.row, right = p.a.column;
    T *a = matrix_start<T>(p.a, problem);
    int info = 0;

    for (long long k = 0; k < n; k++) {
        long long row = p.pivots ? pivot_row(a, p.a, n, k) : k;

        if (p.pivots && threadIdx.x == 0)
            p.pivots[problem * n + k] = (int)row + 1;
        for (long long j = threadIdx.x; row != k && j < n; j += THREADS) {
            T v = a[k * down + j * right];

            a[k * down + j * right] = a[row * down + j * right];
            a[row * down + j * right] = v;
        }
        __syncthreads();
        T pivot = a[k * down + k * right];
        if (is_zero(pivot)) {
            if (!info)
                info = (int)k + 1;
            continue; /* as LAPACK does: the column stays */
        }
        for (long long i = k + 1 + threadIdx.x; i < n; i += THREADS)
            a[i * down + k * right] = a[i * down + k * right] / pivot;
        __syncthreads();
        long long left = n - k - 1;
        for (long long e = threadIdx.x; e < left * left; e += THREADS) {
            long long i = k + 1 + e % left, j = k + 1 + e / left;

            a[i * down + j * right] =
                a[i * down + j * right] -
                a[i * down + k * right] * a[k * down + j * right];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        p.info[problem] = info;
}

template <typename T>
DEVICE int zero_pivot(const blas_exchange &p, long long problem)
{
    const T *a = matrix_start<T>(p.a, problem);

    for (long long k = 0; k < p.n; k++)
        if (is_zero(a[k * (p.a.row + p.a.column)]))
            return (int)k + 1;
    return 0;
}

/* A CTA for each problem; each thread has columns of its own. */
template <typename T> DEVICE void exchange(const blas_exchange &p)
{
    long long problem = blockIdx.x;
    T *b = matrix_start<T>(p.b, problem);

    if (p.identity && threadIdx.x == 0)
        p.info[problem] = zero_pivot<T>(p, problem);
    for (long long j = threadIdx.x; j < p.columns; j += THREADS) {
        T *column = b + j * p.b.column;

        for (long long i = 0; p.identity && i < p.n; i++)
            column[i * p.b.row] = as<T>::from(i == j ? 1.0f : 0.0f);
        for (long long s = 0; p.pivots && s < p.n; s++) {
            long long k = p.backwards ? p.n - 1 - s : s;
            long long row = p.pivots[problem * p.n + k] - 1;
            T v = column[k * p.b.row];

            column[k * p.b.row] = column[row * p.b.row];
            column[row * p.b.row] = v;
        }
    }
}

#define KERNEL(name, threads, type, ...)                                       \
    extern "C" __global__ void __launch_bounds__(threads)                      \
        heddle_blas_##name(type p)                                             \
    {                                                                          \
        __VA_ARGS__(p);                                                        \
    }

#define SOLVE(letter, T)                                                       \
    KERNEL(letter##solve, COLUMNS, blas_solution, solve<T>)                    \
    KERNEL(letter##getrf, THREADS, blas_factors, getrf<T>)                     \
    KERNEL(letter##exchange, THREADS, blas_exchange, exchange<T>)

#endif
