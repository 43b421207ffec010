/* tests/cuda/programs/check.h - what the programs of this folder share: calls
 * that must succeed, and the verdict. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define TRY(call)                                                              \
    do {                                                                       \
        cudaError_t try_error = (call);                                        \
                                                                               \
        if (try_error != cudaSuccess) {                                        \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call,               \
                   cudaGetErrorString(try_error));                             \
            exit(2);                                                           \
        }                                                                      \
    } while (0)

/* Ends the program unless they are equal; `i` tells which element. */
#define SAME(got, due, i)                                                      \
    do {                                                                       \
        if ((got) != (due)) {                                                  \
            printf("%s:%d: FAIL: %s [%d] is %g, not %g\n", __FILE__, __LINE__, \
                   #got, (int)(i), (double)(got), (double)(due));              \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

static inline int passed(void)
{
    puts("PASS");
    return 0;
}

#endif
