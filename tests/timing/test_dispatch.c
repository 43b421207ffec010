/* tests/timing/test_dispatch.c - what the choice of the SM does to whole
 * machines: nothing on uniform grids, while mixes of sizes are more even than
 * in turn. */
#include "timing/rig.h"

#include "base/must.h"
#include "base/rng.h"
#include "runtime/streams.h"

enum { SMS = 4, MAX = 32 };

/* Adds to a register so many times, and stores it. */
static const char text[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry spin(.param .u64 p, .param .u32 loops)\n"
    "{ .reg .u64 %rd<4>; .reg .u32 %r<9>; .reg .pred %q<2>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r8, [loops];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.u32 %r5, %r2, %r3, %r4; mov.u32 %r6, %r5;\n"
    "L: mad.lo.u32 %r6, %r6, %r6, %r5; sub.u32 %r8, %r8, 1;\n"
    "setp.ne.u32 %q1, %r8, 0; @%q1 bra L;\n"
    "mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "st.global.u32 [%rd3], %r6; ret; }\n";

typedef struct bench {
    rig *r;
    rt_module *m;
    uint64_t at;
    rt_launch launch[MAX];
    unsigned stream[MAX];
    uint64_t params[MAX][2];
    unsigned count;
    uint64_t cycles; /* of the group */
    unsigned groups;
} bench;

static bench *bench_new(const char *name, const char *const *more)
{
    const char *sets[RIG_SETS] = {"gpu.sms=4", NULL};
    bench *b = calloc(1, sizeof *b);
    unsigned n = 1;

    CHECK(b != NULL);
    for (; *more; more++)
        sets[n++] = *more;
    sets[n] = NULL;
    b->r = rig_new(name, sets);
    rig_must(b->r, rt_module_load_text(b->r->d, "t.ptx", text, strlen(text),
                                       b->r->dg, &b->m));
    b->at = rt_alloc(rt_device_memory(b->r->d), 1 << 20, "words");
    CHECK(b->at != 0);
    return b;
}

static void bench_free(bench *b)
{
    rig_free(b->r);
    free(b);
}

/* A launch in a stream of its own. */
static void add(bench *b, unsigned ctas, unsigned warps, unsigned loops)
{
    unsigned n = b->count++;

    b->params[n][0] = b->at;
    b->params[n][1] = loops;
    b->stream[n] = n;
    b->launch[n] =
        (rt_launch){.module = b->m,
                    .kernel = rt_module_kernel(b->m, "spin", b->r->dg),
                    .grid = {ctas, 1, 1},
                    .block = {32 * warps, 1, 1},
                    .params = b->params[n],
                    .counters = true,
                    .max_cycles = 1000000};
}

static void ended(void *arg, const rt_result *sum, const rt_part *part,
                  size_t n)
{
    bench *b = arg;

    (void)part;
    (void)n;
    b->cycles = sum->cycles;
    b->groups++;
}

static void run(bench *b)
{
    const rt_streams s = {.device = b->r->d,
                          .launch = b->launch,
                          .stream = b->stream,
                          .count = b->count,
                          .streams = b->count,
                          .group = {.ended = ended, .arg = b}};

    rig_must(b->r, rt_run_streams(&s, b->r->dg));
    CHECK_EQ(b->groups, 1);
}

static uint64_t counter(const bench *b, const char *name)
{
    size_t matched;
    uint64_t v = stats_sum(rt_stats(b->r->d), NULL, name, &matched);

    CHECK(matched > 0);
    return v;
}

static const char *const turns[] = {"gpu.dispatch=round_robin", NULL};
static const char *const weights[] = {"gpu.dispatch=load_weight", NULL};

TEST(uniform_grids_go_where_they_go_in_turn)
{
    static const unsigned ctas[] = {SMS, 3 * SMS, 70};

    for (unsigned g = 0; g < RIG_GPUS; g++)
        for (unsigned i = 0; i < COUNTOF(ctas); i++) {
            bench *a = bench_new(rig_gpus[g], turns);
            bench *b = bench_new(rig_gpus[g], weights);

            add(a, ctas[i], 4, 50);
            add(b, ctas[i], 4, 50);
            run(a);
            run(b);
            CHECK(100 * b->cycles <= 101 * a->cycles);
            CHECK(100 * a->cycles <= 101 * b->cycles);
            for (unsigned k = 0; i < 2 && k < SMS; k++) {
                char name[64];

                snprintf(name, sizeof name, "sm[%u].ctas_started", k);
                CHECK_EQ(counter(b, name), counter(a, name));
            }
            bench_free(a);
            bench_free(b);
        }
}

/* Up to three CTAs for each SM, of 1 to 16 warps. Squares of the warps that SMs
 * hold, over the least that they can be. */
static double uneven_mix(const char *name, const char *const *how,
                         uint64_t seed, uint64_t *cycles)
{
    bench *b = bench_new(name, how);
    rng r;

    rng_init(&r, seed, "dispatch.timing");
    for (unsigned n = 0; n < 3 * SMS; n++)
        add(b, 1, 1 + rng_below(&r, 16), 60);
    run(b);
    CHECK_EQ(counter(b, "dispatch.ctas"), 3 * SMS);
    CHECK(counter(b, "dispatch.tail") < b->cycles);
    double v = SMS * (double)counter(b, "dispatch.held_squares") /
               (double)counter(b, "dispatch.held_total_squares");
    *cycles = b->cycles;
    bench_free(b);
    return v;
}

/* Not of every grid: who takes the lightest SM for each CTA as it comes may do
 * worse than who is lucky. Of these six one is so. */
TEST(mixed_sizes_are_more_even_than_in_turn)
{
    for (unsigned g = 0; g < RIG_GPUS; g++) {
        double base = 0, weighed = 0;
        uint64_t before = 0, after = 0, cycles;
        unsigned worse = 0;

        for (uint64_t seed = 0; seed < 6; seed++) {
            double was = uneven_mix(rig_gpus[g], turns, seed, &cycles);
            before += cycles;
            double is = uneven_mix(rig_gpus[g], weights, seed, &cycles);
            after += cycles;
            base += was;
            weighed += is;
            worse += is > was;
        }
        CHECK(weighed < base);
        CHECK(after < before);
        CHECK(worse <= 1);
    }
}

/* Every fourth CTA is large and long: in turn they are all on one SM. */
TEST(large_ctas_in_step_with_the_sms_are_spread)
{
    for (unsigned g = 0; g < RIG_GPUS; g++) {
        bench *a = bench_new(rig_gpus[g], turns);
        bench *b = bench_new(rig_gpus[g], weights);

        for (unsigned n = 0; n < 3 * SMS; n++) {
            add(a, 1, n % SMS ? 1 : 16, n % SMS ? 20 : 300);
            add(b, 1, n % SMS ? 1 : 16, n % SMS ? 20 : 300);
        }
        run(a);
        run(b);
        CHECK(2 * a->cycles >= 3 * b->cycles);
        bench_free(a);
        bench_free(b);
    }
}

/* The cycles of a machine are those that its dispatcher accounts for. */
TEST(every_cycle_is_charged)
{
    static const char *const causes[] = {
        "leaving",         "nothing_left", "wait_launch",  "wait_interval",
        "wait_warps",      "wait_tree",    "stall_ctas",   "stall_warps",
        "stall_registers", "stall_shared", "stall_pieces", "stall_several",
        "stall_cluster"};
    static const char *const sets[][4] = {
        {"gpu.launch_latency=123", "gpu.dispatch_interval=3", NULL},
        {"gpu.cta.overlap=false", "gpu.cta.release=warp", NULL},
        {"gpu.dispatch=load_weight", "gpu.load_weight.tree=pipelined", NULL},
    };

    for (unsigned i = 0; i < COUNTOF(sets); i++) {
        bench *b = bench_new("gtx480", sets[i]);
        uint64_t sum = 0;

        add(b, 30, 7, 30);
        add(b, 20, 3, 50);
        run(b);
        for (unsigned k = 0; k < COUNTOF(causes); k++) {
            char name[64];

            snprintf(name, sizeof name, "dispatch.%s", causes[k]);
            sum += counter(b, name);
        }
        CHECK_EQ(sum, counter(b, "gpu.cycles"));
        CHECK_EQ(sum, b->cycles);
        bench_free(b);
    }
}
