/* Products of matrices. A CTA of 256 threads computes a tile of c, of
 * 16 * PER rows and columns, from slices of a and b in shared memory, 16 deep;
 * each thread has PER rows of it and PER columns, 16 apart. */
#ifndef PRODUCT_CUH
#define PRODUCT_CUH

#include "matrix.cuh"

enum { SIDE = 16, DEPTH = 16 };

/* Brings rows first_i.. and columns first_k.. of a matrix to s[k][i], zeros
 * where it has none. Threads next to each other read what lies next to each
 * other. `flipped` says that rows of s are rows of the matrix: for b. */
template <typename Acc, typename In, int PER>
DEVICE void product_load(Acc (*s)[SIDE * PER + 1], const In *start,
                         const blas_matrix &m, bool flipped, long long first_i,
                         long long first_k, long long count_i,
                         long long count_k)
{
    long long step_i = flipped ? m.column : m.row;
    long long step_k = flipped ? m.row : m.column;
    bool i_first = step_i == 1 || step_k != 1;

#pragma unroll
    for (int r = 0; r < PER; r++) {
        int e = threadIdx.x + 256 * r;
        int i = i_first ? e % (SIDE * PER) : e / DEPTH;
        int k = i_first ? e / (SIDE * PER) : e % DEPTH;
        long long gi = first_i + i, gk = first_k + k;

        s[k][i] = gi < count_i && gk < count_k
                      ? matrix_read<Acc>(start, m, flipped ? gk : gi,
                                         flipped ? gi : gk)
                      : as<Acc>::from(0.0f);
    }
}

/* Acc: sums; Factor: alpha and beta. */
template <typename Acc, typename Factor, typename Out>
DEVICE void product_store(const blas_product &p, Out *c, long long i,
                          long long j, Acc sum, Factor alpha, Factor beta)
{
    Out *at = c + i * p.c.row + j * p.c.column;
    Factor v = alpha * as<Factor>::from(sum);

    if (!is_zero(beta))
        v = v + beta * as<Factor>::from(*at);
    if (i == j && p.part & BLAS_HERMITIAN)
        v = real_part(v);
    *at = as<Out>::from(v);
}

DEVICE bool product_inside(const blas_product &p, long long i, long long j)
{
    return i < p.m && j < p.n && !(p.part & BLAS_LOWER && i < j) &&
           !(p.part & BLAS_UPPER && i > j);
}

template <typename In, typename Out, typename Acc, typename Factor, int PER>
DEVICE void product(const blas_product &p)
{
    __shared__ Acc sa[DEPTH][SIDE * PER + 1], sb[DEPTH][SIDE * PER + 1];
    const int tile = SIDE * PER;
    long long rows = (p.m + tile - 1) / tile, problem = p.first + blockIdx.y;
    long long i0 = blockIdx.x % rows * tile, j0 = blockIdx.x / rows * tile;
    int tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;
    Factor alpha = scalar_read<Factor>(p.alpha);
    Factor beta = scalar_read<Factor>(p.beta);
    long long depth = is_zero(alpha) ? 0 : p.k;
    Acc sum[PER][PER];

    if ((p.part & BLAS_LOWER && i0 + tile <= j0) ||
        (p.part & BLAS_UPPER && j0 + tile <= i0))
        return;
#pragma unroll
    for (int r = 0; r < PER; r++)
#pragma unroll
        for (int c = 0; c < PER; c++)
            sum[r][c] = as<Acc>::from(0.0f);
    const In *a = depth ? matrix_start<In>(p.a, problem) : 0;
    const In *b = depth ? matrix_start<In>(p.b, problem) : 0;
    for (long long k0 = 0; k0 < depth; k0 += DEPTH) {
        product_load<Acc, In, PER>(sa, a, p.a, false, i0, k0, p.m, p.k);
        product_load<Acc, In, PER>(sb, b, p.b, true, j0, k0, p.n, p.k);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            Acc u[PER], v[PER];

#pragma unroll
            for (int r = 0; r < PER; r++) {
                u[r] = sa[k][tx + SIDE * r];
                v[r] = sb[k][ty + SIDE * r];
            }
#pragma unroll
            for (int r = 0; r < PER; r++)
#pragma unroll
                for (int c = 0; c < PER; c++)
                    sum[r][c] = sum[r][c] + u[r] * v[c];
        }
        __syncthreads();
    }
    Out *c = matrix_start<Out>(p.c, problem);
#pragma unroll
    for (int r = 0; r < PER; r++)
#pragma unroll
        for (int q = 0; q < PER; q++) {
            long long i = i0 + tx + SIDE * r, j = j0 + ty + SIDE * q;

            if (product_inside(p, i, j))
                product_store(p, c, i, j, sum[r][q], alpha, beta);
        }
}

/* Kernels for products that have enough tiles of 64 by 64, and for others. */
#define PRODUCT(name, In, Out, Acc, Factor)                                    \
    extern "C" __global__ void __launch_bounds__(256)                          \
        heddle_blas_##name##_64(blas_product p)                                \
    {                                                                          \
        product<In, Out, Acc, Factor, 4>(p);                                   \
    }                                                                          \
    extern "C" __global__ void __launch_bounds__(256)                          \
        heddle_blas_##name##_16(blas_product p)                                \
    {                                                                          \
        product<In, Out, Acc, Factor, 1>(p);                                   \
    }

#endif
