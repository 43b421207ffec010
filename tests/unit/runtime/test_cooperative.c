/* Cooperative launches: CTAs that wait for each other, by the barrier that
 * cooperative groups put into the grid's workspace. */
#include <stdio.h>

#include "config/rules.h"
#include "config/sheet.h"
#include "runtime/flight.h"
#include "runtime/runtime.h"
#include "test.h"

enum { SMS = 2, MOST = 64 };

/* envregs: %envreg1 and %envreg2 to out[0] and out[1]. sums: twice, every CTA
 * leaves a number, all meet, and each adds up the numbers of all. */
static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry envregs(.param .u64 out)\n"
    "{ .reg .u64 %rd<2>; .reg .u32 %r<3>; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2;\n"
    "st.global.v2.u32 [%rd1], {%r1, %r2}; ret; }\n"
    /* The counter's top bit turns when all have arrived: CTA 0 adds what the
     * others leave to be added. */
    ".func meet(.param .u64 at)\n"
    "{ .reg .u64 %rd<2>; .reg .u32 %r<9>; .reg .pred %q<3>;\n"
    "ld.param.u64 %rd1, [at]; bar.sync 0;\n"
    "mov.u32 %r1, %tid.x; setp.ne.u32 %q1, %r1, 0; @%q1 bra met;\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x; mov.u32 %r4, 1;\n"
    "setp.eq.u32 %q2, %r2, 0; sub.u32 %r3, 0x80000001, %r3;\n"
    "selp.u32 %r4, %r3, %r4, %q2;\n"
    "atom.add.release.gpu.u32 %r5, [%rd1], %r4;\n"
    "again: ld.acquire.gpu.u32 %r6, [%rd1]; xor.b32 %r7, %r5, %r6;\n"
    "setp.ge.s32 %q2, %r7, 0; @%q2 bra again;\n"
    "met: bar.sync 0; ret; }\n"
    ".visible .entry sums(.param .u64 in, .param .u64 out)\n"
    "{ .reg .u64 %rd<9>; .reg .u32 %r<12>; .reg .pred %q<2>;\n"
    ".param .u64 where;\n"
    "mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2;\n"
    "mov.b64 %rd1, {%r2, %r1}; add.u64 %rd1, %rd1, 4;\n"
    "st.param.u64 [where], %rd1;\n"
    "ld.param.u64 %rd2, [in]; ld.param.u64 %rd3, [out];\n"
    "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x;\n"
    "mul.wide.u32 %rd4, %r3, 4;\n"
    "add.u64 %rd5, %rd2, %rd4; add.u64 %rd6, %rd3, %rd4;\n"
    "add.u32 %r5, %r3, 1; st.global.u32 [%rd5], %r5;\n"
    "mov.u32 %r9, 2;\n"
    "round: call meet, (where);\n"
    "mov.u32 %r6, 0; mov.u32 %r7, 0; mov.u64 %rd7, %rd2;\n"
    "more: ld.volatile.global.u32 %r8, [%rd7]; add.u32 %r6, %r6, %r8;\n"
    "add.u64 %rd7, %rd7, 4; add.u32 %r7, %r7, 1;\n"
    "setp.lt.u32 %q1, %r7, %r4; @%q1 bra more;\n"
    "st.global.u32 [%rd6], %r6; call meet, (where);\n"
    "st.global.u32 [%rd5], %r6; sub.u32 %r9, %r9, 1;\n"
    "setp.ne.u32 %q1, %r9, 0; @%q1 bra round;\n"
    "ret; }\n";

typedef struct bench {
    config_sheet *sheet;
    diag *dg;
    rt_device *d;
    rt_module *m;
    uint64_t at[2];
    rt_launch l;
    rt_result res;
} bench;

static void start(bench *b, bool functional, const char *kernel, uint32_t ctas)
{
    static const char *const sets[] = {"gpu.sms=2", "gpu.hang_cycles=20000"};
    rt_options opt = {.threads = 1, .functional = functional};

    *b = (bench){.dg = diag_new(), .sheet = config_sheet_new()};
    CHECK_EQ(config_sheet_load(b->sheet, "v100", b->dg), ST_OK);
    for (size_t i = 0; i < COUNTOF(sets); i++)
        CHECK_EQ(config_sheet_set(b->sheet, sets[i], CONFIG_FROM_SET, b->dg),
                 ST_OK);
    b->d = rt_device_new(config_sheet_values(b->sheet), &opt, b->dg);
    CHECK(b->d);
    if (rt_module_load_text(b->d, "t.ptx", text, strlen(text), b->dg, &b->m))
        TEST_FAIL("%u: %s", diag_get(b->dg, 0)->line, diag_get(b->dg, 0)->text);
    for (unsigned i = 0; i < 2; i++)
        b->at[i] = rt_alloc(rt_device_memory(b->d), MOST * 4, "words");
    b->l = (rt_launch){.module = b->m,
                       .kernel = rt_module_kernel(b->m, kernel, b->dg),
                       .grid = {ctas, 1, 1},
                       .block = {64, 1, 1},
                       .cooperative = true,
                       .params = b->at};
}

static void stop(bench *b)
{
    rt_device_free(b->d);
    config_sheet_free(b->sheet);
    diag_free(b->dg);
}

static uint32_t word(bench *b, unsigned buffer, unsigned i)
{
    uint32_t v;

    CHECK(rt_read(rt_device_memory(b->d), b->at[buffer] + 4 * (uint64_t)i, &v,
                  sizeof v));
    return v;
}

/* The first sums are n (n + 1) / 2, of which the second ones are n times. */
static void check_sums(bench *b, uint32_t n)
{
    uint32_t first = n * (n + 1) / 2;

    for (uint32_t i = 0; i < n; i++) {
        CHECK_EQ(word(b, 1, i), n * first);
        CHECK_EQ(word(b, 0, i), n * first);
    }
}

TEST(ctas_meet_in_the_workspace)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        bench b;

        start(&b, functional, "sums", 23);
        for (unsigned again = 0; again < 2; again++) {
            CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_OK);
            check_sums(&b, 23);
        }
        stop(&b);
    }
}

/* A launch that was stopped half way leaves nothing behind for the next. */
TEST(a_workspace_begins_anew)
{
    bench b;

    start(&b, true, "sums", 8);
    b.l.max_cycles = 1000;
    CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_LIMIT);
    b.l.max_cycles = 0;
    CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_OK);
    check_sums(&b, 8);
    stop(&b);
}

TEST(only_cooperative_launches_have_a_workspace)
{
    bench b;
    uint32_t held[2];

    start(&b, true, "envregs", 1);
    CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_OK);
    uint64_t at = (uint64_t)word(&b, 0, 0) << 32 | word(&b, 0, 1);
    CHECK(at != 0);
    CHECK(rt_read(rt_device_memory(b.d), at, held, sizeof held));
    CHECK_EQ(held[0], 8); /* its size */
    CHECK_EQ(held[1], 0); /* nobody has arrived */
    b.l.cooperative = false;
    CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_OK);
    CHECK_EQ(word(&b, 0, 0), 0);
    CHECK_EQ(word(&b, 0, 1), 0);
    stop(&b);
}

TEST(a_grid_that_does_not_fit_at_once_is_refused)
{
    bench b;

    start(&b, true, "sums", 1);
    CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_OK);
    b.l.grid[0] = SMS * b.res.ctas_per_sm + 1;
    CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_USAGE);
    CHECK_EQ(diag_errors(b.dg), 1);
    CHECK(strstr(diag_get(b.dg, 0)->text, "64 of the 65 blocks of kernel "
                                          "'sums' fit the GPU at once (32 on "
                                          "each of 2 SMs)"));
    b.l.grid[0]--;
    CHECK_EQ(rt_run(b.d, &b.l, b.dg, &b.res), ST_OK);
    check_sums(&b, SMS * b.res.ctas_per_sm);
    stop(&b);
}

static void ignore(void *arg, const rt_result *sum, const rt_part *part,
                   size_t n)
{
    (void)arg, (void)sum, (void)part, (void)n;
}

/* Two in flight have a workspace each. */
TEST(launches_in_flight_do_not_meet)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        bench b;
        uint64_t other[2];

        start(&b, functional, "sums", 8);
        for (unsigned i = 0; i < 2; i++)
            other[i] = rt_alloc(rt_device_memory(b.d), MOST * 4, "words");
        rt_launch second = b.l;
        second.params = other;
        rt_flight *f = rt_flight_new(b.d, &(rt_group){.ended = ignore});
        CHECK_EQ(rt_flight_prepare(f, &b.l, 0, b.dg), ST_OK);
        rt_flight_begin(f);
        CHECK_EQ(rt_flight_prepare(f, &second, 1, b.dg), ST_OK);
        if (rt_flight_room(f))
            rt_flight_begin(f);
        while (rt_flight_count(f) || rt_flight_prepared(f)) {
            rt_event e;

            if (rt_flight_prepared(f) && rt_flight_room(f))
                rt_flight_begin(f);
            CHECK_EQ(rt_flight_advance(f, 0, &e, b.dg), ST_OK);
        }
        check_sums(&b, 8);
        memcpy(b.at, other, sizeof other);
        check_sums(&b, 8);
        rt_flight_free(f);
        stop(&b);
    }
}
