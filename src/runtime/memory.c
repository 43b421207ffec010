#include "runtime/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "runtime/internal.h"

rt_memory *rt_memory_new(uint64_t bytes, diag *dg)
{
    rt_memory *m = new0(1, sizeof *m);

    m->image = mem_image_new(bytes);
    if (!m->image) {
        diag_error(dg,
                   "cannot reserve %llu bytes of address space for simulated "
                   "memory (gpu.global_bytes); is a limit set with ulimit -v?",
                   (unsigned long long)bytes);
        free(m);
        return NULL;
    }
    MUST(pthread_mutex_init(&m->lock, NULL) == 0);
    return m;
}

void rt_memory_free(rt_memory *m)
{
    if (!m)
        return;
    rt_images_fini(&m->images);
    mem_image_free(m->image);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

void rt_lock(rt_memory *m) { MUST(pthread_mutex_lock(&m->lock) == 0); }

void rt_unlock(rt_memory *m) { MUST(pthread_mutex_unlock(&m->lock) == 0); }

bool rt_memory_identity(const rt_memory *m) { return mem_identity(m->image); }

bool rt_memory_holds(const rt_memory *m, uint64_t addr)
{
    return mem_holds(m->image, addr);
}

void rt_memory_track(rt_memory *m, struct mem_touched *t)
{
    mem_image_track(m->image, t);
}

uint8_t *rt_memory_at(const rt_memory *m, uint64_t addr)
{
    return mem_host(m->image, addr);
}

uint64_t rt_memory_used(rt_memory *m)
{
    rt_lock(m);
    uint64_t used = mem_used(m->image);
    rt_unlock(m);
    return used;
}

uint64_t rt_alloc(rt_memory *m, uint64_t size, const char *name)
{
    return rt_alloc_aligned(m, size, 1, name);
}

uint64_t rt_alloc_aligned(rt_memory *m, uint64_t size, uint64_t align,
                          const char *name)
{
    rt_lock(m);
    uint64_t addr = mem_alloc_aligned(m->image, size, align, name);
    rt_unlock(m);
    return addr;
}

bool rt_memory_is_new(rt_memory *m, uint64_t size, uint64_t align)
{
    rt_lock(m);
    bool is_new = mem_is_new(m->image, size, align);
    rt_unlock(m);
    return is_new;
}

bool rt_release(rt_memory *m, uint64_t addr)
{
    rt_lock(m);
    bool was = mem_release(m->image, addr);
    rt_unlock(m);
    return was;
}

uint64_t rt_reserve(rt_memory *m, uint64_t size, uint64_t align,
                    const char *name)
{
    rt_lock(m);
    uint64_t addr = mem_reserve(m->image, size, align, name);
    rt_unlock(m);
    return addr;
}

void rt_reserved_set(rt_memory *m, uint64_t addr, uint64_t size, bool live)
{
    rt_lock(m);
    mem_reserved_set(m->image, addr, size, live);
    rt_unlock(m);
}

void rt_unreserve(rt_memory *m, uint64_t addr)
{
    rt_lock(m);
    mem_unreserve(m->image, addr);
    rt_unlock(m);
}

bool rt_memory_find(rt_memory *m, uint64_t addr, uint64_t *first,
                    uint64_t *size)
{
    int64_t distance;

    rt_lock(m);
    const mem_range *r = mem_nearest(m->image, addr, &distance);
    bool found = r && !distance && r->live;
    if (found) {
        *first = r->addr;
        *size = r->size;
    }
    rt_unlock(m);
    return found;
}

uint8_t *rt_host(rt_memory *m, uint64_t addr, uint64_t size)
{
    rt_lock(m);
    bool valid = mem_valid(m->image, addr, size, NULL);
    rt_unlock(m);
    return valid ? mem_host(m->image, addr) : NULL;
}

uint64_t rt_memory_hash(rt_memory *m, uint64_t addr, uint64_t size,
                        uint64_t seed)
{
    rt_lock(m);
    uint64_t hash = mem_hash_bytes(m->image, addr, size, seed);
    rt_unlock(m);
    return hash;
}

uint64_t rt_address(const rt_memory *m, const uint8_t *host)
{
    return mem_address(m->image, host);
}

bool rt_write(rt_memory *m, uint64_t addr, const void *from, uint64_t size)
{
    uint8_t *to = rt_host(m, addr, size);

    if (to && size)
        memcpy(to, from, size);
    return to != NULL;
}

bool rt_read(rt_memory *m, uint64_t addr, void *to, uint64_t size)
{
    const uint8_t *from = rt_host(m, addr, size);

    if (from && size)
        memcpy(to, from, size);
    return from != NULL;
}
