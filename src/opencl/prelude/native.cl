/* src/opencl/prelude/native.cl - native_ and half_ functions, which become the
 * approximate PTX instructions [PTX85:ex2]; OpenCL allows that
 * [OCL12:native-functions]. */
#ifndef HEDDLE_NATIVE_CL
#define HEDDLE_NATIVE_CL

#define HEDDLE_LOG2E   1.44269504f
#define HEDDLE_LN2     0.69314718f
#define HEDDLE_LOG2_10 3.32192809f
#define HEDDLE_LOG10_2 0.30103000f

/* float -> float, for vectors by halves. */
#define HEDDLE_VECTORS(name)                                                   \
    HEDDLE_INLINE float2 name(float2 v)                                        \
    {                                                                          \
        return (float2)(name(v.x), name(v.y));                                 \
    }                                                                          \
    HEDDLE_INLINE float3 name(float3 v)                                        \
    {                                                                          \
        return (float3)(name(v.x), name(v.y), name(v.z));                      \
    }                                                                          \
    HEDDLE_INLINE float4 name(float4 v)                                        \
    {                                                                          \
        return (float4)(name(v.lo), name(v.hi));                               \
    }                                                                          \
    HEDDLE_INLINE float8 name(float8 v)                                        \
    {                                                                          \
        return (float8)(name(v.lo), name(v.hi));                               \
    }                                                                          \
    HEDDLE_INLINE float16 name(float16 v)                                      \
    {                                                                          \
        return (float16)(name(v.lo), name(v.hi));                              \
    }

#define HEDDLE_NATIVE(name, value)                                             \
    HEDDLE_INLINE float name(float x) { return value; }                        \
    HEDDLE_VECTORS(name)

#define HEDDLE_NATIVE2(name, value)                                            \
    HEDDLE_INLINE float name(float x, float y) { return value; }               \
    HEDDLE_INLINE float2 name(float2 x, float2 y)                              \
    {                                                                          \
        return (float2)(name(x.x, y.x), name(x.y, y.y));                       \
    }                                                                          \
    HEDDLE_INLINE float3 name(float3 x, float3 y)                              \
    {                                                                          \
        return (float3)(name(x.xy, y.xy), name(x.z, y.z));                     \
    }                                                                          \
    HEDDLE_INLINE float4 name(float4 x, float4 y)                              \
    {                                                                          \
        return (float4)(name(x.lo, y.lo), name(x.hi, y.hi));                   \
    }                                                                          \
    HEDDLE_INLINE float8 name(float8 x, float8 y)                              \
    {                                                                          \
        return (float8)(name(x.lo, y.lo), name(x.hi, y.hi));                   \
    }                                                                          \
    HEDDLE_INLINE float16 name(float16 x, float16 y)                           \
    {                                                                          \
        return (float16)(name(x.lo, y.lo), name(x.hi, y.hi));                  \
    }

HEDDLE_NATIVE(heddle_native_sin, __nvvm_sin_approx_f(x))
HEDDLE_NATIVE(heddle_native_cos, __nvvm_cos_approx_f(x))
HEDDLE_NATIVE(heddle_native_tan,
              __nvvm_sin_approx_f(x) / __nvvm_cos_approx_f(x))
HEDDLE_NATIVE(heddle_native_exp2, __nvvm_ex2_approx_f(x))
HEDDLE_NATIVE(heddle_native_exp, __nvvm_ex2_approx_f(x *HEDDLE_LOG2E))
HEDDLE_NATIVE(heddle_native_exp10, __nvvm_ex2_approx_f(x *HEDDLE_LOG2_10))
HEDDLE_NATIVE(heddle_native_log2, __nvvm_lg2_approx_f(x))
HEDDLE_NATIVE(heddle_native_log, __nvvm_lg2_approx_f(x) * HEDDLE_LN2)
HEDDLE_NATIVE(heddle_native_log10, __nvvm_lg2_approx_f(x) * HEDDLE_LOG10_2)
HEDDLE_NATIVE(heddle_native_sqrt, __nvvm_sqrt_approx_f(x))
HEDDLE_NATIVE(heddle_native_rsqrt, __nvvm_rsqrt_approx_f(x))
/* there is no rcp.approx built-in without flushing; division becomes it */
HEDDLE_NATIVE(heddle_native_recip, 1.0f / x)
HEDDLE_NATIVE2(heddle_native_divide, x / y)
HEDDLE_NATIVE2(heddle_native_powr,
               __nvvm_ex2_approx_f(y *__nvvm_lg2_approx_f(x)))

#define native_sin(x)       heddle_native_sin(x)
#define native_cos(x)       heddle_native_cos(x)
#define native_tan(x)       heddle_native_tan(x)
#define native_exp2(x)      heddle_native_exp2(x)
#define native_exp(x)       heddle_native_exp(x)
#define native_exp10(x)     heddle_native_exp10(x)
#define native_log2(x)      heddle_native_log2(x)
#define native_log(x)       heddle_native_log(x)
#define native_log10(x)     heddle_native_log10(x)
#define native_sqrt(x)      heddle_native_sqrt(x)
#define native_rsqrt(x)     heddle_native_rsqrt(x)
#define native_recip(x)     heddle_native_recip(x)
#define native_divide(x, y) heddle_native_divide(x, y)
#define native_powr(x, y)   heddle_native_powr(x, y)

#define half_sin    sin
#define half_cos    cos
#define half_tan    tan
#define half_exp2   native_exp2
#define half_exp    native_exp
#define half_exp10  native_exp10
#define half_log2   native_log2
#define half_log    native_log
#define half_log10  native_log10
#define half_sqrt   native_sqrt
#define half_rsqrt  native_rsqrt
#define half_recip  native_recip
#define half_divide native_divide
#define half_powr   native_powr
#endif
