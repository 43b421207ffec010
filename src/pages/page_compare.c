/* src/pages/page_compare.c - the charts of a comparison; see page_compare.h. */
#include "pages/page_compare.h"

#include <math.h>
#include <string.h>

#include "base/must.h"
#include "compare/compare_part.h"
#include "cost/cost.h"

/* ---- Speed, energy: bars around 1 ---- */

/* What of a pair is drawn. */
typedef double pair_value(const compare_pair *p);
typedef const mean *summary_mean(const compare_summary *s);

static double speed_of(const compare_pair *p) { return p->speedup; }
static double energy_of(const compare_pair *p) { return p->energy; }
static double edp_of(const compare_pair *p) { return p->edp; }
static const mean *speed_mean(const compare_summary *s) { return &s->speedup; }
static const mean *energy_mean(const compare_summary *s) { return &s->energy; }
static const mean *edp_mean(const compare_summary *s) { return &s->edp; }

static const char **variant_names(const compare *c)
{
    const char **names = ARENA_ARRAY(c->mem, const char *, c->side_count);

    for (size_t s = 1; s < c->side_count; s++)
        names[s - 1] = c->sides[s].label;
    return names;
}

/* Left out on every variant; the summary says why. */
static const char *all_left_out(const compare *c, const compare_workload *w)
{
    for (size_t s = 1; s < c->side_count; s++)
        if (!w->pairs[s].why)
            return NULL;
    return "left out, see above";
}

static void put_ratios(page *p, const compare *c, chart_title is,
                       pair_value *of, summary_mean *mean_in, const char *left,
                       const char *right)
{
    size_t n = c->side_count - 1, rows = 0;
    bars_row *row = ARENA_ARRAY(c->mem, bars_row, c->count + 1);
    double *means = ARENA_ARRAY(c->mem, double, n);
    bool any = false;

    for (size_t w = 0; w < c->count; w++) {
        double *values = ARENA_ARRAY(c->mem, double, n);

        for (size_t s = 0; s < n; s++)
            values[s] = of(&c->workloads[w].pairs[s + 1]);
        row[rows++] = (bars_row){.name = c->workloads[w].is.label,
                                 .values = values,
                                 .why = all_left_out(c, &c->workloads[w])};
    }
    for (size_t s = 0; s < n; s++) {
        const mean *m = mean_in(&c->summaries[s + 1]);

        means[s] = compare_complete(c, s + 1) && m->count ? m->geometric : NAN;
        any |= !isnan(means[s]);
    }
    if (any)
        row[rows++] =
            (bars_row){.name = "geometric mean", .values = means, .sum = true};
    chart_bars(p, &(bars){.is = is,
                          .series = variant_names(c),
                          .series_count = n,
                          .rows = row,
                          .count = rows,
                          .ratio = true,
                          .left = left,
                          .right = right,
                          .show = words_times});
}

static void put_speed(page *p, const compare *c)
{
    page_section(p, "Speed-up");
    put_ratios(
        p, c,
        (chart_title){arena_printf(c->mem, "Speed-up over %s", words_base(c)),
                      "simulated time of the base over that of the variant, "
                      "logarithmic axis",
                      "speedup", "workload"},
        speed_of, speed_mean, "slower", "faster");
}

/* ---- Issue slots ---- */

static void slots_of(const compare *c, const compare_workload *w,
                     stack_group *to)
{
    stack_bar *bar = ARENA_ARRAY(c->mem, stack_bar, c->side_count);

    *to = (stack_group){.name = w->is.label, .bars = bar};
    for (size_t s = 1; s < c->side_count; s++) {
        const compare_pair *pair = &w->pairs[s];
        double *base, *variant;

        if (pair->why)
            continue;
        base = ARENA_ARRAY(c->mem, double, c->reason_count);
        variant = ARENA_ARRAY(c->mem, double, c->reason_count);
        for (size_t i = 0; i < c->reason_count; i++) {
            base[i] = pair->reasons[i].base;
            variant[i] = pair->reasons[i].variant;
        }
        if (!to->count)
            bar[to->count++] = (stack_bar){c->sides[0].label, base};
        bar[to->count++] = (stack_bar){c->sides[s].label, variant};
    }
}

static void put_slot_chart(page *p, const compare *c)
{
    stack_group *groups = ARENA_ARRAY(c->mem, stack_group, c->count);
    size_t n = 0;

    for (size_t w = 0; w < c->count; w++) {
        slots_of(c, &c->workloads[w], &groups[n]);
        n += groups[n].count > 0;
    }
    if (!n || c->reason_count < 2)
        return;
    page_section(p, "Where the issue slots went");
    chart_stack(
        p, &(stack){.is = {"Issue slots, used or lost",
                           "shares of the base's time in percent: a shorter "
                           "bar is a shorter run. A slot is lost for the "
                           "nearest reason of any warp.",
                           "slots", "workload"},
                    .parts = c->reasons,
                    .part_count = c->reason_count,
                    .first = true,
                    .colour = words_stall_colour,
                    .groups = groups,
                    .count = n});
    page_fold(p, "What the reasons mean");
    page_open(p, "ul", NULL);
    for (size_t i = 0; i < c->reason_count; i++) {
        page_open(p, "li", NULL);
        page_code(p, "%s", c->reasons[i]);
        page_printf(p, " %s", words_stall(c->reasons[i]));
        page_close(p, "li");
    }
    page_close(p, "ul");
    page_fold_end(p);
}

/* ---- Energy ---- */

static const char *const *part_names(const compare *c)
{
    const char **names = ARENA_ARRAY(c->mem, const char *, ENERGY_PARTS);

    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        names[i] = energy_part_table[i].name;
    return names;
}

static const double *part_shares(const compare *c, const measure_sum *s,
                                 double all)
{
    double *shares = ARENA_ARRAY(c->mem, double, ENERGY_PARTS);

    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        shares[i] = (double)s->part_fj[i] / all;
    return shares;
}

static void put_parts(page *p, const compare *c)
{
    stack_group *groups = ARENA_ARRAY(c->mem, stack_group, c->count);
    size_t n = 0;

    for (size_t w = 0; w < c->count; w++) {
        const compare_workload *is = &c->workloads[w];
        double all = (double)is->sums[0]->energy_fj;
        stack_bar *bar = ARENA_ARRAY(c->mem, stack_bar, c->side_count);
        size_t k = 0;

        for (size_t s = 1; s < c->side_count; s++) {
            if (is->pairs[s].why || isnan(is->pairs[s].energy))
                continue;
            if (!k)
                bar[k++] = (stack_bar){c->sides[0].label,
                                       part_shares(c, is->sums[0], all)};
            bar[k++] = (stack_bar){c->sides[s].label,
                                   part_shares(c, is->sums[s], all)};
        }
        if (k)
            groups[n++] = (stack_group){is->is.label, bar, k};
    }
    chart_stack(p, &(stack){.is = {"Energy by part",
                                   "shares of the base's energy in percent",
                                   "energy-parts", "workload"},
                            .parts = part_names(c),
                            .part_count = ENERGY_PARTS,
                            .colour = words_part_colour,
                            .groups = groups,
                            .count = n});
}

static void put_energy_section(page *p, const compare *c)
{
    bool any = false;

    for (size_t s = 1; s < c->side_count; s++)
        any |= c->summaries[s].energy.count > 0;
    if (!any)
        return;
    page_section(p, "Energy");
    page_note(p, "Energy model of %s: %s.", c->sides[0].gpus[0].name,
              c->sides[0].gpus[0].cfg->energy.status);
    put_ratios(p, c,
               (chart_title){"Energy of the variant over the base's",
                             "less than 1 is better, logarithmic axis",
                             "energy", "workload"},
               energy_of, energy_mean, "saves", "costs more");
    put_ratios(p, c,
               (chart_title){"Energy-delay product of the variant over the "
                             "base's",
                             "energy times simulated time: less than 1 is "
                             "better, logarithmic axis",
                             "edp", "workload"},
               edp_of, edp_mean, "better", "worse");
    put_parts(p, c);
    page_compare_energy(p, c);
}

/* ---- Speed against energy, against bits ---- */

/* What a side costs, over the base's; NAN: unknown. */
typedef double side_cost(const compare *c, size_t s);

static double energy_cost(const compare *c, size_t s)
{
    const mean *m = &c->summaries[s].energy;

    return m->count ? m->geometric : NAN;
}

/* Of the structures that are no data arrays. */
static double control_cost(const compare *c, size_t s)
{
    cost_sum b = cost_total(c->sides[0].gpus[0].cfg);
    cost_sum v = cost_total(c->sides[s].gpus[0].cfg);

    return (double)(v.bits - v.bulk_bits) / (double)(b.bits - b.bulk_bits);
}

static double part_energy_cost(const compare *c, size_t s)
{
    const mean *m = &compare_part_sides(c)[s].energy;

    return m->count ? m->geometric : NAN;
}

/* Bounds store nothing, and what has nothing to do with it neither. */
static double part_bits_cost(const compare *c, size_t s)
{
    const compare_part_side *y = compare_part_sides(c);

    return y[0].bits && y[s].exists ? (double)y[s].bits / (double)y[0].bits
                                    : NAN;
}

static double all_cost(const compare *c, size_t s)
{
    return (double)cost_total(c->sides[s].gpus[0].cfg).bits /
           (double)cost_total(c->sides[0].gpus[0].cfg).bits;
}

/* Those that none beats in both. */
static void find_front(scatter_point *at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        at[i].front = true;
        for (size_t k = 0; k < n; k++)
            if (at[k].x <= at[i].x && at[k].y >= at[i].y &&
                (at[k].x < at[i].x || at[k].y > at[i].y))
                at[i].front = false;
    }
}

static void put_pareto(page *p, const compare *c, chart_title is, const char *x,
                       side_cost *cost)
{
    scatter_point *at = ARENA_ARRAY(c->mem, scatter_point, c->side_count);
    bool differ = false;
    size_t n = 1;

    at[0] = (scatter_point){.name = c->sides[0].label,
                            .x = 1,
                            .y = 1,
                            .base = true,
                            .colour = CHART_REST};
    for (size_t s = 1; s < c->side_count; s++) {
        double v = cost(c, s);

        if (!compare_complete(c, s) || isnan(v))
            continue;
        differ |= fabs(v - 1) > 1e-9;
        at[n++] = (scatter_point){.name = c->sides[s].label,
                                  .x = v,
                                  .y = c->summaries[s].speedup.geometric,
                                  .colour = (unsigned)s - 1};
    }
    if (n < 3 || !differ)
        return;
    find_front(at, n);
    chart_scatter(p, &(scatter){.is = is,
                                .x = x,
                                .y = "speed-up",
                                .x_less = true,
                                .points = at,
                                .count = n,
                                .x_show = words_times,
                                .y_show = words_times});
}

static void put_fronts(page *p, const compare *c)
{
    const char *about = "geometric means over the base's; the dashed line "
                        "joins those that no other beats in both; the ring "
                        "is the base";

    if (c->side_count < 3)
        return;
    page_section(p, "What the speed costs");
    put_pareto(
        p, c,
        (chart_title){"Speed-up against energy", about, "speed-energy", "side"},
        "energy over the base's", energy_cost);
    if (c->part) {
        put_pareto(
            p, c,
            (chart_title){
                arena_printf(c->mem, "Speed-up against energy of %s", c->part),
                about, "speed-part-energy", "side"},
            arena_printf(c->mem, "energy of %s over the base's", c->part),
            part_energy_cost);
        put_pareto(
            p, c,
            (chart_title){
                arena_printf(c->mem, "Speed-up against bits of %s", c->part),
                about, "speed-part-bits", "side"},
            arena_printf(c->mem, "bits of %s over the base's", c->part),
            part_bits_cost);
    }
    put_pareto(p, c,
               (chart_title){"Speed-up against bits of control", about,
                             "speed-control", "side"},
               "bits of control structures over the base's", control_cost);
    put_pareto(
        p, c,
        (chart_title){"Speed-up against all bits", about, "speed-bits", "side"},
        "bits stored over the base's", all_cost);
}

/* ---- All of it ---- */

/* The labels of the sides of a diff. */
static const char *names_of(const compare *c)
{
    const char *all = c->sides[1].label;

    for (size_t s = 2; s < c->side_count; s++)
        all = arena_printf(c->mem, "%s, %s", all, c->sides[s].label);
    return all;
}

const char *page_compare_title(const compare *c)
{
    if (c->diff)
        return arena_printf(c->mem, "%s against %s", names_of(c),
                            words_base(c));
    if (c->side_count == 2)
        return arena_printf(
            c->mem, "%s%s%s against %s", c->mechanism ? c->mechanism->name : "",
            c->mechanism ? ": " : "", c->sides[1].label, words_base(c));
    return arena_printf(c->mem, "%s%s%zu variants against %s",
                        c->mechanism ? c->mechanism->name : "",
                        c->mechanism ? ": " : "", c->side_count - 1,
                        words_base(c));
}

const char *page_compare_about(const compare *c)
{
    return c->mechanism ? c->mechanism->about : NULL;
}

/* Results of a diff were there before, or were made by it. */
static void put_origin(page *p, const compare *c, const page_origin *from)
{
    page_origin rest = *from;

    if (c->diff) {
        page_paragraph(p, "This command tells the same again:");
        page_lines(p, from->command);
        rest.command = NULL;
    }
    words_origin(p, &rest);
}

void page_compare(page *p, const compare *c, const page_origin *from,
                  const page_study *y, size_t nth)
{
    int64_t points = (int64_t)(c->count * c->side_count);
    page_points at = {(int64_t)nth * points, (int64_t)(nth + 1) * points};

    page_compare_summary(p, c, from);
    put_speed(p, c);
    page_compare_variants(p, c);
    put_slot_chart(p, c);
    page_compare_view(p, c);
    put_energy_section(p, c);
    if (y) {
        page_compare_power(p, c, y, at);
        page_compare_warps(p, c, y, at);
    }
    put_fronts(p, c);
    page_compare_part(p, c);
    page_compare_cost(p, c);
    page_compare_traffic(p, c);
    page_compare_tables(p, c);
    if (y)
        page_compare_launches(p, c, y, at);
    page_section(p, "Configuration");
    words_config_diff(p, c->sides, c->side_count);
    page_section(p, "How to reproduce");
    put_origin(p, c, from);
}
