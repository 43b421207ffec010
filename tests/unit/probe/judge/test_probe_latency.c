/* tests/unit/probe/judge/test_probe_latency.c - what the compiler assumes of
 * memory is what probes find, to a cycle: latencies are whole there. */
#include "codegen/ir/latency.h"
#include "config/path.h"
#include "probe_rig.h"

static void check(const machine *m, const char *id, unsigned assumed)
{
    double is = number(m, id);

    if (fabs(is - assumed) > 1)
        TEST_FAIL("%s: %s is found to be %g, the compiler takes it for %u",
                  m->cfg->gpu.name, id, is, assumed);
}

static void compare(const char *preset)
{
    static const char *const list[] = {"loads",  "read_only", "constant",
                                       "shared", "atomic",    NULL};
    static const char *const local[] = {"local", NULL};
    /* no latency, but fewer lines that a chase has to fill */
    machine m = machine_new(preset, "gpu: {sms: 1}\nl2: {sets: 4}\n");
    cg_latencies l = cg_latencies_of(m.cfg);

    run(&m, list);
    check(&m, "load.l2", l.global);
    check(&m, "load.constant", l.constant);
    check(&m, "load.shared", l.shared);
    check(&m, "atomic.latency", l.atomic);
    if (config_has_read_only(m.cfg)) {
        check(&m, "load.read_only", l.read_only);
        check(&m, "load.read_only", l.texture);
    } else {
        CHECK_EQ(l.read_only, l.global);
    }
    if (m.cfg->l1.globals) { /* as global memory does */
        check(&m, "load.l1", l.local);
    } else {
        probe_found_fini(&m.found);
        run(&m, local);
        check(&m, "load.local", l.local);
    }
    machine_free(&m);
}

TEST(the_compiler_assumes_what_probes_find)
{
    compare("gtx480");
    compare("k20");
    compare("v100");
}
