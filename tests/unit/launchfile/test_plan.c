#include "launchfile/plan.h"

#include <unistd.h>

#include "base/file.h"
#include "launchfile/npy.h"
#include "test.h"

/* A device with 1 MB of memory, a plan with one launch, a folder. */
typedef struct rig {
    rt_device *d;
    plan *p;
    plan_launch *l;
    diag *dg;
    char dir[64], path[96];
} rig;

static void start(rig *r)
{
    config cfg;
    rt_options opt = {0};

    config_defaults(&cfg);
    cfg.gpu.global_bytes = 1 << 20;
    r->dg = diag_new();
    r->d = rt_device_new(&cfg, &opt, r->dg);
    r->p = plan_new();
    strcpy(r->dir, "/tmp/heddle-plan-XXXXXX");
    CHECK(r->d && r->p && mkdtemp(r->dir));
    r->l = plan_add_launch(r->p);
}

/* Files the tests make are called a, b and o.npy. */
static void stop(rig *r)
{
    static const char *const names[] = {"a", "b", "o.npy"};

    for (unsigned i = 0; i < 3; i++) {
        snprintf(r->path, sizeof r->path, "%s/%s", r->dir, names[i]);
        unlink(r->path);
    }
    rmdir(r->dir);
    rt_device_free(r->d);
    plan_free(r->p);
    diag_free(r->dg);
}

static const char *in_dir(rig *r, const char *name)
{
    snprintf(r->path, sizeof r->path, "%s/%s", r->dir, name);
    return r->path;
}

static void put_file(rig *r, const char *name, const void *data, size_t size)
{
    CHECK_EQ(file_write(in_dir(r, name), data, size, r->dg), ST_OK);
}

static plan_buffer *add(rig *r, const char *spec)
{
    char text[160];

    snprintf(text, sizeof text, spec, r->dir);
    status st = plan_add_arg(r->p, r->l, text, r->dg);
    if (st != ST_OK)
        TEST_FAIL("%s", diag_get(r->dg, 0)->text);
    plan_arg *a = r->l->args;
    while (a->next)
        a = a->next;
    return a->buffer;
}

static void said(rig *r, const char *why)
{
    CHECK(diag_errors(r->dg) > 0);
    const char *text = diag_get(r->dg, diag_count(r->dg) - 1)->text;
    if (!strstr(text, why))
        TEST_FAIL("\"%s\" instead of \"%s\"", text, why);
    diag_clear(r->dg);
}

/* ---- Allocation ---- */

TEST(buffers_are_allocated_and_filled)
{
    rig r;
    int32_t iota[100000];
    double five[3];
    uint8_t zero[10];

    start(&r);
    plan_buffer *a = add(&r, "a=buf:s32[100000]=iota");
    plan_buffer *b = add(&r, "b=buf:f64[3]=constant,value=5");
    plan_buffer *c = add(&r, "c=buf:u8[10]=zero");
    plan_buffer *e = add(&r, "e=buf:u8[0]=zero");
    CHECK_EQ(plan_allocate(r.p, r.d, r.dg), ST_OK);
    CHECK(rt_read(rt_device_memory(r.d), a->addr, iota, sizeof iota));
    for (int i = 0; i < 100000; i++) /* more than is made at once */
        CHECK_EQ(iota[i], i);
    CHECK(rt_read(rt_device_memory(r.d), b->addr, five, sizeof five));
    CHECK(five[0] == 5 && five[2] == 5);
    CHECK(rt_read(rt_device_memory(r.d), c->addr, zero, sizeof zero));
    CHECK_EQ(zero[0] | zero[9], 0);
    CHECK(e->addr != 0 && e->addr != c->addr);
    stop(&r);
}

TEST(raw_files_are_loaded)
{
    rig r;
    static const uint16_t data[4] = {1, 2, 3, 4};
    uint16_t got[4];

    start(&r);
    put_file(&r, "a", data, sizeof data);
    plan_buffer *b = add(&r, "buf:u16=@%s/a");
    plan_buffer *same = add(&r, "s=buf:u16[4]=@%s/a");
    CHECK_EQ(plan_allocate(r.p, r.d, r.dg), ST_OK);
    CHECK_EQ(b->count, 4);
    CHECK_EQ(same->count, 4);
    CHECK(rt_read(rt_device_memory(r.d), b->addr, got, sizeof got));
    CHECK(!memcmp(got, data, sizeof data));
    stop(&r);
}

TEST(numpy_files_are_loaded)
{
    rig r;
    static const float data[3] = {1, 2, 3};
    float got[3];
    strbuf file = {0};

    start(&r);
    npy_write(TYPE_F32, 3, data, &file);
    put_file(&r, "a", file.text, file.size);
    strbuf_fini(&file);
    plan_buffer *b = add(&r, "buf:f32=@%s/a");
    CHECK_EQ(plan_allocate(r.p, r.d, r.dg), ST_OK);
    CHECK_EQ(b->count, 3);
    CHECK(rt_read(rt_device_memory(r.d), b->addr, got, sizeof got));
    CHECK(!memcmp(got, data, sizeof data));
    stop(&r);
}

static void load_fails(const char *spec, const void *data, size_t size,
                       const char *why)
{
    rig r;

    start(&r);
    put_file(&r, "a", data, size);
    add(&r, spec);
    CHECK_EQ(plan_allocate(r.p, r.d, r.dg), ST_CONFIG);
    said(&r, why);
    stop(&r);
}

TEST(wrong_files_are_explained)
{
    static const float data[3];
    strbuf file = {0};

    npy_write(TYPE_F32, 3, data, &file);
    load_fails("buf:u32=@%s/a", file.text, file.size,
               "it holds f32, but the buffer is u32");
    load_fails("buf:f32[4]=@%s/a", file.text, file.size,
               "it holds 3 elements, but buffer '0' has 4");
    load_fails("buf:f32=@%s/a", file.text, file.size - 1, "truncated");
    load_fails("buf:u32=@%s/a", "12345", 5, "5 bytes are no whole number");
    load_fails("buf:u32=@%s/b", "", 0, "No such file");
    strbuf_fini(&file);
}

TEST(a_raw_file_without_a_type_is_refused)
{
    rig r;
    char text[200];

    start(&r);
    put_file(&r, "a", "1234", 4);
    snprintf(text, sizeof text, "buffers: {x: {file: %s/a}}\nlaunches: [{}]\n",
             r.dir);
    CHECK_EQ(plan_read_text(r.p, "f", text, strlen(text), r.dg), ST_OK);
    CHECK_EQ(plan_allocate(r.p, r.d, r.dg), ST_CONFIG);
    said(&r, "needs a type");
    stop(&r);
}

TEST(too_large_buffers_are_refused)
{
    rig r;

    start(&r);
    add(&r, "big=buf:u8[1048577]=iota");
    CHECK_EQ(plan_allocate(r.p, r.d, r.dg), ST_CONFIG);
    said(&r, "no room for buffer 'big' of 1048577 bytes in the 1048576 bytes");
    stop(&r);
    start(&r);
    add(&r, "big=buf:f64[281474976710656]=zero");
    CHECK_EQ(plan_allocate(r.p, r.d, r.dg), ST_CONFIG);
    said(&r, "no room for buffer");
    stop(&r);
}

/* ---- Arguments ---- */

static isa_param params[] = {
    {"ptr", PARAM_POINTER, 8, 8, 0, false},
    {"n", PARAM_INT, 4, 4, 8, false},
    {"f", PARAM_FLOAT, 4, 4, 12, false},
    {"d", PARAM_FLOAT, 8, 8, 16, false},
    {"h", PARAM_FLOAT, 2, 2, 24, false},
    {"b", PARAM_INT, 1, 1, 26, false},
    {"q", PARAM_INT, 8, 8, 32, false},
    {"s", PARAM_BYTES, 12, 4, 40, false},
};

static const isa_kernel kernel = {
    .name = "k", .params = params, .param_count = 7, .param_bytes = 40};

TEST(arguments_are_laid_out)
{
    rig r;
    static const uint8_t want[40] = {
        [8] = 0xff,  [9] = 0xff,  [10] = 0xff, [11] = 0xff, /* -1 */
        [14] = 0xc0, [15] = 0x3f,                           /* 1.5f */
        [22] = 0xe0, [23] = 0x3f,                           /* 0.5 */
        [25] = 0x3c,                                        /* 1, half */
        [26] = 200,  [32] = 0x2a};
    uint8_t *got;
    void *out;

    start(&r);
    plan_buffer *b = add(&r, "buf:f32[4]=zero");
    add(&r, "-1");
    add(&r, "1.5");
    add(&r, "0.5");
    add(&r, "f16:1");
    add(&r, "200");
    add(&r, "u64:42");
    CHECK_EQ(plan_allocate(r.p, r.d, r.dg), ST_OK);
    CHECK_EQ(plan_arguments(r.p, r.l, &kernel, r.dg, &out), ST_OK);
    got = out;
    CHECK(!memcmp(got, &b->addr, 8));
    CHECK(!memcmp(got + 8, want + 8, 32));
    free(out);
    stop(&r);
}

/* The kernel has `count` of the parameters; `why` is the last error. */
static void arguments_fail(uint32_t first, uint32_t count, const char *arg,
                           const char *why)
{
    rig r;
    isa_kernel k = {.name = "k",
                    .params = params + first,
                    .param_count = count,
                    .param_bytes = 64};
    void *out;

    start(&r);
    add(&r, arg);
    CHECK_EQ(plan_arguments(r.p, r.l, &k, r.dg, &out), ST_USAGE);
    said(&r, why);
    stop(&r);
}

TEST(wrong_arguments_are_explained)
{
    arguments_fail(0, 2, "1", "has 2 parameters, but 1 argument is given");
    arguments_fail(0, 0, "1", "has 0 parameters, but 1 argument is given");
    arguments_fail(1, 1, "1.5", "'1.5' is no s32 (parameter 'n')");
    arguments_fail(1, 1, "4294967296", "'4294967296' is no s32");
    arguments_fail(1, 1, "u64:1",
                   "parameter 'n' has 4 bytes, but the "
                   "argument '1' of type u64 has 8");
    arguments_fail(1, 1, "buf:u8[1]=zero",
                   "is no pointer, but the argument "
                   "is buffer '0'");
    arguments_fail(3, 1, "buf:u8[1]=zero", "is no pointer");
    arguments_fail(2, 1, "1e39", "'1e39' is no f32");
    arguments_fail(5, 1, "256", "'256' is no s8");
    arguments_fail(7, 1, "1", "is a structure of 12 bytes");
    arguments_fail(7, 1, "f64:1", "is a structure of 12 bytes");
    arguments_fail(7, 1, "{u32:1,u32:2}", "the fields given have 8 with");
    arguments_fail(7, 1, "{u32:1,u64:2}", "the fields given have 16 with");
    arguments_fail(7, 1, "{u64:1,u64:2,u64:3}", "the fields given have 24");
    arguments_fail(7, 1, "{u32:1,2,u32:3}", "the field '2' of 's' needs a");
}

/* { uint8_t; float; int16_t; } */
TEST(structures_are_laid_out_by_their_fields)
{
    static const isa_kernel k = {
        .name = "k", .params = params + 7, .param_count = 1, .param_bytes = 52};
    static const uint8_t want[12] = {7, 0, 0, 0, 0, 0, 0xc0, 0x3f, 0xfe, 0xff};
    rig r;
    void *out;

    start(&r);
    add(&r, "{u8:7,f32:1.5,s16:-2}");
    CHECK_EQ(plan_arguments(r.p, r.l, &k, r.dg, &out), ST_OK);
    CHECK(!memcmp((uint8_t *)out + 40, want, sizeof want));
    free(out);
    stop(&r);
}

TEST(structures_hold_addresses_of_buffers)
{
    static isa_param both[] = {{"a", PARAM_POINTER, 8, 8, 16, false},
                               {"p", PARAM_BYTES, 16, 8, 0, false}};
    static const isa_kernel k = {
        .name = "k", .params = both, .param_count = 2, .param_bytes = 24};
    uint64_t got[3];
    uint32_t count;
    rig r;
    void *out;

    start(&r);
    plan_buffer *b = add(&r, "x=buf:f32[4]=zero");
    add(&r, "{u32:5,x}");
    CHECK_EQ(plan_allocate(r.p, r.d, r.dg), ST_OK);
    CHECK_EQ(plan_arguments(r.p, r.l, &k, r.dg, &out), ST_OK);
    memcpy(got, out, sizeof got);
    memcpy(&count, out, 4);
    CHECK_EQ(count, 5);
    CHECK_EQ(got[1], b->addr);
    CHECK_EQ(got[2], b->addr);
    free(out);
    stop(&r);
}

/* ---- Comparing and writing ---- */

static status compare(rig *r, const char *spec, const void *want, size_t size,
                      double tolerance, plan_check *out)
{
    char text[160];

    start(r);
    put_file(r, "b", want, size);
    add(r, spec);
    CHECK_EQ(plan_allocate(r->p, r->d, r->dg), ST_OK);
    snprintf(text, sizeof text, "x=%s/b", r->dir);
    CHECK_EQ(plan_add_output(r->p, true, text, tolerance, r->dg), ST_OK);
    status st = plan_compare(r->p, r->p->expects, r->d, r->dg, out);
    return st;
}

TEST(equal_buffers_agree)
{
    static const uint32_t want[4] = {0, 1, 2, 3};
    plan_check c;
    rig r;

    CHECK_EQ(compare(&r, "x=buf:u32[4]=iota", want, sizeof want, 0, &c), ST_OK);
    CHECK_EQ(c.count, 4);
    CHECK_EQ(c.differ, 0);
    CHECK(c.worst == 0);
    stop(&r);
}

TEST(differences_are_counted_and_the_first_is_shown)
{
    static const uint32_t want[5] = {0, 1, 3, 3, 14};
    plan_check c;
    rig r;

    CHECK_EQ(compare(&r, "x=buf:u32[5]=iota", want, sizeof want, 0, &c),
             ST_MISMATCH);
    CHECK_EQ(c.differ, 2);
    CHECK_EQ(c.first, 2);
    CHECK(c.got == 2 && c.want == 3);
    CHECK(c.worst == 10.0 / 14); /* the smaller of 10 and 10/14 */
    stop(&r);
}

TEST(a_tolerance_is_absolute_or_relative)
{
    static const float want[3] = {0.0625f, 1.0625f, 2.125f};
    plan_check c;
    rig r;

    /* away by 1/16, 1/16 and 1/8: relative 1, 1/17, 1/17 */
    CHECK_EQ(compare(&r, "x=buf:f32[3]=iota", want, sizeof want, 0.0625, &c),
             ST_OK);
    CHECK(c.worst == 0.0625);
    stop(&r);
    CHECK_EQ(compare(&r, "x=buf:f32[3]=iota", want, sizeof want, 0.06, &c),
             ST_MISMATCH);
    CHECK_EQ(c.differ, 1);
    CHECK_EQ(c.first, 0);
    stop(&r);
}

TEST(without_a_tolerance_bits_decide)
{
    static const uint32_t minus_zero = 0x80000000;
    plan_check c;
    rig r;

    CHECK_EQ(compare(&r, "x=buf:f32[1]=zero", &minus_zero, 4, 0, &c),
             ST_MISMATCH);
    stop(&r);
    CHECK_EQ(compare(&r, "x=buf:f32[1]=zero", &minus_zero, 4, 1e-9, &c), ST_OK);
    stop(&r);
}

TEST(nan_agrees_with_nan_alone)
{
    static const uint32_t nan = 0x7fc00001, inf = 0x7f800000;
    plan_check c;
    rig r;

    CHECK_EQ(compare(&r, "x=buf:f32[1]=constant,value=nan", &nan, 4, 1, &c),
             ST_OK);
    stop(&r);
    CHECK_EQ(compare(&r, "x=buf:f32[1]=constant,value=1", &nan, 4, 1e9, &c),
             ST_MISMATCH);
    stop(&r);
    CHECK_EQ(compare(&r, "x=buf:f32[1]=constant,value=inf", &inf, 4, 0, &c),
             ST_OK);
    stop(&r);
    CHECK_EQ(compare(&r, "x=buf:f32[1]=constant,value=-inf", &inf, 4, 1e9, &c),
             ST_MISMATCH);
    stop(&r);
}

TEST(buffers_are_dumped_raw_and_as_numpy)
{
    static const uint16_t want[3] = {0, 1, 2};
    rig r;
    char text[160], *data;
    size_t size;
    npy n;

    start(&r);
    add(&r, "x=buf:u16[3]=iota");
    CHECK_EQ(plan_allocate(r.p, r.d, r.dg), ST_OK);
    snprintf(text, sizeof text, "x=%s/a", r.dir);
    CHECK_EQ(plan_add_output(r.p, false, text, 0, r.dg), ST_OK);
    snprintf(text, sizeof text, "x=%s/o.npy", r.dir);
    CHECK_EQ(plan_add_output(r.p, false, text, 0, r.dg), ST_OK);
    for (plan_output *o = r.p->dumps; o; o = o->next)
        CHECK_EQ(plan_dump(r.p, o, r.d, r.dg), ST_OK);

    CHECK_EQ(file_read(in_dir(&r, "a"), r.dg, &data, &size), ST_OK);
    CHECK_EQ(size, sizeof want);
    CHECK(!memcmp(data, want, sizeof want));
    free(data);
    CHECK_EQ(file_read(in_dir(&r, "o.npy"), r.dg, &data, &size), ST_OK);
    CHECK_EQ(npy_read("o", data, size, r.dg, &n), ST_OK);
    CHECK_EQ(n.type, TYPE_U16);
    CHECK_EQ(n.count, 3);
    CHECK(!memcmp(n.data, want, sizeof want));
    free(data);
    stop(&r);
}

TEST(a_dump_that_cannot_be_written_is_reported)
{
    rig r;

    start(&r);
    add(&r, "x=buf:u16[3]=iota");
    CHECK_EQ(plan_allocate(r.p, r.d, r.dg), ST_OK);
    CHECK_EQ(plan_add_output(r.p, false, "x=/nowhere/at/all", 0, r.dg), ST_OK);
    CHECK_EQ(plan_dump(r.p, r.p->dumps, r.d, r.dg), ST_IO);
    said(&r, "No such file");
    stop(&r);
}

/* Before anything runs: a long simulation must not end with this. */
TEST(expectations_are_read_before_the_launches)
{
    rig r;
    char text[160];

    start(&r);
    add(&r, "x=buf:u16[3]=iota");
    snprintf(text, sizeof text, "x=%s/b", r.dir);
    CHECK_EQ(plan_add_output(r.p, true, text, 0, r.dg), ST_OK);
    CHECK_EQ(plan_allocate(r.p, r.d, r.dg), ST_CONFIG);
    said(&r, "No such file");
    put_file(&r, "b", "12345678", 8);
    CHECK_EQ(plan_allocate(r.p, r.d, r.dg), ST_CONFIG);
    said(&r, "it holds 4 elements, but buffer 'x' has 3");
    put_file(&r, "b", "123456", 6);
    CHECK_EQ(plan_allocate(r.p, r.d, r.dg), ST_OK);
    stop(&r);
}

TEST(launched_kernels_are_listed_once)
{
    rig r;

    start(&r);
    CHECK(!plan_kernels(r.p)); /* the launch names none */
    r.l->kernel = "a";
    plan_add_launch(r.p)->kernel = "b";
    plan_add_launch(r.p)->kernel = "a";
    const char *const *names = plan_kernels(r.p);
    CHECK_STR(names[0], "a");
    CHECK_STR(names[1], "b");
    CHECK(!names[2]);
    stop(&r);
}
