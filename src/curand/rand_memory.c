/* Memory where words are made. */
#include <stdlib.h>
#include <string.h>

#include "curand/generator.h"

void rand_unplace(struct curandGenerator_st *g, void *at)
{
    void *old;

    memcpy(&old, at, sizeof old);
    if (g->host)
        free(old);
    else if (old)
        cudaFree(old); /* waits for who reads it */
    old = NULL;
    memcpy(at, &old, sizeof old);
}

cudaError_t rand_place(struct curandGenerator_st *g, void *at, size_t size,
                       const void *from)
{
    cudaError_t code = cudaSuccess;
    void *new = NULL;

    rand_unplace(g, at);
    if (g->host)
        code = (new = malloc(size)) ? cudaSuccess : cudaErrorMemoryAllocation;
    else
        code = cudaMalloc(&new, size);
    if (code != cudaSuccess)
        return code;
    memcpy(at, &new, sizeof new);
    if (!g->host)
        return cudaMemcpyAsync(new, from, size, cudaMemcpyHostToDevice,
                               g->stream);
    memcpy(new, from, size);
    return cudaSuccess;
}
