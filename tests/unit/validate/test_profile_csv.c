/* tests/unit/validate/test_profile_csv.c - what profilers write, of kernels and
 * with numbers that were made up; columns and units are those that the manuals
 * describe. */
#include "validate/profile_csv.h"

#include <math.h>

#include "test.h"
#include "validate/profile_unit.h"

typedef struct fake {
    arena *mem;
    profile p;
} fake;

static void good(fake *f, const char *text)
{
    diag *dg = diag_new();

    *f = (fake){.mem = arena_new()};
    if (profile_read_text("p.csv", text, strlen(text), f->mem, dg, &f->p) !=
        ST_OK)
        diag_print(dg, stderr, false);
    CHECK_EQ(diag_errors(dg), 0);
    diag_free(dg);
}

/* "line: text" of the only error. */
static const char *error(const char *text)
{
    static char out[512];
    fake f = {.mem = arena_new()};
    diag *dg = diag_new();

    CHECK_EQ(profile_read_text("p.csv", text, strlen(text), f.mem, dg, &f.p),
             ST_CONFIG);
    CHECK_EQ(diag_errors(dg), 1);
    snprintf(out, sizeof out, "%u: %s", diag_get(dg, 0)->line,
             diag_get(dg, 0)->text);
    diag_free(dg);
    arena_free(f.mem);
    return out;
}

#define RAW                                                                    \
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\","    \
    "\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\","

TEST(raw_page_of_nsight_compute)
{
    fake f;

    good(&f,
         "==PROF== Connected to process 7 (/home/me/a.out)\n"
         "hello from the program, with \"quotes\n"
         "==PROF== Profiling \"tidy\" - 0: 0%....100% - 3 passes\n" RAW
         "\"gpu__time_duration.sum\",\"sm__cycles_elapsed.avg.per_second\","
         "\"sm__cycles_elapsed.max\"\n"
         "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"usecond\","
         "\"cycle/nsecond\",\"cycle\"\n"
         "\"0\",\"7\",\"a.out\",\"h\",\"tidy(float *, int)\",\"1\",\"7\","
         "\"(64, 2, 1)\",\"(1024, 1, 3)\",\"0\",\"7.0\",\"12.5\",\"1.25\","
         "\"1,234,567\"\n"
         "progress: 50 %, still at work\n"
         "\"1\",\"7\",\"a.out\",\"h\",\"tidy(float *, int)\",\"1\",\"7\","
         "\"(64, 2, 1)\",\"(8, 1, 1)\",\"0\",\"7.0\",\"n/a\",\"1.25\",\"999\"\n"
         "==PROF== Disconnected from process 7\n");
    const profile_launch *l = f.p.launches;

    CHECK_STR(f.p.tool, "Nsight Compute");
    CHECK_EQ(f.p.count, 2);
    CHECK_EQ(f.p.passed_over, 1);
    CHECK_STR(l[0].kernel.base, "tidy");
    CHECK(l[0].cycles == 1234567 && l[1].cycles == 999);
    CHECK(fabs(l[0].time_s - 12.5e-6) < 1e-15 && isnan(l[1].time_s));
    CHECK(l[0].clock_hz == 1.25e9);
    CHECK(l[0].shaped && l[0].block[1] == 2 && l[0].grid[2] == 3);
    CHECK_EQ(l[0].count, 1);
    CHECK_EQ(l[1].line, 8);
    arena_free(f.mem);
}

#define DETAILS                                                                \
    RAW "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
#define OF(id, kernel)                                                         \
    "\"" id "\",\"7\",\"a.out\",\"h\",\"" kernel "\",\"1\",\"7\","             \
    "\"(64, 1, 1)\",\"(8, 1, 1)\",\"0\",\"7.0\","

/* Several rows, from several passes, are one launch. */
TEST(details_page_of_nsight_compute)
{
    fake f;

    good(
        &f,
        DETAILS OF(
            "0",
            "tidy(int)") "\"Speed\",\"SM "
                         "Frequency\",\"Ghz\",\"1.1\"\n" OF(
                             "0",
                             "tidy("
                             "int)") "\"Speed\",\"Elapsed "
                                     "Cycles\",\"cycle\",\"5,"
                                     "000\"\n" OF(
                                         "0",
                                         "tidy(int)") "\"Speed"
                                                      "\","
                                                      "\"Durat"
                                                      "ion\","
                                                      "\"us\","
                                                      "\"4\""
                                                      "\n" OF(
                                                          "0",
                                                          "tidy(int)") "\"Other"
                                                                       "\","
                                                                       "\"Elaps"
                                                                       "ed "
                                                                       "Cycles"
                                                                       "\","
                                                                       "\"cycle"
                                                                       "\",\"5,"
                                                                       "001\""
                                                                       "\n" OF(
                                                                           "0",
                                                                           "tid"
                                                                           "y("
                                                                           "int"
                                                                           ")") "\""
                                                                                "Ru"
                                                                                "le"
                                                                                "\""
                                                                                ","
                                                                                "\""
                                                                                "\""
                                                                                ","
                                                                                "\""
                                                                                "\""
                                                                                ","
                                                                                "\""
                                                                                "\""
                                                                                "\n" OF("1", "tidy(int)") "\"Speed\",\"Duration\",\"msecond\",\"2\"\n" OF(
                                                                                    "1",
                                                                                    "tidy(int)") "\"Command line\",\"gpc__cycles_elapsed.max\","
                                                                                                 "\"cycle\",\"77\"\n");
    CHECK_EQ(f.p.count, 2);
    CHECK(f.p.launches[0].cycles == 5000);
    CHECK(f.p.launches[0].clock_hz == 1.1e9);
    CHECK(fabs(f.p.launches[0].time_s - 4e-6) < 1e-15);
    CHECK(f.p.launches[1].cycles == 77);
    CHECK(fabs(f.p.launches[1].time_s - 2e-3) < 1e-12);
    arena_free(f.mem);
}

/* The maximum over SMs is better than the mean, whatever comes first. */
TEST(the_best_of_several_metrics_counts)
{
    fake f;

    good(&f, RAW "\"sm__cycles_elapsed.avg\",\"sm__cycles_elapsed.max\"\n" OF(
                 "0", "k") "\"90\",\"100\"\n");
    CHECK(f.p.launches[0].cycles == 100);
    arena_free(f.mem);
}

TEST(traces_of_nvprof)
{
    fake f;

    good(&f, "==12== NVPROF is profiling process 12, command: ./a.out\n"
             "==12== Profiling result:\n"
             "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block "
             "X\",\"Block Y\",\"Block Z\",\"Registers Per "
             "Thread\",\"Size\",\"Device\",\"Name\"\n"
             "ms,us,,,,,,,,MB,,\n"
             "1.5,2.25,,,,,,,,1.0,\"V (0)\",\"[CUDA memcpy HtoD]\"\n"
             "2.5,3.75,16,2,1,128,1,1,20,,\"V (0)\",\"tidy(float*) [113]\"\n");
    CHECK_STR(f.p.tool, "nvprof");
    CHECK_EQ(f.p.count, 1);
    CHECK_STR(f.p.launches[0].kernel.base, "tidy");
    CHECK(fabs(f.p.launches[0].time_s - 3.75e-6) < 1e-15);
    CHECK(f.p.launches[0].grid[1] == 2 && f.p.launches[0].block[0] == 128);
    CHECK(isnan(f.p.launches[0].cycles));
    arena_free(f.mem);
}

TEST(events_of_nvprof)
{
    fake f;

    good(&f,
         "==12== Event result:\n"
         "\"Device\",\"Kernel\",\"Invocations\",\"Event Name\",\"Min\","
         "\"Max\",\"Avg\",\"Total\"\n"
         "\"V (0)\",\"tidy(int)\",3,\"elapsed_cycles_sm\",700,900,800,2400\n"
         "\"V (0)\",\"tidy(int)\",3,\"other\",1,1,1,3\n");
    CHECK_EQ(f.p.count, 1);
    CHECK_EQ(f.p.launches[0].count, 3);
    CHECK(f.p.launches[0].cycles == 800 && f.p.of_all_sms);
    arena_free(f.mem);
    good(&f, "\"Device\",\"Context\",\"Stream\",\"Kernel\",\"Correlation_ID\","
             "\"elapsed_cycles_sm\"\n"
             "\"V (0)\",\"1\",\"7\",\"tidy(int)\",\"113\",4000\n"
             "\"V (0)\",\"1\",\"7\",\"tidy(int)\",\"115\",4400\n");
    CHECK_EQ(f.p.count, 2);
    CHECK(f.p.launches[1].cycles == 4400 && f.p.of_all_sms);
    arena_free(f.mem);
}

#define SHORT "\"ID\",\"Kernel Name\",\"sm__cycles_elapsed.max\"\n"

TEST(wrong_files_are_refused_with_the_line)
{
    CHECK(strstr(error("a,b\n1,2\n"), "0: this is no output of ncu --csv"));
    CHECK(strstr(error(""), "0: this is no output of ncu --csv"));
    CHECK_STR(error(SHORT), "0: it has no launch of a kernel");
    CHECK(strstr(error("x\n\"ID\",\"Kernel Name\",\"other\"\n"),
                 "2: the table has kernels, but neither cycles nor durations"));
    CHECK_STR(error(SHORT "0,k,5\n1,\"k"),
              "3: the file ends within the quotes that begin here: it is cut");
    CHECK_STR(error(SHORT "0,k,5\n1,k"),
              "3: the file ends in the middle of a line, which has 2 of 3 "
              "cells: it is cut");
    CHECK_STR(error(SHORT "0,k,1e300\n"),
              "2: sm__cycles_elapsed.max: '1e300' is no number above 0 that "
              "can be true");
    CHECK_STR(error(SHORT "0,k,99999999999999999999999\n"),
              "2: sm__cycles_elapsed.max: '99999999999999999999999' is no "
              "number above 0 that can be true");
    CHECK_STR(error(SHORT "0,k,-5\n"),
              "2: sm__cycles_elapsed.max: '-5' is no number above 0 that can "
              "be true");
    CHECK_STR(error(SHORT "0,k,\"12,34\"\n"),
              "2: sm__cycles_elapsed.max: '12,34' is no number above 0 that "
              "can be true");
    CHECK_STR(error("\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n"
                    "\"\",\"\",\"fortnight\"\n0,k,3\n"),
              "3: gpu__time_duration.sum: 'fortnight' is no unit of it that "
              "is known");
    CHECK_STR(error("\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n"
                    "0,k,3\n"),
              "2: gpu__time_duration.sum: it has no unit");
    CHECK(strstr(error(SHORT "0,k,n/a\n"),
                 "0: no launch has cycles or a duration"));
}

TEST(numbers_and_clocks)
{
    CHECK(profile_number("1,234,567.5") == 1234567.5);
    CHECK(profile_number("1234567") == 1234567);
    CHECK(profile_number(" 1.5e3 ") == 1500);
    CHECK(isnan(profile_number("1,23")) && isnan(profile_number("1234,567")));
    CHECK(isnan(profile_number("1.5,000")) && isnan(profile_number("0x10")));
    CHECK(isnan(profile_number("five")) && isnan(profile_number("5 s")));
    CHECK(profile_clock("1380MHz") == 1.38e9);
    CHECK(profile_clock("1.38 ghz") == 1.38e9);
    CHECK(isnan(profile_clock("1380")) && isnan(profile_clock("-1MHz")));
    CHECK(isnan(profile_clock("fast")) && isnan(profile_clock("1 ns")));
}
