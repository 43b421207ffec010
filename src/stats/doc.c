/* src/stats/doc.c - counters as Markdown tables. */
#include "stats/doc.h"

static void one_block(strbuf *out, const stats_block *b)
{
    strbuf_printf(out, "\n## `%s`\n\n%s.\n\n", b->path, b->help);
    strbuf_puts(out, "| counter | unit | meaning |\n|---|---|---|\n");
    for (size_t i = 0; i < b->count; i++)
        strbuf_printf(out, "| `%s` | %s | %s |\n", b->desc[i].id,
                      b->desc[i].unit, b->desc[i].help);
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
        "only grow; what a launch prints is the difference from before it.\n");
    for (size_t i = 0; i < count; i++)
        one_block(out, blocks[i]);
}
