#include "report/counters.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "base/suggest.h"
#include "cache/l1.h"
#include "cache/l2.h"
#include "cache/mmu.h"
#include "dram/dram.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/gpu.h"
#include "noc/noc.h"
#include "sm/cga.h"
#include "sm/memory/tma.h"
#include "sm/sm.h"
#include "stats/stats_doc.h"

/* The crossbar has the same counters at its ends of both kinds. */
void report_counter_blocks(stats_block out[REPORT_BLOCKS])
{
    const stats_block *const each[REPORT_BLOCKS] = {
        &gpu_stats_block,      &sm_stats_block,           &l1_stats_block,
        &noc_stats_block,      &noc_stats_block,          &l2_stats_block,
        &dram_stats_block,     &l1_read_only_stats_block, &l1_queue_stats_block,
        &dispatch_stats_block, &mmu_stats_block,          &noc_stats_block,
        &noc_stats_block,      &sm_cga_stats_block,       &noc_stats_block,
        &noc_stats_block,      &sm_tma_stats_block};

    for (unsigned i = 0; i < REPORT_BLOCKS; i++)
        out[i] = *each[i];
    out[3].path = "noc.sm[*]";
    out[3].help = "the end of the crossbar at an SM";
    out[4].path = "noc.l2[*]";
    out[4].help = "the end of the crossbar at an L2 slice";
    out[11].path = "noc.ask[*]";
    out[11].help = "the end at an L2 slice of the link between partitions that "
                   "requests go by";
    out[12].path = "noc.answer[*]";
    out[12].help = "the same for answers";
    out[14].path = "cga.request[*]";
    out[14].help = "an SM's end of the network of requests between CTAs of a "
                   "thread-block cluster";
    out[15].path = "cga.reply[*]";
    out[15].help = "the same for replies";
}

bool report_counter_known(const char *name, char **near)
{
    stats_block block[REPORT_BLOCKS];
    strbuf all = {0};
    const char **names;
    size_t n = 0, count = 0;
    bool found = false;

    report_counter_blocks(block);
    for (unsigned b = 0; b < REPORT_BLOCKS; b++)
        for (size_t i = 0; i < block[b].count; i++)
            if (!block[b].desc[i].hist) {
                strbuf_printf(&all, "%s.%s", block[b].path,
                              block[b].desc[i].id);
                strbuf_putc(&all, 0);
                count++;
            }
    names = new0(count + 1, sizeof *names);
    for (const char *at = all.text; n < count; at += strlen(at) + 1) {
        names[n++] = at;
        found |= !strcmp(at, name);
    }
    if (near && !found) {
        const char *is = suggest_nearest(name, names, count);

        *near = is ? new_text(is) : NULL;
        MUST(!is || *near);
    }
    free(names);
    strbuf_fini(&all);
    return found;
}

bool report_histogram_known(const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t n = dot ? (size_t)(dot - name) : 0;
    stats_block block[REPORT_BLOCKS];

    report_counter_blocks(block);
    for (unsigned b = 0; b < REPORT_BLOCKS && dot; b++)
        for (size_t i = 0; i < block[b].count; i++)
            if (strlen(block[b].path) == n && !memcmp(block[b].path, name, n) &&
                block[b].desc[i].hist &&
                !strcmp(block[b].desc[i].hist, dot + 1))
                return true;
    return false;
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
