/* Launch files and traces by the library. */
#include <stdlib.h>
#include <unistd.h>

#include "rig.h"

/* add: p[i] += loops, by a loop, for all threads. */
static const char program[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry add(.param .u64 p, .param .u32 loops)\n{\n"
    ".reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p;\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d1, %r4, 4;\n"
    "ld.param.u64 %d2, [p]; add.u64 %d2, %d2, %d1;\n"
    "ld.param.u32 %r5, [loops]; ld.global.u32 %r6, [%d2];\n"
    "AGAIN: add.u32 %r6, %r6, 1; sub.u32 %r5, %r5, 1;\n"
    "setp.ne.u32 %p, %r5, 0; @%p bra AGAIN;\n"
    "st.global.u32 [%d2], %r6; ret;\n}\n";

enum { THREADS = 1024 };

static const char template[] = "/tmp/heddle-plan-XXXXXX";
static char folder[sizeof template];

static const char *path_of(const char *name)
{
    static char path[64];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put_file(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(path_of(name), "w");

    CHECK(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

static void put_text(const char *name, const char *text)
{
    put_file(name, text, strlen(text));
}

/* A folder with the program, and a launch file of these lines. */
static void begin(const char *lines)
{
    char text[1024];

    memcpy(folder, template, sizeof template);
    CHECK(mkdtemp(folder));
    put_text("add.ptx", program);
    snprintf(text, sizeof text,
             "program: add.ptx\n"
             "buffers:\n"
             "  a: {type: u32, count: 1024, init: zero}\n"
             "  b: {type: u32, count: 1024, init: iota}\n"
             "%s",
             lines);
    put_text("l.yaml", text);
}

static void end(void)
{
    char line[64];

    snprintf(line, sizeof line, "rm -r %s", folder);
    CHECK_EQ(system(line), 0);
}

static const char two_streams[] =
    "launches:\n"
    "  - {kernel: add, grid: 8, block: 128, args: [a, 40], stream: left}\n"
    "  - {kernel: add, grid: 8, block: 128, args: [b, 3], stream: right}\n";

static void check_buffer(heddle_plan *plan, const char *name, uint32_t first,
                         uint32_t step)
{
    heddle_buffer *b;
    void *bytes;

    CHECK_EQ(heddle_plan_buffer(plan, name, &b), HEDDLE_OK);
    CHECK_EQ(heddle_buffer_size(b), 4 * THREADS);
    CHECK_EQ(heddle_map(b, &bytes), HEDDLE_OK);
    for (uint32_t i = 0; i < THREADS; i++)
        CHECK_EQ(((uint32_t *)bytes)[i], first + step * i);
}

static size_t count_results(const heddle_result *r)
{
    size_t n = 0;

    for (; r; r = heddle_result_next(r))
        n++;
    return n;
}

TEST(launches_of_a_file_run)
{
    heddle_sim *sim = rig_open();
    heddle_plan_buffer_info info;
    heddle_result *first;
    heddle_plan *plan;

    begin("launches:\n"
          "  - {grid: 8, block: 128, args: [a, 5], repeat: 2}\n"
          "  - {grid: 8, block: 128, args: [b, 1]}\n");
    OK(sim, heddle_plan_open(sim, path_of("l.yaml"), &plan));
    check_buffer(plan, "a", 0, 0);
    CHECK_EQ(heddle_kernel_count(heddle_plan_module(plan)), 1);
    CHECK_EQ(heddle_plan_buffer_count(plan), 2);
    CHECK_EQ(heddle_plan_buffer_at(plan, 1, &info), HEDDLE_OK);
    CHECK_STR(info.name, "b");
    CHECK_STR(info.type, "u32");
    CHECK_EQ(info.count, THREADS);
    CHECK_EQ(heddle_plan_buffer_at(plan, 2, &info), HEDDLE_BAD_ARGUMENT);
    OK(sim, heddle_plan_run(plan, NULL, &first));
    CHECK_EQ(count_results(first), 3);
    check_buffer(plan, "a", 10, 0);
    check_buffer(plan, "b", 1, 1);
    for (const heddle_result *r = first; r; r = heddle_result_next(r)) {
        double ctas;

        CHECK_STR(heddle_result_kernel(r), "add");
        CHECK(heddle_result_cycles(r) > 400);
        OK(sim, heddle_result_figure(r, "ctas", &ctas));
        CHECK(ctas == 8);
    }
    /* On what is there by then. */
    OK(sim, heddle_plan_run(plan, NULL, &first));
    CHECK_EQ(count_results(first), 3);
    check_buffer(plan, "a", 20, 0);
    heddle_close(sim);
    end();
}

/* What is told of streams outlives the plan. */
TEST(streams_are_in_flight_together)
{
    heddle_sim *sim = rig_open();
    heddle_result *first;
    heddle_plan *plan;
    const char *json;

    begin(two_streams);
    OK(sim, heddle_plan_open(sim, path_of("l.yaml"), &plan));
    OK(sim, heddle_plan_run(plan, NULL, &first));
    check_buffer(plan, "a", 40, 0);
    check_buffer(plan, "b", 3, 1);
    OK(sim, heddle_plan_close(plan));
    CHECK_EQ(count_results(first), 1);
    CHECK_STR(heddle_result_kernel(first), "add x2");
    json = heddle_result_json(first);
    CHECK(json && strstr(json, "\"left\"") && strstr(json, "\"right\""));
    heddle_result_free(first);
    heddle_close(sim);
    end();
}

TEST(closing_frees_the_memory)
{
    const char *settings[] = {"gpu.sms=1", "gpu.global_bytes=16777216"};
    heddle_options how = HEDDLE_OPTIONS_INIT;
    heddle_plan *plan;
    heddle_sim *sim;

    how.settings = settings;
    how.setting_count = 2;
    how.flags = HEDDLE_FUNCTIONAL;
    OK(sim, heddle_open(&how, &sim));
    begin("  big: {type: u8, count: 6000000, init: zero}\n"
          "launches: [{grid: 8, block: 128, args: [a, 1]}]\n");
    for (int i = 0; i < 5; i++) {
        OK(sim, heddle_plan_open(sim, path_of("l.yaml"), &plan));
        OK(sim, heddle_plan_run(plan, NULL, NULL));
        OK(sim, heddle_plan_close(plan));
    }
    heddle_close(sim);
    end();
}

/* Images and samplers, too. */
TEST(closing_frees_images)
{
    const char *settings[] = {"gpu.sms=1", "gpu.global_bytes=16777216"};
    heddle_plan_options sampled = HEDDLE_PLAN_OPTIONS_INIT;
    heddle_options how = HEDDLE_OPTIONS_INIT;
    heddle_plan *plan;
    heddle_sim *sim;
    heddle_buffer *b;

    how.settings = settings;
    how.setting_count = 2;
    OK(sim, heddle_open(&how, &sim));
    begin(
        "images: {i: {kind: 2d, size: [1500, 1000], type: u8}}\n"
        "samplers: {s: {}}\n"
        "launches: [{grid: 8, block: 128, args: [a, 1], bind: {t: [i, s]}}]\n");
    for (int i = 0; i < 5; i++) {
        OK(sim, heddle_plan_open(sim, path_of("l.yaml"), &plan));
        CHECK_EQ(heddle_plan_buffer(plan, "i", &b), HEDDLE_NOT_FOUND);
        sampled.flags = HEDDLE_SAMPLE;
        CHECK_EQ(heddle_plan_run(plan, &sampled, NULL), HEDDLE_BAD_FILE);
        CHECK_ERROR(sim, "timed whole");
        OK(sim, heddle_plan_close(plan));
    }
    heddle_close(sim);
    end();
}

TEST(what_is_expected_is_compared)
{
    heddle_sim *sim = rig_open();
    uint32_t want[THREADS];
    heddle_check c;
    heddle_plan *plan;

    begin("launches: [{grid: 8, block: 128, args: [b, 2]}]\n"
          "expect: {b: want.bin}\n"
          "dump: {b: got.bin}\n");
    for (uint32_t i = 0; i < THREADS; i++)
        want[i] = i + 2;
    want[7] = 0;
    put_file("want.bin", want, sizeof want);
    OK(sim, heddle_plan_open(sim, path_of("l.yaml"), &plan));
    CHECK_EQ(heddle_plan_check_count(plan), 0);
    CHECK_EQ(heddle_plan_run(plan, NULL, NULL), HEDDLE_MISMATCH);
    CHECK_ERROR(sim, "buffer 'b' differs from");
    CHECK_ERROR(sim, "in 1 of 1024 elements; the first is number 7: 9 instead");
    CHECK_EQ(heddle_plan_check_count(plan), 1);
    CHECK_EQ(heddle_plan_check(plan, 0, &c), HEDDLE_OK);
    CHECK_STR(c.buffer, "b");
    CHECK_EQ(c.count, THREADS);
    CHECK_EQ(c.differ, 1);
    CHECK_EQ(heddle_plan_check(plan, 1, &c), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(access(path_of("got.bin"), R_OK), 0);
    heddle_close(sim);
    end();
}

TEST(a_limit_ends_the_file_and_is_no_end_of_the_simulation)
{
    heddle_plan_options how = HEDDLE_PLAN_OPTIONS_INIT;
    heddle_sim *sim = rig_open();
    heddle_result *first;
    heddle_plan *plan;

    begin("launches:\n"
          "  - {grid: 8, block: 128, args: [a, 100000]}\n"
          "  - {grid: 8, block: 128, args: [b, 1]}\n");
    OK(sim, heddle_plan_open(sim, path_of("l.yaml"), &plan));
    how.max_cycles = 20000;
    CHECK_EQ(heddle_plan_run(plan, &how, &first), HEDDLE_LIMIT);
    CHECK_EQ(count_results(first), 1);
    CHECK_EQ(heddle_result_code(first), HEDDLE_LIMIT);
    CHECK(heddle_result_error(first)[0]);
    how.flags = HEDDLE_FUNCTIONAL;
    how.max_cycles = 0;
    OK(sim, heddle_plan_run(plan, &how, &first));
    CHECK_EQ(count_results(first), 2);
    check_buffer(plan, "b", 1, 1);
    heddle_close(sim);
    end();
}

static int stop_at_once(void *arg, const heddle_progress *p)
{
    *(uint64_t *)arg = p->ctas;
    return 1;
}

TEST(a_callback_cancels_it)
{
    heddle_callbacks calls = HEDDLE_CALLBACKS_INIT;
    heddle_sim *sim = rig_open();
    heddle_plan *plan;
    uint64_t ctas = 0;

    begin("launches: [{grid: 8, block: 128, args: [a, 4000000]}]\n");
    calls.progress = stop_at_once;
    calls.arg = &ctas;
    OK(sim, heddle_set_callbacks(sim, &calls));
    OK(sim, heddle_plan_open(sim, path_of("l.yaml"), &plan));
    CHECK_EQ(heddle_plan_run(plan, NULL, NULL), HEDDLE_CANCELLED);
    CHECK_EQ(ctas, 8);
    heddle_close(sim);
    end();
}

TEST(wrong_files_are_told)
{
    heddle_sim *sim = rig_open();
    heddle_plan *plan = (heddle_plan *)&sim;

    begin("launches: [{kernel: sub, grid: 8, block: 128, args: [a, 1]}]\n"
          "nonsense: 1\n");
    CHECK_EQ(heddle_plan_open(sim, "/nonexistent.yaml", &plan),
             HEDDLE_BAD_FILE);
    CHECK(!plan);
    CHECK_ERROR(sim, "/nonexistent.yaml");
    CHECK_EQ(heddle_plan_open(sim, path_of("l.yaml"), &plan), HEDDLE_BAD_FILE);
    CHECK_ERROR(sim, "l.yaml:");
    CHECK_ERROR(sim, "nonsense");
    put_text("none.yaml", "launches: [{grid: 1, block: 32}]\n");
    CHECK_EQ(heddle_plan_open(sim, path_of("none.yaml"), &plan),
             HEDDLE_BAD_FILE);
    CHECK_ERROR(sim, "names no program");
    put_text("bad.yaml", "program: add.ptx\n"
                         "launches: [{kernel: sub, grid: 1, block: 32}]\n");
    OK(sim, heddle_plan_open(sim, path_of("bad.yaml"), &plan));
    CHECK_EQ(heddle_plan_run(plan, NULL, NULL), HEDDLE_BAD_FILE);
    CHECK_ERROR(sim, "sub");
    CHECK_EQ(heddle_plan_open(sim, "", &plan), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_plan_open(sim, "x", NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_plan_run(NULL, NULL, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_plan_close(NULL), HEDDLE_OK);
    heddle_close(sim);
    end();
}

TEST(what_a_plan_owns_it_frees)
{
    heddle_plan_options how = HEDDLE_PLAN_OPTIONS_INIT;
    heddle_sim *sim = rig_open();
    heddle_plan *plan;
    heddle_buffer *b;

    begin(two_streams);
    OK(sim, heddle_plan_open(sim, path_of("l.yaml"), &plan));
    CHECK_EQ(heddle_plan_buffer(plan, "c", &b), HEDDLE_NOT_FOUND);
    CHECK_ERROR(sim, "no buffer 'c'");
    OK(sim, heddle_plan_buffer(plan, "a", &b));
    CHECK_EQ(heddle_free(b), HEDDLE_BAD_ARGUMENT);
    CHECK_ERROR(sim, "heddle_plan_close");
    CHECK_EQ(heddle_unload(heddle_plan_module(plan)), HEDDLE_BAD_ARGUMENT);
    CHECK_ERROR(sim, "heddle_plan_close");
    how.flags = 1u << 30;
    CHECK_EQ(heddle_plan_run(plan, &how, NULL), HEDDLE_BAD_ARGUMENT);
    how.flags = HEDDLE_SAMPLE | HEDDLE_FUNCTIONAL;
    CHECK_EQ(heddle_plan_run(plan, &how, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_ERROR(sim, "HEDDLE_SAMPLE");
    heddle_close(sim);
    end();
}

TEST(nothing_of_it_while_a_launch_is_in_flight)
{
    heddle_sim *sim = rig_open();
    heddle_plan *plan, *other;
    heddle_result *r;
    rig_saxpy s;

    begin(two_streams);
    OK(sim, heddle_plan_open(sim, path_of("l.yaml"), &plan));
    rig_saxpy_init(&s, sim);
    OK(sim, heddle_begin(s.kernel, &s.launch));
    CHECK_EQ(heddle_plan_open(sim, path_of("l.yaml"), &other), HEDDLE_BUSY);
    CHECK_EQ(heddle_plan_run(plan, NULL, NULL), HEDDLE_BUSY);
    CHECK_EQ(heddle_plan_close(plan), HEDDLE_BUSY);
    OK(sim, heddle_advance(sim, HEDDLE_TO_THE_END, NULL, &r));
    OK(sim, heddle_plan_run(plan, NULL, NULL));
    check_buffer(plan, "a", 40, 0);
    heddle_close(sim);
    end();
}
