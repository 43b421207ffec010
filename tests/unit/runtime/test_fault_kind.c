/* How a launch ended by a fault: its kind and place, which doors turn into
 * errors of their own. */
#include "config/rules.h"
#include "config/sheet.h"
#include "runtime/flight.h"
#include "runtime/runtime.h"
#include "test.h"

#define HEAD                                                                   \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                          \
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, " \
    ".param .b64 d, .param .b64 e);\n"                                         \
    ".extern .func free(.param .b64 a);\n"                                     \
    ".global .align 1 .b8 words[4] = {119, 104, 121, 0};\n"                    \
    ".visible .entry k(.param .u64 p)\n"                                       \
    "{ .reg .u64 %rd<4>; .reg .u32 %r<4>; .reg .pred %q<2>;\n"                 \
    ".param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; "             \
    ".param .b64 e;\n"                                                         \
    ".shared .align 4 .b8 s[128]; .local .align 4 .b8 l[16];\n"                \
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u64 %rd2, words;\n"      \
    "setp.ne.u32 %q1, %r1, 5; @%q1 ret;\n"

typedef struct way {
    const char *text;
    enum exec_fault_kind kind;
} way;

static const way ways[] = {
    {"st.global.u32 [%rd1+2], %r1; ret; }", FAULT_MISALIGNED},
    {"mov.u64 %rd1, 64; st.global.u32 [%rd1], %r1; ret; }", FAULT_BOUNDS},
    {"mov.u32 %r2, s; st.shared.u32 [%r2+65536], %r1; ret; }",
     FAULT_SHARED_BOUNDS},
    {"mov.u32 %r2, l; st.local.u32 [%r2+65536], %r1; ret; }",
     FAULT_LOCAL_BOUNDS},
    {"trap; }", FAULT_TRAP},
    {"st.param.b64 [a], %rd2; st.param.b64 [b], %rd2; st.param.b32 [c], 7; "
     "st.param.b64 [d], %rd2; st.param.b64 [e], 1; "
     "call __assertfail, (a, b, c, d, e); ret; }",
     FAULT_ASSERT},
    {"st.param.b64 [a], %rd1; call free, (a); ret; }", FAULT_FREE},
};

typedef struct bench {
    config_sheet *sheet;
    diag *dg;
    rt_device *d;
    uint64_t at;
    rt_launch l;
} bench;

static void start(bench *b, bool functional, const way *w)
{
    rt_options opt = {.threads = 1, .functional = functional};
    char text[2048];
    rt_module *m;

    *b = (bench){.dg = diag_new(), .sheet = config_sheet_new()};
    CHECK_EQ(config_sheet_load(b->sheet, "v100", b->dg), ST_OK);
    CHECK_EQ(config_sheet_set(b->sheet, "gpu.sms=2", CONFIG_FROM_SET, b->dg),
             ST_OK);
    b->d = rt_device_new(config_sheet_values(b->sheet), &opt, b->dg);
    snprintf(text, sizeof text, "%s%s\n", HEAD, w->text);
    if (rt_module_load_text(b->d, "t.ptx", text, strlen(text), b->dg, &m))
        TEST_FAIL("%s: %s", w->text, diag_get(b->dg, 0)->text);
    b->at = rt_alloc(rt_device_memory(b->d), 128, "words");
    b->l = (rt_launch){.module = m,
                       .kernel = rt_module_kernel(m, NULL, b->dg),
                       .grid = {1, 1, 1},
                       .block = {32, 1, 1},
                       .params = &b->at};
}

static void stop(bench *b)
{
    rt_device_free(b->d);
    config_sheet_free(b->sheet);
    diag_free(b->dg);
}

static void check(const way *w, const exec_fault *f)
{
    if (f->kind != w->kind)
        TEST_FAIL("%s: kind %d, not %d", w->text, f->kind, w->kind);
    CHECK_EQ(f->thread[0], 5);
}

TEST(a_launch_tells_its_fault)
{
    for (size_t i = 0; i < 2 * COUNTOF(ways); i++) {
        rt_result res;
        bench b;

        start(&b, i & 1, &ways[i / 2]);
        CHECK_EQ(rt_run(b.d, &b.l, b.dg, &res), ST_FAULT);
        check(&ways[i / 2], &res.fault);
        stop(&b);
    }
}

static void note_fault(void *arg, const rt_result *sum, const rt_part *part,
                       size_t n)
{
    CHECK_EQ(n, 1);
    CHECK_EQ(sum->fault.kind, part->fault.kind);
    *(enum exec_fault_kind *)arg = sum->fault.kind;
}

TEST(a_launch_in_flight_tells_its_fault)
{
    for (size_t i = 0; i < 2 * COUNTOF(ways); i++) {
        enum exec_fault_kind kind = FAULT_NONE;
        rt_event e;
        bench b;

        start(&b, i & 1, &ways[i / 2]);
        rt_flight *f =
            rt_flight_new(b.d, &(rt_group){.ended = note_fault, .arg = &kind});
        CHECK_EQ(rt_flight_prepare(f, &b.l, 0, b.dg), ST_OK);
        rt_flight_begin(f);
        status st = rt_flight_advance(f, 0, &e, b.dg);
        while (st == ST_OK && e.paused)
            st = rt_flight_advance(f, 0, &e, b.dg);
        CHECK_EQ(st, ST_FAULT);
        check(&ways[i / 2], &e.part.fault);
        CHECK_EQ(kind, ways[i / 2].kind);
        rt_flight_free(f);
        stop(&b);
    }
}

/* What ends otherwise has none, though it was a fault before. */
TEST(what_does_not_fault_tells_none)
{
    rt_result res = {.fault.kind = FAULT_TRAP};
    bench b;
    way fine = {"st.global.u32 [%rd1], %r1; ret; }", FAULT_NONE};

    start(&b, true, &fine);
    CHECK_EQ(rt_run(b.d, &b.l, b.dg, &res), ST_OK);
    CHECK_EQ(res.fault.kind, FAULT_NONE);
    stop(&b);
}
