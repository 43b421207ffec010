/* tests/unit/codegen/ir/test_latency.c - latencies that the compiler assumes
 * follow the parameters of the machine. */
#include "codegen/ir/latency.h"

#include "config/preset.h"
#include "config/sheet.h"
#include "test.h"

static cg_latencies of(const char *preset, const char *set)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();

    CHECK_EQ(config_sheet_load(s, preset, dg), ST_OK);
    if (set)
        CHECK_EQ(config_sheet_set(s, set, CONFIG_FROM_SET, dg), ST_OK);
    cg_latencies l = cg_latencies_of(config_sheet_values(s));
    config_sheet_free(s);
    diag_free(dg);
    return l;
}

/* What is published of the K20 [ARAFA19:K40], with the L2 for global loads. */
TEST(latencies_of_a_k20_are_those_measured)
{
    cg_latencies l = of("k20", NULL);

    CHECK_EQ(l.global, 188);
    CHECK_EQ(l.read_only, 112);
    CHECK_EQ(l.texture, 112);
    CHECK_EQ(l.local, 32);
    CHECK_EQ(l.shared, 26);
    CHECK_EQ(l.constant, 16);
}

TEST(memory_follows_the_units_on_its_way)
{
    cg_latencies is = of("v100", "sm.lsu.latency=6");
    cg_latencies all = of("v100", "sm.lsu.latency=106");

    CHECK_EQ(all.global, is.global + 100);
    CHECK_EQ(all.local, is.local + 100);
    CHECK_EQ(all.constant, is.constant + 100);
    CHECK_EQ(all.atomic, is.atomic + 100);
    is = of("v100", "sm.shared.latency=16");
    all = of("v100", "sm.shared.latency=116");
    CHECK_EQ(all.shared, is.shared + 100);
    CHECK_EQ(all.shared_atomic, is.shared_atomic + 100);
    CHECK_EQ(all.global, is.global);
    is = of("k20", "noc.latency=30"); /* there and back */
    all = of("k20", "noc.latency=40");
    CHECK_EQ(all.global, is.global + 20);
    CHECK_EQ(all.local, is.local);
    CHECK_EQ(all.read_only, is.read_only);
}

TEST(other_classes_are_those_of_the_pipeline)
{
    cg_latencies l = of("v100", "sm.op.fp64.latency=77");

    CHECK_EQ(l.class[ISA_CLASS_FP64], 77);
    CHECK_EQ(cg_latency(&l, ISA_DADD, 0), 77);
}

TEST(each_access_has_the_latency_of_its_memory)
{
    const cg_latencies l = {
        .class = {[ISA_CLASS_MEM] = 100, [ISA_CLASS_TEX] = 101},
        .constant = 2,
        .texture = 3,
        .global = 4,
        .read_only = 5,
        .local = 6,
        .shared = 7,
        .atomic = 8,
        .shared_atomic = 9};

    CHECK_EQ(cg_latency(&l, ISA_LDC, 0), 2);
    CHECK_EQ(cg_latency(&l, ISA_TEX, 0), 3);
    CHECK_EQ(cg_latency(&l, ISA_SULD, 0), 3);
    CHECK_EQ(cg_latency(&l, ISA_TXQ, 0), 101); /* asks, reads no texel */
    CHECK_EQ(cg_latency(&l, ISA_LDG, CACHE_CG << MOD_CACHE_SHIFT), 4);
    CHECK_EQ(cg_latency(&l, ISA_LD, 0), 4);
    CHECK_EQ(cg_latency(&l, ISA_LDG, CACHE_NC << MOD_CACHE_SHIFT), 5);
    CHECK_EQ(cg_latency(&l, ISA_LDL, 0), 6);
    CHECK_EQ(cg_latency(&l, ISA_LDS, 0), 7);
    CHECK_EQ(cg_latency(&l, ISA_LDSM, 0), 7);
    CHECK_EQ(cg_latency(&l, ISA_ATOMG, 0), 8);
    CHECK_EQ(cg_latency(&l, ISA_ATOM, 0), 8);
    CHECK_EQ(cg_latency(&l, ISA_ATOMS, 0), 9);
}

TEST(what_leaves_no_result_takes_a_cycle)
{
    static const unsigned ops[] = {ISA_STG,  ISA_STS,    ISA_STL,   ISA_ST,
                                   ISA_RED,  ISA_CCTL,   ISA_SUSTB, ISA_SURED,
                                   ISA_STSM, ISA_LDGSTS, ISA_COUNT};
    cg_latencies l = of("v100", NULL);

    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
        CHECK_EQ(cg_latency(&l, ops[i], 0), 1);
}
