/* Thread-block clusters: all CTAs of one are on a GPC at once and meet at its
 * barrier, whatever the machine, and however it is simulated. */
#include "cga.h"

enum { ROUNDS = 4, CELLS = 1 << 15 };

/* Counts, at [cluster][round], the warps that have come to the barrier, before
 * it; behind it each warp writes what it finds there to [1024 + (CTA * 8 +
 * warp)
 * * 8 + round], and its SM to that of round 7. Odd lanes arrive later than even
 * ones; of CTA c warp w leaves before round 1 if (7c + w) % 5 is 0. */
static const char meet[] = CGA_HEAD
    ".visible .entry k(.param .u64 out)\n"
    "{ .reg .pred %p<9>; .reg .b32 %r<60>; .reg .b64 %d<16>;\n"
    "ld.param.u64 %d1, [out];\n"
    "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y; mov.u32 %r2, %ctaid.z;\n"
    "mov.u32 %r3, %nctaid.x; mov.u32 %r4, %nctaid.y;\n"
    "mad.lo.u32 %r5, %r2, %r4, %r1; mad.lo.u32 %r5, %r5, %r3, %r0;\n"
    "mov.u32 %r6, %tid.x; shr.u32 %r7, %r6, 5; and.b32 %r8, %r6, 31;\n"
    "mov.u32 %r10, %clusterid.x; mov.u32 %r11, %clusterid.y;\n"
    "mov.u32 %r12, %clusterid.z; mov.u32 %r13, %nclusterid.x;\n"
    "mov.u32 %r14, %nclusterid.y;\n"
    "mad.lo.u32 %r15, %r12, %r14, %r11; mad.lo.u32 %r15, %r15, %r13, %r10;\n"
    "mul.wide.u32 %d2, %r15, 16; add.u64 %d2, %d1, %d2;\n"
    "mad.lo.u32 %r16, %r5, 8, %r7; mul.wide.u32 %d3, %r16, 32;\n"
    "add.u64 %d3, %d3, 4096; add.u64 %d3, %d1, %d3;\n"
    "mad.lo.u32 %r17, %r5, 7, %r7; rem.u32 %r18, %r17, 5;\n"
    "setp.ne.u32 %p1, %r8, 0; setp.eq.u32 %p2, %r18, 0;\n"
    "and.b32 %r19, %r8, 1; setp.eq.u32 %p3, %r19, 0;\n"
    "mov.u32 %r20, %smid; @!%p1 st.global.u32 [%d3+28], %r20;\n"
    "mov.u32 %r21, %cluster_ctarank; @!%p1 st.global.u32 [%d3+24], %r21;\n"
    "mov.u32 %r22, 0;\n"
    "ROUND:\n"
    "@%p1 bra MEET; red.global.add.u32 [%d2], 1;\n"
    "MEET:\n"
    "bar.warp.sync 0xffffffff;\n"
    "@%p3 bra EVEN;\n"
    "mad.lo.u32 %r30, %r17, 11, %r22; and.b32 %r30, %r30, 63;\n"
    "WAIT: sub.u32 %r30, %r30, 1; setp.gt.s32 %p5, %r30, 0; @%p5 bra WAIT;\n"
    "barrier.cluster.arrive.release; bra.uni BOTH;\n"
    "EVEN: barrier.cluster.arrive.release;\n"
    "BOTH: barrier.cluster.wait.acquire;\n"
    "@%p1 bra NEXT; ld.volatile.global.u32 %r23, [%d2];\n"
    "st.global.u32 [%d3], %r23;\n"
    "NEXT:\n"
    "@%p2 bra OUT;\n"
    "add.u64 %d2, %d2, 4; add.u64 %d3, %d3, 4; add.u32 %r22, %r22, 1;\n"
    "setp.lt.u32 %p4, %r22, 4; @%p4 bra ROUND;\n"
    "OUT: ret; }\n";

typedef struct shape {
    uint32_t cga[3], grid[3], threads;
} shape;

static uint32_t product(const uint32_t v[3]) { return v[0] * v[1] * v[2]; }

static shape random_shape(rng *r)
{
    shape s;

    do {
        for (unsigned i = 0; i < 3; i++)
            s.cga[i] = 1 + rng_below(r, i ? 3 : 5);
    } while (product(s.cga) > 16);
    do {
        for (unsigned i = 0; i < 3; i++)
            s.grid[i] = s.cga[i] * (1 + rng_below(r, 4));
    } while (product(s.grid) > 256);
    s.threads = 32 * (1 + rng_below(r, 8));
    return s;
}

static bool stays(uint32_t cta, uint32_t warp) { return (7 * cta + warp) % 5; }

/* CTAs of the cluster at `c`, in the order of ranks. */
static unsigned members(const shape *s, const uint32_t c[3], uint32_t *cta)
{
    unsigned n = 0;

    for (uint32_t z = 0; z < s->cga[2]; z++)
        for (uint32_t y = 0; y < s->cga[1]; y++)
            for (uint32_t x = 0; x < s->cga[0]; x++)
                cta[n++] = c[0] * s->cga[0] + x +
                           s->grid[0] * (c[1] * s->cga[1] + y +
                                         s->grid[1] * (c[2] * s->cga[2] + z));
    return n;
}

static void check_cluster(const shape *s, const uint32_t c[3],
                          const uint32_t *out, bool timed)
{
    uint32_t cta[16], here[2] = {0, 0}, gpc = UINT32_MAX;
    unsigned n = members(s, c, cta), warps = s->threads / 32;

    for (unsigned i = 0; i < n; i++)
        for (unsigned w = 0; w < warps; w++) {
            here[0]++;
            here[1] += stays(cta[i], w);
        }
    for (unsigned i = 0; i < n; i++)
        for (unsigned w = 0; w < warps; w++) {
            const uint32_t *is = out + 1024 + (cta[i] * 8 + w) * 8;

            CHECK_EQ(is[6], i);
            if (timed && gpc == UINT32_MAX)
                gpc = is[7] / 4;
            CHECK_EQ(timed ? is[7] / 4 : 0, timed ? gpc : 0);
            for (unsigned k = 0; k < ROUNDS; k++)
                CHECK_EQ(is[k], !k || stays(cta[i], w) ? here[k != 0] : 0);
        }
}

static void check_all(const shape *s, const uint32_t *out, bool timed)
{
    uint32_t c[3];

    for (c[2] = 0; c[2] < s->grid[2] / s->cga[2]; c[2]++)
        for (c[1] = 0; c[1] < s->grid[1] / s->cga[1]; c[1]++)
            for (c[0] = 0; c[0] < s->grid[0] / s->cga[0]; c[0]++)
                check_cluster(s, c, out, timed);
}

static rt_launch launch_of(const shape *s)
{
    return (rt_launch){.grid = {s->grid[0], s->grid[1], s->grid[2]},
                       .block = {s->threads, 1, 1},
                       .cga = {s->cga[0], s->cga[1], s->cga[2]}};
}

/* The machine, in the ways in which it can be simulated: all the same. */
TEST(random_clusters_meet)
{
    static const rt_options ways[] = {
        {.threads = 1},
        {.threads = 3, .shuffle = 7},
        {.threads = 1, .no_skip = true},
        {.threads = 1, .functional = true},
    };
    static const char *const dispatch[] = {
        "gpu.dispatch=round_robin", "gpu.dispatch=least_ctas",
        "gpu.dispatch=first_fit", "gpu.dispatch=random"};
    static uint32_t out[CELLS], first[CELLS];
    rng r;

    rng_init(&r, 25, "cga");
    for (unsigned t = 0; t < 8; t++) {
        const char *sets[] = {
            CGA_MACHINE, dispatch[rng_below(&r, 4)],
            rng_below(&r, 2) ? "gpu.cga.latency=40" : "gpu.cga.latency=300",
            rng_below(&r, 2) ? "sm.ctas=2" : "sm.ctas=32", NULL};
        shape s = random_shape(&r);
        uint64_t cycles = 0;
        cga_run run;

        if (product(s.cga) > 8) /* or it fits no GPC of 4 SMs */
            sets[8] = "sm.ctas=4";
        for (unsigned k = 0; k < COUNTOF(ways); k++) {
            cga_launch(&run, sets, &ways[k], meet, launch_of(&s), out,
                       sizeof out);
            rig_must(run.r, run.st);
            check_all(&s, out, !ways[k].functional);
            if (!k) {
                cycles = run.last.cycles;
                memcpy(first, out, sizeof out);
            } else if (!ways[k].functional) {
                CHECK_EQ(run.last.cycles, cycles);
                CHECK(!memcmp(first, out, sizeof out));
            }
            cga_end(&run);
        }
    }
}

/* ---- What is refused ---- */

static const char plain[] = CGA_HEAD ".visible .entry k(.param .u64 out)\n"
                                     "{ ret; }\n";
static const char required[] =
    CGA_HEAD ".visible .entry k(.param .u64 out)\n"
             ".explicitcluster .reqnctapercluster 2, 2\n"
             "{ barrier.cluster.arrive; barrier.cluster.wait; ret; }\n";
static const char limited[] =
    CGA_HEAD ".visible .entry k(.param .u64 out) .maxclusterrank 4 { ret; }\n";
static const char explicit_only[] =
    CGA_HEAD ".visible .entry k(.param .u64 out) .explicitcluster { ret; }\n";

static void refused(const char *text, rt_launch l, const char *why)
{
    static const char *const sets[] = {CGA_MACHINE, NULL};
    cga_run run;

    l.block[0] = 32;
    l.block[1] = l.block[2] = l.grid[1] = l.grid[2] = 1;
    cga_launch(&run, sets, &(rt_options){.threads = 1}, text, l, NULL, 64);
    CHECK_EQ(run.st, why ? ST_USAGE : ST_OK);
    if (why)
        cga_said(&run, why);
    cga_end(&run);
}

TEST(what_no_machine_can_launch_is_refused)
{
    refused(plain, (rt_launch){.grid = {17}, .cga = {17, 1, 1}},
            "has 17 CTAs, but the GPU allows 16 (gpu.cga.most)");
    refused(plain, (rt_launch){.grid = {8}, .cga = {3, 1, 1}},
            "grid x is 8, no multiple of the 3 CTAs");
    refused(plain,
            (rt_launch){.grid = {16}, .cga = {16, 1, 1}, .cga_portable = true},
            "more than 8 are not portable");
    refused(plain,
            (rt_launch){.grid = {8}, .cga = {8, 1, 1}, .cga_portable = true},
            NULL);
    refused(plain, (rt_launch){.grid = {16}, .cga = {16, 1, 1}}, NULL);
    refused(required, (rt_launch){.grid = {8}, .cga = {4, 1, 1}},
            "requires 2x2x1 (.reqnctapercluster)");
    refused(limited, (rt_launch){.grid = {8}, .cga = {8, 1, 1}},
            "at most 4 (.maxclusterrank)");
    refused(limited, (rt_launch){.grid = {8}, .cga = {4, 1, 1}}, NULL);
    refused(explicit_only, (rt_launch){.grid = {8}}, ".explicitcluster");
    refused(explicit_only, (rt_launch){.grid = {8}, .cga = {1, 1, 1}}, NULL);
}

TEST(machines_without_clusters_say_so)
{
    cga_run run;

    cga_launch(
        &run, NULL, &(rt_options){.threads = 1}, plain,
        (rt_launch){.grid = {4, 1, 1}, .block = {32, 1, 1}, .cga = {2, 1, 1}},
        NULL, 64);
    CHECK_EQ(run.st, ST_USAGE);
    cga_said(&run, "they exist from compute capability 9.0 on");
    cga_end(&run);
}

/* How CTAs are handed out can leave no room for clusters. It costs those alone
 * that launch some: the same machine runs other kernels, in the same time as
 * one that knows no clusters. */
TEST(ways_to_hand_out_ctas_that_start_no_cluster_say_so)
{
    static const struct {
        const char *set, *why;
    } ways[] = {{"gpu.cluster.size=2", "share a front end take CTAs in rows"},
                {"gpu.cta.block=2", "go in blocks to an SM"},
                {"gpu.cta.limit=lazy", "may never have room"},
                {"gpu.cta.allocation=contiguous", "not found in pieces"},
                {"gpu.load_weight.tree=pipelined", "one SM at a time"}};

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const char *const sets[] = {CGA_MACHINE, "gpu.dispatch=load_weight",
                                    ways[i].set, "sm.issue.scheduler=gto",
                                    NULL};
        const char *const without[] = {
            CGA_MACHINE,      "gpu.dispatch=load_weight",
            ways[i].set,      "sm.issue.scheduler=gto",
            "gpu.cga.most=0", NULL};
        rt_launch l = {.grid = {30, 1, 1}, .block = {64, 1, 1}};
        uint64_t cycles;
        cga_run run;

        cga_launch(&run, sets, &(rt_options){.threads = 1}, plain, l, NULL, 64);
        CHECK_EQ(run.st, ST_OK);
        cycles = run.last.cycles;
        cga_end(&run);
        cga_launch(&run, without, &(rt_options){.threads = 1}, plain, l, NULL,
                   64);
        CHECK_EQ(run.st, ST_OK);
        CHECK_EQ(run.last.cycles, cycles);
        cga_end(&run);

        l.cga[0] = 2;
        l.cga[1] = l.cga[2] = 1;
        cga_launch(&run, sets, &(rt_options){.threads = 1}, plain, l, NULL, 64);
        CHECK_EQ(run.st, ST_USAGE);
        cga_said(&run, "this GPU starts none because of gpu.");
        cga_said(&run, ways[i].why);
        cga_end(&run);
    }
}

TEST(a_cluster_that_no_gpc_holds_is_refused)
{
    static const char *const sets[] = {CGA_MACHINE, "sm.ctas=2", NULL};
    cga_run run;

    cga_launch(
        &run, sets, &(rt_options){.threads = 1}, plain,
        (rt_launch){.grid = {9, 1, 1}, .block = {32, 1, 1}, .cga = {9, 1, 1}},
        NULL, 64);
    CHECK_EQ(run.st, ST_USAGE);
    cga_said(&run, "does not fit a GPC: 2 on each of its 4 SMs do");
    cga_end(&run);
}

/* CTA 1 of each cluster never arrives, and stays. */
static const char stuck[] = CGA_HEAD
    ".visible .entry k(.param .u64 out)\n"
    "{ .reg .pred %p<2>; .reg .b32 %r<4>;\n"
    "mov.u32 %r0, %cluster_ctarank; setp.eq.u32 %p1, %r0, 1;\n"
    "mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5; setp.eq.or.u32 %p1, %r1, 9, "
    "%p1;\n"
    "@%p1 bra HERE; barrier.cluster.arrive; barrier.cluster.wait; ret;\n"
    "HERE: bar.sync 1, 64; ret; }\n";

TEST(a_cluster_that_never_meets_hangs)
{
    static const char *const sets[] = {CGA_MACHINE, NULL};

    for (unsigned functional = 0; functional < 2; functional++) {
        cga_run run;

        cga_launch(&run, sets,
                   &(rt_options){.threads = 1, .functional = functional}, stuck,
                   (rt_launch){.grid = {4, 1, 1},
                               .block = {32, 1, 1},
                               .cga = {2, 1, 1}},
                   NULL, 64);
        CHECK_EQ(run.st, ST_HANG);
        cga_end(&run);
    }
}
