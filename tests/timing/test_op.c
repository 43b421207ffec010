/* tests/timing/test_op.c - execution units: what a chain of dependent
 * instructions and what independent ones take, class by class, must follow
 * from sm.op, sm.unit and sm.issue. */
#include <math.h>

#include "base/must.h"
#include "rig.h"

static const struct {
    const char *class, *chain, *free; /* a dependent, an independent one */
} rows[] = {
    {"fp32", "FADD R4, R4, R5;", "FADD R%u, R4, R5;"},
    {"fp32_cmp", "FMNMX R4, R4, R5, PT;", "FMNMX R%u, R4, R5, PT;"},
    {"fp64", "DADD R4, R4, R6;", "DADD R%u, R4, R6;"},
    {"half", "HADD2 R4, R4, R5;", "HADD2 R%u, R4, R5;"},
    {"int_add", "IADD3 R4, R4, R5, RZ;", "IADD3 R%u, R4, R5, RZ;"},
    {"int_mul", "IMAD R4, R4, R5, RZ;", "IMAD R%u, R4, R5, RZ;"},
    {"int_cmp", "IMNMX R4, R4, R5, PT;", "IMNMX R%u, R4, R5, PT;"},
    {"logic", "LOP3.LUT R4, R4, R5, RZ, 0x96;",
     "LOP3.LUT R%u, R4, R5, RZ, 0x96;"},
    {"shift", "SHL R4, R4, R5;", "SHL R%u, R4, R5;"},
    {"bits", "POPC R4, R4;", "POPC R%u, R4;"},
    {"move", "MOV R4, R4;", "MOV R%u, R4;"},
    {"dot", "IDP.4A.S8A.S8B R4, R4, R5, RZ;",
     "IDP.4A.S8A.S8B R%u, R4, R5, RZ;"},
    {"conv", "I2F.U32 R4, R4;", "I2F.U32 R%u, R4;"},
    {"conv64", "F2F.F64.F32 R4, R4;", "F2F.F64.F32 R%u, R4;"},
    {"sfu", "MUFU.RCP R4, R4;", "MUFU.RCP R%u, R4;"},
    {"shuffle", "SHFL.IDX R4, R4, R5, RZ;", "SHFL.IDX R%u, R4, R5, RZ;"},
    {"vote", "REDUX.SUM R4, R4;", "REDUX.SUM R%u, R4;"},
    {"sreg", "S2R R4, SR_LANEID;", "S2R R%u, SR_LANEID;"},
    {"nop", NULL, "NOP;"},
};

static const char *const core[] = {RIG_CORE, NULL};
static const char *const fair[] = {RIG_CORE, "sm.issue.scheduler=lrr", NULL};

static config_op op_of(const rig *r, const char *class)
{
    config_op op;

    CHECK(config_op_find(r->cfg, class, &op));
    return op;
}

/* Instances of the class's unit that one scheduler may use, and in the SM. */
static config_unit unit_of(const rig *r, config_op op)
{
    config_unit u = config_unit_get(r->cfg, op.unit);

    if (op.unit == CFG_UNIT_ALU && !u.private && !u.shared)
        u = config_unit_get(r->cfg, CFG_UNIT_FMA);
    return u;
}

/* sreg has no source: its chain is by the destination, which must not be
 * written again before the last result is there, where results are not counted.
 */
static void chains(const char *name)
{
    rig *r = rig_new(name, core);

    for (size_t i = 0; i < COUNTOF(rows); i++) {
        config_op op = op_of(r, rows[i].class);
        config_unit u = unit_of(r, op);

        if (!rows[i].chain || (!u.private && !u.shared) ||
            (r->cfg->sm.issue.hazard == CFG_HAZARD_COUNTED &&
             !strcmp(rows[i].class, "sreg")))
            continue;
        uint64_t got = rig_slope(r, "", rows[i].chain, 20, 50, 1, 32, 0);
        if (got != 50ull * op.latency)
            TEST_FAIL("%s, %s: 50 dependent instructions took %" PRIu64
                      " cycles, not 50 times %u",
                      name, rows[i].class, got, op.latency);
    }
    rig_free(r);
}

TEST(chains_take_their_latency_on_v100) { chains("v100"); }
TEST(chains_take_their_latency_on_k20) { chains("k20"); }
TEST(chains_take_their_latency_without_codes) { chains("k20-single"); }
TEST(chains_take_their_latency_on_gtx480) { chains("gtx480"); }

/* With enough warps a class is limited by the inputs of its units, or by
 * schedulers that issue one instruction a cycle. */
static void streams(const char *name)
{
    enum { WARPS = 8, FEW = 16, MORE = 96 }; /* warps of a scheduler */
    rig *r = rig_new(name, core);
    unsigned schedulers = r->cfg->sm.issue.schedulers;

    for (size_t i = 0; i < COUNTOF(rows); i++) {
        config_op op = op_of(r, rows[i].class);
        config_unit u = unit_of(r, op);
        unsigned units = u.private * schedulers + u.shared;

        if (!units)
            continue;
        double rate = (double)units / op.interval;
        rate = rate < schedulers ? rate : schedulers;
        double want = WARPS * schedulers * MORE / rate;
        uint64_t got = rig_slope(r, "", rows[i].free, FEW, MORE, 1,
                                 32 * WARPS * schedulers, 0);
        printf("%-7s %-9s %7.0f cycles at best, %7" PRIu64 " (%.1f %%)\n", name,
               rows[i].class, want, got, 100 * want / (double)got);
        if ((double)got < 0.995 * want || (double)got > 1.05 * want)
            TEST_FAIL("%s, %s: %" PRIu64 " cycles instead of %.0f", name,
                      rows[i].class, got, want);
    }
    rig_free(r);
}

TEST(streams_reach_their_interval_on_v100) { streams("v100"); }
TEST(streams_reach_their_interval_on_k20) { streams("k20-single"); }
TEST(streams_reach_their_interval_on_gtx480) { streams("gtx480"); }

/* ---- Warps hide latency ---- */

/* w warps of one scheduler, each a chain: either the latency or the issue of
 * all of them is what a step takes, if each gets its turn. */
static void hiding(const char *name)
{
    rig *r = rig_new(name, fair);
    config_op op = op_of(r, "fp32");
    config_unit u = unit_of(r, op);
    unsigned schedulers = r->cfg->sm.issue.schedulers;
    /* Shared instances help some schedulers; each has one warp a cycle. */
    double every =
        (double)op.interval * schedulers / (u.private * schedulers + u.shared);

    every = every < 1 ? 1 : every;
    for (unsigned w = 1; w <= 8; w++) {
        double step = every * w > op.latency ? every * w : op.latency;
        uint64_t got = rig_slope(r, "", "FADD R4, R4, R5;", 20, 80, 1,
                                 32 * schedulers * w, 0);

        if (fabs((double)got - 80 * step) > 0.01 * 80 * step)
            TEST_FAIL("%s: %u warps a scheduler took %" PRIu64
                      " cycles for 80 steps of %.1f",
                      name, w, got, step);
    }
    rig_free(r);
}

TEST(warps_hide_latency_on_v100) { hiding("v100"); }
TEST(warps_hide_latency_on_k20) { hiding("k20"); }
TEST(warps_hide_latency_without_codes) { hiding("k20-single"); }
TEST(warps_hide_latency_on_gtx480) { hiding("gtx480"); }

/* ---- Predicates and branches ---- */

TEST(a_guard_waits_for_its_predicate)
{
    for (unsigned i = 0; i < RIG_GPUS; i++) {
        rig *r = rig_new(rig_gpus[i], core);
        unsigned step =
            op_of(r, "int_cmp").latency + r->cfg->sm.issue.predicate;

        CHECK_EQ(rig_slope(r, "ISETP.EQ.AND P0, PT, R4, R4, PT;\n",
                           "@P0 ISETP.EQ.AND P0, PT, R4, R4, PT;", 20, 50, 1,
                           32, 0),
                 50 * step);
        rig_free(r);
    }
}

/* A jump over one instruction: resolved after its latency, a bubble, and
 * the new instruction is fetched and decoded. */
TEST(a_taken_branch_empties_the_front_end)
{
    for (unsigned i = 0; i < RIG_GPUS; i++) {
        rig *r = rig_new(rig_gpus[i], core);
        unsigned first = r->cfg->sm.l0i.bytes ? r->cfg->sm.l0i.latency
                                              : r->cfg->sm.l1i.latency;
        unsigned step = op_of(r, "branch").latency + r->cfg->sm.issue.branch +
                        first + r->cfg->sm.fetch.decode;
        strbuf few = {0}, many = {0};

        for (unsigned n = 0; n < 40; n++) {
            strbuf_printf(&many, "BRA l%u;\nNOP;\nl%u:\n", n, n);
            if (n < 20)
                strbuf_printf(&few, "BRA l%u;\nNOP;\nl%u:\n", n, n);
        }
        uint64_t some = rig_run(r, few.text, 1, 32, 0, 0);
        uint64_t all = rig_run(r, many.text, 1, 32, 0, 0);
        CHECK_EQ(all - some, 20 * step);
        strbuf_fini(&few);
        strbuf_fini(&many);
        rig_free(r);
    }
}

TEST(a_branch_not_taken_costs_its_resolution)
{
    for (unsigned i = 0; i < RIG_GPUS; i++) {
        rig *r = rig_new(rig_gpus[i], core);

        CHECK_EQ(rig_slope(r, "l: ISETP.NE.AND P0, PT, R4, R4, PT;\n",
                           "@P0 BRA l;", 20, 50, 1, 32, 0),
                 50 * op_of(r, "branch").latency);
        rig_free(r);
    }
}
