#include "report/counters.h"

#include <inttypes.h>

#include "base/must.h"
#include "cache/l1.h"
#include "cache/l2.h"
#include "dram/dram.h"
#include "gpu/gpu.h"
#include "noc/noc.h"
#include "sm/sm.h"
#include "stats/doc.h"

/* The crossbar has the same counters at its ends of both kinds. */
void report_counter_blocks(stats_block out[REPORT_BLOCKS])
{
    const stats_block *const each[REPORT_BLOCKS] = {
        &gpu_stats_block,  &sm_stats_block,          &l1_stats_block,
        &noc_stats_block,  &noc_stats_block,         &l2_stats_block,
        &dram_stats_block, &l1_read_only_stats_block};

    for (unsigned i = 0; i < REPORT_BLOCKS; i++)
        out[i] = *each[i];
    out[3].path = "noc.sm[*]";
    out[3].help = "the end of the crossbar at an SM";
    out[4].path = "noc.l2[*]";
    out[4].help = "the end of the crossbar at an L2 slice";
}

void report_counter_list(FILE *to)
{
    stats_block block[REPORT_BLOCKS];

    report_counter_blocks(block);
    for (unsigned b = 0; b < REPORT_BLOCKS; b++)
        for (size_t i = 0; i < block[b].count; i++) {
            const stat_desc *d = &block[b].desc[i];
            int n = fprintf(to, "%s.%s", block[b].path, d->id);

            fprintf(to, "%*s %-11s %s", n < 38 ? 38 - n : 1, "", d->unit,
                    d->help);
            if (d->hist)
                fprintf(to, ": from %" PRIu64, d->from);
            fputc('\n', to);
        }
}

void report_counter_doc(strbuf *out)
{
    stats_block block[REPORT_BLOCKS];
    const stats_block *list[REPORT_BLOCKS];

    report_counter_blocks(block);
    for (unsigned b = 0; b < REPORT_BLOCKS; b++)
        list[b] = &block[b];
    stats_doc(out, list, REPORT_BLOCKS);
}
