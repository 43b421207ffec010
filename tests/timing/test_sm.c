/* tests/timing/test_sm.c - CTAs on an SM: how many fit, barriers between
 * their warps, and where every issue slot went. */
#include "base/must.h"
#include "rig.h"

static const char *const core[] = {RIG_CORE, NULL};
static const char *const fair[] = {RIG_CORE, "sm.issue.scheduler=lrr", NULL};

/* ---- Occupancy ---- */

typedef struct need {
    unsigned threads, registers, shared;
    unsigned ctas;       /* that fit, worked out by hand below */
    const char *limiter; /* part of its name */
} need;

/* Resident warps of active cycles stay close to what fits while four times as
 * many CTAs pass through, all at the same pace. */
static void fits(const char *name, const need *n)
{
    rig *r = rig_new(name, fair);
    unsigned warps = (n->threads + 31) / 32;
    strbuf head = {0};

    strbuf_printf(&head, ".registers %u\n.shared %u\n", n->registers,
                  n->shared);
    char *text = rig_text(head.text, "FADD R4, R4, R5; /* %u */", 200);
    rig_run(r, text, 4 * n->ctas, n->threads, 0, 0);
    free(text);
    strbuf_fini(&head);
    double mean = (double)rig_count(r, "sm[*].warp_cycles") /
                  (double)rig_count(r, "sm[*].active_cycles");
    if (r->last.ctas_per_sm != n->ctas || !strstr(r->last.limiter, n->limiter))
        TEST_FAIL("%s, %u threads of %u registers, %u bytes: %u CTAs limited "
                  "by %s, not %u by %s",
                  name, n->threads, n->registers, n->shared,
                  r->last.ctas_per_sm, r->last.limiter, n->ctas, n->limiter);
    if (mean > n->ctas * warps || mean < 0.85 * n->ctas * warps)
        TEST_FAIL("%s: %.1f warps resident, %u CTAs of %u warps fit", name,
                  mean, n->ctas, warps);
    rig_free(r);
}

/* 65,536 registers by 256 for each of 4n warps; 96 KB by 256 bytes; 64 warps,
 * 32 CTAs. */
TEST(ctas_fit_a_v100_as_worked_out)
{
    static const need rows[] = {
        /* 33 * 32 = 1056 -> 1280; 8 of them 10,240; 6.4 fit */
        {256, 33, 0, 6, "register"},
        /* 1280 for 8 warps instead of 5 */
        {160, 33, 0, 6, "register"},
        {256, 255, 0, 1, "register"}, /* 8160 -> 8192; 8 of them are all */
        /* 20,000 -> 20,224; 4.86 fit */
        {64, 16, 20000, 4, "shared"},
        {1024, 16, 0, 2, "warp"},
        {96, 16, 0, 21, "warp"}, /* 64 / 3 */
        {32, 16, 0, 32, "CTA"},
        {1, 16, 0, 32, "CTA"},
    };

    for (size_t i = 0; i < COUNTOF(rows); i++)
        fits("v100", &rows[i]);
}

/* The same but for 48 KB and 16 CTAs. */
TEST(ctas_fit_a_k20_as_worked_out)
{
    static const need rows[] = {
        {256, 33, 0, 6, "register"},
        {64, 16, 20000, 2, "shared"}, /* 49,152 / 20,224 */
        {512, 16, 0, 4, "warp"},
        {32, 16, 0, 16, "CTA"},
    };

    for (size_t i = 0; i < COUNTOF(rows); i++)
        fits("k20", &rows[i]);
}

/* 32,768 registers by 64 for each of 2n warps; 48 KB by 128 bytes; 48 warps, 8
 * CTAs. */
TEST(ctas_fit_a_gtx480_as_worked_out)
{
    static const need rows[] = {
        /* 33 * 32 = 1056 -> 1088; 8 of them 8704; 3.76 fit */
        {256, 33, 0, 3, "register"},
        {64, 16, 20000, 2, "shared"}, /* 49,152 / 20,096 */
        {512, 16, 0, 3, "warp"},
        {32, 16, 0, 8, "CTA"},
    };

    for (size_t i = 0; i < COUNTOF(rows); i++)
        fits("gtx480", &rows[i]);
}

/* ---- Barriers ---- */

static unsigned barrier_of(const rig *r, config_op *op)
{
    CHECK(config_op_find(r->cfg, "barrier", op));
    return op->latency;
}

/* Warps arrive one after another, as fast as their scheduler and unit let
 * them; the last starts the barrier's latency. */
TEST(a_barrier_takes_its_latency_from_the_last_arrival)
{
    for (unsigned i = 0; i < RIG_GPUS; i++)
        for (unsigned w = 1; w <= 4; w++) {
            rig *r = rig_new(rig_gpus[i], core);
            config_op op;
            unsigned latency = barrier_of(r, &op);
            unsigned warps = w * r->cfg->sm.issue.schedulers;

            CHECK_EQ(rig_slope(r, "", "BAR.SYNC 0; /* %u */", 10, 40, 1,
                               32 * warps, 0),
                     40 * (latency + (w - 1) * op.interval));
            rig_free(r);
        }
}

/* Warp 0 works; the others wait at the barrier and add nothing. */
TEST(early_warps_wait_for_the_late_one)
{
    for (unsigned i = 0; i < RIG_GPUS; i++) {
        static const char *const head =
            "S2R R0, SR_TID.X;\nISETP.LT.AND P0, PT, R0, 32, PT;\n"
            "@!P0 BRA wait;\n";
        rig *r = rig_new(rig_gpus[i], core);
        uint64_t took[2];

        for (unsigned k = 0; k < 2; k++) {
            char *text =
                rig_text(head, "MUFU.RCP R4, R4; /* %u */", 50 + 100 * k);
            strbuf b = {0};

            strbuf_printf(&b, "%s\nwait:\nBAR.SYNC 0;", text);
            took[k] = rig_run(r, b.text, 1, 256, 0, 0);
            strbuf_fini(&b);
            free(text);
        }
        CHECK_EQ(took[1] - took[0], 100 * r->cfg->sm.op.sfu.latency);
        CHECK_EQ(rig_count(r, "sm[*].barriers"), 8);
        rig_free(r);
    }
}

/* ---- Accounting ---- */

/* Diverges, with shared and global memory, an atomic, a fence, a barrier. */
#define MIXED                                                                  \
    "S2R R0, SR_TID.X;\nSHL R1, R0, 2;\nSTS [R1], R0;\nBAR.SYNC 0;\n"          \
    "LDS R4, [R1];\nMOV R2, c[0x0][p];\nMOV R3, c[0x0][p+4];\n"                \
    "IMAD.WIDE R2, R0, 4, R2;\nLOP3.LUT R5, R0, 0x1, RZ, 0xc0;\n"              \
    "ISETP.NE.AND P0, PT, R5, RZ, PT;\n@P0 BRA odd;\n"                         \
    "LDG.E R6, [R2.64];\nFADD R6, R6, R4;\nSTG.E [R2.64], R6;\nEXIT;\n"        \
    "odd:\nMUFU.SIN R6, R4;\nRED.E.ADD [R2.64], R6;\nMEMBAR.GPU;"

#define WAITING                                                                \
    "MOV R2, c[0x0][p];\nMOV R3, c[0x0][p+4];\nLDG.E R4, [R2.64];\n"           \
    "IADD3 R5, R4, R4, RZ;\nLDG.E R4, [R2.64+4096];\nIADD3 R5, R4, R4, RZ;"

static const char *const kernels[] = {"FADD R4, R4, R5;", MIXED, WAITING};

typedef struct sums {
    const rig *r;
    uint64_t stalls;
} sums;

static void add_stall(void *arg, size_t i)
{
    sums *s = arg;

    s->stalls += s->r->last.counters[i];
}

/* Every slot of every cycle is an issue or one named stall, in every SM, and
 * the cycles are those of the launch. */
TEST(issue_slots_add_up)
{
    for (unsigned i = 0; i < RIG_GPUS; i++) {
        static const char *const few[] = {"gpu.sms=3", NULL};
        rig *r = rig_new(rig_gpus[i], few);
        uint64_t a = rt_alloc(rt_device_memory(r->d), 1 << 16, "a");

        for (size_t k = 0; k < COUNTOF(kernels); k++) {
            char text[1024];

            snprintf(text, sizeof text, ".shared 1024\n%s", kernels[k]);
            uint64_t cycles = rig_run(r, text, 7, 200, a, 0);
            for (unsigned s = 0; s < 3; s++) {
                char name[64];
                sums sum = {r, 0};

                snprintf(name, sizeof name, "sm[%u].cycles", s);
                CHECK_EQ(rig_count(r, name), cycles);
                snprintf(name, sizeof name, "sm[%u].stall_*", s);
                stats_each(rt_stats(r->d), name, add_stall, &sum);
                snprintf(name, sizeof name, "sm[%u].slots", s);
                uint64_t slots = rig_count(r, name);
                CHECK_EQ(slots, cycles * r->cfg->sm.issue.schedulers);
                snprintf(name, sizeof name, "sm[%u].issued", s);
                CHECK_EQ(rig_count(r, name) + sum.stalls, slots);
            }
            CHECK_EQ(rig_count(r, "sm[*].ctas_done"), 7);
            CHECK_EQ(rig_count(r, "sm[*].warps_done"), 7 * 7);
        }
        rig_free(r);
    }
}

/* ---- An SM between CTAs ---- */

/* CTAs whose end is before that of a line of instructions ask for the next
 * one, which comes when the SM has no CTA. The last one needs it. */
TEST(instructions_that_come_when_all_ctas_have_gone)
{
    static const char *const one[] = {"gpu.sms=1", "sm.ctas=1",
                                      "gpu.dispatch_interval=1000", NULL};

    for (unsigned pad = 0; pad < 64; pad++) {
        rig *r = rig_new("v100", one);
        char *head = rig_text("S2R R0, SR_CTAID.X;\n"
                              "ISETP.NE.AND P0, PT, R0, 7, PT;\n",
                              "FADD R6, R6, R5; /* %u */", pad);
        strbuf text = {0};

        strbuf_printf(&text, "%s@P0 EXIT;\n", head);
        free(head);
        head = rig_text(text.text, "FADD R4, R4, R5; /* %u */", 100);
        rig_run(r, head, 8, 32, 0, 0);
        CHECK(rig_count(r, "sm[*].warp_insts") > 100);
        free(head);
        strbuf_fini(&text);
        rig_free(r);
    }
}
