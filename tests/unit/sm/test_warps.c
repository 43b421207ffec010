/* tests/unit/sm/test_warps.c - several warps: who issues, barriers, CTAs,
 * occupancy, and the front end that feeds them. */
#include "rig.h"
#include "sm/scheduler.h"
#include "sm/slots.h"

static const char plain[] =
    "sm.fetch.perfect=true\nsm.fetch.buffer=16\nsm.fetch.width=4\n"
    "sm.fetch.ports=4\nsm.issue.schedulers=1\nsm.rf.collect=none\n"
    "sm.constant.perfect=true\nsm.op.fp32.latency=10\n"
    "sm.op.barrier.latency=5\n";

/* A bench with further settings. */
static rig *bench(const char *more)
{
    char settings[1024];

    snprintf(settings, sizeof settings, "%s%s", plain, more);
    return rig_new(settings);
}

/* ---- policies ---- */

static sm_scheduler scheduler_of(const char *policy, config *cfg)
{
    sm_scheduler s;
    config_defaults(cfg);
    cfg->sm.issue.schedulers = 1;
    cfg->sm.issue.two_level_active = 2;
    cfg->sm.issue.scheduler = !strcmp(policy, "lrr")      ? CFG_SCHEDULER_LRR
                              : !strcmp(policy, "gto")    ? CFG_SCHEDULER_GTO
                              : !strcmp(policy, "oldest") ? CFG_SCHEDULER_OLDEST
                              : !strcmp(policy, "cggty")
                                  ? CFG_SCHEDULER_CGGTY
                                  : CFG_SCHEDULER_TWO_LEVEL;
    sm_scheduler_init(&s, cfg, 0);
    return s;
}

/* Order in which warps 0..3 issue when all are always ready. */
static void order(const char *policy, unsigned out[8])
{
    config cfg;
    sm_scheduler s = scheduler_of(policy, &cfg);
    /* Warps 2 and 3 are of the older CTA. */
    const sm_ages ages = {.count = 2, .cta = {0xc, 0x3}};

    for (unsigned i = 0; i < 8; i++) {
        uint64_t ready = i == 4 ? 0xf & ~((uint64_t)1 << s.last) : 0xf;
        ready = sm_scheduler_eligible(&s, ready, ~(uint64_t)0xf, i + 1);
        out[i] = s.last = sm_scheduler_pick(&s, ready, &ages);
    }
}

static void check_order(const char *policy, const unsigned want[8])
{
    unsigned got[8];

    order(policy, got);
    for (unsigned i = 0; i < 8; i++)
        CHECK_EQ(got[i], want[i]);
}

TEST(policies_choose_as_their_names_say)
{
    /* In step 4 the warp that issued last is not ready. */
    check_order("lrr", (unsigned[]){0, 1, 2, 3, 0, 1, 2, 3});
    check_order("gto", (unsigned[]){2, 2, 2, 2, 3, 3, 3, 3});
    check_order("oldest", (unsigned[]){2, 2, 2, 2, 3, 2, 2, 2});
    check_order("cggty", (unsigned[]){1, 1, 1, 1, 0, 0, 0, 0});
    check_order("two_level", (unsigned[]){0, 1, 0, 1, 0, 1, 0, 1});
}

TEST(two_level_replaces_warps_that_wait_for_long)
{
    config cfg;
    sm_scheduler s = scheduler_of("two_level", &cfg);

    CHECK_EQ(sm_scheduler_eligible(&s, 0xf, 0, 1), 0x3);
    CHECK_EQ(sm_scheduler_eligible(&s, 0xe, 0, 1), 0x2);   /* 0 waits briefly */
    CHECK_EQ(sm_scheduler_eligible(&s, 0xe, 0x1, 1), 0x6); /* for memory */
    CHECK_EQ(sm_scheduler_eligible(&s, 0xf, 0, 1), 0x6);
}

/* A warp that rests and one whose constant is awaited, for so long. */
TEST(warps_are_left_out_for_a_while)
{
    config cfg;
    sm_scheduler s = scheduler_of("cggty", &cfg);

    s.last = 2;
    s.rests = 10;
    CHECK_EQ(sm_scheduler_eligible(&s, 0xf, 0, 10), 0xb);
    CHECK_EQ(sm_scheduler_eligible(&s, 0xf, 0, 11), 0xf);
    s.held = 1;
    s.held_until = 15;
    CHECK_EQ(sm_scheduler_eligible(&s, 0xd, 0, 14), 0);
    CHECK_EQ(sm_scheduler_eligible(&s, 0xf, 0, 14), 0x2);
    CHECK_EQ(sm_scheduler_eligible(&s, 0xd, 0, 15), 0xd);
}

TEST(warps_hide_each_others_latency)
{
    uint64_t end[2];

    for (unsigned i = 0; i < 2; i++) { /* 1 and 5 warps of dependent code */
        rig *r = bench("");
        strbuf b = {0};
        for (unsigned n = 0; n < 64; n++)
            strbuf_puts(&b, "FADD R1, R1, R2\n");
        strbuf_puts(&b, "EXIT\n");
        rig_program(r, "", b.text, 1, i ? 160 : 32);
        end[i] = rig_run(r, 100000);
        rig_check_sum(r);
        strbuf_fini(&b);
        rig_free(r);
    }
    CHECK(end[1] <= end[0] + 10);
}

/* ---- barriers ---- */

TEST(barrier_holds_all_until_the_last)
{
    rig *r = bench("");
    uint64_t a = mem_alloc(r->image, 4096, "a");
    uint32_t *host = (uint32_t *)mem_host(r->image, a);

    rig_param(r, 0, a);
    /* Warp 0 dawdles before it writes; the others read what it wrote. */
    rig_program(r, ".shared 256\n",
                "S2R R0, SR_TID.X\n"
                "MOV R7, 0x4\n"
                "IMAD.WIDE.U32 R4, R0, R7, c[0x0][0x140]\n"
                "ISETP.GE.U32.AND P0, PT, R0, 0x20, PT\n"
                "MOV R1, RZ\n"
                "SSY meet\n"
                "@P0 BRA skip\n"
                "loop:\n"
                "IADD3 R1, R1, 0x1, RZ\n"
                "ISETP.LT.AND P1, PT, R1, 0x14, PT\n"
                "@P1 BRA loop\n"
                "STS [RZ], R1\n"
                "skip:\n"
                "SYNC\n"
                "meet:\n"
                "BAR.SYNC 0x0\n"
                "LDS R2, [RZ]\n"
                "STG.E [R4], R2\n"
                "EXIT\n",
                1, 128);
    rig_run(r, 100000);
    mem_view_commit(r->view);
    for (unsigned i = 0; i < 128; i++)
        CHECK_EQ(host[i], 20);
    CHECK_EQ(rig_stat(r, "barriers"), 4);
    /* While warp 0 works it is nearer to issue than those that wait. */
    CHECK_EQ(rig_stat(r, "stall_barrier"), 5 - 1);
    rig_check_sum(r);
    rig_free(r);
}

TEST(barrier_of_one_warp_costs_its_latency)
{
    uint64_t end[2];

    for (unsigned i = 0; i < 2; i++) {
        rig *r = bench("");
        rig_program(r, "",
                    i ? "BAR.SYNC 0x0\nBAR.SYNC 0x0\nEXIT\n"
                      : "BAR.SYNC 0x0\nEXIT\n",
                    1, 32);
        end[i] = rig_run(r, 1000);
        CHECK_EQ(rig_stat(r, "stall_barrier"), 4 * (i + 1));
        rig_check_sum(r);
        rig_free(r);
    }
    CHECK_EQ(end[1], end[0] + 5);
}

TEST(ended_warps_do_not_hold_up_a_barrier)
{
    rig *r = bench("");

    rig_program(r, "",
                "S2R R0, SR_TID.X\n"
                "ISETP.GE.U32.AND P0, PT, R0, 0x40, PT\n"
                "@P0 EXIT\n"
                "BAR.SYNC 0x0\n"
                "EXIT\n",
                1, 128);
    rig_run(r, 1000);
    CHECK_EQ(rig_stat(r, "barriers"), 2);
    rig_free(r);
}

TEST(partial_barriers_and_reductions)
{
    rig *r = bench("");
    uint64_t a = mem_alloc(r->image, 4096, "a");
    uint32_t *host = (uint32_t *)mem_host(r->image, a);

    rig_param(r, 0, a);
    rig_program(r, "",
                "S2R R0, SR_TID.X\n"
                "MOV R7, 0x4\n"
                "IMAD.WIDE.U32 R4, R0, R7, c[0x0][0x140]\n"
                "ISETP.LT.U32.AND P0, PT, R0, 0x2d, PT\n"
                "BAR.RED.POPC R2, 0x1, RZ, P0\n"
                "STG.E [R4], R2\n"
                "ISETP.GE.U32.AND P1, PT, R0, 0x40, PT\n"
                "@P1 EXIT\n"
                "BAR.SYNC 0x2, 0x40\n"
                "EXIT\n",
                1, 128);
    rig_run(r, 1000);
    mem_view_commit(r->view);
    for (unsigned i = 0; i < 128; i++)
        CHECK_EQ(host[i], 0x2d);
    CHECK_EQ(rig_stat(r, "barriers"), 4 + 2);
    rig_free(r);
}

/* ---- CTAs ---- */

TEST(occupancy_is_that_of_the_scarcest_resource)
{
    config cfg;
    isa_kernel k = {.registers = 20};
    exec_launch l = {.kernel = &k, .threads = 256, .warps = 8};
    const char *limiter;
    uint64_t need, have;

    config_defaults(&cfg);
    cfg.sm.ctas = 8;
    cfg.sm.warps = 48;
    cfg.sm.threads = 1536;
    cfg.sm.registers = 32768;
    cfg.sm.register_unit = 64;
    cfg.sm.warp_unit = 2;
    cfg.sm.shared_bytes = 49152;
    cfg.sm.shared_unit = 128;
    cfg.sm.shared_reserved = 0;
    CHECK_EQ(sm_occupancy(&cfg, &l, &limiter, NULL, NULL), 6); /* 48 / 8 */
    CHECK_STR(limiter, "warps");
    k.registers = 21; /* 21 * 32 = 672, rounded 704; * 8 = 5632 */
    CHECK_EQ(sm_occupancy(&cfg, &l, &limiter, &need, &have), 5);
    CHECK_STR(limiter, "registers");
    CHECK_EQ(need, 5632);
    CHECK_EQ(have, 32768);
    l.shared_bytes = 12289; /* rounded to 12416 */
    CHECK_EQ(sm_occupancy(&cfg, &l, &limiter, &need, NULL), 3);
    CHECK_STR(limiter, "shared memory");
    CHECK_EQ(need, 12416);
    l.shared_bytes = 49153;
    CHECK_EQ(sm_occupancy(&cfg, &l, &limiter, NULL, NULL), 0);
    l = (exec_launch){.kernel = &k, .threads = 33, .warps = 2};
    k.registers = 8;
    CHECK_EQ(sm_occupancy(&cfg, &l, &limiter, NULL, NULL), 8);
    CHECK_STR(limiter, "CTA slots");
}

/* Of an A100's 164 KB; what an SM can have is 8, 16, 32, 64, 100, 132 or 164.
 */
TEST(a_share_that_a_program_wants_limits_ctas)
{
    static const struct {
        uint8_t percent; /* and 1 */
        unsigned shared, ctas;
    } row[] = {{0, 164, 8},   /* nothing is wanted: eight of 20 KB */
               {101, 164, 8}, /* all */
               {51, 100, 5},  /* 82 KB are not there, but 100 */
               {11, 32, 1},   /* room for a CTA */
               {1, 32, 1}};
    config cfg;
    isa_kernel k = {.registers = 8};
    exec_launch l = {.kernel = &k, .threads = 32, .warps = 1};

    config_defaults(&cfg);
    cfg.sm.ctas = 32;
    cfg.sm.shared_bytes = 164 << 10;
    cfg.sm.shared_unit = 128;
    cfg.sm.shared_reserved = 0;
    cfg.l1.sets = 384;
    cfg.l1.ways = 4;
    cfg.l1.carveout = CFG_CARVEOUT_SETS;
    strcpy(cfg.l1.carveouts, "8,16,32,64,100,132,164");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        l.hints.carveout = row[i].percent;
        l.shared_bytes = 20 << 10;
        CHECK_EQ(sm_occupancy(&cfg, &l, NULL, NULL, NULL), row[i].ctas);
        CHECK_EQ(config_l1_carve(&cfg, sm_shared_wanted(&cfg, &l)).shared,
                 (uint64_t)row[i].shared << 10);
    }
    l.shared_bytes = 0; /* its CTAs need none; a program may want it all */
    l.hints.carveout = 101;
    CHECK_EQ(sm_shared_wanted(&cfg, &l), 164 << 10);
    l.hints.carveout = 0;
    CHECK_EQ(sm_shared_wanted(&cfg, &l), 0);
}

TEST(many_ctas_pass_through_few_slots)
{
    rig *r = bench("sm.ctas=3\n");
    uint64_t a = mem_alloc(r->image, 8192, "a");
    uint32_t *host = (uint32_t *)mem_host(r->image, a);

    rig_param(r, 0, a);
    rig_program(r, "",
                "S2R R0, SR_CTAID.X\n"
                "S2R R1, SR_TID.X\n"
                "MOV R2, 0x30\n"
                "IMAD R3, R0, R2, R1\n" /* 48 threads: a partial warp */
                "MOV R2, 0x4\n"
                "IMAD.WIDE.U32 R4, R3, R2, c[0x0][0x140]\n"
                "STG.E [R4], R3\n"
                "EXIT\n",
                20, 48);
    for (unsigned again = 0; again < 2; again++) { /* two launches */
        rig_run(r, 100000);
        mem_view_commit(r->view);
        for (unsigned i = 0; i < 960; i++) {
            CHECK_EQ(host[i], i);
            host[i] = 0;
        }
        CHECK_EQ(rig_stat(r, "ctas_done"), 20 * (again + 1));
        CHECK_EQ(rig_stat(r, "warps_done"), 40 * (again + 1));
        CHECK(sm_idle(r->s));
        rig_launch(r);
        r->ctas_next = r->ended = 0;
    }
    CHECK_EQ(rig_stat(r, "thread_insts"), 2 * 20 * 48 * 8);
    rig_check_sum(r);
    rig_free(r);
}

TEST(idle_time_is_charged_to_no_warp)
{
    rig *r = bench("");

    sm_tick(r->s, 0);
    sm_finish_stats(r->s, 1000);
    CHECK_EQ(rig_stat(r, "cycles"), 1000);
    CHECK_EQ(rig_stat(r, "stall_no_warp"), 1000);
    CHECK_EQ(rig_stat(r, "active_cycles"), 0);
    rig_free(r);
}

/* Off from 100 to 400, and for the whole of a program: what the SM does is
 * the same. */
TEST(time_with_the_front_end_off_is_counted_by_activity)
{
    uint64_t end[2];
    rig *r = bench("");

    sm_tick(r->s, 0);
    sm_power_set(r->s, 100, false);
    sm_power_set(r->s, 250, false);
    sm_power_set(r->s, 400, true);
    sm_finish_stats(r->s, 1000);
    CHECK_EQ(rig_stat(r, "cycles"), 1000);
    CHECK_EQ(rig_stat(r, "gated_active"), 0);
    CHECK_EQ(rig_stat(r, "gated_idle"), 300);
    CHECK_EQ(rig_stat(r, "wakes"), 1);
    rig_free(r);
    for (unsigned off = 0; off < 2; off++) {
        r = bench("");
        rig_program(r, "", "NOP\nNOP\nEXIT\n", 1, 32);
        sm_power_set(r->s, 0, !off);
        end[off] = rig_run(r, 1000);
        uint64_t active = rig_stat(r, "active_cycles");
        CHECK(active > 0);
        CHECK_EQ(rig_stat(r, "gated_active"), off ? active : 0);
        CHECK_EQ(rig_stat(r, "gated_idle"),
                 off ? rig_stat(r, "cycles") - active : 0);
        CHECK_EQ(rig_stat(r, "wakes"), 0);
        rig_free(r);
    }
    CHECK_EQ(end[0], end[1]);
}

/* ---- the front end ---- */

TEST(taken_branch_costs_resolution_bubble_and_fetch)
{
    uint64_t end[2];

    for (unsigned i = 0; i < 2; i++) {
        rig *r = bench("sm.op.branch.latency=4\nsm.issue.branch=3\n"
                       "sm.fetch.decode=2\nsm.l1i.latency=0\n");
        rig_program(r, "",
                    i ? "BRA on\non:\nNOP\nEXIT\n" /* falls through */
                      : "BRA on\nNOP\non:\nNOP\nEXIT\n",
                    1, 32);
        end[i] = rig_run(r, 1000);
        CHECK_EQ(rig_stat(r, "branches_taken"), !i);
        rig_check_sum(r);
        rig_free(r);
    }
    CHECK_EQ(end[0], end[1] + 3 + 2);
}

TEST(instruction_misses_are_counted_once_a_line)
{
    rig *r = rig_new("sm.issue.schedulers=1\nsm.l0i.bytes=0\n"
                     "sm.l1i.bytes=4096\nsm.l1i.line=128\nsm.l15.bytes=0\n"
                     "sm.fetch.prefetch=0\n");
    strbuf b = {0};

    for (unsigned i = 0; i < 63; i++)
        strbuf_puts(&b, "NOP\n");
    strbuf_puts(&b, "EXIT\n");
    rig_program(r, "", b.text, 1, 32); /* 64 instructions of 8 bytes */
    rig_run(r, 10000);
    CHECK_EQ(rig_stat(r, "icache_requests"), 4);
    CHECK_EQ(r->inet.requests, 4);
    CHECK(rig_stat(r, "stall_icache") >= 4 * 50);
    rig_check_sum(r);
    strbuf_fini(&b);
    rig_free(r);
}

TEST(constant_miss_blocks_its_warp_only_once)
{
    rig *r = rig_new("sm.fetch.perfect=true\nsm.issue.schedulers=1\n"
                     "sm.l15.bytes=0\nsm.constant.l1.line=64\n");

    rig_program(r, "",
                "MOV R1, c[0x3][0x10]\n"
                "MOV R2, c[0x3][0x20]\n"
                "MOV R3, c[0x3][0x40]\n"
                "LDC R4, c[0x3][0x44]\n"
                "EXIT\n",
                1, 32);
    rig_run(r, 10000);
    CHECK_EQ(r->cnet.requests, 2);
    CHECK_EQ(rig_stat(r, "const_misses"), 2);
    CHECK(rig_stat(r, "stall_constant") >= 2 * 60);
    rig_check_sum(r);
    rig_free(r);
}

/* ---- operands ---- */

/* Cycles that 32 more lines take with the given banks. */
static uint64_t operands(const char *settings, const char *line)
{
    uint64_t end[2];

    for (unsigned i = 0; i < 2; i++) {
        rig *r = bench(settings);
        strbuf b = {0};
        for (unsigned n = 0; n < 32 * (i + 1); n++)
            strbuf_printf(&b, "%s\n", line);
        strbuf_puts(&b, "EXIT\n");
        rig_program(r, "", b.text, 1, 32);
        end[i] = rig_run(r, 100000);
        rig_check_sum(r);
        strbuf_fini(&b);
        rig_free(r);
    }
    return end[1] - end[0];
}

TEST(banks_serve_one_register_a_cycle)
{
    const char *kepler = "sm.rf.collect=units\nsm.rf.per_scheduler=true\n"
                         "sm.rf.banks=4\nsm.rf.bank_map=kepler\n"
                         "sm.rf.collectors=4\nsm.op.fp32.latency=1\n"
                         "sm.op.fp32.interval=1\n";

    /* Kepler: R0 R2 R8 in bank 0, R1 R3 in 1, R4 in 2, R5 in 3. */
    CHECK_EQ(operands(kepler, "FFMA RZ, R0, R1, R4"), 32);
    CHECK_EQ(operands(kepler, "FFMA RZ, R0, R2, R4"), 64);
    CHECK_EQ(operands(kepler, "FFMA RZ, R0, R2, R8"), 96);
    CHECK_EQ(operands(kepler, "FFMA RZ, R0, R0, R0"), 32);
    CHECK_EQ(operands(kepler, "FFMA RZ, R0, RZ, RZ"), 32);
}

TEST(fixed_window_hides_its_own_length)
{
    const char *volta = "sm.rf.collect=fixed\nsm.rf.banks=2\n"
                        "sm.rf.bank_map=mod\nsm.rf.read_window=3\n"
                        "sm.op.fp32.latency=4\nsm.op.fp32.interval=1\n";

    CHECK_EQ(operands(volta, "FFMA RZ, R0, R1, R3"), 64); /* two in one bank */
    CHECK_EQ(operands(volta, "FFMA RZ, R0, R2, R4"), 96);
    CHECK_EQ(operands(volta, "FADD RZ, R0, R1"), 32);
    /* Conflicts of a lone instruction fit into the window. */
    CHECK_EQ(operands(volta, "FFMA R6, R0, R2, R6"), 4 * 32);
}
