/* src/lab/page_run_kernels.c - what the kernels of a study did: slots, memory,
 * energy, power over time. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "lab/page_run.h"

enum { DRAWN = 16, TABLED = 300, SAMPLES = 800, SERIES = 8 };

/* "spmv" where all kernels are of one workload. */
static const char *title_of(const page_study *y, const stored_kernels *k,
                            size_t i)
{
    for (size_t n = 0; n < k->count; n++)
        if (k->row[n].run != k->row[i].run)
            return strcmp(k->row[i].workload, k->row[i].name)
                       ? arena_printf(y->mem, "%s / %s", k->row[i].workload,
                                      k->row[i].name)
                       : k->row[i].name;
    return k->row[i].name;
}

/* ---- Where slots and joules went ---- */

static void put_slots(page *p, const page_study *y, const stored_kernels *k)
{
    const char *names[FIGURE_STALLS_MAX + 1] = {"issued"};
    stack_group groups[DRAWN];
    size_t n = 0, parts = 1;

    for (size_t i = 0; i < k->count && n < DRAWN; i++) {
        const figures *f = &k->row[i].f;
        double *shares;
        stack_bar *bar;

        if (!f->slots)
            continue;
        for (parts = 1; parts <= f->stall_count; parts++)
            names[parts] = f->stalls[parts - 1].name;
        shares = ARENA_ARRAY(y->mem, double, parts);
        bar = ARENA_NEW(y->mem, stack_bar);
        shares[0] = word_share(f->issued, f->slots);
        for (size_t r = 1; r < parts; r++)
            shares[r] = word_share(f->stalls[r - 1].slots, f->slots);
        *bar = (stack_bar){k->row[i].gpu ? k->row[i].gpu : "", shares};
        groups[n++] = (stack_group){title_of(y, k, i), bar, 1};
    }
    if (n)
        chart_stack(p, &(stack){.is = {"Issue slots, used or lost",
                                       "of each kernel, in percent; a slot is "
                                       "lost for the nearest reason of any "
                                       "warp",
                                       "slots", "kernel"},
                                .parts = names,
                                .part_count = parts,
                                .first = true,
                                .groups = groups,
                                .count = n});
}

static void put_joules(page *p, const page_study *y, const stored_kernels *k)
{
    const char *names[ENERGY_PARTS];
    stack_group groups[DRAWN];
    size_t n = 0;

    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        names[i] = energy_part_table[i].name;
    for (size_t i = 0; i < k->count && n < DRAWN; i++) {
        const energy *e = &k->row[i].f.energy;
        double *shares;
        stack_bar *bar;

        if (!e->total_fj || e->overflow)
            continue;
        shares = ARENA_ARRAY(y->mem, double, ENERGY_PARTS);
        bar = ARENA_NEW(y->mem, stack_bar);
        for (unsigned x = 0; x < ENERGY_PARTS; x++)
            shares[x] = word_share(e->part_fj[x], e->total_fj);
        *bar = (stack_bar){k->row[i].gpu ? k->row[i].gpu : "", shares};
        groups[n++] = (stack_group){title_of(y, k, i), bar, 1};
    }
    if (!n)
        return;
    page_section(p, "Energy");
    chart_stack(p,
                &(stack){.is = {"Energy by part", "of each kernel, in percent",
                                "energy-parts", "kernel"},
                         .parts = names,
                         .part_count = ENERGY_PARTS,
                         .groups = groups,
                         .count = n});
}

/* ---- Tables ---- */

static void put_percent(page *p, double share)
{
    page_number(p, 100 * share, "%s", word_percent(share).s);
}

static void put_kernel(page *p, const stored_kernel *k, double all_s)
{
    const energy *e = &k->f.energy;
    bool timed = k->timed && k->f.slots;
    double watts = timed ? energy_watts(e, e->total_fj) : NAN;

    if (k->failed)
        page_row_bad(p);
    page_cell(p, "%s", k->name);
    page_cell(p, "%s", k->workload);
    page_cell(p, "%s", k->gpu ? k->gpu : "-");
    page_number(p, (double)k->launches, "%s", word_grouped(k->launches).s);
    page_number(p, (double)k->cycles, "%s", word_grouped(k->cycles).s);
    put_percent(p, all_s > 0 ? k->time_s / all_s : NAN);
    page_number(p, timed ? k->f.ipc_sm : NAN, "%s",
                timed ? word_real(k->f.ipc_sm, 2).s : "-");
    put_percent(p, timed ? k->f.occupancy : NAN);
    put_percent(p, timed ? k->f.lanes : NAN);
    put_percent(p, timed ? word_share(k->f.issued, k->f.slots) : NAN);
    page_number(p, 1e3 * k->energy_j, "%s",
                isnan(k->energy_j) ? "-" : word_real(1e3 * k->energy_j, 3).s);
    page_number(p, watts, "%s", word_real(watts, 1).s);
}

static void put_table(page *p, const stored_kernels *k)
{
    static const page_column columns[] = {
        {.name = "kernel"},
        {.name = "workload"},
        {.name = "GPU"},
        {.name = "launches", .number = true},
        {.name = "cycles", .number = true},
        {.name = "of all",
         .exact = "%",
         .number = true,
         .help = "share of the time"},
        {.name = "IPC/SM", .number = true},
        {.name = "occupancy",
         .exact = "%",
         .number = true,
         .help = "resident warps of active SMs, of the limit"},
        {.name = "lanes",
         .exact = "%",
         .number = true,
         .help = "share that executes"},
        {.name = "issued",
         .exact = "%",
         .number = true,
         .help = "share of issue slots"},
        {.name = "energy", .unit = "mJ", .number = true},
        {.name = "power", .unit = "W", .number = true}};
    double all_s = 0;

    for (size_t i = 0; i < k->count; i++)
        all_s += k->row[i].time_s;
    page_table(p, "Every kernel, its launches together", "kernels", columns,
               12);
    for (size_t i = 0; i < k->count && i < TABLED; i++)
        put_kernel(p, &k->row[i], all_s);
    page_table_end(p);
    if (k->count > TABLED)
        page_note(p, "The %d of %zu kernels that took longest.", TABLED,
                  k->count);
}

static void put_level(page *p, const stored_kernel *k, const figure_level *v)
{
    page_cell(p, "%s", k->name);
    page_cell(p, "%s", k->workload);
    page_cell(p, "%s", v->name);
    page_number(p, (double)v->accesses, "%s", word_grouped(v->accesses).s);
    put_percent(p, v->hit_rate);
    page_number(p, (double)v->bytes, "%s", word_bytes((double)v->bytes).s);
    page_number(p, v->bandwidth / 1e9, "%s",
                word_real(v->bandwidth / 1e9, 1).s);
    put_percent(p, v->peak > 0 ? v->bandwidth / v->peak : NAN);
}

static void put_memory(page *p, const stored_kernels *k)
{
    static const page_column columns[] = {
        {.name = "kernel"},
        {.name = "workload"},
        {.name = "level"},
        {.name = "accesses", .number = true},
        {.name = "hit rate", .exact = "%", .number = true},
        {.name = "moved", .exact = "B", .number = true},
        {.name = "bandwidth", .unit = "GB/s", .number = true},
        {.name = "of peak", .exact = "%", .number = true}};

    page_section(p, "Memory");
    page_table(p, "Where bytes move", "memory", columns, 8);
    for (size_t i = 0; i < k->count && i < DRAWN; i++)
        for (unsigned l = 0; l < LEVELS && k->row[i].f.slots; l++)
            if (k->row[i].f.level[l].id && k->row[i].f.level[l].bytes)
                put_level(p, &k->row[i], &k->row[i].f.level[l]);
    page_table_end(p);
    if (k->count > DRAWN)
        page_note(p, "The %d kernels that took longest.", DRAWN);
}

void page_run_kernels(page *p, const page_study *y, const stored_kernels *k)
{
    bool timed = false;

    if (!k->count)
        return;
    page_section(p, "Kernels");
    put_table(p, k);
    for (size_t i = 0; i < k->count; i++)
        timed |= k->row[i].f.slots > 0;
    if (!timed) {
        page_note(p, "No launch was timed.");
        return;
    }
    put_slots(p, y, k);
    put_memory(p, k);
    put_joules(p, y, k);
}

/* ---- Power over time ---- */

/* Samples of a run, thinned out to as many as can be seen. */
typedef struct power_series {
    double *x, *y[ENERGY_PARTS];
    size_t count, room;
    double sum[ENERGY_PARTS]; /* joules */
} power_series;

static void grow(power_series *w)
{
    if (w->count < w->room)
        return;
    w->room = w->room ? 2 * w->room : 256;
    w->x = realloc(w->x, w->room * sizeof *w->x);
    MUST(w->x != NULL);
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        w->y[i] = realloc(w->y[i], w->room * sizeof *w->y[i]);
        MUST(w->y[i] != NULL);
    }
}

static unsigned part_of(const char *path)
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
    store_query *q = store_ask(
        y->s, y->dg,
        "SELECT l.start_cycle + s.cycle, n.path, s.value FROM launch l"
        " JOIN series s USING(launch) JOIN name n ON n.name = s.name"
        " WHERE l.run = ?1 AND l.device = ?2 AND n.path LIKE 'energy.%'"
        " ORDER BY 1, s.name",
        "ii", run, device);

    while (q && store_next(q, y->dg)) {
        double at = store_real(q, 0);
        unsigned part = part_of(store_text(q, 1));

        if (part == ENERGY_PARTS)
            continue;
        if (!w->count || w->x[w->count - 1] < at) {
            grow(w);
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

static void put_run_power(page *p, const page_study *y, int64_t run,
                          int64_t device, double hertz, const char *title)
{
    power_series w = {0};

    read_power(y, run, device, &w);
    thin_out(&w);
    as_watts(&w, hertz);
    if (w.count > 1)
        put_power(p, y, title, &w);
    free(w.x);
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        free(w.y[i]);
}

void page_run_series(page *p, const page_study *y)
{
    store_query *q = store_ask(
        y->s, y->dg,
        "SELECT l.run, l.device, sum(l.cycles) / sum(l.time_s), r.workload,"
        " d.gpu FROM point p JOIN run r USING(run) JOIN launch l USING(run)"
        " LEFT JOIN device d ON d.run = l.run AND d.device = l.device"
        " WHERE p.study = ?1 AND l.time_s > 0 AND EXISTS (SELECT 1 FROM series"
        " s WHERE s.launch = l.launch) GROUP BY l.run, l.device"
        " ORDER BY p.number LIMIT 12",
        "i", y->study);
    size_t n = 0;

    while (q && store_next(q, y->dg)) {
        if (!n++)
            page_section(p, "Power over time");
        put_run_power(p, y, store_int(q, 0), store_int(q, 1), store_real(q, 2),
                      arena_printf(y->mem, "Power of %s on %s",
                                   store_text(q, 3),
                                   store_null(q, 4) ? "?" : store_text(q, 4)));
    }
    store_done(q);
}
