/* Boxes in buffers: clEnqueueReadBufferRect, ...WriteBufferRect and
 * ...CopyBufferRect. */
#include <string.h>

#include "opencl/memory/memory.h"

/* Where a box begins and how its rows and slices lie. */
typedef struct rect {
    const char *what; /* for messages */
    const size_t *origin;
    size_t row, slice; /* 0: as tight as the region allows */
    size_t start;      /* bytes from the origin of all to the first of the box,
                          and to the first behind it */
    size_t end;
} rect;

/* *sum += a * b; false: it is too large for a size. */
static bool add_product(size_t *sum, size_t a, size_t b)
{
    size_t product;

    return !__builtin_mul_overflow(a, b, &product) &&
           !__builtin_add_overflow(*sum, product, sum);
}

static bool place_rect(rect *r, const size_t region[3])
{
    size_t end = region[0];

    r->start = r->origin[0];
    return add_product(&r->start, r->origin[1], r->row) &&
           add_product(&r->start, r->origin[2], r->slice) &&
           add_product(&end, region[1] - 1, r->row) &&
           add_product(&end, region[2] - 1, r->slice) &&
           !__builtin_add_overflow(r->start, end, &r->end);
}

/* Completes it. CL_SUCCESS or CL_INVALID_VALUE. */
static cl_int complete_pitches(const char *function, rect *r,
                               const size_t region[3])
{
    size_t tight;

    if (!r->row)
        r->row = region[0];
    if (r->row < region[0])
        return ocl_fail(function, CL_INVALID_VALUE,
                        "%s: the row pitch %zu is less than the region's width "
                        "of %zu bytes",
                        r->what, r->row, region[0]);
    if (__builtin_mul_overflow(r->row, region[1], &tight))
        tight = SIZE_MAX;
    if (!r->slice)
        r->slice = tight;
    if (r->slice < tight || r->slice % r->row)
        return ocl_fail(function, CL_INVALID_VALUE,
                        "%s: the slice pitch %zu is less than %zu rows of %zu "
                        "bytes, or no multiple of a row",
                        r->what, r->slice, region[1], r->row);
    if (!place_rect(r, region))
        return ocl_fail(function, CL_INVALID_VALUE,
                        "%s: the region is larger than any memory", r->what);
    return CL_SUCCESS;
}

static cl_int check_region(const char *function, const size_t *region,
                           const size_t *origin, const size_t *other)
{
    if (!region || !origin || !other)
        return ocl_fail(function, CL_INVALID_VALUE,
                        "an origin or the region is NULL");
    if (!region[0] || !region[1] || !region[2])
        return ocl_fail(function, CL_INVALID_VALUE,
                        "the region %zu x %zu x %zu is empty", region[0],
                        region[1], region[2]);
    return CL_SUCCESS;
}

/* Is the box inside the buffer? */
static cl_int complete_in(const char *function, rect *r,
                          const struct _cl_mem *m, const size_t region[3])
{
    cl_int code = complete_pitches(function, r, region);

    if (code != CL_SUCCESS || r->end <= m->size)
        return code;
    return ocl_fail(function, CL_INVALID_VALUE,
                    "%s: the region ends at byte %zu of a buffer of %zu",
                    r->what, r->end, m->size);
}

static ocl_side side_of(const rect *r, uint8_t *base)
{
    return (ocl_side){
        .bytes = base + r->start, .row = r->row, .slice = r->slice};
}

static cl_int enqueue_rect_transfer(const char *function, cl_command_queue q,
                                    cl_command_type type, cl_mem m,
                                    bool blocking, rect in, rect there,
                                    const size_t *region, void *host, cl_uint n,
                                    const cl_event *waits, cl_event *event)
{
    bool reads = type == CL_COMMAND_READ_BUFFER_RECT;
    cl_int code = mem_check(function, q, n, waits, m, false);

    if (code != CL_SUCCESS ||
        (code = check_region(function, region, in.origin, there.origin)) !=
            CL_SUCCESS ||
        (code = complete_in(function, &in, m, region)) != CL_SUCCESS ||
        (code = complete_pitches(function, &there, region)) != CL_SUCCESS)
        return code;
    if (!host)
        return ocl_fail(function, CL_INVALID_VALUE, "the pointer is NULL");
    if ((code = mem_check_host(function, m, reads, !reads)) != CL_SUCCESS)
        return code;
    ocl_side a = side_of(&in, drv_room_host(m->addr)),
             b = side_of(&there, host);
    ocl_transfer *t =
        transfer_new(q, type, reads ? a : b, reads ? b : a, region, 1, true);
    if (!t)
        return CL_OUT_OF_HOST_MEMORY;
    command_use(t, m);
    return command_enqueue(t, n, waits, blocking, event);
}

cl_int clEnqueueReadBufferRect(cl_command_queue q, cl_mem m, cl_bool blocking,
                               const size_t *origin, const size_t *host_origin,
                               const size_t *region, size_t row, size_t slice,
                               size_t host_row, size_t host_slice, void *to,
                               cl_uint n, const cl_event *waits,
                               cl_event *event)
{
    rect in = {.what = "buffer", .origin = origin, .row = row, .slice = slice};
    rect there = {.what = "host",
                  .origin = host_origin,
                  .row = host_row,
                  .slice = host_slice};
    OCL_LOCK();

    return enqueue_rect_transfer(__func__, q, CL_COMMAND_READ_BUFFER_RECT, m,
                                 blocking, in, there, region, to, n, waits,
                                 event);
}

cl_int clEnqueueWriteBufferRect(cl_command_queue q, cl_mem m, cl_bool blocking,
                                const size_t *origin, const size_t *host_origin,
                                const size_t *region, size_t row, size_t slice,
                                size_t host_row, size_t host_slice,
                                const void *from, cl_uint n,
                                const cl_event *waits, cl_event *event)
{
    rect in = {.what = "buffer", .origin = origin, .row = row, .slice = slice};
    rect there = {.what = "host",
                  .origin = host_origin,
                  .row = host_row,
                  .slice = host_slice};
    OCL_LOCK();

    return enqueue_rect_transfer(__func__, q, CL_COMMAND_WRITE_BUFFER_RECT, m,
                                 blocking, in, there, region, (void *)from, n,
                                 waits, event);
}

/* ---- Copying ---- */

/* Does [a, a + size) lie in the gap between repetitions of [b, b + size) that
 * are `pitch` apart? */
static bool in_gap(uint64_t a, uint64_t b, uint64_t size, uint64_t pitch)
{
    a %= pitch;
    b %= pitch;
    return (a >= b + size && a + size <= b + pitch) ||
           (b >= a + size && b + size <= a + pitch);
}

/* The specification's rule, on addresses from the buffer of which both may be
 * parts; boxes of different pitches overlap if their extents do. */
static bool rects_overlap(const struct _cl_mem *from, const rect *f,
                          const struct _cl_mem *to, const rect *t,
                          const size_t region[3])
{
    const struct _cl_mem *whole = from->parent ? from->parent : from;
    uint64_t a = from->addr + f->start, a_end = from->addr + f->end;
    uint64_t b = to->addr + t->start, b_end = to->addr + t->end;

    if (a_end <= b || b_end <= a)
        return false;
    if (f->row != t->row || f->slice != t->slice)
        return true;
    a -= whole->addr;
    b -= whole->addr;
    return !in_gap(a, b, region[0], f->row) &&
           !in_gap(a, b, (region[1] - 1) * f->row + region[0], f->slice);
}

cl_int clEnqueueCopyBufferRect(cl_command_queue q, cl_mem from, cl_mem to,
                               const size_t *from_origin,
                               const size_t *to_origin, const size_t *region,
                               size_t from_row, size_t from_slice,
                               size_t to_row, size_t to_slice, cl_uint n,
                               const cl_event *waits, cl_event *event)
{
    rect f = {.what = "source",
              .origin = from_origin,
              .row = from_row,
              .slice = from_slice};
    rect t = {.what = "destination",
              .origin = to_origin,
              .row = to_row,
              .slice = to_slice};
    cl_int code;
    OCL_LOCK();

    if ((code = mem_check(__func__, q, n, waits, from, false)) != CL_SUCCESS ||
        (code = mem_check_object(__func__, q, to, false)) != CL_SUCCESS ||
        (code = check_region(__func__, region, from_origin, to_origin)) !=
            CL_SUCCESS ||
        (code = complete_in(__func__, &f, from, region)) != CL_SUCCESS ||
        (code = complete_in(__func__, &t, to, region)) != CL_SUCCESS)
        return code;
    if (from == to && (f.row != t.row || f.slice != t.slice))
        return FAIL(CL_INVALID_VALUE,
                    "within a buffer both pitches must be the same");
    if (rects_overlap(from, &f, to, &t, region))
        return FAIL(CL_MEM_COPY_OVERLAP, "source and destination overlap");
    ocl_transfer *c = transfer_new(
        q, CL_COMMAND_COPY_BUFFER_RECT, side_of(&f, drv_room_host(from->addr)),
        side_of(&t, drv_room_host(to->addr)), region, 1, false);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    command_use(c, from);
    command_use(c, to);
    return command_enqueue(c, n, waits, false, event);
}
