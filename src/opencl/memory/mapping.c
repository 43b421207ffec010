/* Maps: memory objects that the program reads and writes through a pointer.
 *
 * Where an object's bytes lie in simulated memory as the program is to see
 * them, the pointer leads right there. Objects on the program's own memory
 * (CL_MEM_USE_HOST_PTR) and images in tiles have their bytes copied when the
 * map command runs and, if they were mapped for writing, back when they are
 * unmapped. */
#include <stdlib.h>
#include <string.h>

#include "opencl/memory/memory.h"

#include "base/alloc.h"

enum { MAP_WRITES = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION };

/* ---- Mappings ---- */

static void mapping_drop(ocl_mapping *p)
{
    if (--p->holders)
        return;
    free(p->copy);
    free(p);
}

/* Takes it off the object's list; false: it was not there. */
static bool mapping_take(cl_mem m, const ocl_mapping *p)
{
    for (ocl_mapping **at = &m->mappings; *at; at = &(*at)->next)
        if (*at == p) {
            *at = p->next;
            m->map_count--;
            return true;
        }
    return false;
}

void mappings_free(cl_mem m)
{
    while (m->mappings) {
        ocl_mapping *p = m->mappings;

        m->mappings = p->next;
        mapping_drop(p);
    }
}

/* Adds one of this box to the object's list; NULL: no memory. */
static ocl_mapping *mapping_add(cl_mem m, cl_map_flags flags,
                                const size_t region[3], size_t unit)
{
    ocl_mapping *p = alloc_try_zeroed(1, sizeof *p);

    if (!p)
        return NULL;
    p->flags = flags;
    memcpy(p->region, region, sizeof p->region);
    p->unit = unit;
    p->holders = 1;
    p->next = m->mappings;
    m->mappings = p;
    m->map_count++;
    return p;
}

/* ---- Commands ---- */

static void map_ended(drv_command *c)
{
    ocl_transfer *t = (ocl_transfer *)c;

    if (!t->done && mapping_take(t->mapped, t->mapping))
        mapping_drop(t->mapping);
    mapping_drop(t->mapping);
}

/* Some programs still read what they have unmapped, which they may not; it
 * stays there until the next unmap, as with other drivers. */
static void unmap_ended(drv_command *c)
{
    ocl_transfer *t = (ocl_transfer *)c;

    if (t->mapping->holders == 1 && t->mapping->copy) {
        free(t->mapped->unmapped);
        t->mapped->unmapped = t->mapping->copy;
        t->mapping->copy = NULL;
    }
    mapping_drop(t->mapping);
}

/* The command that maps or unmaps: one that moves the bytes, if they have to
 * move. */
static ocl_transfer *mapping_command(cl_command_queue q, cl_command_type type,
                                     cl_mem m, ocl_mapping *p)
{
    bool unmap = type == CL_COMMAND_UNMAP_MEM_OBJECT;
    bool moves = unmap ? p->flags & MAP_WRITES
                       : !(p->flags & CL_MAP_WRITE_INVALIDATE_REGION);
    ocl_transfer *t =
        transfer_new(q, type, unmap ? p->host : p->device,
                     unmap ? p->device : p->host, p->region, p->unit, moves);

    if (!t)
        return NULL;
    t->device_bytes = 0;
    t->stays = p->direct || !moves;
    t->mapping = p;
    t->mapped = m;
    t->base.fini = unmap ? unmap_ended : map_ended;
    p->holders++;
    command_use(t, m);
    return t;
}

static cl_int check_flags(const char *function, const struct _cl_mem *m,
                          cl_map_flags flags)
{
    const cl_map_flags all = CL_MAP_READ | MAP_WRITES;

    if ((flags & ~all) || ((flags & CL_MAP_WRITE_INVALIDATE_REGION) &&
                           (flags & (CL_MAP_READ | CL_MAP_WRITE))))
        return ocl_fail(function, CL_INVALID_VALUE,
                        "map flags 0x%llx: CL_MAP_READ, CL_MAP_WRITE, both, or "
                        "CL_MAP_WRITE_INVALIDATE_REGION alone",
                        (unsigned long long)flags);
    return mem_check_host(function, m, flags & CL_MAP_READ, flags & MAP_WRITES);
}

/* Enqueues the map command; the pointer, or NULL and a code. */
static void *enqueue_map(cl_command_queue q, cl_command_type type, cl_mem m,
                         ocl_mapping *p, bool blocking, cl_uint n,
                         const cl_event *waits, cl_event *event, cl_int *code)
{
    void *pointer = p->host.bytes;
    ocl_transfer *t = mapping_command(q, type, m, p);

    if (!t) {
        mapping_take(m, p);
        mapping_drop(p);
        *code = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    *code = command_enqueue(t, n, waits, blocking, event);
    return *code == CL_SUCCESS ? pointer : NULL;
}

/* ---- Buffers ---- */

static void *map_buffer(const char *function, cl_command_queue q, cl_mem m,
                        bool blocking, cl_map_flags flags, size_t offset,
                        size_t size, cl_uint n, const cl_event *waits,
                        cl_event *event, cl_int *code)
{
    size_t region[3] = {size, 1, 1};
    ocl_mapping *p;

    if ((*code = mem_check(function, q, n, waits, m, false)) != CL_SUCCESS ||
        (*code = mem_check_range(function, m, offset, size)) != CL_SUCCESS)
        return NULL;
    if (!size) {
        *code = ocl_fail(function, CL_INVALID_VALUE, "there are no bytes");
        return NULL;
    }
    if ((*code = check_flags(function, m, flags)) != CL_SUCCESS)
        return NULL;
    if (!(p = mapping_add(m, flags, region, 1))) {
        *code = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    p->device = p->host = side_buffer(m, offset, size);
    p->direct = m->svm || !m->host_ptr;
    if (!p->direct)
        p->host.bytes = (uint8_t *)m->host_ptr + offset;
    return enqueue_map(q, CL_COMMAND_MAP_BUFFER, m, p, blocking, n, waits,
                       event, code);
}

void *clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking,
                         cl_map_flags flags, size_t offset, size_t size,
                         cl_uint n, const cl_event *waits, cl_event *event,
                         cl_int *err)
{
    cl_int code;
    OCL_LOCK();

    void *pointer = map_buffer(__func__, q, m, blocking, flags, offset, size, n,
                               waits, event, &code);
    ocl_result(err, code);
    return pointer;
}

/* ---- Images ---- */

enum { COPY_ALIGN = 128 }; /* of the largest type */

/* Where the program sees the box; false: no memory. */
static bool place_mapped_image(cl_mem m, ocl_mapping *p, const size_t origin[3])
{
    const size_t *r = p->region;
    size_t bytes;

    p->device = side_image(m, origin);
    if (m->host_ptr) {
        p->host.row = m->desc.image_row_pitch;
        p->host.slice = m->desc.image_slice_pitch;
        p->host.bytes = (uint8_t *)m->host_ptr + origin[0] * p->unit;
        if (m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY) /* layers are rows */
            p->host.row = p->host.slice;
        p->host.bytes += origin[1] * p->host.row + origin[2] * p->host.slice;
        return true;
    }
    p->host = image_rows(m, origin);
    if (p->host.bytes) {
        p->direct = true;
        return true;
    }
    p->host.row = r[0] * p->unit;
    p->host.slice = p->host.row * r[1];
    bytes = p->host.slice * r[2];
    bytes += -bytes % COPY_ALIGN;
    return (p->host.bytes = p->copy = alloc_try_aligned(COPY_ALIGN, bytes)) !=
           NULL;
}

static bool has_slices(const struct _cl_mem *m)
{
    return m->type == CL_MEM_OBJECT_IMAGE3D ||
           m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
           m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

static cl_int check_image(const char *function, const struct _cl_mem *m,
                          const size_t *origin, const size_t *region,
                          cl_map_flags flags, const size_t *row,
                          const size_t *slice)
{
    cl_int code = image_check_box(function, m, origin, region);

    if (code != CL_SUCCESS)
        return code;
    if (!row || (has_slices(m) && !slice))
        return ocl_fail(function, CL_INVALID_VALUE,
                        "there is no place for the %s pitch",
                        row ? "slice" : "row");
    return check_flags(function, m, flags);
}

void *clEnqueueMapImage(cl_command_queue q, cl_mem m, cl_bool blocking,
                        cl_map_flags flags, const size_t *origin,
                        const size_t *region, size_t *row, size_t *slice,
                        cl_uint n, const cl_event *waits, cl_event *event,
                        cl_int *err)
{
    cl_int code;
    OCL_LOCK();

    if ((code = mem_check(__func__, q, n, waits, m, true)) != CL_SUCCESS ||
        (code = check_image(__func__, m, origin, region, flags, row, slice)) !=
            CL_SUCCESS) {
        ocl_result(err, code);
        return NULL;
    }
    ocl_mapping *p = mapping_add(m, flags, region, m->texel);
    if (!p || !place_mapped_image(m, p, origin)) {
        if (p) {
            mapping_take(m, p);
            mapping_drop(p);
        }
        ocl_result(err, CL_OUT_OF_HOST_MEMORY);
        return NULL;
    }
    size_t pitches[2] = {p->host.row, p->host.slice};
    void *pointer = enqueue_map(q, CL_COMMAND_MAP_IMAGE, m, p, blocking, n,
                                waits, event, &code);
    if (pointer) {
        bool slices = has_slices(m);

        *row = pitches[0];
        if (slice)
            *slice = slices ? pitches[image_dims(m) == 3] : 0;
    }
    ocl_result(err, code);
    return pointer;
}

/* ---- Unmapping ---- */

cl_int clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *pointer,
                               cl_uint n, const cl_event *waits,
                               cl_event *event)
{
    cl_int code;
    OCL_LOCK();

    if ((code = command_check(q, n, waits)) != CL_SUCCESS)
        return code;
    if (!object_is(m, OCL_MEM))
        return FAIL(CL_INVALID_MEM_OBJECT, "%p is no memory object", (void *)m);
    if ((code = mem_check_object(__func__, q, m, mem_is_image(m))) !=
        CL_SUCCESS)
        return code;
    ocl_mapping *p = m->mappings;
    while (p && p->host.bytes != pointer)
        p = p->next;
    if (!p)
        return FAIL(CL_INVALID_VALUE,
                    "%p is no pointer from mapping the object", pointer);
    ocl_transfer *t = mapping_command(q, CL_COMMAND_UNMAP_MEM_OBJECT, m, p);
    if (!t)
        return CL_OUT_OF_HOST_MEMORY;
    mapping_take(m, p);
    mapping_drop(p);
    return command_enqueue(t, n, waits, false, event);
}
