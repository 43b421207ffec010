/* tests/timing/test_warm.c - launches that are performed before they count:
 * nothing of that is left but in the caches; and the slots that a cold start
 * takes, which it does away with. */
#include "rig.h"

enum { CTAS = 2, THREADS = 32, ALL = CTAS * THREADS };

#define HEAD                                                                   \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                          \
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"   \
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"                   \
    ".global .align 1 .b8 text[4] = {104, 105, 10, 0};\n"

/* p[i] += 1, and the thread's block of the heap; *q += 1 and a line of each. */
static const char side[] =
    HEAD ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n"
         ".reg .b64 %d<20>;\n.reg .b32 %r<9>;\n"
         ".param .b64 pf;\n.param .b64 pa;\n.param .b32 pr;\n"
         ".param .b64 pn;\n.param .b64 pm;\n"
         "ld.param.u64 %d1, [p];\nld.param.u64 %d2, [q];\n"
         "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
         "mad.lo.u32 %r3, %r2, 32, %r1;\nmul.wide.u32 %d3, %r3, 16;\n"
         "add.u64 %d4, %d1, %d3;\n"
         "ld.global.u32 %r4, [%d4];\nadd.u32 %r4, %r4, 1;\n"
         "st.global.u32 [%d4], %r4;\nred.global.add.u32 [%d2], 1;\n"
         "mov.u64 %d5, 48;\nst.param.b64 [pn], %d5;\ncall (pm), malloc, (pn);\n"
         "ld.param.b64 %d6, [pm];\nst.global.u64 [%d4+8], %d6;\n"
         "mov.u64 %d7, text;\ncvta.global.u64 %d8, %d7;\nmov.u64 %d9, 0;\n"
         "st.param.b64 [pf], %d8;\nst.param.b64 [pa], %d9;\n"
         "call (pr), vprintf, (pf, pa);\nret;\n}\n";

/* A rig whose device warms up. */
static rig *warm_rig(const char *name, unsigned warm, const char *const *sets,
                     rt_options opt)
{
    rig *r = rig_new(name, sets);

    opt.warm = warm;
    rt_device_free(r->d);
    r->d = rt_device_new(r->cfg, &opt, r->dg);
    CHECK(r->d);
    return r;
}

static const char *const two_sms[] = {"gpu.sms=2", NULL};

typedef struct outcome {
    struct {
        uint32_t sum, rest;
        uint64_t block;
    } p[ALL];
    uint32_t q;
    size_t lines;
    uint64_t start, ns;
} outcome;

/* `side` twice. */
static outcome *sides(const char *name, unsigned warm)
{
    rig *r = warm_rig(name, warm, two_sms, (rt_options){.threads = 1});
    rt_memory *m = rt_device_memory(r->d);
    uint64_t params[2] = {rt_alloc(m, 16 * ALL, "p"), rt_alloc(m, 4, "q")};
    outcome *o = calloc(1, sizeof *o);
    rt_module *module;

    CHECK(o);
    rig_must(r, rt_module_load_text(r->d, "t.ptx", side, strlen(side), r->dg,
                                    &module));
    rt_launch l = {.module = module,
                   .kernel = rt_module_kernel(module, NULL, r->dg),
                   .grid = {CTAS, 1, 1},
                   .block = {THREADS, 1, 1},
                   .params = params};
    for (unsigned i = 0; i < 2; i++) {
        rig_must(r, rt_run(r->d, &l, r->dg, &r->last));
        o->lines += r->last.line_count;
        CHECK_EQ(r->last.lines_lost, 0);
        if (!i)
            o->start = r->last.start;
        CHECK(!i || r->last.start >= r->last.cycles);
    }
    o->ns = rt_now_ns(r->d);
    CHECK(o->ns < rt_cycles_ns(r->d, r->last.start + r->last.cycles + 1000));
    CHECK(rt_read(m, params[0], o->p, sizeof o->p));
    CHECK(rt_read(m, params[1], &o->q, sizeof o->q));
    rig_free(r);
    return o;
}

TEST(nothing_is_done_more_often_than_asked_for)
{
    for (unsigned g = 0; g < RIG_GPUS; g++) {
        outcome *cold = sides(rig_gpus[g], 0), *warm = sides(rig_gpus[g], 3);

        CHECK_EQ(cold->q, 2 * ALL);
        CHECK_EQ(cold->lines, 2 * ALL);
        CHECK_EQ(warm->q, cold->q);
        CHECK_EQ(warm->lines, cold->lines);
        CHECK_EQ(memcmp(cold->p, warm->p, sizeof cold->p), 0);
        CHECK_EQ(cold->p[5].sum, 2);
        CHECK(cold->p[5].block);
        CHECK_EQ(cold->start, 0);
        CHECK_EQ(warm->start, 0); /* what does not count takes no time */
        CHECK(warm->ns < cold->ns);
        free(cold);
        free(warm);
    }
}

/* Loads constants and data, and runs code of several lines, which all caches
 * hold. */
static char *kernel(void)
{
    return rig_text("S2R R0, SR_TID.X;\nMOV R2, c[0x0][p];\n"
                    "MOV R3, c[0x0][p+4];\nIMAD.WIDE R2, R0, 4, R2;\n"
                    "LDG.E R4, [R2.64];\n",
                    "FADD R%u, R4, R4;", 150);
}

/* Runs it, the device is one of `warm`; counters in r->last. */
static rig *ran(const char *name, unsigned warm, rt_options opt)
{
    rig *r = warm_rig(name, warm, two_sms, opt);
    uint64_t p = rt_alloc(rt_device_memory(r->d), 4096, "p");
    char *text = kernel();

    rig_run(r, text, 4, 64, p, 0);
    free(text);
    return r;
}

TEST(a_cold_start_is_told_and_a_warm_one_has_none)
{
    for (unsigned g = 0; g < RIG_GPUS; g++) {
        rig *cold = ran(rig_gpus[g], 0, (rt_options){.threads = 1});
        rig *warm = ran(rig_gpus[g], 1, (rt_options){.threads = 1});
        rig *more = ran(rig_gpus[g], 4, (rt_options){.threads = 1});

        CHECK(rig_count(cold, "sm[*].cold_icache") > 0);
        CHECK(rig_count(cold, "sm[*].cold_constant") > 0);
        CHECK(rig_count(cold, "sm[*].cold_icache") <=
              rig_count(cold, "sm[*].stall_icache"));
        CHECK(rig_count(cold, "sm[*].cold_constant") <=
              rig_count(cold, "sm[*].stall_constant"));
        CHECK(rig_count(cold, "sm[*].icache_requests") > 0);
        CHECK_EQ(rig_count(warm, "sm[*].cold_icache"), 0);
        CHECK_EQ(rig_count(warm, "sm[*].cold_constant"), 0);
        CHECK_EQ(rig_count(warm, "sm[*].const_requests"), 0);
        CHECK(rig_count(warm, "sm[*].icache_requests") <
              rig_count(cold, "sm[*].icache_requests"));
        CHECK(warm->last.cycles < cold->last.cycles);
        /* L1s are emptied, as between any launches; the L2 is not. */
        CHECK_EQ(rig_count(warm, "sm[*].l1.*_read_hits"),
                 rig_count(cold, "sm[*].l1.*_read_hits"));
        CHECK(rig_count(cold, "dram[*].reads") > 0);
        CHECK_EQ(rig_count(warm, "dram[*].reads"), 0);
        CHECK_EQ(rig_count(more, "sm[*].warp_insts"),
                 rig_count(cold, "sm[*].warp_insts"));
        CHECK_EQ(rig_count(more, "gpu.launches"), 1);
        rig_free(cold);
        rig_free(warm);
        rig_free(more);
    }
}

/* A loop that the instruction caches do not hold misses in every turn, but
 * only in the first because nobody was there before. */
TEST(misses_of_lines_that_were_there_are_not_cold)
{
    const char *const small[] = {"gpu.sms=1",        "sm.l0i.bytes=0",
                                 "sm.l1i.bytes=512", "sm.l1i.ways=1",
                                 "sm.l15.bytes=0",   NULL};
    uint64_t all[2], cold[2];

    for (unsigned i = 0; i < 2; i++) {
        rig *r = warm_rig("k20-single", 0, small, (rt_options){.threads = 1});
        char *body = rig_text("", "FADD R%u, R4, R4;", 300);
        strbuf b = {0};

        strbuf_printf(&b,
                      "MOV R1, %u;\nLOOP:\n%s\nIADD3 R1, R1, -1, RZ;\n"
                      "ISETP.NE.AND P0, PT, R1, RZ, PT;\n@P0 BRA LOOP;\n",
                      i ? 8 : 1, body);
        rig_run(r, b.text, 1, 32, 0, 0);
        all[i] = rig_count(r, "sm[*].stall_icache");
        cold[i] = rig_count(r, "sm[*].cold_icache");
        strbuf_fini(&b);
        free(body);
        rig_free(r);
    }
    CHECK_EQ(cold[0], all[0]);
    CHECK(all[1] > 2 * all[0]);
    CHECK(cold[1] <= all[0] + all[0] / 4);
    CHECK(cold[1] > all[0] / 2);
}

TEST(warm_launches_depend_on_nothing_either)
{
    static const rt_options how[] = {{.threads = 2},
                                     {.threads = 1, .no_skip = true},
                                     {.threads = 2, .shuffle = 7}};

    for (unsigned g = 0; g < RIG_GPUS; g++) {
        rig *first = ran(rig_gpus[g], 2, (rt_options){.threads = 1});

        for (size_t i = 0; i < COUNTOF(how); i++) {
            rig *r = ran(rig_gpus[g], 2, how[i]);

            CHECK_EQ(r->last.cycles, first->last.cycles);
            CHECK_EQ(rt_hash(r->d), rt_hash(first->d));
            rig_free(r);
        }
        rig_free(first);
    }
}

TEST(one_that_fails_is_told_once)
{
    rig *r = warm_rig("v100", 2, two_sms, (rt_options){.threads = 1});
    uint64_t params[2] = {0, 0};
    rt_module *m;

    rig_must(r,
             rt_module_load_text(r->d, "t.ptx", side, strlen(side), r->dg, &m));
    rt_launch l = {.module = m,
                   .kernel = rt_module_kernel(m, NULL, r->dg),
                   .grid = {1, 1, 1},
                   .block = {32, 1, 1},
                   .params = params};
    CHECK_EQ(rt_run(r->d, &l, r->dg, &r->last), ST_FAULT);
    CHECK_EQ(diag_errors(r->dg), 1);
    CHECK(r->last.cycles > 0);
    CHECK_EQ(r->last.start, 0);
    diag_clear(r->dg);
    params[0] = rt_alloc(rt_device_memory(r->d), 4096, "p");
    params[1] = rt_alloc(rt_device_memory(r->d), 4096, "q");
    CHECK_EQ(rt_run(r->d, &l, r->dg, &r->last), ST_OK);
    rig_free(r);
}

TEST(accesses_outside_are_counted_once)
{
    uint64_t count[2];

    for (unsigned i = 0; i < 2; i++) {
        rig *r = warm_rig("v100", 3 * i, two_sms,
                          (rt_options){.threads = 1, .lenient = true});
        uint64_t p = rt_alloc(rt_device_memory(r->d), 64, "p");

        rig_run(r,
                "MOV R2, c[0x0][p];\nMOV R3, c[0x0][p+4];\n"
                "STG.E [R2.64+64], R2;\n",
                1, 32, p, 0);
        count[i] = exec_strays_total(&r->last.strays);
        rig_free(r);
    }
    CHECK_EQ(count[0], 32);
    CHECK_EQ(count[1], count[0]);
}
