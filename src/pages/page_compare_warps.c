/* src/pages/page_compare_warps.c - which SM held how many warps when, on the
 * sides of a comparison, in one scale of time: the workloads that differ most.
 */
#include <math.h>

#include "pages/page_compare.h"
#include "pages/page_warps.h"

enum { MAPS = 8 };

/* The run of a point; false: there is none. */
static bool run_of(const page_study *y, int64_t number, warps_of *of)
{
    store_query *q = store_select(y->s, y->dg,
                                  "SELECT run FROM point WHERE study = ?1"
                                  " AND number = ?2",
                                  "ii", y->study, number);
    bool is = q && store_next(q, y->dg);

    *of = (warps_of){.run = is ? store_int(q, 0) : -1, .in_us = true};
    store_done(q);
    return is;
}

typedef struct sampled { /* a workload */
    size_t number;
    size_t sms;
    double end;   /* of the side that takes longest */
    double moved; /* largest |ln| of a speed-up */
} sampled;

static sampled sample_workload(const compare *c, const page_study *y,
                               page_points at, size_t w)
{
    sampled s = {.number = w};

    for (size_t i = 0; i < c->side_count; i++) {
        double x = i ? c->workloads[w].pairs[i].speedup : 1;
        warps_of of;

        if (run_of(y, at.first + (int64_t)(w * c->side_count + i), &of)) {
            size_t sms = page_warps_sms(y, &of);

            s.end = fmax(s.end, page_warps_end(y, &of));
            s.sms = sms > s.sms ? sms : s.sms;
        }
        if (isfinite(x) && x > 0)
            s.moved = fmax(s.moved, fabs(log(x)));
    }
    return s;
}

/* Puts `one` among the first MAPS by how much they moved. */
static void keep_most_moved(sampled *best, size_t *n, sampled one)
{
    size_t i = *n < MAPS ? *n : MAPS;

    ++*n;
    for (; i > 0 && best[i - 1].moved < one.moved; i--)
        if (i < MAPS)
            best[i] = best[i - 1];
    if (i < MAPS)
        best[i] = one;
}

static void put_map(page *p, const compare *c, const page_study *y,
                    page_points at, const sampled *s)
{
    field_panel *panels = ARENA_ARRAY(y->mem, field_panel, c->side_count);
    double most = 1;

    for (size_t i = 0; i < c->side_count; i++) {
        int64_t number = at.first + (int64_t)(s->number * c->side_count + i);
        warps_of of;

        run_of(y, number, &of);
        most = fmax(most, page_warps_most(y, &of));
        panels[i] = (field_panel){
            c->sides[i].label,
            page_warps_read(y, &of, s->sms, WARPS_COLUMNS, s->end),
            page_warps_end(y, &of)};
    }
    chart_field(
        p, &(field){.is = {arena_printf(y->mem, "Warps of %s",
                                        c->workloads[s->number].is.label),
                           "warps that each SM held, from the first SM above "
                           "to the last below, over simulated time",
                           "warps", NULL},
                    .rows_are = "SM",
                    .rows = s->sms,
                    .columns = WARPS_COLUMNS,
                    .panels = panels,
                    .count = c->side_count,
                    .most = most,
                    .unit = "warps",
                    .end = s->end,
                    .x_unit = "\u00b5s"});
}

void page_compare_warps(page *p, const compare *c, const page_study *y,
                        page_points at)
{
    sampled best[MAPS];
    size_t n = 0;

    for (size_t w = 0; w < c->count; w++) {
        sampled s = sample_workload(c, y, at, w);

        if (s.end > 0)
            keep_most_moved(best, &n, s);
    }
    if (n)
        page_section(p, "Warps on the SMs over time");
    for (size_t i = 0; i < n && i < MAPS; i++)
        put_map(p, c, y, at, &best[i]);
    if (n > MAPS)
        page_note(p, "The %d of %zu workloads whose times differ most.", MAPS,
                  n);
}
