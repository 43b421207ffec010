/* Launches that go outside of what was allocated where a device would not
 * notice: the same timed and functional, for any number of threads. */
#include "base/must.h"
#include "config/sheet.h"
#include "runtime/image.h"
#include "runtime/runtime.h"
#include "test.h"

enum { THREADS = 64, CTAS = 6, WORDS = THREADS * CTAS - 20 };

/* Thread i of the grid: at = a + 4 i; out[i] = *at; *at += 1, as an atomic;
 * shared memory of 100 bytes, local of 20: word i % 32 of both. */
static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry beyond(.param .u64 a, .param .u64 out) {\n"
    ".reg .b64 %d<4>; .reg .b32 %r<8>;\n"
    "ld.param.u64 %d0, [a]; ld.param.u64 %d1, [out];\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    "mad.lo.u32 %r0, %r1, 64, %r0;\n"
    "mad.wide.u32 %d0, %r0, 4, %d0; mad.wide.u32 %d1, %r0, 4, %d1;\n"
    "ld.global.u32 %r2, [%d0]; st.global.u32 [%d1], %r2;\n"
    "red.global.add.u32 [%d0], 1;\n"
    "ret; }\n"
    ".visible .entry inner(.param .u64 out) {\n"
    ".shared .align 4 .b8 s[100]; .local .align 4 .b8 l[20];\n"
    ".reg .b64 %d<4>; .reg .b32 %r<8>;\n"
    "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x;\n"
    "mad.wide.u32 %d0, %r0, 4, %d0;\n"
    "shl.b32 %r1, %r0, 2; mov.u32 %r2, s; add.u32 %r2, %r2, %r1;\n"
    "st.shared.u32 [%r2], %r0; bar.sync 0; ld.shared.u32 %r3, [%r2];\n"
    "and.b32 %r1, %r1, 28; mov.u32 %r2, l; add.u32 %r2, %r2, %r1;\n"
    "st.local.u32 [%r2], %r3; ld.local.u32 %r4, [%r2];\n"
    "st.global.u32 [%d0], %r4; ret; }\n"
    ".visible .entry paint(.param .u64 h) {\n"
    ".reg .b64 %h; .reg .b32 %x, %y;\n"
    "ld.param.u64 %h, [h]; mov.u32 %x, %tid.x; mov.u32 %y, %tid.y;\n"
    "sub.u32 %x, %x, 2; sub.u32 %y, %y, 2;\n"
    "sust.p.2d.v4.b32.trap [%h, {%x,%y}], {%x,%x,%x,%x};\n"
    "ret; }\n"
    ".visible .entry line(.param .u64 h) {\n"
    ".reg .b64 %h; .reg .b32 %x;\n"
    "ld.param.u64 %h, [h]; mov.u32 %x, %tid.x; sub.u32 %x, %x, 2;\n"
    "sust.p.1d.v4.b32.trap [%h, {%x}], {%x,%x,%x,%x};\n"
    "ret; }\n"
    ".visible .entry layer(.param .u64 h) {\n"
    ".reg .b64 %h; .reg .b32 %x, %y;\n"
    "ld.param.u64 %h, [h]; mov.u32 %x, %tid.x; mov.u32 %y, %tid.y;\n"
    "sust.p.a2d.v4.b32.trap [%h, {%y,%x,%x,%x}], {%x,%x,%x,%x};\n"
    "ret; }\n"
    ".visible .entry layer1(.param .u64 h) {\n"
    ".reg .b64 %h; .reg .b32 %x, %y;\n"
    "ld.param.u64 %h, [h]; mov.u32 %x, %tid.x; mov.u32 %y, %tid.y;\n"
    "sust.p.a1d.v4.b32.trap [%h, {%y,%x}], {%x,%x,%x,%x};\n"
    "ret; }\n"
    ".visible .entry solid(.param .u64 h) {\n"
    ".reg .b64 %h; .reg .b32 %x, %y;\n"
    "ld.param.u64 %h, [h]; mov.u32 %x, %tid.x; mov.u32 %y, %tid.y;\n"
    "sust.p.3d.v4.b32.trap [%h, {%x,%x,%y,%y}], {%x,%x,%x,%x};\n"
    "ret; }\n"
    ".visible .entry look(.param .u64 h, .param .u64 out) {\n"
    ".reg .b64 %h, %d; .reg .b32 %x, %r0;\n"
    "ld.param.u64 %h, [h]; ld.param.u64 %d, [out]; mov.u32 %x, %tid.x;\n"
    "mad.wide.u32 %d, %x, 4, %d; shl.b32 %x, %x, 2; mov.u32 %r0, 9;\n"
    "suld.b.1d.b32.trap {%r0}, [%h, {%x}]; st.global.u32 [%d], %r0;\n"
    "ret; }\n";

typedef struct rig {
    config_sheet *sheet;
    rt_device *d;
    rt_memory *mem;
    diag *dg;
    rt_module *m;
    rt_result res;
} rig;

static void start(rig *r, rt_options opt)
{
    static const char *const sets[] = {
        "gpu.sms=3", "l2.slices=2", "dram.channels=2", "gpu.global_bytes=16M"};

    memset(r, 0, sizeof *r);
    r->dg = diag_new();
    r->sheet = config_sheet_new();
    CHECK_EQ(config_sheet_load(r->sheet, "v100", r->dg), ST_OK);
    for (size_t i = 0; i < COUNTOF(sets); i++)
        CHECK_EQ(config_sheet_set(r->sheet, sets[i], CONFIG_FROM_SET, r->dg),
                 ST_OK);
    r->d = rt_device_new(config_sheet_values(r->sheet), &opt, r->dg);
    CHECK(r->d);
    r->mem = rt_device_memory(r->d);
    if (rt_module_load_text(r->d, "t.ptx", text, strlen(text), r->dg, &r->m) !=
        ST_OK)
        TEST_FAIL("%u: %s", diag_get(r->dg, 0)->line, diag_get(r->dg, 0)->text);
}

static void stop(rig *r)
{
    rt_device_free(r->d);
    config_sheet_free(r->sheet);
    diag_free(r->dg);
}

static status run(rig *r, const char *kernel, uint32_t ctas, uint32_t x,
                  uint32_t y, uint64_t a, uint64_t b)
{
    uint64_t params[2] = {a, b};
    rt_launch l = {.module = r->m,
                   .kernel = rt_module_kernel(r->m, kernel, r->dg),
                   .grid = {ctas, 1, 1},
                   .block = {x, y, 1},
                   .params = params};

    CHECK(l.kernel);
    return rt_run(r->d, &l, r->dg, &r->res);
}

static const rt_options how[] = {
    {.threads = 1, .functional = true, .lenient = true},
    {.threads = 1, .lenient = true},
    {.threads = 2, .lenient = true},
    {.threads = 3, .lenient = true, .no_skip = true, .shuffle = 5},
};

/* Two launches: the second sees what the first has left behind the buffer. */
TEST(behind_a_buffer_it_is_the_same_however_it_is_run)
{
    char *told = NULL;

    for (size_t i = 0; i < COUNTOF(how); i++) {
        rig r;
        uint32_t got[THREADS * CTAS], words[256] = {0};

        start(&r, how[i]);
        uint64_t a = rt_alloc(r.mem, 4 * WORDS, "a");
        uint64_t b = rt_alloc(r.mem, sizeof words, "b");
        uint64_t out = rt_alloc(r.mem, sizeof got, "out");
        for (uint32_t n = 0; n < 2; n++) {
            CHECK_EQ(run(&r, "beyond", CTAS, THREADS, 1, a, out), ST_OK);
            CHECK(rt_read(r.mem, out, got, sizeof got));
            for (unsigned k = 0; k < THREADS * CTAS; k++)
                CHECK_EQ(got[k], n);
            CHECK_EQ(r.res.strays.count, 2); /* a load, an atomic */
            CHECK_EQ(r.res.strays.is[0].count, 20);
            CHECK_EQ(r.res.strays.is[0].reach, 80);
            CHECK_EQ(r.res.strays.is[1].count, 20);
            CHECK(r.res.strays.is[1].write);
        }
        CHECK(strstr(r.res.strays.is[0].text, "allocation 0 'a'"));
        if (told)
            CHECK_STR(r.res.strays.is[0].text, told);
        else
            told = strdup(r.res.strays.is[0].text);
        CHECK(rt_read(r.mem, b, words, sizeof words));
        for (unsigned k = 0; k < 256; k++)
            CHECK_EQ(words[k], 0);
        CHECK(!rt_read(r.mem, a, got, 4 * WORDS + 4)); /* the host may not */
        stop(&r);
    }
    free(told);
}

/* 100 bytes of shared memory are 256, 20 of local memory 32. */
TEST(shared_and_local_memory_have_the_units_of_the_gpu)
{
    for (size_t i = 0; i < COUNTOF(how); i++) {
        rig r;
        uint32_t got[64];

        start(&r, how[i]);
        uint64_t out = rt_alloc(r.mem, sizeof got, "out");
        CHECK_EQ(run(&r, "inner", 1, 64, 1, out, 0), ST_OK);
        CHECK(rt_read(r.mem, out, got, sizeof got));
        for (unsigned k = 0; k < 64; k++)
            CHECK_EQ(got[k], k);
        CHECK_EQ(r.res.strays.count, 4);
        CHECK_EQ(r.res.strays.is[0].kind, FAULT_SHARED_BOUNDS);
        CHECK_EQ(r.res.strays.is[0].count, 64 - 25);
        CHECK_EQ(r.res.strays.is[3].kind, FAULT_LOCAL_BOUNDS);
        CHECK_EQ(r.res.strays.is[3].count, 3 * 8);
        CHECK_EQ(run(&r, "inner", 1, 65, 1, out, 0), ST_FAULT);
        stop(&r);
    }
}

TEST(a_strict_device_stops_at_the_first)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        rig r;

        start(&r, (rt_options){.threads = 1, .functional = functional});
        uint64_t a = rt_alloc(r.mem, 4 * WORDS, "a");
        uint64_t out = rt_alloc(r.mem, 4 * THREADS * CTAS, "out");
        CHECK_EQ(run(&r, "beyond", CTAS, THREADS, 1, a, out), ST_FAULT);
        CHECK_EQ(run(&r, "inner", 1, 64, 1, out, 0), ST_FAULT);
        CHECK_EQ(r.res.strays.count, 0);
        stop(&r);
    }
}

/* ---- images ---- */

static const struct {
    const char *kernel;
    tex_kind kind;
    uint32_t size[3], layers;
    uint32_t inside; /* texels written, of 8 x 8 threads */
} images[] = {
    {"paint", TEX_2D, {4, 4, 1}, 1, 16}, /* from (-2, -2) on */
    {"line", TEX_1D, {5, 1, 1}, 1, 5},
    {"line", TEX_BUFFER, {5, 1, 1}, 1, 5},
    {"layer", TEX_2D_ARRAY, {3, 3, 1}, 3, 9}, /* (x, x) of layer y */
    {"layer1", TEX_1D_ARRAY, {6, 1, 1}, 3, 18},
    {"solid", TEX_3D, {3, 4, 5}, 1, 15}, /* (x, x, y) */
};

TEST(writes_outside_of_images_of_all_kinds_are_dropped)
{
    for (size_t i = 0; i < COUNTOF(how) * COUNTOF(images); i++) {
        size_t k = i / COUNTOF(how);
        uint32_t y =
            images[k].kind == TEX_1D || images[k].kind == TEX_BUFFER ? 1 : 8;
        rt_image_desc desc = {.name = "picture",
                              .kind = images[k].kind,
                              .order = TEX_R,
                              .type = TEX_U32,
                              .layers = images[k].layers};
        uint8_t was[4096], now[4096];
        tex_image im;
        rig r;

        start(&r, how[i % COUNTOF(how)]);
        memcpy(desc.size, images[k].size, sizeof desc.size);
        uint64_t before = rt_alloc(r.mem, 4096, "before");
        memset(was, 0xa5, sizeof was);
        CHECK(rt_write(r.mem, before, was, sizeof was));
        uint32_t n = rt_image_new(r.mem, &desc, r.dg);
        CHECK(n && rt_image_get(r.mem, n, &im));
        uint64_t after = rt_alloc(r.mem, 4096, "after");
        CHECK(rt_write(r.mem, after, was, sizeof was));
        CHECK_EQ(run(&r, images[k].kernel, 1, 8, y, n, 0), ST_OK);
        CHECK_EQ(r.res.strays.count, 1);
        CHECK_EQ(r.res.strays.is[0].kind, FAULT_TEXTURE_BOUNDS);
        CHECK_EQ(r.res.strays.is[0].count, 8 * y - images[k].inside);
        CHECK(strstr(r.res.strays.is[0].text, "image 'picture'"));
        CHECK(rt_read(r.mem, before, now, sizeof now));
        CHECK(!memcmp(was, now, sizeof was));
        CHECK(rt_read(r.mem, after, now, sizeof now));
        CHECK(!memcmp(was, now, sizeof was));
        CHECK_EQ(run(&r, images[k].kernel, 1, 1, 1, 0, 0), ST_FAULT);
        stop(&r);
    }
}

TEST(reads_outside_of_an_image_are_zero)
{
    for (size_t i = 0; i < COUNTOF(how); i++) {
        uint32_t texels[5] = {1, 2, 3, 4, 5}, origin[3] = {0}, got[8];
        uint32_t region[3] = {5, 1, 1};
        rt_image_desc desc = {
            .kind = TEX_1D, .order = TEX_R, .type = TEX_U32, .size = {5, 1, 1}};
        rig r;

        start(&r, how[i]);
        uint64_t out = rt_alloc(r.mem, sizeof got, "out");
        uint32_t n = rt_image_new(r.mem, &desc, r.dg);
        CHECK(rt_image_write(r.mem, n, 0, origin, region, texels, 0, 0));
        CHECK_EQ(run(&r, "look", 1, 8, 1, n, out), ST_OK);
        CHECK(rt_read(r.mem, out, got, sizeof got));
        for (unsigned k = 0; k < 8; k++)
            CHECK_EQ(got[k], k < 5 ? k + 1 : 0);
        CHECK_EQ(r.res.strays.is[0].count, 3);
        stop(&r);
    }
}
