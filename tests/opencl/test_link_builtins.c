/* tests/opencl/test_link_builtins.c - two units of a program that both use the
 * same built-in functions: every group of them, with every clang that is
 * installed, and the results of each unit. */
#include <math.h>

#include "capture.h"
#include "compiler.h"
#include "ptx.h"

enum { ITEMS = 64, SCRATCH = 64 };

/* One kernel of 64 work-items in a group: `i` is the item, K the number of the
 * unit (1, 2), o[i] its result, g[i] = 3 * i + 1, g[64...] 0, l local. */
typedef struct group {
    const char *name;
    const char *body;
    int (*want)(int k, int i);
    bool images;  /* im: texel (x, y) of 8x8 is x + 10 * y; to, s besides */
    bool newer;   /* needs OpenCL C 3.0 */
    bool printed; /* `want` is of nothing */
} group;

static int in(int i) { return 3 * i + 1; }
static int near(double x) { return (int)lrint(1000 * x); }

static int math(int k, int i)
{
    double x = 0.3 + i / 8.0;

    return near(sin(x) + exp(-x) + pow(x, k / 2.0) + fmod(x, k)) +
           near(tgamma(1 + x / 8) + cbrt(x) + sin(1e18 + i) + atan2(x, k));
}
static int native(int k, int i)
{
    return (int)lrint(10 * (sqrt(i) + 8.0 / k + exp2(i % 8)));
}
static int half_(int k, int i) { return 3 * (i * k + 1); }
static int integer(int k, int i)
{
    return (in(i) << k) + __builtin_clz((unsigned)in(i)) +
           __builtin_popcount((unsigned)in(i)) + (in(i) + 7) / 2 +
           (INT32_MAX - 100000);
}
static int common(int k, int i)
{
    double t = i / 64.0;

    return (i < 5    ? 5
            : i > 50 ? 50
                     : i) *
               1000 +
           near(t * k) + near(t * t * (3 - 2 * t)) + (i >= 32);
}
static int geometric(int k, int i)
{
    return (i * 3 + k * 4) + (i * 3 - k * 4) + 5000;
}
static int relational(int k, int i)
{
    return (i & 1 ? k : 10) + (i > 31 ? 100 : 0) + (i % 4 == 3 ? 1000 : 0);
}
static int memory(int k, int i)
{
    return in(3 * (i % 16) + 1) * k + in(2) + in(15) + i;
}
static int synced(int k, int i) { return (ITEMS - 1 - i) * k; }
static int copied(int k, int i)
{
    return in(i)*k + in(i % 16) + in((i % 16) * 4);
}
static int atomics(int k, int i) { return ITEMS * k + (i < ITEMS) * ITEMS; }
static int swapped(int k, int i)
{
    const int v[] = {i, i + 1, i + 2, i + 3};

    return v[2] * 1000 + v[k] + 10 * (100 + k);
}
static int converted(int k, int i)
{
    int sat = 4 * i > 127 ? 127 : 4 * i;

    return sat + 0x3f800000 + (i + k) + (i + 1);
}
static int items(int k, int i) { return i + 64 * k + 1 + 1; }
static int newer_items(int k, int i) { return 2 * i + 64 * k; }
static int collective(int k, int i)
{
    return 2016 * k + i * (i + 1) / 2 + 63 + 5 * k + 1;
}
static int objects(int k, int i) { return ITEMS * k + (i >= 0) + 3; }
static int warps(int k, int i)
{
    int base = i / 32 * 32;

    return 32 * base + 496 + i % 32 * k + base + 1;
}
static int sampled(int k, int i)
{
    int x = i % 8, y = i / 8;

    return x + 10 * y + (x + 1 < 8 ? (x + 1 + 10 * y) * k : 0) + x + 10 * y + 8;
}
static int nothing(int k, int i) { return k + i; }

static const group groups[] = {
    {"math",
     "float x = 0.3f + i / 8.0f; double y = 0.3 + i / 8.0;"
     "o[i] = convert_int_rte(1000 * (sin(x) + exp(-x) + pow(x, K / 2.0f)"
     "                               + fmod(x, (float)K))) +"
     "       convert_int_rte(1000 * (tgamma(1 + y / 8) + cbrt(y) +"
     "                               sin(1e18 + i) + atan2(y, (double)K)));",
     .want = math},
    {"native",
     "o[i] = convert_int_rte(10 * (native_sqrt((float)i) +"
     "    native_divide(8.0f, (float)K) + half_exp2((float)(i % 8))));",
     .want = native},
    {"half",
     "global half *h = (global half *)(g + 64); half v;"
     "vstore_half((float)(i * K + 1), i, h); v = h[i] * (half)2;"
     "o[i] = (int)v + (int)vload_half(i, h);",
     .want = half_},
    {"integer",
     "o[i] = rotate(g[i], K) + clz(g[i]) + popcount(g[i]) + hadd(g[i], 7) +"
     "    (add_sat(INT_MAX, K) - 100000) + (int)mul_hi((uint)K, 2u) +"
     "    (int)(mad_sat(1L, 1L, -1L) + rotate(0L, (long)K));",
     .want = integer},
    {"common",
     "float t = i / 64.0f;"
     "o[i] = clamp(i, 5, 50) * 1000 + convert_int_rte(1000 * mix(0.0f, "
     "(float)K, t)) + convert_int_rte(1000 * smoothstep(0.0f, 1.0f, t)) +"
     " (int)step(32.0f, (float)i);",
     .want = common},
    {"geometric",
     "float2 a = (float2)(i, K), b = (float2)(3, 4);"
     "float3 c = cross((float3)(a, 0), (float3)(b.y, b.x, 0));"
     "o[i] = (int)dot(a, b) + (int)c.z +"
     "    (int)rint(1000 * length(b) * length(normalize(b)));",
     .want = geometric},
    {"relational",
     "float4 v = (float4)(i % 4 == 3 ? NAN : 1.0f);"
     "o[i] = select(10, K, i & 1) + (isgreater((float)i, 31.5f) ? 100 : 0) +"
     "    (all(isnan(v)) ? 1000 : 0) + (int)bitselect(0u, 0u, 1u);",
     .want = relational},
    {"vload and vstore",
     "int3 v = vload3(i % 16, g); int16 w = vload16(0, g);"
     "char16 bytes = vload16(0, (global char *)g);"
     "vstore3(v * K, i, g + 64 + 64); o[i] = vload3(i, g + 128).y + w.s2 +"
     "    w.sf + i + (bytes.s0 - 1);",
     .want = memory},
    {"synchronisation",
     "l[i] = i * K; barrier(CLK_LOCAL_MEM_FENCE); mem_fence(CLK_GLOBAL_MEM_"
     "FENCE); o[i] = l[63 - i];",
     .want = synced},
    {"copies",
     "local int *m = l + 64, *n = l + 128; event_t e;"
     "prefetch(g, 64); e = async_work_group_copy(l, g, 64, 0);"
     "e = async_work_group_copy((local int3 *)m, (global int3 *)g, 4, e);"
     "e = async_work_group_strided_copy(n, g, 16, 4, e);"
     "wait_group_events(1, &e); o[i] = l[i] * K + m[i % 16] + n[i % 16];",
     .want = copied},
    {"atomics",
     "if (i == 0) *l = 0; barrier(CLK_LOCAL_MEM_FENCE);"
     "atomic_add(l, K); atom_inc(g + 64 + K);"
     "atom_max((global long *)(g + 72), (long)i);"
     "atomic_max(g + 80, i); atomic_cmpxchg(g + 81, 1, 2);"
     "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
     "o[i] = *l + g[64 + K] + g[72] - 63 + g[80] - 63 + g[81];",
     .want = atomics},
    {"shuffle",
     "int4 v = (int4)(i, i + 1, i + 2, i + 3);"
     "int4 a = shuffle(v, (uint4)(2, K, 0, 0));"
     "int2 b = shuffle2(v, (int4)(100 + K), (uint2)(4, 5));"
     "o[i] = a.x * 1000 + a.y + 10 * b.x;",
     .want = swapped},
    {"conversions",
     "o[i] = convert_char_sat(4 * i) + as_int(1.0f) +"
     "    (int)convert_float_rtp((long)(i + K)) +"
     "    convert_int_sat_rtn((double)i + 1.5) + convert_uchar_sat(-K);",
     .want = converted},
    {"work-items",
     "o[i] = (int)(get_local_id(0) + get_local_size(0) * K + get_work_dim() +"
     "    get_num_groups(0) + get_group_id(0) + get_global_offset(0));",
     .want = items},
    {"work-items of 2.0",
     "o[i] = (int)(get_global_linear_id() + get_local_linear_id() +"
     "    get_enqueued_local_size(0) * K);",
     .want = newer_items, .newer = true},
    {"collectives",
     "o[i] = work_group_reduce_add(i) * K + work_group_scan_inclusive_add(i) +"
     "    work_group_reduce_max(i) + work_group_broadcast(i, 5) * K +"
     "    (work_group_any(i == 40) && !work_group_all(i == 40));",
     .want = collective, .newer = true},
    {"atomic objects",
     "global atomic_int *a = (global atomic_int *)(g + 64);"
     "atomic_fetch_add(a + K, K); atomic_fetch_max_explicit(a + 8, 3,"
     "    memory_order_relaxed, memory_scope_device);"
     "work_group_barrier(CLK_GLOBAL_MEM_FENCE);"
     "o[i] = atomic_load(a + K) + atomic_load(a + 8) +"
     "    (atomic_exchange(a + 16, K) <= K);",
     .want = objects, .newer = true},
    {"sub-groups",
     "o[i] = sub_group_reduce_add(i) + sub_group_broadcast(i, 0) +"
     "    (int)get_sub_group_local_id() * K + (sub_group_any(i % 32 == 4) != "
     "0);",
     .want = warps, .newer = true},
    {"images",
     "int2 c = (int2)(i % 8, i / 8); const sampler_t border = BORDER;"
     "float a = read_imagef(im, s, c).x, b;"
     "b = read_imagef(im, border, c + (int2)(1, 0)).x * K;"
     "write_imagef(to, c, (float4)(a, b, 0, 0));"
     "o[i] = (int)(a + b + read_imagef(im, common_sampler, c).x) +"
     "    get_image_width(im);",
     .want = sampled, .images = true},
    {"printf",
     "o[i] = K + i; if (i == 0) printf(\"unit %d %s\\n\", K, \"text\");",
     .want = nothing, .printed = true},
};

/* ---- Sources ---- */

/* What units may both have, because nobody else sees it: a table, a sampler, a
 * function of the same name. */
static const char unit_head[] =
    "static constant int table[] = {K, 2 * K};\n"
    "static int own(int i) { return table[i]; }\n"
    "#define BORDER (CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | "
    "CLK_FILTER_NEAREST)\n";
static const char unit_sampler[] =
    "constant sampler_t common_sampler = CLK_NORMALIZED_COORDS_FALSE | "
    "CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n";

static void put_kernel(strbuf *b, const group *g, int number, int k)
{
    strbuf_printf(b,
                  "kernel void k%d_%d(global int *o, global int *g, local int "
                  "*l%s)\n{\n    int i = get_global_id(0);\n    %s\n"
                  "    o[i] += own(1) - 2 * K;\n}\n",
                  number, k,
                  g->images
                      ? ", read_only image2d_t im, write_only image2d_t to, "
                        "sampler_t s"
                      : "",
                  g->body);
}

static cl_program compile(const rig *r, const strbuf *text, bool newer)
{
    cl_program p = source(r, text->text);

    if (clCompileProgram(p, 1, r->devices, newer ? "-cl-std=CL3.0" : "", 0,
                         NULL, NULL, NULL, NULL) != CL_SUCCESS)
        TEST_FAIL("%s\n%s", text->text, log_of(r, p));
    return p;
}

/* Groups from `from` up to `to`, in two units. */
static cl_program link_groups(const rig *r, size_t from, size_t to, bool newer)
{
    cl_program units[2], all;
    cl_int err;

    for (int k = 1; k <= 2; k++) {
        strbuf text = {0};
        bool sampler = false;

        strbuf_printf(&text, "#define K %d\n%s", k, unit_head);
        for (size_t i = from; i < to; i++)
            sampler |= groups[i].images;
        if (sampler)
            strbuf_puts(&text, unit_sampler);
        for (size_t i = from; i < to; i++)
            put_kernel(&text, &groups[i], (int)i, k);
        units[k - 1] = compile(r, &text, newer);
        strbuf_fini(&text);
    }
    all = clLinkProgram(r->context, 1, r->devices, "", 2, units, NULL, NULL,
                        &err);
    if (err != CL_SUCCESS)
        TEST_FAIL("%s: %s", groups[from].name, log_of(r, all));
    for (int k = 0; k < 2; k++)
        CHECK_EQ(clReleaseProgram(units[k]), CL_SUCCESS);
    return all;
}

/* ---- Running ---- */

typedef struct things {
    cl_mem out, in, im, to;
    cl_sampler sampler;
} things;

static cl_mem make_image(const rig *r, cl_mem_flags flags, float *texels)
{
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = 8,
                                .image_height = 8};
    cl_int err;
    cl_mem m = clCreateImage(r->context, flags, &format, &desc, texels, &err);

    CHECK_EQ(err, CL_SUCCESS);
    return m;
}

static things make_things(const rig *r)
{
    static cl_int numbers[ITEMS + 8 * SCRATCH];
    static float texels[64][4];
    things t;
    cl_int err;

    for (int i = 0; i < ITEMS; i++) {
        numbers[i] = in(i);
        texels[i][0] = (float)(i % 8 + 10 * (i / 8));
    }
    t.out = clCreateBuffer(r->context, 0, ITEMS * sizeof(cl_int), NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    t.in = clCreateBuffer(r->context, CL_MEM_COPY_HOST_PTR, sizeof numbers,
                          numbers, &err);
    CHECK_EQ(err, CL_SUCCESS);
    t.im = make_image(r, CL_MEM_COPY_HOST_PTR, texels[0]);
    t.to = make_image(r, 0, NULL);
    t.sampler = clCreateSampler(r->context, CL_FALSE, CL_ADDRESS_CLAMP,
                                CL_FILTER_NEAREST, &err);
    CHECK_EQ(err, CL_SUCCESS);
    return t;
}

static void free_things(things *t)
{
    CHECK_EQ(clReleaseMemObject(t->out), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(t->in), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(t->im), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(t->to), CL_SUCCESS);
    CHECK_EQ(clReleaseSampler(t->sampler), CL_SUCCESS);
}

static void check_printed(const rig *r, cl_kernel kernel, int k)
{
    const size_t items = ITEMS;
    char want[32];
    capture c;

    snprintf(want, sizeof want, "unit %d text\n", k);
    capture_begin(&c, stdout);
    CHECK_EQ(clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &items, &items,
                                    0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clFinish(r->queue), CL_SUCCESS);
    CHECK_STR(capture_end(&c), want);
}

static void run_kernel(const rig *r, cl_program p, size_t number, int k)
{
    const group *g = &groups[number];
    const size_t items = ITEMS;
    cl_int got[ITEMS];
    things t = make_things(r);
    char name[16];

    snprintf(name, sizeof name, "k%zu_%d", number, k);
    cl_kernel kernel = ptx_kernel(p, name);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof t.out, &t.out), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 1, sizeof t.in, &t.in), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 2, 1024, NULL), CL_SUCCESS);
    if (g->images) {
        CHECK_EQ(clSetKernelArg(kernel, 3, sizeof t.im, &t.im), CL_SUCCESS);
        CHECK_EQ(clSetKernelArg(kernel, 4, sizeof t.to, &t.to), CL_SUCCESS);
        CHECK_EQ(clSetKernelArg(kernel, 5, sizeof t.sampler, &t.sampler),
                 CL_SUCCESS);
    }
    if (g->printed)
        check_printed(r, kernel, k);
    else
        CHECK_EQ(clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &items,
                                        &items, 0, NULL, NULL),
                 CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(r->queue, t.out, CL_TRUE, 0, sizeof got, got,
                                 0, NULL, NULL),
             CL_SUCCESS);
    for (int i = 0; i < ITEMS; i++)
        if (got[i] != g->want(k, i))
            TEST_FAIL("%s, unit %d, item %d: %d, not %d", g->name, k, i, got[i],
                      g->want(k, i));
    CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    free_things(&t);
}

static void run_groups(const rig *r, cl_program p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        for (int k = 1; k <= 2; k++)
            run_kernel(r, p, i, k);
}

TEST(units_that_both_use_a_group)
{
    rig r = rig_open(0);

    use_installed();
    for (size_t i = 0; i < COUNTOF(groups); i++) {
        cl_program p = link_groups(&r, i, i + 1, groups[i].newer);

        run_groups(&r, p, i, i + 1);
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    rig_close(&r);
}

/* Every clang that can read the libclc here. */
TEST(units_that_both_use_all_groups_with_every_clang)
{
    rig r = rig_open(0);
    unsigned tried = 0;

    use_installed();
    for (unsigned v = 14; v < 30; v++) {
        strbuf why = {0};
        toolchain t;
        char name[16];

        snprintf(name, sizeof name, "clang-%u", v);
        setenv("HEDDLE_CLANG", name, 1);
        if (toolchain_find(&t, &why)) {
            cl_program p = link_groups(&r, 0, COUNTOF(groups), true);

            run_groups(&r, p, 0, COUNTOF(groups));
            CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
            toolchain_fini(&t);
            tried++;
        }
        strbuf_fini(&why);
    }
    use_installed();
    CHECK(tried > 0);
    rig_close(&r);
}
