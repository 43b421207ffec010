/* tests/timing/test_tensor.c - tensor cores: what wmma.mma 16x16x16 takes when
 * each needs the result of the one before, and how many multiply-adds an SM
 * makes in a cycle, beside what was measured on a V100 [ASF:ubench]. */
#include <math.h>

#include "rig.h"

static const char *const core[] = {RIG_CORE, NULL};

enum { FMA = 16 * 16 * 16 }; /* of one wmma.mma */

/* wmma.mma as the compiler makes it: four sets, of four steps with F32
 * results or two with F16; A in R16.., B in R24.., C and D from `acc` on. */
static char *wmma(const char *type, unsigned acc, unsigned n)
{
    unsigned steps = type[1] == '3' ? 4 : 2;
    strbuf b = {0};

    for (unsigned i = 0; i < n; i++)
        for (unsigned set = 0; set < 4; set++)
            for (unsigned s = 0; s < steps; s++)
                strbuf_printf(&b, "HMMA.884.%s.%s.STEP%u R%u, R%u, R%u, R%u;\n",
                              type, type, s, acc + 2 * s, 16 + 2 * set,
                              24 + 2 * set, acc + 2 * s);
    return b.text;
}

/* Cycles of one wmma.mma when `threads` threads run many. */
static double each(rig *r, const char *type, unsigned threads)
{
    enum { FEW = 10, MORE = 60 };
    char *few = wmma(type, 8, FEW), *more = wmma(type, 8, MORE);
    uint64_t a = rig_run(r, few, 1, threads, 0, 0);
    uint64_t b = rig_run(r, more, 1, threads, 0, 0);

    free(few);
    free(more);
    return (double)(b - a) / (MORE - FEW);
}

static bool near(const char *what, double got, double measured)
{
    double off = 100 * (got / measured - 1);

    printf("%-34s %8.2f, V100 %8.2f (%+.1f %%)\n", what, got, measured, off);
    return fabs(off) <= 5;
}

TEST(a_chain_of_wmma_takes_what_was_measured)
{
    rig *r = rig_new("v100", core);

    CHECK(near("dependent wmma, cycles", each(r, "F32", 32), 35.34));
    rig_free(r);
}

TEST(multiply_adds_a_cycle_are_as_measured)
{
    rig *r = rig_new("v100", core);
    enum { WARPS = 32 };
    double single = WARPS * FMA / each(r, "F32", 32 * WARPS);
    double half = WARPS * FMA / each(r, "F16", 32 * WARPS);

    CHECK(near("multiply-adds a cycle, F32 results", single, 478.7));
    CHECK(near("multiply-adds a cycle, F16 results", half, 509.4));
    rig_free(r);
}

/* Passes of one LDSM.4 whose rows are `stride` bytes apart. */
static uint64_t passes(rig *r, unsigned stride)
{
    char text[256];

    snprintf(text, sizeof text,
             ".shared 8192\nS2R R4, SR_LANEID;\nMOV R5, 0x%x;\n"
             "IMAD R4, R4, R5, RZ;\nLDSM.16.M88.4 R8, [R4];\n",
             stride);
    rig_run(r, text, 1, 32, 0, 0);
    return rig_count(r, "sm[*].shared_passes");
}

/* A matrix is 128 bytes: one pass, if its eight rows are in different banks. */
TEST(rows_of_matrices_meet_in_banks)
{
    rig *r = rig_new("v100", core);

    CHECK_EQ(passes(r, 16), 4);
    CHECK_EQ(passes(r, 144), 4);
    CHECK_EQ(passes(r, 32), 8);
    CHECK_EQ(passes(r, 128), 32);
    rig_free(r);
}

/* Larger products are so many steps: a chain takes their length and the rest
 * of the pipeline, and what reading more registers of a bank takes longer than
 * the window of three cycles. */
TEST(larger_products_take_their_steps)
{
    static const struct {
        const char *line;
        unsigned steps, bank; /* registers in the fuller bank */
    } rows[] = {
        {"HMMA.1688.F32 R4, R16, R20, R4;", 4, 4},
        {"HMMA.16816.F32 R4, R16, R20, R4;", 8, 5},
        {"HMMA.16816.F32.BF16 R4, R16, R20, R4;", 8, 5},
        {"HMMA.1688.F32.TF32 R4, R16, R20, R4;", 8, 5},
        {"IMMA.8816.S8A.S8B R4, R16, R20, R4;", 2, 3},
        {"IMMA.16832.S8A.U8B R4, R16, R20, R4;", 8, 5},
        {"BMMA.88128.XOR R4, R16, R20, R4;", 2, 3},
        {"DMMA.884 R4, R16, R20, R4;", 16, 4},
    };
    rig *r = rig_new("v100", core);
    unsigned interval = r->cfg->sm.op.tensor.interval;
    unsigned latency = r->cfg->sm.op.tensor.latency;

    for (size_t i = 0; i < COUNTOF(rows); i++) {
        uint64_t got = rig_slope(r, "", rows[i].line, 10, 40, 1, 32, 0);
        uint64_t want =
            latency + (rows[i].steps - 1) * interval + rows[i].bank - 3;

        if (got != 40 * want)
            TEST_FAIL("%s %" PRIu64 " cycles, not 40 times %" PRIu64,
                      rows[i].line, got, want);
    }
    rig_free(r);
}

/* Cycles that a scheduler's tensor core is busy with one: halves 2048 FMA of
 * 256 a cycle on an A100, of 0.629 * 512 on an H100, doubles 256 of 16 or 32.
 */
TEST(products_occupy_the_core_at_the_rate_of_the_gpu)
{
    static const struct {
        const char *op, *sources;
        unsigned a100, h100;
    } rows[] = {
        {"HMMA.16816.F32", "R16, R20, RZ;", 8, 6},
        {"HMMA.1688.F32", "R16, R20, RZ;", 4, 3},
        {"HMMA.1688.F32.TF32", "R16, R20, RZ;", 8, 6},
        {"IMMA.16832.S8A.S8B", "R16, R20, RZ;", 8, 6},
        {"HMMA.SP.F32", "R16, R20, RZ, 0x0;", 4, 3},
        {"DMMA.884", "R16, R20, RZ;", 16, 8},
    };
    static const char *const gpus[] = {"a100", "h100"};

    for (size_t g = 0; g < 2; g++) {
        rig *r = rig_new(gpus[g], core);

        for (size_t i = 0; i < COUNTOF(rows); i++) {
            unsigned want = g ? rows[i].h100 : rows[i].a100;
            enum { MORE = 10, WARPS = 16, EACH = 4 };
            strbuf text = {0};

            for (unsigned n = 0; n < EACH; n++)
                strbuf_printf(&text, "%s R%u, %s\n", rows[i].op, 24 + 4 * n,
                              rows[i].sources);
            uint64_t got =
                rig_slope(r, "", text.text, 10, MORE, 1, 32 * WARPS, 0);

            /* four warps of a scheduler */
            if (got != (uint64_t)MORE * EACH * WARPS / 4 * want)
                TEST_FAIL("%s %s %" PRIu64 " cycles, not %u", gpus[g],
                          rows[i].op, got, MORE * EACH * WARPS / 4 * want);
            strbuf_fini(&text);
        }
        rig_free(r);
    }
}

/* Energy is by work: each step counts as the lanes of an instruction. */
TEST(steps_are_counted_as_lanes)
{
    rig *r = rig_new("a100", core);

    rig_run(r, "HMMA.16816.F32 R4, R16, R20, RZ;\n", 1, 32, 0, 0);
    CHECK_EQ(rig_count(r, "sm[*].thread_tensor"), 8 * 32);
    rig_run(r, "HMMA.884.F32.F32.STEP0 R4, R16, R20, RZ;\n", 1, 32, 0, 0);
    CHECK_EQ(rig_count(r, "sm[*].thread_tensor"), 32);
    rig_free(r);
}

/* Four warps of a scheduler: the ten registers of a product, five of each bank,
 * are read while the one before it takes its eight cycles, or six. */
TEST(products_follow_each_other_while_operands_are_read)
{
    static const struct {
        const char *gpu;
        uint64_t cycles;
    } rows[] = {{"a100", 8}, {"h100", 6}};

    for (size_t i = 0; i < COUNTOF(rows); i++) {
        rig *r = rig_new(rows[i].gpu, core);
        uint64_t got = rig_slope(r, "",
                                 "HMMA.16816.F32.BF16 R4, R16, R20, R4;\n"
                                 "HMMA.16816.F32.BF16 R8, R24, R28, R8;\n",
                                 10, 40, 1, 16 * 32, 0);

        if (got != 40 * 8 * rows[i].cycles)
            TEST_FAIL("%s: %" PRIu64 " cycles, not 320 times %" PRIu64,
                      rows[i].gpu, got, rows[i].cycles);
        rig_free(r);
    }
}
