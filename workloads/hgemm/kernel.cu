/* c = a b for n x n matrices of halves, summed in single precision by tensor
 * cores; n a multiple of 64. Each CTA of four warps computes 64 x 64 of c, each
 * warp four tiles of 16 x 16 of it, from slices of a and b in shared memory. */
#include "../cuda_lite.h"
#include "../wmma_lite.h"

using namespace nvcuda;

enum { TILE = 16, SIDE = 64, THREADS = 128, PAD = 8 };

/* Copies `rows` lines of `cols` halves, 16 bytes at a time. */
static __device__ __forceinline__ void copy(half *to, unsigned to_lead,
                                            const half *from, unsigned lead,
                                            unsigned rows, unsigned cols)
{
    for (unsigned i = threadIdx.x; i < rows * cols / 8; i += THREADS) {
        unsigned row = i / (cols / 8), col = i % (cols / 8) * 8;

        *(uint4 *)(to + row * to_lead + col) =
            *(const uint4 *)(from + row * lead + col);
    }
}

extern "C" __global__ void hgemm(const half *a, const half *b, float *c,
                                 unsigned n)
{
    __shared__ __align__(16) half ta[SIDE][TILE + PAD];
    __shared__ __align__(16) half tb[TILE][SIDE + PAD];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc[2][2];
    unsigned warp = threadIdx.x / 32, y = warp / 2 * 32, x = warp % 2 * 32;
    const half *rows = a + blockIdx.y * SIDE * n, *cols = b + blockIdx.x * SIDE;

    for (unsigned i = 0; i < 2; i++)
        for (unsigned j = 0; j < 2; j++)
            wmma::fill_fragment(fc[i][j], 0.0f);
    for (unsigned k = 0; k < n; k += TILE) {
        copy(&ta[0][0], TILE + PAD, rows + k, n, SIDE, TILE);
        copy(&tb[0][0], SIDE + PAD, cols + k * n, n, TILE, SIDE);
        __syncthreads();
        for (unsigned i = 0; i < 2; i++) {
            wmma::load_matrix_sync(fa[i], &ta[y + i * 16][0], TILE + PAD);
            wmma::load_matrix_sync(fb[i], &tb[0][x + i * 16], SIDE + PAD);
        }
        for (unsigned i = 0; i < 2; i++)
            for (unsigned j = 0; j < 2; j++)
                wmma::mma_sync(fc[i][j], fa[i], fb[j], fc[i][j]);
        __syncthreads();
    }
    c += (blockIdx.y * SIDE + y) * n + blockIdx.x * SIDE + x;
    for (unsigned i = 0; i < 2; i++)
        for (unsigned j = 0; j < 2; j++)
            wmma::store_matrix_sync(c + i * 16 * n + j * 16, fc[i][j], n,
                                    wmma::mem_row_major);
}
