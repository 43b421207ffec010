/* What is not there, but has a name: see missing.def. */
#include <stdatomic.h>
#include <stdio.h>

#include "cuda/door.h"

static cudaError_t refuse(const char *function, atomic_flag *told)
{
    cudaError_t code;
    const cu_entered in __attribute__((cleanup(cu_leave), unused)) =
        cu_enter(function, false, &code);

    if (!atomic_flag_test_and_set(told))
        fprintf(stderr, "heddle: %s is not supported: the program gets %s\n",
                function,
                cu_thread_get()->runtime
                    ? cu_error_name(cudaErrorNotSupported)
                    : cu_error_driver(cudaErrorNotSupported));
    return cu_result(code == cudaSuccess
                         ? cu_fail(cudaErrorNotSupported, "not supported")
                         : code);
}

#define MISSING(name)                                                          \
    EXPORT cudaError_t name(void);                                             \
    EXPORT cudaError_t name(void)                                              \
    {                                                                          \
        static atomic_flag told = ATOMIC_FLAG_INIT;                            \
                                                                               \
        return refuse(__func__, &told);                                        \
    }
#include "cuda/driver_missing.def"
#include "cuda/missing.def"
#undef MISSING
