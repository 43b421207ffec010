/* tests/timing/test_load.c - pointer chases: the latency of each level must be
 * the sum of what the configuration says of its parts, and, for the V100, near
 * what others measured there. */
#include "base/must.h"
#include "rig.h"

static const char *const quiet[] = {RIG_CORE, "dram.refresh=false",
                                    "tlb.first.entries=0", NULL};

/* Elements of 8 bytes, each the address of the one `stride` further on, round
 * a buffer of `bytes`. */
static uint64_t ring(rig *r, uint64_t bytes, uint64_t stride)
{
    uint64_t addr = rt_alloc(rt_device_memory(r->d), bytes, "ring");
    uint64_t *data = calloc(1, bytes);

    CHECK(addr && data);
    for (uint64_t i = 0; i < bytes; i += 8)
        data[i / 8] = addr + (i + stride) % bytes;
    CHECK(rt_write(rt_device_memory(r->d), addr, data, bytes));
    free(data);
    return addr;
}

#define START "MOV R2, c[0x0][p];\nMOV R3, c[0x0][p+4];\n"
#define CHASE "LDG.E.64 R2, [R2.64];"

/* Cycles for each load, after `warm` loads. The L2 holds what an earlier launch
 * brought there, so there is one before. */
static double chase(rig *r, const char *load, uint64_t addr, unsigned warm,
                    unsigned loads)
{
    char *all = rig_text(START, load, warm + loads);

    rig_run(r, all, 1, 1, addr, 0);
    free(all);
    return (double)rig_slope(r, START, load, warm, loads, 1, 1, addr) / loads;
}

/* Cycles of core clock that `n` cycles of another clock take. */
static double clocks(const rig *r, unsigned khz, double n)
{
    return khz ? n * r->cfg->gpu.clock_khz / khz : n;
}

static double l1_latency(const config *c)
{
    return c->sm.lsu.latency + c->l1.latency + c->sm.lsu.write_back;
}

/* To an L2 slice and back, without what the slice takes. Messages cut through
 * the crossbar, so their length delays only those behind them. */
static double way(const rig *r)
{
    const config *c = r->cfg;

    return c->sm.lsu.latency + c->l1.miss_latency + 2.0 * c->noc.latency +
           c->l1.fill_latency + c->sm.lsu.write_back;
}

/* Handing a message from block to block may cost a cycle each time: L1,
 * crossbar, L2, and back. */
enum { HANDOVERS = 4 };

static void expect(const char *what, double got, double least, double slack,
                   const char *source)
{
    printf("%-14s model %6.1f cycles, configured parts %6.1f%s%s\n", what, got,
           least, source ? ", source " : "", source ? source : "");
    if (got < least || got > least + slack)
        TEST_FAIL("%s: %.1f cycles instead of %.1f to %.1f", what, got, least,
                  least + slack);
}

TEST(an_l1_hit_takes_the_configured_latency)
{
    for (unsigned i = 0; i < RIG_GPUS; i++) {
        rig *r = rig_new(rig_gpus[i], quiet);
        uint64_t a = ring(r, 1024, 128);
        const char *load = r->cfg->l1.globals ? CHASE : NULL;

        if (load) {
            char what[32];

            snprintf(what, sizeof what, "%s L1", rig_gpus[i]);
            expect(what, chase(r, load, a, 32, 64), l1_latency(r->cfg), 0,
                   i ? NULL : "28 [GPUB:latency]");
        }
        rig_free(r);
    }
}

TEST(an_l2_hit_takes_the_sum_of_its_parts)
{
    for (unsigned i = 0; i < RIG_GPUS; i++) {
        rig *r = rig_new(rig_gpus[i], quiet);
        /* no line twice in a launch, all of it in any L2 */
        uint64_t a = ring(r, 400 * 128, 128);
        char what[32];

        snprintf(what, sizeof what, "%s L2", rig_gpus[i]);
        double parts =
            way(r) + clocks(r, r->cfg->l2.clock_khz, r->cfg->l2.latency);
        expect(what, chase(r, CHASE, a, 200, 200), parts, HANDOVERS,
               i ? NULL : "212 [GPUB:latency]");
        rig_free(r);
    }
}

/* A chase round n lines in 320 sets of 3: those above 960 make as many sets too
 * small, of which all 4 lines miss. The device does so from 120 to 160 KB. */
TEST(an_l1_that_is_too_small_by_some_sets_misses_in_these)
{
    static const struct {
        unsigned lines;
        double misses;
        const char *source;
    } row[] = {
        {960, 0, "28.6 at 120.8 KB [GPUB:latency]"},
        {1127, 4.0 * 167, "136.9 [GPUB:latency]"},
        {1266, 4.0 * 306, "206.7 [GPUB:latency]"},
        {1280, 1280, "212 [GPUB:latency]"},
    };
    rig *r = rig_new("v100", quiet);
    double hit = l1_latency(r->cfg);
    double miss = way(r) + clocks(r, r->cfg->l2.clock_khz, r->cfg->l2.latency);

    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        unsigned n = row[i].lines;
        uint64_t a = ring(r, (uint64_t)n * 128, 128);
        char what[32];

        snprintf(what, sizeof what, "L1, %u lines", n);
        expect(what, chase(r, CHASE, a, n, n),
               hit + (miss - hit) * row[i].misses / n, HANDOVERS,
               row[i].source);
    }
    rig_free(r);
}

/* Each load opens a row in a bank that has none open: activate, read, the
 * burst. The launch is the first, so nothing is in the L2. */
TEST(a_miss_adds_dram)
{
    for (unsigned i = 0; i < RIG_GPUS; i++) {
        double least = 0, slack = 0, got[2];
        char what[32];

        for (unsigned k = 0; k < 2; k++) {
            rig *r = rig_new(rig_gpus[i], quiet);
            const config *c = r->cfg;
            unsigned loads = 20 + 60 * k;
            /* one line of each row, in all banks of a channel */
            uint64_t a = ring(r, 32 << 20, 131072 + 4096);
            char *text = rig_text(START, CHASE, loads);

            got[k] = (double)rig_run(r, text, 1, 1, a, 0);
            free(text);
            double dram = c->dram.t_rcd + c->dram.t_cl +
                          (double)c->dram.burst / c->dram.data_rate;
            least = way(r) + clocks(r, c->dram.clock_khz, dram) +
                    c->dram.latency +
                    clocks(r, c->l2.clock_khz,
                           c->l2.miss_latency + c->l2.fill_latency);
            /* clocks meet twice; some banks have another row open */
            slack = HANDOVERS + 2 + clocks(r, c->dram.clock_khz, c->dram.t_rp);
            rig_free(r);
        }
        snprintf(what, sizeof what, "%s DRAM", rig_gpus[i]);
        expect(what, (got[1] - got[0]) / 60, least, slack,
               i ? NULL : "408 to 434 [GPUB:latency] [MT4G:V100]");
    }
}

/* ---- Atomics and constants ---- */

/* An atomic's result is the address of the next: zero is added. */
TEST(an_atomic_adds_its_time_at_the_slice)
{
    for (unsigned i = 0; i < RIG_GPUS; i++) {
        rig *r = rig_new(rig_gpus[i], quiet);
        uint64_t a = ring(r, 400 * 128, 128);
        char what[32];

        snprintf(what, sizeof what, "%s atomic", rig_gpus[i]);
        double parts =
            way(r) + clocks(r, r->cfg->l2.clock_khz,
                            r->cfg->l2.latency + r->cfg->l2.atomic_latency);
        expect(what, chase(r, "ATOMG.E.ADD.64 R2, [R2.64], RZ;", a, 100, 100),
               parts, HANDOVERS, i ? NULL : "244 [ASF:ubench]");
        rig_free(r);
    }
}

/* Indexed constants: each load gives the next offset, always zero. */
TEST(a_constant_load_takes_the_configured_latency)
{
    for (unsigned i = 0; i < RIG_GPUS; i++) {
        rig *r = rig_new(rig_gpus[i], quiet);
        const config *c = r->cfg;
        char what[32];

        snprintf(what, sizeof what, "%s constant", rig_gpus[i]);
        expect(
            what,
            (double)rig_slope(r, "", "LDC R2, c[0x3][R2];", 20, 50, 1, 32, 0) /
                50,
            c->sm.lsu.latency + c->sm.constant.l1.latency +
                c->sm.lsu.write_back,
            0, i ? NULL : "41.9 [MT4G:V100]");
        rig_free(r);
    }
}

/* R2: the address of each lane, `n` different ones in a warp. */
static char *spread(unsigned n)
{
    strbuf b = {0};

    strbuf_printf(&b,
                  "S2R R2, SR_TID.X\nLOP3.LUT R2, R2, 0x%x, RZ, 0xc0\n"
                  "SHL R2, R2, 0x2\nMOV R4, RZ\n",
                  n - 1);
    return b.text;
}

/* Each address keeps the port for sm.constant.pass cycles: one load more takes
 * them once for each of its addresses, and so do those of eight warps one after
 * the other. */
TEST(a_constant_load_keeps_its_port_for_each_address)
{
    for (unsigned pass = 1; pass <= 2; pass++) {
        char set[32];
        const char *sets[] = {RIG_CORE, set, NULL};

        snprintf(set, sizeof set, "sm.constant.pass=%u", pass);
        rig *r = rig_new("v100", sets);
        const config *c = r->cfg;
        double alone = c->sm.lsu.latency + c->sm.constant.l1.latency +
                       c->sm.lsu.write_back;

        for (unsigned n = 1; n <= 32; n *= 2) {
            char *start = spread(n);
            double one =
                (double)rig_slope(r, start,
                                  "LDC R4, c[0x3][R2];\nIADD3 R2, R2, R4, RZ;",
                                  20, 50, 1, 32, 0) /
                50;
            double many = (double)rig_slope(r, start, "LDC R%u, c[0x3][R2];",
                                            32, 64, 1, 8 * 32, 0) /
                          (64 * 8);

            printf("%2u addresses, %u cycles each: %.2f one by one, %.2f in "
                   "a row\n",
                   n, pass, one, many);
            CHECK_EQ((int)(one - alone + 0.5), (int)(4 + (n - 1) * pass));
            CHECK(many > n * pass - 0.1 && many < n * pass + 0.1);
            CHECK_EQ(rig_count(r, "sm[*].const_passes"), n * 96 * 8);
            free(start);
        }
        rig_free(r);
    }
}
