/* tests/unit/validate/test_hardware.c - launches of a profile beside launches
 * here that were made up. */
#include "validate/hardware.h"

#include <math.h>

#include "test.h"

enum { LAUNCHES = 8 };

typedef struct fake {
    hardware h;
    profile p;
    validate v;
    isa_kernel kernels[LAUNCHES];
    report_launch launches[LAUNCHES];
    report_process process;
    report_program program;
} fake;

static void begin(fake *f, const char *csv)
{
    diag *dg = diag_new();

    memset(f, 0, sizeof *f);
    f->v.mem = f->h.mem = arena_new();
    CHECK_EQ(profile_read_text("p.csv", csv, strlen(csv), f->v.mem, dg, &f->p),
             ST_OK);
    diag_free(dg);
    f->h.theirs = &f->p;
    f->h.gpu = "v100";
    f->h.sms = 80;
    f->h.clock_hz = NAN;
    f->process.launches = f->launches;
    f->program = (report_program){.processes = &f->process, .process_count = 1};
}

static void launch(fake *f, const char *name, uint32_t ctas, uint64_t cycles)
{
    size_t i = f->process.launch_count++;

    f->kernels[i].name = (char *)(uintptr_t)name;
    f->launches[i].kernel = &f->kernels[i];
    f->launches[i].functional = !cycles;
    f->launches[i].cycles = cycles;
    for (int k = 0; k < 3; k++)
        f->launches[i].grid[k] = f->launches[i].block[k] = 1;
    f->launches[i].grid[0] = ctas;
}

static void match(fake *f)
{
    hardware_add(&f->h, &f->program);
    hardware_match(&f->h, &f->v);
    validate_finish(&f->v);
}

static const validate_row *row(const fake *f, const char *name)
{
    for (size_t i = 0; i < f->v.count; i++)
        if (!strcmp(f->v.rows[i].is->name, name))
            return &f->v.rows[i];
    TEST_FAIL("no row '%s'", name);
}

static bool has_note(const fake *f, const char *note)
{
    for (size_t i = 0; i < f->v.note_count; i++)
        if (!strcmp(f->v.notes[i], note))
            return true;
    return false;
}

#define HEAD     "ID,Kernel Name,Grid Size,Block Size,sm__cycles_elapsed.max\n"
#define SIZES(x) ",\"(" x ", 1, 1)\",\"(1, 1, 1)\","

TEST(launches_by_kernel_grid_and_order)
{
    fake f;

    begin(&f, HEAD "0,_Z1aPf" SIZES(
                  "4") "100\n"
                       "1,b(int)" SIZES(
                           "4") "200\n"
                                "2,_Z1aPf" SIZES(
                                    "9") "300\n"
                                         "3,_Z1aPf" SIZES(
                                             "4") "400\n"
                                                  "4,only" SIZES(
                                                      "1") "7\n"
                                                           "5,only" SIZES(
                                                               "1") "8\n");
    launch(&f, "a", 9, 330);
    launch(&f, "a", 4, 110);
    launch(&f, "extra", 4, 5);
    launch(&f, "a", 4, 200);
    launch(&f, "b", 4, 0);
    launch(&f, "extra", 4, 6);
    match(&f);
    CHECK_EQ(f.v.count, 5);
    CHECK_EQ(f.v.measured, 3);
    CHECK(fabs(validate_error(row(&f, "a at line 2")) - 0.1) < 1e-12);
    CHECK(fabs(validate_error(row(&f, "a at line 4")) - 0.1) < 1e-12);
    CHECK(fabs(validate_error(row(&f, "a at line 5")) + 0.5) < 1e-12);
    CHECK_STR(row(&f, "b")->why, "its launch here was not timed, or failed");
    CHECK_STR(row(&f, "only x2")->why,
              "nothing was launched here of that kernel, grid and block, or "
              "less often");
    CHECK(row(&f, "only x2")->is->value == 15);
    CHECK(has_note(&f, "only here: extra, 2 launches"));
    arena_free(f.v.mem);
}

TEST(one_row_for_a_kernel)
{
    fake f;

    begin(&f, HEAD "0,a<int>" SIZES(
                  "4") "100\n"
                       "1,a<float>" SIZES("4") "1000\n"
                                               "2,a<int>" SIZES("4") "300\n");
    f.h.by_kernel = true;
    launch(&f, "a<int>", 4, 150);
    launch(&f, "a<int>", 4, 50);
    launch(&f, "a<float>", 4, 900);
    match(&f);
    CHECK_EQ(f.v.count, 2);
    CHECK(row(&f, "a<int> x2")->ours == 200);
    CHECK(row(&f, "a<int> x2")->is->value == 400);
    CHECK(row(&f, "a<float>")->ours == 900);
    CHECK_EQ(f.v.note_count, 0);
    arena_free(f.v.mem);
}

/* 800 cycles a launch of each of 80 SMs are 10 cycles. */
TEST(sums_over_sms_and_means_over_launches)
{
    fake f;

    begin(&f, "Device,Kernel,Invocations,Event Name,Min,Max,Avg,Total\n"
              "V,a(int),3,elapsed_cycles_sm,1,1,800,2400\n");
    launch(&f, "a", 4, 20);
    launch(&f, "a", 5, 10);
    launch(&f, "a", 6, 30);
    match(&f);
    CHECK_EQ(f.v.count, 1);
    CHECK_STR(f.v.rows[0].is->name, "a at line 2 x3");
    CHECK(f.v.rows[0].is->value == 30 && f.v.rows[0].ours == 60);
    CHECK(has_note(&f, "p.csv: elapsed_cycles_sm is the sum over all SMs; it "
                       "is divided by the 80 of v100"));
    arena_free(f.v.mem);
}

TEST(durations_need_a_clock)
{
    static const char csv[] = "Start,Duration,Grid X,x,y,Block X,a,b,Name\n"
                              "s,us,,,,,,,\n"
                              "1,2,4,1,1,1,1,1,a [5]\n";
    diag *dg = diag_new();
    fake f;

    begin(&f, csv);
    CHECK_EQ(hardware_check(&f.h, dg), ST_USAGE);
    CHECK(strstr(diag_get(dg, 0)->text, "--clock 1380MHz"));
    CHECK_EQ(diag_get(dg, 0)->line, 3);
    diag_free(dg);
    f.h.clock_hz = 1.5e9;
    launch(&f, "a", 4, 3000);
    match(&f);
    CHECK(fabs(f.v.rows[0].is->value - 3000) < 1e-6);
    arena_free(f.v.mem);
}
