/* Where an object lies must not depend on how fast the host is. Memory that was
 * never used is handed out upwards in the order of the allocating calls,
 * whenever others are freed. Freed memory is used again only when nothing is
 * left above; then all commands end first, so that what is free is the same in
 * every run. */
#include "driver/room.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"
#include "driver/checkpoint.h"
#include "driver/worker.h"
#include "runtime/memory.h"
#include "session/setup.h"

uint8_t *drv_room_host(uint64_t addr) { return rt_host(drv.image, addr, 1); }

void drv_room_copied(drv_device *d, const uint8_t *host, uint64_t bytes)
{
    uint64_t addr = rt_address(drv.image, host);

    if (rt_memory_holds(drv.image, addr))
        rt_copied(d->rt, addr, bytes);
}

/* Simulated memory; 0: used up, also after everything pending has ended. */
static uint64_t take_bytes(uint64_t bytes, uint64_t align, const char *name)
{
    if (!rt_memory_is_new(drv.image, bytes, align))
        worker_drain();
    return rt_alloc_aligned(drv.image, bytes, align, name);
}

uint64_t drv_room_left(drv_device *const *devices, unsigned count)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < count; i++) {
        uint64_t left = drv_device_bytes(devices[i]) - devices[i]->used_bytes;

        if (left < least)
            least = left;
    }
    return least;
}

/* ---- What was in memory ---- */

/* Living objects, and the hashes of those that have been released. */
typedef struct drv_rooms {
    struct room {
        uint64_t addr, bytes;
    } * is;
    size_t count, room;
    uint64_t ended;
} drv_rooms;

static uint64_t room_hash(const struct room *r)
{
    return rt_memory_hash(drv.image, r->addr, r->bytes, r->bytes);
}

void drv_room_begins(uint64_t addr, uint64_t bytes)
{
    drv_rooms *r = drv.rooms;

    if (!drv.setup || !drv.setup->hash || !bytes)
        return;
    if (!r)
        r = drv.rooms = alloc_try_zeroed(1, sizeof *r);
    MUST(r != NULL);
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        r->is = renew(r->is, r->room, sizeof *r->is);
    }
    r->is[r->count++] = (struct room){addr, bytes};
}

void drv_room_ends(uint64_t addr)
{
    drv_rooms *r = drv.rooms;

    for (size_t i = r ? r->count : 0; i-- > 0;)
        if (r->is[i].addr == addr) {
            if (!checkpoint_reads()) /* nobody knows what it would be */
                r->ended += room_hash(&r->is[i]);
            r->is[i] = r->is[--r->count];
            return;
        }
}

uint64_t drv_room_hash(void)
{
    const drv_rooms *r = drv.rooms;
    uint64_t hash = r ? r->ended : 0;

    for (size_t i = 0; r && i < r->count; i++)
        hash += room_hash(&r->is[i]);
    return hash;
}

/* ---- Room for objects ---- */

bool drv_room_charge(drv_device *const *devices, unsigned count, uint64_t bytes)
{
    if (bytes > drv_room_left(devices, count))
        worker_drain();
    if (bytes > drv_room_left(devices, count))
        return false;
    for (unsigned i = 0; i < count; i++)
        devices[i]->used_bytes += bytes;
    return true;
}

void drv_room_refund(drv_device *const *devices, unsigned count, uint64_t bytes)
{
    for (unsigned i = 0; i < count; i++)
        devices[i]->used_bytes -= bytes;
}

drv_room drv_room_take(drv_device *const *devices, unsigned count,
                       uint64_t bytes, uint64_t align, const char *name,
                       uint64_t *addr)
{
    if (!drv_room_charge(devices, count, bytes))
        return DRV_ROOM_DEVICE;
    uint64_t at = take_bytes(bytes, align, name);
    if (!at) {
        drv_room_refund(devices, count, bytes);
        return DRV_ROOM_MEMORY;
    }
    drv_room_begins(at, bytes);
    checkpoint_took(at, bytes);
    *addr = at;
    return DRV_ROOM_TAKEN;
}

void drv_room_give(drv_device *const *devices, unsigned count, uint64_t addr,
                   uint64_t bytes)
{
    drv_room_ends(addr);
    checkpoint_gave(addr, bytes);
    rt_release(drv.image, addr);
    drv_room_refund(devices, count, bytes);
}

uint64_t drv_memory_ns(const drv_device *d, uint64_t bytes)
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
