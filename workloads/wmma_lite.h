/* workloads/wmma_lite.h - the part of CUDA's matrix functions that the
 * workloads use, for clang without a CUDA toolkit: products of halves of
 * 16 x 16 x 16 with sums in single precision [CUDA12:wmma]. With nvcc it is
 * CUDA's own header. */
#ifndef WMMA_LITE_H
#define WMMA_LITE_H
#ifdef __NVCC__
#include <mma.h>
#else
#include "cuda_lite.h"

#include "cuda/lite/half.h"

namespace nvcuda
{
namespace wmma
{
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major {
    enum { COL = 0 };
};
struct col_major {
    enum { COL = 1 };
};
enum layout_t { mem_row_major, mem_col_major };

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment;
template <class L> struct fragment<matrix_a, 16, 16, 16, half, L> {
    int x[8];
};
template <class L> struct fragment<matrix_b, 16, 16, 16, half, L> {
    int x[8];
};
template <> struct fragment<accumulator, 16, 16, 16, float, void> {
    float x[8];
};
typedef fragment<accumulator, 16, 16, 16, float> sums;

CUDA_LITE void fill_fragment(sums &f, float v)
{
    for (int i = 0; i < 8; i++)
        f.x[i] = v;
}

template <class L>
CUDA_LITE void load_matrix_sync(fragment<matrix_a, 16, 16, 16, half, L> &f,
                                const half *p, unsigned lead)
{
    __hmma_m16n16k16_ld_a(f.x, (const int *)p, lead, L::COL);
}

template <class L>
CUDA_LITE void load_matrix_sync(fragment<matrix_b, 16, 16, 16, half, L> &f,
                                const half *p, unsigned lead)
{
    __hmma_m16n16k16_ld_b(f.x, (const int *)p, lead, L::COL);
}

/* The order of layouts is that of clang: row.row, row.col, col.row, col.col. */
template <class A, class B>
CUDA_LITE void
mma_sync(sums &d, const fragment<matrix_a, 16, 16, 16, half, A> &a,
         const fragment<matrix_b, 16, 16, 16, half, B> &b, const sums &c)
{
    __hmma_m16n16k16_mma_f32f32(d.x, a.x, b.x, c.x, 2 * A::COL + B::COL, 0);
}

CUDA_LITE void store_matrix_sync(float *p, sums &f, unsigned lead,
                                 layout_t layout)
{
    if (layout == mem_row_major)
        __hmma_m16n16k16_st_c_f32(p, f.x, lead, 0);
    else
        __hmma_m16n16k16_st_c_f32(p, f.x, lead, 1);
}
} // namespace wmma
} // namespace nvcuda

#endif
#endif
