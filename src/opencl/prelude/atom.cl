/* src/opencl/prelude/atom.cl - the atom_ functions of the extensions. */
#ifndef HEDDLE_ATOM_CL
#define HEDDLE_ATOM_CL

/* The atom_ functions, of which clang knows the 32-bit ones; an overload of
 * ours hides those, so all are here. */
#define HEDDLE_ATOM(space, type, ptx, is)                                      \
    HEDDLE_INLINE type atom_add(volatile space type *p, type v)                \
    {                                                                          \
        return __sync_fetch_and_add(p, v);                                     \
    }                                                                          \
    HEDDLE_INLINE type atom_sub(volatile space type *p, type v)                \
    {                                                                          \
        return __sync_fetch_and_sub(p, v);                                     \
    }                                                                          \
    HEDDLE_INLINE type atom_inc(volatile space type *p)                        \
    {                                                                          \
        return __sync_fetch_and_add(p, 1);                                     \
    }                                                                          \
    HEDDLE_INLINE type atom_dec(volatile space type *p)                        \
    {                                                                          \
        return __sync_fetch_and_sub(p, 1);                                     \
    }                                                                          \
    HEDDLE_INLINE type atom_xchg(volatile space type *p, type v)               \
    {                                                                          \
        return __sync_swap(p, v);                                              \
    }                                                                          \
    HEDDLE_INLINE type atom_cmpxchg(volatile space type *p, type old, type v)  \
    {                                                                          \
        return __sync_val_compare_and_swap(p, old, v);                         \
    }                                                                          \
    HEDDLE_INLINE type atom_and(volatile space type *p, type v)                \
    {                                                                          \
        return __sync_fetch_and_and(p, v);                                     \
    }                                                                          \
    HEDDLE_INLINE type atom_or(volatile space type *p, type v)                 \
    {                                                                          \
        return __sync_fetch_and_or(p, v);                                      \
    }                                                                          \
    HEDDLE_INLINE type atom_xor(volatile space type *p, type v)                \
    {                                                                          \
        return __sync_fetch_and_xor(p, v);                                     \
    }                                                                          \
    HEDDLE_ATOM_PTX(space, type, min, ptx, is)                                 \
    HEDDLE_ATOM_PTX(space, type, max, ptx, is)
/* clang knows no __sync of this kind with 64 bits */
#define HEDDLE_ATOM_PTX(space, type, name, ptx, is)                            \
    HEDDLE_INLINE type atom_##name(volatile space type *p, type v)             \
    {                                                                          \
        type old;                                                              \
                                                                               \
        __asm__ volatile("atom." ptx #name "." is " %0, [%1], %2;"             \
                         : "=" HEDDLE_REG_##type(old)                          \
                         : "l"((ulong)p), HEDDLE_REG_##type(v)                 \
                         : "memory");                                          \
        return old;                                                            \
    }
#define HEDDLE_REG_int(x)   "r"(x)
#define HEDDLE_REG_uint(x)  "r"(x)
#define HEDDLE_REG_long(x)  "l"(x)
#define HEDDLE_REG_ulong(x) "l"(x)
#define HEDDLE_ATOMS(space, ptx)                                               \
    HEDDLE_ATOM(space, int, ptx, "s32")                                        \
    HEDDLE_ATOM(space, uint, ptx, "u32")                                       \
    HEDDLE_ATOM(space, long, ptx, "s64")                                       \
    HEDDLE_ATOM(space, ulong, ptx, "u64")
HEDDLE_ATOMS(global, "global.")
HEDDLE_ATOMS(local, "shared.")
#endif
