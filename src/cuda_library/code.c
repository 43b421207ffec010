#include "cuda_library/code.h"

#include <pthread.h>

/* Guards what library_code and library_kernel find. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static cudaError_t find(library_kernel *k)
{
    library_code *c = k->code;
    cudaError_t code = cudaSuccess;

    if (!c->loaded)
        code = cudaLibraryLoadData(&c->loaded, c->ptx, NULL, NULL, 0, NULL,
                                   NULL, 0);
    if (code == cudaSuccess)
        code = cudaLibraryGetKernel(&k->found, c->loaded, k->name);
    return code;
}

cudaError_t library_launch(library_kernel *k, dim3 grid, dim3 block,
                           void **args, cudaStream_t stream)
{
    cudaError_t code = cudaSuccess;

    pthread_mutex_lock(&lock);
    if (!k->found)
        code = find(k);
    pthread_mutex_unlock(&lock);
    return code == cudaSuccess
               ? cudaLaunchKernel(k->found, grid, block, args, 0, stream)
               : code;
}
