/* tests/cuda/program.h - what a compiler puts into the constructor of a program
 * whose code is one PTX text. */
#ifndef CUDA_PROGRAM_H
#define CUDA_PROGRAM_H

#include <stdlib.h>

#include "cuda/functions.h"
#include "pack.h"

/* Pointers are the same on both sides only where the address is free. */
#define NEED_MEMORY()                                                          \
    do {                                                                       \
        if (cudaFree(NULL) == cudaErrorInitializationError)                    \
            TEST_SKIP("simulated memory cannot lie at its own address here");  \
    } while (0)

/* Registers the code, for capability 7.0; the handle for what else there is to
 * register. */
static inline void **program_code(const char *ptx, size_t size)
{
    static struct wrapper {
        int magic, version;
        const void *data;
        void *unused;
    } w;
    static strbuf b;
    pack_image image = {PACK_PTX, 70, 0, ptx, size};

    pack_container(&b, &image, 1, PACK_CODE_ZSTD);
    w = (struct wrapper){0x466243b1, 1, b.text, NULL};
    return __cudaRegisterFatBinary(&w);
}

/* The same of a test, which runs on a V100. */
static inline void **program_register(const char *ptx, size_t size)
{
    unsetenv("HEDDLE_SESSION");
    setenv("HEDDLE_GPU", "v100", 1);
    return program_code(ptx, size);
}

static inline void program_kernel(void **handle, const char *host,
                                  const char *name)
{
    __cudaRegisterFunction(handle, host, NULL, name, -1, NULL, NULL, NULL, NULL,
                           NULL);
}

#endif
