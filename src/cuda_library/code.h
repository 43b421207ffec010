/* src/cuda_library/code.h - kernels that a library has built in, and their
 * launch. Safe to call from several threads. */
#ifndef CUDA_LIBRARY_CODE_H
#define CUDA_LIBRARY_CODE_H

#include "cuda/functions.h"

/* The PTX of a file of ROOM/ptx, which is compiled when the first of its
 * kernels is launched. */
typedef struct library_code {
    const char *ptx;
    cudaLibrary_t loaded; /* NULL: not yet */
} library_code;

/* cmake makes this variable of ROOM/ptx/FILE.ptx: `room` and `file` are C's
 * names for them. */
#define LIBRARY_CODE(room, file) room##_ptx_##file

/* A kernel of it; static, so that it is looked for only once. */
typedef struct library_kernel {
    library_code *code;
    const char *name;
    cudaKernel_t found; /* NULL: not yet */
} library_kernel;

/* Launches on the current device, as cudaLaunchKernel does; `args` has the
 * address of each parameter. */
cudaError_t library_launch(library_kernel *k, dim3 grid, dim3 block,
                           void **args, cudaStream_t stream);

#endif
