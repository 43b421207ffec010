/* src/pages/page_compare_power.c - power over time of the sides of a
 * comparison, laid over each other. */
#include <math.h>
#include <string.h>

#include "pages/page_compare.h"

enum { BINS = 300, CHARTS = 12 };

/* Of a workload: the time from its first launch on is cut into bins as long as
 * each other, the same for all sides. */
typedef struct power_bins {
    size_t count;
    double width; /* seconds */
    double *joules;
} power_bins;

/* Energy that was spent evenly from one time to another. */
static void spend_joules(power_bins *b, double from, double to, double joules)
{
    size_t i = from > 0 ? (size_t)(from / b->width) : 0;

    for (; i < b->count && (double)i * b->width < to; i++) {
        double low = fmax(from, (double)i * b->width);
        double high = fmin(to, (double)(i + 1) * b->width);

        if (high > low)
            b->joules[i] += joules * (high - low) / (to - from);
    }
}

/* " energy.fetch energy.ibuffer " and so on, of front ends or of all. */
static const char *parts_of(const page_study *y, bool front)
{
    const char *all = " ";

    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        energy_kind kind = energy_part_table[i].kind;

        if (!front || kind == ENERGY_FRONT || kind == ENERGY_STATIC_FRONT)
            all = arena_printf(y->mem, "%senergy.%s ", all,
                               energy_part_table[i].name);
    }
    return all;
}

/* Steps of all launches of a point with their ends, in seconds since the GPU
 * began; of those parts of the energy. */
static store_query *query_steps(const page_study *y, int64_t number,
                                const char *parts)
{
    return store_select(
        y->s, y->dg,
        "SELECT l.launch, l.start_cycle * l.time_s / l.cycles,"
        " s.cycle * l.time_s / l.cycles, sum(s.value)"
        " FROM point p JOIN launch l USING(run) JOIN series s USING(launch)"
        " JOIN name n ON n.name = s.name"
        " WHERE p.study = ?1 AND p.number = ?2 AND l.time_s > 0"
        " AND l.cycles > 0 AND n.kind = 'energy'"
        " AND instr(?3, ' ' || n.path || ' ')"
        " GROUP BY l.launch, s.cycle ORDER BY l.launch, s.cycle",
        "iit", y->study, number, parts);
}

/* When the last step of a point ends; steps are counted. */
static double end_of_power(const page_study *y, int64_t number, size_t *steps)
{
    store_query *q = query_steps(y, number, parts_of(y, false));
    double end = 0;

    while (q && store_next(q, y->dg)) {
        end = fmax(end, store_real(q, 1) + store_real(q, 2));
        ++*steps;
    }
    store_done(q);
    return end;
}

/* Watts in each bin until the last step ends. */
static const double *watts_of(const page_study *y, int64_t number,
                              const power_bins *form, bool front)
{
    power_bins b = *form;
    store_query *q = query_steps(y, number, parts_of(y, front));
    int64_t launch = -1;
    double last = 0, end = 0;

    b.joules = ARENA_ARRAY(y->mem, double, b.count);
    while (q && store_next(q, y->dg)) {
        double start = store_real(q, 1), to = store_real(q, 2);

        if (store_int(q, 0) != launch)
            last = 0;
        launch = store_int(q, 0);
        if (to > last)
            spend_joules(&b, start + last, start + to, store_real(q, 3));
        last = to;
        end = fmax(end, start + to);
    }
    store_done(q);
    for (size_t i = 0; i < b.count; i++) {
        double length = fmin(b.width, end - (double)i * b.width);

        b.joules[i] = length > 1e-6 * b.width ? b.joules[i] / length : NAN;
    }
    return b.joules;
}

/* Their middles, in microseconds. */
static const double *times_of(const page_study *y, const power_bins *b)
{
    double *x = ARENA_ARRAY(y->mem, double, b->count);

    for (size_t i = 0; i < b->count; i++)
        x[i] = 1e6 * ((double)i + 0.5) * b->width;
    return x;
}

/* False: no side has enough of it. */
static bool find_bins(const page_study *y, size_t sides, int64_t base,
                      power_bins *b)
{
    size_t most = 0;
    double end = 0;

    for (size_t s = 0; s < sides; s++) {
        size_t steps = 0;

        end = fmax(end, end_of_power(y, base + (int64_t)s, &steps));
        most = steps > most ? steps : most;
    }
    b->count = most < BINS ? most : BINS;
    b->width = b->count ? end / (double)b->count : 0;
    return b->count > 1 && end > 0;
}

static void put_power(page *p, const compare *c, const page_study *y,
                      const compare_workload *w, int64_t base,
                      const power_bins *b, bool front)
{
    const char **names = ARENA_ARRAY(y->mem, const char *, c->side_count);
    const double **watts = ARENA_ARRAY(y->mem, const double *, c->side_count);
    unsigned *colours = ARENA_ARRAY(y->mem, unsigned, c->side_count);

    for (size_t s = 0; s < c->side_count; s++) {
        names[s] = c->sides[s].label;
        watts[s] = watts_of(y, base + (int64_t)s, b, front);
        colours[s] = s ? (unsigned)s - 1 : CHART_REST;
    }
    chart_series(
        p,
        &(plot){.is = {arena_printf(y->mem, "Power of %s%s",
                                    front ? "front ends: " : "", w->is.label),
                       "watts over simulated time, means of bins as long "
                       "as each other",
                       front ? "front-ends" : "power", NULL},
                .x_unit = "\u00b5s",
                .unit = "W",
                .x = times_of(y, b),
                .points = b->count,
                .names = names,
                .y = watts,
                .colours = colours,
                .count = c->side_count});
}

/* Where front ends can sleep their own power is drawn, too. */
static void put_both(page *p, const compare *c, const page_study *y,
                     const compare_workload *w, int64_t base,
                     const power_bins *b)
{
    bool sleeps = false;

    for (size_t s = 0; s < c->side_count; s++)
        sleeps |= w->sums[s]->part_fj[ENERGY_WAKE] > 0 ||
                  w->sums[s]->part_fj[ENERGY_LINK] > 0;
    put_power(p, c, y, w, base, b, false);
    if (sleeps)
        put_power(p, c, y, w, base, b, true);
}

void page_compare_power(page *p, const compare *c, const page_study *y,
                        page_points at)
{
    size_t n = 0;

    for (size_t w = 0; w < c->count; w++) {
        int64_t base = at.first + (int64_t)(w * c->side_count);
        power_bins b;

        if (!find_bins(y, c->side_count, base, &b))
            continue;
        if (!n)
            page_section(p, "Power over time");
        if (n++ < CHARTS)
            put_both(p, c, y, &c->workloads[w], base, &b);
    }
    if (n > CHARTS)
        page_note(p, "The first %d of %zu workloads.", CHARTS, n);
}
