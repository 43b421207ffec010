/* tests/timing/test_modern.c - compiled random programs on machines that issue
 * and read operands as modern cores do: results are those of the default,
 * threads change nothing, the oracle finds no hazard, and no reuse bit of the
 * compiler asks for a register that was written since. */
#include "timing/rig.h"
#include "unit/codegen/random_program.h"

enum { BYTES = 256 * THREADS, SEEDS = 16 };

static const char *const sides[][RIG_SETS] = {
    {"sm.rf.collect=fixed"},
    {"sm.issue.scheduler=cggty"},
    {"sm.issue.scheduler=cggty", "sm.constant.hold=4", "sm.rf.collect=allocate",
     "sm.rf.cache=reuse"},
    {"sm.issue.scheduler=cggty", "sm.constant.hold=4", "sm.rf.collect=allocate",
     "sm.rf.cache=reuse", "sm.issue.hazard=codes"},
    {"sm.rf.collect=allocate", "sm.rf.cache=reuse", "sm.issue.hazard=table",
     "sm.table.slots=4", "sm.op.fp32.interval=1", "sm.op.int_add.interval=1"},
    {"sm.rf.cache=reuse", "sm.issue.hazard=codes", "sm.rf.read_ports=2"},
};

typedef struct outcome {
    uint8_t memory[BYTES];
    uint64_t cycles, reads, hits, stale;
} outcome;

static outcome run(const char *text, const char *const *side, unsigned threads)
{
    const char *sets[RIG_SETS] = {"gpu.sms=2", "sm.issue.oracle=true"};
    outcome out = {0};
    rt_module *m;
    rig *r;

    for (unsigned i = 0; side[i]; i++)
        sets[i + 2] = side[i];
    r = rig_open("v100", sets, &(rt_options){.threads = threads});
    uint64_t at = rt_alloc(rt_device_memory(r->d), BYTES, "out");
    const uint64_t params[2] = {at, at};

    CHECK(at && rt_write(rt_device_memory(r->d), at, out.memory, BYTES));
    rig_must(r, rt_module_load_text(r->d, "random.ptx", text, strlen(text),
                                    r->dg, &m));
    rt_launch l = {.module = m,
                   .kernel = rt_module_kernel(m, NULL, r->dg),
                   .grid = {1, 1, 1},
                   .block = {THREADS, 1, 1},
                   .params = params,
                   .counters = true,
                   .max_cycles = 50000000};
    rig_must(r, rt_run(r->d, &l, r->dg, &r->last));
    CHECK(rt_read(rt_device_memory(r->d), at, out.memory, BYTES));
    out.cycles = r->last.cycles;
    out.reads = rig_count(r, "sm[*].reg_reads");
    out.hits = rig_count(r, "sm[*].operand_hits");
    out.stale = rig_count(r, "sm[*].operand_stale");
    CHECK_EQ(rig_count(r, "sm[*].bank_reads") + out.hits, out.reads);
    rig_free(r);
    return out;
}

TEST(random_programs_compute_the_same)
{
    uint64_t hits = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        strbuf text = random_program(seed, 40);
        outcome want = run(text.text, sides[0], 1);

        for (size_t i = 1; i < COUNTOF(sides); i++) {
            outcome got = run(text.text, sides[i], 1);
            outcome two = run(text.text, sides[i], 2);

            CHECK(!memcmp(got.memory, want.memory, BYTES));
            CHECK(!memcmp(&got, &two, sizeof got));
            CHECK_EQ(got.stale, 0);
            CHECK_EQ(got.reads, want.reads);
            hits += got.hits;
        }
        strbuf_fini(&text);
    }
    CHECK(hits > 1000);
}
