/* tests/unit/sm/test_width_random.c - what holds for every program where the
 * registers of a result are written one after the other, and where
 * instructions remember the slots that they wait for. */
#include "property.h"

/* If the table releases what the scoreboard does, they agree in every cycle,
 * as long as there are slots. */
static const char *as_the_scoreboard(const char *settings, const char *text)
{
    outcome board = with(settings, "sm.issue.hazard=scoreboard\n%.0u", 0, text);
    outcome all = with(settings,
                       "sm.issue.hazard=unlimited\n"
                       "sm.table.release=register\n%.0u",
                       0, text);

    if (board.broken || all.broken)
        return board.broken ? board.broken : all.broken;
    outcome just = with(settings,
                        "sm.issue.hazard=table\n"
                        "sm.table.release=register\nsm.table.slots=%u\n",
                        all.most ? all.most : 1, text);
    if (just.broken)
        return just.broken;
    if (all.end != board.end || all.log != board.log ||
        all.stalls != board.stalls || all.memory != board.memory)
        return "an unlimited table is not a scoreboard";
    if (just.end != board.end || just.log != board.log ||
        just.stalls != board.stalls || just.memory != board.memory)
        return "enough slots are not enough";
    return NULL;
}

/* Whatever tracks hazards: the same memory as if results were written at once,
 * each warp in order, and no difference if idle cycles are ticked. */
static const char *same_result(const char *settings, const char *text)
{
    outcome whole = with(settings, "sm.rf.write_width=0\n%.0u", 0, text);
    outcome parts = run(settings, text, true),
            slow = run(settings, text, false);

    if (whole.broken || parts.broken || slow.broken)
        return whole.broken   ? whole.broken
               : parts.broken ? parts.broken
                              : slow.broken;
    if (parts.memory != whole.memory)
        return "another result";
    if (parts.order != whole.order)
        return "a warp is not in order";
    if (parts.end != slow.end || parts.stats != slow.stats)
        return "skipping changes something";
    return NULL;
}

/* A mask changes no cycle. What is compared is compared once, but for slots
 * that go on standing for other registers. */
static const char *remembering(const char *settings, const char *text)
{
    outcome each = with(settings, "sm.table.mask=false\n%.0u", 0, text);
    outcome once = with(settings, "sm.table.mask=true\n%.0u", 0, text);

    if (each.broken || once.broken)
        return each.broken ? each.broken : once.broken;
    if (each.end != once.end || each.log != once.log ||
        each.stalls != once.stalls || each.fulls != once.fulls ||
        each.memory != once.memory)
        return "remembering changes something";
    if (each.remembered || once.checks + once.remembered != each.checks)
        return "checks are missing";
    if (each.once != once.once || once.compares < once.once ||
        once.compares > each.compares)
        return "other comparisons than the first of each";
    if (!strstr(settings, "release=register") && once.compares != once.once)
        return "compared more than once";
    return NULL;
}

/* What a table says of its slots is what is seen if each warp's are looked at
 * in each cycle. */
static const char *sampled(const char *settings, const char *text)
{
    uint64_t held[HIST_SLOTS] = {0}, slots = 0;
    const char *wrong = NULL;

    for (unsigned skip = 0; skip < 2; skip++) {
        rig *r = rig_new(settings);
        uint64_t data = mem_alloc(r->image, 256 * THREADS * CTAS, "data");
        uint64_t more = mem_alloc(r->image, 4096, "counters");

        r->skip = skip;
        rig_param(r, 0, data);
        rig_param(r, 1, more);
        rig_program(r, ".shared 5120\n.local 16\n", text, CTAS, THREADS);
        while (r->ended < r->launch.grid[0] || !sm_idle(r->s)) {
            CHECK(!sm_fault(r->s) && r->now < LIMIT);
            rig_step(r);
            for (unsigned w = 0; w < 64 && !skip; w++)
                if (r->s->resident >> w & 1) {
                    unsigned used = sm_table_used(r->s->hazards.policy, w);
                    held[bins_slots(used)]++;
                    slots += used;
                }
        }
        sm_finish_stats(r->s, r->now);
        if (memcmp(r->s->st.table_held, held, sizeof held) != 0 ||
            r->s->st.table_slot_cycles != slots)
            wrong = skip ? "skipped cycles count otherwise"
                         : "slots in use are miscounted";
        rig_free(r);
    }
    return wrong;
}

/* ---- ---- */

static void on(const char *name, isa_arch arch)
{
    static const char *const access[] = {
        "", "sm.table.ports=1\nsm.table.buffer=1\n", "sm.table.ready=2\n",
        "sm.table.mode=serial\nsm.table.buffer=2\n"};
    static const char *const hazard[] = {"scoreboard", "unlimited", "none"};
    static const char *const release[] = {"slot", "register"};
    char settings[512];

    for (unsigned i = 0; i < 4; i++) {
        int n = snprintf(settings, sizeof settings,
                         "%s\nsm.rf.write_width=%u\nsm.issue.release=%s\n",
                         name, 1 + i % 3, i % 2 ? "next" : "same");
        size_t room = sizeof settings - (size_t)n;

        holds(as_the_scoreboard, settings, program(300 * arch + i, arch));
        if (i < COUNTOF(hazard)) {
            snprintf(settings + n, room,
                     "sm.issue.hazard=%s\nsm.table.release=%s\n", hazard[i],
                     release[i % 2]);
            holds(same_result, settings, program(400 * arch + i, arch));
        }
        snprintf(settings + n, room,
                 "sm.issue.hazard=table\nsm.table.slots=%u\n"
                 "sm.table.offset_bits=%u\nsm.table.release=%s\n%s",
                 2 + i, 2 - i % 2, release[i / 2], access[i]);
        holds(same_result, settings, program(500 * arch + i, arch));
        holds(i % 2 ? sampled : remembering, settings,
              program(600 * arch + i, arch));
    }
}

TEST(widths_on_fermi) { on("gtx480", ARCH_FERMI); }
TEST(widths_on_kepler) { on("k20-single", ARCH_KEPLER); }
TEST(widths_on_volta) { on("v100", ARCH_VOLTA); }
