/* tests/unit/sm/test_random.c - random programs on every preset and policy:
 * skipping cycles changes nothing, accounting closes, and memory ends up as
 * when the program is run without timing. */
#include "base/must.h"
#include "exec/functional.h"
#include "random.h"
#include "rig.h"
#include "schedulers.h"
#include "sm/state.h"

typedef struct outcome {
    uint64_t stats, memory, end;
} outcome;

static outcome run(const char *settings, const char *text, bool skip,
                   bool functional)
{
    rig *r = rig_new(settings);
    outcome out = {0};
    uint64_t data = mem_alloc(r->image, 256 * THREADS * CTAS, "data");
    uint64_t counters = mem_alloc(r->image, 4096, "counters");

    r->skip = skip;
    rig_param(r, 0, data);
    rig_param(r, 1, counters);
    rig_program(r, ".shared 5120\n.local 16\n", text, CTAS, THREADS);
    if (functional) {
        exec_fault f;
        status st = exec_run_grid(&r->launch, r->direct, NULL, &f, NULL);
        CHECK_EQ(st, ST_OK);
    } else {
        out.end = rig_run(r, 1000000);
        CHECK(!sm_fault(r->s));
        mem_view_commit(r->view);
        rig_check_sum(r);
        CHECK_EQ(rig_stat(r, "slots"),
                 r->now * config_sheet_values(r->sheet)->sm.issue.schedulers);
    }
    out.stats = stats_hash(r->reg, NULL);
    out.memory = mem_hash(r->image);
    rig_free(r);
    return out;
}

static void agree(const char *settings, const char *text, uint64_t seed)
{
    outcome a = run(settings, text, true, false);
    outcome b = run(settings, text, false, false);
    outcome f = run(settings, text, true, true);

    if (a.stats != b.stats || a.memory != b.memory || a.memory != f.memory)
        fprintf(stderr, "seed %u, settings:\n%s", (unsigned)seed, settings);
    CHECK_EQ(a.end, b.end);
    CHECK_EQ(a.stats, b.stats);
    CHECK_EQ(a.memory, b.memory);
    CHECK_EQ(a.memory, f.memory);
}

static void all_agree(const char *settings, isa_arch arch, uint64_t seed)
{
    char *text = program(seed, arch);

    agree(settings, text, seed);
    free(text);
}

static const char *const collect[] = {"none", "units", "fixed", "allocate"};

static void preset(const char *name, isa_arch arch)
{
    char settings[512];

    for (unsigned i = 0; i < 15; i++) {
        snprintf(settings, sizeof settings,
                 "%s\nsm.issue.scheduler=%s\nsm.rf.collect=%s\n"
                 "sm.issue.release=%s\nsm.issue.hazard=%s\nsm.lsu.queue=%u\n"
                 "sm.issue.two_level_active=2\nsm.constant.hold=%u\n",
                 name, scheduler_name(i), collect[i % 4],
                 i % 5 == 4 ? "next" : "same",
                 i % 6 == 5 ? "none" : "scoreboard", 1 + i % 4 * 3, i % 3 * 2);
        all_agree(settings, arch, 100 * arch + i);
    }
}

/* The same where each line has its turn at the L1. */
static void by_turns(const char *name, isa_arch arch)
{
    char settings[512];

    for (unsigned i = 0; i < 4; i++) {
        snprintf(settings, sizeof settings,
                 "%s\nl1.values=turn\nsm.issue.scheduler=%s\n"
                 "sm.lsu.queue=%u\n",
                 name, scheduler_name(i), 1 + i % 4 * 3);
        all_agree(settings, arch, 7000 + 100 * arch + i);
    }
}

TEST(random_programs_whose_lines_take_turns)
{
    by_turns("gtx480", ARCH_FERMI);
    by_turns("k20-single", ARCH_KEPLER);
    by_turns("v100", ARCH_VOLTA);
}

/* With reuse bits and yields at random, which no compiler sets: what a device
 * would compute from old values is not simulated, only its times. */
static outcome with_bits(const char *settings, const char *text, uint64_t seed,
                         bool skip)
{
    rig *r = rig_new(settings);
    outcome out = {0};
    rng g;
    uint64_t data = mem_alloc(r->image, 256 * THREADS * CTAS, "data");
    uint64_t counters = mem_alloc(r->image, 4096, "counters");
    isa_kernel *k;

    sm_oracle_free(r->s->hazards.oracle);
    r->s->hazards.oracle = NULL;
    sm_policies(r->s);
    rng_init(&g, seed, "bits");
    r->skip = skip;
    rig_param(r, 0, data);
    rig_param(r, 1, counters);
    rig_program(r, ".shared 5120\n.local 16\n", text, CTAS, THREADS);
    k = &r->program->kernels[0];
    for (uint32_t i = 0; i < k->code_count; i++) {
        k->code[i].ctl |= (uint32_t)rng_below(&g, 2) << CTL_YIELD;
        for (unsigned s = 0; s < 3; s++)
            if (k->code[i].src_regs[s])
                k->code[i].ctl |= (uint32_t)rng_below(&g, 2) << (CTL_REUSE + s);
    }
    out.end = rig_run(r, 1000000);
    CHECK(!sm_fault(r->s));
    CHECK_EQ(rig_stat(r, "bank_reads") + rig_stat(r, "operand_hits"),
             rig_stat(r, "reg_reads"));
    CHECK(rig_stat(r, "operand_hits") > 0);
    mem_view_commit(r->view);
    rig_check_sum(r);
    out.stats = stats_hash(r->reg, NULL);
    out.memory = mem_hash(r->image);
    rig_free(r);
    return out;
}

TEST(random_bits_change_times_alone)
{
    for (unsigned i = 0; i < 12; i++) {
        char settings[512];
        char *text = program(900 + i, ARCH_VOLTA);
        outcome a, b, f;

        snprintf(settings, sizeof settings,
                 "v100\nsm.issue.scheduler=%s\nsm.rf.collect=%s\n"
                 "sm.rf.cache=reuse\nsm.constant.hold=%u\n"
                 "sm.rf.read_ports=%u\nsm.rf.banks=%u\n",
                 i % 3 ? "cggty" : "lrr", i % 4 ? "allocate" : "fixed",
                 i % 2 * 4, 1 + i % 5 / 4, 1 + i % 4);
        a = with_bits(settings, text, i, true);
        b = with_bits(settings, text, i, false);
        f = run(settings, text, true, true);
        CHECK_EQ(a.end, b.end);
        CHECK_EQ(a.stats, b.stats);
        CHECK_EQ(a.memory, b.memory);
        CHECK_EQ(a.memory, f.memory);
        free(text);
    }
}

TEST(random_programs_on_fermi) { preset("gtx480", ARCH_FERMI); }
TEST(random_programs_on_kepler) { preset("k20-single", ARCH_KEPLER); }
TEST(random_programs_on_volta) { preset("v100", ARCH_VOLTA); }

/* ---- Kepler's control codes ---- */

/* The program with codes at random, half of them those of pairs. */
static strbuf with_codes(char *text, uint64_t seed)
{
    strbuf b = {0};
    char *save = NULL;
    rng r;

    rng_init(&r, seed, "codes");
    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        unsigned code =
            rng_below(&r, 2) ? 4 + rng_below(&r, 2) : rng_below(&r, 256);

        if (line[strlen(line) - 1] != ':')
            strbuf_printf(&b, "{0x%02x} ", code);
        strbuf_printf(&b, "%s\n", line);
    }
    return b;
}

static const char dual[] = "k20\n";

/* Each switch by itself. */
static const char *const switches[] = {
    "sm.issue.width=2",
    "sm.issue.width=1",
    "sm.issue.scheduler=gto",
    "sm.issue.scheduler=two_level\nsm.issue.two_level_active=2",
    "sm.issue.hazard=scoreboard",
    "sm.issue.hazard=none",
    "sm.issue.hazard=unlimited",
    "sm.issue.hazard=table\nsm.table.slots=4",
    "sm.issue.hazard=table\nsm.table.slots=3\nsm.table.full_blocks=true",
    "sm.issue.hazard=table\nsm.table.slots=5\nsm.table.mask=true",
    "sm.issue.hazard=table\nsm.table.slots=4\nsm.table.offset_bits=1\n"
    "sm.rf.write_width=1\nsm.table.release=register",
    "sm.issue.hazard=table\nsm.table.slots=4\nsm.table.ports=1\n"
    "sm.table.buffer=1",
    "sm.issue.hazard=table\nsm.table.mode=serial\nsm.issue.width=1",
    "sm.issue.hazard=table\nsm.table.ready=2\nsm.issue.width=1",
    "sm.issue.hazard=scoreboard\nsm.rf.write_width=1",
    "l1.globals=true\nl1.queue=reod\nl1.reod.queues=4\nl1.reod.depth=2",
    "l1.globals=true\nl1.queue=mrpb\nl1.mrpb.queues=4\nl1.mrpb.depth=2",
    "l1.globals=true\nl1.values=turn",
    "sm.fetch.front_end=gated",
    "sm.fetch.choice=turn",
    "sm.fetch.wrong_path=false",
    "sm.rf.collect=none",
    "sm.rf.collect=units",
    "sm.rf.collect=fixed",
    "sm.rf.operand_cache=0",
    "sm.rf.entries=4\nsm.rf.second_entries=1",
    "sm.dual.arbiter=alternate",
    "sm.dual.first=true\nsm.dual.refused=1\nsm.dual.tails=1",
    "sm.dual.waits=false",
    "sm.dual.line=0",
    "sm.unit.fma.shared=1",
    "sm.unit.fma.shared=0\nsm.issue.release=next",
    "sm.lsu.queue=1",
    "sm.fetch.buffer=2\nsm.l1i.bytes=1K",
};

TEST(random_programs_with_codes_at_random)
{
    char settings[512];

    for (unsigned i = 0; i < COUNTOF(switches); i++) {
        char *plain = program(1000 + i, ARCH_KEPLER);
        strbuf text = with_codes(plain, i);

        snprintf(settings, sizeof settings, "%s%s\n", dual, switches[i]);
        agree(settings, text.text, 1000 + i);
        strbuf_fini(&text);
        free(plain);
    }
}
