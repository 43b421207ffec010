/* tests/unit/config/test_preset.c - the machines against figures of theirs
 * that are known independently of how the files write them. */
#include "config/preset.h"

#include "base/file.h"
#include "base/must.h"
#include "config/sheet.h"
#include "test.h"

static config_sheet *sheet(const char *name)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();

    CHECK_EQ(config_sheet_load(s, name, dg), ST_OK);
    diag_free(dg);
    return s;
}

static config load(const char *name)
{
    config_sheet *s = sheet(name);
    config cfg = *config_sheet_values(s);

    config_sheet_free(s);
    return cfg;
}

/* Megabytes per second at the pins. */
static uint64_t dram_mbs(const config *c)
{
    return (uint64_t)c->dram.channels * c->dram.bus_bytes * c->dram.data_rate *
           c->dram.clock_khz / 1000;
}

static uint64_t l2_mbs(const config *c)
{
    return (uint64_t)c->l2.slices * c->l2.data_bytes * c->l2.clock_khz / 1000;
}

/* Gflop/s of multiply-adds of a class that single issue can start. */
static uint64_t rate(const config *c, const char *class)
{
    config_op op;
    config_unit u;
    unsigned units, per_cycle;

    CHECK(config_op_find(c, class, &op));
    u = config_unit_get(c, op.unit);
    units = u.private * c->sm.issue.schedulers + u.shared;
    per_cycle = units * 64 / op.interval;
    return (uint64_t)c->gpu.sms * per_cycle * c->gpu.clock_khz / 1000000;
}

/* Multiply-adds of halves in a cycle of an SM: HMMA.16816 has eight steps of
 * 256 (isa_tensor_steps). */
static unsigned tensor_fma(const config *c)
{
    config_op op;

    CHECK(config_op_find(c, "tensor", &op));
    return config_unit_get(c, op.unit).private * c->sm.issue.schedulers * 256 /
           op.interval;
}

TEST(gtx480_is_a_gtx480)
{
    config c = load("gtx480");

    CHECK_EQ(config_l1_bytes(&c), 16 << 10);
    CHECK_EQ(config_l2_bytes(&c), 768 << 10);
    CHECK_EQ(dram_mbs(&c), 177408);   /* 384 bits at 3.696 Gbit/s */
    CHECK_EQ(rate(&c, "fp32"), 1344); /* 480 cores at 1401 MHz, 2 flop */
}

TEST(k20_is_a_k20)
{
    config c = load("k20");

    CHECK_EQ(config_l2_bytes(&c), 1280 << 10);
    CHECK_EQ(dram_mbs(&c), 208000);   /* 320 bits at 5.2 Gbit/s */
    CHECK_EQ(rate(&c, "fp32"), 3524); /* 3520 in [PPOPP:platform] */
}

TEST(v100_is_a_v100)
{
    config c = load("v100");

    CHECK_EQ(config_l1_bytes(&c), (128 << 10) / 384 * 384);
    CHECK_EQ(config_l2_bytes(&c), 6 << 20);
    CHECK_EQ(dram_mbs(&c), 898048);
    CHECK_EQ(rate(&c, "fp32"), 14131); /* 5120 lanes at 1380 MHz, 2 flop */
    CHECK_EQ(l2_mbs(&c), 2543616);     /* 2.4 TB/s in [GPUB:cache] */
}

/* Figures of white papers and data sheets, which the files do not have. */
TEST(a100_is_an_a100)
{
    config c = load("a100");

    CHECK_EQ(c.gpu.capability, 80);
    CHECK_EQ(config_l1_bytes(&c), 192 << 10);
    CHECK_EQ(config_l2_bytes(&c), 40 << 20);
    CHECK_EQ(dram_mbs(&c), 2039040);       /* 2039 GB/s */
    CHECK_EQ(rate(&c, "fp32"), 19491);     /* 19.5 Tflop/s */
    CHECK_EQ(rate(&c, "fp64"), 9745);      /* 9.7 */
    CHECK_EQ(2 * rate(&c, "half"), 77966); /* 78 Tflop/s, pairs */
    CHECK_EQ(tensor_fma(&c), 1024);        /* 312 Tflop/s of halves */
}

TEST(h100_is_an_h100)
{
    config c = load("h100");

    CHECK_EQ(c.gpu.capability, 90);
    CHECK_EQ(config_l1_bytes(&c), 256 << 10);
    CHECK_EQ(config_l2_bytes(&c), 50 << 20);
    CHECK_EQ(dram_mbs(&c), 3352320);        /* 3.35 TB/s */
    CHECK_EQ(rate(&c, "fp32"), 66908);      /* 67 Tflop/s */
    CHECK_EQ(rate(&c, "fp64"), 33454);      /* 34 */
    CHECK_EQ(2 * rate(&c, "half"), 133816); /* 134, pairs */
}

TEST(h200_has_more_memory_than_an_h100)
{
    config c = load("h200"), h = load("h100");

    CHECK_EQ(c.gpu.global_bytes, (uint64_t)141 << 30);
    CHECK_EQ(dram_mbs(&c), 4800000); /* 4.8 TB/s */
    CHECK_EQ(config_l2_bytes(&c), 60 << 20);
    CHECK_EQ(rate(&c, "fp32"), rate(&h, "fp32"));
}

/* 1 KB of each of up to 32 CTAs is the system's [CG:features]. */
TEST(ctas_of_an_a100_need_shared_memory_for_the_system)
{
    config c = load("a100");
    config_carve kept = config_l1_carve(&c, 32 << 10);

    CHECK_EQ(kept.sets * kept.ways * c.l1.line, 160 << 10);
    CHECK_EQ(kept.shared, 32 << 10);
    kept = config_l1_carve(&c, c.sm.shared_bytes);
    CHECK_EQ(kept.shared, 164 << 10);
    CHECK_EQ(c.sm.shared_per_cta + c.sm.shared_reserved, c.sm.shared_bytes);
}

/* Sets of 384 bytes that 128 KB leave beside shared memory in units of 8 KB. */
TEST(v100_divides_the_l1_by_sets)
{
    static const struct {
        unsigned used, shared, sets;
    } row[] = {{0, 8, 320},   {1, 8, 320},   {8, 8, 320}, {9, 16, 299},
               {32, 32, 256}, {64, 64, 171}, {96, 96, 85}};
    config c = load("v100");

    for (size_t i = 0; i < COUNTOF(row); i++) {
        config_carve kept = config_l1_carve(&c, (uint64_t)row[i].used << 10);

        CHECK_EQ(kept.ways, 3);
        CHECK_EQ(kept.sets, row[i].sets);
        CHECK_EQ(kept.shared, (uint64_t)row[i].shared << 10);
    }
    static const struct {
        const char *gpu;
        unsigned used, shared, left; /* KB */
    } listed[] = {{"a100", 0, 8, 184},    {"a100", 9, 16, 176},
                  {"a100", 65, 100, 92},  {"a100", 101, 132, 60},
                  {"a100", 164, 164, 28}, {"h100", 33, 64, 192},
                  {"h100", 133, 164, 92}, {"h100", 197, 228, 28}};
    for (size_t i = 0; i < COUNTOF(listed); i++) {
        c = load(listed[i].gpu);
        config_carve kept = config_l1_carve(&c, (uint64_t)listed[i].used << 10);

        CHECK_EQ(kept.shared, (uint64_t)listed[i].shared << 10);
        CHECK_EQ((uint64_t)kept.sets * kept.ways * c.l1.line,
                 (uint64_t)listed[i].left << 10);
    }
    c = load("gtx480");
    CHECK_EQ(config_l1_carve(&c, 0).sets, c.l1.sets);
    CHECK_EQ(config_l1_carve(&c, 0).shared, 48 << 10);
    c.l1.carveout = CFG_CARVEOUT_WAYS; /* of 4 KB */
    CHECK_EQ(config_l1_carve(&c, 5000).ways, c.l1.ways - 2);
    CHECK_EQ(config_l1_carve(&c, 5000).shared, 8 << 10);
}

TEST(all_are_listed_sorted_with_a_summary)
{
    strbuf b = {0};

    CHECK_EQ(config_preset_count(), 7);
    CHECK_STR(config_preset_get(0)->name, "a100");
    CHECK_STR(config_preset_get(6)->name, "v100");
    CHECK(config_preset_find("k20") == config_preset_get(4));
    CHECK(config_preset_find("k20-single") == config_preset_get(5));
    CHECK(config_preset_find("K20") == NULL);
    config_preset_summary(config_preset_find("v100"), &b);
    CHECK_STR(b.text,
              "Tesla V100 (Volta GV100): 80 SMs, 1380 MHz, 6 MB L2, HBM2 at "
              "898 GB/s");
    strbuf_fini(&b);
}

TEST(the_embedded_text_is_the_file)
{
    const char *source = getenv("HEDDLE_SOURCE");

    if (!source)
        TEST_SKIP("HEDDLE_SOURCE is not set");
    for (size_t i = 0; i < config_preset_count(); i++) {
        const config_preset *p = config_preset_get(i);
        diag *dg = diag_new();
        char path[512], *text = NULL;
        size_t size;

        snprintf(path, sizeof path, "%s/%s", source, p->file);
        CHECK_EQ(file_read(path, dg, &text, &size), ST_OK);
        CHECK_EQ(size, p->size);
        CHECK(!memcmp(text, p->text, size));
        free(text);
        diag_free(dg);
    }
}

TEST(every_value_of_a_preset_has_a_source)
{
    for (size_t i = 0; i < config_preset_count(); i++) {
        config_sheet *s = sheet(config_preset_get(i)->name);

        for (size_t k = 0; k < config_param_count(); k++) {
            const config_param *p = config_param_get(k);
            config_origin o = config_sheet_origin(s, p);

            if (o.kind == CONFIG_FROM_DEFAULT || !strcmp(p->path, "gpu.name"))
                continue;
            if (o.note[0] != '[' || !strchr(o.note, ']'))
                TEST_FAIL("%s:%u: %s has no source", o.file, o.line, p->path);
        }
        config_sheet_free(s);
    }
}

/* What is not hardware but a choice of the simulation, or a mechanism whose
 * conventional form is the default. */
static const char *const left_out[] = {
    "gpu.dispatch",
    "gpu.dispatch_interval",
    "gpu.launch_latency",
    "l2.persisting",
    "gpu.hang_cycles",
    "gpu.window",
    "gpu.seed",
    "sm.fetch.front_end",
    "sm.fetch.perfect",
    "sm.issue.hazard",
    "sm.issue.oracle",
    "sm.issue.release",
    "sm.rf.read_window",
    "sm.rf.write_width",
    "sm.constant.perfect",
    "sm.constant.hold",
    "l1.queue",
    "l1.cause_order",
    "l1.ordered",
    "l1.values",
    "l1.bypass",
    "sm.fetch.choice",
    "sm.fetch.wrong_path",
    "sm.rf.entries",
    "sm.rf.second_entries",
    "sm.rf.operand_cache",
    "sm.rf.reuse",
    "sm.rf.cache",
    "energy.scale",
    "energy.memory_scale",
    "sm.tensor.numerics",
    "sm.tensor.warp_rate",
    "sm.tensor.double_rate",
    "sm.tensor.group_rate",
    "sm.tensor.group_latency",
    "sm.tensor.group_bytes",
    "l1.carveouts",
    "l2.partitions",
    "l2.coalescer",
};

TEST(presets_set_all_of_the_hardware)
{
    for (size_t i = 0; i < config_preset_count(); i++) {
        config_sheet *s = sheet(config_preset_get(i)->name);

        for (size_t k = 0; k < config_param_count(); k++) {
            const config_param *p = config_param_get(k);
            bool out = false;

            for (size_t n = 0; n < COUNTOF(left_out); n++)
                out |= !strcmp(p->path, left_out[n]);
            /* a structure that another one stands for */
            out |= !strncmp(p->path, "sm.table.", 9);
            out |= !strncmp(p->path, "sm.dual.", 8);
            out |= !strncmp(p->path, "l1.reod.", 8);
            out |= !strncmp(p->path, "l1.mrpb.", 8);
            out |= !strncmp(p->path, "l1.mascar.", 10);
            out |= !strncmp(p->path, "l1.locality.", 12);
            out |= !strncmp(p->path, "gpu.load_weight.", 16);
            out |= !strncmp(p->path, "gpu.cluster.", 12);
            out |= !strncmp(p->path, "energy.gate.", 12);
            out |= !strncmp(p->id, "perfect", 7); /* no hardware */
            out |= !strcmp(p->path, "sm.fetch.sleep");
            out |= !strcmp(p->path, "sm.fetch.wake");
            out |= !strncmp(p->path, "gpu.cta.", 8);
            out |= !strncmp(p->path, "gpu.cga.", 8);
            out |= !strcmp(p->path, "sm.mbarrier_wait");
            out |= !strncmp(p->path, "gpu.gpc.", 8);
            out |= !strncmp(p->path, "sm.tma.", 7);
            /* what a cache is like that there is not */
            out |= !config_sheet_values(s)->rocache.sets &&
                   !strncmp(p->path, "rocache.", 8);
            out |= config_sheet_values(s)->l2.partitions == 1 &&
                   !strncmp(p->path, "l2.link.", 8);
            out |= config_sheet_values(s)->gpu.arch < CFG_ARCH_AMPERE &&
                   (strstr(p->path, "uniform") || strstr(p->path, "umove"));
            if (!out && config_sheet_origin(s, p).kind == CONFIG_FROM_DEFAULT)
                TEST_FAIL("%s does not set %s", config_preset_get(i)->file,
                          p->path);
        }
        config_sheet_free(s);
    }
}
