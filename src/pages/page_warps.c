/* src/pages/page_warps.c - see page_warps.h. */
#include "pages/page_warps.h"

#include <math.h>
#include <stdio.h>

enum { MAPS = 12, SMS = 4096 };

/* Steps of all launches, each as often as there are SMs with warps in it; of
 * SM 0 always. */
static store_query *query_warp_steps(const page_study *y, const warps_of *of)
{
    return store_select(
        y->s, y->dg,
        "SELECT l.launch, l.start_cycle, s.cycle, s.value, n.path,"
        " 1e6 * l.time_s / l.cycles FROM launch l"
        " JOIN series s USING(launch)"
        " JOIN name n ON n.name = s.name"
        " WHERE l.run = ?1 AND l.device = ?2 AND l.cycles > 0"
        " AND n.kind = 'occupancy' ORDER BY l.launch, s.cycle",
        "ii", of->run, of->device);
}

typedef struct step {
    int64_t launch;
    double begin, end; /* of the launch, in cycles */
    double from, to;   /* of the run, in its unit */
    double warps;      /* mean */
    size_t sm;
} step;

static bool next_step(store_query *q, const page_study *y, const warps_of *of,
                      step *s)
{
    unsigned sm = 0;
    double unit, start;

    if (!q || !store_next(q, y->dg))
        return false;
    if (store_int(q, 0) != s->launch)
        s->begin = s->end = 0;
    if (store_real(q, 2) > s->end) {
        s->begin = s->end;
        s->end = store_real(q, 2);
    }
    s->launch = store_int(q, 0);
    unit = of->in_us ? store_real(q, 5) : 1;
    start = store_real(q, 1);
    s->from = (start + s->begin) * unit;
    s->to = (start + s->end) * unit;
    s->warps = s->end > s->begin ? store_real(q, 3) / (s->end - s->begin) : 0;
    s->sm = sscanf(store_text(q, 4), "sm[%u]", &sm) == 1 ? sm : SMS;
    return true;
}

double page_warps_end(const page_study *y, const warps_of *of)
{
    store_query *q = query_warp_steps(y, of);
    step s = {.launch = -1};
    double end = 0;

    while (next_step(q, y, of, &s))
        end = fmax(end, s.to);
    store_done(q);
    return end;
}

/* Adds what a step has to the columns that it lies in. */
static void spread_step(double *row, size_t columns, double width,
                        const step *s)
{
    size_t c = (size_t)(s->from / width);

    for (; c < columns && (double)c * width < s->to; c++) {
        double low = fmax(s->from, (double)c * width);
        double high = fmin(s->to, (double)(c + 1) * width);

        if (high > low)
            row[c] += s->warps * (high - low) / width;
    }
}

const double *page_warps_read(const page_study *y, const warps_of *of,
                              size_t sms, size_t columns, double end)
{
    double *values = ARENA_ARRAY(y->mem, double, sms *columns + 1);
    store_query *q = query_warp_steps(y, of);
    step s = {.launch = -1};

    while (next_step(q, y, of, &s))
        if (s.sm < sms)
            spread_step(values + s.sm * columns, columns, end / (double)columns,
                        &s);
    store_done(q);
    return values;
}

static int64_t parameter(const page_study *y, const warps_of *of,
                         const char *path)
{
    store_query *q =
        store_select(y->s, y->dg,
                     "SELECT CAST(value AS INTEGER) FROM run_config"
                     " WHERE run = ?1 AND device = ?2 AND path = ?3",
                     "iit", of->run, of->device, path);
    int64_t v = q && store_next(q, y->dg) ? store_int(q, 0) : 1;

    store_done(q);
    return v > 0 && v <= SMS ? v : 1;
}

size_t page_warps_sms(const page_study *y, const warps_of *of)
{
    return (size_t)parameter(y, of, "gpu.sms");
}

double page_warps_most(const page_study *y, const warps_of *of)
{
    return (double)parameter(y, of, "sm.warps");
}

static void put_run(page *p, const page_study *y, const warps_of *of,
                    const char *title)
{
    size_t sms = page_warps_sms(y, of);
    double end = page_warps_end(y, of);
    field_panel one = {.name = "", .end = end};

    one.values = page_warps_read(y, of, sms, WARPS_COLUMNS, end);
    chart_field(p, &(field){.is = {title,
                                   "warps that each SM held, in the cycles of "
                                   "the GPU",
                                   "warps", NULL},
                            .rows_are = "SM",
                            .rows = sms,
                            .columns = WARPS_COLUMNS,
                            .panels = &one,
                            .count = 1,
                            .most = page_warps_most(y, of),
                            .unit = "warps",
                            .end = end,
                            .x_unit = "cycles"});
}

void page_run_warps(page *p, const page_study *y)
{
    store_query *q = store_select(
        y->s, y->dg,
        "SELECT l.run, l.device, r.workload, d.gpu FROM point p"
        " JOIN run r USING(run) JOIN launch l USING(run)"
        " LEFT JOIN device d ON d.run = l.run AND d.device = l.device"
        " WHERE p.study = ?1 AND EXISTS (SELECT 1 FROM series s"
        " JOIN name n ON n.name = s.name WHERE s.launch = l.launch"
        " AND n.kind = 'occupancy') GROUP BY l.run, l.device"
        " ORDER BY p.number",
        "i", y->study);
    size_t n = 0;

    while (q && store_next(q, y->dg)) {
        warps_of of = {store_int(q, 0), store_int(q, 1), false};

        if (!n)
            page_section(p, "Warps on the SMs over time");
        if (n++ < MAPS)
            put_run(p, y, &of,
                    arena_printf(y->mem, "%s on %s", store_text(q, 2),
                                 store_null(q, 3) ? "?" : store_text(q, 3)));
    }
    store_done(q);
    if (n > MAPS)
        page_note(p, "The first %d of %zu runs.", MAPS, n);
}
