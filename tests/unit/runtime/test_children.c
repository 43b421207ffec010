/* Kernels that kernels launch: in which order they run, with what, and how
 * their parent's launch ends. */
#include "config/rules.h"
#include "config/sheet.h"
#include "runtime/flight.h"
#include "runtime/runtime.h"
#include "test.h"

enum { WORDS = 128 };

/* put appends its value to the log, whose first word counts; 1 then launches 3,
 * 7 traps. launch launches put, with so many threads in a CTA. */
static const char text[] =
    ".version 9.0\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2\n"
    "(.param .b64 k, .param .align 4 .b8 grid[12],\n"
    " .param .align 4 .b8 block[12], .param .b32 shared);\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2\n"
    "(.param .b64 buffer, .param .b64 stream);\n"
    ".extern .func (.param .b32 r) __cudaCDP2MemcpyAsync(.param .b64 to,\n"
    ".param .b64 from, .param .b64 bytes, .param .b32 kind, .param .b64 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2MemsetAsync(.param .b64 to,\n"
    ".param .b32 byte, .param .b64 bytes, .param .b64 s);\n"
    ".visible .entry put(.param .u64 log, .param .u32 value);\n"
    ".func launch(.param .b64 log, .param .b32 value, .param .b64 stream,\n"
    " .param .b32 threads)\n"
    "{ .reg .u64 %rd<5>; .reg .u32 %r<5>; .reg .pred %q<2>;\n"
    ".param .b64 k; .param .align 4 .b8 grid[12];\n"
    ".param .align 4 .b8 block[12]; .param .b32 shared; .param .b64 r;\n"
    ".param .b64 buffer; .param .b64 s; .param .b32 e;\n"
    "ld.param.u64 %rd1, [log]; ld.param.u32 %r1, [value];\n"
    "ld.param.u64 %rd2, [stream]; ld.param.u32 %r2, [threads];\n"
    "mov.u64 %rd3, put; st.param.b64 [k], %rd3;\n"
    "st.param.b32 [grid], 1; st.param.b32 [grid+4], 1;\n"
    "st.param.b32 [grid+8], 1; st.param.b32 [block], %r2;\n"
    "st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;\n"
    "st.param.b32 [shared], 0;\n"
    "call (r), __cudaCDP2GetParameterBufferV2, (k, grid, block, shared);\n"
    "ld.param.b64 %rd4, [r];\n"
    "st.u64 [%rd4], %rd1; st.u32 [%rd4+8], %r1;\n"
    "st.param.b64 [buffer], %rd4; st.param.b64 [s], %rd2;\n"
    "call (e), __cudaCDP2LaunchDeviceV2, (buffer, s);\n"
    "ret; }\n"
#define LAUNCH(value, stream, threads)                                         \
    "st.param.b32 [v], " value "; st.param.b64 [s], " stream ";\n"             \
    "st.param.b32 [t], " threads "; call launch, (l, v, s, t);\n"
#define ARGUMENTS                                                              \
    ".param .b64 l; .param .b32 v; .param .b64 s; .param .b32 t;\n"            \
    "st.param.b64 [l], %rd1;\n"
    ".visible .entry put(.param .u64 log, .param .u32 value)\n"
    "{ .reg .u64 %rd<4>; .reg .u32 %r<5>; .reg .pred %q<3>;\n"
    "ld.param.u64 %rd1, [log]; ld.param.u32 %r1, [value];\n"
    "setp.eq.u32 %q1, %r1, 7; @%q1 trap;\n"
    "atom.global.add.u32 %r2, [%rd1], 1;\n"
    "mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "st.global.u32 [%rd3+4], %r1;\n"
    "setp.ne.u32 %q2, %r1, 1; @%q2 ret;\n" ARGUMENTS LAUNCH(
        "3", "0",
        "1") "ret; }\n"
             ".visible .entry order(.param .u64 log)\n"
             "{ .reg .u64 %rd<2>; ld.param.u64 %rd1, [log];\n" ARGUMENTS LAUNCH(
                 "1", "0", "1") LAUNCH("9", "3", "1")
                 LAUNCH(
                     "2", "256",
                     "1") "ret; }\n"
                          /* put 5, copy the count and it, put 6, fill three
                             bytes of the 5 */
                          ".visible .entry copies(.param .u64 log)\n"
                          "{ .reg .u64 %rd<4>; .param .b64 to; .param .b64 "
                          "from; .param .b64 n;\n"
                          ".param .b32 kind; .param .b32 r; .reg .u32 "
                          "%r<2>;\n"
                          "ld.param.u64 %rd1, [log];\n" ARGUMENTS LAUNCH(
                              "5", "0",
                              "1") "add.u64 %rd2, %rd1, 40; st.param.b64 "
                                   "[to], %rd2;\n"
                                   "st.param.b64 [from], %rd1; st.param.b64 "
                                   "[n], 8;\n"
                                   "st.param.b32 [kind], 3; st.param.b64 "
                                   "[s], 0;\n"
                                   "call (r), __cudaCDP2MemcpyAsync, (to, "
                                   "from, n, kind, s);\n" LAUNCH(
                                       "6", "0",
                                       "1") "add.u64 %rd2, %rd1, 4;\n"
                                            "st.param.b64 [to], %rd2; "
                                            "st.param.b32 [kind], 0x1ff;\n"
                                            "st.param.b64 [n], 3; "
                                            "st.param.b64 [s], 0;\n"
                                            "call (r), "
                                            "__cudaCDP2MemsetAsync, (to, "
                                            "kind, n, s);\n"
                                            "ret; }\n"
                                            ".visible .entry many(.param "
                                            ".u64 log)\n"
                                            "{ .reg .u64 %rd<2>; .reg .u32 "
                                            "%r<2>;\n"
                                            "ld.param.u64 %rd1, [log]; "
                                            "mov.u32 %r1, %tid.x;\n"
                                            "add.u32 %r1, %r1, "
                                            "10;\n" ARGUMENTS LAUNCH(
                                                "%r1", "0",
                                                "1") "ret; }\n"
                                                     ".visible .entry "
                                                     "wide(.param .u64 "
                                                     "log)\n"
                                                     "{ .reg .u64 %rd<2>; "
                                                     "ld.param.u64 %rd1, "
                                                     "[log];\n" ARGUMENTS LAUNCH(
                                                         "2", "0",
                                                         "2000")
                                                         LAUNCH(
                                                             "4", "0",
                                                             "1") "ret; }\n"
                                                                  ".visible "
                                                                  ".entry "
                                                                  "bad(."
                                                                  "param "
                                                                  ".u64 "
                                                                  "log)\n"
                                                                  "{ .reg "
                                                                  ".u64 "
                                                                  "%rd<2>; "
                                                                  "ld.param."
                                                                  "u64 "
                                                                  "%rd1, "
                                                                  "[log];"
                                                                  "\n" ARGUMENTS LAUNCH(
                                                                      "2", "0",
                                                                      "1")
                                                                      LAUNCH(
                                                                          "7",
                                                                          "0",
                                                                          "1")
                                                                          LAUNCH(
                                                                              "4",
                                                                              "0",
                                                                              "1") "ret; }\n";

typedef struct bench {
    config_sheet *sheet;
    diag *dg;
    rt_device *d;
    uint64_t at;
    rt_launch l;
    rt_result res;
} bench;

static void start(bench *b, bool functional, const char *kernel, uint32_t n)
{
    rt_options opt = {.threads = 1, .functional = functional};
    rt_module *m;

    *b = (bench){.dg = diag_new(), .sheet = config_sheet_new()};
    CHECK_EQ(config_sheet_load(b->sheet, "v100", b->dg), ST_OK);
    CHECK_EQ(config_sheet_set(b->sheet, "gpu.sms=2", CONFIG_FROM_SET, b->dg),
             ST_OK);
    b->d = rt_device_new(config_sheet_values(b->sheet), &opt, b->dg);
    if (rt_module_load_text(b->d, "t.ptx", text, strlen(text), b->dg, &m))
        TEST_FAIL("%u: %s", diag_get(b->dg, 0)->line, diag_get(b->dg, 0)->text);
    b->at = rt_alloc(rt_device_memory(b->d), WORDS * 4, "log");
    b->l = (rt_launch){.module = m,
                       .kernel = rt_module_kernel(m, kernel, b->dg),
                       .grid = {1, 1, 1},
                       .block = {n, 1, 1},
                       .params = &b->at};
}

static void stop(bench *b)
{
    rt_device_free(b->d);
    config_sheet_free(b->sheet);
    diag_free(b->dg);
}

static uint32_t word(bench *b, unsigned i)
{
    uint32_t v;

    CHECK(
        rt_read(rt_device_memory(b->d), b->at + 4 * (uint64_t)i, &v, sizeof v));
    return v;
}

static void check_log(bench *b, const uint32_t *values, unsigned n)
{
    CHECK_EQ(word(b, 0), n);
    for (unsigned i = 0; i < n; i++)
        CHECK_EQ(word(b, 1 + i), values[i]);
}

/* As launched, each followed by what it launched; the tail when all of that has
 * ended. */
static const uint32_t in_order[] = {1, 3, 2, 9};

TEST(children_run_in_order)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        bench b;

        start(&b, functional, "order", 1);
        CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_OK);
        check_log(&b, in_order, 4);
        CHECK_EQ(b.res.ctas, 5);
        CHECK_EQ(diag_count(b.dg), 0);
        stop(&b);
    }
}

TEST(copies_are_made_between_kernels)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        bench b;

        start(&b, functional, "copies", 1);
        CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_OK);
        CHECK_EQ(word(&b, 0), 2);
        CHECK_EQ(word(&b, 1), 0x00ffffff); /* of 5 three bytes are filled */
        CHECK_EQ(word(&b, 2), 6);
        CHECK_EQ(word(&b, 10), 1); /* as they were when 5 had been put */
        CHECK_EQ(word(&b, 11), 5);
        CHECK_EQ(diag_count(b.dg), 0);
        stop(&b);
    }
}

/* Lanes launch in order; buffers are used again. */
TEST(every_thread_may_launch)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        bench b;

        start(&b, functional, "many", 32);
        for (unsigned again = 0; again < 3; again++) {
            CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_OK);
            CHECK_EQ(word(&b, 0), 32 * (again + 1));
            for (unsigned i = 0; i < 32; i++)
                CHECK_EQ(word(&b, 1 + 32 * again + i), 10 + i);
        }
        stop(&b);
    }
}

/* Where kernels are compiled when they are asked for, those that others launch
 * are there, too. */
TEST(children_are_compiled_with_their_parents)
{
    const rt_text only = {"t.ptx", text, strlen(text)};
    bench b;

    start(&b, true, "order", 1);
    rt_module *m;
    CHECK_EQ(rt_module_load_lazy(b.d, "t.ptx", &only, 1, b.dg, &m), ST_OK);
    b.l.module = rt_module_with(m, "order", b.dg);
    b.l.kernel = rt_module_kernel(b.l.module, "order", b.dg);
    CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_OK);
    check_log(&b, in_order, 4);
    stop(&b);
}

/* Kernels find each other by the names of the PTX, whatever people call them.
 */
TEST(children_are_found_under_other_names)
{
    const rt_text only = {"t.ptx", text, strlen(text)};
    bench b;
    rt_module *m;

    start(&b, true, "order", 1);
    CHECK_EQ(rt_module_load_lazy(b.d, "t.ptx", &only, 1, b.dg, &m), ST_OK);
    m = rt_module_with(m, "order", b.dg);
    b.l.module = m;
    b.l.kernel = rt_module_kernel(m, "order", b.dg);
    for (uint32_t i = 0; i < rt_module_program(m)->kernel_count; i++)
        rt_module_name(m, &rt_module_program(m)->kernels[i], "shown");
    CHECK_STR(b.l.kernel->name, "shown");
    CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_OK);
    check_log(&b, in_order, 4);
    stop(&b);
}

TEST(what_cannot_be_launched_is_told_and_left_out)
{
    bench b;

    start(&b, true, "wide", 1);
    CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_OK);
    check_log(&b, (const uint32_t[]){4}, 1);
    CHECK_EQ(diag_count(b.dg), 1);
    CHECK_EQ(diag_errors(b.dg), 0);
    CHECK(strstr(diag_get(b.dg, 0)->text, "'put' was launched by a kernel in "
                                          "vain: block x is 2000"));
    stop(&b);
}

TEST(a_fault_of_a_child_is_one_of_the_launch)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        bench b;

        start(&b, functional, "bad", 1);
        CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_FAULT);
        CHECK_EQ(b.res.fault.kind, FAULT_TRAP);
        CHECK(strstr(diag_get(b.dg, 0)->text, "kernel 'put'"));
        check_log(&b, (const uint32_t[]){2}, 1);
        b.l.kernel = rt_module_kernel(b.l.module, "many", b.dg);
        CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_OK);
        check_log(&b, (const uint32_t[]){2, 10}, 2);
        stop(&b);
    }
}

/* Two families in flight, each of which is one launch to the caller. */
typedef struct told {
    rt_part part[2];
    size_t parts;
    rt_result sum;
} told;

static void keep(void *arg, const rt_result *sum, const rt_part *part, size_t n)
{
    told *t = arg;

    t->sum = *sum;
    for (size_t i = 0; i < n; i++)
        t->part[t->parts++] = part[i];
}

static void fly(bench *b, const rt_launch *l, unsigned n, told *t)
{
    rt_flight *f = rt_flight_new(b->d, &(rt_group){.ended = keep, .arg = t});
    unsigned ended = 0;

    for (unsigned begun = 0; ended < n;) {
        rt_event e;

        if (begun < n && !rt_flight_prepared(f))
            CHECK_EQ(rt_flight_prepare(f, &l[begun++], ended, b->dg), ST_OK);
        if (rt_flight_prepared(f) && rt_flight_room(f)) {
            rt_flight_begin(f);
            continue;
        }
        CHECK_EQ(rt_flight_advance(f, 0, &e, b->dg), ST_OK);
        ended += !e.paused;
        CHECK(!e.idle || !rt_flight_count(f));
    }
    rt_flight_free(f);
}

TEST(children_belong_to_their_launch_in_flight)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        bench b;

        start(&b, functional, "order", 1);
        uint64_t second = rt_alloc(rt_device_memory(b.d), WORDS * 4, "log");
        rt_launch l[2] = {b.l, b.l};
        told t = {.parts = 0};

        l[1].params = &second;
        fly(&b, l, 2, &t);
        CHECK_EQ(t.parts, 2);
        for (unsigned i = 0; i < 2; i++) {
            CHECK_EQ(t.part[i].ctas, 5);
            CHECK_EQ(t.part[i].status, ST_OK);
            CHECK(functional || t.part[i].start + t.part[i].cycles <=
                                    t.sum.start + t.sum.cycles);
        }
        check_log(&b, in_order, 4);
        b.at = second;
        check_log(&b, in_order, 4);
        stop(&b);
    }
}
