/* tests/timing/test_texture.c - the way of texture fetches and read-only
 * loads: latencies are the sums of their parts and, for the K20, what was
 * measured; fetches of neighbouring texels share transactions. */
#include "base/must.h"
#include "rig.h"
#include "runtime/image.h"

static const char *const quiet[] = {RIG_CORE, "dram.refresh=false", NULL};

/* A buffer of words as an image, each the number of the word `stride` bytes
 * further on, round it. */
static uint32_t ring(rig *r, uint32_t bytes, uint32_t stride)
{
    rt_image_desc desc = {.name = "ring",
                          .kind = TEX_BUFFER,
                          .order = TEX_R,
                          .type = TEX_U32,
                          .size = {bytes / 4}};
    uint32_t origin[3] = {0, 0, 0}, region[3] = {bytes / 4, 1, 1};
    uint32_t *data = calloc(1, bytes), n;

    CHECK(data);
    for (uint32_t i = 0; i < bytes; i += 4)
        data[i / 4] = (i + stride) % bytes / 4;
    n = rt_image_new(rt_device_memory(r->d), &desc, r->dg);
    CHECK(n);
    CHECK(rt_image_write(rt_device_memory(r->d), n, 0, origin, region, data, 0,
                         0));
    free(data);
    return n;
}

#define CHASE "TEX.1D.S32 R2, c[0x0][p], R2, 0x1;"

static double chase(rig *r, const char *head, const char *load, uint64_t p,
                    unsigned warm, unsigned loads)
{
    char *all = rig_text(head, load, warm + loads);

    rig_run(r, all, 1, 1, p, 0);
    free(all);
    return (double)rig_slope(r, head, load, warm, loads, 1, 1, p) / loads;
}

static void expect(const char *name, const char *what, double got, double want)
{
    printf("%-7s %-9s %6.1f cycles, %6.1f expected\n", name, what, got, want);
    if (got != want)
        TEST_FAIL("%s: %s takes %.1f cycles, not %.1f", name, what, got, want);
}

/* From the queue to the cache and back, and the filter. */
TEST(a_hit_takes_the_sum_of_its_parts)
{
    for (unsigned i = 0; i < RIG_GPUS; i++) {
        rig *r = rig_new(rig_gpus[i], quiet);
        const config *c = r->cfg;
        double parts = c->sm.lsu.latency + c->sm.lsu.write_back +
                       c->sm.op.tex.latency +
                       (c->rocache.sets ? c->rocache.latency : c->l1.latency);
        uint64_t p = ring(r, 1024, 128);

        expect(rig_gpus[i], "texture", chase(r, "", CHASE, p, 32, 64), parts);
        if (i == 1)
            expect("k20", "measured", parts, 112); /* [ARAFA19:K40] */
        rig_free(r);
    }
}

/* On the K20 loads that are marked read-only go the same way. */
TEST(read_only_loads_go_through_the_texture_cache_of_the_k20)
{
    rig *r = rig_new("k20", quiet);
    uint64_t a = rt_alloc(rt_device_memory(r->d), 1024, "ring"), data[128];
    const char *head = "MOV R2, c[0x0][p];\nMOV R3, c[0x0][p+4];\n";

    for (unsigned i = 0; i < 128; i++)
        data[i] = a + (i * 8 + 128) % 1024;
    CHECK(rt_write(rt_device_memory(r->d), a, data, sizeof data));
    expect("k20", "nc",
           chase(r, head, "LDG.E.64.CONSTANT R2, [R2.64];", a, 32, 64), 112);
    CHECK_EQ(rig_count(r, "sm[*].ro.global_reads"), 96);
    CHECK_EQ(rig_count(r, "sm[*].ro.global_read_hits"), 88);
    rig_free(r);
}

/* A warp that reads an image of 16 x 16 words row by row: 16 lanes a row. */
TEST(texels_share_transactions)
{
    static const struct {
        const char *row;
        unsigned lines;
    } rows[] = {
        /* lines hold 8 texels of 4 rows: 16 x 2 texels lie in two */
        {"S2R R0, SR_TID.X;\nLOP3.LUT R2, R0, 15, RZ, 0xc0;\nSHR.U32 R3, R0, "
         "4;\nTEX.2D.S32 R4, c[0x0][p], R2, 0x1;",
         2},
        /* 2 x 16 texels in four */
        {"S2R R0, SR_TID.X;\nLOP3.LUT R3, R0, 15, RZ, 0xc0;\nSHR.U32 R2, R0, "
         "4;\nTEX.2D.S32 R4, c[0x0][p], R2, 0x1;",
         4},
    };

    for (unsigned i = 0; i < COUNTOF(rows); i++) {
        rig *r = rig_new("v100", quiet);
        rt_image_desc desc = {
            .kind = TEX_2D, .order = TEX_R, .type = TEX_U32, .size = {16, 16}};
        uint32_t n = rt_image_new(rt_device_memory(r->d), &desc, r->dg);

        rig_run(r, rows[i].row, 1, 32, n, 0);
        CHECK_EQ(rig_count(r, "sm[*].tx_loads"), rows[i].lines);
        rig_free(r);
    }
}

/* Independent fetches of one line are as fast as the unit takes them. */
TEST(the_unit_takes_a_fetch_every_interval)
{
    for (unsigned i = 0; i < RIG_GPUS; i++) {
        rig *r = rig_new(rig_gpus[i], quiet);
        uint64_t p = ring(r, 128, 4);
        const char *load = "TEX.1D.S32 R%u, c[0x0][p], RZ, 0x1;";
        double got = (double)rig_slope(r, "", load, 64, 512, 4, 256, p) /
                     (512.0 * 4 * 8);

        printf("%-7s %.2f cycles for each fetch\n", rig_gpus[i], got);
        CHECK(got >= r->cfg->sm.op.tex.interval * 0.98);
        CHECK(got <= r->cfg->sm.op.tex.interval * 1.05);
        rig_free(r);
    }
}
