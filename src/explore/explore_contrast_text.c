/* src/explore/explore_contrast_text.c - effects of values and of pairs of them,
 * for people and as CSV. */
#include <math.h>

#include "explore/explore_text.h"
#include "text/csv.h"
#include "text/table.h"
#include "text/word.h"

static const char *band_words(const explore *e, const band *b)
{
    if (b->draws < 2)
        return "-";
    return arena_printf(e->mem, "%.3f..%.3f", b->low, b->high);
}

static bool is_of(const explore_contrast *x, size_t group, bool two)
{
    return x->group == group && (x->axis[1] != EXPLORE_NONE) == two;
}

static table *begin_table(const explore *e, bool two)
{
    table *t = table_new(e->mem, explore_width(e));

    table_column(t, two ? "together" : "", true, true);
    if (two)
        table_column(t, "", true, true);
    table_column(t, "speed", false, false);
    table_column(t, "95 % band", false, false);
    table_column(t, "", true, false);
    if (!two)
        table_column(t, "alone", false, false);
    table_column(t, "energy", false, false);
    table_column(t, "95 % band", false, false);
    table_column(t, "of", false, false);
    return t;
}

static void put_row(const explore *e, const explore_contrast *x, bool two,
                    table *t)
{
    for (unsigned i = 0; i < 1u + two; i++)
        table_cell(t, explore_contrast_part(e, x, i));
    table_cell(t, explore_times(e, x->speed.mean));
    table_cell(t, band_words(e, &x->speed));
    table_cell(t, explore_contrast_verdict(&x->speed, two));
    if (!two)
        table_cell(t, explore_times(e, x->alone.mean));
    table_cell(t, explore_times(e, x->energy.mean));
    table_cell(t, band_words(e, &x->energy));
    table_cell(t, word_grouped(x->corners).s);
}

/* What no configurations tell, in words. */
static void put_absent(const explore *e, const explore_view *v, size_t group,
                       bool two, FILE *to)
{
    const char *before = two ? "  nowhere together in the space: "
                             : "  nowhere beside the base's value: ";
    size_t all = 0;

    for (size_t i = 0; i < e->contrast_count; i++) {
        const explore_contrast *x = &e->contrasts[i];

        if (!is_of(x, group, two) || x->corners)
            continue;
        if (!v->rows || all < v->rows)
            fprintf(to, "%s%s", before, explore_contrast_name(e, x));
        before = ",\n    ";
        all++;
    }
    if (v->rows && v->rows < all)
        fprintf(to, "%sand %s more, --rows all shows all", before,
                word_grouped(all - v->rows).s);
    if (all)
        fputc('\n', to);
}

static void put_table(const explore *e, const explore_view *v, size_t group,
                      bool two, FILE *to)
{
    table *t = begin_table(e, two);
    size_t rows = 0, all = 0;

    for (size_t i = 0; i < e->contrast_count; i++) {
        const explore_contrast *x = &e->contrasts[i];

        if (!is_of(x, group, two) || !x->corners)
            continue;
        if (!v->rows || all < v->rows) {
            put_row(e, x, two, t);
            rows++;
        }
        all++;
    }
    if (rows)
        table_print(t, 2, to);
    if (rows < all)
        fprintf(to, "  and %s more, --rows all shows all\n",
                word_grouped(all - rows).s);
}

static void put_missing(const explore *e, FILE *to)
{
    size_t holes = 0;

    for (size_t i = 0; i < e->contrast_count; i++)
        holes += e->contrasts[i].holes > 0;
    if (holes && !e->options.allow_missing)
        fprintf(to,
                "  %zu are REFUSED: points are missing; --allow-missing leaves "
                "out workloads without all of theirs\n",
                holes);
}

void explore_contrasts_text(const explore *e, const explore_view *v, FILE *to)
{
    size_t group = EXPLORE_NONE;
    bool first = true;

    if (!e->contrast_count) {
        if (e->options.contrasts)
            fputs("\neffects: none, as no axis but the GPU has two values\n",
                  to);
        return;
    }
    fprintf(
        to,
        "\neffects, geometric means over %zu workload%s, as are their bands\n"
        "  of one axis: over the base's value, mean of all settings of the "
        "others;\n"
        "  alone: these are the base's; of two: with both over the product "
        "of each\n",
        e->workload_count, word_plural(e->workload_count));
    for (size_t i = 0; i < e->contrast_count; i++) {
        const explore_contrast *x = &e->contrasts[i];

        if (!first && x->group == group)
            continue;
        first = false;
        group = x->group;
        if (group != EXPLORE_NONE)
            fprintf(to, "%s\n", explore_contrast_group(e, x));
        for (unsigned two = 0; two < 2; two++) {
            put_table(e, v, group, two, to);
            put_absent(e, v, group, two, to);
        }
    }
    put_missing(e, to);
}

/* ---- CSV ---- */

static void csv_band(csv *c, const band *b)
{
    csv_u64(c, b->draws);
    csv_real(c, b->mean);
    csv_real(c, b->low);
    csv_real(c, b->high);
}

void explore_contrasts_csv(const explore *e, FILE *to)
{
    csv c = csv_start(to);

    csv_names(&c, "gpu,axis,value,with_axis,with_value,settings,holes,"
                  "speed_workloads,speed,speed_low,speed_high,"
                  "alone_workloads,alone,alone_low,alone_high,"
                  "energy_workloads,energy,energy_low,energy_high");
    csv_line(&c);
    for (size_t i = 0; i < e->contrast_count; i++) {
        const explore_contrast *x = &e->contrasts[i];

        csv_text(&c, explore_contrast_group(e, x));
        for (unsigned k = 0; k < 2; k++) {
            const explore_axis *a =
                x->axis[k] == EXPLORE_NONE ? NULL : &e->axes[x->axis[k]];

            csv_text(&c, a ? a->name : NULL);
            csv_text(&c, a ? a->values[x->value[k]] : NULL);
        }
        csv_u64(&c, x->corners);
        csv_u64(&c, x->holes);
        csv_band(&c, &x->speed);
        csv_band(&c, &x->alone);
        csv_band(&c, &x->energy);
        csv_line(&c);
    }
}
