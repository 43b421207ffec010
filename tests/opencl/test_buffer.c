/* tests/opencl/test_buffer.c - buffers: what creating them checks, and that
 * random sequences of commands do what the same steps on an array do. */
#include "rig.h"

/* ---- Creating ---- */

static cl_int buffer_gives(rig *r, cl_mem_flags flags, size_t size, void *host)
{
    cl_int err;
    cl_mem m = clCreateBuffer(r->context, flags, size, host, &err);

    CHECK_EQ(!m, err != CL_SUCCESS);
    if (m)
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    return err;
}

TEST(buffers_are_checked_as_they_are_made)
{
    rig r = rig_open(0);
    char host[64];
    cl_ulong most;
    cl_int err;
    cl_mem_properties odd[] = {0x7777, 1, 0}, none[] = {0};

    clGetDeviceInfo(r.devices[0], CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most,
                    &most, NULL);
    CHECK(!clCreateBuffer(NULL, 0, 64, NULL, &err));
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    CHECK(!clCreateBuffer((cl_context)r.queue, 0, 64, NULL, NULL));
    CHECK_EQ(buffer_gives(&r, 0, 64, NULL), CL_SUCCESS);
    CHECK_EQ(buffer_gives(&r, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(buffer_gives(&r, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 64,
                          NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(
        buffer_gives(&r, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, host),
        CL_INVALID_VALUE);
    CHECK_EQ(
        buffer_gives(&r, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 64, host),
        CL_INVALID_VALUE);
    CHECK_EQ(buffer_gives(&r, CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(buffer_gives(&r, 0, 0, NULL), CL_INVALID_BUFFER_SIZE);
    CHECK_EQ(buffer_gives(&r, 0, most + 1, NULL), CL_INVALID_BUFFER_SIZE);
    CHECK_EQ(buffer_gives(&r, 0, 64, host), CL_INVALID_HOST_PTR);
    CHECK_EQ(buffer_gives(&r, CL_MEM_USE_HOST_PTR, 64, NULL),
             CL_INVALID_HOST_PTR);
    CHECK_EQ(buffer_gives(&r, CL_MEM_COPY_HOST_PTR, 64, NULL),
             CL_INVALID_HOST_PTR);
    CHECK_EQ(buffer_gives(&r, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64,
                          host),
             CL_SUCCESS);
    CHECK(!clCreateBufferWithProperties(r.context, odd, 0, 64, NULL, &err));
    CHECK_EQ(err, CL_INVALID_PROPERTY);
    cl_mem m = clCreateBufferWithProperties(r.context, none, 0, 64, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    cl_mem_properties got[4] = {7, 7, 7, 7};
    size_t size;
    CHECK_EQ(clGetMemObjectInfo(m, CL_MEM_PROPERTIES, sizeof got, got, &size),
             CL_SUCCESS);
    CHECK_EQ(size, sizeof *got);
    CHECK_EQ(got[0], 0);
    clReleaseMemObject(m);
    rig_close(&r);
}

TEST(parts_are_checked_as_they_are_made)
{
    rig r = rig_open(0);
    cl_buffer_region good = {256, 64}, odd = {100, 64}, empty = {256, 0},
                     far = {768, 512};
    cl_mem of = clCreateBuffer(r.context, CL_MEM_READ_ONLY, 1024, NULL, NULL);
    const cl_buffer_create_type region = CL_BUFFER_CREATE_TYPE_REGION;
    cl_int err;

    cl_mem part = clCreateSubBuffer(of, 0, region, &good, &err);
    CHECK_EQ(err, CL_SUCCESS);
    cl_mem_flags flags;
    CHECK_EQ(clGetMemObjectInfo(part, CL_MEM_FLAGS, sizeof flags, &flags, NULL),
             CL_SUCCESS);
    CHECK_EQ(flags, CL_MEM_READ_ONLY);
    cl_mem parent;
    clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent,
                       &parent, NULL);
    CHECK(parent == of);
    clCreateSubBuffer(part, 0, region, &good, &err);
    CHECK_EQ(err, CL_INVALID_MEM_OBJECT);
    clCreateSubBuffer(NULL, 0, region, &good, &err);
    CHECK_EQ(err, CL_INVALID_MEM_OBJECT);
    clCreateSubBuffer(of, CL_MEM_WRITE_ONLY, region, &good, &err);
    CHECK_EQ(err, CL_INVALID_VALUE);
    clCreateSubBuffer(of, CL_MEM_READ_WRITE, region, &good, &err);
    CHECK_EQ(err, CL_INVALID_VALUE);
    clCreateSubBuffer(of, CL_MEM_ALLOC_HOST_PTR, region, &good, &err);
    CHECK_EQ(err, CL_INVALID_VALUE);
    clCreateSubBuffer(of, 0, 0x7777, &good, &err);
    CHECK_EQ(err, CL_INVALID_VALUE);
    clCreateSubBuffer(of, 0, region, NULL, &err);
    CHECK_EQ(err, CL_INVALID_VALUE);
    clCreateSubBuffer(of, 0, region, &far, &err);
    CHECK_EQ(err, CL_INVALID_VALUE);
    clCreateSubBuffer(of, 0, region, &empty, &err);
    CHECK_EQ(err, CL_INVALID_BUFFER_SIZE);
    clCreateSubBuffer(of, 0, region, &odd, &err);
    CHECK_EQ(err, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    /* The whole lives as long as its part. */
    CHECK_EQ(clReleaseMemObject(of), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(of), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clEnqueueFillBuffer(r.queue, part, "x", 1, 0, 64, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(part), CL_SUCCESS);
    rig_close(&r);
}

TEST(a_device_holds_no_more_than_its_memory)
{
    rig r = rig_open(0);
    cl_context one = clCreateContext(NULL, 1, r.devices + 1, NULL, NULL, NULL);
    cl_ulong all, most;
    cl_mem m[64];
    cl_int err = CL_SUCCESS;
    unsigned n = 0;

    clGetDeviceInfo(r.devices[1], CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all,
                    NULL);
    clGetDeviceInfo(r.devices[1], CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most,
                    &most, NULL);
    for (; n < 64 && err == CL_SUCCESS; n++)
        m[n] = clCreateBuffer(one, 0, most, NULL, &err);
    CHECK_EQ(err, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    CHECK_EQ(--n, all / most);
    while (n)
        CHECK_EQ(clReleaseMemObject(m[--n]), CL_SUCCESS);
    m[0] = clCreateBuffer(one, 0, most, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    clReleaseMemObject(m[0]);
    clReleaseContext(one);
    rig_close(&r);
}

static unsigned ended[4], ends;

static void CL_CALLBACK note_end(cl_mem m, void *data)
{
    (void)m;
    ended[ends++] = *(unsigned *)data;
    clReleaseSampler(NULL); /* the lock is free */
}

TEST(callbacks_hear_of_the_end_last_first)
{
    rig r = rig_open(0);
    unsigned a = 1, b = 2;
    cl_mem m = clCreateBuffer(r.context, 0, 64, NULL, NULL);

    ends = 0;
    CHECK_EQ(clSetMemObjectDestructorCallback(m, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clSetMemObjectDestructorCallback(NULL, note_end, NULL),
             CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetMemObjectDestructorCallback(m, note_end, &a), CL_SUCCESS);
    CHECK_EQ(clSetMemObjectDestructorCallback(m, note_end, &b), CL_SUCCESS);
    CHECK_EQ(clRetainMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(ends, 0);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(ends, 2);
    CHECK_EQ(ended[0], 2);
    CHECK_EQ(ended[1], 1);
    rig_close(&r);
}

/* ---- Commands against an array ---- */

enum { BYTES = 6000, BUFFERS = 2, STEPS = 400 };

typedef struct model {
    rig r;
    cl_mem m[BUFFERS];
    uint8_t bytes[BUFFERS][BYTES];
    uint8_t host[BYTES], own[BYTES];
    uint64_t seed;
} model;

static size_t draw(model *p, size_t below)
{
    p->seed = p->seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((p->seed >> 33) % below);
}

static void draw_bytes(model *p)
{
    for (size_t i = 0; i < BYTES; i++)
        p->host[i] = (uint8_t)draw(p, 256);
}

static bool flip(model *p) { return draw(p, 2); }

/* A box whose rows and slices fit BYTES. */
typedef struct random_box {
    size_t origin[3], region[3], row, slice;
} random_box;

static random_box draw_box(model *p, const size_t *region)
{
    random_box b;
    size_t end;

    do {
        for (unsigned k = 0; k < 3; k++) {
            b.region[k] = region ? region[k] : 1 + draw(p, k ? 5 : 30);
            b.origin[k] = draw(p, k ? 4 : 20);
        }
        b.row = b.region[0] + draw(p, 3) * 7;
        b.slice = b.row * (b.region[1] + draw(p, 3));
        end = b.origin[0] + b.region[0] +
              (b.origin[1] + b.region[1] - 1) * b.row +
              (b.origin[2] + b.region[2] - 1) * b.slice;
    } while (end > BYTES);
    return b;
}

static size_t at(const random_box *b, size_t x, size_t y, size_t z)
{
    return (b->origin[2] + z) * b->slice + (b->origin[1] + y) * b->row +
           b->origin[0] + x;
}

static void copy_box(const random_box *b, uint8_t *to, const random_box *a,
                     const uint8_t *from)
{
    for (size_t z = 0; z < a->region[2]; z++)
        for (size_t y = 0; y < a->region[1]; y++)
            for (size_t x = 0; x < a->region[0]; x++)
                to[at(b, x, y, z)] = from[at(a, x, y, z)];
}

static void step_read_write(model *p, unsigned k)
{
    size_t offset = draw(p, BYTES), size = draw(p, BYTES - offset + 1);
    bool blocking = flip(p);

    if (flip(p)) {
        CHECK_EQ(clEnqueueWriteBuffer(p->r.queue, p->m[k], blocking, offset,
                                      size, p->host, 0, NULL, NULL),
                 CL_SUCCESS);
        memcpy(p->bytes[k] + offset, p->host, size);
        clFinish(p->r.queue);
    } else {
        CHECK_EQ(clEnqueueReadBuffer(p->r.queue, p->m[k], blocking, offset,
                                     size, p->own, 0, NULL, NULL),
                 CL_SUCCESS);
        clFinish(p->r.queue);
        CHECK(!memcmp(p->own, p->bytes[k] + offset, size));
    }
}

static void step_copy(model *p, unsigned k)
{
    unsigned to = (unsigned)draw(p, BUFFERS);
    size_t size = 1 + draw(p, BYTES), a = draw(p, BYTES - size + 1),
           b = draw(p, BYTES - size + 1);
    bool meet = k == to && a < b + size && b < a + size;

    CHECK_EQ(clEnqueueCopyBuffer(p->r.queue, p->m[k], p->m[to], a, b, size, 0,
                                 NULL, NULL),
             meet ? CL_MEM_COPY_OVERLAP : CL_SUCCESS);
    if (!meet)
        memmove(p->bytes[to] + b, p->bytes[k] + a, size);
}

static void step_fill(model *p, unsigned k)
{
    size_t n = (size_t)1 << draw(p, 8);
    size_t first = draw(p, BYTES / n), count = draw(p, BYTES / n - first + 1);

    CHECK_EQ(clEnqueueFillBuffer(p->r.queue, p->m[k], p->host, n, first * n,
                                 count * n, 0, NULL, NULL),
             CL_SUCCESS);
    for (size_t i = 0; i < count; i++)
        memcpy(p->bytes[k] + (first + i) * n, p->host, n);
}

static void step_rect(model *p, unsigned k)
{
    random_box in = draw_box(p, NULL), there = draw_box(p, in.region);
    uint8_t was[BYTES];

    if (flip(p)) {
        CHECK_EQ(clEnqueueWriteBufferRect(p->r.queue, p->m[k], flip(p),
                                          in.origin, there.origin, in.region,
                                          in.row, in.slice, there.row,
                                          there.slice, p->host, 0, NULL, NULL),
                 CL_SUCCESS);
        copy_box(&in, p->bytes[k], &there, p->host);
        clFinish(p->r.queue);
        return;
    }
    memcpy(was, p->own, sizeof was);
    CHECK_EQ(clEnqueueReadBufferRect(p->r.queue, p->m[k], flip(p), in.origin,
                                     there.origin, in.region, in.row, in.slice,
                                     there.row, there.slice, p->own, 0, NULL,
                                     NULL),
             CL_SUCCESS);
    clFinish(p->r.queue);
    copy_box(&there, was, &in, p->bytes[k]);
    CHECK(!memcmp(was, p->own, sizeof was));
}

/* Do two boxes of the same pitches share a byte? */
static bool share(const random_box *a, const random_box *b)
{
    static uint8_t seen[BYTES];

    memset(seen, 0, sizeof seen);
    for (size_t z = 0; z < a->region[2]; z++)
        for (size_t y = 0; y < a->region[1]; y++)
            for (size_t x = 0; x < a->region[0]; x++)
                seen[at(a, x, y, z)] = 1;
    for (size_t z = 0; z < a->region[2]; z++)
        for (size_t y = 0; y < a->region[1]; y++)
            for (size_t x = 0; x < a->region[0]; x++)
                if (seen[at(b, x, y, z)])
                    return true;
    return false;
}

static void step_copy_rect(model *p, unsigned k)
{
    unsigned to = (unsigned)draw(p, BUFFERS);
    random_box a = draw_box(p, NULL), b = draw_box(p, a.region);
    bool odd = k == to && (a.row != b.row || a.slice != b.slice);
    cl_int err = clEnqueueCopyBufferRect(
        p->r.queue, p->m[k], p->m[to], a.origin, b.origin, a.region, a.row,
        a.slice, b.row, b.slice, 0, NULL, NULL);

    if (odd) {
        CHECK_EQ(err, CL_INVALID_VALUE);
        return;
    }
    if (k == to && share(&a, &b)) {
        CHECK_EQ(err, CL_MEM_COPY_OVERLAP);
        return;
    }
    if (k == to && err == CL_MEM_COPY_OVERLAP)
        return; /* the rule may see more than there is */
    CHECK_EQ(err, CL_SUCCESS);
    copy_box(&b, p->bytes[to], &a, p->bytes[k]);
}

static void step_map(model *p, unsigned k)
{
    static const cl_map_flags kinds[] = {CL_MAP_READ, CL_MAP_WRITE,
                                         CL_MAP_READ | CL_MAP_WRITE,
                                         CL_MAP_WRITE_INVALIDATE_REGION};
    cl_map_flags flags = kinds[draw(p, 4)];
    size_t offset = draw(p, BYTES), size = 1 + draw(p, BYTES - offset);
    cl_int err;
    uint8_t *q = clEnqueueMapBuffer(p->r.queue, p->m[k], flip(p), flags, offset,
                                    size, 0, NULL, NULL, &err);

    CHECK_EQ(err, CL_SUCCESS);
    clFinish(p->r.queue);
    if (flags != CL_MAP_WRITE_INVALIDATE_REGION)
        CHECK(!memcmp(q, p->bytes[k] + offset, size));
    if (flags != CL_MAP_READ) {
        memcpy(q, p->host, size);
        memcpy(p->bytes[k] + offset, p->host, size);
    }
    CHECK_EQ(clEnqueueUnmapMemObject(p->r.queue, p->m[k], q, 0, NULL, NULL),
             CL_SUCCESS);
}

static void run_model(cl_mem_flags flags, uint64_t seed)
{
    static void (*const steps[])(model *, unsigned) = {
        step_read_write, step_copy, step_fill,
        step_rect,       step_map,  step_copy_rect,
    };
    static model p;
    static uint8_t start[BUFFERS][BYTES];
    bool host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);

    memset(&p, 0, sizeof p);
    p.seed = seed;
    p.r = rig_open(0);
    for (unsigned k = 0; k < BUFFERS; k++) {
        draw_bytes(&p);
        if (host)
            memcpy(p.bytes[k], p.host, BYTES);
        memcpy(start[k], p.host, BYTES);
        p.m[k] = clCreateBuffer(p.r.context, flags, BYTES,
                                host ? start[k] : NULL, NULL);
    }
    for (unsigned i = 0; i < STEPS; i++) {
        draw_bytes(&p);
        steps[draw(&p, 6)](&p, (unsigned)draw(&p, BUFFERS));
    }
    for (unsigned k = 0; k < BUFFERS; k++) {
        CHECK_EQ(clEnqueueReadBuffer(p.r.queue, p.m[k], CL_TRUE, 0, BYTES,
                                     p.own, 0, NULL, NULL),
                 CL_SUCCESS);
        CHECK(!memcmp(p.own, p.bytes[k], BYTES));
        clReleaseMemObject(p.m[k]);
    }
    rig_close(&p.r);
}

TEST(random_commands_do_what_they_do_to_an_array) { run_model(0, 1); }

TEST(so_do_they_on_memory_of_the_program) { run_model(CL_MEM_USE_HOST_PTR, 2); }

TEST(so_do_they_on_copies_of_it)
{
    run_model(CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 3);
}

/* ---- What commands check ---- */

TEST(reading_and_writing_are_checked)
{
    rig r = rig_open(0);
    cl_context other = clCreateContext(NULL, 1, r.devices, NULL, NULL, NULL);
    cl_mem m = clCreateBuffer(r.context, 0, 64, NULL, NULL);
    cl_mem far = clCreateBuffer(other, 0, 64, NULL, NULL);
    cl_mem mute =
        clCreateBuffer(r.context, CL_MEM_HOST_NO_ACCESS, 64, NULL, NULL);
    cl_mem in =
        clCreateBuffer(r.context, CL_MEM_HOST_WRITE_ONLY, 64, NULL, NULL);
    cl_mem out =
        clCreateBuffer(r.context, CL_MEM_HOST_READ_ONLY, 64, NULL, NULL);
    cl_event no = NULL;
    char b[64] = {0};

#define READ(q, mem, offset, size, to, n, waits)                               \
    clEnqueueReadBuffer(q, mem, CL_TRUE, offset, size, to, n, waits, NULL)
#define WRITE(mem)                                                             \
    clEnqueueWriteBuffer(r.queue, mem, CL_TRUE, 0, 64, b, 0, NULL, NULL)
    CHECK_EQ(READ(NULL, m, 0, 64, b, 0, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(READ(r.queue, NULL, 0, 64, b, 0, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(READ(r.queue, far, 0, 64, b, 0, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(READ(r.queue, m, 1, 64, b, 0, NULL), CL_INVALID_VALUE);
    CHECK_EQ(READ(r.queue, m, SIZE_MAX, 2, b, 0, NULL), CL_INVALID_VALUE);
    CHECK_EQ(READ(r.queue, m, 0, 64, NULL, 0, NULL), CL_INVALID_VALUE);
    CHECK_EQ(READ(r.queue, m, 0, 64, b, 1, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(READ(r.queue, m, 0, 64, b, 0, &no), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(READ(r.queue, m, 0, 64, b, 1, &no), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(READ(r.queue, mute, 0, 64, b, 0, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(READ(r.queue, in, 0, 64, b, 0, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(READ(r.queue, out, 0, 64, b, 0, NULL), CL_SUCCESS);
    CHECK_EQ(READ(r.queue, m, 64, 0, b, 0, NULL), CL_SUCCESS);
    CHECK_EQ(WRITE(mute), CL_INVALID_OPERATION);
    CHECK_EQ(WRITE(out), CL_INVALID_OPERATION);
    CHECK_EQ(WRITE(in), CL_SUCCESS);
    /* A pattern: its size, then its place. */
#define FILL(pattern, n, offset, size)                                         \
    clEnqueueFillBuffer(r.queue, m, pattern, n, offset, size, 0, NULL, NULL)
    CHECK_EQ(FILL(NULL, 4, 0, 64), CL_INVALID_VALUE);
    CHECK_EQ(FILL(b, 0, 0, 64), CL_INVALID_VALUE);
    CHECK_EQ(FILL(b, 3, 0, 63), CL_INVALID_VALUE);
    CHECK_EQ(FILL(b, 256, 0, 0), CL_INVALID_VALUE);
    CHECK_EQ(FILL(b, 4, 2, 4), CL_INVALID_VALUE);
    CHECK_EQ(FILL(b, 4, 4, 6), CL_INVALID_VALUE);
    CHECK_EQ(FILL(b, 4, 60, 8), CL_INVALID_VALUE);
    clReleaseMemObject(m);
    clReleaseMemObject(far);
    clReleaseMemObject(mute);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseContext(other);
    rig_close(&r);
}

TEST(boxes_are_checked)
{
    rig r = rig_open(0);
    cl_mem m = clCreateBuffer(r.context, 0, 1000, NULL, NULL);
    size_t zero[3] = {0, 0, 0}, ten[3] = {10, 10, 10}, flat[3] = {10, 0, 1},
           end[3] = {1, 0, 0}, high[3] = {0, 0, SIZE_MAX / 2};
    uint8_t b[1000];

#define RECT(origin, region, row, slice, to)                                   \
    clEnqueueReadBufferRect(r.queue, m, CL_TRUE, origin, zero, region, row,    \
                            slice, 0, 0, to, 0, NULL, NULL)
    CHECK_EQ(RECT(zero, ten, 0, 0, b), CL_SUCCESS);
    CHECK_EQ(RECT(zero, ten, 10, 100, b), CL_SUCCESS);
    CHECK_EQ(RECT(NULL, ten, 0, 0, b), CL_INVALID_VALUE);
    CHECK_EQ(RECT(zero, NULL, 0, 0, b), CL_INVALID_VALUE);
    CHECK_EQ(RECT(zero, flat, 0, 0, b), CL_INVALID_VALUE);
    CHECK_EQ(RECT(end, ten, 0, 0, b), CL_INVALID_VALUE);
    CHECK_EQ(RECT(high, ten, 0, 0, b), CL_INVALID_VALUE);
    CHECK_EQ(RECT(zero, ten, 9, 0, b), CL_INVALID_VALUE);
    CHECK_EQ(RECT(zero, ten, 10, 90, b), CL_INVALID_VALUE);
    CHECK_EQ(RECT(zero, ten, 10, 105, b), CL_INVALID_VALUE);
    CHECK_EQ(RECT(zero, ten, 0, 0, NULL), CL_INVALID_VALUE);
    clReleaseMemObject(m);
    rig_close(&r);
}

/* ---- Maps ---- */

TEST(maps_are_checked_and_counted)
{
    rig r = rig_open(0);
    cl_mem m = clCreateBuffer(r.context, 0, 64, NULL, NULL);
    cl_mem out =
        clCreateBuffer(r.context, CL_MEM_HOST_READ_ONLY, 64, NULL, NULL);
    cl_uint count;
    cl_int err;

#define MAP(mem, flags, offset, size)                                          \
    clEnqueueMapBuffer(r.queue, mem, CL_TRUE, flags, offset, size, 0, NULL,    \
                       NULL, &err)
    CHECK(!MAP(m, CL_MAP_READ, 0, 0) && err == CL_INVALID_VALUE);
    CHECK(!MAP(m, CL_MAP_READ, 60, 5) && err == CL_INVALID_VALUE);
    CHECK(!MAP(m, 1u << 20, 0, 64) && err == CL_INVALID_VALUE);
    CHECK(!MAP(m, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ, 0, 64) &&
          err == CL_INVALID_VALUE);
    CHECK(!MAP(out, CL_MAP_WRITE, 0, 64) && err == CL_INVALID_OPERATION);
    CHECK(!MAP(NULL, CL_MAP_WRITE, 0, 64) && err == CL_INVALID_MEM_OBJECT);
    uint8_t *a = MAP(m, CL_MAP_WRITE, 0, 32), *b = MAP(m, CL_MAP_WRITE, 32, 32);
    CHECK(a && b == a + 32);
    clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof count, &count, NULL);
    CHECK_EQ(count, 2);
#define UNMAP(p) clEnqueueUnmapMemObject(r.queue, m, p, 0, NULL, NULL)
    CHECK_EQ(UNMAP(a + 1), CL_INVALID_VALUE);
    CHECK_EQ(UNMAP(NULL), CL_INVALID_VALUE);
    CHECK_EQ(UNMAP(b), CL_SUCCESS);
    CHECK_EQ(UNMAP(b), CL_INVALID_VALUE);
    CHECK_EQ(UNMAP(a), CL_SUCCESS);
    clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof count, &count, NULL);
    CHECK_EQ(count, 0);
    /* A map that the program forgets is no leak. */
    CHECK(MAP(out, CL_MAP_READ, 0, 64) != NULL);
    clReleaseMemObject(m);
    clReleaseMemObject(out);
    rig_close(&r);
}

/* A map whose command fails leaves no mapping behind. */
TEST(a_map_that_fails_is_none)
{
    rig r = rig_open(0);
    cl_mem m = clCreateBuffer(r.context, 0, 64, NULL, NULL);
    cl_event user = clCreateUserEvent(r.context, NULL);
    cl_uint count;
    cl_int err;
    void *p = clEnqueueMapBuffer(r.queue, m, CL_FALSE, CL_MAP_READ, 0, 64, 1,
                                 &user, NULL, &err);

    CHECK(p && err == CL_SUCCESS);
    CHECK_EQ(clSetUserEventStatus(user, -1), CL_SUCCESS);
    clFinish(r.queue);
    clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof count, &count, NULL);
    CHECK_EQ(count, 0);
    CHECK_EQ(clEnqueueUnmapMemObject(r.queue, m, p, 0, NULL, NULL),
             CL_INVALID_VALUE);
    p = clEnqueueMapBuffer(r.queue, m, CL_TRUE, CL_MAP_READ, 0, 64, 1, &user,
                           NULL, &err);
    CHECK(!p && err == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    clReleaseEvent(user);
    clReleaseMemObject(m);
    rig_close(&r);
}

TEST(memory_of_the_program_is_seen_where_it_is)
{
    rig r = rig_open(0);
    uint8_t host[64], seven = 7;
    cl_mem m;

    memset(host, 5, sizeof host);
    m = clCreateBuffer(r.context, CL_MEM_USE_HOST_PTR, 64, host, NULL);
    clEnqueueFillBuffer(r.queue, m, &seven, 1, 16, 16, 0, NULL, NULL);
    uint8_t *p =
        clEnqueueMapBuffer(r.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 8,
                           40, 0, NULL, NULL, NULL);
    CHECK(p == host + 8);
    CHECK_EQ(host[16], 7);
    CHECK_EQ(host[15], 5);
    host[10] = 9;
    clEnqueueUnmapMemObject(r.queue, m, p, 0, NULL, NULL);
    uint8_t got[64];
    clEnqueueReadBuffer(r.queue, m, CL_TRUE, 0, 64, got, 0, NULL, NULL);
    CHECK(!memcmp(got, host, 64));
    clReleaseMemObject(m);
    rig_close(&r);
}

/* ---- Time ---- */

TEST(bytes_cost_time_only_where_they_move)
{
    rig r = rig_open(CL_QUEUE_PROFILING_ENABLE);
    enum { MANY = 1 << 20 };
    static uint8_t host[MANY];
    cl_mem m = clCreateBuffer(r.context, 0, MANY, NULL, NULL);
    cl_mem n = clCreateBuffer(r.context, 0, MANY, NULL, NULL);
    cl_event e[6];
    cl_ulong ns[6];

    clEnqueueWriteBuffer(r.queue, m, CL_TRUE, 0, MANY, host, 0, NULL, e);
    clEnqueueCopyBuffer(r.queue, m, n, 0, 0, MANY, 0, NULL, e + 1);
    void *p = clEnqueueMapBuffer(r.queue, m, CL_TRUE, CL_MAP_READ, 0, MANY, 0,
                                 NULL, e + 2, NULL);
    clEnqueueUnmapMemObject(r.queue, m, p, 0, NULL, e + 3);
    p = clEnqueueMapBuffer(r.queue, m, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION,
                           0, MANY, 0, NULL, e + 4, NULL);
    clEnqueueUnmapMemObject(r.queue, m, p, 0, NULL, e + 5);
    clFinish(r.queue);
    for (unsigned i = 0; i < 6; i++) {
        ns[i] = rig_time(e[i], CL_PROFILING_COMMAND_END) -
                rig_time(e[i], CL_PROFILING_COMMAND_START);
        clReleaseEvent(e[i]);
    }
    CHECK(ns[0] > 0);
    CHECK(ns[1] > 0 && ns[1] < ns[0]);
    CHECK_EQ(ns[2], ns[0]);
    CHECK_EQ(ns[3], 0);
    CHECK_EQ(ns[4], 0);
    CHECK_EQ(ns[5], ns[0]);
    /* 1 MB read and written at the 898 GB/s of the preset. */
    CHECK(ns[1] > 2200 && ns[1] < 2500);
    clReleaseMemObject(m);
    clReleaseMemObject(n);
    rig_close(&r);
}

/* Devices share one memory. */
TEST(what_one_device_wrote_another_reads)
{
    rig r = rig_open(0);
    cl_command_queue other =
        clCreateCommandQueue(r.context, r.devices[1], 0, NULL);
    cl_mem m = clCreateBuffer(r.context, 0, 64, NULL, NULL);
    cl_event e;
    uint8_t got[64];

    CHECK_EQ(clEnqueueFillBuffer(r.queue, m, "x", 1, 0, 64, 0, NULL, &e),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(other, m, CL_TRUE, 0, 64, got, 1, &e, NULL),
             CL_SUCCESS);
    for (unsigned i = 0; i < 64; i++)
        CHECK_EQ(got[i], 'x');
    clReleaseEvent(e);
    clReleaseMemObject(m);
    clReleaseCommandQueue(other);
    rig_close(&r);
}
