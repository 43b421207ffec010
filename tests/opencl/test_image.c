/* tests/opencl/test_image.c - images: what creating them checks, and that
 * random sequences of commands on all kinds of them do what the same steps on
 * an array of texels do. */
#include "rig.h"

enum { TEXELS = 4096, MOST = 16 * TEXELS };

static const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8};

/* ---- Creating ---- */

static cl_int image_gives(rig *r, cl_mem_flags flags, cl_image_format f,
                          cl_image_desc d, void *host)
{
    cl_int err;
    cl_mem m = clCreateImage(r->context, flags, &f, &d, host, &err);

    CHECK_EQ(!m, err != CL_SUCCESS);
    if (m)
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    return err;
}

TEST(images_are_checked_as_they_are_made)
{
    rig r = rig_open(0);
    static uint32_t host[64];
    cl_image_desc good = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                          .image_width = 8,
                          .image_height = 8};
    cl_image_desc d = good;
    cl_int err;

    CHECK_EQ(image_gives(&r, 0, rgba8, good, NULL), CL_SUCCESS);
    CHECK_EQ(image_gives(&r, CL_MEM_COPY_HOST_PTR, rgba8, good, host),
             CL_SUCCESS);
    CHECK(!clCreateImage(NULL, 0, &rgba8, &good, NULL, &err));
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    CHECK_EQ(image_gives(&r, 1u << 31, rgba8, good, NULL), CL_INVALID_VALUE);
    CHECK(!clCreateImage(r.context, 0, NULL, &good, NULL, &err));
    CHECK_EQ(err, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    CHECK(!clCreateImage(r.context, 0, &rgba8, NULL, NULL, &err));
    CHECK_EQ(err, CL_INVALID_IMAGE_DESCRIPTOR);
    cl_image_format odd[] = {{CL_RGB, CL_UNORM_INT8},
                             {CL_BGRA, CL_FLOAT},
                             {CL_INTENSITY, CL_SIGNED_INT8},
                             {0x7777, CL_FLOAT},
                             {CL_RGBA, 0x7777}};
    for (unsigned i = 0; i < 5; i++)
        CHECK_EQ(image_gives(&r, 0, odd[i], good, NULL),
                 CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    CHECK_EQ(
        image_gives(&r, 0, (cl_image_format){CL_DEPTH, CL_FLOAT}, good, NULL),
        CL_IMAGE_FORMAT_NOT_SUPPORTED);
    void *there = host;
#define WITH(field, value, host_ptr)                                           \
    (d = good, d.field = (value),                                              \
     image_gives(&r, (host_ptr) ? CL_MEM_USE_HOST_PTR : 0, rgba8, d,           \
                 host_ptr))
    CHECK_EQ(WITH(image_type, CL_MEM_OBJECT_BUFFER, NULL),
             CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(WITH(image_width, 0, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(WITH(image_width, 32769, NULL), CL_INVALID_IMAGE_SIZE);
    CHECK_EQ(WITH(num_mip_levels, 2, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(WITH(num_samples, 2, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(WITH(image_row_pitch, 32, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(WITH(image_row_pitch, 28, there), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(WITH(image_row_pitch, 34, there), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(WITH(image_row_pitch, 32, there), CL_SUCCESS);
    CHECK_EQ(WITH(image_type, CL_MEM_OBJECT_IMAGE3D, NULL),
             CL_INVALID_IMAGE_DESCRIPTOR); /* no depth */
    CHECK_EQ(image_gives(&r, 0, rgba8, good, host), CL_INVALID_HOST_PTR);
    CHECK_EQ(image_gives(&r, CL_MEM_USE_HOST_PTR, rgba8, good, NULL),
             CL_INVALID_HOST_PTR);
    rig_close(&r);
}

/* Programs may not look, but some do. */
TEST(what_was_unmapped_stays_readable)
{
    rig r = rig_open(0);
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                       .image_width = 8,
                       .image_height = 8};
    uint32_t colour[4] = {1, 2, 3, 4};
    cl_image_format f = {CL_RGBA, CL_UNSIGNED_INT8};
    size_t at[3] = {0, 0, 0}, size[3] = {8, 8, 1}, row;
    cl_int err;
    cl_mem m = clCreateImage(r.context, 0, &f, &d, NULL, &err);

    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(clEnqueueFillImage(r.queue, m, colour, at, size, 0, NULL, NULL),
             CL_SUCCESS);
    const uint8_t *p = clEnqueueMapImage(r.queue, m, CL_TRUE, CL_MAP_READ, at,
                                         size, &row, NULL, 0, NULL, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(clEnqueueUnmapMemObject(r.queue, m, (void *)p, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clFinish(r.queue), CL_SUCCESS);
    CHECK(p[0] == 1 && p[7 * row + 4 * 7 + 3] == 4);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    rig_close(&r);
}

TEST(images_are_made_as_opencl_1_1_made_them)
{
    rig r = rig_open(0);
    cl_int err;

    CHECK(!clCreateImage2D(r.context, 0, &rgba8, 0, 8, 0, NULL, &err));
    CHECK_EQ(err, CL_INVALID_IMAGE_SIZE);
    cl_mem m = clCreateImage3D(r.context, 0, &rgba8, 4, 5, 6, 0, 0, NULL, &err);
    size_t depth;
    CHECK_EQ(clGetImageInfo(m, CL_IMAGE_DEPTH, sizeof depth, &depth, NULL),
             CL_SUCCESS);
    CHECK_EQ(depth, 6);
    CHECK_EQ(clGetImageInfo(m, 0x7777, sizeof depth, &depth, NULL),
             CL_INVALID_VALUE);
    clReleaseMemObject(m);
    rig_close(&r);
}

TEST(images_from_buffers_are_checked_and_share_bytes)
{
    rig r = rig_open(0);
    cl_mem b = clCreateBuffer(r.context, CL_MEM_READ_ONLY, 1024, NULL, NULL);
    cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
                          .image_width = 256,
                          .mem_object = b};
    cl_image_desc sheet = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                           .image_width = 10,
                           .image_height = 16,
                           .image_row_pitch = 64,
                           .mem_object = b};
    cl_image_desc d;
    cl_int err;

    d = line, d.mem_object = NULL;
    CHECK_EQ(image_gives(&r, 0, rgba8, d, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    d = line, d.image_width = 257;
    CHECK_EQ(image_gives(&r, 0, rgba8, d, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    d = sheet, d.image_height = 17;
    CHECK_EQ(image_gives(&r, 0, rgba8, d, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    d = sheet, d.image_type = CL_MEM_OBJECT_IMAGE1D;
    CHECK_EQ(image_gives(&r, 0, rgba8, d, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(image_gives(&r, CL_MEM_WRITE_ONLY, rgba8, line, NULL),
             CL_INVALID_VALUE);
    cl_mem one = clCreateImage(r.context, 0, &rgba8, &line, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    cl_mem two = clCreateImage(r.context, 0, &rgba8, &sheet, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    cl_mem parent;
    clGetImageInfo(two, CL_IMAGE_BUFFER, sizeof parent, &parent, NULL);
    CHECK(parent == b);
    uint32_t texel = 0x01020304, got = 0;
    size_t at[3] = {3, 2, 0}, unit[3] = {1, 1, 1};
    CHECK_EQ(clEnqueueWriteImage(r.queue, two, CL_TRUE, at, unit, 0, 0, &texel,
                                 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(r.queue, b, CL_TRUE, 2 * 64 + 3 * 4, 4, &got,
                                 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(got, texel);
    size_t flat[3] = {2 * 16 + 3, 0, 0};
    got = 0;
    CHECK_EQ(clEnqueueReadImage(r.queue, one, CL_TRUE, flat, unit, 0, 0, &got,
                                0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(got, texel);
    clReleaseMemObject(b);
    clReleaseMemObject(one);
    clReleaseMemObject(two);
    rig_close(&r);
}

TEST(formats_are_those_that_can_be_made)
{
    rig r = rig_open(0);
    cl_image_format f[200];
    cl_uint n = 0;
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                       .image_width = 3,
                       .image_height = 2};
    bool bgra = false;
#define FORMATS(c, flags, type, room, to, count)                               \
    clGetSupportedImageFormats(c, flags, type, room, to, count)
    CHECK_EQ(FORMATS(NULL, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &n),
             CL_INVALID_CONTEXT);
    CHECK_EQ(FORMATS(r.context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &n),
             CL_INVALID_VALUE);
    CHECK_EQ(FORMATS(r.context, 0, CL_MEM_OBJECT_IMAGE2D, 0, f, &n),
             CL_INVALID_VALUE);
    CHECK_EQ(FORMATS(r.context, 0, CL_MEM_OBJECT_IMAGE2D, 200, f, &n),
             CL_SUCCESS);
    CHECK(n > 12 && n < 200);
    for (cl_uint i = 0; i < n; i++) {
        CHECK_EQ(image_gives(&r, 0, f[i], d, NULL), CL_SUCCESS);
        bgra |= f[i].image_channel_order == CL_BGRA &&
                f[i].image_channel_data_type == CL_UNORM_INT8;
    }
    CHECK(bgra);
    rig_close(&r);
}

/* ---- Commands against an array ---- */

typedef struct pane { /* an image and its texels, tight */
    cl_mem m;
    size_t size[3];
    bool layers; /* of a 1D array: rows are layers */
    uint8_t bytes[MOST];
} pane;

enum { PANES = 2 };

typedef struct model {
    rig r;
    cl_image_format format;
    size_t texel;
    pane p[PANES];
    uint8_t noise[2 * MOST], out[2 * MOST];
    uint64_t seed;
} model;

static size_t draw(model *o, size_t below)
{
    o->seed = o->seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((o->seed >> 33) % below);
}

static void make_noise(model *o)
{
    for (size_t i = 0; i < sizeof o->noise; i++)
        o->noise[i] = (uint8_t)(draw(o, 1000) >> 1);
}

static uint8_t *texel_of(model *o, pane *p, const size_t at[3])
{
    return p->bytes +
           ((at[2] * p->size[1] + at[1]) * p->size[0] + at[0]) * o->texel;
}

typedef struct area {
    size_t origin[3], region[3];
} area;

static area draw_area(model *o, const pane *p, const size_t *region)
{
    area a;

    for (unsigned k = 0; k < 3; k++) {
        a.region[k] = region ? region[k] : 1 + draw(o, p->size[k]);
        a.origin[k] = draw(o, p->size[k] - a.region[k] + 1);
    }
    return a;
}

/* Between the array and bytes with these strides. */
static void move(model *o, pane *p, const area *a, uint8_t *host, size_t row,
                 size_t slice, bool write)
{
    for (size_t z = 0; z < a->region[2]; z++)
        for (size_t y = 0; y < a->region[1]; y++) {
            size_t at[3] = {a->origin[0], a->origin[1] + y, a->origin[2] + z};
            uint8_t *line = host + z * slice + y * row;
            size_t n = a->region[0] * o->texel;

            memcpy(write ? texel_of(o, p, at) : line,
                   write ? line : texel_of(o, p, at), n);
        }
}

static void step_read_write(model *o, pane *p)
{
    area a = draw_area(o, p, NULL);
    size_t row = (a.region[0] + draw(o, 3)) * o->texel, slice = 0;
    bool flat = p->size[2] == 1, write = draw(o, 2);
    size_t y_step = row, z_step = row * a.region[1];

    if (p->layers) {
        slice = row + draw(o, 2) * 8 * o->texel;
        y_step = slice;
    } else if (!flat && draw(o, 2)) {
        slice = z_step += row;
    }
    if (write) {
        CHECK_EQ(clEnqueueWriteImage(o->r.queue, p->m, CL_TRUE, a.origin,
                                     a.region, row, slice, o->noise, 0, NULL,
                                     NULL),
                 CL_SUCCESS);
        move(o, p, &a, o->noise, y_step, z_step, true);
        return;
    }
    memset(o->out, 0, sizeof o->out);
    memset(o->noise, 0, sizeof o->noise);
    CHECK_EQ(clEnqueueReadImage(o->r.queue, p->m, CL_TRUE, a.origin, a.region,
                                row, slice, o->out, 0, NULL, NULL),
             CL_SUCCESS);
    move(o, p, &a, o->noise, y_step, z_step, false);
    CHECK(!memcmp(o->noise, o->out, sizeof o->out));
}

static bool meet(const area *a, const area *b)
{
    for (unsigned k = 0; k < 3; k++)
        if (a->origin[k] >= b->origin[k] + a->region[k] ||
            b->origin[k] >= a->origin[k] + a->region[k])
            return false;
    return true;
}

static void step_copy(model *o, pane *p)
{
    pane *q = &o->p[draw(o, PANES)];
    size_t region[3];
    area a, b;

    for (unsigned k = 0; k < 3; k++) {
        size_t least = p->size[k] < q->size[k] ? p->size[k] : q->size[k];

        region[k] = 1 + draw(o, least);
    }
    a = draw_area(o, p, region);
    b = draw_area(o, q, region);
    bool bad = p == q && meet(&a, &b);
    CHECK_EQ(clEnqueueCopyImage(o->r.queue, p->m, q->m, a.origin, b.origin,
                                region, 0, NULL, NULL),
             bad ? CL_MEM_COPY_OVERLAP : CL_SUCCESS);
    if (bad)
        return;
    size_t row = region[0] * o->texel;
    move(o, p, &a, o->noise, row, row * region[1], false);
    move(o, q, &b, o->noise, row, row * region[1], true);
}

static void step_buffer(model *o, pane *p)
{
    area a = draw_area(o, p, NULL);
    size_t offset = draw(o, 100), row = a.region[0] * o->texel;
    size_t bytes = row * a.region[1] * a.region[2];
    cl_mem b = clCreateBuffer(o->r.context, CL_MEM_COPY_HOST_PTR,
                              bytes + offset, o->noise, NULL);

    if (draw(o, 2)) {
        CHECK_EQ(clEnqueueCopyBufferToImage(o->r.queue, b, p->m, offset,
                                            a.origin, a.region, 0, NULL, NULL),
                 CL_SUCCESS);
        move(o, p, &a, o->noise + offset, row, row * a.region[1], true);
    } else {
        CHECK_EQ(clEnqueueCopyImageToBuffer(o->r.queue, p->m, b, a.origin,
                                            a.region, offset, 0, NULL, NULL),
                 CL_SUCCESS);
        CHECK_EQ(clEnqueueReadBuffer(o->r.queue, b, CL_TRUE, offset, bytes,
                                     o->out, 0, NULL, NULL),
                 CL_SUCCESS);
        move(o, p, &a, o->noise, row, row * a.region[1], false);
        CHECK(!memcmp(o->out, o->noise, bytes));
    }
    CHECK_EQ(clEnqueueCopyImageToBuffer(o->r.queue, p->m, b, a.origin, a.region,
                                        offset + 1, 0, NULL, NULL),
             CL_INVALID_VALUE);
    clReleaseMemObject(b);
}

static void step_map(model *o, pane *p)
{
    static const cl_map_flags kinds[] = {CL_MAP_READ, CL_MAP_WRITE,
                                         CL_MAP_READ | CL_MAP_WRITE,
                                         CL_MAP_WRITE_INVALIDATE_REGION};
    cl_map_flags flags = kinds[draw(o, 4)];
    area a = draw_area(o, p, NULL);
    size_t row = 0, slice = 0, n = a.region[0] * o->texel;
    cl_int err;
    uint8_t *at =
        clEnqueueMapImage(o->r.queue, p->m, CL_TRUE, flags, a.origin, a.region,
                          &row, &slice, 0, NULL, NULL, &err);

    CHECK_EQ(err, CL_SUCCESS);
    CHECK(row >= n);
    size_t y_step = p->layers ? slice : row;
    for (size_t z = 0; z < a.region[2]; z++)
        for (size_t y = 0; y < a.region[1]; y++) {
            size_t texel[3] = {a.origin[0], a.origin[1] + y, a.origin[2] + z};
            uint8_t *line = at + z * slice + y * y_step;

            if (flags != CL_MAP_WRITE_INVALIDATE_REGION)
                CHECK(!memcmp(line, texel_of(o, p, texel), n));
            if (flags == CL_MAP_READ)
                continue;
            memcpy(line, o->noise + 8 * y + 3 * z, n);
            memcpy(texel_of(o, p, texel), o->noise + 8 * y + 3 * z, n);
        }
    CHECK_EQ(clEnqueueUnmapMemObject(o->r.queue, p->m, at, 0, NULL, NULL),
             CL_SUCCESS);
}

/* Integers are stored as they are where they fit. */
static void step_fill(model *o, pane *p)
{
    uint32_t colour[4];
    area a = draw_area(o, p, NULL);

    for (unsigned k = 0; k < 4; k++)
        colour[k] = (uint32_t)draw(o, 200);
    if (o->format.image_channel_data_type != CL_UNSIGNED_INT8 &&
        o->format.image_channel_data_type != CL_UNSIGNED_INT32)
        return;
    size_t channel =
        o->format.image_channel_data_type == CL_UNSIGNED_INT8 ? 1 : 4;
    CHECK_EQ(clEnqueueFillImage(o->r.queue, p->m, colour, a.origin, a.region, 0,
                                NULL, NULL),
             CL_SUCCESS);
    for (size_t i = 0; i < a.region[0] * a.region[1] * a.region[2]; i++)
        for (size_t k = 0; k < o->texel / channel; k++)
            memcpy(o->noise + i * o->texel + k * channel, &colour[k], channel);
    size_t row = a.region[0] * o->texel;
    move(o, p, &a, o->noise, row, row * a.region[1], true);
}

static void make_pane(model *o, pane *p, cl_image_desc d, cl_mem_flags flags)
{
    size_t pad = flags ? o->texel * draw(o, 3) : 0, row, step, slice;
    static uint8_t host[PANES][4 * MOST];
    uint8_t *own = host[p - o->p];
    bool array = d.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    cl_int err;

    p->layers = d.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    p->size[0] = d.image_width;
    p->size[1] =
        p->layers ? d.image_array_size : (d.image_height ? d.image_height : 1);
    p->size[2] =
        array ? d.image_array_size : (d.image_depth ? d.image_depth : 1);
    row = d.image_width * o->texel + pad;
    step = p->layers ? 2 * row : row;
    slice = step * p->size[1];
    area all = {{0, 0, 0}, {p->size[0], p->size[1], p->size[2]}};
    memset(p->bytes, 0, sizeof p->bytes);
    if (flags) {
        d.image_row_pitch = row;
        if (p->layers)
            d.image_slice_pitch = step;
        for (size_t i = 0; i < sizeof host[0]; i++)
            own[i] = (uint8_t)draw(o, 255);
        move(o, p, &all, own, step, slice, true);
    }
    p->m = clCreateImage(o->r.context, flags, &o->format, &d,
                         flags ? own : NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
}

static void run_model(cl_image_desc d, cl_image_format f, size_t texel,
                      cl_mem_flags flags, uint64_t seed)
{
    static void (*const steps[])(model *, pane *) = {
        step_read_write, step_copy, step_buffer, step_map, step_fill};
    static model o;

    o.seed = seed;
    o.r = rig_open(0);
    o.format = f;
    o.texel = texel;
    for (unsigned k = 0; k < PANES; k++)
        make_pane(&o, &o.p[k], d, flags);
    for (unsigned i = 0; i < 25; i++) {
        make_noise(&o);
        steps[draw(&o, 5)](&o, &o.p[draw(&o, PANES)]);
    }
    for (unsigned k = 0; k < PANES; k++) {
        pane *p = &o.p[k];

        CHECK_EQ(clEnqueueReadImage(o.r.queue, p->m, CL_TRUE,
                                    (size_t[]){0, 0, 0}, p->size, 0, 0, o.out,
                                    0, NULL, NULL),
                 CL_SUCCESS);
        CHECK(!memcmp(o.out, p->bytes,
                      p->size[0] * p->size[1] * p->size[2] * texel));
        CHECK_EQ(clReleaseMemObject(p->m), CL_SUCCESS);
    }
    rig_close(&o.r);
}

static void run_all(cl_mem_flags flags)
{
    static const cl_image_desc shapes[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 100},
        {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY,
         .image_width = 20,
         .image_array_size = 7},
        {.image_type = CL_MEM_OBJECT_IMAGE2D,
         .image_width = 37,
         .image_height = 21},
        {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
         .image_width = 9,
         .image_height = 11,
         .image_array_size = 5},
        {.image_type = CL_MEM_OBJECT_IMAGE3D,
         .image_width = 13,
         .image_height = 6,
         .image_depth = 8},
    };
    static const struct {
        cl_image_format f;
        size_t texel;
    } formats[] = {{{CL_R, CL_UNSIGNED_INT8}, 1},
                   {{CL_RG, CL_UNSIGNED_INT8}, 2},
                   {{CL_RGBA, CL_UNSIGNED_INT8}, 4},
                   {{CL_RGBA, CL_HALF_FLOAT}, 8},
                   {{CL_RGBA, CL_UNSIGNED_INT32}, 16}};

    for (unsigned s = 0; s < 5; s++)
        for (unsigned f = 0; f < 5; f++)
            run_model(shapes[s], formats[f].f, formats[f].texel, flags,
                      7 * s + f + flags);
}

TEST(random_commands_do_what_they_do_to_an_array) { run_all(0); }

TEST(so_do_they_on_memory_of_the_program) { run_all(CL_MEM_USE_HOST_PTR); }

TEST(so_do_they_on_copies_of_it) { run_all(CL_MEM_COPY_HOST_PTR); }

/* ---- What commands check ---- */

TEST(commands_on_images_are_checked)
{
    rig r = rig_open(0);
    cl_mem m = clCreateImage2D(r.context, 0, &rgba8, 8, 8, 0, NULL, NULL);
    cl_mem b = clCreateBuffer(r.context, 0, 64, NULL, NULL);
    cl_mem mute = clCreateImage2D(r.context, CL_MEM_HOST_NO_ACCESS, &rgba8, 8,
                                  8, 0, NULL, NULL);
    cl_image_format f = {CL_R, CL_FLOAT};
    cl_mem other = clCreateImage2D(r.context, 0, &f, 8, 8, 0, NULL, NULL);
    size_t at[3] = {0, 0, 0}, all[3] = {8, 8, 1}, deep[3] = {8, 8, 2},
           none[3] = {8, 0, 1}, edge[3] = {1, 0, 0}, row;
    uint32_t host[64];
    cl_int err;

#define READ(mem, origin, region, row, slice, to)                              \
    clEnqueueReadImage(r.queue, mem, CL_TRUE, origin, region, row, slice, to,  \
                       0, NULL, NULL)
    CHECK_EQ(READ(m, at, all, 0, 0, host), CL_SUCCESS);
    CHECK_EQ(READ(b, at, all, 0, 0, host), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(READ(NULL, at, all, 0, 0, host), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(READ(m, NULL, all, 0, 0, host), CL_INVALID_VALUE);
    CHECK_EQ(READ(m, at, NULL, 0, 0, host), CL_INVALID_VALUE);
    CHECK_EQ(READ(m, at, deep, 0, 0, host), CL_INVALID_VALUE);
    CHECK_EQ(READ(m, at, none, 0, 0, host), CL_INVALID_VALUE);
    CHECK_EQ(READ(m, edge, all, 0, 0, host), CL_INVALID_VALUE);
    CHECK_EQ(READ(m, at, all, 31, 0, host), CL_INVALID_VALUE);
    CHECK_EQ(READ(m, at, all, 0, 256, host), CL_INVALID_VALUE);
    CHECK_EQ(READ(m, at, all, 0, 0, NULL), CL_INVALID_VALUE);
    CHECK_EQ(READ(mute, at, all, 0, 0, host), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueCopyImage(r.queue, m, other, at, at, all, 0, NULL, NULL),
             CL_IMAGE_FORMAT_MISMATCH);
    CHECK_EQ(clEnqueueCopyImage(r.queue, m, b, at, at, all, 0, NULL, NULL),
             CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clEnqueueFillImage(r.queue, m, NULL, at, all, 0, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK(!clEnqueueMapImage(r.queue, m, CL_TRUE, CL_MAP_READ, at, all, NULL,
                             NULL, 0, NULL, NULL, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(!clEnqueueMapImage(r.queue, mute, CL_TRUE, CL_MAP_READ, at, all, &row,
                             NULL, 0, NULL, NULL, &err));
    CHECK_EQ(err, CL_INVALID_OPERATION);
    /* Bytes of a buffer are no image, and the other way round. */
    CHECK_EQ(
        clEnqueueReadBuffer(r.queue, m, CL_TRUE, 0, 4, host, 0, NULL, NULL),
        CL_INVALID_MEM_OBJECT);
    clReleaseMemObject(m);
    clReleaseMemObject(b);
    clReleaseMemObject(mute);
    clReleaseMemObject(other);
    rig_close(&r);
}

/* ---- Samplers ---- */

TEST(samplers_say_what_they_were_made_of)
{
    rig r = rig_open(0);
    cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR,
                                    CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, 0};
    cl_sampler_properties odd[] = {0x7777, 1, 0};
    cl_sampler_properties got[8];
    cl_addressing_mode mode;
    size_t size;
    cl_int err;
    cl_sampler s = clCreateSampler(r.context, CL_TRUE, CL_ADDRESS_REPEAT,
                                   CL_FILTER_LINEAR, &err);

    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(s->number >> 20, 1 | 3 << 1 | 0x20);
    CHECK_EQ(clGetSamplerInfo(s, CL_SAMPLER_ADDRESSING_MODE, sizeof mode, &mode,
                              NULL),
             CL_SUCCESS);
    CHECK_EQ(mode, CL_ADDRESS_REPEAT);
    CHECK_EQ(clGetSamplerInfo(s, 0x7777, sizeof mode, &mode, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
    CHECK_EQ(clReleaseSampler(s), CL_INVALID_SAMPLER);
#define SAMPLER(c, normal, address, filter)                                    \
    CHECK(!clCreateSampler(c, normal, address, filter, &err))
    SAMPLER(NULL, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_LINEAR);
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    SAMPLER(r.context, 2, CL_ADDRESS_NONE, CL_FILTER_LINEAR);
    CHECK_EQ(err, CL_INVALID_VALUE);
    SAMPLER(r.context, CL_TRUE, 0x7777, CL_FILTER_LINEAR);
    CHECK_EQ(err, CL_INVALID_VALUE);
    SAMPLER(r.context, CL_TRUE, CL_ADDRESS_NONE, 0x7777);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(!clCreateSamplerWithProperties(r.context, odd, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    s = clCreateSamplerWithProperties(r.context, list, &err);
    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(s->number >> 20, 2 << 1 | 0x20);
    clGetSamplerInfo(s, CL_SAMPLER_PROPERTIES, sizeof got, got, &size);
    CHECK_EQ(size, sizeof list);
    CHECK(!memcmp(got, list, size));
    clReleaseSampler(s);
    rig_close(&r);
}
