/* tests/unit/lab/test_probe.c - probes find the truth of machines that no
 * preset describes, and what they find makes the same machine again. */
#include "lab/probe_emit.h"
#include "lab/probe_truth.h"

#include <math.h>

#include "config/check.h"
#include "config/sheet.h"
#include "lab/probe_device.h"
#include "probe/banks.h"
#include "test.h"

enum { PROBES = 64 };

typedef struct machine {
    config_sheet *sheet;
    const config *cfg;
    diag *dg;
    probe_found found;
} machine;

static void must(const machine *m, bool good)
{
    if (!good)
        TEST_FAIL("%s", diag_count(m->dg) ? diag_get(m->dg, 0)->text : "?");
}

/* Runs the probes whose names stand in `list`, NULL at the end. */
static void run(machine *m, const char *const *list)
{
    bool wanted[PROBES] = {false};
    const rt_options how = {.threads = 1};
    probe_device *d = probe_device_new(m->cfg, &how, NULL, m->dg);

    must(m, d && probe_found_init(&m->found));
    for (; *list; list++)
        wanted[probe_find(*list) - probe_table] = true;
    must(m, probe_suite(&(probe_options){.machine = probe_device_machine(d),
                                         .wanted = wanted},
                        &m->found, m->dg) == ST_OK);
    probe_device_free(d);
}

static machine machine_new(const char *preset, const char *text)
{
    machine m = {.sheet = config_sheet_new(), .dg = diag_new()};

    must(&m, config_sheet_load(m.sheet, preset, m.dg) == ST_OK);
    must(&m,
         config_sheet_read(m.sheet, "test", text, strlen(text), m.dg) == ST_OK);
    must(&m, config_sheet_check(m.sheet, m.dg) == ST_OK);
    m.cfg = config_sheet_values(m.sheet);
    return m;
}

static void machine_free(machine *m)
{
    probe_found_fini(&m->found);
    config_sheet_free(m->sheet);
    diag_free(m->dg);
}

/* All that the configuration says was found, to `error`; how much that is. */
static unsigned check_truth(const machine *m, double error)
{
    unsigned n = 0;

    for (size_t i = 0; i < m->found.value_count; i++) {
        const probe_value *v = &m->found.values[i];
        const char *word = probe_truth_word(m->cfg, v->id);
        double is = probe_truth(m->cfg, v->id);

        if (v->word && word)
            CHECK_STR(v->word, word);
        if (!v->word && !isnan(is) && fabs(v->number / is - 1) > error)
            TEST_FAIL("%s is found to be %g, but is %g", v->id, v->number, is);
        n += v->word ? word != NULL : !isnan(is);
    }
    return n;
}

static double number(const machine *m, const char *id)
{
    const probe_value *v = probe_found_get(&m->found, id);

    if (!v || v->word)
        TEST_FAIL("no number %s was found", id);
    return v->number;
}

static const char *word(const machine *m, const char *id)
{
    const probe_value *v = probe_found_get(&m->found, id);

    if (!v || !v->word)
        TEST_FAIL("no word %s was found", id);
    return v->word;
}

TEST(other_latencies_and_intervals)
{
    static const char *const list[] = {"latency", "throughput", "barrier",
                                       NULL};
    machine m = machine_new("v100", "gpu: {sms: 1}\n"
                                    "sm:\n"
                                    "  op:\n"
                                    "    fp32: {latency: 7}\n"
                                    "    int_add: {latency: 5, interval: 4}\n"
                                    "    sfu: {latency: 33, interval: 16}\n"
                                    "    vote: {latency: 12}\n"
                                    "    barrier: {latency: 9}\n");

    run(&m, list);
    CHECK(check_truth(&m, 0.01) > 35);
    CHECK_EQ(number(&m, "latency.fp32"), 7);
    CHECK_EQ(number(&m, "latency.vote"), 12);
    CHECK_EQ(number(&m, "throughput.int_add"), 32); /* 4 x 32 / 4 */
    CHECK_EQ(number(&m, "throughput.sfu"), 8);
    CHECK_EQ(number(&m, "barrier.1"), 9);
    machine_free(&m);
}

TEST(other_caches)
{
    static const char *const list[] = {"caches", "constant", NULL};
    machine m = machine_new(
        "gtx480", "gpu: {sms: 1}\n"
                  "sm: {constant: {l1: {bytes: 6K, line: 128, ways: 3, "
                  "latency: 9}}}\n"
                  "l1: {sets: 16, ways: 3, latency: 31, sector: 32, index: "
                  "ipoly}\n"
                  "l2: {slices: 6, sets: 16, ways: 5, latency: 51}\n");

    run(&m, list);
    CHECK_EQ(number(&m, "l1.size"), 16 * 3 * 128);
    CHECK_EQ(number(&m, "l1.ways"), 3);
    CHECK_EQ(number(&m, "l1.line"), 128);
    CHECK_STR(word(&m, "l1.replacement"), "lru");
    CHECK_EQ(number(&m, "load.l1"), 8 + 31 + 2);
    CHECK_EQ(number(&m, "l2.ways"), 5);
    CHECK_EQ(number(&m, "l2.line"), 128);
    CHECK_EQ(number(&m, "l2.sector"), 32);
    CHECK_EQ(number(&m, "constant.size"), 6144);
    CHECK_EQ(number(&m, "constant.line"), 128);
    CHECK_EQ(number(&m, "constant.ways"), 3);
    CHECK_EQ(number(&m, "load.constant"), 8 + 9 + 2);
    machine_free(&m);
}

TEST(other_shared_memory)
{
    static const char *const list[] = {"shared", NULL};
    machine m = machine_new("k20", "gpu: {sms: 1}\n"
                                   "sm: {shared: {banks: 16, bank_bytes: 8, "
                                   "latency: 27, atomic: 2}}\n");

    run(&m, list);
    CHECK_EQ(number(&m, "shared.banks"), 16);
    CHECK_EQ(number(&m, "shared.bank_bytes"), 8);
    CHECK_EQ(number(&m, "load.shared"), 6 + 27 + 2);
    CHECK_EQ(number(&m, "shared.atomic_same"), 32 * 3);
    machine_free(&m);
}

TEST(what_fits_a_multiprocessor)
{
    static const char *const list[] = {"limits", NULL};
    machine m = machine_new(
        "k20",
        "gpu: {sms: 2, max: {cta_threads: 768, cta_x: 768, cta_y: 768}}\n"
        "sm: {warps: 40, threads: 1280, ctas: 11, "
        "registers: 32768, shared_bytes: 40K, "
        "shared_per_cta: 24K}\n");

    run(&m, list);
    CHECK_EQ(check_truth(&m, 0), 7);
    machine_free(&m);
}

TEST(other_register_banks)
{
    enum { REGISTERS = 18 };
    machine m = machine_new("v100", "gpu: {sms: 1}\n"
                                    "sm: {rf: {banks: 4, bank_map: kepler}}\n");
    const rt_options how = {.threads = 1};
    probe_device *d = probe_device_new(m.cfg, &how, NULL, m.dg);
    probe_banks banks;

    must(&m, d && probe_found_init(&m.found));
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
