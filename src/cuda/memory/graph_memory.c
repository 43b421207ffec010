#include "cuda/memory/graph_memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/stream/op.h"

/* Bytes of each device: taken, and of all that there is. Part of the process's
 * state. */
static struct {
    uint64_t used, most_used, reserved, most_reserved;
} totals[CU_DEVICES_MAX];

static void add(uint64_t *now, uint64_t *most, uint64_t bytes)
{
    *now += bytes;
    *most = *now > *most ? *now : *most;
}

static void graph_memory_destroy(void *handle)
{
    cu_graph_memory *m = handle;
    cu_range *r = range_at((void *)(uintptr_t)m->addr);

    totals[m->device->number].reserved -= m->size;
    if (r && r->graph == m) {
        r->graph = NULL;
        range_give(r);
    }
    free(m);
}

cu_graph_memory *graph_memory_new(cu_device *d, uint64_t size,
                                  cudaError_t *code)
{
    uint64_t addr;

    *code = range_take(d, CU_RANGE_DEVICE, size, 0, "memory of a graph", &addr);
    if (*code != cudaSuccess)
        return NULL;
    cu_graph_memory *m = drv_object_new(
        0, sizeof *m, offsetof(cu_graph_memory, o), graph_memory_destroy);
    ALLOC_MUST(m);
    m->device = d;
    m->addr = addr;
    m->size = size;
    range_at((void *)(uintptr_t)addr)->graph = m;
    add(&totals[d->number].reserved, &totals[d->number].most_reserved, size);
    drv_use(&m->o);
    drv_release(&m->o);
    return m;
}

drv_object *graph_memory_object(cu_graph_memory *m) { return &m->o; }

void graph_memory_take(cu_graph_memory *m)
{
    unsigned d = (unsigned)m->device->number;

    if (m->taken)
        return;
    m->taken = true;
    add(&totals[d].used, &totals[d].most_used, m->size);
    drv_use(&m->o);
}

void graph_memory_give(cu_graph_memory *m)
{
    if (!m->taken)
        return;
    m->taken = false;
    totals[m->device->number].used -= m->size;
    drv_drop(&m->o);
}

drv_command *alloc_command(cu_stream *s, cu_graph_memory *m)
{
    drv_command *c =
        drv_command_new(sizeof *c, &s->q, drv_event_new(&s->q), NULL);

    if (c) {
        graph_memory_take(m);
        drv_command_use(c, &m->o);
    }
    return c;
}

/* ---- The API ---- */

/* cudaGraphMemAttributeType */
static uint64_t *total_of(int number, int what)
{
    switch (what) {
    case 0:
        return &totals[number].used;
    case 1:
        return &totals[number].most_used;
    case 2:
        return &totals[number].reserved;
    case 3:
        return &totals[number].most_reserved;
    default:
        return NULL;
    }
}

EXPORT cudaError_t cudaDeviceGetGraphMemAttribute(int number, int what,
                                                  void *out)
{
    CUDA_CALL();

    if (!device_get(number))
        return cudaErrorInvalidDevice;
    const uint64_t *total = total_of(number, what);
    if (!total || !out)
        return cu_fail(cudaErrorInvalidValue,
                       "no attribute %d of memory of graphs", what);
    memcpy(out, total, sizeof *total);
    return cudaSuccess;
}

/* The largest values so far can be set, to 0: they then begin anew. */
EXPORT cudaError_t cudaDeviceSetGraphMemAttribute(int number, int what,
                                                  void *value)
{
    uint64_t zero = 0;
    CUDA_CALL();

    if (!device_get(number))
        return cudaErrorInvalidDevice;
    if ((what != 1 && what != 3) || !value ||
        memcmp(value, &zero, sizeof zero) != 0)
        return cu_fail(cudaErrorInvalidValue,
                       "attribute %d of memory of graphs cannot be set so",
                       what);
    *total_of(number, what) = *total_of(number, what - 1);
    return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceGraphMemTrim(int number)
{
    CUDA_CALL();
    return device_get(number) ? cudaSuccess : cudaErrorInvalidDevice;
}
