/* Moving boxes of bytes and texels, and the commands that read, write, copy
 * and fill buffers. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "driver/checkpoint.h"
#include "driver/host_link.h"
#include "opencl/memory/memory.h"

/* ---- Sides ---- */

ocl_side side_bytes(void *bytes, size_t size)
{
    return (ocl_side){.bytes = bytes, .row = size, .slice = size};
}

ocl_side side_buffer(const struct _cl_mem *m, size_t offset, size_t size)
{
    return side_bytes(drv_room_host(m->addr) + offset, size);
}

ocl_side side_image(cl_mem m, const size_t origin[3])
{
    return (ocl_side){.image = m, .origin = {origin[0], origin[1], origin[2]}};
}

/* ---- The command ---- */

static void move_bytes(const ocl_transfer *t)
{
    size_t n = t->region[0] * t->unit;

    for (size_t z = 0; z < t->region[2]; z++)
        for (size_t y = 0; y < t->region[1]; y++)
            memmove(t->to.bytes + z * t->to.slice + y * t->to.row,
                    t->from.bytes + z * t->from.slice + y * t->from.row, n);
}

/* Between images, by way of the texels as host bytes. */
static cl_int move_texels(const ocl_transfer *t)
{
    ocl_side box = {.row = t->region[0] * t->unit};

    box.slice = box.row * t->region[1];
    box.bytes = alloc_try_array(box.slice * t->region[2], 1);
    if (!box.bytes)
        return CL_OUT_OF_HOST_MEMORY;
    image_move(t->from.image, t->from.origin, t->region, &box, false);
    image_move(t->to.image, t->to.origin, t->region, &box, true);
    free(box.bytes);
    return CL_SUCCESS;
}

/* Reads of buffers leave nothing behind, nor do images. */
static void note_written(const ocl_transfer *t)
{
    drv_device *d = t->base.queue->device;
    size_t n = t->region[0] * t->unit;

    if (t->base.engine == DRV_READS || !t->to.bytes)
        return;
    for (size_t z = 0; z < t->region[2]; z++)
        for (size_t y = 0; y < t->region[1]; y++)
            drv_room_copied(d, t->to.bytes + z * t->to.slice + y * t->to.row,
                            n);
}

static drv_box box_of(const ocl_side *s)
{
    return (drv_box){.bytes = s->bytes,
                     .row = s->row,
                     .slice = s->slice,
                     .addr = s->image ? s->image->addr : 0};
}

static cl_int run_transfer(drv_command *c)
{
    ocl_transfer *t = (ocl_transfer *)c;
    const drv_device *d = c->queue->device;
    cl_int result = CL_SUCCESS;
    drv_box from = box_of(&t->from), to = box_of(&t->to);

    drv_moves(&from, &to, t->region[0] * t->unit, t->region[1], t->region[2]);
    if (t->stays)
        result = CL_SUCCESS;
    else if (t->from.bytes && t->to.bytes)
        move_bytes(t);
    else if (t->from.bytes)
        image_move(t->to.image, t->to.origin, t->region, &t->from, true);
    else if (t->to.bytes)
        image_move(t->from.image, t->from.origin, t->region, &t->to, false);
    else
        result = move_texels(t);
    c->duration_ns = t->link_bytes ? drv_link_ns(d, t->link_bytes) : 0;
    if (t->device_bytes)
        c->duration_ns += drv_memory_ns(d, t->device_bytes);
    drv_link_moved(c, t->link_bytes, t->device_bytes / 2);
    note_written(t);
    t->done = result == CL_SUCCESS;
    return result;
}

ocl_transfer *transfer_new(cl_command_queue q, cl_command_type type,
                           ocl_side from, ocl_side to, const size_t region[3],
                           size_t unit, bool link)
{
    ocl_transfer *t = command_new(sizeof *t, q, type, run_transfer);
    uint64_t bytes = region[0] * unit * region[1] * region[2];

    if (!t)
        return NULL;
    t->base.tells = true;
    t->from = from;
    t->to = to;
    memcpy(t->region, region, sizeof t->region);
    t->unit = unit;
    t->link_bytes = link ? bytes : 0;
    t->device_bytes = link ? 0 : 2 * bytes;
    command_use(t, from.image);
    command_use(t, to.image);
    return t;
}

/* ---- Reading and writing ---- */

/* Of `size` bytes of the buffer. */
static cl_int enqueue_buffer_transfer(const char *function, cl_command_queue q,
                                      cl_command_type type, cl_mem m,
                                      bool blocking, size_t offset, size_t size,
                                      void *host, cl_uint n,
                                      const cl_event *waits, cl_event *event)
{
    bool reads = type == CL_COMMAND_READ_BUFFER;
    size_t region[3] = {size, 1, 1};
    cl_int code = mem_check(function, q, n, waits, m, false);

    if (code != CL_SUCCESS ||
        (code = mem_check_range(function, m, offset, size)) != CL_SUCCESS)
        return code;
    if (!host)
        return ocl_fail(function, CL_INVALID_VALUE, "the pointer is NULL");
    if ((code = mem_check_host(function, m, reads, !reads)) != CL_SUCCESS)
        return code;
    ocl_side device = side_buffer(m, offset, size);
    ocl_side there = side_bytes(host, size);
    ocl_transfer *t = transfer_new(q, type, reads ? device : there,
                                   reads ? there : device, region, 1, true);
    if (!t)
        return CL_OUT_OF_HOST_MEMORY;
    command_use(t, m);
    return command_enqueue(t, n, waits, blocking, event);
}

cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocking,
                           size_t offset, size_t size, void *to, cl_uint n,
                           const cl_event *waits, cl_event *event)
{
    OCL_LOCK();
    return enqueue_buffer_transfer(__func__, q, CL_COMMAND_READ_BUFFER, m,
                                   blocking, offset, size, to, n, waits, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool blocking,
                            size_t offset, size_t size, const void *from,
                            cl_uint n, const cl_event *waits, cl_event *event)
{
    OCL_LOCK();
    return enqueue_buffer_transfer(__func__, q, CL_COMMAND_WRITE_BUFFER, m,
                                   blocking, offset, size, (void *)from, n,
                                   waits, event);
}

/* ---- Copying ---- */

cl_int clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to,
                           size_t from_offset, size_t to_offset, size_t size,
                           cl_uint n, const cl_event *waits, cl_event *event)
{
    size_t region[3] = {size, 1, 1};
    cl_int code;
    OCL_LOCK();

    if ((code = mem_check(__func__, q, n, waits, from, false)) != CL_SUCCESS ||
        (code = mem_check_object(__func__, q, to, false)) != CL_SUCCESS ||
        (code = mem_check_range(__func__, from, from_offset, size)) !=
            CL_SUCCESS ||
        (code = mem_check_range(__func__, to, to_offset, size)) != CL_SUCCESS)
        return code;
    uint64_t a = from->addr + from_offset, b = to->addr + to_offset;
    if (a < b + size && b < a + size)
        return FAIL(CL_MEM_COPY_OVERLAP,
                    "%zu bytes from %zu and to %zu overlap", size, from_offset,
                    to_offset);
    ocl_transfer *t = transfer_new(
        q, CL_COMMAND_COPY_BUFFER, side_buffer(from, from_offset, size),
        side_buffer(to, to_offset, size), region, 1, false);
    if (!t)
        return CL_OUT_OF_HOST_MEMORY;
    command_use(t, from);
    command_use(t, to);
    return command_enqueue(t, n, waits, false, event);
}

/* ---- Filling ---- */

typedef struct fill {
    drv_command base;
    uint8_t *bytes;
    size_t size, pattern_size;
    uint8_t pattern[FILL_MAX];
} fill;

/* What is there already is copied behind itself, up to pieces that stay in the
 * host's caches. */
static cl_int run_fill(drv_command *c)
{
    enum { PIECE = 1 << 16 };
    fill *f = (fill *)c;
    size_t done = f->size < f->pattern_size ? f->size : f->pattern_size, n;

    memcpy(f->bytes, f->pattern, done);
    for (; done < f->size; done += n) {
        n = done < PIECE ? done : PIECE;
        n = n < f->size - done ? n : f->size - done;
        memcpy(f->bytes + done, f->bytes, n);
    }
    c->duration_ns = drv_memory_ns(c->queue->device, f->size);
    c->bytes = f->size;
    drv_room_copied(c->queue->device, f->bytes, f->size);
    drv_fills(f->bytes, f->size);
    return CL_SUCCESS;
}

cl_int fill_check(const char *function, const void *pattern,
                  size_t pattern_size, uint64_t at, size_t size)
{
    if (!pattern || !pattern_size || pattern_size > FILL_MAX ||
        (pattern_size & (pattern_size - 1)))
        return ocl_fail(function, CL_INVALID_VALUE,
                        "a pattern of %zu bytes at %p: there must be one of 1, "
                        "2, 4 ... 128 bytes",
                        pattern_size, pattern);
    if (at % pattern_size || size % pattern_size)
        return ocl_fail(function, CL_INVALID_VALUE,
                        "place and size must be multiples of the pattern's %zu "
                        "bytes",
                        pattern_size);
    return CL_SUCCESS;
}

void *fill_new(cl_command_queue q, cl_command_type type, uint8_t *bytes,
               size_t size, const void *pattern, size_t pattern_size)
{
    fill *f = command_new(sizeof *f, q, type, run_fill);

    if (!f)
        return NULL;
    f->base.tells = f->base.fills = true;
    f->bytes = bytes;
    f->size = size;
    f->pattern_size = pattern_size;
    memcpy(f->pattern, pattern, pattern_size);
    return f;
}

cl_int clEnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *pattern,
                           size_t pattern_size, size_t offset, size_t size,
                           cl_uint n, const cl_event *waits, cl_event *event)
{
    cl_int code;
    OCL_LOCK();

    if ((code = mem_check(__func__, q, n, waits, m, false)) != CL_SUCCESS ||
        (code = mem_check_range(__func__, m, offset, size)) != CL_SUCCESS ||
        (code = fill_check(__func__, pattern, pattern_size, offset, size)) !=
            CL_SUCCESS)
        return code;
    void *f =
        fill_new(q, CL_COMMAND_FILL_BUFFER, drv_room_host(m->addr) + offset,
                 size, pattern, pattern_size);
    if (!f)
        return CL_OUT_OF_HOST_MEMORY;
    command_use(f, m);
    return command_enqueue(f, n, waits, false, event);
}
