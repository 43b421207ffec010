/* Room in simulated memory, which all devices share.
 *
 * Where an object lies must not depend on how fast the host is. Memory that was
 * never used is handed out upwards in the order of the allocating calls,
 * whenever others are freed. Freed memory is used again only when nothing is
 * left above; then all commands end first, so that what is free is the same in
 * every run. */
#include "opencl/memory/memory.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/must.h"
#include "runtime/memory.h"
#include "session/setup.h"

static rt_memory *device_memory(void) { return state_get()->image; }

uint8_t *memory_host(uint64_t addr)
{
    return rt_host(device_memory(), addr, 1);
}

/* Simulated memory; 0: used up, also after everything pending has ended. */
static uint64_t memory_alloc(uint64_t bytes, uint64_t align, const char *name)
{
    if (!rt_memory_is_new(device_memory(), bytes, align))
        commands_drain();
    return rt_alloc_aligned(device_memory(), bytes, align, name);
}

void memory_release(uint64_t addr) { rt_release(device_memory(), addr); }

uint64_t memory_largest(const struct _cl_context *c)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < c->device_count; i++)
        if (device_max_alloc(c->devices[i]) > most)
            most = device_max_alloc(c->devices[i]);
    return most;
}

/* Bytes that are left of each device's memory, on the fullest one. */
static uint64_t left_over(const struct _cl_context *c)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < c->device_count; i++) {
        const struct _cl_device_id *d = c->devices[i];
        uint64_t left = device_global_bytes(d) - d->used_bytes;

        if (left < least)
            least = left;
    }
    return least;
}

static void count_used_bytes(cl_context c, uint64_t bytes, bool more)
{
    for (unsigned i = 0; i < c->device_count; i++)
        if (more)
            c->devices[i]->used_bytes += bytes;
        else
            c->devices[i]->used_bytes -= bytes;
}

/* ---- What was in memory ---- */

/* Living objects, and the hashes of those that have been released. */
typedef struct ocl_rooms {
    struct room {
        uint64_t addr, bytes;
    } * is;
    size_t count, room;
    uint64_t ended;
} ocl_rooms;

static uint64_t room_hash(const struct room *r)
{
    return hash_bytes(memory_host(r->addr), r->bytes, r->bytes);
}

static void room_begins(uint64_t addr, uint64_t bytes)
{
    ocl_state *s = state_get();
    ocl_rooms *r = s->rooms;

    if (!s->setup || !s->setup->hash || !bytes)
        return;
    if (!r)
        r = s->rooms = alloc_try_zeroed(1, sizeof *r);
    MUST(r != NULL);
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        r->is = renew(r->is, r->room, sizeof *r->is);
    }
    r->is[r->count++] = (struct room){addr, bytes};
}

static void room_ends(uint64_t addr)
{
    ocl_rooms *r = state_get()->rooms;

    for (size_t i = r ? r->count : 0; i-- > 0;)
        if (r->is[i].addr == addr) {
            r->ended += room_hash(&r->is[i]);
            r->is[i] = r->is[--r->count];
            return;
        }
}

uint64_t memory_hash(void)
{
    const ocl_rooms *r = state_get()->rooms;
    uint64_t hash = r ? r->ended : 0;

    for (size_t i = 0; r && i < r->count; i++)
        hash += room_hash(&r->is[i]);
    return hash;
}

/* ---- Room for objects ---- */

cl_int memory_take(const char *function, cl_context c, uint64_t bytes,
                   uint64_t align, const char *name, uint64_t *addr)
{
    if (bytes > left_over(c)) /* what commands still use may become free */
        commands_drain();
    if (bytes > left_over(c))
        return ocl_fail(function, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                        "%llu bytes, but only %llu of a device's memory are "
                        "left",
                        (unsigned long long)bytes,
                        (unsigned long long)left_over(c));
    uint64_t at = memory_alloc(bytes, align, name);
    if (!at)
        return ocl_fail(function, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                        "%llu bytes: all simulated memory is used",
                        (unsigned long long)bytes);
    count_used_bytes(c, bytes, true);
    room_begins(at, bytes);
    *addr = at;
    return CL_SUCCESS;
}

void memory_give(cl_context c, uint64_t addr, uint64_t bytes)
{
    room_ends(addr);
    memory_release(addr);
    count_used_bytes(c, bytes, false);
}

uint64_t memory_ns(const struct _cl_device_id *d, uint64_t bytes)
{
    const config *cfg = d->cfg;
    uint64_t khz =
        cfg->dram.clock_khz ? cfg->dram.clock_khz : cfg->gpu.clock_khz;
    uint64_t per_ms =
        khz * cfg->dram.channels * cfg->dram.bus_bytes * cfg->dram.data_rate;
    uint64_t million = 1000000;

    return bytes / per_ms * million +
           (bytes % per_ms * million + per_ms - 1) / per_ms;
}
