/* src/pages/page_run_power.c - power of runs over time, by parts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "pages/page_run.h"

enum { SAMPLES = 800, SERIES = 8 };

/* Samples of a run, thinned out to as many as can be seen. */
typedef struct power_series {
    double *x, *y[ENERGY_PARTS];
    size_t count, room;
    double sum[ENERGY_PARTS]; /* joules */
} power_series;

static void grow_power_series(power_series *w)
{
    if (w->count < w->room)
        return;
    w->room = w->room ? 2 * w->room : 256;
    w->x = renew(w->x, w->room, sizeof *w->x);
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        w->y[i] = renew(w->y[i], w->room, sizeof *w->y[i]);
    }
}

static unsigned part_of_path(const char *path)
{
    unsigned i = 0;

    while (i < ENERGY_PARTS &&
           strcmp(energy_part_table[i].name, path + strlen("energy.")) != 0)
        i++;
    return i;
}

/* Joules of steps, at the cycles at which those end. */
static void read_power(const page_study *y, int64_t run, int64_t device,
                       power_series *w)
{
    store_query *q = store_select(
        y->s, y->dg,
        "SELECT l.start_cycle + s.cycle, n.path, s.value FROM launch l"
        " JOIN series s USING(launch) JOIN name n ON n.name = s.name"
        " WHERE l.run = ?1 AND l.device = ?2 AND n.path LIKE 'energy.%'"
        " ORDER BY 1, s.name",
        "ii", run, device);

    while (q && store_next(q, y->dg)) {
        double at = store_real(q, 0);
        unsigned part = part_of_path(store_text(q, 1));

        if (part == ENERGY_PARTS)
            continue;
        if (!w->count || w->x[w->count - 1] < at) {
            grow_power_series(w);
            w->x[w->count] = at;
            for (unsigned i = 0; i < ENERGY_PARTS; i++)
                w->y[i][w->count] = 0;
            w->count++;
        }
        w->y[part][w->count - 1] += store_real(q, 2);
        w->sum[part] += store_real(q, 2);
    }
    store_done(q);
}

/* Several steps as one. */
static void thin_out(power_series *w)
{
    size_t each = (w->count + SAMPLES - 1) / SAMPLES, n = 0;

    for (size_t from = 0; from < w->count; from += each, n++) {
        size_t to = from + each < w->count ? from + each : w->count;

        w->x[n] = w->x[to - 1];
        for (unsigned i = 0; i < ENERGY_PARTS; i++) {
            double sum = 0;

            for (size_t k = from; k < to; k++)
                sum += w->y[i][k];
            w->y[i][n] = sum;
        }
    }
    w->count = n;
}

/* Joules of a step as watts over it. */
static void as_watts(power_series *w, double hertz)
{
    double last = 0;

    for (size_t k = 0; k < w->count; k++) {
        double seconds = (w->x[k] - last) / hertz;

        for (unsigned i = 0; i < ENERGY_PARTS; i++)
            w->y[i][k] = seconds > 0 ? w->y[i][k] / seconds : NAN;
        last = w->x[k];
    }
}

/* The parts that took most, then all together. */
static void put_power(page *p, const page_study *y, const char *title,
                      const power_series *w)
{
    const char *names[SERIES];
    const double *of[SERIES];
    bool taken[ENERGY_PARTS] = {false};
    double *all = ARENA_ARRAY(y->mem, double, w->count);
    size_t n = 0;

    for (size_t k = 0; k < w->count; k++)
        for (unsigned i = 0; i < ENERGY_PARTS; i++)
            all[k] += w->y[i][k];
    names[n] = "all";
    of[n++] = all;
    while (n < SERIES) {
        unsigned best = ENERGY_PARTS;

        for (unsigned i = 0; i < ENERGY_PARTS; i++)
            if (!taken[i] && w->sum[i] > 0 &&
                (best == ENERGY_PARTS || w->sum[i] > w->sum[best]))
                best = i;
        if (best == ENERGY_PARTS)
            break;
        taken[best] = true;
        names[n] = energy_part_table[best].name;
        of[n++] = w->y[best];
    }
    chart_series(p, &(plot){.is = {title,
                                   "watts over the cycles of the GPU; the "
                                   "parts that took most",
                                   "power", NULL},
                            .unit = "W",
                            .x = w->x,
                            .points = w->count,
                            .names = names,
                            .y = of,
                            .count = n});
}

/* Of some of the parts together. */
static const double *watts_of(const page_study *y, const power_series *w,
                              const bool counts[ENERGY_PARTS])
{
    double *sum = ARENA_ARRAY(y->mem, double, w->count);

    for (size_t k = 0; k < w->count; k++)
        for (unsigned i = 0; i < ENERGY_PARTS; i++)
            sum[k] += counts[i] ? w->y[i][k] : 0;
    return sum;
}

/* Power of front ends, which shows when clusters form and dissolve; nothing
 * where front ends are not shared. */
static void put_fronts(page *p, const page_study *y, const char *title,
                       const power_series *w)
{
    enum { ALL, WORK, LEAKAGE, SHARING, LINES };
    static const char *const names[LINES] = {"all", "work", "leakage",
                                             "links, stacks, switches"};
    bool counts[LINES][ENERGY_PARTS] = {{false}};
    const double *of[LINES];

    if (!(w->sum[ENERGY_LINK] > 0 || w->sum[ENERGY_WAKE] > 0))
        return;
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        energy_kind kind = energy_part_table[i].kind;
        bool shares =
            i == ENERGY_LINK || i == ENERGY_STACKS || i == ENERGY_WAKE;

        counts[SHARING][i] = shares;
        counts[WORK][i] = kind == ENERGY_FRONT && !shares;
        counts[LEAKAGE][i] = kind == ENERGY_STATIC_FRONT;
        counts[ALL][i] = kind == ENERGY_FRONT || kind == ENERGY_STATIC_FRONT;
    }
    for (unsigned i = 0; i < LINES; i++)
        of[i] = watts_of(y, w, counts[i]);
    chart_series(p, &(plot){.is = {title,
                                   "watts over the cycles of the GPU: less "
                                   "leakage where front ends are without power",
                                   "front-ends", NULL},
                            .unit = "W",
                            .x = w->x,
                            .points = w->count,
                            .names = names,
                            .y = of,
                            .count = LINES});
}

static void put_run_power(page *p, const page_study *y, int64_t run,
                          int64_t device, double hertz, const char *on)
{
    power_series w = {0};

    read_power(y, run, device, &w);
    thin_out(&w);
    as_watts(&w, hertz);
    if (w.count > 1) {
        put_power(p, y, arena_printf(y->mem, "Power of %s", on), &w);
        put_fronts(p, y, arena_printf(y->mem, "Front ends of %s", on), &w);
    }
    free(w.x);
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        free(w.y[i]);
}

void page_run_series(page *p, const page_study *y)
{
    store_query *q = store_select(
        y->s, y->dg,
        "SELECT l.run, l.device, sum(l.cycles) / sum(l.time_s), r.workload,"
        " d.gpu FROM point p JOIN run r USING(run) JOIN launch l USING(run)"
        " LEFT JOIN device d ON d.run = l.run AND d.device = l.device"
        " WHERE p.study = ?1 AND l.time_s > 0 AND EXISTS (SELECT 1 FROM series"
        " s JOIN name n ON n.name = s.name WHERE s.launch = l.launch"
        " AND n.kind = 'energy') GROUP BY l.run, l.device"
        " ORDER BY p.number LIMIT 12",
        "i", y->study);
    size_t n = 0;

    while (q && store_next(q, y->dg)) {
        if (!n++)
            page_section(p, "Power over time");
        put_run_power(p, y, store_int(q, 0), store_int(q, 1), store_real(q, 2),
                      arena_printf(y->mem, "%s on %s", store_text(q, 3),
                                   store_null(q, 4) ? "?" : store_text(q, 4)));
    }
    store_done(q);
}
