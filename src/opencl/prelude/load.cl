/* src/opencl/prelude/load.cl - vload16 of bytes, which clang 19 makes one load
 * of 16 bytes of, whatever the alignment. */
#ifndef HEDDLE_LOAD_CL
#define HEDDLE_LOAD_CL

#if __clang_major__ > 14
#define HEDDLE_LOAD(T, space, mangled)                                         \
    __attribute__((overloadable, always_inline)) static T##16 heddle_load(     \
        size_t i, const space T *p) __asm__("_Z7vload16m" mangled);            \
    __attribute__((overloadable, always_inline)) static T##16 heddle_load(     \
        size_t i, const space T *p)                                            \
    {                                                                          \
        return (T##16)(vload8(2 * i, p), vload8(2 * i + 1, p));                \
    }
#define HEDDLE_LOADS(T, c)                                                     \
    HEDDLE_LOAD(T, global, "PU3AS1K" c)                                        \
    HEDDLE_LOAD(T, local, "PU3AS3K" c)                                         \
    HEDDLE_LOAD(T, constant, "PU3AS4K" c)                                      \
    HEDDLE_LOAD(T, private, "PK" c)
HEDDLE_LOADS(char, "c")
HEDDLE_LOADS(uchar, "h")
#endif

#endif
