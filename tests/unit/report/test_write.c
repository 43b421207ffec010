/* What a run looks like as text, JSON and CSV. */
#include "report/run.h"

#include "base/child.h"
#include "fake.h"
#include "report/figure.h"

static void check_columns(const char *text)
{
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");

        if (n > 100)
            TEST_FAIL("%zu columns: %.*s", n, (int)n, line);
        CHECK(!n || line[n - 1] != ' ');
        line += n + (line[n] == '\n');
    }
}

/* As large as figures get. */
static void fill_large(fake *f)
{
    for (size_t i = 0; i < stats_count(f->stats); i++)
        f->values[i] = 1000000000000ull + i;
    stats_totals(f->stats, f->values, f->totals);
    f->launch.cycles = 999999999999;
    f->launch.warp_insts = 99999999999999;
    f->launch.thread_insts = 3199999999999968;
    f->launch.ctas = 99999999999999;
    f->launch.host_seconds = 123456.7;
    f->kernel.registers = 255;
    f->kernel.shared_bytes = 98304;
    f->cfg.gpu.sms = 1024;
    f->cfg.gpu.clock_khz = 10000000;
    f->run.threads = 1024;
    f->run.max_rss_bytes = UINT64_MAX;
}

TEST(text_fits_100_columns)
{
    fake *f = fake_new();
    char *text = fake_print(f, report_text);

    check_columns(text);
    CHECK(!strstr(text, "nan"));
    free(text);
    fill_large(f);
    text = fake_print(f, report_text);
    check_columns(text);
    free(text);
    f->run.functional = f->launch.functional = true;
    f->launch.totals = f->launch.counters = NULL;
    text = fake_print(f, report_text);
    check_columns(text);
    CHECK(!strstr(text, "issue slots"));
    free(text);
    fake_free(f);
}

TEST(text_shows_where_slots_went_largest_first)
{
    fake *f = fake_new();

    memset(&f->cfg.energy.event, 0, sizeof f->cfg.energy.event);
    fake_set(f, "sm[0].slots", 2000);
    fake_set(f, "sm[0].issued", 400);
    fake_set(f, "sm[0].followed", 100); /* of another SM's front end */
    fake_set(f, "sm[0].stall_barrier", 499);
    fake_set(f, "sm[0].stall_raw_mem", 1000);
    fake_set(f, "sm[0].stall_icache", 1);
    char *text = fake_print(f, report_text);
    const char *mem = strstr(text, "raw_mem"), *bar = strstr(text, "barrier");
    CHECK(mem && bar && mem < bar);
    CHECK(strstr(text, "50.0 %"));
    CHECK(strstr(text, "< 0.1 %") == NULL); /* 1 of 2000 is 0.05, so 0.1 */
    CHECK(!strstr(text, "a bug"));
    CHECK(!strstr(text, "no_warp")); /* did not happen */
    free(text);
    fake_set(f, "sm[0].issued", 399);
    text = fake_print(f, report_text);
    CHECK(strstr(text, "do not add up"));
    free(text);
    fake_free(f);
}

TEST(text_tells_of_incomplete_runs_and_checks)
{
    fake *f = fake_new();
    const report_check checks[2] = {
        {.buffer = "out", .file = "ref.npy", .count = 1234567},
        {.buffer = "out",
         .file = "r",
         .count = 10,
         .differ = 3,
         .worst = 0.25}};

    f->launch.ctas = 3;
    f->launch.status = f->run.status = ST_INTERRUPTED;
    f->run.checks = checks;
    f->run.check_count = 2;
    char *text = fake_print(f, report_text);
    CHECK(strstr(text, "3 of 4 CTAs"));
    CHECK(strstr(text, "status: interrupted"));
    CHECK(strstr(text, "out as expected in 1,234,567 elements"));
    CHECK(strstr(text, "out DIFFERS in 10 elements, 3 of them wrong"));
    free(text);
    fake_free(f);
}

/* ---- CSV ---- */

static unsigned fields(const char *line)
{
    unsigned n = 1;
    bool quoted = false;

    for (; *line && (quoted || *line != '\n'); line++)
        if (*line == '"')
            quoted = !quoted;
        else if (*line == ',' && !quoted)
            n++;
    return n;
}

/* ---- launches in flight together ---- */

enum { PARTS = 7 };

/* The launch becomes the sum of seven, of six kernels. */
static report_group *make_group(fake *f, isa_kernel *kernels)
{
    static const char *const names[PARTS] = {
        "a", "b", "a", "c", "a_name_that_is_too_long_for_the_table", "d", "e"};
    report_part part[PARTS];

    for (unsigned i = 0; i < PARTS; i++) {
        kernels[i] = f->kernel;
        kernels[i].name = names[i];
        kernels[i].registers = 10 + i;
        part[i] = (report_part){.kernel = &kernels[i],
                                .stream = i % 2 ? "right" : "0",
                                .grid = {1 + i, 1, 1},
                                .block = {32, 1, 1},
                                .start = 100 * i,
                                .cycles = 1000,
                                .ctas = 1 + i,
                                .warp_insts = 123456789 + i,
                                .ctas_per_sm = 8,
                                .limiter = "warps"};
    }
    part[6].status = ST_FAULT;
    report_group *g = report_group_new(part, PARTS);
    CHECK(g != NULL);
    f->launch.group = g;
    f->launch.kernel = &g->kernel;
    f->launch.ctas_per_sm = 0;
    f->launch.limiter = "-";
    memset(f->launch.grid, 0, sizeof f->launch.grid);
    memset(f->launch.block, 0, sizeof f->launch.block);
    return g;
}

TEST(text_tells_each_launch_of_a_group)
{
    fake *f = fake_new();
    isa_kernel kernels[PARTS];
    report_group *g = make_group(f, kernels);
    char *text = fake_print(f, report_text);

    CHECK_STR(g->kernel.name,
              "a x2 + b + c + a_name_that_is_too_long_for_the_table + 2 more");
    CHECK_EQ(g->kernel.registers, 16);
    check_columns(text);
    CHECK(strstr(text, "grids of several sizes, block 32x1x1;"));
    CHECK(strstr(text, "    b                    right                   100  "
                       "          1,100            2      123,456,790\n"));
    CHECK(strstr(text, "    e                    0                       600  "
                       "          1,600            7      123,456,795\n"
                       "      (did not end: fault)\n"));
    CHECK(!strstr(text, "limit:"));
    free(text);
    report_group_free(g);
    fake_free(f);
}

TEST(csv_rows_have_the_fields_of_the_header)
{
    fake *f = fake_new();
    report_launch two[2] = {f->launch, f->launch};

    fill_large(f);
    f->run.launches = two;
    f->run.launch_count = 2;
    f->kernel.name = "odd,\"name\"";
    char *text = fake_print(f, report_csv);
    const char *row = strchr(text, '\n') + 1, *next = strchr(row, '\n') + 1;
    CHECK_EQ(fields(row), fields(text));
    CHECK_EQ(fields(next), fields(text));
    CHECK(strstr(row, "0,\"odd,\"\"name\"\"\",ok,") == row);
    CHECK(!*(strchr(next, '\n') + 1));
    free(text);
    fake_free(f);
}

/* Rows of several runs can be put under one header: the columns do not depend
 * on what happened. */
TEST(csv_columns_are_always_the_same)
{
    fake *f = fake_new();
    char *first = fake_print(f, report_csv);

    fake_set(f, "sm[0].stall_sleep", 5);
    fake_set(f, "sm[0].stall_raw_mem", 7);
    char *second = fake_print(f, report_csv);
    size_t n = strcspn(first, "\n");
    CHECK(!strncmp(first, second, n + 1));
    free(first);
    free(second);
    fake_free(f);
}

/* ---- JSON ---- */

/* What jq prints for the filter; NULL: there is no jq. */
static char *jq(const char *json, const char *filter)
{
    const char *argv[] = {"jq", "-c", filter, NULL};
    child_request req = {.argv = argv,
                         .input = json,
                         .input_size = strlen(json),
                         .timeout_ms = 30000};
    child_result res;
    diag *dg = diag_new();
    char *out = NULL;

    if (child_run(&req, dg, &res) == ST_OK) {
        if (res.exit_code == 0)
            out = strdup(res.out);
        else
            TEST_FAIL("jq: %s", res.err);
        child_result_fini(&res);
    }
    diag_free(dg);
    return out;
}

TEST(json_says_what_the_run_did)
{
    fake *f = fake_new();
    char *text, *said;

    fake_set(f, "sm[0].slots", 2000);
    fake_set(f, "sm[0].issued", 2000);
    fake_set(f, "dram[0].reads", 7);
    f->kernel.name = "a\"b";
    f->run.program = "\xff.ptx";
    text = fake_print(f, report_json);
    said =
        jq(text, "[.status, .program, .gpu, (.launches | length), "
                 ".launches[0].kernel, .launches[0].grid, "
                 ".launches[0].cycles, .launches[0].issue_slots.issued, "
                 ".launches[0].counters[\"dram[*].reads\"], .checks, .hash]");
    free(text);
    if (!said)
        TEST_SKIP("jq is not installed");
    CHECK_STR(said, "[\"ok\",\"\xef\xbf\xbd.ptx\",\"custom\",1,\"a\\\"b\","
                    "[4,1,1],1000,2000,7,[],null]\n");
    free(said);
    f->run.options.per_block = true;
    text = fake_print(f, report_json);
    said = jq(text, ".launches[0].counters[\"dram[0].reads\"]");
    free(text);
    CHECK_STR(said, "7\n");
    free(said);
    fake_free(f);
}

TEST(rates_are_by_the_clock_and_by_cpu_time)
{
    fake *f = fake_new();
    char *text, *said;

    f->launch.warp_insts = 6000;
    f->launch.host_seconds = 2;
    f->run.cpu_seconds = 3;
    text = fake_print(f, report_text);
    CHECK(strstr(text, "host: 2 s, 3 k warp instructions/s,"));
    CHECK(strstr(text, "CPU:  3 s, 2 k warp instructions/s\n"));
    free(text);
    text = fake_print(f, report_json);
    said = jq(text, ".host | [.seconds, .warp_insts_per_s, .cpu_s, "
                    ".warp_insts_per_cpu_s]");
    free(text);
    fake_free(f);
    if (!said)
        TEST_SKIP("jq is not installed");
    CHECK_STR(said, "[2,3000,3,2000]\n");
    free(said);
}

/* 100 registers read at 3 pJ on a board of 5 W, 1000 cycles at 1 GHz. */
TEST(json_tells_every_part_of_the_energy)
{
    fake *f = fake_new();
    energy_sample rows[2] = {{0, {.cycles = 400, .total_fj = 7}},
                             {400, {.cycles = 600, .total_fj = 9}}};

    memset(&f->cfg.energy.event, 0, sizeof f->cfg.energy.event);
    memset(&f->cfg.energy.bit, 0, sizeof f->cfg.energy.bit);
    memset(&f->cfg.energy.power, 0, sizeof f->cfg.energy.power);
    f->cfg.gpu.clock_khz = 1000000;
    f->cfg.energy.event.rf_read = 3000;
    f->cfg.sm.registers_per_thread = 83; /* and 7 predicates */
    f->cfg.energy.power.board = 5000000;
    fake_set(f, "sm[0].bank_reads", 100);
    f->launch.series = (energy_series){.row = rows, .count = 2};
    char *text = fake_print(f, report_json);
    char *said = jq(
        text, ".launches[0].energy | [.energy_fj, .dynamic_fj, .static_fj, "
              ".parts_fj.registers, .parts_fj.board, (.parts_fj | add), "
              ".events.rf_read.count, .events.rf_read.fj, "
              ".events.hazard_read.bits, .events.hazard_slot.bits, "
              ".events.hazard_read.formula, "
              ".states.board.cycles, (.power_w > 5.0002 and .power_w < 5.0004),"
              " [.series[] | [.start_cycle, .cycles, .total_fj]]]");
    free(text);
    if (!said)
        TEST_SKIP("jq is not installed");
    CHECK_STR(said,
              "[5000300000,300000,5000000000,300000,5000000000,"
              "5000300000,100,300000,{\"read\":90},{},"
              "\"hazard_row * bit.read\",1000,true,[[0,400,7],[400,600,9]]]"
              "\n");
    free(said);
    f->run.options.energy_series = true;
    text = fake_print(f, report_csv);
    CHECK(strstr(text, "\n0,k,0,400,0,") && strstr(text, "\n0,k,400,600,"));
    free(text);
    fake_free(f);
}

TEST(text_tells_the_larger_parts_of_the_energy)
{
    fake *f = fake_new();

    memset(&f->cfg.energy.event, 0, sizeof f->cfg.energy.event);
    memset(&f->cfg.energy.bit, 0, sizeof f->cfg.energy.bit);
    memset(&f->cfg.energy.power, 0, sizeof f->cfg.energy.power);
    f->cfg.gpu.clock_khz = 1000000;
    f->cfg.energy.event.rf_read = 30000000; /* 3e9 fJ of 1e10 */
    f->cfg.energy.event.schedule = 20000000;
    f->cfg.sm.registers_per_thread = 83; /* and 7 predicates */
    f->cfg.energy.bit.read = 100000000;  /* 90 of them 9e6 fJ: below 1 % */
    f->cfg.energy.power.board = 4910000;
    fake_set(f, "sm[0].bank_reads", 100);
    fake_set(f, "sm[0].issued", 100);
    fake_set(f, "sm[0].hazard_checks", 10);
    char *text = fake_print(f, report_text);
    CHECK(strstr(text, "on average 10.0 W"));
    CHECK(strstr(text, "board         49.1 %    4.9 W"));
    CHECK(strstr(text, "registers     30.0 %    3.0 W"));
    CHECK(strstr(text, "others         0.9 %"));
    CHECK(!strstr(text, "hazard"));
    CHECK(strstr(text, "front end: 41.1 % of dynamic energy, 20.9 % of all"));
    check_columns(text);
    free(text);
    fake_free(f);
}

TEST(json_has_the_launches_of_a_group)
{
    fake *f = fake_new();
    isa_kernel kernels[PARTS];
    report_group *g = make_group(f, kernels);
    char *text, *said;

    f->launch.start = 5000;
    text = fake_print(f, report_json);
    said = jq(text, "[.launches[0].parts[1] | .kernel, .stream, .status, .grid,"
                    " .start_cycle, .cycles, .ctas, .warp_insts, .limiter],"
                    "(.launches[0].parts | length)");
    free(text);
    report_group_free(g);
    fake_free(f);
    if (!said)
        TEST_SKIP("jq is not installed");
    CHECK_STR(said, "[\"b\",\"right\",\"ok\",[2,1,1],5100,1000,2,123456790,"
                    "\"warps\"]\n7\n");
    free(said);
}

TEST(json_without_launches_is_an_object)
{
    fake *f = fake_new();

    f->run.launch_count = 0;
    f->run.status = ST_PROGRAM;
    char *text = fake_print(f, report_json);
    char *said = jq(text, "[.status, .launches]");
    free(text);
    if (!said)
        TEST_SKIP("jq is not installed");
    CHECK_STR(said, "[\"program\",[]]\n");
    free(said);
    fake_free(f);
}
