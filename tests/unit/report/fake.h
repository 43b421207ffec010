/* tests/unit/report/fake.h - a run that never happened: one SM with its L1, an
 * L2 slice, a DRAM channel and an end of the crossbar, with counters as a test
 * sets them. Included once by each test program. */
#ifndef REPORT_FAKE_H
#define REPORT_FAKE_H

#include "cache/l1.h"
#include "cache/l2.h"
#include "dram/dram.h"
#include "noc/noc.h"
#include "report/run.h"
#include "sm/sm.h"
#include "test.h"

enum { FAKE_BLOCKS = 6, FAKE_BYTES = 4096 };

typedef struct fake {
    config cfg;
    stats *stats;
    uint64_t *values, *totals;
    isa_kernel kernel;
    report_launch launch;
    report_run run;
    unsigned char memory[FAKE_BLOCKS][FAKE_BYTES];
} fake;

static inline fake *fake_new(void)
{
    static const char *const paths[FAKE_BLOCKS] = {
        "sm[0]", "sm[0].l1", "noc.sm[0]", "noc.l2[0]", "l2[0]", "dram[0]"};
    const stats_block *const blocks[FAKE_BLOCKS] = {
        &sm_stats_block,  &l1_stats_block, &noc_stats_block,
        &noc_stats_block, &l2_stats_block, &dram_stats_block};
    fake *f = calloc(1, sizeof *f);

    CHECK(f);
    config_defaults(&f->cfg);
    f->cfg.gpu.sms = 1;
    f->stats = stats_new();
    CHECK(f->stats);
    for (unsigned i = 0; i < FAKE_BLOCKS; i++) {
        for (size_t k = 0; k < blocks[i]->count; k++)
            CHECK(blocks[i]->desc[k].offset + 8 <= FAKE_BYTES);
        stats_add(f->stats, paths[i], blocks[i]->desc, blocks[i]->count,
                  f->memory[i]);
    }
    f->values = calloc(stats_count(f->stats), sizeof *f->values);
    f->totals = calloc(stats_total_count(f->stats), sizeof *f->totals);
    CHECK(f->values && f->totals);
    f->kernel = (isa_kernel){.name = "k", .registers = 20};
    f->launch = (report_launch){.kernel = &f->kernel,
                                .cfg = &f->cfg,
                                .stats = f->stats,
                                .grid = {4, 1, 1},
                                .block = {64, 1, 1},
                                .cycles = 1000,
                                .ctas = 4,
                                .warp_insts = 500,
                                .thread_insts = 8000,
                                .ctas_per_sm = 8,
                                .limiter = "CTA slots",
                                .totals = f->totals,
                                .counters = f->values};
    f->run = (report_run){.cfg = &f->cfg,
                          .program = "k.ptx",
                          .launches = &f->launch,
                          .launch_count = 1,
                          .threads = 1};
    return f;
}

static inline void fake_free(fake *f)
{
    stats_free(f->stats);
    free(f->values);
    free(f->totals);
    free(f);
}

static inline void fake_set(fake *f, const char *name, uint64_t value)
{
    for (size_t i = 0; i < stats_count(f->stats); i++) {
        stats_item it = stats_get(f->stats, i);
        char full[96];

        snprintf(full, sizeof full, "%s.%s", it.path, it.desc->id);
        if (!strcmp(full, name)) {
            f->values[i] = value;
            stats_totals(f->stats, f->values, f->totals);
            return;
        }
    }
    TEST_FAIL("no counter '%s'", name);
}

/* What `write` prints; the caller frees it. Where gcc 12 sees into it, it takes
 * the text for the variable that the stream stores it in. */
__attribute__((noinline, unused)) static char *
fake_print(const fake *f, void (*write)(const report_run *, FILE *))
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    CHECK(to);
    write(&f->run, to);
    fclose(to);
    return text;
}

#endif
