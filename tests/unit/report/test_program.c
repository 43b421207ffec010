/* What a program with many launches looks like as text, JSON and CSV. */
#include "report/program.h"

#include "base/child.h"
#include "fake.h"
#include "report/failure.h"
#include "report/kernels.h"

enum { LAUNCHES = 6 };

/* Two processes on two GPUs; the second has a clock of half the speed. */
typedef struct many {
    fake *f;
    config slow;
    isa_kernel other;
    report_launch launch[LAUNCHES];
    const char *notes[1];
    report_gpu gpus[2];
    report_process process[2];
    report_program program;
} many;

static many *many_new(void)
{
    many *m = calloc(1, sizeof *m);

    CHECK(m);
    m->f = fake_new();
    m->slow = m->f->cfg;
    m->f->cfg.gpu.clock_khz = 1000000;
    m->slow.gpu.clock_khz = 500000;
    m->other = (isa_kernel){.name = "other"};
    for (unsigned i = 0; i < LAUNCHES; i++)
        m->launch[i] = m->f->launch;
    m->launch[1].kernel = &m->other;
    m->launch[2].functional = true;
    m->launch[2].totals = m->launch[2].counters = NULL;
    m->launch[2].cycles = 0;
    m->launch[4].device = 1;
    m->launch[4].cfg = &m->slow;
    m->launch[5].unfinished = true;
    m->launch[5].totals = NULL;
    m->notes[0] = "mind the gap";
    m->gpus[0] = (report_gpu){"fast", &m->f->cfg};
    m->gpus[1] = (report_gpu){"slow", &m->slow};
    m->process[0] = (report_process){.pid = 11,
                                     .program = "/bin/one",
                                     .command = "one -x",
                                     .launches = m->launch,
                                     .launch_count = 4,
                                     .notes = m->notes,
                                     .note_count = 1,
                                     .moved = {1000, 2000, 3000},
                                     .ended = true};
    m->process[1] = (report_process){.pid = 12,
                                     .program = "two",
                                     .command = "two",
                                     .launches = m->launch + 4,
                                     .launch_count = 2};
    m->program = (report_program){.command = "one -x",
                                  .gpus = m->gpus,
                                  .gpu_count = 2,
                                  .processes = m->process,
                                  .process_count = 2,
                                  .threads = 1,
                                  .seconds = 2,
                                  .cpu_seconds = 1.5};
    return m;
}

static void many_free(many *m)
{
    fake_free(m->f);
    free(m);
}

__attribute__((noinline)) static char *
print(const many *m, void (*write)(const report_program *, FILE *))
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    CHECK(to);
    write(&m->program, to);
    fclose(to);
    return text;
}

TEST(launches_are_summed_by_kernel_and_gpu)
{
    many *m = many_new();
    kernel_sums s;

    fake_set(m->f, "sm[0].slots", 10);
    kernel_sums_make(&s, &m->program);
    CHECK_EQ(s.count, 3);
    CHECK_EQ(s.kernels, 2);
    CHECK_EQ(s.launches, 6);
    CHECK_EQ(s.timed, 4);
    CHECK_EQ(s.failed, 1);
    CHECK_EQ(s.functional, 1);
    CHECK_EQ(s.cycles, 4000);
    CHECK(s.time_s > 4.99e-6 && s.time_s < 5.01e-6); /* 3 us and 2 us */
    CHECK_STR(s.row[0].name, "k");
    CHECK_EQ(s.row[0].count, 4);
    CHECK_EQ(s.row[0].timed, 2);
    CHECK_EQ(s.row[0].f.slots, 20);
    CHECK_EQ(s.row[0].warp_insts, 2000);
    CHECK_STR(s.row[1].name, "other");
    CHECK_EQ(s.row[2].sum.device, 1);
    kernel_sums_free(&s);
    many_free(m);
}

/* Sizes that differ are said to; rows of a profile are added where the machine
 * code is the same. */
TEST(a_sum_is_like_one_launch)
{
    many *m = many_new();
    sm_profile_row rows[2][2] = {{{.insts = 1}, {.insts = 2}},
                                 {{.insts = 10}, {.insts = 20}}};
    isa_kernel again;
    kernel_sums s;

    m->f->kernel.code_count = 1;
    again = m->f->kernel; /* from another build of the program */
    m->launch[0].profile = rows[0];
    m->launch[3].profile = rows[1];
    m->launch[3].grid[1] = 9;
    m->launch[2].cycles = 5;
    m->launch[2].ctas = 1000; /* functional: does not count */
    m->launch[5] = m->launch[0];
    m->launch[5].kernel = &again;
    kernel_sums_make(&s, &m->program);
    const kernel_sum *k = &s.row[0];
    CHECK_EQ(k->summed, 3);
    CHECK_EQ(k->profiled, 2);
    CHECK_EQ(k->sum.ctas, 12);
    CHECK_EQ(k->sum.cycles, 3000);
    CHECK_EQ(k->sum.warp_insts, 1500);
    CHECK_EQ(k->sum.grid[0], 0);
    CHECK_EQ(k->sum.block[0], 64);
    CHECK_EQ(k->sum.profile[0].insts, 11);
    CHECK_EQ(k->sum.profile[1].insts, 22);
    CHECK(!k->sum.functional && !k->sum.unfinished);
    kernel_sums_free(&s);
    m->program.kernels = 1;
    char *text = print(m, report_program_text);
    CHECK(strstr(text, "(3 timed launches together, GPU 0)"));
    CHECK(strstr(text, "grids of several sizes, block 64x1x1"));
    CHECK(strstr(text, "(2 other kernels)"));
    free(text);
    many_free(m);
}

TEST(text_names_what_went_wrong)
{
    many *m = many_new();

    m->launch[3].status = ST_FAULT;
    m->launch[3].error = "out of bounds";
    m->process[1].broken = true;
    m->program.signal = 11;
    char *text = print(m, report_program_text);
    CHECK(strstr(text, "process 11 (one): launch 4 of 'k' FAILED: fault\n"
                       "  out of bounds\n"));
    CHECK(strstr(text, "process 12 (two): launch 2 of 'k' DID NOT END"));
    CHECK(strstr(text, "process 11 (one): note: mind the gap"));
    CHECK(strstr(text, "could not be understood"));
    CHECK(strstr(text, "ended by signal 11"));
    CHECK(!strstr(text, "without a word")); /* broken says more */
    free(text);
    m->process[1].broken = false;
    text = print(m, report_program_text);
    CHECK(strstr(text, "process 12 (two): ended without a word"));
    CHECK(strstr(text,
                 "6 launches of 2 kernels in 2 processes, 1 functional, 2 "
                 "FAILED\n"));
    CHECK(strstr(text, "2 kB written to the GPU, 1 kB read, 3 kB copied"));
    CHECK(strstr(text, "GPU 1: "));
    free(text);
    many_free(m);
}

TEST(text_tells_so_many_launches_in_full)
{
    many *m = many_new();

    for (size_t n = 0; n < 6; n++) {
        size_t told = 0;

        m->program.detailed = n;
        char *text = print(m, report_program_text);
        for (const char *s = text; (s = strstr(s, "issue slots")); s++)
            told++;
        CHECK_EQ(told, n < 4 ? n : 4); /* functional ones have no slots */
        CHECK(!strstr(text, "--launches all") == !(n && n < 4));
        free(text);
    }
    many_free(m);
}

static size_t longest(const char *text)
{
    size_t most = 0;

    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        most = n > most ? n : most;
    }
    return most;
}

TEST(text_fits_its_width)
{
    many *m = many_new();

    m->other.name = "a_kernel_whose_name_is_much_longer_than_any_column_could_"
                    "be_on_any_terminal_of_this_world_and_the_next_end";
    m->launch[0].cycles = m->launch[1].cycles = 99999999999999;
    m->launch[0].warp_insts = 9999999999999;
    for (unsigned width = 0; width < 200; width += 10) {
        unsigned fits = width < 80 ? width ? 80 : 100 : width;

        m->program.options.width = width;
        char *text = print(m, report_program_text);
        CHECK(longest(text) <= (fits < 100 ? 100 : fits));
        char *table = strndup(text, (size_t)(strstr(text, "\n\n") - text));
        CHECK(longest(table) <= fits);
        CHECK(strstr(table, "_end")); /* names end as they should */
        free(table);
        free(text);
    }
    many_free(m);
}

TEST(text_says_that_nothing_was_launched)
{
    many *m = many_new();

    m->process[0].launch_count = m->process[1].launch_count = 0;
    char *text = print(m, report_program_text);
    CHECK(strstr(text, "launched no kernel"));
    free(text);
    m->program.process_count = 0;
    text = print(m, report_program_text);
    CHECK(strstr(text, "used neither OpenCL nor CUDA: nothing asked"));
    free(text);
    m->program.unused = "it is a script";
    text = print(m, report_program_text);
    CHECK(strstr(text, "used neither OpenCL nor CUDA: it is a script\n"));
    free(text);
    many_free(m);
}

/* The text of a process whose calls failed so. */
static char *print_failed(many *m, const report_failure *f, size_t n,
                          uint64_t lost)
{
    m->process[0].failures = f;
    m->process[0].failure_count = n;
    m->process[0].failures_lost = lost;
    return print(m, report_program_text);
}

TEST(text_tells_calls_that_failed)
{
    static const report_failure build = {"clBuildProgram", -11, "CL_BUILD",
                                         "x:1: error: a\n  a\nb\n", 1},
                                asked = {"clGetDeviceInfo", -30, "CL_VALUE",
                                         "no such thing\n", 2};
    const report_failure both[] = {asked, build};
    many *m = many_new();

    m->launch[5].unfinished = false;
    m->program.process_count = 1;
    char *text = print_failed(m, &asked, 1, 0);
    CHECK(!strstr(text, "clGetDeviceInfo")); /* it ended well */
    free(text);
    text = print_failed(m, both, 2, 0);
    CHECK(strstr(text, "calls that failed: 3\n"
                       "  clGetDeviceInfo: CL_VALUE, 2 times: no such thing\n"
                       "  clBuildProgram: CL_BUILD\n"
                       "    x:1: error: a\n      a\n    b\n"));
    free(text);
    m->program.exit_code = 1;
    text = print_failed(m, &asked, 1, 0);
    CHECK(strstr(text, "  clGetDeviceInfo: CL_VALUE"));
    free(text);
    many_free(m);
}

TEST(text_tells_the_first_and_the_last_of_many_failures)
{
    report_failure f[32];
    char log[32][8];
    many *m = many_new();

    for (unsigned i = 0; i < 32; i++) {
        snprintf(log[i], sizeof log[i], "no %u;", i);
        f[i] = (report_failure){"clFinish", -5, "CL_OUT", log[i], 10};
    }
    char *text = print_failed(m, f, 32, 7);
    CHECK(strstr(text, "failed: 327\n"));
    CHECK(strstr(text, "no 2;\n  (267 other calls; --format json has more)\n"
                       "  clFinish: CL_OUT, 10 times: no 29;\n"));
    CHECK(strstr(text, "no 31;\n"));
    free(text);
    text = print_failed(m, f, 6, 0);
    CHECK(strstr(text, "no 5;") && !strstr(text, "other calls"));
    free(text);
    f[3].text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10";
    text = print_failed(m, f, 6, 0);
    CHECK(strstr(text, "\n    8\n    (2 more lines)\n"));
    free(text);
    many_free(m);
}

static void cause_is(const many *m, const char *expected)
{
    strbuf b = {0};
    bool known = failure_cause(&m->program, &b);

    CHECK_STR(known ? b.text : "", expected);
    strbuf_fini(&b);
}

TEST(the_cause_is_the_first_mistake)
{
    static const report_failure f[] = {
        {"clGetDeviceIDs", -1, "CL_NOT_FOUND", "none", 1},
        {"clBuildProgram", -11, "CL_BUILD", "an error\nin a line", 1},
        {"clSetKernelArg", -48, "CL_KERNEL", "what", 1},
        {"clReleaseKernel", -48, "CL_KERNEL", "that", 1},
    };
    many *m = many_new();

    cause_is(m, "");
    m->process[0].failures = f;
    m->process[0].failure_count = 1;
    cause_is(m, ""); /* it launched something nevertheless */
    m->process[0].launch_count = 0;
    cause_is(m, "clGetDeviceIDs: CL_NOT_FOUND: none");
    m->process[0].failure_count = 4;
    cause_is(m, "clBuildProgram: CL_BUILD: an error");
    m->process[1].launch_count = 2;
    m->launch[4].error = "out of bounds\nthere";
    cause_is(m, "out of bounds");
    m->program.process_count = 0;
    m->program.unused = "it is a script";
    cause_is(m, "it is a script");
    many_free(m);
}

static unsigned fields(const char *line)
{
    unsigned n = 1;

    for (; *line != '\n'; line++)
        n += *line == ',';
    return n;
}

TEST(csv_has_a_line_for_each_launch)
{
    many *m = many_new();
    char *text = print(m, report_program_csv);
    unsigned lines = 0;

    for (const char *s = text; *s; s = strchr(s, '\n') + 1, lines++)
        CHECK_EQ(fields(s), fields(text));
    CHECK_EQ(lines, 1 + LAUNCHES);
    CHECK(strstr(text, "\n11,0,0,0,k,ok,"));
    CHECK(strstr(text, "\n11,2,0,1,k,ok,"));
    CHECK(strstr(text, "\n12,1,0,0,k,unfinished,"));
    free(text);
    m->process[0].launch_count = m->process[1].launch_count = 0;
    text = print(m, report_program_csv);
    CHECK(strstr(text, "pid,launch,") == text);
    free(text);
    many_free(m);
}

TEST(json_has_processes_with_launches)
{
    static const char *const argv[] = {
        "jq", "-c",
        "[.processes[].launches | length], .total.launches, "
        ".processes[0].notes[0], .processes[1].launches[1].status, "
        ".processes[0].launches[1].kernel, (.kernels | length), "
        ".gpus[1].asked_for, .processes[0].launches[0].cycles, "
        ".processes[0].launches[2].functional, "
        "(.total.warp_insts - .host.cpu_s * .host.warp_insts_per_cpu_s | "
        "round), .host.cpu_s",
        NULL};
    many *m = many_new();
    char *text = print(m, report_program_json);
    child_request req = {.argv = argv,
                         .input = text,
                         .input_size = strlen(text),
                         .timeout_ms = 30000};
    child_result res;
    diag *dg = diag_new();
    status st = child_run(&req, dg, &res);

    diag_free(dg);
    free(text);
    many_free(m);
    if (st != ST_OK)
        TEST_SKIP("jq is not installed");
    CHECK_STR(res.out, "[4,2]\n6\n\"mind the gap\"\n\"unfinished\"\n\"other\"\n"
                       "3\n\"slow\"\n1000\ntrue\n0\n1.5\n");
    child_result_fini(&res);
}

TEST(spreads_of_launches_add_up_as_those_of_chance_do)
{
    many *m = many_new();
    kernel_sums s;

    /* Of one kernel: what is shared adds up, what is of each by squares. */
    m->launch[0].estimated = m->launch[3].estimated = 1000;
    m->launch[0].estimated_spread = 30;
    m->launch[3].estimated_spread = 40;
    m->launch[0].estimated_error = m->launch[3].estimated_error = 7;
    kernel_sums_make(&s, &m->program);
    const report_launch *sum = &s.row[0].sum;
    CHECK_STR(sum->kernel->name, m->f->launch.kernel->name);
    CHECK_EQ(sum->estimated, 2000);
    CHECK_EQ(sum->estimated_spread, 50);
    CHECK_EQ(sum->estimated_error, 14);
    kernel_sums_free(&s);
    many_free(m);
}
