/* workloads/cuda_lite.h - the part of CUDA C that the workloads use, so that
 * clang compiles them to PTX without a CUDA toolkit. With nvcc it is empty:
 * everything here keeps CUDA's names and meanings [CUDA12:c++-extensions].
 * The approximate functions are the ones that CUDA calls __expf and so on. */
#ifndef CUDA_LITE_H
#define CUDA_LITE_H
#ifndef __NVCC__

#define __global__             __attribute__((global))
#define __device__             __attribute__((device))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __noinline__           __attribute__((noinline))
#define __forceinline__        inline __attribute__((always_inline))
/* What is inlined of it counts as the line that calls it. */
#define CUDA_LITE static __device__ __forceinline__ __attribute__((nodebug))

struct cuda_lite_uint3 {
    unsigned x, y, z;
};

#define CUDA_LITE_DIM(name, reg)                                               \
    CUDA_LITE cuda_lite_uint3 cuda_lite_##name()                               \
    {                                                                          \
        return {(unsigned)__nvvm_read_ptx_sreg_##reg##_x(),                    \
                (unsigned)__nvvm_read_ptx_sreg_##reg##_y(),                    \
                (unsigned)__nvvm_read_ptx_sreg_##reg##_z()};                   \
    }
CUDA_LITE_DIM(thread, tid)
CUDA_LITE_DIM(block, ctaid)
CUDA_LITE_DIM(block_dim, ntid)
CUDA_LITE_DIM(grid_dim, nctaid)
#define threadIdx cuda_lite_thread()
#define blockIdx  cuda_lite_block()
#define blockDim  cuda_lite_block_dim()
#define gridDim   cuda_lite_grid_dim()
#define warpSize  32

typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
CUDA_LITE float2 make_float2(float x, float y) { return float2{x, y}; }
CUDA_LITE float4 make_float4(float x, float y, float z, float w)
{
    return float4{x, y, z, w};
}

CUDA_LITE unsigned atomicAdd(unsigned *p, unsigned v)
{
    return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v);
}
CUDA_LITE unsigned long long atomicAdd(unsigned long long *p,
                                       unsigned long long v)
{
    return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p,
                                                      (long long)v);
}
CUDA_LITE float atomicAdd(float *p, float v)
{
    return __nvvm_atom_add_gen_f(p, v);
}
CUDA_LITE float __shfl_down_sync(unsigned mask, float v, unsigned delta)
{
    return __nvvm_shfl_sync_down_f32(mask, v, delta, 31);
}
CUDA_LITE unsigned __shfl_up_sync(unsigned mask, unsigned v, unsigned delta)
{
    return (unsigned)__nvvm_shfl_sync_up_i32(mask, (int)v, delta, 0);
}

/* Texture and surface objects are handles of 64 bits [CUDA12:texture-objects].
 */
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
template <class T> CUDA_LITE T tex2D(cudaTextureObject_t t, float x, float y);
template <>
__device__ __forceinline__ __attribute__((nodebug)) float
tex2D<float>(cudaTextureObject_t t, float x, float y)
{
    float4 v;

    __asm__("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
            : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
            : "l"(t), "f"(x), "f"(y));
    return v.x;
}
template <class T>
CUDA_LITE void surf2Dwrite(T v, cudaSurfaceObject_t s, int x, int y);
template <>
__device__ __forceinline__ __attribute__((nodebug)) void
surf2Dwrite<float>(float v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(s),
                     "r"(x), "r"(y), "r"(__builtin_bit_cast(int, v))
                     : "memory");
}

CUDA_LITE float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
CUDA_LITE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
CUDA_LITE float fabsf(float x) { return __builtin_fabsf(x); }
CUDA_LITE float __expf(float x) /* 2^(x log2 e) */
{
    return __nvvm_ex2_approx_f(x * 1.44269504f);
}
CUDA_LITE float __logf(float x) /* log2(x) ln 2 */
{
    return __nvvm_lg2_approx_f(x) * 0.69314718f;
}
CUDA_LITE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
CUDA_LITE float __cosf(float x) { return __nvvm_cos_approx_f(x); }

#endif
#endif
