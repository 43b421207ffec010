/* Virtual memory: addresses that are reserved, memory that has none, and the
 * one mapped at the other.
 *
 * Memory is a file in the host's memory (cuda/memory/pages.h), so that it can
 * lie at several addresses and in several processes. What is mapped and may be
 * accessed is a live range of simulated memory; neighbours are one range. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "cuda/driver_api/driver_call.h"
#include "cuda/memory/pages.h"
#include "cuda/memory/range.h"
#include "cuda/stream/stream.h"
#include "driver/checkpoint.h"
#include "driver/room.h"
#include "runtime/memory.h"

#define GRANULE ((uint64_t)2 << 20) /* bytes, as devices have them */

/* What cuMemCreate makes. */
typedef struct cu_physical {
    drv_object o; /* used by what is mapped of it */
    cu_device *device;
    CUmemAllocationProp how;
    uint64_t size;
    int file;
    bool imported; /* counted by the process that made it */
} cu_physical;

typedef struct mapped {
    struct mapped *next;
    uint64_t addr, size;
    cu_physical *of;
    uint64_t devices; /* bit by device: which may access it */
} mapped;

typedef struct reservation {
    struct reservation *next;
    uint64_t addr, size;
    mapped *first; /* by address */
} reservation;

/* Part of the process's state; with the lock. */
static reservation *reservations;

/* ---- Addresses ---- */

/* What holds all of these bytes; NULL: none does, reported. */
static reservation *reservation_of(uint64_t addr, uint64_t size)
{
    for (reservation *r = reservations; r; r = r->next)
        if (addr - r->addr < r->size && size <= r->size - (addr - r->addr))
            return r;
    cu_fail(cudaErrorInvalidValue,
            "0x%llx, %llu bytes: not inside of what one cuMemAddressReserve "
            "reserved",
            (unsigned long long)addr, (unsigned long long)size);
    return NULL;
}

static cudaError_t check_granules(const char *what, uint64_t bytes)
{
    if (bytes && bytes % GRANULE == 0)
        return cudaSuccess;
    return cu_fail(cudaErrorInvalidValue,
                   "%s of %llu bytes: it must be a multiple of %llu, see "
                   "cuMemGetAllocationGranularity",
                   what, (unsigned long long)bytes,
                   (unsigned long long)GRANULE);
}

DRIVER_WITH(cuMemAddressReserve,
            (CUdeviceptr * out, size_t size, size_t align, CUdeviceptr hint,
             unsigned long long flags),
            (out, size, align, hint, flags), DRIVER_INIT)
{
    CUDA_CALL();

    (void)hint; /* a wish */
    if (!out || flags || (align && !bits_is_pow2(align)))
        return cu_fail(cudaErrorInvalidValue,
                       "no place for the address, flags 0x%llx, which must be "
                       "0, or an alignment of %zu, no power of two",
                       flags, align);
    cudaError_t code = check_granules("addresses", size);
    if (code != cudaSuccess)
        return code;
    uint64_t addr =
        rt_reserve(drv.image, size, align > GRANULE ? align : GRANULE,
                   "cuMemAddressReserve");
    reservation *r = addr ? alloc_try_zeroed(1, sizeof *r) : NULL;
    if (addr && !r)
        rt_unreserve(drv.image, addr);
    if (!r)
        return cu_fail(cudaErrorMemoryAllocation,
                       "no %zu bytes of addresses are left", size);
    *r = (reservation){.next = reservations, .addr = addr, .size = size};
    reservations = r;
    *out = addr;
    return cudaSuccess;
}

DRIVER_WITH(cuMemAddressFree, (CUdeviceptr at, size_t size), (at, size),
            DRIVER_INIT)
{
    CUDA_CALL();

    for (reservation **r = &reservations; *r; r = &(*r)->next) {
        reservation *gone = *r;

        if (gone->addr != at || gone->size != size)
            continue;
        if (gone->first)
            return cu_fail(cudaErrorInvalidValue,
                           "memory is mapped at 0x%llx: cuMemUnmap it first",
                           (unsigned long long)gone->first->addr);
        *r = gone->next;
        rt_unreserve(drv.image, gone->addr);
        free(gone);
        return cudaSuccess;
    }
    return cu_fail(cudaErrorInvalidValue,
                   "0x%llx, %zu bytes: not what a cuMemAddressReserve reserved",
                   at, size);
}

/* ---- Memory ---- */

static cudaError_t check_place(const cudaMemLocation *place)
{
    enum { ON_DEVICE = 1 };

    if (place->type != ON_DEVICE)
        return cu_fail(cudaErrorNotSupported,
                       "a place of type %d: there are devices (%d) alone",
                       place->type, ON_DEVICE);
    return device_get(place->id) ? cudaSuccess : cudaErrorInvalidDevice;
}

static cudaError_t check_properties(const CUmemAllocationProp *how)
{
    enum { PINNED = 1 };

    if (!how || how->type != PINNED)
        return cu_fail(cudaErrorInvalidValue,
                       "no properties, or memory of a type that is not "
                       "CU_MEM_ALLOCATION_TYPE_PINNED");
    if (how->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return cu_fail(cudaErrorNotSupported,
                       "handles of type 0x%x: there are POSIX file descriptors "
                       "(1) alone",
                       (unsigned)how->requestedHandleTypes);
    return check_place(&how->location);
}

DRIVER_WITH(cuMemGetAllocationGranularity,
            (size_t * out, const CUmemAllocationProp *how, int option),
            (out, how, option), DRIVER_INIT)
{
    CUDA_CALL();
    cudaError_t code = check_properties(how);

    if (code != cudaSuccess)
        return code;
    if (!out || option < 0 || option > 1)
        return cu_fail(cudaErrorInvalidValue,
                       "no place for the answer, or option %d: there are 0 "
                       "and 1",
                       option);
    *out = GRANULE;
    return cudaSuccess;
}

static void physical_destroy(void *handle)
{
    cu_physical *p = handle;

    if (!p->imported)
        drv_room_refund(&p->device->drv, 1, p->size);
    close(p->file);
    free(p);
}

/* Takes the file, also where it fails. */
static cudaError_t physical_new(unsigned long long *out, cu_physical is)
{
    cu_physical *p = NULL;

    if (is.file >= 0)
        p = drv_object_new(CU_PHYSICAL, sizeof *p, offsetof(cu_physical, o),
                           physical_destroy);
    if (!p) {
        if (is.file >= 0)
            close(is.file);
        return cu_fail(cudaErrorMemoryAllocation,
                       "no memory on the host, or too many open files");
    }
    is.o = p->o;
    *p = is;
    *out = (uintptr_t)p;
    return cudaSuccess;
}

static cu_physical *physical_get(unsigned long long handle)
{
    void *is = (void *)(uintptr_t)handle;

    if (drv_find_held(is, CU_PHYSICAL))
        return is;
    cu_fail(cudaErrorInvalidValue,
            "0x%llx is no handle of memory, or was released", handle);
    return NULL;
}

DRIVER_WITH(cuMemCreate,
            (unsigned long long *out, size_t size,
             const CUmemAllocationProp *how, unsigned long long flags),
            (out, size, how, flags), DRIVER_INIT)
{
    CUDA_CALL();

    if (!out || flags)
        return cu_fail(cudaErrorInvalidValue,
                       "no place for the handle, or flags 0x%llx, which must "
                       "be 0",
                       flags);
    cudaError_t code = check_properties(how);
    if (code == cudaSuccess)
        code = check_granules("memory", size);
    if (code != cudaSuccess)
        return code;
    cu_device *d = device_get(how->location.id);
    if (!drv_room_charge(&d->drv, 1, size))
        return cu_fail(
            cudaErrorMemoryAllocation, "%zu bytes: %llu are left on '%s'", size,
            (unsigned long long)drv_room_left(&d->drv, 1), d->drv->name);
    cu_physical is = {
        .device = d, .how = *how, .size = size, .file = pages_new_file(size)};
    is.how.allocFlags.compressionType = 0; /* nothing is compressed */
    code = physical_new(out, is);
    if (code != cudaSuccess)
        drv_room_refund(&d->drv, 1, size);
    return code;
}

DRIVER_WITH(cuMemRelease, (unsigned long long handle), (handle), DRIVER_INIT)
{
    CUDA_CALL();
    cu_physical *p = physical_get(handle);

    if (!p)
        return cudaErrorInvalidValue;
    drv_release(&p->o);
    return cudaSuccess;
}

DRIVER_WITH(cuMemGetAllocationPropertiesFromHandle,
            (CUmemAllocationProp * out, unsigned long long handle),
            (out, handle), DRIVER_INIT)
{
    CUDA_CALL();
    const cu_physical *p = physical_get(handle);

    if (!p)
        return cudaErrorInvalidValue;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the properties");
    *out = p->how;
    return cudaSuccess;
}

/* ---- Other processes ---- */

DRIVER_WITH(cuMemExportToShareableHandle,
            (void *out, unsigned long long handle, int type,
             unsigned long long flags),
            (out, handle, type, flags), DRIVER_INIT)
{
    CUDA_CALL();
    const cu_physical *p = physical_get(handle);

    if (!p)
        return cudaErrorInvalidValue;
    if (!out || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        !(p->how.requestedHandleTypes & type))
        return cu_fail(cudaErrorInvalidValue,
                       "no place for the handle, flags 0x%llx, which must be "
                       "0, or a handle of type %d, for which the memory was "
                       "not created",
                       flags, type);
    int file = fcntl(p->file, F_DUPFD_CLOEXEC, 0);
    if (file < 0)
        return cu_fail(cudaErrorInvalidValue, "too many files are open");
    *(int *)out = file;
    return cudaSuccess;
}

/* The descriptor stays the program's. */
DRIVER(cuMemImportFromShareableHandle,
       (unsigned long long *out, void *from, int type), (out, from, type))
{
    CUDA_CALL();
    cu_device *d = cu_current();
    int file = (int)(intptr_t)from;

    if (!out || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return cu_fail(cudaErrorInvalidValue,
                       "no place for the handle, or one of type %d, which is "
                       "no POSIX file descriptor (1)",
                       type);
    size_t size = pages_file_bytes(file);
    if (!size || size % GRANULE)
        return cu_fail(cudaErrorInvalidValue,
                       "file %d is none of cuMemExportToShareableHandle", file);
    return physical_new(out,
                        (cu_physical){.device = d,
                                      .how = {.type = 1,
                                              .requestedHandleTypes = type,
                                              .location = {1, d->number}},
                                      .size = size,
                                      .file = fcntl(file, F_DUPFD_CLOEXEC, 0),
                                      .imported = true});
}

/* ---- Mapping ---- */

/* Ranges of the reservation are what may be accessed now. */
static cudaError_t note_ranges(const reservation *r)
{
    cudaError_t code = cudaSuccess;

    for (cu_range *is = range_first(), *next; is; is = next) {
        next = is->next;
        if (is->addr - r->addr < r->size)
            range_unmap(is);
    }
    for (const mapped *m = r->first; m && code == cudaSuccess;) {
        const mapped *first = m;
        uint64_t end = m->addr + m->size;

        for (m = m->next; first->devices && m && m->devices && m->addr == end;
             m = m->next)
            end += m->size;
        if (first->devices)
            code = range_map(first->of->device, first->addr, end - first->addr);
    }
    return code;
}

static void set_devices(mapped *m, uint64_t devices)
{
    bool was = m->devices != 0, is = devices != 0;

    m->devices = devices;
    if (was == is)
        return;
    if (was)
        drv_room_ends(m->addr);
    if (was)
        drv_unmaps(m->addr, m->size);
    rt_reserved_set(drv.image, m->addr, m->size, is);
    if (is)
        drv_room_begins(m->addr, m->size);
}

/* The first that begins at `at`, of which others follow without a gap up to
 * its end; NULL: there is none, reported. */
static mapped **whole_parts(reservation *r, uint64_t at, uint64_t size)
{
    mapped **first = &r->first;
    uint64_t end = at;

    while (*first && (*first)->addr < at)
        first = &(*first)->next;
    for (const mapped *m = *first; m && m->addr == end && end < at + size;
         m = m->next)
        end += m->size;
    if (size && end == at + size)
        return first;
    cu_fail(cudaErrorInvalidValue,
            "0x%llx, %llu bytes: not what calls of cuMemMap mapped, whole",
            (unsigned long long)at, (unsigned long long)size);
    return NULL;
}

static cudaError_t map_there(mapped **before, cu_physical *p, uint64_t at,
                             uint64_t size)
{
    mapped *m = alloc_try_zeroed(1, sizeof *m);

    if (!m || !pages_map_file(p->file, at, size)) {
        free(m);
        return cu_fail(cudaErrorMemoryAllocation, "no memory on the host");
    }
    *m = (mapped){.next = *before, .addr = at, .size = size, .of = p};
    *before = m;
    drv_use(&p->o);
    return cudaSuccess;
}

DRIVER_WITH(cuMemMap,
            (CUdeviceptr at, size_t size, size_t offset,
             unsigned long long handle, unsigned long long flags),
            (at, size, offset, handle, flags), DRIVER_INIT)
{
    CUDA_CALL();
    cu_physical *p = physical_get(handle);
    reservation *r = p ? reservation_of(at, size) : NULL;

    if (!r)
        return cudaErrorInvalidValue;
    cudaError_t code = check_granules("a mapping", size);
    if (code != cudaSuccess)
        return code;
    if (offset || flags || at % GRANULE || size > p->size)
        return cu_fail(cudaErrorInvalidValue,
                       "offset %zu and flags 0x%llx must be 0, the address a "
                       "multiple of %llu, and %zu bytes at most the %llu that "
                       "the memory has",
                       offset, flags, (unsigned long long)GRANULE, size,
                       (unsigned long long)p->size);
    mapped **before = &r->first;
    while (*before && (*before)->addr + (*before)->size <= at)
        before = &(*before)->next;
    if (*before && (*before)->addr < at + size)
        return cu_fail(cudaErrorInvalidValue,
                       "memory is mapped at 0x%llx already",
                       (unsigned long long)(*before)->addr);
    if (p->o.uses || p->imported)
        drv_no_checkpoint("maps memory that lies elsewhere, too (cuMemMap)");
    return map_there(before, p, at, size);
}

/* They and their pages are no memory any more. */
static void unmap_parts(reservation *r, mapped **first, uint64_t end)
{
    for (mapped *m = *first; m && m->addr < end; m = m->next)
        set_devices(m, 0);
    note_ranges(r);
    while (*first && (*first)->addr < end) {
        mapped *gone = *first;

        *first = gone->next;
        pages_restore(gone->addr, gone->size);
        drv_drop(&gone->of->o);
        free(gone);
    }
}

DRIVER_WITH(cuMemUnmap, (CUdeviceptr at, size_t size), (at, size), DRIVER_INIT)
{
    CUDA_CALL();
    reservation *r = reservation_of(at, size);

    if (!r || !whole_parts(r, at, size))
        return cudaErrorInvalidValue;
    range_wait_for_use();
    r = reservation_of(at, size); /* another thread may have been quicker */
    mapped **first = r ? whole_parts(r, at, size) : NULL;
    if (!first)
        return cudaErrorInvalidValue;
    unmap_parts(r, first, at + size);
    return cudaSuccess;
}

/* ---- Access ---- */

static cudaError_t check_access(const CUmemAccessDesc *is, size_t count)
{
    if (!is || !count)
        return cu_fail(cudaErrorInvalidValue, "no descriptions of access");
    for (size_t i = 0; i < count; i++) {
        cudaError_t code = check_place(&is[i].location);

        if (code != cudaSuccess)
            return code;
        if (is[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
            is[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return cu_fail(cudaErrorNotSupported,
                           "access %d: there are none (0) and reads with "
                           "writes (3)",
                           is[i].flags);
    }
    return cudaSuccess;
}

DRIVER_WITH(cuMemSetAccess,
            (CUdeviceptr at, size_t size, const CUmemAccessDesc *is,
             size_t count),
            (at, size, is, count), DRIVER_INIT)
{
    CUDA_CALL();
    cudaError_t code = check_access(is, count);

    if (code != cudaSuccess)
        return code;
    range_wait_for_use();
    reservation *r = reservation_of(at, size);
    mapped **first = r ? whole_parts(r, at, size) : NULL;
    if (!first)
        return cudaErrorInvalidValue;
    for (mapped *m = *first; m && m->addr < at + size; m = m->next) {
        uint64_t devices = m->devices;

        for (size_t i = 0; i < count; i++) {
            uint64_t bit = (uint64_t)1 << is[i].location.id;

            devices = is[i].flags ? devices | bit : devices & ~bit;
        }
        set_devices(m, devices);
    }
    return note_ranges(r);
}

static mapped *mapped_at(uint64_t at)
{
    reservation *r = reservation_of(at, 1);

    for (mapped *m = r ? r->first : NULL; m; m = m->next)
        if (at - m->addr < m->size)
            return m;
    if (r)
        cu_fail(cudaErrorInvalidValue, "nothing is mapped at 0x%llx",
                (unsigned long long)at);
    return NULL;
}

DRIVER_WITH(cuMemGetAccess,
            (unsigned long long *out, const cudaMemLocation *place,
             CUdeviceptr at),
            (out, place, at), DRIVER_INIT)
{
    CUDA_CALL();

    if (!out || !place)
        return cu_fail(cudaErrorInvalidValue,
                       "no place for the answer, or no device");
    cudaError_t code = check_place(place);
    if (code != cudaSuccess)
        return code;
    const mapped *m = mapped_at(at);
    if (!m)
        return cudaErrorInvalidValue;
    *out = m->devices >> place->id & 1 ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                       : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return cudaSuccess;
}

DRIVER_WITH(cuMemRetainAllocationHandle, (unsigned long long *out, void *at),
            (out, at), DRIVER_INIT)
{
    CUDA_CALL();

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the handle");
    mapped *m = mapped_at((uintptr_t)at);
    if (!m)
        return cudaErrorInvalidValue;
    m->of->o.refs++;
    *out = (uintptr_t)m->of;
    return cudaSuccess;
}
