/* workloads/cuda/lite/atomic.h - atomic functions of all types, for the device,
 * and with _block and _system for other scopes [CUDA12:atomic-functions]. */
#ifndef CUDA_LITE_ATOMIC_H
#define CUDA_LITE_ATOMIC_H

#define CUDA_LITE_ATOM(name, op, type, reg, as)                                \
    CUDA_LITE_ATOM1(name, "atom." op, type, reg, as)                           \
    CUDA_LITE_ATOM1(name##_block, "atom.cta." op, type, reg, as)               \
    CUDA_LITE_ATOM1(name##_system, "atom.sys." op, type, reg, as)
#define CUDA_LITE_ATOM1(name, op, type, reg, as)                               \
    CUDA_LITE type name(type *p, type v)                                       \
    {                                                                          \
        as r;                                                                  \
                                                                               \
        __asm__ volatile(op " %0, [%1], %2;"                                   \
                         : "=" reg(r)                                          \
                         : "l"(p), reg(__builtin_bit_cast(as, v))              \
                         : "memory");                                          \
        return __builtin_bit_cast(type, r);                                    \
    }
#define CUDA_LITE_ATOMS(name, op, u32, s32, u64, s64)                          \
    CUDA_LITE_ATOM(name, op s32, int, "r", int)                                \
    CUDA_LITE_ATOM(name, op u32, unsigned, "r", unsigned)                      \
    CUDA_LITE_ATOM(name, op s64, long long, "l", long long)                    \
    CUDA_LITE_ATOM(name, op s64, long, "l", long)                              \
    CUDA_LITE_ATOM(name, op u64, unsigned long long, "l", unsigned long long)  \
    CUDA_LITE_ATOM(name, op u64, unsigned long, "l", unsigned long)
CUDA_LITE_ATOMS(atomicMin, "min", ".u32", ".s32", ".u64", ".s64")
CUDA_LITE_ATOMS(atomicMax, "max", ".u32", ".s32", ".u64", ".s64")
CUDA_LITE_ATOMS(atomicAnd, "and", ".b32", ".b32", ".b64", ".b64")
CUDA_LITE_ATOMS(atomicOr, "or", ".b32", ".b32", ".b64", ".b64")
CUDA_LITE_ATOMS(atomicXor, "xor", ".b32", ".b32", ".b64", ".b64")
CUDA_LITE_ATOMS(atomicExch, "exch", ".b32", ".b32", ".b64", ".b64")
CUDA_LITE_ATOM(atomicExch, "exch.b32", float, "r", unsigned)
CUDA_LITE_ATOM(atomicExch, "exch.b64", double, "l", unsigned long long)
CUDA_LITE_ATOM(atomicInc, "inc.u32", unsigned, "r", unsigned)
CUDA_LITE_ATOM(atomicDec, "dec.u32", unsigned, "r", unsigned)

/* Sums are the compiler's own, which it may combine and turn into reductions;
 * in other scopes they are instructions. */
#define CUDA_LITE_ADD(type, as, builtin)                                       \
    CUDA_LITE type atomicAdd(type *p, type v)                                  \
    {                                                                          \
        return (type)builtin((as *)p, (as)v);                                  \
    }
CUDA_LITE_ADD(int, int, __nvvm_atom_add_gen_i)
CUDA_LITE_ADD(unsigned, int, __nvvm_atom_add_gen_i)
CUDA_LITE_ADD(long long, long long, __nvvm_atom_add_gen_ll)
CUDA_LITE_ADD(long, long long, __nvvm_atom_add_gen_ll)
CUDA_LITE_ADD(unsigned long long, long long, __nvvm_atom_add_gen_ll)
CUDA_LITE_ADD(unsigned long, long long, __nvvm_atom_add_gen_ll)
CUDA_LITE_ADD(float, float, __nvvm_atom_add_gen_f)
#define CUDA_LITE_SCOPED_ADD(suffix, type, reg)                                \
    CUDA_LITE_ATOM1(atomicAdd_block, "atom.cta.add." suffix, type, reg, type)  \
    CUDA_LITE_ATOM1(atomicAdd_system, "atom.sys.add." suffix, type, reg, type)
CUDA_LITE_SCOPED_ADD("u32", int, "r")
CUDA_LITE_SCOPED_ADD("u32", unsigned, "r")
CUDA_LITE_SCOPED_ADD("u64", unsigned long long, "l")
CUDA_LITE_SCOPED_ADD("f32", float, "f")
CUDA_LITE_ATOM(atomicAdd, "add.f64", double, "d", double)
CUDA_LITE int atomicSub(int *p, int v)
{
    return atomicAdd(p, (int)(0 - (unsigned)v));
}
CUDA_LITE unsigned atomicSub(unsigned *p, unsigned v)
{
    return atomicAdd(p, 0 - v);
}

#define CUDA_LITE_CAS(type, reg, as, bits)                                     \
    CUDA_LITE_CAS1(atomicCAS, "atom.cas." bits, type, reg, as)                 \
    CUDA_LITE_CAS1(atomicCAS_block, "atom.cta.cas." bits, type, reg, as)       \
    CUDA_LITE_CAS1(atomicCAS_system, "atom.sys.cas." bits, type, reg, as)
#define CUDA_LITE_CAS1(name, op, type, reg, as)                                \
    CUDA_LITE type name(type *p, type is, type v)                              \
    {                                                                          \
        as r;                                                                  \
                                                                               \
        __asm__ volatile(op " %0, [%1], %2, %3;"                               \
                         : "=" reg(r)                                          \
                         : "l"(p), reg(is), reg(v)                             \
                         : "memory");                                          \
        return (type)r;                                                        \
    }
CUDA_LITE_CAS(int, "r", int, "b32")
CUDA_LITE_CAS(unsigned, "r", unsigned, "b32")
CUDA_LITE_CAS(long long, "l", long long, "b64")
CUDA_LITE_CAS(unsigned long long, "l", unsigned long long, "b64")
CUDA_LITE_CAS(unsigned short, "h", unsigned short, "b16")

#endif
