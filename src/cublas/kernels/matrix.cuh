/* Elements of a blas_matrix. */
#ifndef MATRIX_CUH
#define MATRIX_CUH

#include "number.cuh"

/* Element (0, 0) of a problem's matrix. */
template <typename T>
DEVICE T *matrix_start(const blas_matrix &m, long long problem)
{
    if (m.addresses)
        return ((T *const *)m.at)[problem] + m.offset;
    return (T *)m.at + m.batch * problem + m.offset;
}

/* An element of a matrix that is not a general one. By value, as a reference
 * would need the matrix in memory. */
template <typename To, typename T>
static __device__ __noinline__ To matrix_shaped(const T *start, int shape,
                                                long long row, long long column,
                                                long long i, long long j)
{
    bool stored = shape & BLAS_LOWER ? i >= j : i <= j;
    bool conjugated = shape & BLAS_CONJUGATE;

    if (i == j && shape & BLAS_UNIT)
        return as<To>::from(1.0f);
    if (!stored && shape & BLAS_TRIANGULAR)
        return as<To>::from(0.0f);
    if (!stored && shape & (BLAS_SYMMETRIC | BLAS_HERMITIAN)) {
        long long t = i;

        i = j, j = t;
        if (shape & BLAS_HERMITIAN)
            conjugated = !conjugated;
    }
    To v = as<To>::from(start[i * row + j * column]);
    if (shape & BLAS_HERMITIAN && i == j)
        v = real_part(v);
    return conjugated ? conjugate(v) : v;
}

/* Element (i, j). */
template <typename To, typename T>
DEVICE To matrix_read(const T *start, const blas_matrix &m, long long i,
                      long long j)
{
    return m.shape ? matrix_shaped<To>(start, m.shape, m.row, m.column, i, j)
                   : as<To>::from(start[i * m.row + j * m.column]);
}

#endif
