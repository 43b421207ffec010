#include "cuda/memory/range.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/must.h"
#include "cuda/memory/graph_memory.h"
#include "cuda/memory/pool.h"
#include "driver/checkpoint.h"
#include "driver/command.h"
#include "driver/room.h"
#include "runtime/memory.h"

enum { RANGE_ALIGN = 512 }; /* bytes, as cudaMalloc's are in practice */

/* By first address. Part of the process's state; with the lock. */
static struct {
    map *ranges;
    cu_range *first;
    unsigned registered; /* of those, memory of the program's own */
} st;

static void report_full(const cu_device *d, uint64_t size)
{
    drv_device *const drv_d = d->drv;

    cu_fail(cudaErrorMemoryAllocation,
            "%llu bytes of device memory: %llu of %llu are left on '%s'",
            (unsigned long long)size,
            (unsigned long long)drv_room_left(&drv_d, 1),
            (unsigned long long)drv_device_bytes(drv_d), drv_d->name);
}

/* What the host has is not in a device's memory. */
static unsigned devices_of(cu_range_kind kind)
{
    return kind == CU_RANGE_HOST ? 0 : 1;
}

static void remember(cu_range *r, cu_range is)
{
    *r = is;
    r->next = st.first;
    if (r->next)
        r->next->previous = r;
    st.first = r;
    map_put(st.ranges, r->addr, (uintptr_t)r);
}

static cu_range *new_range(void)
{
    if (!st.ranges)
        st.ranges = map_new();
    return alloc_try_zeroed(1, sizeof(cu_range));
}

cudaError_t range_take(cu_device *d, cu_range_kind kind, uint64_t size,
                       unsigned flags, const char *name, uint64_t *addr)
{
    cu_range *r = new_range();

    if (!r)
        return cu_fail(cudaErrorMemoryAllocation, "no memory on the host");
    if (drv_room_take(&d->drv, devices_of(kind), size, RANGE_ALIGN, name,
                      addr) != DRV_ROOM_TAKEN) {
        free(r);
        report_full(d, size);
        return cudaErrorMemoryAllocation;
    }
    if (kind == CU_RANGE_HOST || kind == CU_RANGE_MANAGED)
        drv_shares(*addr, size);
    remember(r, (cu_range){.addr = *addr,
                           .size = size,
                           .kind = kind,
                           .device = d,
                           .flags = flags});
    return cudaSuccess;
}

void range_note(cu_device *d, uint64_t addr, const void *module)
{
    cu_range *r;
    uint64_t first, all;

    /* All constant variables of a module are one allocation. */
    if (range_find((const void *)(uintptr_t)addr) ||
        !rt_memory_find(drv.image, addr, &first, &all) || !(r = new_range()))
        return;
    remember(r, (cu_range){.addr = first,
                           .size = all,
                           .kind = CU_RANGE_VARIABLE,
                           .device = d,
                           .module = module});
}

cudaError_t range_register(cu_device *d, uint64_t addr, uint64_t size,
                           unsigned flags, uint64_t device_addr)
{
    cu_range *r = new_range();

    if (!r)
        return cu_fail(cudaErrorMemoryAllocation, "no memory on the host");
    remember(r, (cu_range){.addr = addr,
                           .size = size,
                           .kind = CU_RANGE_HOST,
                           .device = d,
                           .flags = flags,
                           .to_device = (int64_t)(device_addr - addr)});
    st.registered++;
    return cudaSuccess;
}

cudaError_t range_map(cu_device *d, uint64_t addr, uint64_t size)
{
    cu_range *r = new_range();

    if (!r)
        return cu_fail(cudaErrorMemoryAllocation, "no memory on the host");
    remember(r, (cu_range){.addr = addr,
                           .size = size,
                           .kind = CU_RANGE_MAPPED,
                           .device = d});
    return cudaSuccess;
}

static void forget(cu_range *r)
{
    map_del(st.ranges, r->addr);
    if (r->next)
        r->next->previous = r->previous;
    if (r->previous)
        r->previous->next = r->next;
    else
        st.first = r->next;
    free(r);
}

void range_forget(const void *module)
{
    for (cu_range *r = st.first, *next; r; r = next) {
        next = r->next;
        if (r->module == module)
            forget(r);
    }
}

void range_unregister(cu_range *r)
{
    st.registered--;
    forget(r);
}

void range_unmap(cu_range *r) { forget(r); }

void range_give(cu_range *r)
{
    if (r->graph) {
        graph_memory_give(r->graph);
        return;
    }
    pool_give(r);
    drv_room_give(&r->device->drv, devices_of(r->kind), r->addr, r->size);
    forget(r);
}

cu_range *range_at(const void *at)
{
    uint64_t found;

    if (!st.ranges || !map_get(st.ranges, (uintptr_t)at, &found))
        return NULL;
    return (cu_range *)(uintptr_t)found;
}

/* The program's registered memory, by its own address or the device's. */
static cu_range *find_registered(uint64_t at, cu_range *found)
{
    if (found || !st.registered)
        return found;
    for (cu_range *r = st.first; r; r = r->next)
        if (r->to_device && (at - r->addr < r->size ||
                             at - range_device_address(r, r->addr) < r->size))
            return r;
    return NULL;
}

cu_range *range_find(const void *at)
{
    uint64_t first, size;

    if (rt_memory_find(drv.image, (uintptr_t)at, &first, &size))
        return find_registered((uintptr_t)at, range_at((const void *)first));
    return find_registered((uintptr_t)at, NULL);
}

cu_range *range_first(void) { return st.first; }

void range_wait_for_use(void)
{
    const cu_state *s = cu_get();

    for (int i = 0; i < s->device_count; i++)
        if (s->devices[i].active)
            drv_device_wait(s->devices[i].drv);
}

void range_give_all(const cu_device *d)
{
    for (cu_range *r = st.first, *next; r; r = next) {
        next = r->next;
        if (r->device == d && r->kind != CU_RANGE_VARIABLE &&
            r->kind != CU_RANGE_MAPPED)
            range_give(r);
    }
}
