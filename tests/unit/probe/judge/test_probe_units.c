/* tests/unit/probe/judge/test_probe_units.c - machines whose schedulers share
 * other units, or whose registers lie in other banks, than those of any preset.
 */
#include "probe/find/banks.h"
#include "probe/groups.h"
#include "probe_rig.h"

typedef status probing(probe_run *r);

/* With what probes before this one would have found. */
static machine probed(const char *text, probing *probe)
{
    const rt_options how = {.threads = 1};
    machine m = machine_new("k20", text);
    probe_device *d = probe_device_new(m.cfg, &how, NULL, m.dg);

    must(&m, d != NULL);
    probe_found_init(&m.found);
    probe_run r = {.machine = probe_device_machine(d),
                   .found = &m.found,
                   .dg = m.dg,
                   .kind = probe_find("shared_units"),
                   .known = {.pair = 0x04, .second = 0x05}};
    must(&m, probe(&r) == ST_OK);
    probe_device_free(d);
    return m;
}

static machine shared_units(const char *text)
{
    machine m = probed(text, probe_run_shared_units);

    check_truth(&m, 0);
    return m;
}

TEST(who_shares_a_unit)
{
    static const struct {
        const char *text, *share;
        unsigned units, lanes;
    } rows[] = {
        {"gpu: {sms: 1}", "0+1 2+3", 2, 192},
        {"gpu: {sms: 1}\nsm: {unit: {fma: {shared: 0}}}", "none", 0, 128},
        {"gpu: {sms: 1}\nsm: {unit: {fma: {shared: 1}}}",
         "0+1 0+2 0+3 1+2 1+3 2+3", 1, 160},
        {"gpu: {sms: 1}\nsm: {unit: {fma: {shared: 4}}}", "none", 4, 256},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        machine m = shared_units(rows[i].text);

        CHECK_STR(word(&m, "pairs.share"), rows[i].share);
        CHECK_EQ(number(&m, "pairs.units"), rows[i].units);
        CHECK_EQ(number(&m, "pairs.lanes"), rows[i].lanes);
        machine_free(&m);
    }
}

TEST(who_has_priority)
{
    machine fixed = shared_units("gpu: {sms: 1}");
    machine other =
        shared_units("gpu: {sms: 1}\nsm: {dual: {arbiter: alternate}}");

    CHECK_STR(word(&fixed, "pairs.arbiter"), "fixed");
    CHECK_STR(word(&other, "pairs.arbiter"), "alternate");
    check_changes(&fixed, &other, "pairs.arbiter pairs.together");
    machine_free(&fixed);
    machine_free(&other);
}

/* ---- Banks ---- */

static status some_banks(probe_run *r) { return probe_banks_report(r, 14); }

/* Enough for four of a bank. */
static status more_banks(probe_run *r) { return probe_banks_report(r, 24); }

TEST(where_registers_lie)
{
    static const struct {
        const char *text, *map;
        unsigned count;
    } rows[] = {
        {"gpu: {sms: 1}", "bits 0 2", 4},
        {"gpu: {sms: 1}\nsm: {rf: {bank_map: mod}}", "bits 0 1", 4},
        {"gpu: {sms: 1}\nsm: {rf: {bank_map: mod, banks: 2}}", "bits 0", 2},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        machine m = probed(rows[i].text, some_banks);

        CHECK_STR(word(&m, "banks.map"), rows[i].map);
        CHECK_EQ(number(&m, "banks.count"), rows[i].count);
        CHECK_EQ(number(&m, "banks.pairs"), 14 * 13 / 2);
        CHECK_EQ(number(&m, "banks.broken"), 0);
        machine_free(&m);
    }
}

TEST(operands_that_are_kept)
{
    machine few =
        probed("gpu: {sms: 1}\nsm: {rf: {operand_cache: 3}}", more_banks);
    machine none =
        probed("gpu: {sms: 1}\nsm: {rf: {operand_cache: 0}}", some_banks);

    CHECK_EQ(number(&few, "banks.kept"), 3);
    CHECK_EQ(number(&none, "banks.kept"), 0);
    CHECK(!probe_found_get(&none.found, "banks.turn"));
    machine_free(&few);
    machine_free(&none);
}
