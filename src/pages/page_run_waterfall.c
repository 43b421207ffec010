/* src/pages/page_run_waterfall.c - windows of warps and cycles that runs kept.
 */
#include <string.h>

#include "pages/page_run.h"
#include "sm/stats.h"

enum { REASONS = WHY_COUNT + 1 };

static void put_run_waterfall(page *p, const page_study *y,
                              const char *workload_name, const char *data)
{
    const char *names[REASONS], *meanings[REASONS];
    unsigned colours[REASONS];

    for (unsigned i = 0; i < WHY_STALLS; i++) {
        names[i] = sm_why_names[i];
        meanings[i] = words_stall(sm_why_names[i]);
        colours[i] = words_stall_colour(sm_why_names[i]);
    }
    names[WHY_READY] = sm_why_names[WHY_READY];
    meanings[WHY_READY] = "ready to issue";
    names[WHY_COUNT] = "not_chosen";
    meanings[WHY_COUNT] = "ready, but another warp was chosen";
    colours[WHY_READY] = colours[WHY_COUNT] = CHART_FAINT;
    chart_waterfall(
        p,
        &(waterfall){.is = {arena_printf(y->mem, "Warps of %s", workload_name),
                            "a row for each slot of a warp, its colour what "
                            "the warp waits for; marks are instructions that "
                            "issue, lines below memory requests, thin lines "
                            "beginnings of CTAs",
                            "waterfall", NULL},
                     .data = data,
                     .names = names,
                     .meanings = meanings,
                     .colours = colours,
                     .count = REASONS});
}

void page_run_waterfalls(page *p, const page_study *y)
{
    store_query *q = store_select(
        y->s, y->dg,
        "SELECT r.workload, a.content FROM point p JOIN run r USING(run)"
        " JOIN artifact a USING(run) WHERE p.study = ?1 AND a.kind ="
        " 'waterfall' ORDER BY p.number LIMIT 4",
        "i", y->study);
    size_t n = 0, size;

    while (q && store_next(q, y->dg)) {
        const char *data = store_blob(q, 1, &size);

        if (!data || !size)
            continue;
        if (!n++)
            page_section(p, "Warps, cycle by cycle");
        put_run_waterfall(p, y, arena_strdup(y->mem, store_text(q, 0)),
                          arena_strndup(y->mem, data, size));
    }
    store_done(q);
}
