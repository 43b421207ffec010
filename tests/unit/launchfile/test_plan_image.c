/* Images and samplers of launch files. */
#include "base/must.h"
#include "config/sheet.h"
#include "launchfile/plan.h"
#include "launchfile/plan_image.h"
#include "test.h"

typedef struct rig {
    plan *p;
    diag *dg;
} rig;

static status take(rig *r, const char *text)
{
    r->p = plan_new();
    r->dg = diag_new();
    return plan_read_text(r->p, "l.yaml", text, strlen(text), r->dg);
}

static void stop(rig *r)
{
    plan_free(r->p);
    diag_free(r->dg);
}

#define LAUNCH                                                                 \
    "launches: [{kernel: k, args: [i, s, {texture: [i, s]}],\n"                \
    "  bind: {t: i, u: [i, s], v: s}}]\n"

TEST(images_and_samplers_are_read)
{
    rig r;
    status st = take(
        &r, "images:\n"
            "  i: {kind: 2d_array, size: [4, 3], order: bgra, type: unorm8,\n"
            "      layers: 2, init: iota, linear: true}\n"
            "samplers:\n"
            "  s: {filter: linear, mip: linear, address: [repeat, border],\n"
            "      normalized: true, border: [0.5, 1, 2.0, -3], bias: 1.5,\n"
            "      low: 1, high: 3}\n" LAUNCH);

    if (st != ST_OK)
        TEST_FAIL("%s", diag_get(r.dg, 0)->text);
    const plan_buffer *b = plan_find_buffer(r.p, "i");
    CHECK(b && b->image);
    CHECK_EQ(b->type, TYPE_U8);
    CHECK_EQ(b->count, 4 * 3 * 2 * 4);
    CHECK_EQ(b->image->kind, TEX_2D_ARRAY);
    CHECK_EQ(b->image->order, TEX_BGRA);
    CHECK_EQ(b->image->layers, 2);
    CHECK(b->image->linear);
    const plan_sampler *s = plan_find_sampler(r.p, "s");
    CHECK(s && s->is.linear && s->is.mip_linear && s->is.normalised);
    CHECK_EQ(s->is.address[0], TEX_ADDRESS_REPEAT);
    CHECK_EQ(s->is.address[1], TEX_ADDRESS_BORDER);
    CHECK_EQ(s->is.address[2], TEX_ADDRESS_EDGE);
    CHECK_EQ(s->is.border[0], 0x3f000000);
    CHECK_EQ(s->is.border[1], 1);
    CHECK_EQ(s->is.border[3], (uint32_t)-3);
    CHECK(s->is.bias == 1.5f && s->is.low == 1 && s->is.high == 3);
    const plan_arg *a = r.p->launches->args;
    CHECK(a->buffer == b && !a->sampler);
    CHECK(!a->next->buffer && a->next->sampler == s);
    CHECK(a->next->next->buffer == b && a->next->next->sampler == s);
    a = r.p->launches->binds;
    CHECK_STR(a->text, "t");
    CHECK(a->buffer == b && !a->sampler);
    CHECK_STR(a->next->next->text, "v");
    CHECK(!a->next->next->buffer && a->next->next->sampler == s);
    stop(&r);
}

TEST(packed_texels_are_one_element)
{
    rig r;

    CHECK_EQ(take(&r, "images: {i: {size: [4, 3], order: rgb, type: unorm565},"
                      " j: {kind: cube, size: [2, 2], order: r, type: f32}}\n"
                      "launches: [{kernel: k}]\n"),
             ST_OK);
    CHECK_EQ(plan_find_buffer(r.p, "i")->count, 12);
    CHECK_EQ(plan_find_buffer(r.p, "i")->type, TYPE_U16);
    CHECK_EQ(plan_find_buffer(r.p, "j")->count, 24);
    stop(&r);
}

/* Each is wrong in one place, in the line and column given. */
TEST(errors_name_key_and_place)
{
    static const struct {
        const char *text;
        unsigned line, column;
        const char *why;
    } rows[] = {
        {"images:\n  i: {size: [4], type: unorm9}\n", 2, 24,
         "did you mean 'unorm8'"},
        {"images:\n  i: {size: [4], type: u8, kind: 2e}\n", 2, 34,
         "did you mean '2d'"},
        {"images:\n  i: {type: u8}\n", 2, 3, "needs a type and a size"},
        {"images:\n  i: {size: [4, x], type: u8}\n", 2, 17, "whole number"},
        {"images:\n  i: {size: [1, 2, 3, 4], type: u8}\n", 2, 23,
         "at most three"},
        {"images:\n  i: {size: 4, type: f32, order: rgb}\n", 2, 3,
         "no such format"},
        {"images:\n  i: {size: 4, type: f32, colour: 1}\n", 2, 27,
         "unknown key 'colour'"},
        {"images:\n  i: {size: 4, type: u8, max: 3}\n", 2, 3,
         "zero and iota have no options"},
        {"samplers:\n  s: {filter: cubic}\n", 2, 15, "'cubic'"},
        {"samplers:\n  s: {adress: edge}\n", 2, 7, "did you mean 'address'"},
        {"samplers:\n  s: {border: [a]}\n", 2, 16, "no number"},
        {"images:\n  i: {size: 4, type: u8}\nbuffers:\n"
         "  i: {type: u8, count: 4}\n",
         4, 3, "an image is called 'i'"},
    };

    for (unsigned i = 0; i < COUNTOF(rows); i++) {
        rig r;
        char text[256];

        snprintf(text, sizeof text, "%slaunches: [{kernel: k}]\n",
                 rows[i].text);
        CHECK_EQ(take(&r, text), ST_CONFIG);
        const diag_item *it = diag_get(r.dg, 0);
        if (it->line != rows[i].line || it->column != rows[i].column ||
            !strstr(it->text, rows[i].why))
            TEST_FAIL("row %u: %u:%u: %s", i, it->line, it->column, it->text);
        stop(&r);
    }
}

TEST(uses_of_what_is_not_there)
{
    static const char *const uses[] = {
        "args: [{texture: [i, x]}]", "args: [{texture: [i, i]}]",
        "args: [{texture: [s, s]}]", "bind: {t: b}", "args: [x]"};

    for (unsigned i = 0; i < COUNTOF(uses); i++) {
        rig r;
        char text[256];

        snprintf(text, sizeof text,
                 "images: {i: {size: 4, type: u8}}\nsamplers: {s: {}}\n"
                 "buffers: {b: {type: u8, count: 4}}\n"
                 "launches: [{kernel: k, %s}]\n",
                 uses[i]);
        CHECK_EQ(take(&r, text), ST_CONFIG);
        CHECK_EQ(diag_get(r.dg, 0)->line, 4);
        stop(&r);
    }
}

/* To the device and back; the handle of an argument. */
TEST(images_are_made_and_read)
{
    rig r;
    config_sheet *sheet = config_sheet_new();
    rt_options opt = {.threads = 1, .functional = true};
    uint8_t texels[96];

    CHECK_EQ(take(&r, "images: {i: {kind: 2d_array, size: [4, 3], type: u8,\n"
                      "  layers: 2, init: iota}}\nsamplers: {s: {}}\n" LAUNCH),
             ST_OK);
    CHECK_EQ(config_sheet_load(sheet, "v100", r.dg), ST_OK);
    CHECK_EQ(
        config_sheet_set(sheet, "gpu.global_bytes=1M", CONFIG_FROM_SET, r.dg),
        ST_OK);
    rt_device *d = rt_device_new(config_sheet_values(sheet), &opt, r.dg);
    CHECK_EQ(plan_allocate(r.p, d, r.dg), ST_OK);
    const plan_buffer *b = plan_find_buffer(r.p, "i");
    tex_image im;
    CHECK(rt_image_get(rt_device_memory(d), (uint32_t)b->addr, &im));
    CHECK(im.tiled && im.layers == 2);
    plan_image_read(b, d, texels);
    for (unsigned i = 0; i < sizeof texels; i++)
        CHECK_EQ(texels[i], i);
    const plan_arg *a = r.p->launches->args;
    CHECK_EQ(plan_handle(a), b->addr);
    CHECK_EQ(plan_handle(a->next), (uint64_t)TEX_LITERALS << 20);
    CHECK_EQ(plan_handle(a->next->next),
             b->addr | (uint64_t)TEX_LITERALS << 20);
    rt_device_free(d);
    config_sheet_free(sheet);
    stop(&r);
}
