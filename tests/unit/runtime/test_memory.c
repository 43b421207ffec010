/* Memory that is used from outside while launches run. */
#include <pthread.h>
#include <stdatomic.h>

#include "config/sheet.h"
#include "runtime/image.h"
#include "runtime/runtime.h"
#include "test.h"

/* Adds 1 to out[i] so often that somebody else gets something done. */
static const char kernel[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry count(.param .u64 out) {\n"
    ".reg .pred p;\n.reg .b32 r<9>;\n.reg .b64 a<3>;\n"
    "mov.u32 r1, %tid.x;\nld.param.u64 a1, [out];\n"
    "mad.wide.u32 a2, r1, 4, a1;\nmov.u32 r2, 0;\nL:\n"
    "ld.global.u32 r3, [a2];\nadd.u32 r3, r3, 1;\nst.global.u32 [a2], r3;\n"
    "add.u32 r2, r2, 1;\nsetp.lt.u32 p, r2, 300;\n@p bra L;\nret;\n}\n";

typedef struct rig {
    diag *dg;
    config_sheet *sheet;
    rt_memory *m;
    rt_device *d;
    rt_module *mod;
} rig;

static void start(rig *r)
{
    rt_options opt = {.threads = 1};

    r->dg = diag_new();
    r->sheet = config_sheet_new();
    CHECK_EQ(config_sheet_load(r->sheet, "v100", r->dg), ST_OK);
    CHECK_EQ(config_sheet_set(r->sheet, "gpu.sms=2", CONFIG_FROM_SET, r->dg),
             ST_OK);
    r->m = rt_memory_new(64 << 20, r->dg);
    CHECK(r->m);
    r->d = rt_device_new_on(config_sheet_values(r->sheet), &opt, r->m, r->dg);
    CHECK(r->d);
    CHECK_EQ(rt_module_load_text(r->d, "k.ptx", kernel, strlen(kernel), r->dg,
                                 &r->mod),
             ST_OK);
}

static void stop(rig *r)
{
    rt_device_free(r->d);
    rt_memory_free(r->m);
    config_sheet_free(r->sheet);
    diag_free(r->dg);
}

typedef struct user {
    rig *r;
    atomic_bool enough;
    unsigned turns;
    bool good;
} user;

/* What a program does with buffers and programs of which no launch knows. */
static void *use(void *arg)
{
    user *u = arg;
    rt_memory *m = u->r->m;
    diag *dg = diag_new();
    rt_image_desc desc = {
        .kind = TEX_2D, .order = TEX_R, .type = TEX_U32, .size = {8, 8}};
    tex_sampler sampler = {0};

    u->good = true;
    do {
        uint64_t a = rt_alloc(m, 100, "a"), word = u->turns, back = 0;
        uint32_t image = rt_image_new(m, &desc, dg);
        uint32_t s = rt_sampling_new(m, &sampler);
        rt_module *mod;

        u->good &= a && image && s && rt_write(m, a, &word, 8);
        if (u->turns % 8 == 0) {
            u->good &= rt_module_load_text(u->r->d, "k.ptx", kernel,
                                           strlen(kernel), dg, &mod) == ST_OK;
            rt_module_unload(mod);
        }
        u->good &= rt_read(m, a, &back, 8) && back == word;
        u->good &= rt_image_release(m, image) && rt_sampler_release(m, s);
        u->good &= rt_release(m, a);
        u->turns++;
    } while (!atomic_load(&u->enough));
    diag_free(dg);
    return NULL;
}

enum { LAUNCHES = 8 };

/* The cycles of launches that all add to the words at `out`. */
static void launch_all(rig *r, uint64_t out, uint64_t cycles[LAUNCHES])
{
    for (unsigned i = 0; i < LAUNCHES; i++) {
        rt_result res;
        rt_launch l = {.module = r->mod,
                       .kernel = rt_module_kernel(r->mod, NULL, r->dg),
                       .grid = {1, 1, 1},
                       .block = {64, 1, 1},
                       .functional = i & 1,
                       .params = &out};

        CHECK_EQ(rt_run(r->d, &l, r->dg, &res), ST_OK);
        cycles[i] = res.cycles;
        CHECK_EQ(cycles[i] == 0, i & 1);
    }
}

TEST(others_use_the_memory_while_a_launch_runs)
{
    rig r;
    user u = {.r = &r};
    pthread_t thread;
    uint64_t out, alone[LAUNCHES], cycles[LAUNCHES], used;
    uint32_t got[64];

    start(&r);
    launch_all(&r, rt_alloc(r.m, sizeof got, "out"), alone);
    stop(&r);
    start(&r);
    out = rt_alloc(r.m, sizeof got, "out");
    used = rt_memory_used(r.m);
    CHECK_EQ(pthread_create(&thread, NULL, use, &u), 0);
    launch_all(&r, out, cycles);
    atomic_store(&u.enough, true);
    pthread_join(thread, NULL);
    CHECK(u.good && u.turns > 0);
    CHECK_EQ(rt_memory_used(r.m), used);
    CHECK(rt_read(r.m, out, got, sizeof got));
    for (unsigned i = 0; i < LAUNCHES; i++)
        CHECK_EQ(cycles[i], alone[i]);
    for (unsigned i = 0; i < 64; i++)
        CHECK_EQ(got[i], LAUNCHES * 300);
    stop(&r);
}

TEST(addresses_keep_the_alignment_asked_for)
{
    diag *dg = diag_new();
    rt_memory *m = rt_memory_new(1 << 20, dg);

    for (uint64_t align = 1; align <= 65536; align *= 2) {
        uint64_t a = rt_alloc_aligned(m, 10, align, "a");

        CHECK(a != 0);
        CHECK_EQ(a % align, 0);
        CHECK_EQ(a % 256, 0);
        if (rt_memory_identity(m))
            CHECK_EQ((uintptr_t)rt_host(m, a, 10), a);
    }
    CHECK_EQ(rt_alloc_aligned(m, 10, 1 << 30, "a"), 0);
    CHECK(!rt_host(m, 0, 1));
    rt_memory_free(m);
    diag_free(dg);
}

/* Tiles in memory of the caller's: as many bytes as asked for, and those are
 * its texels, though not in the order of its rows. */
TEST(images_in_tiles_can_lie_in_memory_of_the_caller)
{
    diag *dg = diag_new();
    rt_memory *m = rt_memory_new(1 << 20, dg);
    rt_image_desc desc = {.kind = TEX_2D,
                          .order = TEX_R,
                          .type = TEX_U8,
                          .size = {100, 20},
                          .tiles = true};
    uint64_t bytes = rt_image_bytes(&desc), sum = 0;
    uint32_t origin[3] = {0, 0, 0}, region[3] = {100, 20, 1};
    uint8_t texels[2000], back[2000];

    CHECK_EQ(bytes, 2 * 64 * 3 * 8); /* tiles of 64 bytes by 8 rows */
    desc.addr = rt_alloc(m, bytes, "tiles");
    uint32_t n = rt_image_new(m, &desc, dg);
    CHECK(n);
    for (unsigned i = 0; i < sizeof texels; i++)
        texels[i] = (uint8_t)(i % 251);
    CHECK(rt_image_write(m, n, 0, origin, region, texels, 0, 0));
    CHECK(rt_image_read(m, n, 0, origin, region, back, 0, 0));
    CHECK(!memcmp(texels, back, sizeof back));
    const uint8_t *raw = rt_host(m, desc.addr, bytes);
    for (uint64_t i = 0; i < bytes; i++)
        sum += raw[i];
    for (unsigned i = 0; i < sizeof texels; i++)
        sum -= texels[i];
    CHECK_EQ(sum, 0);
    CHECK(memcmp(texels, raw, 200) != 0);
    CHECK(rt_image_release(m, n));
    CHECK(rt_host(m, desc.addr, bytes)); /* stays the caller's */
    desc.levels = 99;
    CHECK_EQ(rt_image_bytes(&desc), 0);
    rt_memory_free(m);
    diag_free(dg);
}
