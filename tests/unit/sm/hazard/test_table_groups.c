/* tests/unit/sm/hazard/test_table_groups.c - slots that are divided among the
 * warps of a group that run: sm.table.group. */
#include "schedulers.h"
#include "sm/hazard/table.h"
#include "unit/sm/bench.h"
#include "unit/sm/dual_random.h"
#include "unit/sm/property.h"

/* Four warps to a line, of four slots each: 0, 12, 24 and 36 of 48. */
enum { LINE = 12 };

static void loads(bench *b)
{
    isa_inst in[BENCH_INSTS];

    for (unsigned i = 0; i < BENCH_INSTS; i++)
        in[i] = op3(ISA_FADD, 10 + i, 1, 2);
    memset(b, 0, sizeof *b);
    config_defaults(&b->cfg);
    b->cfg.sm.warps = 48;
    b->cfg.sm.issue.schedulers = 2;
    b->cfg.sm.issue.hazard = CFG_HAZARD_TABLE;
    b->cfg.sm.table.slots = 4;
    b->cfg.sm.table.group = 4;
    bench_start(b, in, BENCH_INSTS);
}

static uint64_t begins(bench *b, unsigned warp)
{
    return b->h->ops->begin(b->h, warp);
}

static uint64_t ends(bench *b, unsigned warp)
{
    return b->h->ops->end(b->h, warp);
}

static void takes(bench *b, unsigned warp, unsigned i)
{
    CHECK_EQ(ask(b, warp, i), WHY_READY);
    b->h->ops->reserve(b->h, warp, &b->code.inst[i]);
}

static void gives(bench *b, unsigned warp, unsigned i)
{
    b->h->ops->release(b->h, warp, &b->code.inst[i]);
}

/* ---- What the page says, row by row ---- */

TEST(a_warp_alone_has_the_slots_of_all)
{
    bench b;

    loads(&b);
    CHECK_EQ(begins(&b, 0), 0);
    CHECK_EQ(sm_table_room(b.h, 0), 16);
    CHECK_EQ(begins(&b, 1), 0); /* of another line */
    CHECK_EQ(sm_table_room(b.h, 0), 16);
    CHECK_EQ(begins(&b, LINE), 1); /* who had been there has fewer */
    CHECK_EQ(sm_table_room(b.h, 0), 8);
    CHECK_EQ(sm_table_room(b.h, LINE), 8);
    CHECK_EQ(begins(&b, 2 * LINE), (uint64_t)1 << LINE);
    CHECK_EQ(sm_table_room(b.h, 0), 8); /* the fourth row is the first's */
    CHECK_EQ(sm_table_room(b.h, LINE), 4);
    CHECK_EQ(sm_table_room(b.h, 2 * LINE), 4);
    begins(&b, 3 * LINE);
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQ(sm_table_room(b.h, i * LINE), 4);
    CHECK_EQ(ends(&b, 0), (uint64_t)1 << LINE); /* it has that row now */
    CHECK_EQ(sm_table_room(b.h, LINE), 8);
    bench_fini(&b);
}

/* Rows 0 to 3 of the line hold four results each; another warp comes: rows 1
 * and 3 are to be its own, each once its last result is there. */
TEST(a_row_goes_over_when_it_is_empty)
{
    bench b;

    loads(&b);
    begins(&b, 0);
    for (unsigned i = 0; i < 16; i++)
        takes(&b, 0, i);
    CHECK_EQ(ask(&b, 0, 0), WHY_WAW);
    begins(&b, LINE);
    CHECK_EQ(sm_table_used(b.h, 0), 16); /* nothing is lost */
    CHECK_EQ(sm_table_room(b.h, LINE), 0);
    CHECK_EQ(ask(&b, LINE, 0), WHY_TABLE);
    for (unsigned i = 4; i < 8; i++) {
        CHECK_EQ(sm_table_owner(b.h, LINE), 0);
        gives(&b, 0, i);
        CHECK_EQ(sm_table_room(b.h, 0), 0); /* nothing new gets there */
        CHECK_EQ(ask(&b, 0, i), WHY_TABLE);
    }
    CHECK_EQ(sm_table_owner(b.h, LINE), LINE);
    CHECK_EQ(sm_table_room(b.h, LINE), 4);
    takes(&b, LINE, 0);
    gives(&b, 0, 0); /* of its own row: that it can use again */
    takes(&b, 0, 4);
    gives(&b, 0, 12);
    CHECK_EQ(sm_table_room(b.h, LINE), 3);
    CHECK_EQ(b.st.table_moves, 1 + 3); /* three at the start, one since */
    bench_fini(&b);
}

static void note(void *to, uint64_t warps) { *(uint64_t *)to |= warps; }

TEST(who_gets_a_row_is_told)
{
    static const uint64_t now;
    uint64_t told = 0;
    bench b;

    loads(&b);
    sm_hazard_attach(b.h, &now, note, &told);
    begins(&b, 0);
    for (unsigned i = 0; i < 5; i++)
        takes(&b, 0, i);
    begins(&b, LINE); /* row 3 is empty, row 1 has a result */
    CHECK_EQ(sm_table_room(b.h, LINE), 4);
    CHECK_EQ(told, 0);
    gives(&b, 0, 4);
    CHECK_EQ(told, (uint64_t)1 << LINE);
    CHECK_EQ(sm_table_room(b.h, LINE), 8);
    bench_fini(&b);
}

/* What is counted of rows: a check reads all that the warp has. */
TEST(further_rows_are_counted)
{
    bench b;

    loads(&b);
    begins(&b, 0);
    takes(&b, 0, 0);
    CHECK_EQ(b.st.table_rows, 3);
    gives(&b, 0, 0);
    CHECK_EQ(b.st.table_rows, 6);
    begins(&b, LINE);
    ask(&b, 0, 0);
    CHECK_EQ(b.st.table_rows, 7);
    bench_fini(&b);
}

/* Starts, ends, results that come and go at random: a plain list of what is
 * pending says what a check has to say, and room comes when all is there. */
TEST(lines_divide_at_random)
{
    bool pending[4][BENCH_INSTS] = {{false}};
    uint64_t running = 0;
    bench b;
    rng r;

    loads(&b);
    rng_init(&r, 7, "groups");
    for (unsigned step = 0; step < 50000; step++) {
        unsigned m = rng_below(&r, 4), w = m * LINE, flying = 0, all = 0;
        unsigned i = rng_below(&r, BENCH_INSTS);

        for (unsigned k = 0; k < BENCH_INSTS; k++)
            flying += pending[m][k];
        if (!(running >> w & 1)) {
            running |= (uint64_t)1 << w;
            begins(&b, w);
        } else if (!flying && rng_below(&r, 4) == 0) {
            running &= ~((uint64_t)1 << w);
            ends(&b, w);
        } else if (pending[m][i]) {
            CHECK_EQ(ask(&b, w, i), WHY_WAW);
            gives(&b, w, i);
            pending[m][i] = false;
        } else {
            bool room = sm_table_room(b.h, w) != 0;

            CHECK_EQ(ask(&b, w, i), room ? WHY_READY : WHY_TABLE);
            if (room)
                takes(&b, w, i);
            pending[m][i] = room;
        }
        for (unsigned k = 0; k < 4; k++)
            all += sm_table_used(b.h, k * LINE) + sm_table_room(b.h, k * LINE);
        CHECK(all <= 16);
        for (unsigned k = 0; k < 4; k++)
            CHECK(!(running >> k * LINE & 1) || sm_table_used(b.h, k * LINE) ||
                  sm_table_room(b.h, k * LINE) || all);
    }
    for (unsigned m = 0; m < 4; m++)
        for (unsigned i = 0; i < BENCH_INSTS; i++)
            if (pending[m][i])
                gives(&b, m * LINE, i);
    for (unsigned m = 0; m < 4; m++)
        if (running >> m * LINE & 1)
            CHECK(sm_table_room(b.h, m * LINE) >= 4);
    CHECK_EQ(b.st.table_writes, b.st.table_frees);
    bench_fini(&b);
}

/* ---- In the pipeline ---- */

/* A line of two warps; the second CTA comes while the first one's loads are on
 * their way. Loads take a hundred cycles, and their addresses 32. */
static rig *two_ctas(unsigned slots, const char *text, uint64_t second_at)
{
    char settings[512];

    snprintf(settings, sizeof settings,
             "gtx480\nsm.fetch.perfect=true\nsm.issue.schedulers=1\n"
             "sm.warps=2\n"
             "sm.rf.collect=none\nsm.constant.perfect=true\nsm.lsu.queue=1\n"
             "sm.issue.hazard=table\nsm.table.slots=%u\nsm.table.group=2\n",
             slots);
    rig *r = rig_new(settings);
    r->l1.latency = 100;
    uint64_t data = mem_alloc(r->image, 65536, "data");
    rig_param(r, 0, data);
    rig_program(r, "", text, 2, 32);
    r->launch.grid[0] = 1;
    while (r->now < second_at)
        rig_step(r);
    r->launch.grid[0] = 2;
    return r;
}

#define ADDRESS                                                                \
    "S2R R0, SR_CTAID.X\nISETP.NE.AND P0, PT, R0, RZ, PT\n@P0 BRA second\n"    \
    "S2R R1, SR_TID.X\nMOV R4, c[0x0][0x140]\nMOV R5, c[0x0][0x144]\n"         \
    "IMAD.WIDE.U32 R4, R1, 0x80, R4\n"
#define SECOND "EXIT\nsecond:\nFADD R8, R2, R3\nFADD R9, R2, R3\nEXIT\n"

/* It finds its row taken and waits until that is empty, not until the other
 * warp ends, which has a chain of sums to do. */
TEST(a_new_warp_waits_for_its_row)
{
    strbuf b = {0};

    strbuf_puts(&b, ADDRESS "LDG.E R10, [R4]\nLDG.E R11, [R4+4]\n"
                            "FADD R12, R10, R11\n");
    for (unsigned i = 0; i < 40; i++)
        strbuf_puts(&b, "FADD R12, R12, R12\n");
    strbuf_puts(&b, SECOND);
    rig *r = two_ctas(1, b.text, 160);
    strbuf_fini(&b);
    CHECK_EQ(sm_table_used(r->s->hazards.policy, 0), 2);
    rig_step(r);
    CHECK_EQ(sm_table_room(r->s->hazards.policy, 1), 0);
    while (r->s->resident >> 1 & 1 && r->now < 1000)
        rig_step(r);
    CHECK_EQ(r->s->resident, 1);
    rig_run(r, 10000);
    CHECK(!sm_fault(r->s));
    CHECK(rig_stat(r, "stall_table_full") > 10);
    CHECK_EQ(rig_stat(r, "table_writes"), rig_stat(r, "table_frees"));
    rig_free(r);
}

/* The second load has passed, but the load unit is busy: when a warp comes
 * whose row it counted on, it has to wait for its own. */
TEST(who_has_passed_is_asked_again)
{
    const char *text = ADDRESS "LDG.E R10, [R4]\nLDG.E R11, [R4+4]\n" SECOND;
    unsigned met = 0;

    for (uint64_t at = 16; at <= 160; at += RIG_WINDOW) {
        rig *r = two_ctas(1, text, at);
        bool passed = r->s->wait[WHY_READY] & 1 &&
                      sm_table_used(r->s->hazards.policy, 0) == 1;

        rig_step(r);
        if (passed) {
            CHECK_EQ(r->s->warp[0].why, WHY_TABLE);
            met++;
        }
        rig_run(r, 10000);
        CHECK(!sm_fault(r->s));
        rig_free(r);
    }
    CHECK(met > 0);
}

/* ---- Programs ---- */

/* Hazards, order and memory are as with a scoreboard; idle cycles may be
 * skipped. */
static const char *divided(const char *settings, const char *text)
{
    outcome board = with(settings, "sm.issue.hazard=scoreboard\n%.0u", 0, text);
    char all[1024];

    snprintf(all, sizeof all, "%ssm.issue.hazard=table\n", settings);
    outcome quick = run(all, text, true), slow = run(all, text, false);
    if (board.broken || quick.broken || slow.broken)
        return quick.broken  ? quick.broken
               : slow.broken ? slow.broken
                             : board.broken;
    if (quick.memory != board.memory)
        return "another result";
    if (quick.order != board.order)
        return "a warp is not in order";
    if (quick.end != slow.end || quick.stats != slow.stats)
        return "skipping changes something";
    return NULL;
}

/* 15 warps in as many slots: until the first of them ends each has its own row,
 * so all is as without groups. */
static const char *as_without(const char *settings, const char *text)
{
    outcome own = with(settings, "sm.table.group=%u\n", 1, text);
    outcome line = with(settings, "sm.table.group=%u\n", 3, text);

    if (own.broken || line.broken)
        return own.broken ? own.broken : line.broken;
    if (!line.full)
        return "not all warp slots are taken";
    return own.to_end != line.to_end ? "a full line is no table" : NULL;
}

/* At most one warp of each line runs: each has four times the slots. */
static const char *as_wide(const char *settings, const char *text)
{
    outcome wide = with(settings, "sm.table.slots=%u\n", 8, text);
    outcome line =
        with(settings, "sm.table.group=%u\nsm.table.slots=2\n", 4, text);

    if (wide.broken || line.broken)
        return wide.broken ? wide.broken : line.broken;
    if (wide.end != line.end || wide.log != line.log ||
        wide.stalls != line.stalls || wide.compares != line.compares)
        return "a line of one warp is not an entry of all its slots";
    return NULL;
}

static void on(const char *name, isa_arch arch)
{
    static const char *const how[] = {
        "sm.table.slots=2\nsm.table.group=2\n",
        "sm.table.slots=4\nsm.table.group=4\nsm.table.mask=true\n",
        "sm.table.slots=2\nsm.table.group=4\nsm.table.mode=serial\n",
        "sm.table.slots=2\nsm.table.group=4\nsm.table.ready=2\n"
        "sm.table.ports=1\n",
        "sm.table.slots=2\nsm.table.group=2\nsm.table.full_blocks=true\n"
        "sm.table.release=register\nsm.rf.write_width=1\n"};
    char settings[512];

    for (unsigned i = 0; i < COUNTOF(how); i++) {
        snprintf(
            settings, sizeof settings,
            "%s\nsm.issue.schedulers=2\nsm.warps=8\nsm.issue.scheduler=%s\n"
            "sm.issue.release=%s\n%s",
            name, scheduler_name(i), i % 2 ? "next" : "same", how[i]);
        holds(divided, settings, program(1100 * arch + i, arch));
    }
    for (unsigned i = 0; i < 3; i++) {
        snprintf(settings, sizeof settings,
                 "%s\nsm.issue.schedulers=1\nsm.warps=15\nsm.ctas=5\n"
                 "sm.issue.scheduler=%s\nsm.issue.hazard=table\n"
                 "sm.table.slots=%u\n",
                 name, scheduler_name(i), 2 + i);
        holds(as_without, settings, program(1300 * arch + i, arch));
        snprintf(settings, sizeof settings,
                 "%s\nsm.issue.schedulers=2\nsm.warps=48\nsm.ctas=4\n"
                 "sm.issue.scheduler=%s\nsm.issue.hazard=table\n",
                 name, scheduler_name(i));
        holds(as_wide, settings, program(1500 * arch + i, arch));
    }
}

TEST(groups_on_fermi) { on("gtx480", ARCH_FERMI); }
TEST(groups_on_kepler) { on("k20-single", ARCH_KEPLER); }
TEST(groups_on_volta) { on("v100\nsm.rf.per_scheduler=false", ARCH_VOLTA); }

TEST(groups_with_pairs)
{
    for (unsigned i = 0; i < 3; i++)
        holds(divided, "k20\nsm.warps=16\nsm.table.slots=4\nsm.table.group=2\n",
              dual_program(70 + i));
}
