/* cudaHostRegister: memory of the program that devices can use.
 *
 * Kernels see nothing but simulated memory. So the pages of the range, with
 * what is in them, become pages that lie at two addresses: the program's, and
 * one in simulated memory, which cudaHostGetDevicePointer tells. What else the
 * program has in the first and the last of these pages comes along and stays
 * where it is. Until it is unregistered a forked child shares the pages. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "cuda/memory/pages.h"
#include "cuda/memory/range.h"
#include "driver/checkpoint.h"
#include "driver/room.h"
#include "runtime/memory.h"

enum {
    REGISTER_READ_ONLY = 8,
    REGISTER_FLAGS = 15, /* portable, mapped, of a device (4), read-only */
};

typedef struct pages {
    uintptr_t first; /* of the program */
    size_t bytes;
} pages;

static pages pages_of(const void *at, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = bits_align_down((uintptr_t)at, page);

    return (pages){first, bits_align_up((uintptr_t)at + size, page) - first};
}

/* ---- Pages ---- */

/* False: not all of it can be read. */
static bool copy_from(void *to, uintptr_t from, size_t bytes)
{
    struct iovec here = {to, bytes}, there = {(void *)from, bytes};

    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

/* False: nothing has changed for the program. */
static bool share_pages(pages p, uint64_t simulated)
{
    int file = pages_new_file(p.bytes);
    bool done = file >= 0 && pages_map_file(file, simulated, p.bytes) &&
                copy_from((void *)(uintptr_t)simulated, p.first, p.bytes) &&
                pages_map_file(file, p.first, p.bytes);

    if (file >= 0)
        close(file);
    return done;
}

/* The program has pages of its own again. False: no memory, or it has unmapped
 * them. */
static bool take_pages_back(pages p)
{
    void *own = mmap(NULL, p.bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (own == MAP_FAILED)
        return false;
    if (copy_from(own, p.first, p.bytes) &&
        mremap(own, p.bytes, p.bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
               (void *)p.first) != MAP_FAILED)
        return true;
    munmap(own, p.bytes);
    return false;
}

/* ---- The API ---- */

static cudaError_t check_range(const void *at, size_t size, unsigned flags)
{
    if (!at || !size || size > UINTPTR_MAX - (uintptr_t)at)
        return cu_fail(cudaErrorInvalidValue, "%zu bytes at %p are no memory",
                       size, at);
    if (flags & ~(unsigned)REGISTER_FLAGS)
        return cu_fail(cudaErrorInvalidValue, "flags 0x%x: there are 0x%x",
                       flags, (unsigned)REGISTER_FLAGS);
    pages p = pages_of(at, size);
    if (rt_memory_holds(drv.image, p.first) ||
        rt_memory_holds(drv.image, p.first + p.bytes - 1))
        return cu_fail(cudaErrorInvalidValue,
                       "%p is a device's memory, and none of the program's own",
                       at);
    for (const cu_range *r = range_first(); r; r = r->next)
        if (r->addr < p.first + p.bytes && p.first < r->addr + r->size)
            return cu_fail(cudaErrorHostMemoryAlreadyRegistered,
                           "%zu bytes at %p meet memory that is registered, or "
                           "that CUDA allocated, at %p",
                           size, at, (void *)(uintptr_t)r->addr);
    return cudaSuccess;
}

EXPORT cudaError_t cudaHostRegister(void *at, size_t size, unsigned flags)
{
    CUDA_CALL();
    cu_device *d = cu_current();
    cudaError_t code = check_range(at, size, flags);
    pages p = pages_of(at, size);
    uint64_t simulated;

    if (code != cudaSuccess)
        return code;
    /* Page-locked memory is not a device's: it counts against none. */
    if (drv_room_take(&d->drv, 0, p.bytes, (uint64_t)sysconf(_SC_PAGESIZE),
                      "cudaHostRegister", &simulated) != DRV_ROOM_TAKEN)
        return cu_fail(cudaErrorMemoryAllocation,
                       "no simulated memory left for %zu bytes", p.bytes);
    if (!share_pages(p, simulated)) {
        pages_restore(simulated, p.bytes);
        drv_room_give(&d->drv, 0, simulated, p.bytes);
        return cu_fail(cudaErrorInvalidValue,
                       "%zu bytes at %p cannot be registered: they are not all "
                       "the program's, or the host is out of memory",
                       size, at);
    }
    drv_pins(simulated, p.bytes, (uintptr_t)at - p.first);
    return range_register(d, (uintptr_t)at, size, flags,
                          simulated + ((uintptr_t)at - p.first));
}

EXPORT cudaError_t cudaHostUnregister(void *at)
{
    CUDA_CALL();
    cu_range *r = range_at(at);

    if (!r || !r->to_device)
        return cu_fail(cudaErrorHostMemoryNotRegistered,
                       "%p is not the first byte of registered memory", at);
    range_wait_for_use();
    r = range_at(at); /* another thread may have been quicker */
    if (!r || !r->to_device)
        return cudaSuccess;
    pages p = pages_of(at, r->size);
    uint64_t simulated =
        range_device_address(r, r->addr) - ((uintptr_t)at - p.first);
    cu_device *d = r->device;
    take_pages_back(p);
    pages_restore(simulated, p.bytes);
    range_unregister(r);
    drv_room_give(&d->drv, 0, simulated, p.bytes);
    return cudaSuccess;
}
