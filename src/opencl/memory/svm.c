/* Shared virtual memory: coarse-grained buffers. The host has simulated memory
 * mapped at its simulated addresses, so that pointers mean the same to the
 * program and to kernels; nothing is ever copied. Where that address is taken,
 * devices report no such capability. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "driver/checkpoint.h"
#include "opencl/memory/memory.h"
#include "runtime/memory.h"

typedef struct ocl_svm {
    struct ocl_svm *next; /* of the context */
    uint64_t addr;
    size_t size;
    ocl_mapping *mappings; /* only pointer, size and flags */
} ocl_svm;

enum { SVM_ALIGN = DEVICE_BASE_ALIGN }; /* of the largest type */

/* ---- Ranges ---- */

bool svm_supported(void) { return rt_memory_identity(drv.image); }

static ocl_svm *find_svm(const struct _cl_context *c, uint64_t addr)
{
    for (ocl_svm *r = c->svm; r; r = r->next)
        if (addr - r->addr < r->size)
            return r;
    return NULL;
}

bool svm_find(cl_context c, const void *ptr, uint64_t *addr, size_t *size)
{
    const ocl_svm *r = find_svm(c, (uintptr_t)ptr);

    if (!r)
        return false;
    *addr = (uintptr_t)ptr;
    *size = r->size - ((uintptr_t)ptr - r->addr);
    return true;
}

static void forget_maps(ocl_svm *r)
{
    while (r->mappings) {
        ocl_mapping *p = r->mappings;

        r->mappings = p->next;
        free(p);
    }
}

/* The range that begins there; a pointer that is none is let be. */
static void release_svm(cl_context c, const void *ptr)
{
    for (ocl_svm **at = &c->svm; *at; at = &(*at)->next) {
        ocl_svm *r = *at;

        if (r->addr != (uintptr_t)ptr)
            continue;
        *at = r->next;
        forget_maps(r);
        memory_give(c, r->addr, r->size);
        free(r);
        return;
    }
}

void svm_free_all(cl_context c)
{
    while (c->svm)
        release_svm(c, (void *)(uintptr_t)c->svm->addr);
}

static bool flags_known(cl_svm_mem_flags flags)
{
    const cl_svm_mem_flags access =
        CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;

    /* No device shares at a finer grain. */
    return !(flags & ~access) && !(flags & (flags - 1));
}

void *clSVMAlloc(cl_context c, cl_svm_mem_flags flags, size_t size,
                 cl_uint align)
{
    ocl_svm *r;
    OCL_LOCK();

    if (!object_is(c, OCL_CONTEXT) || !svm_supported() || !flags_known(flags) ||
        !size || size > memory_largest(c) || (align & (align - 1)) ||
        align > SVM_ALIGN) {
        FAIL(CL_INVALID_VALUE,
             "%zu bytes, flags 0x%llx, alignment %u: there can be ranges of 1 "
             "to CL_DEVICE_MAX_MEM_ALLOC_SIZE bytes, of coarse grain, aligned "
             "to a power of 2 up to %d, on devices that have SVM",
             size, (unsigned long long)flags, align, SVM_ALIGN);
        return NULL;
    }
    object_use(c);
    r = alloc_try_zeroed(1, sizeof *r);
    if (r && memory_take(__func__, c, size, align ? align : 1, "SVM",
                         &r->addr) != CL_SUCCESS) {
        free(r);
        r = NULL;
    }
    if (r) {
        r->size = size;
        r->next = c->svm;
        c->svm = r;
        drv_shares(r->addr, size);
    }
    void *ptr = r ? (void *)(uintptr_t)r->addr : NULL;
    object_drop(c);
    return ptr;
}

/* The program promises that no command uses the range any more. Were that
 * wrong, what happens should at least not depend on how fast the host is. */
void clSVMFree(cl_context c, void *ptr)
{
    OCL_LOCK();

    if (!object_is(c, OCL_CONTEXT)) {
        FAIL(CL_INVALID_CONTEXT, "%p is no context", (void *)c);
        return;
    }
    if (!find_svm(c, (uintptr_t)ptr))
        return;
    object_use(c);
    drv_drain();
    release_svm(c, ptr);
    object_drop(c);
}

/* ---- Checks ---- */

static cl_int check_svm_command(const char *function, cl_command_queue q,
                                cl_uint n, const cl_event *waits)
{
    cl_int code = command_check(q, n, waits);

    if (code != CL_SUCCESS)
        return code;
    if (!svm_supported())
        return ocl_fail(function, CL_INVALID_OPERATION,
                        "the device has no shared virtual memory: something "
                        "else lies at its addresses");
    return CL_SUCCESS;
}

static cl_int null_pointer(const char *function)
{
    return ocl_fail(function, CL_INVALID_VALUE, "a pointer is NULL");
}

/* ---- Freeing in a queue ---- */

typedef void(CL_CALLBACK *free_fn)(cl_command_queue, cl_uint, void **, void *);

typedef struct free_command {
    drv_command base;
    cl_uint count;
    void **list; /* owned */
    free_fn call;
    void *data;
} free_command;

static cl_int run_free(drv_command *c)
{
    free_command *f = (free_command *)c;
    cl_command_queue q = c->queue->o.handle;

    drv_call_begin();
    if (f->call) {
        f->call(q, f->count, f->list, f->data);
    } else {
        OCL_LOCK();

        for (cl_uint i = 0; i < f->count; i++)
            release_svm(q->context, f->list[i]);
    }
    drv_call_end();
    return CL_SUCCESS;
}

static void free_ended(drv_command *c) { free(((free_command *)c)->list); }

cl_int clEnqueueSVMFree(cl_command_queue q, cl_uint count, void *list[],
                        free_fn call, void *data, cl_uint n,
                        const cl_event *waits, cl_event *event)
{
    cl_int code;
    OCL_LOCK();

    if ((code = check_svm_command(__func__, q, n, waits)) != CL_SUCCESS)
        return code;
    if (!count != !list)
        return FAIL(CL_INVALID_VALUE, "%u pointers at %p: both or neither",
                    count, (void *)list);
    free_command *f = command_new(sizeof *f, q, CL_COMMAND_SVM_FREE, run_free);
    if (!f)
        return CL_OUT_OF_HOST_MEMORY;
    f->base.fini = free_ended;
    f->list = alloc_try_array(count + 1, sizeof *f->list);
    if (f->list && count)
        memcpy(f->list, list, count * sizeof *f->list);
    f->count = f->list ? count : 0;
    f->call = call;
    f->data = data;
    f->base.noticed = call != NULL;
    return command_enqueue(f, n, waits, false, event);
}

/* ---- Copying and filling ---- */

cl_int clEnqueueSVMMemcpy(cl_command_queue q, cl_bool blocking, void *to,
                          const void *from, size_t size, cl_uint n,
                          const cl_event *waits, cl_event *event)
{
    uintptr_t a = (uintptr_t)from, b = (uintptr_t)to;
    size_t region[3] = {size, 1, 1};
    cl_int code;
    OCL_LOCK();

    if ((code = check_svm_command(__func__, q, n, waits)) != CL_SUCCESS)
        return code;
    if (!to || !from)
        return null_pointer(__func__);
    if (a < b + size && b < a + size)
        return FAIL(CL_MEM_COPY_OVERLAP, "%zu bytes from %p to %p overlap",
                    size, from, to);
    ocl_transfer *t =
        transfer_new(q, CL_COMMAND_SVM_MEMCPY, side_bytes((void *)from, size),
                     side_bytes(to, size), region, 1, false);
    if (!t)
        return CL_OUT_OF_HOST_MEMORY;
    unsigned shared =
        (find_svm(q->context, a) != NULL) + (find_svm(q->context, b) != NULL);
    t->device_bytes = shared == 2 ? 2 * size : 0;
    t->link_bytes = shared == 1 ? size : 0;
    return command_enqueue(t, n, waits, blocking, event);
}

cl_int clEnqueueSVMMemFill(cl_command_queue q, void *to, const void *pattern,
                           size_t pattern_size, size_t size, cl_uint n,
                           const cl_event *waits, cl_event *event)
{
    cl_int code;
    OCL_LOCK();

    if ((code = check_svm_command(__func__, q, n, waits)) != CL_SUCCESS)
        return code;
    if (!to)
        return null_pointer(__func__);
    if ((code = fill_check(__func__, pattern, pattern_size, (uintptr_t)to,
                           size)) != CL_SUCCESS)
        return code;
    void *f =
        fill_new(q, CL_COMMAND_SVM_MEMFILL, to, size, pattern, pattern_size);
    if (!f)
        return CL_OUT_OF_HOST_MEMORY;
    return command_enqueue(f, n, waits, false, event);
}

/* ---- Mapping: as of memory objects, but nothing is copied ---- */

/* A command that takes as long as moving so many bytes over the link. */
static cl_int enqueue_empty(cl_command_queue q, cl_command_type type,
                            size_t bytes, bool blocking, cl_uint n,
                            const cl_event *waits, cl_event *event)
{
    static const size_t none[3] = {0, 0, 0};
    ocl_side nowhere = {.bytes = NULL};
    ocl_transfer *t = transfer_new(q, type, nowhere, nowhere, none, 1, false);

    if (!t)
        return CL_OUT_OF_HOST_MEMORY;
    t->stays = true;
    t->link_bytes = bytes;
    return command_enqueue(t, n, waits, blocking, event);
}

/* Remembers how it was mapped; false: no memory. */
static bool note_map(ocl_svm *r, void *ptr, size_t size, cl_map_flags flags)
{
    ocl_mapping *p = alloc_try_zeroed(1, sizeof *p);

    if (!p)
        return false;
    p->host = side_bytes(ptr, size);
    p->flags = flags;
    p->next = r->mappings;
    r->mappings = p;
    return true;
}

cl_int clEnqueueSVMMap(cl_command_queue q, cl_bool blocking, cl_map_flags flags,
                       void *ptr, size_t size, cl_uint n, const cl_event *waits,
                       cl_event *event)
{
    const cl_map_flags all =
        CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    cl_int code;
    OCL_LOCK();

    if ((code = check_svm_command(__func__, q, n, waits)) != CL_SUCCESS)
        return code;
    if (!ptr)
        return null_pointer(__func__);
    if (!size || (flags & ~all))
        return FAIL(CL_INVALID_VALUE, "%zu bytes, map flags 0x%llx", size,
                    (unsigned long long)flags);
    ocl_svm *r = find_svm(q->context, (uintptr_t)ptr);
    if (r && !note_map(r, ptr, size, flags))
        return CL_OUT_OF_HOST_MEMORY;
    bool moves = r && !(flags & CL_MAP_WRITE_INVALIDATE_REGION);
    return enqueue_empty(q, CL_COMMAND_SVM_MAP, moves ? size : 0, blocking, n,
                         waits, event);
}

/* Bytes that unmapping moves: what was mapped for writing. */
static size_t take_map(ocl_svm *r, const void *ptr)
{
    for (ocl_mapping **at = &r->mappings; *at; at = &(*at)->next) {
        ocl_mapping *p = *at;
        bool writes =
            p->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
        size_t size = p->host.row;

        if (p->host.bytes != ptr)
            continue;
        *at = p->next;
        free(p);
        return writes ? size : 0;
    }
    return 0;
}

cl_int clEnqueueSVMUnmap(cl_command_queue q, void *ptr, cl_uint n,
                         const cl_event *waits, cl_event *event)
{
    cl_int code;
    OCL_LOCK();

    if ((code = check_svm_command(__func__, q, n, waits)) != CL_SUCCESS)
        return code;
    if (!ptr)
        return null_pointer(__func__);
    ocl_svm *r = find_svm(q->context, (uintptr_t)ptr);
    return enqueue_empty(q, CL_COMMAND_SVM_UNMAP, r ? take_map(r, ptr) : 0,
                         false, n, waits, event);
}

/* ---- Migration: all devices have the same memory ---- */

static bool migration_known(cl_mem_migration_flags flags)
{
    return !(
        flags &
        ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST |
                                  CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED));
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue q, cl_uint count,
                              const void **list, const size_t *sizes,
                              cl_mem_migration_flags flags, cl_uint n,
                              const cl_event *waits, cl_event *event)
{
    cl_int code;
    OCL_LOCK();

    if ((code = check_svm_command(__func__, q, n, waits)) != CL_SUCCESS)
        return code;
    if (!count || !list || !migration_known(flags))
        return FAIL(CL_INVALID_VALUE, "%u pointers at %p, flags 0x%llx", count,
                    (void *)list, (unsigned long long)flags);
    for (cl_uint i = 0; i < count; i++) {
        uint64_t addr;
        size_t room, size = sizes ? sizes[i] : 0;

        if (!svm_find(q->context, list[i], &addr, &room) || size > room)
            return FAIL(CL_INVALID_VALUE,
                        "pointer %u, %p, with %zu bytes is not inside shared "
                        "virtual memory",
                        i, list[i], size);
    }
    return enqueue_empty(q, CL_COMMAND_SVM_MIGRATE_MEM, 0, false, n, waits,
                         event);
}
