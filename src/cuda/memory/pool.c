/* Memory in the order of a stream: cudaMallocAsync and pools.
 *
 * A pool keeps nothing: what is freed goes back at once when the stream has
 * come there, so thresholds for keeping it have no effect. */
#include <stdlib.h>
#include <string.h>

#include "cuda/memory/graph_memory.h"
#include "cuda/memory/pool.h"
#include "cuda/memory/range.h"
#include "cuda/stream/op.h"

/* ---- Pools ---- */

static void pool_destroy(void *handle) { free(handle); }

static cu_pool *pool_new(cu_device *d)
{
    cu_pool *p =
        drv_object_new(CU_POOL, sizeof *p, offsetof(cu_pool, o), pool_destroy);

    if (!p)
        return NULL;
    p->device = d;
    for (unsigned i = 0; i < CU_POOL_SWITCHES; i++)
        p->switches[i] = 1; /* reuse is allowed in every way */
    return p;
}

cu_pool *pool_default(cu_device *d)
{
    if (!d->pool)
        d->pool = pool_new(d);
    return d->pool;
}

static cu_pool *pool_get(cudaMemPool_t handle)
{
    if (drv_find_held(handle, CU_POOL))
        return (cu_pool *)handle;
    cu_fail(cudaErrorInvalidResourceHandle, "%p is no memory pool",
            (void *)handle);
    return NULL;
}

static cudaError_t get_pool(cudaMemPool_t *out, int number)
{
    cu_device *d = device_get(number);
    cu_pool *p = d ? d->current_pool ? d->current_pool : pool_default(d) : NULL;

    if (!d)
        return cudaErrorInvalidDevice;
    if (!out || !p)
        return cu_fail(cudaErrorInvalidValue, "no place for the pool");
    *out = (cudaMemPool_t)p;
    return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int number)
{
    CUDA_CALL();
    cu_device *d = device_get(number);
    cu_pool *p = d ? pool_default(d) : NULL;

    if (!d)
        return cudaErrorInvalidDevice;
    if (!out || !p)
        return cu_fail(cudaErrorInvalidValue, "no place for the pool");
    *out = (cudaMemPool_t)p;
    return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int number)
{
    CUDA_CALL();
    return get_pool(out, number);
}

EXPORT cudaError_t cudaDeviceSetMemPool(int number, cudaMemPool_t pool)
{
    CUDA_CALL();
    cu_device *d = device_get(number);
    cu_pool *p = d ? pool_get(pool) : NULL;

    if (!p)
        return d ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDevice;
    if (p->device != d)
        return cu_fail(cudaErrorInvalidValue,
                       "the pool is of device %d, not %d", p->device->number,
                       number);
    d->current_pool = p;
    return cudaSuccess;
}

/* Of its properties the device counts, the number behind the types of the
 * allocation, of handles and of the place. */
EXPORT cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const void *properties)
{
    enum { DEVICE_AT = 3 * sizeof(int) };
    CUDA_CALL();
    int number;

    if (!out || !properties)
        return cu_fail(cudaErrorInvalidValue, "no place for the pool, or no "
                                              "properties");
    memcpy(&number, (const char *)properties + DEVICE_AT, sizeof number);
    cu_device *d = device_get(number);
    if (!d)
        return cudaErrorInvalidDevice;
    cu_pool *p = pool_new(d);
    if (!p)
        return cu_fail(cudaErrorMemoryAllocation, "no memory for a pool");
    *out = (cudaMemPool_t)p;
    return cudaSuccess;
}

EXPORT cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle)
{
    CUDA_CALL();
    cu_pool *p = pool_get(handle);

    if (!p)
        return cudaErrorInvalidResourceHandle;
    if (p == p->device->pool)
        return cu_fail(cudaErrorInvalidValue,
                       "a device's default pool cannot be destroyed");
    if (p == p->device->current_pool)
        p->device->current_pool = NULL;
    drv_release(&p->o);
    return cudaSuccess;
}

EXPORT cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep)
{
    CUDA_CALL();

    (void)keep;
    return pool_get(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

EXPORT cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const void *list,
                                        size_t count)
{
    CUDA_CALL();

    (void)list, (void)count; /* every device can reach all memory */
    return pool_get(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

EXPORT cudaError_t cudaMemPoolGetAccess(int *out, cudaMemPool_t handle,
                                        cudaMemLocation *place)
{
    enum { READ_AND_WRITE = 3 };
    CUDA_CALL();

    (void)place;
    if (!pool_get(handle))
        return cudaErrorInvalidResourceHandle;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    *out = READ_AND_WRITE;
    return cudaSuccess;
}

/* ---- Attributes ---- */

enum { /* cudaMemPoolAttr: from 1 on three switches, then numbers */
       POOL_RELEASE_THRESHOLD = 4,
       POOL_RESERVED_NOW,
       POOL_RESERVED_MOST,
       POOL_USED_NOW,
       POOL_USED_MOST,
};

EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, int what,
                                           const void *value)
{
    CUDA_CALL();
    cu_pool *p = pool_get(handle);

    if (!p)
        return cudaErrorInvalidResourceHandle;
    if (!value || what < 1 || what > POOL_USED_MOST ||
        what == POOL_RESERVED_NOW || what == POOL_USED_NOW)
        return cu_fail(cudaErrorInvalidValue,
                       "attribute %d of pools cannot be set", what);
    if (what <= CU_POOL_SWITCHES)
        memcpy(&p->switches[what - 1], value, sizeof *p->switches);
    else if (what == POOL_RELEASE_THRESHOLD)
        memcpy(&p->threshold, value, sizeof p->threshold);
    else
        p->most = p->used; /* a high-water mark begins anew */
    return cudaSuccess;
}

EXPORT cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, int what,
                                           void *out)
{
    CUDA_CALL();
    const cu_pool *p = pool_get(handle);
    uint64_t value = 0;

    if (!p)
        return cudaErrorInvalidResourceHandle;
    if (!out || what < 1 || what > POOL_USED_MOST)
        return cu_fail(cudaErrorInvalidValue, "no attribute %d of pools", what);
    if (what <= CU_POOL_SWITCHES) {
        memcpy(out, &p->switches[what - 1], sizeof *p->switches);
        return cudaSuccess;
    }
    if (what == POOL_RELEASE_THRESHOLD)
        value = p->threshold;
    else if (what == POOL_RESERVED_NOW || what == POOL_USED_NOW)
        value = p->used;
    else
        value = p->most;
    memcpy(out, &value, sizeof value);
    return cudaSuccess;
}

/* ---- Memory ---- */

/* The stream captures: a node allocates it. */
static cudaError_t allocate_in_graph(void **out, size_t size, cu_device *d,
                                     cu_stream *s)
{
    cudaError_t code;
    cu_graph_memory *m = graph_memory_new(d, size, &code);

    if (!m)
        return code;
    *out = (void *)(uintptr_t)m->addr;
    return op_submit(s, &(cu_op){.kind = CU_OP_ALLOC, .memory = m});
}

static cudaError_t allocate_from(void **out, size_t size, cu_pool *p,
                                 cudaStream_t stream)
{
    cu_stream *s = stream_get(stream);
    uint64_t addr = 0;

    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!out || !p)
        return cu_fail(cudaErrorInvalidValue, "no place for the pointer");
    if (s->capture && size)
        return allocate_in_graph(out, size, p->device, s);
    if (size) {
        cudaError_t code = range_take(p->device, CU_RANGE_DEVICE, size, 0,
                                      "cudaMallocAsync", &addr);
        if (code != cudaSuccess)
            return code;
        range_at((void *)(uintptr_t)addr)->pool = p;
        drv_use(&p->o);
        p->used += size;
        p->most = p->used > p->most ? p->used : p->most;
    }
    *out = (void *)(uintptr_t)addr;
    return cudaSuccess;
}

EXPORT cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream)
{
    CUDA_CALL();
    cu_device *d = cu_current();

    return allocate_from(
        out, size, d->current_pool ? d->current_pool : pool_default(d), stream);
}

EXPORT cudaError_t cudaMallocFromPoolAsync(void **out, size_t size,
                                           cudaMemPool_t pool,
                                           cudaStream_t stream)
{
    CUDA_CALL();
    cu_pool *p = pool_get(pool);

    return p ? allocate_from(out, size, p, stream)
             : cudaErrorInvalidResourceHandle;
}

void pool_give(cu_range *r)
{
    if (!r->pool)
        return;
    r->pool->used -= r->size;
    drv_drop(&r->pool->o);
}

typedef struct free_command_st {
    drv_command base;
    void *at;
} free_command_st;

/* The stream has come there. */
static void end_free(drv_command *base)
{
    cu_range *r = range_at(((free_command_st *)base)->at);

    if (r)
        range_give(r);
}

/* Memory of a graph is free from now on for launches that come later; it is
 * there until the stream has come here. */
drv_command *free_command(cu_stream *s, void *at)
{
    free_command_st *c =
        drv_command_new(sizeof *c, &s->q, drv_event_new(&s->q), NULL);
    const cu_range *r = range_at(at);

    if (!c)
        return NULL;
    if (r && r->graph) {
        drv_command_use(&c->base, graph_memory_object(r->graph));
        graph_memory_give(r->graph);
        return &c->base;
    }
    c->at = at;
    c->base.fini = end_free;
    return &c->base;
}

EXPORT cudaError_t cudaFreeAsync(void *at, cudaStream_t stream)
{
    CUDA_CALL();
    cu_stream *s = stream_get(stream);
    const cu_range *r = range_at(at);

    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!at)
        return cudaSuccess;
    if (!r || r->kind != CU_RANGE_DEVICE)
        return cu_fail(cudaErrorInvalidValue,
                       "%p is no device memory: not allocated, or freed", at);
    return op_submit(s, &(cu_op){.kind = CU_OP_FREE, .freed = at});
}
