/* src/opencl/prelude/atom.cl - the atom_ functions of the extensions. */
#ifndef HEDDLE_ATOM_CL
#define HEDDLE_ATOM_CL

/* The atom_ functions, of which clang knows the 32-bit ones; an overload of
 * ours hides those, so all are here. */
#define HEDDLE_ATOM(space, type)                                               \
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
    HEDDLE_ATOM_IF(space, type, min, v < old)                                  \
    HEDDLE_ATOM_IF(space, type, max, v > old)
#define HEDDLE_ATOM_IF(space, type, name, better)                              \
    HEDDLE_INLINE type atom_##name(volatile space type *p, type v)             \
    {                                                                          \
        type old = *p, seen;                                                   \
                                                                               \
        while (better &&                                                       \
               (seen = __sync_val_compare_and_swap(p, old, v)) != old)         \
            old = seen;                                                        \
        return old;                                                            \
    }
HEDDLE_ATOM(global, int)
HEDDLE_ATOM(global, uint)
HEDDLE_ATOM(local, int)
HEDDLE_ATOM(local, uint)
HEDDLE_ATOM(global, long)
HEDDLE_ATOM(global, ulong)
HEDDLE_ATOM(local, long)
HEDDLE_ATOM(local, ulong)
#endif
