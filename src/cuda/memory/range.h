/* src/cuda/memory/range.h - what the program has allocated. A pointer means the
 * same to the program and to kernels: simulated memory lies at its own
 * addresses in the process. With the lock. */
#ifndef CUDA_MEMORY_RANGE_H
#define CUDA_MEMORY_RANGE_H

#include "cuda/door.h"

typedef enum cu_range_kind {
    CU_RANGE_DEVICE,
    CU_RANGE_MANAGED,
    CU_RANGE_HOST,     /* page-locked, which devices can use as well */
    CU_RANGE_VARIABLE, /* of a module */
    CU_RANGE_ARRAY,
    CU_RANGE_MAPPED, /* at addresses that the program reserved */
} cu_range_kind;

typedef struct cu_range {
    uint64_t addr;
    uint64_t size; /* bytes, as asked for */
    cu_range_kind kind;
    cu_device *device;
    unsigned flags;
    int64_t to_device, to_host; /* added to its addresses: the device's and the
                                   program's; not 0 only of registered memory */
    const void *module;         /* whose variable it is, or NULL */
    struct cu_pool *pool;       /* from which it comes, or NULL */
    struct cu_graph_memory *graph;    /* or of graphs */
    struct cu_range *next, *previous; /* all, what was allocated last first */
} cu_range;

/* cudaErrorMemoryAllocation: too little is left, which was reported. */
cudaError_t range_take(cu_device *d, cu_range_kind kind, uint64_t size,
                       unsigned flags, const char *name, uint64_t *addr);
/* A variable of a module, of which the program learns the address. */
void range_note(cu_device *d, uint64_t addr, const void *module);
/* Memory of the program's own, which devices find at `device_addr`; and its
 * end. */
cudaError_t range_register(cu_device *d, uint64_t addr, uint64_t size,
                           unsigned flags, uint64_t device_addr);
void range_unregister(cu_range *r);
/* Memory at addresses that the program reserved, and its end. */
cudaError_t range_map(cu_device *d, uint64_t addr, uint64_t size);
void range_unmap(cu_range *r);
/* The module and its variables end. */
void range_forget(const void *module);
/* Nothing may use it any more. Memory of graphs stays theirs. */
void range_give(cu_range *r);
/* The one that holds this address; NULL: none does. */
cu_range *range_find(const void *at);
/* Of an address in it the device's, and the program's. */
static inline uint64_t range_device_address(const cu_range *r, uint64_t at)
{
    return at + (uint64_t)r->to_device;
}
static inline uint64_t range_host_address(const cu_range *r, uint64_t at)
{
    return at + (uint64_t)r->to_host;
}
/* Bytes from its first one to this one, at either of its addresses. */
static inline uint64_t range_offset(const cu_range *r, const void *at)
{
    uint64_t offset = (uintptr_t)at - r->addr;

    return offset < r->size ? offset : offset - (uint64_t)r->to_device;
}
/* The one that begins there. */
cu_range *range_at(const void *at);
/* All that there are, of which each leads to the next; NULL: none. */
cu_range *range_first(void);
/* What may still use memory that is to be freed, on any device, ends. The lock
 * may be given back meanwhile. */
void range_wait_for_use(void);
/* All of the device but variables and what is mapped. Nothing of it runs. */
void range_give_all(const cu_device *d);

#endif
