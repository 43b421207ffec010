/* src/exec/level.c - chosen by the processor's features instead of by
 * target_clones, which need ifunc and crash under the thread sanitizer. */
#include "exec/level.h"

#include <stddef.h>

extern const exec_ops exec_ops_base;
#ifdef EXEC_HAVE_V3
extern const exec_ops exec_ops_v3;
#endif
#ifdef EXEC_HAVE_V4
extern const exec_ops exec_ops_v4;
#endif

enum { LEVELS = 3 };

const char *exec_ops_name(unsigned level)
{
    static const char *const names[LEVELS] = {"base", "v3", "v4"};

    return level < LEVELS ? names[level] : NULL;
}

const exec_ops *exec_ops_level(unsigned level)
{
    if (level == 0)
        return &exec_ops_base;
#ifdef EXEC_HAVE_V3
    /* What x86-64-v3 adds and compilers use; processors with AVX2 have the
     * rest of it (F16C, LZCNT, MOVBE), too. */
    if (level == 1 && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2"))
        return &exec_ops_v3;
#endif
#ifdef EXEC_HAVE_V4
    if (level == 2 && exec_ops_level(1) && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &exec_ops_v4;
#endif
    return NULL;
}

const exec_ops *exec_ops_best(void)
{
    const exec_ops *best = NULL;

    for (unsigned level = LEVELS; !best && level-- > 0;)
        best = exec_ops_level(level);
    return best;
}
