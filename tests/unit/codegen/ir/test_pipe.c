/* tests/unit/codegen/ir/test_pipe.c - units and their time, as the compiler
 * assumes them, follow the parameters of the machine. */
#include "codegen/ir/pipe.h"

#include "config/preset.h"
#include "config/sheet.h"
#include "test.h"

static cg_pipes of(const char *preset, const char *set)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();

    CHECK_EQ(config_sheet_load(s, preset, dg), ST_OK);
    if (set)
        CHECK_EQ(config_sheet_set(s, set, CONFIG_FROM_SET, dg), ST_OK);
    cg_pipes p = cg_pipes_of(config_sheet_values(s));
    config_sheet_free(s);
    diag_free(dg);
    return p;
}

enum { CYCLE = 16 };

/* A warp takes the 16 lanes of a scheduler for two cycles; the load unit, one
 * for four schedulers, for one. */
TEST(units_of_a_v100_are_busy_as_their_lanes_are_few)
{
    cg_pipes p = of("v100", NULL);

    CHECK_EQ(p.unit[ISA_CLASS_SHIFT], CFG_UNIT_ALU);
    CHECK_EQ(p.unit[ISA_CLASS_INT_MUL], CFG_UNIT_FMA);
    CHECK_EQ(p.unit[ISA_CLASS_FP32], CFG_UNIT_FMA);
    CHECK_EQ(p.busy[ISA_CLASS_SHIFT], 2 * CYCLE);
    CHECK_EQ(p.busy[ISA_CLASS_FP64], 4 * CYCLE);
    CHECK_EQ(p.busy[ISA_CLASS_MEM], 4 * CYCLE); /* one unit for all */
}

TEST(more_instances_share_the_time)
{
    cg_pipes p = of("v100", "sm.unit.alu.private=2");

    CHECK_EQ(p.busy[ISA_CLASS_SHIFT], CYCLE);
    CHECK_EQ(p.busy[ISA_CLASS_FP32], 2 * CYCLE);
}

/* Of two halves of 16 lanes one multiplies integers. */
TEST(integers_of_an_h100_occupy_one_half)
{
    cg_pipes p = of("h100", NULL);

    CHECK_EQ(p.unit[ISA_CLASS_FP32], CFG_UNIT_FMA);
    CHECK_EQ(p.unit[ISA_CLASS_INT_MUL], CFG_UNIT_FMA);
    CHECK_EQ(p.busy[ISA_CLASS_FP32], CYCLE);
    CHECK_EQ(p.busy[ISA_CLASS_INT_MUL], 2 * CYCLE);
}

/* Of a unit that no machine code runs on nothing is asked. */
TEST(a_missing_unit_takes_no_time)
{
    cg_pipes p = of("k20", NULL);

    CHECK_EQ(p.busy[ISA_CLASS_TENSOR], 0);
}
