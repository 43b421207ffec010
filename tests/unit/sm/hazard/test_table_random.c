/* tests/unit/sm/hazard/test_table_random.c - what holds of the table of pending
 * results for every program. */
#include "schedulers.h"
#include "unit/sm/bench.h"
#include "unit/sm/dual_random.h"
#include "unit/sm/property.h"

/* ---- properties: NULL or what does not hold ---- */

/* With room enough every instruction issues when it does under a scoreboard;
 * with a slot less than most, some wait. An entry may be full for a while
 * before the result issues that is the last to find room; only the active set
 * of two levels minds that. */
static const char *as_the_scoreboard(const char *settings, const char *text)
{
    outcome board = with(settings, "sm.issue.hazard=scoreboard\n%.0u", 0, text);
    outcome all = with(settings, "sm.issue.hazard=unlimited\n%.0u", 0, text);

    if (board.broken || all.broken)
        return board.broken ? board.broken : all.broken;
    if (all.end != board.end || all.log != board.log ||
        all.stalls != board.stalls || all.memory != board.memory)
        return "an unlimited table is not a scoreboard";
    if (!all.most)
        return NULL;
    const char *table = "sm.issue.hazard=table\nsm.table.slots=%u\n";
    unsigned spare = strstr(settings, "two_level") != NULL;
    outcome just = with(settings, table, all.most + spare, text);
    if (just.broken || just.end != board.end || just.log != board.log ||
        just.stalls != board.stalls)
        return just.broken ? just.broken : "enough slots are not enough";
    if (all.most < 2)
        return NULL;
    outcome less = with(settings, table, all.most - 1, text);
    if (!less.broken && !less.fulls)
        return "too few slots are enough";
    return less.broken;
}

/* Few slots change the time, not the result, and whether idle cycles are
 * skipped changes nothing. */
static const char *few_slots(const char *settings, const char *text)
{
    outcome board = with(settings, "sm.issue.hazard=scoreboard\n%.0u", 0, text);
    char all[1024];

    snprintf(all, sizeof all, "%ssm.issue.hazard=table\n", settings);
    outcome few = run(all, text, true), slow = run(all, text, false);
    if (board.broken || few.broken || slow.broken)
        return few.broken ? few.broken : slow.broken;
    if (few.memory != board.memory)
        return "another result";
    if (few.order != board.order)
        return "a warp is not in order";
    if (few.end != slow.end || few.stats != slow.stats)
        return "skipping changes something";
    return NULL;
}

/* ---- ---- */

/* The same where the table is accessed in turns or through few ports, or a
 * buffer lies behind it. */
static void access(char *settings, unsigned i, isa_arch arch)
{
    static const char *const how[] = {
        "sm.table.mode=serial\n", "sm.table.ready=1\n",
        "sm.table.ready=4\nsm.table.ports=1\nsm.table.buffer=1\n",
        "sm.table.mode=serial\nsm.table.ready=4\nsm.table.buffer=2\n"};

    strcat(settings, how[i]);
    holds(few_slots, settings, program(500 * arch + i, arch));
}

static void on(const char *name, isa_arch arch)
{
    char settings[512];

    for (unsigned i = 0; i < scheduler_count(); i++) {
        int n = snprintf(settings, sizeof settings,
                         "%s\nsm.issue.scheduler=%s\nsm.issue.release=%s\n",
                         name, scheduler_name(i), i % 2 ? "next" : "same");
        holds(as_the_scoreboard, settings, program(900 * arch + i, arch));
        snprintf(settings + n, sizeof settings - (size_t)n,
                 "sm.table.slots=%u\nsm.table.offset_bits=%u\n"
                 "sm.table.full_blocks=%s\n",
                 2 + i, 2 - i % 2, i == 3 ? "true" : "false");
        holds(few_slots, settings, program(700 * arch + i, arch));
        access(settings, i % 4, arch);
    }
}

TEST(tables_on_fermi) { on("gtx480", ARCH_FERMI); }
TEST(tables_on_kepler) { on("k20-single", ARCH_KEPLER); }
/* Of a pair the second is checked with the first, and both find room. */
TEST(tables_with_control_codes)
{
    static const char *const how[] = {
        "", "sm.issue.scheduler=gto\nsm.rf.collect=units\n",
        "sm.issue.release=next\nsm.rf.collect=none\n", "sm.dual.refused=1\n"};
    static const char *const few[] = {
        "sm.table.slots=4\n", "sm.table.slots=5\nsm.table.mask=true\n",
        "sm.table.slots=4\nsm.table.ports=1\nsm.table.buffer=1\n",
        "sm.table.slots=4\nsm.table.full_blocks=true\n"};
    char settings[512];

    for (unsigned i = 0; i < 4; i++) {
        int n = snprintf(settings, sizeof settings, "k20\n%s", how[i]);

        holds(as_the_scoreboard, settings, dual_program(40 + i));
        snprintf(settings + n, sizeof settings - (size_t)n, "%s", few[i]);
        holds(few_slots, settings, dual_program(50 + i));
    }
}

TEST(tables_on_volta) { on("v100", ARCH_VOLTA); }

/* A table that misses hazards of R0 is found out, and few lines are left of
 * the program: what shrinking is for. */
TEST(what_breaks_is_made_small)
{
    static const char settings[] =
        "gtx480\nsm.table.slots=4\nsm.table.empty=zero_skip\n";
    char *all = program(1, ARCH_FERMI);
    strbuf b = {0};

    strbuf_printf(&b, "FADD R0, R1, R2\nFADD R16, R0, R2\n%s", all);
    free(all);
    char *text = b.text;
    CHECK_STR(few_slots(settings, text), "the oracle objects");
    text = shrink(few_slots, settings, text);
    CHECK(few_slots(settings, text));
    unsigned gone = 0;
    for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
        gone += can_go(at);
    CHECK(gone <= 2); /* the writer and a reader of R0 */
    free(text);
}

/* What other warps do never changes an answer about this one's entry. */
TEST(warps_are_alone_with_their_entries)
{
    isa_inst in[8];
    bench b[2];
    unsigned flying[8], fly = 0;
    bool taken[64][8] = {{false}};
    rng r;

    rng_init(&r, 3, "isolation");
    for (unsigned i = 0; i < 8; i++)
        in[i] = op3(i % 2 ? ISA_DADD : ISA_FADD, 2 * i, 2 * rng_below(&r, 8),
                    2 * rng_below(&r, 8));
    for (unsigned k = 0; k < 2; k++) {
        memset(&b[k], 0, sizeof b[k]);
        config_defaults(&b[k].cfg);
        b[k].cfg.sm.issue.hazard = CFG_HAZARD_TABLE;
        bench_start(&b[k], in, 8);
    }
    for (unsigned step = 0; step < 20000; step++) {
        unsigned i = rng_below(&r, 8), w = rng_below(&r, 64);

        if (w != 9 && taken[w][i]) /* traffic of others, in the second */
            b[1].h->ops->release(b[1].h, w, &b[1].code.inst[i]);
        if (w != 9 && (taken[w][i] || ask(&b[1], w, i) == WHY_READY)) {
            if (!taken[w][i])
                b[1].h->ops->reserve(b[1].h, w, &b[1].code.inst[i]);
            taken[w][i] = !taken[w][i];
        }
        sm_why why = ask(&b[0], 9, i);
        CHECK_EQ(ask(&b[1], 9, i), why);
        if (why == WHY_READY) {
            for (unsigned k = 0; k < 2; k++)
                b[k].h->ops->reserve(b[k].h, 9, &b[k].code.inst[i]);
            flying[fly++] = i;
        } else if (fly) {
            unsigned at = rng_below(&r, fly), out = flying[at];
            flying[at] = flying[--fly];
            for (unsigned k = 0; k < 2; k++)
                b[k].h->ops->release(b[k].h, 9, &b[k].code.inst[out]);
        }
    }
    bench_fini(&b[0]);
    bench_fini(&b[1]);
}
