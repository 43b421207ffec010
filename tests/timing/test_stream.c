/* tests/timing/test_stream.c - bandwidths: enough warps that read or write in
 * order must come near what the configuration allows at each level. */
#include "base/must.h"
#include "rig.h"

/* A quarter of a chip keeps the run short; every ratio that matters to
 * bandwidth stays as it is. */
static rig *quarter(const char *name, const char *more)
{
    config cfg = {0};
    rig *whole = rig_new(name, NULL);
    char sms[32], slices[32], channels[32];
    unsigned part = 4;

    cfg = *whole->cfg;
    rig_free(whole);
    while (cfg.dram.channels % part || cfg.l2.slices % part)
        part--;
    snprintf(sms, sizeof sms, "gpu.sms=%u", (cfg.gpu.sms + part - 1) / part);
    snprintf(slices, sizeof slices, "l2.slices=%u", cfg.l2.slices / part);
    snprintf(channels, sizeof channels, "dram.channels=%u",
             cfg.dram.channels / part);
    const char *const sets[] = {sms, slices, channels, more, NULL};
    return rig_new(name, sets);
}

static void reach(const char *name, const char *what, double bytes,
                  double cycles, double peak, double share)
{
    printf("%-7s %-12s %7.1f of %7.1f bytes a cycle: %.1f %%\n", name, what,
           bytes / cycles, peak, 100 * bytes / cycles / peak);
    /* The two runs of a slope begin and end a little differently. */
    if (bytes / cycles > 1.02 * peak || bytes / cycles < share * peak)
        TEST_FAIL("%s %s: %.1f bytes a cycle, peak %.1f", name, what,
                  bytes / cycles, peak);
}

static double in_core_clock(const rig *r, unsigned khz)
{
    return khz ? (double)khz / r->cfg->gpu.clock_khz : 1;
}

/* R2: the address of word (CTA, thread) of the buffer. */
#define OWN_WORD                                                               \
    "S2R R0, SR_TID.X;\nS2R R1, SR_CTAID.X;\n"                                 \
    "IMAD R0, R1, c[0x0][0x0], R0;\n"                                          \
    "MOV R2, c[0x0][p];\nMOV R3, c[0x0][p+4];\nIMAD.WIDE R2, R0, 4, R2;\n"

/* ---- L1 ---- */

/* Each warp reads a line of its own again and again; all start when all lines
 * are there, and each gets its turn, so that none is left at the end. */
TEST(l1_hits_reach_the_bandwidth_of_the_data_array)
{
    static const char *const names[] = {"v100", "gtx480"}; /* cache globals */
    static const char *const sets[] = {RIG_CORE, "sm.issue.scheduler=lrr",
                                       NULL};
    enum { WARPS = 20, MORE = 64 };

    for (unsigned i = 0; i < 2; i++) {
        rig *r = rig_new(names[i], sets);
        uint64_t a = rt_alloc(rt_device_memory(r->d), 128 * WARPS, "a");
        const char *head = OWN_WORD "LDG.E R16, [R2.64];\n"
                                    "IADD3 R16, R16, RZ, RZ;\nBAR.SYNC 0;\n";

        rig_run(r, head, 1, 32 * WARPS, a, 0); /* brings all into the L2 */
        double cycles = (double)rig_slope(r, head, "LDG.E R%u, [R2.64];", 32,
                                          MORE, 1, 32 * WARPS, a);
        unsigned peak = r->cfg->l1.data_bytes;
        reach(names[i], "L1 read", 128.0 * WARPS * MORE, cycles,
              peak < 128 ? peak : 128, 0.98);
        rig_free(r);
    }
}

/* ---- Beyond ---- */

/* `n` accesses of each thread: CTA after CTA, each with its own piece of
 * `period` times its threads' words, round which it goes. */
static char *walk(const char *line, unsigned n, unsigned period,
                  unsigned threads)
{
    strbuf b = {0};

    strbuf_printf(&b,
                  "S2R R0, SR_TID.X;\nS2R R1, SR_CTAID.X;\n"
                  "IMAD R0, R1, %u, R0;\n"
                  "MOV R2, c[0x0][p];\nMOV R3, c[0x0][p+4];\n"
                  "IMAD.WIDE R2, R0, 4, R2;\n",
                  period * threads);
    for (unsigned i = 0; i < n; i++) {
        strbuf_printf(&b, line, 16 + i % 16 * 2, i % period * threads * 4);
        strbuf_putc(&b, '\n');
    }
    return b.text;
}

/* Bytes a cycle that the L2's slices and the links of the crossbar pass, for
 * messages of a whole line. */
static double l2_peak(const rig *r, bool read)
{
    const config *c = r->cfg;
    unsigned sm_link = read ? c->noc.reply_bytes : c->noc.request_bytes;
    unsigned slice_link =
        read ? c->noc.partition_out_bytes : c->noc.partition_in_bytes;
    unsigned bytes = c->noc.header_bytes + 128;
    double noc = in_core_clock(r, c->noc.clock_khz);
    double data =
        in_core_clock(r, c->l2.clock_khz) * c->l2.slices * c->l2.data_bytes;
    double up = noc * c->gpu.sms * 128 / ((bytes + sm_link - 1) / sm_link);
    double down =
        noc * c->l2.slices * 128 / ((bytes + slice_link - 1) / slice_link);

    data = data < up ? data : up;
    return data < down ? data : down;
}

static void l2_stream(const char *name, bool read)
{
    enum { PERIOD = 4, FEW = 8, MANY = 40 };
    rig *r = quarter(name, "l1.globals=false");
    unsigned ctas = 2 * r->cfg->gpu.sms, threads = 512;
    uint64_t bytes = (uint64_t)PERIOD * ctas * threads * 4;
    uint64_t a = rt_alloc(rt_device_memory(r->d), bytes, "a");
    const char *line =
        read ? "LDG.E R%u, [R2.64+%u];" : "/* %u */ STG.E [R2.64+%u], R2;";
    double cycles[2];

    CHECK(bytes <= config_l2_bytes(r->cfg));
    for (unsigned k = 0; k < 3; k++) { /* the first fills the L2 */
        char *text = walk(line, k & 1 ? FEW : MANY, PERIOD, threads);
        cycles[k & 1] = (double)rig_run(r, text, ctas, threads, a, 0);
        free(text);
    }
    reach(name, read ? "L2 read" : "L2 write",
          (double)(MANY - FEW) * ctas * threads * 4, cycles[0] - cycles[1],
          l2_peak(r, read), 0.9);
    rig_free(r);
}

TEST(l2_reads_reach_its_bandwidth)
{
    for (unsigned i = 0; i < RIG_GPUS; i++)
        l2_stream(rig_gpus[i], true);
}

TEST(l2_writes_reach_its_bandwidth)
{
    for (unsigned i = 0; i < RIG_GPUS; i++)
        l2_stream(rig_gpus[i], false);
}

static double dram_peak(const rig *r)
{
    const config *c = r->cfg;

    return in_core_clock(r, c->dram.clock_khz) * c->dram.channels *
           c->dram.bus_bytes * c->dram.data_rate;
}

/* Streams over `times` what the L2 holds, on a new machine. *cycles is how
 * long it took; returns the bytes that DRAM moved. */
static double dram_run(const char *name, bool read, unsigned times,
                       double *cycles, double *peak)
{
    enum { EACH = 8, THREADS = 256 };
    rig *r = quarter(name, NULL);
    uint64_t bytes = times * config_l2_bytes(r->cfg);
    unsigned ctas = (unsigned)(bytes / (THREADS * 4 * EACH));
    uint64_t a = rt_alloc(rt_device_memory(r->d), bytes, "a");
    char *text =
        walk(read ? "LDG.E R%u, [R2.64+%u];" : "/* %u */ STG.E [R2.64+%u], R2;",
             EACH, EACH, THREADS);

    *cycles = (double)rig_run(r, text, ctas, THREADS, a, 0);
    free(text);
    double moved = (double)rig_count(r, read ? "dram[*].read_bytes"
                                             : "dram[*].write_bytes");
    if (read)
        CHECK(moved >= (double)bytes && moved < 1.01 * (double)bytes);
    *peak = dram_peak(r);
    if (*peak > l2_peak(r, read)) /* no more gets through */
        *peak = l2_peak(r, read);
    rig_free(r);
    return moved;
}

/* The slope leaves out start and end, and the lines that stay in the L2. */
static void dram_stream(const char *name, bool read)
{
    double few, many, peak;
    double bytes = -dram_run(name, read, 4, &few, &peak);

    bytes += dram_run(name, read, 8, &many, &peak);
    reach(name, read ? "DRAM read" : "DRAM write", bytes, many - few, peak,
          0.9);
}

TEST(dram_reads_reach_its_bandwidth)
{
    for (unsigned i = 0; i < RIG_GPUS; i++)
        dram_stream(rig_gpus[i], true);
}

TEST(dram_writes_reach_its_bandwidth)
{
    for (unsigned i = 0; i < RIG_GPUS; i++)
        dram_stream(rig_gpus[i], false);
}
