/* tests/unit/sm/test_width.c - results whose registers are written one after
 * the other: who may go on when, and what the table keeps of them. */
#include "bench.h"
#include "dies.h"
#include "rig.h"
#include "sm/hazard/table.h"

enum { WARP = 3 };

/* A result of four registers, its readers, and who overwrites its first. */
enum { LOAD, READ_0, READ_1, READ_3, READ_ALL, WRITE_0, PAIR };

static void start(bench *b, cfg_hazard hazard, cfg_table_release release,
                  unsigned offset_bits)
{
    isa_inst in[] = {
        [LOAD] = op3(ISA_LDG, 4, 2, ISA_RZ),
        [READ_0] = op3(ISA_FADD, 0, 4, 1),
        [READ_1] = op3(ISA_FADD, 0, 5, 1),
        [READ_3] = op3(ISA_FADD, 0, 7, 1),
        [READ_ALL] = op3(ISA_STG, ISA_RZ, 2, 4),
        [WRITE_0] = op3(ISA_FADD, 4, 1, 1),
        [PAIR] = op3(ISA_DADD, 10, 4, 12),
    };

    in[LOAD].src_kind[1] = SRC_NONE;
    ISA_PUT(&in[LOAD], SIZE, SIZE_128);
    ISA_PUT(&in[READ_ALL], SIZE, SIZE_128);
    memset(b, 0, sizeof *b);
    config_defaults(&b->cfg);
    b->cfg.sm.issue.hazard = hazard;
    b->cfg.sm.table.release = release;
    b->cfg.sm.table.offset_bits = offset_bits;
    bench_start(b, in, COUNTOF(in));
}

static void take(bench *b, unsigned i)
{
    b->h->ops->reserve(b->h, WARP, &b->code.inst[i]);
}

static void land(bench *b, unsigned i, unsigned first, unsigned n)
{
    b->h->ops->release_part(b->h, WARP, &b->code.inst[i], first, n);
}

/* A bit of the scoreboard is cleared as its register is written, and so is one
 * of a slot's mask; a slot that is released as a whole holds all of them up
 * until the last. */
TEST(registers_are_free_as_they_land)
{
    static const struct {
        cfg_hazard hazard;
        cfg_table_release release;
        bool by_register;
    } row[] = {
        {CFG_HAZARD_SCOREBOARD, CFG_TABLE_RELEASE_SLOT, true},
        {CFG_HAZARD_UNLIMITED, CFG_TABLE_RELEASE_REGISTER, true},
        {CFG_HAZARD_UNLIMITED, CFG_TABLE_RELEASE_SLOT, false},
        {CFG_HAZARD_TABLE, CFG_TABLE_RELEASE_REGISTER, true},
        {CFG_HAZARD_TABLE, CFG_TABLE_RELEASE_SLOT, false},
        {CFG_HAZARD_NONE, CFG_TABLE_RELEASE_SLOT, true},
    };

    for (size_t k = 0; k < COUNTOF(row); k++) {
        sm_why waits = row[k].by_register ? WHY_READY : WHY_RAW_MEM;
        bench b;

        start(&b, row[k].hazard, row[k].release, 2);
        take(&b, LOAD);
        CHECK(!b.h->ops->idle(b.h, WARP));
        CHECK_EQ(ask(&b, WARP, READ_0), WHY_RAW_MEM);
        land(&b, LOAD, 0, 1);
        CHECK_EQ(ask(&b, WARP, READ_0), waits);
        CHECK_EQ(ask(&b, WARP, WRITE_0), waits);
        CHECK_EQ(ask(&b, WARP, READ_1), WHY_RAW_MEM);
        land(&b, LOAD, 1, 2);
        CHECK_EQ(ask(&b, WARP, READ_1), waits);
        CHECK_EQ(ask(&b, WARP, PAIR), waits); /* R4, R5 */
        CHECK_EQ(ask(&b, WARP, READ_ALL), WHY_RAW_MEM);
        CHECK_EQ(ask(&b, WARP, READ_3), WHY_RAW_MEM);
        CHECK(!b.h->ops->idle(b.h, WARP));
        land(&b, LOAD, 3, 1);
        CHECK_EQ(ask(&b, WARP, READ_3), WHY_READY);
        CHECK_EQ(ask(&b, WARP, READ_ALL), WHY_READY);
        CHECK_EQ(ask(&b, WARP, WRITE_0), WHY_READY);
        CHECK(b.h->ops->idle(b.h, WARP));
        bench_fini(&b);
    }
}

/* Of a result in two slots the first is free with the last register that it
 * stands for. */
TEST(each_slot_of_a_result_is_free_by_itself)
{
    static const cfg_table_release release[] = {CFG_TABLE_RELEASE_SLOT,
                                                CFG_TABLE_RELEASE_REGISTER};

    for (unsigned k = 0; k < 2; k++) {
        bench b;

        start(&b, CFG_HAZARD_TABLE, release[k], 1);
        take(&b, LOAD);
        CHECK_EQ(sm_table_used(b.h, WARP), 2);
        land(&b, LOAD, 0, 1);
        CHECK_EQ(sm_table_used(b.h, WARP), 2);
        land(&b, LOAD, 1, 1);
        CHECK_EQ(sm_table_used(b.h, WARP), 1);
        CHECK_EQ(ask(&b, WARP, READ_1), WHY_READY);
        CHECK_EQ(ask(&b, WARP, READ_3), WHY_RAW_MEM);
        land(&b, LOAD, 2, 2);
        CHECK_EQ(sm_table_used(b.h, WARP), 0);
        CHECK_EQ(b.st.table_frees, 2);
        bench_fini(&b);
    }
}

/* R4 is pending again, in a slot of its own, while R5 to R7 await the load: two
 * slots begin with R4, and each result finds its own. */
TEST(a_register_may_be_pending_again_before_its_slot_is_free)
{
    bench b;

    start(&b, CFG_HAZARD_TABLE, CFG_TABLE_RELEASE_REGISTER, 2);
    take(&b, LOAD);
    land(&b, LOAD, 0, 1);
    take(&b, WRITE_0);
    CHECK_EQ(sm_table_used(b.h, WARP), 2);
    CHECK_EQ(ask(&b, WARP, READ_0), WHY_RAW_ALU);
    land(&b, LOAD, 1, 3);
    CHECK_EQ(sm_table_used(b.h, WARP), 1);
    CHECK_EQ(ask(&b, WARP, READ_0), WHY_RAW_ALU);
    CHECK_EQ(ask(&b, WARP, READ_3), WHY_READY);
    b.h->ops->release(b.h, WARP, &b.code.inst[WRITE_0]);
    CHECK(b.h->ops->idle(b.h, WARP));
    bench_fini(&b);
}

/* What is remembered of a slot that goes on standing for other registers is
 * compared with it, and nothing else, again. */
TEST(masks_follow_registers_of_a_slot)
{
    bench b;

    start(&b, CFG_HAZARD_TABLE, CFG_TABLE_RELEASE_REGISTER, 2);
    b.h->ops->free(b.h);
    b.cfg.sm.table.mask = true;
    b.h = sm_hazard_new(&b.cfg, &b.st);
    take(&b, LOAD);
    CHECK_EQ(ask(&b, WARP, PAIR), WHY_RAW_MEM);
    uint64_t compares = b.st.table_compares;
    CHECK_EQ(compares, 5); /* four sources and a result, one slot */
    land(&b, LOAD, 0, 1);
    CHECK_EQ(ask(&b, WARP, PAIR), WHY_RAW_MEM); /* R5 */
    CHECK_EQ(b.st.table_compares, 2 * compares);
    land(&b, LOAD, 1, 1);
    CHECK_EQ(ask(&b, WARP, PAIR), WHY_READY);
    CHECK_EQ(b.st.table_compares, 3 * compares);
    land(&b, LOAD, 2, 2);
    CHECK_EQ(b.st.table_compares, 3 * compares); /* it no longer waits */
    CHECK_EQ(b.st.table_compares_once, compares);
    CHECK_EQ(b.st.table_remembered, 2);
    bench_fini(&b);
}

/* The same instruction again, as in a loop of its own, is another one. */
TEST(who_has_issued_is_compared_anew)
{
    bench b;

    start(&b, CFG_HAZARD_TABLE, CFG_TABLE_RELEASE_SLOT, 2);
    b.h->ops->free(b.h);
    b.cfg.sm.table.mask = true;
    b.h = sm_hazard_new(&b.cfg, &b.st);
    CHECK_EQ(ask(&b, WARP, WRITE_0), WHY_READY);
    CHECK_EQ(ask(&b, WARP, WRITE_0), WHY_READY);
    CHECK_EQ(b.st.table_remembered, 1);
    take(&b, WRITE_0);
    b.h->ops->issued(b.h, WARP, &b.code.inst[WRITE_0], 0);
    CHECK_EQ(ask(&b, WARP, WRITE_0), WHY_WAW);
    CHECK_EQ(b.st.table_remembered, 1);
    bench_fini(&b);
}

/* ---- What was never recorded cannot be written ---- */

static void land_unknown(void *arg) { land(arg, LOAD, 0, 4); }

static void release_unknown(void *arg)
{
    bench *b = arg;

    b->h->ops->release(b->h, WARP, &b->code.inst[LOAD]);
}

static void land_twice(void *arg)
{
    land(arg, LOAD, 0, 1);
    land(arg, LOAD, 0, 1);
}

TEST(results_that_are_not_recorded_are_bugs)
{
    for (unsigned k = 0; k < 2; k++) {
        bench b;

        start(&b, CFG_HAZARD_TABLE, (cfg_table_release)k, 2);
        CHECK(dies(land_unknown, &b));
        CHECK(dies(release_unknown, &b));
        take(&b, LOAD);
        CHECK(!dies(release_unknown, &b));
        CHECK(!dies(land_unknown, &b));
        CHECK(dies(land_twice, &b));
        bench_fini(&b);
    }
#ifdef HEDDLE_CHECKS
    bench b;

    start(&b, CFG_HAZARD_SCOREBOARD, CFG_TABLE_RELEASE_SLOT, 2);
    CHECK(dies(release_unknown, &b));
    CHECK(dies(land_unknown, &b));
    take(&b, LOAD);
    CHECK(dies(land_twice, &b));
    bench_fini(&b);
#endif
}

/* ---- In the pipeline ---- */

static const char plain[] =
    "sm.fetch.perfect=true\nsm.fetch.buffer=16\nsm.fetch.width=4\n"
    "sm.issue.schedulers=1\nsm.rf.collect=none\nsm.constant.perfect=true\n"
    "sm.issue.oracle=true\nsm.rf.results=64\nsm.op.fp64.latency=10\n";

static rig *machine(const char *more, const char *text)
{
    char settings[1024];

    snprintf(settings, sizeof settings, "%s%s", plain, more);
    rig *r = rig_new(settings);
    rig_program(r, ".shared 1024", text, 1, 32);
    return r;
}

static uint64_t end_of(const char *more, const char *text)
{
    rig *r = machine(more, text);
    uint64_t end = rig_run(r, 10000);

    CHECK(!sm_fault(r->s));
    rig_check_sum(r);
    CHECK_EQ(rig_stat(r, "table_writes"), rig_stat(r, "table_frees"));
    rig_free(r);
    return end;
}

#define BOARD    "sm.issue.hazard=scoreboard\n"
#define SLOT     "sm.issue.hazard=table\nsm.table.release=slot\n"
#define REGISTER "sm.issue.hazard=table\nsm.table.release=register\n"
#define ONE      "sm.rf.write_width=1\n"
#define TWO      "sm.rf.write_width=2\n"

/* LDS.128 and a reader of each of its registers: who comes first in the order
 * of registers finds them written just in time, unless their slot is released
 * as a whole: three cycles. In the other order the first waits for the last
 * register anyway. The last result is that of a reader, so the end is when the
 * last reader issues. */
TEST(readers_of_a_128_bit_load)
{
    static const char up[] =
        "MOV R2, RZ\nLDS.128 R4, [R2]\nFADD R8, R4, R1\nFADD R9, R5, R1\n"
        "FADD R10, R6, R1\nFADD R11, R7, R1\nEXIT\n";
    static const char down[] =
        "MOV R2, RZ\nLDS.128 R4, [R2]\nFADD R8, R7, R1\nFADD R9, R6, R1\n"
        "FADD R10, R5, R1\nFADD R11, R4, R1\nEXIT\n";
    uint64_t end = end_of(BOARD, up);

    CHECK_EQ(end_of(SLOT, up), end);
    CHECK_EQ(end_of(REGISTER, up), end);
    CHECK_EQ(end_of(BOARD ONE, up), end);
    CHECK_EQ(end_of(REGISTER ONE, up), end);
    CHECK_EQ(end_of(SLOT ONE, up), end + 3);
    CHECK_EQ(end_of(SLOT TWO, up), end + 1);
    CHECK_EQ(end_of(BOARD TWO, up), end);
    CHECK_EQ(end_of(BOARD, down), end);
    CHECK_EQ(end_of(BOARD ONE, down), end + 3);
    CHECK_EQ(end_of(REGISTER ONE, down), end + 3);
    CHECK_EQ(end_of(SLOT ONE, down), end + 3);
}

/* The second register of a double comes a cycle after its latency. */
TEST(readers_of_a_pair)
{
    const char *low = "DADD R4, R2, R2\nFADD R8, R4, R1\nEXIT\n";
    const char *high = "DADD R4, R2, R2\nFADD R8, R5, R1\nEXIT\n";
    uint64_t end = end_of(BOARD, low);

    CHECK_EQ(end_of(BOARD, high), end);
    CHECK_EQ(end_of(BOARD ONE, low), end);
    CHECK_EQ(end_of(BOARD ONE, high), end + 1);
    CHECK_EQ(end_of(REGISTER ONE, low), end);
    CHECK_EQ(end_of(SLOT ONE, low), end + 1);
    CHECK_EQ(end_of(BOARD TWO, high), end);
}

/* The first register may be overwritten while the others are on their way. */
TEST(registers_are_used_again_while_others_land)
{
    const char *text = "MOV R2, RZ\nLDS.128 R4, [R2]\nFADD R4, R4, R1\n"
                       "FADD R8, R7, R4\nEXIT\n";

    CHECK_EQ(end_of(REGISTER ONE, text), end_of(BOARD ONE, text));
    CHECK(end_of(SLOT ONE, text) > end_of(BOARD ONE, text));
}

/* Each register is a write-back of its own: one port of the table takes four
 * cycles for a load of 128 bits, a table of one access a cycle as many. */
TEST(registers_wait_for_ports_in_order)
{
    const char *text = "MOV R2, RZ\nLDS.128 R4, [R2]\nFADD R8, R7, R1\nEXIT\n";
    const char *ports = REGISTER "sm.table.ports=1\nsm.table.buffer=1\n";
    char more[256];

    CHECK_EQ(end_of(ports, text), end_of(REGISTER, text));
    snprintf(more, sizeof more, "%s" ONE, ports);
    CHECK_EQ(end_of(more, text), end_of(REGISTER, text) + 3);
    for (unsigned serial = 0; serial < 2; serial++) {
        snprintf(more, sizeof more, "%s" ONE "%s", ports,
                 serial ? "sm.table.mode=serial\n" : "");
        rig *r = machine(more, text);
        rig_run(r, 10000);
        CHECK_EQ(rig_stat(r, "poll_cycles_wb"), 1 + 4 + 1);
        CHECK_EQ(rig_stat(r, "hazard_parts"), 3);
        rig_free(r);
    }
}

/* A warp that has ended stays until the last register of its result. */
TEST(the_last_register_ends_the_warp)
{
    const char *text = "MOV R2, RZ\nLDS.128 R4, [R2]\nEXIT\n";
    static const char *const how[] = {BOARD, SLOT, REGISTER};

    for (unsigned i = 0; i < 3; i++) {
        char one[256], two[256];

        snprintf(one, sizeof one, "%s" ONE, how[i]);
        snprintf(two, sizeof two, "%s" TWO, how[i]);
        CHECK_EQ(end_of(one, text), end_of(how[i], text) + 3);
        CHECK_EQ(end_of(two, text), end_of(how[i], text) + 1);
    }
}

/* A load that no lane executes writes its registers like others. */
TEST(predicated_off_loads_leak_nothing)
{
    const char *text =
        "ISETP.LT.AND P0, PT, R1, R1, PT\nMOV R2, RZ\n"
        "@P0 LDS.128 R4, [R2]\n@P0 LDS.64 R8, [R2]\nLDS.128 R4, [R2]\n"
        "FADD R8, R7, R1\nEXIT\n";
    static const char *const how[] = {BOARD ONE, SLOT ONE, REGISTER ONE,
                                      SLOT TWO, REGISTER TWO};

    for (size_t i = 0; i < COUNTOF(how); i++)
        end_of(how[i], text);
}
