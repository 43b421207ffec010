/* src/cuda_library/stub.h - functions that a library of the vendor's has and
 * ours does not: programs find them, so that they start; the first call of each
 * says on stderr that it is not there. */
#ifndef CUDA_LIBRARY_STUB_H
#define CUDA_LIBRARY_STUB_H

#include <stdatomic.h>

#include "cuda/functions.h"

/* Tells of `function`, once for each `told`; `code` is the name of what the
 * program is answered. */
void library_stub_tell(const char *function, const char *code,
                       atomic_flag *told);

/* Defines such a function: it returns `code`, a constant. */
#define LIBRARY_STUB(name, code)                                               \
    EXPORT int name(void);                                                     \
    EXPORT int name(void)                                                      \
    {                                                                          \
        static atomic_flag told = ATOMIC_FLAG_INIT;                            \
                                                                               \
        library_stub_tell(__func__, #code, &told);                             \
        return code;                                                           \
    }

#endif
