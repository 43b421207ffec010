/* src/stats/stats_doc.c - counters as Markdown tables. */
#include "stats/stats_doc.h"

#include <inttypes.h>
#include <string.h>

static bool first_bin(const stats_block *b, size_t i)
{
    return !i || !b->desc[i - 1].hist ||
           strcmp(b->desc[i - 1].hist, b->desc[i].hist) != 0;
}

static void one_histogram(strbuf *out, const stats_block *b, size_t i)
{
    const stat_desc *d = &b->desc[i];

    strbuf_printf(out, "| `%s` | %s | %s: histogram of %s from %" PRIu64,
                  d->hist, d->unit, d->help, d->of, d->from);
    for (i++; i < b->count && b->desc[i].hist && !first_bin(b, i); i++)
        strbuf_printf(out, ", %" PRIu64, b->desc[i].from);
    strbuf_puts(out, " |\n");
}

static void one_block(strbuf *out, const stats_block *b)
{
    strbuf_printf(out, "\n## `%s`\n\n%s.\n\n", b->path, b->help);
    strbuf_puts(out, "| counter | unit | meaning |\n|---|---|---|\n");
    for (size_t i = 0; i < b->count; i++)
        if (!b->desc[i].hist)
            strbuf_printf(out, "| `%s` | %s | %s |\n", b->desc[i].id,
                          b->desc[i].unit, b->desc[i].help);
        else if (first_bin(b, i))
            one_histogram(out, b, i);
}

void stats_doc(strbuf *out, const stats_block *const *blocks, size_t count)
{
    strbuf_puts(
        out,
        "# Counters\n\n"
        "Generated from the descriptors in the sources; do not edit.\n\n"
        "A counter's name is its block's path, a dot, and the name in the "
        "table; `*` in\n"
        "a path stands for an index. All are 64-bit counts of events or "
        "cycles that\n"
        "only grow; what a launch prints is the difference from before it.\n"
        "The bins of a histogram are counters, too, called by the least value "
        "that they\ncount: `load_latency_384`.\n");
    for (size_t i = 0; i < count; i++)
        one_block(out, blocks[i]);
}
