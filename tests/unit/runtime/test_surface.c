/* Surfaces, queries, and textures and samplers that a program names. */
#include "base/must.h"
#include "config/sheet.h"
#include "runtime/image.h"
#include "runtime/runtime.h"
#include "test.h"

typedef struct rig {
    config_sheet *sheet;
    rt_device *d;
    diag *dg;
    rt_module *m;
    uint64_t out;
} rig;

#define ENTRY(name)                                                            \
    ".visible .entry " name "(.param .u64 h, .param .u64 out) {\n"             \
    ".reg .b64 %h, %u; .reg .b32 %r<8>, %x, %y; .reg .f32 %f<8>;\n"            \
    ".reg .b16 %s<4>; .reg .pred %p;\n"                                        \
    "ld.param.u64 %h, [h]; ld.param.u64 %u, [out];\n"                          \
    "mov.u32 %x, %tid.x; mov.u32 %y, %tid.y;\n"
#define END "ret; }\n"
/* *out + 4 * thread = r0 */
#define STORE                                                                  \
    "mov.u32 %r6, %ntid.x; mad.lo.u32 %r6, %y, %r6, %x;\n"                     \
    "mad.wide.u32 %u, %r6, 4, %u; st.global.u32 [%u], %r0;\n"

static const char head[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".global .texref tex;\n" ENTRY(
        "bytes") /* word x, y = 100 * y + x, as four bytes */
    "mad.lo.u32 %r0, %y, 100, %x; shl.b32 %r1, %x, 2;\n"
    "sust.b.2d.b32.trap [%h, {%r1,%y}], {%r0};\n" END ENTRY(
        "bytes4") /* the bytes of a texel apart */
    "cvt.u16.u32 %s0, %x; cvt.u16.u32 %s1, %y; mov.u16 %s2, 7;\n"
    "shl.b32 %r1, %x, 2;\n"
    "sust.b.2d.v4.b8.trap [%h, {%r1,%y}], {%s0,%s1,%s2,%s2};\n" END ENTRY(
        "load_trap") "shl.b32 %r1, %x, 2;\n"
                     "suld.b.2d.b32.trap {%r0}, [%h, {%r1,%y}];\n" STORE END
                         ENTRY(
                             "load_zero") "mov.u32 %r0, 5; add.u32 %x, %x, "
                                          "2; shl.b32 %r1, %x, 2;\n"
                                          "suld.b.2d.b32.zero {%r0}, [%h, "
                                          "{%r1,%y}]; sub.u32 %x, %x, "
                                          "2;\n" STORE END ENTRY(
                                              "load_clamp") "sub.u32 %r1, "
                                                            "%x, 2; shl.b32 "
                                                            "%r1, %r1, 2;\n"
                                                            "suld.b.2d.b32."
                                                            "clamp {%r0}, "
                                                            "[%h, "
                                                            "{%r1,%y}];"
                                                            "\n" STORE END
                                                                ENTRY(
                                                                    "formatte"
                                                                    "d") /* x/4,
                                                                            y/4,
                                                                            0.5,
                                                                            2
                                                                          */
    "cvt.rn.f32.u32 %f0, %x; mul.f32 %f0, %f0, 0f3e800000;\n"
    "cvt.rn.f32.u32 %f1, %y; mul.f32 %f1, %f1, 0f3e800000;\n"
    "mov.b32 %r0, %f0; mov.b32 %r1, %f1; mov.u32 %r2, 0x3f000000;\n"
    "mov.u32 %r3, 0x40000000;\n"
    "sust.p.2d.v4.b32.trap [%h, {%x,%y}], {%r0,%r1,%r2,%r3};\n" END ENTRY(
        "count") "mov.u32 %r1, 0; mov.u32 %r2, 4; mov.u32 %r0, 3;\n"
                 "sured.b.add.2d.u32.trap [%h, {%r2,%r1}], %r0;\n"
                 "sured.p.max.2d.s32.trap [%h, {%r2,%r1}], %x;\n" END ENTRY(
                     "ask") "txq.width.b32 %r0, [%h]; txq.height.b32 %r1, "
                            "[%h];\n"
                            "mad.lo.u32 %r0, %r1, 1000, %r0;\n"
                            "txq.channel_order.b32 %r1, [%h]; mad.lo.u32 %r0, "
                            "%r1, 1000000, %r0;\n"
                            "suq.channel_data_type.b32 %r1, [%h]; xor.b32 %r0, "
                            "%r0, %r1;\n"
                            "istypep.texref %p, %h; @!%p mov.u32 %r0, "
                            "1;\n" STORE END ENTRY(
                                "named") "cvt.rn.f32.u32 %f0, %x; "
                                         "cvt.rn.f32.u32 %f1, %y;\n"
                                         "tex.2d.v4.u32.f32 {%r0,%r1,%r2,%r3}, "
                                         "[tex, {%f0,%f1}];\n" STORE END ENTRY(
                                             "address") "mov.u64 %h, tex;\n"
                                                        "tex.2d.v4.u32.s32 "
                                                        "{%r0,%r1,%r2,%r3}, "
                                                        "[%h, {%x,%y}];\n" STORE
                                                            END;

static const char apart[] =
    ".version 7.0\n.target sm_70, texmode_independent\n.address_size 64\n"
    ".global .texref tex;\n"
    ".global .samplerref s_near = { addr_mode_0 = clamp_to_border,\n"
    "  addr_mode_1 = clamp_to_edge, filter_mode = nearest,\n"
    "  force_unnormalized_coords = 1 };\n"
    ".global .samplerref s_wrap = { addr_mode_0 = wrap, addr_mode_1 = mirror "
    "};\n" ENTRY(
        "near") "cvt.rn.f32.u32 %f0, %x; cvt.rn.f32.u32 %f1, %y;\n"
                "tex.2d.v4.u32.f32 {%r0,%r1,%r2,%r3}, [tex, s_near, "
                "{%f0,%f1}];\n" STORE END ENTRY(
                    "wrap") "cvt.rn.f32.u32 %f0, %x; mul.f32 %f0, %f0, "
                            "0f3e800000;\n"
                            "mov.f32 %f1, 0f3e000000;\n"
                            "tex.2d.v4.u32.f32 {%r0,%r1,%r2,%r3}, [tex, "
                            "s_wrap, {%f0,%f1}];\n" STORE END ENTRY(
                                "modes") "txq.addr_mode_0.b32 %r0, [s_wrap];\n"
                                         "txq.addr_mode_0.b32 %r1, [s_near]; "
                                         "mad.lo.u32 %r0, %r1, 10, %r0;\n"
                                         "txq.addr_mode_1.b32 %r1, [s_wrap]; "
                                         "mad.lo.u32 %r0, %r1, 100, %r0;\n"
                                         "txq.force_unnormalized_coords.b32 "
                                         "%r1, [s_near];\n"
                                         "mad.lo.u32 %r0, %r1, 1000, "
                                         "%r0;\n" STORE END
                                         ".visible .entry given(.param .texref "
                                         "t, .param .samplerref s,\n"
                                         "  .param .u64 out) {\n"
                                         ".reg .b64 %u; .reg .b32 %r<8>, %x, "
                                         "%y; .reg .f32 %f<2>;\n"
                                         "ld.param.u64 %u, [out]; mov.u32 %x, "
                                         "%tid.x; mov.u32 %y, %tid.y;\n"
                                         "cvt.rn.f32.u32 %f0, %x; "
                                         "cvt.rn.f32.u32 %f1, %y;\n"
                                         "tex.2d.v4.u32.f32 {%r0,%r1,%r2,%r3}, "
                                         "[t, s, {%f0,%f1}];\n" STORE END;

static void start(rig *r, const char *text, bool functional)
{
    static const char *const sets[] = {
        "gpu.sms=1", "l2.slices=2", "dram.channels=2", "gpu.global_bytes=16M"};
    rt_options opt = {.threads = 1, .functional = functional};

    memset(r, 0, sizeof *r);
    r->dg = diag_new();
    r->sheet = config_sheet_new();
    CHECK_EQ(config_sheet_load(r->sheet, "v100", r->dg), ST_OK);
    for (size_t i = 0; i < COUNTOF(sets); i++)
        CHECK_EQ(config_sheet_set(r->sheet, sets[i], CONFIG_FROM_SET, r->dg),
                 ST_OK);
    r->d = rt_device_new(config_sheet_values(r->sheet), &opt, r->dg);
    CHECK(r->d);
    if (rt_module_load_text(r->d, "t.ptx", text, strlen(text), r->dg, &r->m) !=
        ST_OK)
        TEST_FAIL("%u: %s", diag_get(r->dg, 0)->line, diag_get(r->dg, 0)->text);
    r->out = rt_alloc(rt_device_memory(r->d), 1024, "out");
}

static void stop(rig *r)
{
    rt_device_free(r->d);
    config_sheet_free(r->sheet);
    diag_free(r->dg);
}

static status run(rig *r, const char *kernel, const void *params, uint32_t x,
                  uint32_t y)
{
    rt_launch l = {.module = r->m,
                   .kernel = rt_module_kernel(r->m, kernel, r->dg),
                   .grid = {1, 1, 1},
                   .block = {x, y, 1},
                   .params = params};
    rt_result res;

    CHECK(l.kernel);
    return rt_run(r->d, &l, r->dg, &res);
}

/* Runs and returns what the threads wrote, x fastest. */
static void go(rig *r, const char *kernel, uint32_t handle, uint32_t x,
               uint32_t y, uint32_t *out)
{
    uint64_t params[2] = {handle, r->out};

    if (run(r, kernel, params, x, y) != ST_OK)
        TEST_FAIL("%s", diag_get(r->dg, 0)->text);
    if (out)
        CHECK(rt_read(rt_device_memory(r->d), r->out, out, 4ull * x * y));
}

static uint32_t image(rig *r, tex_order order, tex_type type, uint32_t w,
                      uint32_t h)
{
    rt_image_desc desc = {.name = "picture",
                          .kind = TEX_2D,
                          .order = order,
                          .type = type,
                          .size = {w, h}};
    uint32_t n = rt_image_new(rt_device_memory(r->d), &desc, r->dg);

    CHECK(n);
    return n;
}

static void contents(rig *r, uint32_t n, uint32_t w, uint32_t h, void *to)
{
    uint32_t origin[3] = {0, 0, 0}, region[3] = {w, h, 1};

    CHECK(
        rt_image_read(rt_device_memory(r->d), n, 0, origin, region, to, 0, 0));
}

TEST(stores_of_bytes_are_read_back_on_the_machine_and_without_it)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        rig r;
        uint32_t host[8][16], out[128], n;

        start(&r, head, functional);
        n = image(&r, TEX_R, TEX_U32, 16, 8);
        go(&r, "bytes", n, 16, 8, NULL);
        contents(&r, n, 16, 8, host);
        go(&r, "load_trap", n, 16, 8, out);
        for (unsigned y = 0; y < 8; y++)
            for (unsigned x = 0; x < 16; x++) {
                CHECK_EQ(host[y][x], 100 * y + x);
                CHECK_EQ(out[16 * y + x], 100 * y + x);
            }
        n = image(&r, TEX_RGBA, TEX_U8, 16, 8);
        go(&r, "bytes4", n, 16, 8, NULL);
        contents(&r, n, 16, 8, host);
        CHECK_EQ(host[3][9], 0x07070309);
        stop(&r);
    }
}

TEST(outside_is_zero_or_the_nearest_texel_or_a_fault)
{
    rig r;
    uint32_t out[128], n;
    uint64_t params[2];

    start(&r, head, true);
    n = image(&r, TEX_R, TEX_U32, 16, 8);
    go(&r, "bytes", n, 16, 8, NULL);
    go(&r, "load_zero", n, 16, 8, out);
    for (unsigned x = 0; x < 16; x++)
        CHECK_EQ(out[16 * 2 + x], x < 14 ? 200 + x + 2 : 0);
    go(&r, "load_clamp", n, 16, 8, out);
    for (unsigned x = 0; x < 16; x++)
        CHECK_EQ(out[16 * 2 + x], x > 2 ? 200 + x - 2 : 200);
    params[0] = n;
    params[1] = r.out;
    CHECK_EQ(run(&r, "load_trap", params, 16, 9), ST_FAULT);
    const char *text = diag_get(r.dg, diag_count(r.dg) - 1)->text;
    if (!strstr(text, "access outside of the image: image 'picture' of 16x8x1 "
                      "texels, 1 layer, read at (0,8)") ||
        !strstr(text, "thread (0,8,0)"))
        TEST_FAIL("%s", text);
    params[0] = 1000;
    CHECK_EQ(run(&r, "load_trap", params, 1, 1), ST_FAULT);
    text = diag_get(r.dg, diag_count(r.dg) - 1)->text;
    if (!strstr(text, "no image is bound: handle 0x3e8"))
        TEST_FAIL("%s", text);
    stop(&r);
}

/* x/4, y/4, 1/2 and 2 in some formats; converted to nearest even, saturated. */
TEST(formatted_stores_convert)
{
    rig r;
    uint32_t n, word[8][4];
    uint16_t half[8][16], packed[8][4];
    uint8_t byte[8][16];

    start(&r, head, true);
    n = image(&r, TEX_RGBA, TEX_UNORM8, 4, 8);
    go(&r, "formatted", n, 4, 8, NULL);
    contents(&r, n, 4, 8, byte);
    CHECK_EQ(byte[1][4], 64); /* 63.75 */
    CHECK_EQ(byte[1][5], 64);
    CHECK_EQ(byte[1][6], 128); /* 127.5 */
    CHECK_EQ(byte[1][7], 255);
    CHECK_EQ(byte[7][1], 255); /* of 1.75 */
    n = image(&r, TEX_BGRA, TEX_UNORM8, 4, 8);
    go(&r, "formatted", n, 4, 8, NULL);
    contents(&r, n, 4, 8, byte);
    CHECK_EQ(byte[0][12], 128);
    CHECK_EQ(byte[0][14], 191); /* 191.25, red */
    n = image(&r, TEX_RGBA, TEX_F16, 4, 8);
    go(&r, "formatted", n, 4, 8, NULL);
    contents(&r, n, 4, 8, half);
    CHECK_EQ(half[7][8], 0x3800);
    CHECK_EQ(half[7][9], 0x3f00);
    CHECK_EQ(half[7][11], 0x4000);
    n = image(&r, TEX_RGB, TEX_UNORM565, 4, 8);
    go(&r, "formatted", n, 4, 8, NULL);
    contents(&r, n, 4, 8, packed);
    CHECK_EQ(packed[1][3], 23 << 11 | 16 << 5 | 16); /* 23.25, 15.75, 15.5 */
    n = image(&r, TEX_R, TEX_F32, 4, 8);
    go(&r, "formatted", n, 4, 8, NULL);
    contents(&r, n, 4, 8, word);
    CHECK_EQ(word[5][3], 0x3f400000);
    stop(&r);
}

TEST(reductions_count_bytes_or_texels)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        rig r;
        uint32_t host[8], n;

        start(&r, head, functional);
        n = image(&r, TEX_R, TEX_S32, 8, 1);
        go(&r, "count", n, 40, 1, NULL);
        contents(&r, n, 8, 1, host);
        CHECK_EQ(host[1], 120);
        CHECK_EQ(host[4], 39);
        CHECK_EQ(host[0], 0);
        stop(&r);
    }
}

TEST(queries_tell_what_the_image_is)
{
    rig r;
    uint32_t out, n;

    start(&r, head, true);
    n = image(&r, TEX_RGBA, TEX_F32, 320, 24);
    go(&r, "ask", n, 1, 1, &out);
    /* OpenCL's CL_RGBA and CL_FLOAT */
    CHECK_EQ(out, (24320u + 0x10b5u * 1000000u) ^ 0x10de);
    stop(&r);
}

TEST(named_textures_are_bound)
{
    rig r;
    uint32_t out[128], n, m, texel[8][16];
    uint32_t origin[3] = {0, 0, 0}, region[3] = {16, 8, 1};

    start(&r, head, true);
    n = image(&r, TEX_R, TEX_U32, 16, 8);
    m = image(&r, TEX_R, TEX_U32, 16, 8);
    for (unsigned i = 0; i < 128; i++)
        texel[i / 16][i % 16] = 3 * i;
    CHECK(rt_image_write(rt_device_memory(r.d), n, 0, origin, region, texel, 0,
                         0));
    CHECK(!rt_module_bind(r.m, "other", n));
    CHECK(rt_module_bind(r.m, "tex", n));
    go(&r, "named", 0, 16, 8, out);
    for (unsigned i = 0; i < 128; i++)
        CHECK_EQ(out[i], 3 * i);
    go(&r, "address", 0, 16, 8, out);
    CHECK_EQ(out[100], 300);
    CHECK(rt_image_copy(rt_device_memory(r.d), n, origin, m, origin, region));
    texel[0][0] = 77;
    region[0] = region[1] = 1;
    CHECK(rt_image_write(rt_device_memory(r.d), m, 0, origin, region, texel, 0,
                         0));
    CHECK(rt_module_bind(r.m, "tex", m));
    go(&r, "named", 0, 16, 8, out);
    CHECK_EQ(out[0], 77);
    CHECK_EQ(out[100], 300);
    stop(&r);
}

TEST(samplers_of_the_program_and_of_the_caller)
{
    rig r;
    uint32_t out[128], n, texel[4][4];
    uint32_t origin[3] = {0, 0, 0}, region[3] = {4, 4, 1};
    tex_sampler edge = tex_literal(2); /* clamped to the edge */
    uint64_t params[3];

    start(&r, apart, true);
    n = image(&r, TEX_R, TEX_U32, 4, 4);
    for (unsigned i = 0; i < 16; i++)
        texel[i / 4][i % 4] = i + 1;
    CHECK(rt_image_write(rt_device_memory(r.d), n, 0, origin, region, texel, 0,
                         0));
    CHECK(rt_module_bind(r.m, "tex", n));
    go(&r, "near", 0, 8, 8, out);
    CHECK_EQ(out[8 * 1 + 3], 8);
    CHECK_EQ(out[8 * 1 + 4], 0);  /* border to the right */
    CHECK_EQ(out[8 * 6 + 3], 16); /* edge below */
    go(&r, "wrap", 0, 8, 1, out);
    CHECK_EQ(out[3], 4);
    CHECK_EQ(out[5], 2); /* 1.25 of the width */
    go(&r, "modes", 0, 1, 1, out);
    CHECK_EQ(out[0], 1140); /* wrap 0, border 4, mirror 1, forced 1 */
    params[0] = n;
    params[1] = tex_handle(0, rt_sampling_new(rt_device_memory(r.d), &edge));
    params[2] = r.out;
    CHECK_EQ(run(&r, "given", params, 8, 8), ST_OK);
    CHECK(rt_read(rt_device_memory(r.d), r.out, out, 256));
    CHECK_EQ(out[8 * 1 + 7], 8);
    stop(&r);
}

TEST(what_is_no_image_is_refused)
{
    static const struct {
        rt_image_desc desc;
        const char *why;
    } rows[] = {
        {{.kind = TEX_2D, .order = TEX_RGB, .type = TEX_F32}, "no such format"},
        {{.kind = TEX_1D, .order = TEX_R, .type = TEX_U8, .size = {4, 4}},
         "more dimensions"},
        {{.kind = TEX_2D, .order = TEX_R, .type = TEX_U8, .layers = 2},
         "number of layers"},
        {{.kind = TEX_CUBE, .order = TEX_R, .type = TEX_U8, .layers = 12},
         "six layers"},
        {{.kind = TEX_2D,
          .order = TEX_R,
          .type = TEX_F32,
          .size = {8, 2},
          .addr = 64,
          .row = 16},
         "rows overlap"},
        {{.kind = TEX_2D,
          .order = TEX_R,
          .type = TEX_U8,
          .size = {1u << 20, 1u << 20}},
         "no room"},
    };
    rig r;

    start(&r, head, true);
    for (unsigned i = 0; i < COUNTOF(rows); i++) {
        diag_clear(r.dg);
        CHECK_EQ(rt_image_new(rt_device_memory(r.d), &rows[i].desc, r.dg), 0);
        if (!strstr(diag_get(r.dg, 0)->text, rows[i].why))
            TEST_FAIL("%s", diag_get(r.dg, 0)->text);
    }
    stop(&r);
}

/* A texture over a buffer with a pitch, and a view of it in another format. */
TEST(images_look_at_memory)
{
    rig r;
    uint32_t out[16], n, v;
    uint8_t row[64];
    rt_image_desc desc = {.kind = TEX_2D,
                          .order = TEX_R,
                          .type = TEX_U32,
                          .size = {4, 2},
                          .row = 48};

    start(&r, head, true);
    for (unsigned i = 0; i < 64; i++)
        row[i] = (uint8_t)i;
    desc.addr = rt_alloc(rt_device_memory(r.d), 64, "memory");
    CHECK(rt_write(rt_device_memory(r.d), desc.addr, row, 64));
    n = rt_image_new(rt_device_memory(r.d), &desc, r.dg);
    CHECK(n);
    CHECK(rt_module_bind(r.m, "tex", n));
    go(&r, "named", 0, 4, 2, out);
    CHECK_EQ(out[1], 0x07060504);
    CHECK_EQ(out[4], 0x33323130);
    v = rt_image_view(rt_device_memory(r.d), n, TEX_RGBA, TEX_U8, r.dg);
    CHECK(v);
    CHECK(rt_module_bind(r.m, "tex", v));
    go(&r, "named", 0, 4, 2, out);
    CHECK_EQ(out[1], 4);
    CHECK(!rt_image_view(rt_device_memory(r.d), n, TEX_R, TEX_U8, r.dg));
    CHECK(rt_image_release(rt_device_memory(r.d), n));
    CHECK(!rt_image_release(rt_device_memory(r.d), n));
    stop(&r);
}
