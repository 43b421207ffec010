/* tests/unit/sm/test_policies.c - what the pipeline leaves out where its
 * policies need none of it changes nothing; observers do not stand between it
 * and a policy. */
#include "random.h"
#include "rig.h"
#include "sm/state.h"

typedef struct outcome {
    uint64_t stats, memory, end;
} outcome;

/* On the fast path, which test builds otherwise do not take as the oracle looks
 * at each instruction; or off it with the same policies. */
static outcome run(const char *preset, const char *text, bool fast)
{
    rig *r = rig_new(preset);
    sm *s = r->s;
    outcome out;
    uint64_t data = mem_alloc(r->image, 256 * THREADS * CTAS, "data");
    uint64_t counters = mem_alloc(r->image, 4096, "counters");

    sm_oracle_free(s->hazards.oracle);
    s->hazards.oracle = NULL;
    sm_policies(s);
    CHECK(s->fast_path);
    s->fast_path = fast;
    rig_param(r, 0, data);
    rig_param(r, 1, counters);
    rig_program(r, ".shared 5120\n.local 16\n", text, CTAS, THREADS);
    out.end = rig_run(r, 1000000);
    CHECK(!sm_fault(s));
    CHECK_EQ(s->fast_path, fast); /* nothing has worked it out anew */
    mem_view_commit(r->view);
    out.stats = stats_hash(r->reg, NULL);
    out.memory = mem_hash(r->image);
    rig_free(r);
    return out;
}

static void same_off_the_fast_path(const char *preset, isa_arch arch)
{
    for (unsigned i = 0; i < 12; i++) {
        char *text = program(1000 + i, arch);
        outcome fast = run(preset, text, true);
        outcome slow = run(preset, text, false);

        CHECK_EQ(fast.end, slow.end);
        CHECK_EQ(fast.stats, slow.stats);
        CHECK_EQ(fast.memory, slow.memory);
        free(text);
    }
}

TEST(fast_path_simulates_the_same_on_fermi)
{
    same_off_the_fast_path("gtx480\n", ARCH_FERMI);
}

TEST(fast_path_simulates_the_same_on_kepler)
{
    same_off_the_fast_path("k20-single\n", ARCH_KEPLER);
}

TEST(fast_path_simulates_the_same_on_volta)
{
    same_off_the_fast_path("v100\n", ARCH_VOLTA);
}

TEST(fast_path_simulates_the_same_behind_a_stage_and_a_cache)
{
    same_off_the_fast_path("v100\nsm.rf.collect=allocate\n", ARCH_VOLTA);
    same_off_the_fast_path("v100\nsm.rf.cache=reuse\n", ARCH_VOLTA);
}

static bool is_fast(const char *settings)
{
    rig *r = rig_new(settings);
    bool fast;

    sm_oracle_free(r->s->hazards.oracle);
    r->s->hazards.oracle = NULL;
    sm_policies(r->s);
    fast = r->s->fast_path;
    rig_free(r);
    return fast;
}

TEST(policies_that_need_more_take_machines_off_the_fast_path)
{
    CHECK(is_fast("v100\nsm.issue.hazard=none\n"));
    CHECK(!is_fast("k20\n"));
    CHECK(!is_fast("v100\nsm.issue.hazard=codes\n"));
    CHECK(!is_fast("gtx480\nsm.issue.hazard=table\nsm.table.ports=1\n"));
    CHECK(!is_fast("gtx480\nsm.rf.write_width=1\n"));
    CHECK(!is_fast("v100\nsm.issue.scheduler=cggty\n"));
    CHECK(is_fast("v100\nsm.rf.collect=allocate\n"));
    CHECK(is_fast("v100\nsm.rf.cache=reuse\n"));
    CHECK(is_fast("h100\n"));
}

TEST(a_trace_leaves_the_hazard_policy_as_it_is)
{
    rig *r = rig_new("v100\n");
    const sm_hazard *h = r->s->hazards.policy;
    const sm_hazard_ops *ops = h->ops;
    event_log log = {.filter = {.to = 100}};

    sm_trace_begin(r->s, &log);
    CHECK(r->s->hazards.policy == h && h->ops == ops);
    CHECK(r->s->observe.results);
    sm_trace_end(r->s);
    CHECK(h->ops == ops);
    free(log.event);
    rig_free(r);
}
