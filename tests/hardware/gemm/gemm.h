/* tests/hardware/gemm/gemm.h - what both ladders of matrix products share.
 *
 * c = a b^T in the types of tensor cores: a is m x k, b is n x k, both bfloat16
 * with k fastest; c is m x n of floats, n fastest. Sizes are multiples of a
 * kernel's tile, which gemm.c knows. Sums are single precision. */
#ifndef GEMM_H
#define GEMM_H

#include <cuda_bf16.h>
#include <stdint.h>

typedef __nv_bfloat16 bf16;

static __device__ __forceinline__ uint32_t shared_at(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

#endif
