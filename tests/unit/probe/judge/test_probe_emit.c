/* tests/unit/probe/judge/test_probe_emit.c - banks of a machine that no preset
 * describes; what is found of one makes the same machine again. */
#include "probe/judge/probe_emit.h"

#include "probe/find/banks.h"
#include "probe_rig.h"

TEST(other_register_banks)
{
    enum { REGISTERS = 18 };
    machine m = machine_new("v100", "gpu: {sms: 1}\n"
                                    "sm: {rf: {banks: 4, bank_map: kepler}}\n");
    const rt_options how = {.threads = 1};
    probe_device *d = probe_device_new(m.cfg, &how, NULL, m.dg);
    probe_banks banks;

    must(&m, d != NULL);
    probe_found_init(&m.found);
    probe_run r = {.machine = probe_device_machine(d),
                   .found = &m.found,
                   .dg = m.dg,
                   .kind = probe_find("banks")};
    must(&m, probe_banks_find(&r, REGISTERS, &banks) == ST_OK);
    CHECK_EQ(banks.count, 4);
    CHECK_EQ(banks.pairs, REGISTERS * (REGISTERS - 1) / 2);
    CHECK_EQ(banks.broken, 0);
    for (unsigned i = 0; i < REGISTERS; i++)
        for (unsigned k = i + 1; k < REGISTERS; k++) /* by bits 0 and 2 */
            CHECK_EQ(banks.conflicts[i][k], !((i ^ k) & 5));
    probe_device_free(d);
    machine_free(&m);
}

TEST(what_is_found_makes_the_machine_again)
{
    static const char *const list[] = {"latency", "shared", "barrier",
                                       "constant", NULL};
    machine base = machine_new("gtx480", "gpu: {sms: 1}\n");
    machine m = machine_new(
        "gtx480", "gpu: {sms: 1}\n"
                  "sm:\n"
                  "  op: {int_mul: {latency: 17}, sfu: {latency: 25}, barrier: "
                  "{latency: 8}}\n"
                  "  shared: {banks: 16, latency: 21}\n"
                  "  constant: {l1: {ways: 4, latency: 11}}\n");
    strbuf text = {0};

    run(&base, list);
    run(&m, list);
    probe_emit(&m.found, &base.found, base.cfg, "gtx480", &text);
    machine again = machine_new("gtx480", text.text);
    CHECK_EQ(again.cfg->sm.op.int_mul.latency, 17);
    CHECK_EQ(again.cfg->sm.shared.latency, 21);
    CHECK_EQ(again.cfg->sm.constant.l1.ways, 4);
    CHECK_EQ(again.cfg->sm.op.barrier.latency, 8);
    run(&again, list);
    CHECK_EQ(again.found.value_count, m.found.value_count);
    for (size_t i = 0; i < m.found.value_count; i++)
        if (!m.found.values[i].word)
            CHECK_EQ(again.found.values[i].number, m.found.values[i].number);
    strbuf_fini(&text);
    machine_free(&again);
    machine_free(&base);
    machine_free(&m);
}
