/* Grids whose last CTAs are smaller than the others: threads beyond the grid's
 * size never start, and nothing waits for them. */
#include "base/must.h"
#include "config/sheet.h"
#include "runtime/runtime.h"
#include "test.h"

/* out[g] = {threads of the CTA, counted through shared memory; lanes of the
 * warp; 1 if all threads of the CTA agree; x * 2^20 + y * 2^10 + z of the
 * grid's size} for thread g, numbered as in the grid. */
static const char kernel[] =
    ".version 6.0\n.target sm_30\n.address_size 64\n"
    ".visible .entry count(.param .u64 out) {\n"
    ".shared .u32 n;\n.reg .pred p, q;\n.reg .b32 r<30>;\n.reg .b64 a<4>;\n"
    "mov.u32 r1, %tid.x;\nmov.u32 r2, %tid.y;\nmov.u32 r3, %tid.z;\n"
    "or.b32 r4, r1, r2;\nor.b32 r4, r4, r3;\nsetp.eq.u32 p, r4, 0;\n"
    "@p st.shared.u32 [n], 0;\nbar.sync 0;\n"
    "atom.shared.add.u32 r5, [n], 1;\nbar.sync 0;\n"
    "ld.shared.u32 r5, [n];\n"
    "vote.sync.ballot.b32 r6, p, 0xffffffff;\n" /* a wrong lane would show */
    "mov.u32 r7, %ntid.x;\nmov.u32 r8, %ntid.y;\nmov.u32 r9, %ntid.z;\n"
    "mov.u32 r10, %ctaid.x;\nmov.u32 r11, %ctaid.y;\nmov.u32 r12, %ctaid.z;\n"
    "mad.lo.u32 r1, r10, r7, r1;\nmad.lo.u32 r2, r11, r8, r2;\n"
    "mad.lo.u32 r3, r12, r9, r3;\n"
    "mov.u32 r13, %envreg6;\nmov.u32 r14, %envreg7;\nmov.u32 r15, %envreg8;\n"
    "mad.lo.u32 r16, r3, r14, r2;\nmad.lo.u32 r16, r16, r13, r1;\n"
    "setp.lt.u32 p, r1, r13;\nbar.red.and.pred q, 0, p;\n"
    "selp.u32 r17, 1, 0, q;\n"
    "mad.lo.u32 r18, r13, 1024, r14;\nmad.lo.u32 r18, r18, 1024, r15;\n"
    "activemask.b32 r19;\npopc.b32 r19, r19;\n"
    "ld.param.u64 a1, [out];\nmad.wide.u32 a2, r16, 16, a1;\n"
    "st.global.v4.u32 [a2], {r5, r19, r17, r18};\nret;\n}\n";

typedef struct shape {
    uint32_t threads[3], block[3];
} shape;

static const shape shapes[] = {
    {{100, 1, 1}, {64, 1, 1}}, {{1, 1, 1}, {32, 1, 1}},
    {{19, 10, 1}, {8, 4, 1}},  {{84, 6, 1}, {64, 4, 1}}, /* warps missing */
    {{5, 3, 7}, {4, 4, 4}},    {{129, 1, 1}, {128, 1, 1}},
    {{33, 2, 3}, {32, 8, 1}},  {{7, 65, 1}, {1, 64, 1}},
};

typedef struct rig {
    diag *dg;
    config_sheet *sheet;
    rt_device *d;
    rt_module *m;
    uint64_t out;
} rig;

static void start(rig *r, const char *preset, unsigned threads)
{
    rt_options opt = {.threads = threads};

    r->dg = diag_new();
    r->sheet = config_sheet_new();
    CHECK_EQ(config_sheet_load(r->sheet, preset, r->dg), ST_OK);
    CHECK_EQ(config_sheet_set(r->sheet, "gpu.sms=2", CONFIG_FROM_SET, r->dg),
             ST_OK);
    r->d = rt_device_new(config_sheet_values(r->sheet), &opt, r->dg);
    CHECK(r->d);
    status st = rt_module_load_text(r->d, "k.ptx", kernel, strlen(kernel),
                                    r->dg, &r->m);
    if (st != ST_OK)
        TEST_FAIL("%u: %s", diag_get(r->dg, 0)->line, diag_get(r->dg, 0)->text);
    r->out = rt_alloc(rt_device_memory(r->d), 65536, "out");
}

static void stop(rig *r)
{
    rt_device_free(r->d);
    config_sheet_free(r->sheet);
    diag_free(r->dg);
}

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Threads that `s` has in dimension `k` of the CTA with thread `at`. */
static uint32_t extent(const shape *s, unsigned k, uint32_t at)
{
    uint32_t from = at / s->block[k] * s->block[k];

    return smaller(s->threads[k] - from, s->block[k]);
}

/* Lanes of the warp of thread `t` in a CTA that has threads below `ext`. */
static uint32_t lanes(const shape *s, const uint32_t ext[3], uint32_t t)
{
    uint32_t n = 0;

    for (uint32_t i = t / 32 * 32; i < t / 32 * 32 + 32; i++) {
        uint32_t x = i % s->block[0], y = i / s->block[0] % s->block[1];
        uint32_t z = i / s->block[0] / s->block[1];

        n += x < ext[0] && y < ext[1] && z < ext[2];
    }
    return n;
}

static void check(const shape *s, uint32_t (*got)[4])
{
    for (uint32_t z = 0; z < s->threads[2]; z++)
        for (uint32_t y = 0; y < s->threads[1]; y++)
            for (uint32_t x = 0; x < s->threads[0]; x++, got++) {
                uint32_t ext[3] = {extent(s, 0, x), extent(s, 1, y),
                                   extent(s, 2, z)};
                uint32_t tid =
                    (z % s->block[2] * s->block[1] + y % s->block[1]) *
                        s->block[0] +
                    x % s->block[0];

                CHECK_EQ((*got)[0], ext[0] * ext[1] * ext[2]);
                CHECK_EQ((*got)[1], lanes(s, ext, tid));
                CHECK_EQ((*got)[2], 1);
                CHECK_EQ((*got)[3], (s->threads[0] << 20) +
                                        (s->threads[1] << 10) + s->threads[2]);
            }
    CHECK_EQ((*got)[0], 0); /* nobody wrote behind the grid */
}

static void run(rig *r, const shape *s, bool functional, rt_result *res)
{
    static const uint8_t zero[65536];
    static uint32_t got[4096][4];
    rt_launch l = {.module = r->m,
                   .kernel = rt_module_kernel(r->m, NULL, r->dg),
                   .functional = functional,
                   .params = &r->out};
    uint32_t all = 1;

    for (unsigned k = 0; k < 3; k++) {
        l.block[k] = s->block[k];
        l.threads[k] = s->threads[k];
        l.grid[k] = (s->threads[k] + s->block[k] - 1) / s->block[k];
        all *= s->threads[k];
    }
    CHECK(rt_write(rt_device_memory(r->d), r->out, zero, sizeof zero));
    status st = rt_run(r->d, &l, r->dg, res);
    if (st != ST_OK)
        TEST_FAIL("%s", diag_get(r->dg, diag_count(r->dg) - 1)->text);
    CHECK(rt_read(rt_device_memory(r->d), r->out, got, sizeof got));
    check(s, got);
    CHECK_EQ(res->ctas, (uint64_t)l.grid[0] * l.grid[1] * l.grid[2]);
    CHECK(res->thread_insts >= all);
}

TEST(the_last_ctas_of_a_grid_may_be_smaller)
{
    static const char *const gpus[] = {"v100", "k20", "gtx480"};

    for (unsigned g = 0; g < COUNTOF(gpus); g++) {
        rig a, b;
        rt_result f, t, u;

        start(&a, gpus[g], 1);
        start(&b, gpus[g], 2);
        for (unsigned i = 0; i < COUNTOF(shapes); i++) {
            run(&a, &shapes[i], true, &f);
            run(&a, &shapes[i], false, &t);
            run(&b, &shapes[i], false, &u);
            CHECK_EQ(f.thread_insts, t.thread_insts);
            CHECK_EQ(f.warp_insts, t.warp_insts);
            CHECK_EQ(t.cycles, u.cycles);
        }
        CHECK_EQ(rt_hash(a.d), rt_hash(b.d));
        stop(&a);
        stop(&b);
    }
}

/* Where the size is a multiple, saying so changes nothing. */
TEST(a_whole_grid_is_as_before)
{
    rig a, b;
    shape s = {{128, 4, 2}, {32, 2, 2}};
    rt_result x, y;
    rt_launch l = {.grid = {4, 2, 1}, .block = {32, 2, 2}};

    start(&a, "v100", 1);
    start(&b, "v100", 1);
    run(&a, &s, false, &x);
    l.module = b.m;
    l.kernel = rt_module_kernel(b.m, NULL, b.dg);
    l.params = &b.out;
    CHECK_EQ(rt_run(b.d, &l, b.dg, &y), ST_OK);
    CHECK_EQ(x.cycles, y.cycles);
    CHECK_EQ(rt_hash(a.d), rt_hash(b.d));
    stop(&a);
    stop(&b);
}

TEST(a_size_that_does_not_fit_the_grid_is_refused)
{
    static const uint32_t bad[][3] = {
        {64, 0, 0}, {129, 0, 0}, {128, 2, 0}, {0, 0, 2}};
    rig r;
    rt_result res;

    start(&r, "v100", 1);
    for (unsigned i = 0; i < COUNTOF(bad); i++) {
        rt_launch l = {.module = r.m,
                       .kernel = rt_module_kernel(r.m, NULL, r.dg),
                       .grid = {2, 1, 1},
                       .block = {64, 1, 1},
                       .threads = {bad[i][0], bad[i][1], bad[i][2]},
                       .params = &r.out};

        diag_clear(r.dg);
        CHECK_EQ(rt_run(r.d, &l, r.dg, &res), ST_USAGE);
        CHECK(strstr(diag_get(r.dg, 0)->text, "blocks of"));
    }
    stop(&r);
}
