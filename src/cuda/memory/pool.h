/* src/cuda/memory/pool.h - memory pools. With the lock. */
#ifndef CUDA_MEMORY_POOL_H
#define CUDA_MEMORY_POOL_H

#include "cuda/memory/range.h"

enum { CU_POOL_SWITCHES = 3 };

typedef struct cu_pool {
    drv_object o;
    cu_device *device;
    int switches[CU_POOL_SWITCHES];
    uint64_t threshold;  /* as the program has set it */
    uint64_t used, most; /* bytes */
} cu_pool;

/* NULL: no memory. */
cu_pool *pool_default(cu_device *d);
/* The range, which may be of a pool, ends. */
void pool_give(cu_range *r);

#endif
