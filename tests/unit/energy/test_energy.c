#include "energy/energy.h"

#include <math.h>

#include "base/must.h"
#include "cache/l1.h"
#include "cache/l2.h"
#include "config/preset.h"
#include "config/sheet.h"
#include "cost/cost.h"
#include "dram/dram.h"
#include "energy/series.h"
#include "energy/sharing.h"
#include "noc/noc.h"
#include "sm/sm.h"
#include "test.h"

/* Two SMs, one with a texture cache, and one of everything else. */
enum { BLOCKS = 8, BYTES = 4096 };

typedef struct rig {
    config cfg;
    stats *stats;
    uint64_t *values, *totals;
    unsigned char memory[BLOCKS][BYTES];
} rig;

static rig *rig_new(void)
{
    static const char *const paths[BLOCKS] = {
        "sm[0]",    "sm[1]",     "sm[0].l1", "sm[0].l1.queue",
        "sm[0].ro", "noc.sm[0]", "l2[0]",    "dram[0]"};
    const stats_block *const blocks[BLOCKS] = {
        &sm_stats_block,       &sm_stats_block,  &l1_stats_block,
        &l1_queue_stats_block, &l1_stats_block,  &noc_stats_block,
        &l2_stats_block,       &dram_stats_block};
    rig *r = calloc(1, sizeof *r);

    CHECK(r);
    config_defaults(&r->cfg);
    memset(&r->cfg.energy.event, 0, sizeof r->cfg.energy.event);
    memset(&r->cfg.energy.bit, 0, sizeof r->cfg.energy.bit);
    memset(&r->cfg.energy.power, 0, sizeof r->cfg.energy.power);
    r->cfg.gpu.clock_khz = 1000000;
    r->stats = stats_new();
    CHECK(r->stats);
    for (unsigned i = 0; i < BLOCKS; i++)
        stats_add(r->stats, paths[i], blocks[i]->desc, blocks[i]->count,
                  r->memory[i]);
    r->values = calloc(stats_count(r->stats), sizeof *r->values);
    r->totals = calloc(stats_total_count(r->stats), sizeof *r->totals);
    CHECK(r->values && r->totals);
    return r;
}

static void rig_free(rig *r)
{
    stats_free(r->stats);
    free(r->values);
    free(r->totals);
    free(r);
}

static void set(rig *r, const char *name, uint64_t value)
{
    for (size_t i = 0; i < stats_count(r->stats); i++) {
        stats_item it = stats_get(r->stats, i);
        char full[96];

        snprintf(full, sizeof full, "%s.%s", it.path, it.desc->id);
        if (strcmp(full, name) != 0)
            continue;
        r->values[i] = value;
        stats_totals(r->stats, r->values, r->totals);
        return;
    }
    TEST_FAIL("no counter '%s'", name);
}

static energy compute(const rig *r, uint64_t cycles)
{
    energy e;

    energy_compute(&r->cfg, r->stats, r->totals, cycles, &e);
    return e;
}

static void rows_of(const rig *r, uint64_t cycles, energy_row out[ENERGY_ROWS])
{
    energy_rows(&r->cfg, r->stats, r->totals, cycles, out);
}

static uint64_t parts(const energy *e)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        sum += e->part_fj[i];
    return sum;
}

/* Every counter a number of its own, every cost a number of its own. */
static void fill(rig *r, uint64_t times)
{
    unsigned *cost = (unsigned *)&r->cfg.energy.event;
    unsigned *bit = (unsigned *)&r->cfg.energy.bit;

    for (size_t i = 0; i < stats_count(r->stats); i++)
        r->values[i] = times * (1000 + 7 * i);
    stats_totals(r->stats, r->values, r->totals);
    for (size_t i = 0; i < sizeof r->cfg.energy.event / sizeof *cost; i++)
        cost[i] = (unsigned)(100 + i);
    for (size_t i = 0; i < ENERGY_BITS; i++)
        bit[i] = (unsigned)(7000 + 100 * i);
}

/* ---- Events ---- */

TEST(every_event_and_state_reads_counters_that_exist)
{
    rig *r = rig_new();
    energy_row rows[ENERGY_ROWS];

    rows_of(r, 0, rows);
    for (size_t i = 0; i < ENERGY_ROWS; i++) {
        size_t matched = 0;

        if (!rows[i].counter)
            continue;
        stats_total_sum(r->stats, r->totals, rows[i].counter, &matched);
        if (!matched)
            TEST_FAIL("event %s: no counter is called '%s'", rows[i].id,
                      rows[i].counter);
    }
    rig_free(r);
}

TEST(every_cost_is_spent_by_one_event)
{
    rig *r = rig_new();
    unsigned *cost = (unsigned *)&r->cfg.energy.event;
    size_t n = sizeof r->cfg.energy.event / sizeof *cost;

    fill(r, 1);
    for (size_t i = 0; i < n; i++) {
        energy before = compute(r, 0);
        cost[i] += 1000;
        energy after = compute(r, 0);
        CHECK(after.total_fj > before.total_fj);
    }
    rig_free(r);
}

/* A bit is in some structure that can be chosen. */
TEST(every_cost_of_a_bit_is_spent)
{
    rig *r = rig_new();
    unsigned *bit = (unsigned *)&r->cfg.energy.bit;

    fill(r, 1);
    for (size_t i = 0; i < ENERGY_BITS; i++) {
        unsigned spent = 0;

        for (unsigned h = 0; h < 5; h++) {
            r->cfg.sm.issue.hazard = (cfg_hazard)h;
            energy before = compute(r, 0);
            bit[i] += 1000000;
            energy after = compute(r, 0);
            bit[i] -= 1000000;
            spent +=
                after.part_fj[ENERGY_HAZARD] > before.part_fj[ENERGY_HAZARD];
        }
        CHECK(spent > 0);
        CHECK(energy_bit_name((unsigned)i) != NULL);
    }
    CHECK(!energy_bit_name(ENERGY_BITS));
    CHECK_STR(energy_bit_name(0), "read");
    rig_free(r);
}

TEST(an_event_costs_what_the_configuration_says)
{
    rig *r = rig_new();

    set(r, "sm[0].bank_reads", 30);
    set(r, "sm[1].bank_reads", 12);
    set(r, "sm[0].reg_reads", 34);
    set(r, "sm[1].reg_reads", 12);
    set(r, "sm[0].operand_hits", 4);
    set(r, "sm[0].issued", 9);
    set(r, "sm[0].issued_second", 6);
    set(r, "sm[1].reg_writes", 5);
    set(r, "noc.sm[0].out_bytes", 100);
    set(r, "noc.sm[0].in_bytes", 200);
    set(r, "noc.sm[0].out_messages", 3);
    r->cfg.energy.event.rf_read = 40000;
    r->cfg.energy.event.rf_operand = 2000;
    r->cfg.energy.event.rf_cache = 500;
    r->cfg.energy.event.ibuffer_read = 100;
    r->cfg.energy.event.schedule = 0;
    r->cfg.energy.event.rf_write = 70000;
    r->cfg.energy.event.noc_byte = 1500;
    r->cfg.energy.event.noc_message = 10;
    energy e = compute(r, 1000);
    /* 42 * 40,000 + 46 * 2,000 + 4 * 500 + 5 * 70,000; 15 * 100; and
     * 300 * 1500 + 3 * 10 */
    CHECK_EQ(e.part_fj[ENERGY_REGISTERS], 2124000);
    CHECK_EQ(e.part_fj[ENERGY_IBUFFER], 1500);
    CHECK_EQ(e.part_fj[ENERGY_NOC], 450030);
    CHECK_EQ(e.total_fj, 2575530);
    CHECK(!e.overflow);
    rig_free(r);
}

/* Of an SM by one number, of crossbar, L2 and DRAM by another. */
TEST(events_cost_by_the_scale_of_where_they_happen)
{
    rig *r = rig_new();
    __typeof__(r->cfg.energy.event) *cost = &r->cfg.energy.event;

    set(r, "sm[0].bank_reads", 10);
    set(r, "noc.sm[0].out_bytes", 10);
    set(r, "dram[0].refreshes", 10);
    cost->rf_read = cost->noc_byte = cost->dram_refresh = 1000;
    r->cfg.energy.scale = 70;
    r->cfg.energy.memory_scale = 130;
    energy e = compute(r, 100);
    CHECK_EQ(e.part_fj[ENERGY_REGISTERS], 7000);
    CHECK_EQ(e.part_fj[ENERGY_NOC], 13000);
    CHECK_EQ(e.part_fj[ENERGY_DRAM], 13000);
    rig_free(r);
}

TEST(parts_and_rows_sum_to_the_total)
{
    rig *r = rig_new();
    unsigned *power = (unsigned *)&r->cfg.energy.power;
    energy_row row[ENERGY_ROWS];
    uint64_t rows = 0;

    fill(r, 3);
    for (size_t i = 0; i < sizeof r->cfg.energy.power / sizeof *power; i++)
        power[i] = (unsigned)(1000003 * (i + 1));
    energy e = compute(r, 12345);
    rows_of(r, 12345, row);
    for (size_t i = 0; i < ENERGY_ROWS; i++)
        rows += row[i].fj;
    CHECK(e.total_fj > 0);
    CHECK_EQ(parts(&e), e.total_fj);
    CHECK_EQ(rows, e.total_fj);
    CHECK_EQ(energy_kind_fj(&e, ENERGY_FRONT) +
                 energy_kind_fj(&e, ENERGY_BACK) +
                 energy_kind_fj(&e, ENERGY_STATIC_FRONT) +
                 energy_kind_fj(&e, ENERGY_STATIC),
             e.total_fj);
    rig_free(r);
}

TEST(twice_the_work_is_twice_the_dynamic_energy)
{
    rig *r = rig_new();

    fill(r, 1);
    energy once = compute(r, 500);
    fill(r, 2);
    energy twice = compute(r, 500);
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        CHECK_EQ(twice.part_fj[i], 2 * once.part_fj[i]);
    energy sum = {0};
    energy_add(&sum, &once);
    energy_add(&sum, &once);
    CHECK_EQ(sum.total_fj, twice.total_fj);
    CHECK_EQ(sum.cycles, 1000);
    rig_free(r);
}

/* ---- Accesses: as wide as what they touch ---- */

static uint64_t hazard_fj(const rig *r)
{
    return compute(r, 0).part_fj[ENERGY_HAZARD];
}

/* A machine whose bits cost 1, 100, 10^4, 10^6 and 10^8 fJ: read, selected,
 * compared, in a row that is written, written. */
static rig *wide_rig(cfg_hazard hazard, unsigned registers, unsigned slots)
{
    rig *r = rig_new();

    r->cfg.sm.issue.hazard = hazard;
    r->cfg.sm.issue.predicate = 0; /* a bit for each of 7 predicates */
    r->cfg.sm.registers_per_thread = registers;
    r->cfg.sm.table.slots = slots;
    r->cfg.energy.bit.read = 1000;
    r->cfg.energy.bit.select = 100000;
    r->cfg.energy.bit.compare = 10000000;
    r->cfg.energy.bit.row = 1000000000;
    r->cfg.energy.bit.write = 100000000;
    return r;
}

TEST(a_scoreboard_costs_by_its_registers)
{
    static const unsigned registers[] = {63, 127, 255};

    for (size_t i = 0; i < COUNTOF(registers); i++) {
        unsigned n = registers[i];
        rig *r = wide_rig(CFG_HAZARD_SCOREBOARD, n, 4);

        set(r, "sm[0].hazard_checks", 3); /* a row and 7 predicates */
        CHECK_EQ(hazard_fj(r), 3 * (n + 7));
        set(r, "sm[0].hazard_checks", 0);
        set(r, "sm[0].hazard_operands", 5); /* one bit of n */
        CHECK_EQ(hazard_fj(r), 5 * 100 * n);
        set(r, "sm[0].hazard_operands", 0);
        set(r, "sm[1].hazard_writes", 2); /* set and cleared */
        CHECK_EQ(hazard_fj(r), 2 * 2 * 1000000 * (n + 7));
        set(r, "sm[1].hazard_writes", 0);
        set(r, "sm[1].hazard_regs", 4); /* a result of four registers */
        CHECK_EQ(hazard_fj(r), 4 * 2 * 100000);
        set(r, "sm[1].hazard_regs", 0);
        set(r, "sm[0].table_compares", 9);
        set(r, "sm[0].table_searches", 9);
        set(r, "sm[0].code_counts", 9);
        CHECK_EQ(hazard_fj(r), 0);
        rig_free(r);
    }
}

/* A slot of a valid bit, a register of log2 of them and two bits of offset. */
TEST(a_table_costs_by_its_slots_and_the_width_of_a_register)
{
    static const struct {
        unsigned registers, slots, rid;
    } row[] = {{63, 1, 6}, {63, 4, 6}, {127, 4, 7}, {255, 4, 8}, {255, 8, 8}};

    for (size_t i = 0; i < COUNTOF(row); i++) {
        unsigned slot = 1 + row[i].rid + 2, all = row[i].slots * slot;
        rig *r = wide_rig(CFG_HAZARD_TABLE, row[i].registers, row[i].slots);

        set(r, "sm[0].hazard_checks", 3);
        CHECK_EQ(hazard_fj(r), 3 * (all + 7));
        r->cfg.sm.table.predicates = false;
        CHECK_EQ(hazard_fj(r), 3 * all);
        r->cfg.sm.table.stored_full = true;
        CHECK_EQ(hazard_fj(r), 3 * (all + 1));
        r->cfg.sm.table.stored_full = false;
        set(r, "sm[0].hazard_checks", 0);
        set(r, "sm[0].hazard_operands", 5); /* bits are not selected */
        CHECK_EQ(hazard_fj(r), 0);
        set(r, "sm[0].table_compares", 6);
        set(r, "sm[1].table_searches", 2);
        CHECK_EQ(hazard_fj(r), 8 * 10000 * row[i].rid);
        set(r, "sm[0].table_compares", 0);
        set(r, "sm[1].table_searches", 0);
        set(r, "sm[0].hazard_writes", 1);
        CHECK_EQ(hazard_fj(r), 2 * 1000000 * all);
        set(r, "sm[0].hazard_writes", 0);
        set(r, "sm[0].table_writes", 2); /* and their valid bits once more */
        CHECK_EQ(hazard_fj(r), 2 * 100000 * (slot + 1));
        set(r, "sm[0].table_writes", 0);
        set(r, "sm[0].table_frees", 2);
        CHECK_EQ(hazard_fj(r), 2 * all);
        rig_free(r);
    }
}

/* Six counters of six bits, and four of cycles. */
TEST(control_codes_cost_by_their_counters)
{
    rig *r = wide_rig(CFG_HAZARD_CODES, 255, 4);

    r->cfg.gpu.arch = CFG_ARCH_VOLTA;
    set(r, "sm[0].hazard_checks", 3);
    CHECK_EQ(hazard_fj(r), 3 * 40);
    set(r, "sm[0].hazard_checks", 0);
    set(r, "sm[0].issued", 2);
    CHECK_EQ(hazard_fj(r), 2 * (40 * 1000000 + 4 * 100000));
    set(r, "sm[0].issued", 0);
    set(r, "sm[0].code_counts", 2);
    CHECK_EQ(hazard_fj(r), 2 * 2 * (40 * 1000000 + 6 * 100000));
    set(r, "sm[0].code_counts", 0);
    set(r, "sm[0].hazard_writes", 9);
    set(r, "sm[0].hazard_regs", 9);
    CHECK_EQ(hazard_fj(r), 0);
    rig_free(r);
}

/* A row of 255 and 7, written for slow results alone. */
TEST(trusted_waits_cost_where_results_are_tracked)
{
    rig *r = wide_rig(CFG_HAZARD_CODES, 255, 4);

    r->cfg.gpu.arch = CFG_ARCH_KEPLER;
    set(r, "sm[0].hazard_checks", 3);
    CHECK_EQ(hazard_fj(r), 3 * 262);
    set(r, "sm[0].hazard_checks", 0);
    set(r, "sm[0].hazard_writes", 9);
    set(r, "sm[0].hazard_regs", 9);
    set(r, "sm[0].issued", 9);
    CHECK_EQ(hazard_fj(r), 0);
    set(r, "sm[0].code_late", 2);
    CHECK_EQ(hazard_fj(r), 2 * 2 * 262 * 1000000);
    set(r, "sm[0].code_late", 0);
    set(r, "sm[0].code_late_regs", 4);
    CHECK_EQ(hazard_fj(r), 4 * 2 * 100000);
    r->cfg.sm.dual.pending = CFG_PENDING_TABLE;
    CHECK_EQ(hazard_fj(r), 0); /* its slots are counted by themselves */
    set(r, "sm[0].table_writes", 1);
    CHECK_EQ(hazard_fj(r), 12 * 100000);
    rig_free(r);
}

/* Rows of 4 slots of 11 bits; two bits say whose each of the four is. */
TEST(divided_slots_cost_by_rows)
{
    rig *r = wide_rig(CFG_HAZARD_TABLE, 255, 4);

    r->cfg.sm.table.group = 4;
    set(r, "sm[0].hazard_checks", 1);
    CHECK_EQ(hazard_fj(r), 44 + 8 + 7);
    set(r, "sm[0].hazard_checks", 0);
    set(r, "sm[0].table_rows", 3);
    CHECK_EQ(hazard_fj(r), 3 * 44);
    set(r, "sm[0].table_rows", 0);
    set(r, "sm[0].table_moves", 1);
    CHECK_EQ(hazard_fj(r), 8 * 1000000 + 2 * 100000);
    rig_free(r);
}

TEST(structures_are_grouped_by_parts_that_exist)
{
    static const char *const parts[] = {
#define GROUP(part, structure) part,
#include "cost/group.def"
#undef GROUP
    };

    for (size_t i = 0; i < COUNTOF(parts); i++)
        CHECK(energy_part_find(parts[i]) < ENERGY_PARTS);
    CHECK_EQ(energy_part_find("hazard"), ENERGY_HAZARD);
    CHECK_EQ(energy_part_find("hazards"), ENERGY_PARTS);
}

TEST(bounds_cost_nothing)
{
    static const cfg_hazard bound[] = {CFG_HAZARD_UNLIMITED, CFG_HAZARD_NONE};

    for (size_t i = 0; i < COUNTOF(bound); i++) {
        rig *r = wide_rig(bound[i], 255, 4);

        for (size_t k = 0; k < stats_count(r->stats); k++)
            r->values[k] = 1000;
        stats_totals(r->stats, r->values, r->totals);
        CHECK_EQ(hazard_fj(r), 0);
        rig_free(r);
    }
}

/* What is read for a check is what is stored of a warp. */
TEST(bits_read_are_bits_stored)
{
    static const cost_id stored[] = {
        COST_scoreboard, COST_scoreboard_predicates, COST_hazard_table,
        COST_hazard_predicates, COST_control_codes};

    for (unsigned h = 0; h < 5; h++) {
        rig *r = wide_rig((cfg_hazard)h, 255, 6);
        cost_item all[COST_STRUCTURES];
        uint64_t bits = 0;

        r->cfg.sm.issue.predicate = 8;
        cost_of(&r->cfg, all);
        for (size_t i = 0; i < COUNTOF(stored); i++)
            bits += all[stored[i]].bits;
        set(r, "sm[0].hazard_checks", r->cfg.sm.warps);
        CHECK_EQ(hazard_fj(r), bits);
        rig_free(r);
    }
}

/* The fit of the V100 had 2260 fJ for a check, 338 for each of its registers
 * and 3380 for a result: docs/energy.md. */
TEST(the_scoreboard_of_the_v100_costs_what_was_fitted)
{
    rig *r = rig_new();
    config_sheet *sheet = config_sheet_new();
    diag *dg = diag_new();

    CHECK(config_sheet_load(sheet, "v100", dg) == ST_OK);
    r->cfg = *config_sheet_values(sheet);
    memset(&r->cfg.energy.power, 0, sizeof r->cfg.energy.power);
    CHECK_EQ(r->cfg.sm.registers_per_thread, 255);
    set(r, "sm[0].hazard_checks", 1000);
    CHECK_EQ(hazard_fj(r), 2260000);
    set(r, "sm[0].hazard_operands", 100);
    CHECK_EQ(hazard_fj(r), 2260000 + 33800);
    set(r, "sm[0].hazard_writes", 10);
    set(r, "sm[0].hazard_regs", 10);
    CHECK_EQ(hazard_fj(r), 2260000 + 33800 + 33800);
    diag_free(dg);
    config_sheet_free(sheet);
    rig_free(r);
}

/* ---- States ---- */

TEST(a_cycle_costs_power_times_its_time)
{
    config cfg;

    config_defaults(&cfg);
    cfg.gpu.clock_khz = 1000000; /* 1 ns: 1 W is 10^6 fJ */
    CHECK_EQ(energy_cycle_fj(&cfg, 1000000), 1000000);
    cfg.gpu.clock_khz = 1380000; /* 32 W / 1.38 GHz = 23188.4058 pJ */
    CHECK_EQ(energy_cycle_fj(&cfg, 32000000), 23188406);
    cfg.gpu.clock_khz = 10000000;
    CHECK_EQ(energy_cycle_fj(&cfg, 0), 0);
}

TEST(an_idle_machine_spends_time_alone)
{
    rig *r = rig_new();

    fill(r, 1); /* costs; then nothing happens */
    memset(r->values, 0, stats_count(r->stats) * sizeof *r->values);
    set(r, "sm[0].cycles", 1000);
    set(r, "sm[1].cycles", 1000);
    r->cfg.l2.slices = 4;
    r->cfg.dram.channels = 2;
    r->cfg.energy.power.board = 5000000;      /* 5 W * 1 us = 5e9 fJ */
    r->cfg.energy.power.sm_idle = 100000;     /* 2 * 0.1 */
    r->cfg.energy.power.sm = 900000;          /* no SM is active */
    r->cfg.energy.power.front_end_idle = 300; /* 2 * 0.0003 */
    r->cfg.energy.power.l2 = 20000;           /* 4 * 0.02 */
    r->cfg.energy.power.dram = 50000;         /* 2 * 0.05 */
    r->cfg.energy.power.noc = 7000;           /* 0.007 */
    energy e = compute(r, 1000);
    CHECK_EQ(energy_kind_fj(&e, ENERGY_FRONT), 0);
    CHECK_EQ(energy_kind_fj(&e, ENERGY_BACK), 0);
    CHECK_EQ(e.part_fj[ENERGY_BOARD], 5000000000);
    CHECK_EQ(e.part_fj[ENERGY_SM_IDLE], 200000000);
    CHECK_EQ(e.part_fj[ENERGY_SM_STATIC], 0);
    CHECK_EQ(e.part_fj[ENERGY_FRONT_STATIC], 600000);
    CHECK_EQ(e.part_fj[ENERGY_MEM_STATIC], 187000000);
    rig_free(r);
}

/* An SM of 1000 cycles, 600 of them active; its front end is off for 250 of
 * these and for 150 of the others. */
TEST(a_gated_front_end_saves_its_own_leakage)
{
    rig *r = rig_new();

    set(r, "sm[0].cycles", 1000);
    set(r, "sm[0].active_cycles", 600);
    r->cfg.energy.power.front_end = 100;
    r->cfg.energy.power.front_end_idle = 60;
    r->cfg.energy.power.front_end_gated = 10;
    r->cfg.energy.power.sm = 1000;
    r->cfg.energy.power.sm_idle = 700;
    r->cfg.energy.event.wake = 5000;
    energy on = compute(r, 1000);
    CHECK_EQ(on.part_fj[ENERGY_FRONT_STATIC], 600 * 100 + 400 * 60);
    set(r, "sm[0].gated_active", 250);
    set(r, "sm[0].gated_idle", 150);
    set(r, "sm[0].wakes", 3);
    energy off = compute(r, 1000);
    CHECK_EQ(off.part_fj[ENERGY_FRONT_STATIC], 350 * 100 + 250 * 60 + 400 * 10);
    CHECK_EQ(off.part_fj[ENERGY_WAKE], 15000);
    CHECK_EQ(off.part_fj[ENERGY_SM_STATIC], on.part_fj[ENERGY_SM_STATIC]);
    CHECK_EQ(off.part_fj[ENERGY_SM_IDLE], on.part_fj[ENERGY_SM_IDLE]);
    rig_free(r);
}

/* ---- Clusters with one front end ---- */

/* A fetch of two instructions for 300 pJ and a look-up for 25, 130 pJ to decode
 * and 97.5 to choose are 390 pJ for an instruction. */
static rig *cluster_rig(void)
{
    rig *r = rig_new();

    r->cfg.sm.fetch.width = 2;
    r->cfg.sm.l0i.bytes = 0; /* so a fetch is a look-up in the SM's cache */
    r->cfg.energy.event.fetch = 300000;
    r->cfg.energy.event.l1i = 25000;
    r->cfg.energy.event.decode = 130000;
    r->cfg.energy.event.schedule = 97500;
    r->cfg.energy.event.pipeline = 1000;
    r->cfg.energy.gate.gated = 90;
    r->cfg.energy.gate.broadcast = 3;
    r->cfg.energy.gate.ack = 1;
    r->cfg.energy.gate.break_even = 14;
    return r;
}

TEST(what_members_tell_each_other_costs_shares_of_an_instruction)
{
    rig *r = cluster_rig();

    set(r, "sm[0].broadcasts", 1000);
    CHECK_EQ(compute(r, 0).part_fj[ENERGY_LINK], 11700000);
    set(r, "sm[0].broadcasts", 0);
    set(r, "sm[1].acks", 100);
    set(r, "sm[1].outcomes", 20);
    set(r, "sm[1].credits", 3);
    energy e = compute(r, 0);
    CHECK_EQ(e.part_fj[ENERGY_LINK], 123 * 3900);
    CHECK_EQ(energy_kind_fj(&e, ENERGY_FRONT), e.total_fj);
    r->cfg.sm.l0i.bytes = 4096;
    r->cfg.energy.event.fetch = 1000000000; /* costs are not cut to 32 bits */
    r->cfg.energy.event.decode = 1000000000;
    r->cfg.energy.gate.ack = 100;
    CHECK_EQ(compute(r, 0).part_fj[ENERGY_LINK], 123 * 1500097500ull);
    rig_free(r);
}

/* Of two SMs that run the same 1000 instructions: both front ends at work, or
 * one for both. What is switched off is 90 % of one. */
TEST(who_follows_spends_on_its_stacks_and_on_what_is_behind_issue)
{
    rig *r = cluster_rig();
    energy both, one;

    for (unsigned i = 0; i < 2; i++) {
        set(r, i ? "sm[1].fetches" : "sm[0].fetches", 500);
        set(r, i ? "sm[1].l1i_accesses" : "sm[0].l1i_accesses", 500);
        set(r, i ? "sm[1].fetched" : "sm[0].fetched", 1000);
        set(r, i ? "sm[1].issued" : "sm[0].issued", 1000);
        set(r, i ? "sm[1].warp_insts" : "sm[0].warp_insts", 1000);
    }
    both = compute(r, 0);
    CHECK_EQ(energy_kind_fj(&both, ENERGY_FRONT), 2 * 390000000);
    set(r, "sm[1].fetches", 0);
    set(r, "sm[1].l1i_accesses", 0);
    set(r, "sm[1].fetched", 0);
    set(r, "sm[1].issued", 0);
    set(r, "sm[1].followed", 1000);
    one = compute(r, 0);
    CHECK_EQ(one.part_fj[ENERGY_STACKS], 39000000);
    CHECK_EQ(energy_kind_fj(&one, ENERGY_FRONT), 390000000 + 39000000);
    CHECK_EQ(one.part_fj[ENERGY_PIPELINE], both.part_fj[ENERGY_PIPELINE]);
    CHECK_EQ(parts(&one), one.total_fj);
    rig_free(r);
}

/* The break-even time is how long a front end must be off to save what
 * switching it off and on costs. */
TEST(sleep_of_the_break_even_time_saves_nothing)
{
    rig *r = cluster_rig();

    r->cfg.energy.power.front_end = 300000; /* uW: 300 fJ in each ns */
    r->cfg.energy.power.front_end_gated = 30000;
    set(r, "sm[0].cycles", 1000);
    set(r, "sm[0].active_cycles", 1000);
    uint64_t on = compute(r, 1000).total_fj;
    CHECK_EQ(on, 1000 * 300000);
    set(r, "sm[0].sleeps", 2);
    set(r, "sm[0].gated_active", 27);
    CHECK_EQ(compute(r, 1000).total_fj, on + 270000);
    set(r, "sm[0].gated_active", 28);
    CHECK_EQ(compute(r, 1000).total_fj, on);
    CHECK_EQ(compute(r, 1000).part_fj[ENERGY_WAKE], 2 * 14 * 270000);
    set(r, "sm[0].gated_active", 29);
    CHECK_EQ(compute(r, 1000).total_fj, on - 270000);
    /* Without power it draws more than with: that is no gain. */
    r->cfg.energy.power.front_end_gated = 400000;
    CHECK_EQ(compute(r, 1000).part_fj[ENERGY_WAKE], 0);
    rig_free(r);
}

/* A port more makes registers a tenth dearer, and only there. */
TEST(a_write_port_of_its_own_costs_a_share_of_registers)
{
    rig *r = cluster_rig();

    r->cfg.energy.event.rf_read = 1000;
    r->cfg.energy.event.rf_write = 2000;
    r->cfg.energy.event.rf_operand = 0;
    r->cfg.energy.gate.port = 10;
    set(r, "sm[0].bank_reads", 30);
    set(r, "sm[1].reg_writes", 7);
    r->cfg.gpu.cluster.load_port = true;
    CHECK_EQ(compute(r, 0).part_fj[ENERGY_REGISTERS], 30 * 1000 + 7 * 2000);
    r->cfg.gpu.cluster.size = 2;
    CHECK_EQ(compute(r, 0).part_fj[ENERGY_REGISTERS], 30 * 1100 + 7 * 2200);
    r->cfg.gpu.cluster.load_port = false;
    CHECK_EQ(compute(r, 0).part_fj[ENERGY_REGISTERS], 30 * 1000 + 7 * 2000);
    rig_free(r);
}

/* 80 % of the time shared by two, of which 90 % can be switched off: 36 % of
 * 1000 fJ are not spent, and 20 on links: 660 are left. */
TEST(what_sharing_saves_by_the_formula)
{
    rig *r = cluster_rig();
    energy e = {.part_fj = {[ENERGY_FETCH] = 500,
                            [ENERGY_FRONT_STATIC] = 140,
                            [ENERGY_LINK] = 15,
                            [ENERGY_WAKE] = 5,
                            [ENERGY_BOARD] = 7777},
                .total_fj = 660 + 7777};
    energy_sharing is;

    set(r, "sm[0].active_cycles", 600);
    set(r, "sm[1].active_cycles", 400);
    set(r, "sm[0].shared_active", 500);
    set(r, "sm[1].shared_active", 300);
    CHECK(!energy_sharing_of(&r->cfg, r->stats, r->totals, &e, &is));
    r->cfg.gpu.cluster.size = 2;
    CHECK(energy_sharing_of(&r->cfg, r->stats, r->totals, &e, &is));
    CHECK_EQ(is.size, 2);
    CHECK(fabs(is.shared - 0.8) < 1e-12);
    CHECK(fabs(is.formula - 0.36) < 1e-12);
    CHECK(fabs(is.overhead - 0.02) < 1e-12);
    CHECK(fabs(is.saved - (1 - 660.0 / 1000)) < 1e-12);
    CHECK(fabs(is.of_all - 340.0 / (7777 + 1000)) < 1e-12);
    r->cfg.gpu.cluster.size = 4; /* the source's limit: 67.5 % */
    r->cfg.energy.gate.gated = 90;
    set(r, "sm[0].shared_active", 700);
    CHECK(energy_sharing_of(&r->cfg, r->stats, r->totals, &e, &is));
    CHECK(fabs(is.formula - 0.675) < 1e-12);
    rig_free(r);
}

/* ---- Figures ---- */

TEST(sums_of_parts_have_names)
{
    const uint64_t fj[ENERGY_PARTS] = {[ENERGY_FETCH] = 1,
                                       [ENERGY_LINK] = 20,
                                       [ENERGY_INT] = 300,
                                       [ENERGY_FRONT_STATIC] = 4000,
                                       [ENERGY_BOARD] = 50000};
    static const struct {
        const char *name;
        uint64_t fj;
    } sums[] = {{"link", 20},     {"front_end", 4021}, {"front_dynamic", 21},
                {"dynamic", 321}, {"all", 54321},      {"scheduler", 0}};
    uint64_t got;

    for (unsigned i = 0; i < COUNTOF(sums); i++) {
        CHECK(energy_sum_fj(fj, sums[i].name, &got));
        CHECK_EQ(got, sums[i].fj);
    }
    CHECK(!energy_sum_fj(fj, "front", &got));
}

TEST(figures_are_in_joules_watts_and_seconds)
{
    energy e = {.cycles = 2000, .clock_khz = 500000}; /* 4 us */

    e.part_fj[ENERGY_FETCH] = 100000000000;        /* 0.1 mJ */
    e.part_fj[ENERGY_REGISTERS] = 300000000000;    /* 0.3 mJ */
    e.part_fj[ENERGY_FRONT_STATIC] = 100000000000; /* 0.1 mJ */
    e.part_fj[ENERGY_BOARD] = 500000000000;        /* 0.5 mJ */
    e.total_fj = parts(&e);
    CHECK(fabs(energy_joules(e.total_fj) - 1e-3) < 1e-15);
    CHECK(fabs(energy_seconds(&e) - 4e-6) < 1e-18);
    CHECK(fabs(energy_watts(&e, e.total_fj) - 250) < 1e-9);
    CHECK(fabs(energy_edp(&e) - 4e-9) < 1e-18);
    CHECK(fabs(energy_front_of_dynamic(&e) - 0.25) < 1e-12);
    CHECK(fabs(energy_front_of_total(&e) - 0.2) < 1e-12);
    e = (energy){0};
    CHECK(isnan(energy_watts(&e, 0)));
    CHECK(isnan(energy_front_of_dynamic(&e)));
    CHECK(isnan(energy_front_of_total(&e)));
}

TEST(too_much_energy_is_told)
{
    rig *r = rig_new();

    set(r, "sm[0].bank_reads", UINT64_MAX / 1000);
    r->cfg.energy.event.rf_read = 1000;
    CHECK(!compute(r, 1).overflow);
    r->cfg.energy.event.rf_read = 1002;
    CHECK(compute(r, 1).overflow);
    r->cfg.energy.event.rf_read = 600;
    energy e = compute(r, 1), sum = e;
    CHECK(!e.overflow);
    energy_add(&sum, &e);
    CHECK(sum.overflow);
    rig_free(r);
}

TEST(a_series_keeps_its_rows)
{
    energy_series s = {0};

    for (uint64_t i = 0; i < 200; i++)
        energy_series_add(&s, 10 * i, &(energy){.total_fj = i});
    CHECK_EQ(s.count, 200);
    CHECK_EQ(s.row[137].start, 1370);
    CHECK_EQ(s.row[137].energy.total_fj, 137);
    energy_series_fini(&s);
    CHECK_EQ(s.count, 0);
}
