#!/bin/sh
# tests/tools/cuda.sh - CUDA C without a toolkit: device functions give what
# Python computes (tests/cuda_functions.py), and files of whole programs with
# the headers that these include compile for their kernels.
. "$(dirname "$0")/../lib.sh"
need_heddle
need_opencl_c
cc() { "$root/tools/ptxcc" "$@"; }

script=$root/tests/cuda_functions.py
expect "operands" 0 -- python3 "$script" make "$tmp"
expect "they compile" 0 -- cc "$tmp/k.cu" -o "$tmp/k.ptx"
expect "nothing stays undefined" 1 -- grep '^.extern .func' "$tmp/k.ptx"
expect "they run" 0 -- "$heddle" run -q --functional -l "$tmp/launch.yaml"
expect "all are right" 0 '^[0-9]* values, 0 wrong$' -- \
    python3 "$script" check "$tmp"

cat >"$tmp/whole.cu" <<'K'
#include <assert.h>
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include "device_launch_parameters.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__host__ __device__ float4 operator+(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__constant__ float scale;
extern "C" __global__ void __launch_bounds__(64) twice(const float4 *__restrict__ x,
                                                       float4 *y, uint32_t n)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

    assert(n > 0);
    if (i < n)
        y[i] = __ldg(&x[i]) + x[i];
    if (i == 1)
        printf("%d: %.2f\n", i, y[i].y);
    if (i == 0)
        y[0].w = fmaf(sqrtf(4.0f), 3.0f, fminf(x[0].w, 1.0f)) + sinf(0.0f);
}
int main()
{
    float4 *x;

    if (cudaMalloc(&x, 1024) != cudaSuccess)
        fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpyToSymbol(scale, x, 4);
    twice<<<dim3(1), 64, 0, 0>>>(x, x, 64);
    cudaDeviceSynchronize();
    free(malloc(sqrtf(4.0f)));
    return 0;
}
K
expect "a whole program with its headers" 0 -- cc "$tmp/whole.cu" \
    -o "$tmp/whole.ptx"
expect "its kernel runs, and says so" 0 '^1: 10.00$' -- "$heddle" run \
    --functional "$tmp/whole.ptx" --kernel twice --grid 1 --block 64 \
    --arg 'buf:f32[256]=iota' --arg 'buf:f32[256]=zero' --arg u32:64
expect "with line numbers of its own file alone" 0 '^1$' -- \
    grep -c 'file.*cu"' "$tmp/whole.ptx"
expect "and none of our headers" 1 -- grep 'file.*cuda_lite\|file.*lite/' \
    "$tmp/whole.ptx"
cat >"$tmp/reduce.cu" <<'K'
extern "C" __global__ void f(int *x)
{
    x[threadIdx.x] = __reduce_add_sync(~0u, x[threadIdx.x]);
}
K
expect "reductions of warps, where the target has them" 0 -- \
    cc "$tmp/reduce.cu" -o "$tmp/reduce.ptx" --arch sm_80
expect "are instructions" 0 'redux.sync.add.s32' -- cat "$tmp/reduce.ptx"
expect "older targets refuse them" 1 'undeclared identifier' -- \
    cc "$tmp/reduce.cu" -o "$tmp/reduce.ptx"
finish
