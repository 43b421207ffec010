/* tests/unit/sm/test_dual_random.c - what holds of dual issue by control codes
 * for every program and in every cycle. */
#include "dual_random.h"
#include "dual_watch.h"
#include "exec/functional.h"

enum { LIMIT = 400000, SEEDS = 12 };

/* A front end and constants that are never in the way. */
static const char machine[] =
    "k20\nsm.fetch.perfect=true\nsm.constant.perfect=true\n";

typedef struct job {
    const char *more; /* settings */
    const char *text;
    unsigned ctas, warps; /* warps: of a CTA */
    bool no_skip;
    uint32_t from; /* see dual_watch */
    uint64_t shift;
} job;

typedef struct outcome {
    const char *broken;
    uint64_t end, log, memory, stats;
    uint64_t floats, pairs;
    uint64_t of[DW_SCHEDULERS];
} outcome;

static rig *bench(const job *j)
{
    char all[1024];
    rig *r;

    snprintf(all, sizeof all, "%s%s", machine, j->more);
    r = rig_new(all);
    uint64_t data = mem_alloc(r->image, 256 * THREADS * CTAS, "data");
    uint64_t more = mem_alloc(r->image, 4096, "counters");
    r->skip = !j->no_skip;
    rig_param(r, 0, data);
    rig_param(r, 1, more);
    return r;
}

/* Counters and what was seen are the same. */
static void compare(rig *r, dual_watch *w)
{
    uint64_t alike = rig_stat(r, "pairs_alike");
    uint64_t pairs = alike + rig_stat(r, "pairs_mixed");

    rig_check_sum(r);
    if (pairs != w->pairs || alike != w->alike)
        dw_say(w, "pairs are miscounted");
    if (rig_stat(r, "warp_insts") != w->insts ||
        rig_stat(r, "issued") + pairs != w->insts)
        dw_say(w, "instructions are miscounted");
    if (rig_stat(r, "operand_reads") != w->reads ||
        rig_stat(r, "operand_hits") != w->hits ||
        rig_stat(r, "bank_waits") != w->late)
        dw_say(w, "operands are miscounted");
    if (memcmp(r->s->st.scheduler, w->by, sizeof w->by) != 0)
        dw_say(w, "schedulers are miscounted");
    if (memcmp(r->s->st.phase, w->phase, sizeof w->phase) != 0)
        dw_say(w, "groups are elsewhere");
    if (32 * w->floats > 192 * rig_stat(r, "cycles"))
        dw_say(w, "more than 100 percent");
    if (!w->wide && 32 * w->floats > 128 * rig_stat(r, "cycles"))
        dw_say(w, "more than two thirds without pairs");
}

/* The same without timing: the memory, and how often each instruction runs. */
static void reference(const job *j, dual_watch *w, uint64_t memory)
{
    rig *r = bench(j);
    exec_totals t = {0};
    exec_fault fault;

    rig_program(r, ".shared 5120\n.local 16\n", j->text, j->ctas,
                32 * j->warps);
    unsigned n = r->launch.kernel->code_count;
    t.insts = calloc(n, sizeof *t.insts);
    CHECK(t.insts && n < DW_PCS);
    CHECK_EQ(exec_run_grid(&r->launch, r->direct, NULL, &fault, &t), ST_OK);
    for (unsigned pc = 0; pc < n; pc++)
        if (t.insts[pc].insts != w->at[pc])
            dw_say(w, "executed more or less often than the program says");
    if (mem_hash(r->image) != memory)
        dw_say(w, "another result");
    free(t.insts);
    rig_free(r);
}

static void finish(const job *j, rig *r, dual_watch *w, outcome *out)
{
    dw_end_cycle(w);
    sm_finish_stats(r->s, r->now);
    mem_view_commit(r->view);
    out->memory = mem_hash(r->image);
    if (r->now >= LIMIT)
        dw_say(w, "it never ends");
    else if (sm_fault(r->s))
        dw_say(w, sm_fault(r->s)->kind == FAULT_HAZARD ? "the oracle objects"
                                                       : "a fault");
    else
        compare(r, w);
    if (!w->broken)
        reference(j, w, out->memory);
    out->end = r->ended_at;
    out->stats = stats_hash(r->reg, NULL);
    out->log = w->log;
    out->floats = w->floats;
    out->pairs = w->pairs;
    memcpy(out->of, w->of, sizeof out->of);
    out->broken = w->broken;
}

static outcome run(const job *j)
{
    dual_watch *w = calloc(1, sizeof *w);
    rig *r = bench(j);
    dw_buffers before;
    outcome out;

    CHECK(w);
    dual_watch_start(w, r);
    w->from = j->from;
    w->shift = j->shift;
    rig_program(r, ".shared 5120\n.local 16\n", j->text, j->ctas,
                32 * j->warps);
    while ((r->ended < r->launch.grid[0] || !sm_idle(r->s)) &&
           !sm_fault(r->s) && r->now < LIMIT) {
        dw_look(r->s, &before);
        rig_step(r);
        dw_compare(w, &before);
        dw_priority(w, r->now - 1);
        dw_waits(w, r->now - 1);
    }
    finish(j, r, w, &out);
    rig_free(r);
    free(w);
    return out;
}

static outcome sound(const job *j)
{
    outcome out = run(j);

    if (out.broken)
        TEST_FAIL("%s: %u CTAs of %u warps, %s\n%s", out.broken, j->ctas,
                  j->warps, j->more, j->text);
    return out;
}

TEST(every_cycle_of_any_program_keeps_the_rules)
{
    static const char *const more[] = {"", "sm.dual.arbiter=alternate\n",
                                       "sm.issue.width=1\n"};
    uint64_t pairs = 0;

    for (unsigned i = 0; i < SEEDS; i++) {
        char *text = dual_program(100 + i);
        job j = {
            more[i % COUNTOF(more)], text, 1 + i % CTAS, 1 + i % 3, 0, 0, 0};
        outcome out = sound(&j);

        j.no_skip = true;
        outcome slow = sound(&j);
        CHECK_EQ(slow.end, out.end);
        CHECK_EQ(slow.log, out.log);
        CHECK_EQ(slow.stats, out.stats);
        pairs += out.pairs;
        free(text);
    }
    CHECK(pairs > 1000); /* there was something to look at */
}

/* ---- The unit that two schedulers share ---- */

TEST(pairs_without_a_shared_unit_are_none)
{
    for (unsigned i = 0; i < SEEDS; i++) {
        char *text = dual_straight(200 + i, 20);
        unsigned warps = 1 + i % 16;
        job without = {"sm.unit.fma.shared=0\n", text, 1, warps, 0, 0, 0};
        job single = {"sm.issue.width=1\n", text, 1, warps, 0, 0, 0};
        outcome a = sound(&without), b = sound(&single);

        CHECK_EQ(a.end, b.end);
        CHECK_EQ(a.log, b.log);
        CHECK_EQ(a.pairs, 0);
        free(text);
    }
}

/* Schedulers 0 and 2 run the first of two programs, 1 and 3 the second, or the
 * other way round and `shift` cycles later; what comes before is over by then.
 */
static char *two_programs(uint64_t seed, bool swapped, unsigned shift)
{
    char *a = dual_straight(seed, 12), *b = dual_straight(seed + 1000, 12);
    strbuf t = {0};

    strbuf_printf(&t,
                  "{0x20} S2R R0, SR_TID.X\n{0x20} BFE.U32 R1, R0, 0x105\n"
                  "{0x20} ISETP.NE.AND P0, PT, R1, RZ, PT\n"
                  "{0x3f} NOP\n{0x3f} NOP\n{0x3f} NOP\n{0x%02x} NOP\n"
                  "{0x20} @%sP0 BRA second\n%ssecond:\n%s",
                  0x30 + shift, swapped ? "!" : "", a, b);
    free(a);
    free(b);
    return t.text;
}

TEST(two_schedulers_that_take_turns_are_alike)
{
    enum { BEFORE = 8 };

    for (unsigned i = 0; i < SEEDS; i++) {
        char *one = two_programs(300 + i, false, 0);
        char *two = two_programs(300 + i, true, 1);
        unsigned warps = 4 * (1 + i % 4);
        job j = {"sm.dual.arbiter=alternate\n", one, 1, warps, 0, BEFORE, 0};
        outcome a = sound(&j);

        j.text = two;
        j.shift = 1;
        outcome b = sound(&j);
        for (unsigned n = 0; n < DW_SCHEDULERS; n++)
            CHECK_EQ(a.of[n], b.of[n ^ 1]);
        free(one);
        free(two);
    }
}
