/* src/explore/explore_text.c - an exploration for people: heading, holes,
 * configurations. */
#include "explore/explore_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/must.h"
#include "base/strbuf.h"
#include "text/table.h"
#include "text/word.h"

enum { NOTES = 8, HEAD = 10, VALUE = 40 }; /* columns, but for NOTES */

/* ---- Small things ---- */

const char *explore_times(const explore *e, double ratio)
{
    return isnan(ratio) ? "-" : arena_printf(e->mem, "%.3f x", ratio);
}

static const char *keep_word(const explore *e, word w)
{
    return arena_strdup(e->mem, w.s);
}

static const char *number_text(const explore *e, double v)
{
    return isnan(v) ? "-" : keep_word(e, word_grouped((uint64_t)v));
}

static const char *real_text(const explore *e, double v)
{
    return isnan(v) ? "-" : arena_printf(e->mem, "%.6g", v);
}

static const char *number_of_config(const explore *e, const explore_config *c)
{
    return arena_printf(e->mem, "#%" PRIu64, c->number);
}

const char *explore_label(const explore *e, const explore_config *c, size_t but,
                          size_t and_but)
{
    strbuf text = {0};
    const char *label;

    for (size_t i = 0; i < e->varying; i++)
        if (i != but && i != and_but)
            strbuf_printf(
                &text, "%s%s=%s", text.size ? " " : "",
                table_fit(e->mem, e->axes[i].tag, VALUE),
                table_fit(e->mem, e->axes[i].values[c->at[i]], VALUE));
    label = text.size ? arena_strdup(e->mem, text.text) : "-";
    strbuf_fini(&text);
    return label;
}

unsigned explore_width(const explore *e)
{
    return e->width ? e->width : TABLE_WIDTH;
}

/* Words behind a heading of ten columns, broken where the text ends. */
typedef struct paragraph {
    FILE *to;
    size_t column, width;
} paragraph;

static paragraph start_paragraph(const explore *e, const char *head, FILE *to)
{
    fprintf(to, "%-*s", HEAD, head);
    return (paragraph){to, HEAD, explore_width(e)};
}

static void add_to_paragraph(paragraph *p, const char *text)
{
    size_t n = strlen(text);

    if (p->column > HEAD && p->column + 1 + n > p->width) {
        fprintf(p->to, "\n%*s", HEAD, "");
        p->column = HEAD;
    } else if (p->column > HEAD) {
        fputc(' ', p->to);
        p->column++;
    }
    fputs(text, p->to);
    p->column += n;
}

static void end_paragraph(paragraph *p) { fputc('\n', p->to); }

/* ---- Which configurations ---- */

size_t *explore_shown(const explore *e, const explore_view *v, size_t *count,
                      size_t *unknown)
{
    explore_order order = {EXPLORE_BY_SPEEDUP, EXPLORE_NONE, true};
    size_t *all, n = 0;

    if (v->order)
        order = *v->order;
    else if (v->rows && e->config_count > v->rows)
        order.by_number = false;
    all = explore_sorted(e, &order);
    *unknown = 0;
    for (size_t i = 0; i < e->config_count; i++) {
        bool in = true, not_known = false;

        for (size_t k = 0; k < v->limit_count && in; k++)
            in = explore_within(e, &e->configs[all[i]], &v->limits[k],
                                &not_known);
        *unknown += not_known;
        if (in)
            all[n++] = all[i];
    }
    *count = n;
    return all;
}

/* ---- Heading ---- */

/* Has a side a name of its own? Others only repeat its assignments. */
static bool has_labels(const explore *e)
{
    for (size_t i = 0; i < e->config_count; i++)
        if (e->configs[i].label && !strchr(e->configs[i].label, '='))
            return true;
    return false;
}

static void put_axes(const explore *e, FILE *to)
{
    paragraph p;

    for (size_t i = 0; i < e->varying; i++) {
        const explore_axis *a = &e->axes[i];

        p = start_paragraph(e, i ? "" : "axes", to);
        add_to_paragraph(
            &p, arena_printf(e->mem, "%s:", table_fit(e->mem, a->name, 60)));
        for (size_t k = 0; k < a->count; k++) {
            if (a->count > 24 && k == 12) {
                add_to_paragraph(&p, "...");
                k = a->count - 6;
            }
            add_to_paragraph(&p,
                             arena_printf(e->mem, "%s%s",
                                          table_fit(e->mem, a->values[k], 40),
                                          k + 1 < a->count ? "," : ""));
        }
        end_paragraph(&p);
    }
    if (e->varying == e->axis_count)
        return;
    p = start_paragraph(e, "all", to);
    for (size_t i = e->varying; i < e->axis_count; i++)
        add_to_paragraph(
            &p, arena_printf(e->mem, "%s=%s",
                             table_fit(e->mem, e->axes[i].name, 44),
                             table_fit(e->mem, e->axes[i].values[0], 40)));
    end_paragraph(&p);
}

/* "sets=64 queue=fifo", of the axes that vary and have a value. */
static void put_axis_values(paragraph *p, const explore *e, const size_t *at)
{
    for (size_t i = 0; i < e->varying; i++)
        if (at[i] != EXPLORE_NONE)
            add_to_paragraph(
                p,
                arena_printf(
                    e->mem, "%s=%s", table_fit(e->mem, e->axes[i].tag, VALUE),
                    table_fit(e->mem, e->axes[i].values[at[i]], VALUE)));
}

static void put_base(const explore *e, FILE *to)
{
    paragraph p = start_paragraph(e, "base", to);
    size_t without = 0;

    for (size_t i = 0; i < e->config_count; i++)
        without += e->configs[i].base == EXPLORE_NONE;
    if (e->base != EXPLORE_NONE) {
        const explore_config *b = &e->configs[e->base];

        add_to_paragraph(&p, number_of_config(e, b));
        if (b->label && has_labels(e))
            add_to_paragraph(&p, arena_printf(e->mem, "%s:", b->label));
        put_axis_values(&p, e, b->at);
        if (!e->options.base_count)
            add_to_paragraph(&p, "(the first; --base takes another)");
    } else if (e->base_side) {
        add_to_paragraph(&p,
                         arena_printf(e->mem, "the side '%s' of the same GPU",
                                      table_fit(e->mem, e->base_side, VALUE)));
    } else {
        add_to_paragraph(&p, "the same configuration with");
        put_axis_values(&p, e, e->base_at);
    }
    end_paragraph(&p);
    if (without)
        fprintf(to, "%-*s%zu configuration%s without a base: NOT THERE\n", HEAD,
                "", without, without == 1 ? " is" : "s are");
}

/* Of what a program wrote that failed: the status of the sweep has all. */
static void put_last_line(const explore *e, const char *tail, FILE *to)
{
    const char *line = tail ? strrchr(tail, '\n') : NULL;

    if (tail && *tail)
        fprintf(to, "%-*s  | %s\n", HEAD, "",
                table_fit(e->mem, line ? line + 1 : tail,
                          explore_width(e) - HEAD - 4));
}

static void put_causes(const explore *e, FILE *to)
{
    fprintf(to, "%-*s%s point%s, ", HEAD, "points", word_grouped(e->points).s,
            word_plural(e->points));
    fprintf(to, "%s passed\n", word_grouped(e->counting).s);
    for (size_t i = 0; i < e->cause_count; i++) {
        const explore_cause *c = &e->causes[i];
        const explore_config *x = &e->configs[c->config];
        paragraph p = start_paragraph(e, "", to);

        add_to_paragraph(
            &p, arena_printf(e->mem, "%s %s, the first: %s",
                             word_grouped(c->count).s, c->status,
                             table_fit(e->mem, e->workloads[c->workload], 60)));
        if (x->cells[c->workload].number != EXPLORE_NO_POINT)
            add_to_paragraph(&p, arena_printf(e->mem, "#%" PRIu64,
                                              x->cells[c->workload].number));
        put_axis_values(&p, e, x->at);
        end_paragraph(&p);
        if (c->why)
            fprintf(to, "%-*s  %s\n", HEAD, "",
                    table_fit(e->mem, c->why, explore_width(e) - HEAD - 2));
        put_last_line(e, c->tail, to);
    }
}

static void put_heading(const explore *e, const explore_view *v, FILE *to)
{
    paragraph p;

    for (size_t i = 0; i < v->study_count; i++) {
        const explore_study *s = &v->studies[i];

        fprintf(to, "%s%s%s, %s\n", s->kind, s->name ? " " : "",
                s->name ? s->name : "", s->created);
        if (s->about)
            fprintf(to, "%s\n", table_fit(e->mem, s->about, explore_width(e)));
    }
    fputs(v->study_count ? "\n" : "", to);
    put_axes(e, to);
    p = start_paragraph(e, "workloads", to);
    for (size_t i = 0; i < e->workload_count; i++)
        add_to_paragraph(&p,
                         arena_printf(e->mem, "%s%s",
                                      table_fit(e->mem, e->workloads[i], 60),
                                      i + 1 < e->workload_count ? "," : ""));
    end_paragraph(&p);
    put_base(e, to);
    put_causes(e, to);
}

/* ---- Configurations ---- */

static const char *bits_change(const explore *e, const explore_config *c)
{
    const explore_config *b =
        c->base == EXPLORE_NONE ? NULL : &e->configs[c->base];

    if (!b || isnan(b->bits) || isnan(c->bits))
        return "-";
    return b->bits > c->bits
               ? arena_printf(e->mem, "-%s", number_text(e, b->bits - c->bits))
               : arena_printf(e->mem, "+%s", number_text(e, c->bits - b->bits));
}

static const char *mean_text(const explore *e, const explore_config *c,
                             explore_goal g)
{
    return !explore_complete(e, c) && g == EXPLORE_BY_SPEEDUP
               ? "REFUSED"
               : explore_times(e, explore_figure(e, c, g, EXPLORE_NONE));
}

static const char *front_letters(const explore *e, const explore_config *c)
{
    char text[16] = "";
    size_t n = 0;

    for (size_t i = 0; i < e->front_count; i++)
        if (c->fronts & 1u << i)
            text[n++] = e->fronts[i].letter;
    return arena_strdup(e->mem, text);
}

static void begin_columns(const explore *e, table *t)
{
    table_column(t, "", true, true);
    if (has_labels(e))
        table_column(t, "side", true, true);
    for (size_t i = 0; i < e->varying; i++)
        table_column(t, e->axes[i].tag, !e->axes[i].numbers, false);
}

static void begin_row(const explore *e, const explore_config *c, table *t)
{
    table_cell(t, number_of_config(e, c));
    if (has_labels(e))
        table_cell(t, c->label ? c->label : "");
    for (size_t i = 0; i < e->varying; i++)
        table_cell(t, e->axes[i].values[c->at[i]]);
}

static void put_figures(const explore *e, const size_t *shown, size_t n,
                        FILE *to)
{
    static const char *const heads[] = {"speed-up", "spread", "energy", "EDP",
                                        "bits"};
    table *t = table_new(e->mem, explore_width(e));
    bool several = e->workload_count > 1;

    begin_columns(e, t);
    for (size_t i = 0; i < COUNTOF(heads); i++)
        if (i != 1 || several)
            table_column(t, heads[i], false, false);
    if (e->part) {
        table_column(t, arena_printf(e->mem, "%s energy", e->part), false,
                     false);
        table_column(t, arena_printf(e->mem, "%s bits", e->part), false, false);
    } else {
        table_column(t, "more bits", false, false);
    }
    for (size_t i = 0; i < e->figure_count; i++)
        table_column(t, e->figures[i], false, false);
    table_column(t, "front", true, false);
    for (size_t i = 0; i < n; i++) {
        const explore_config *c = &e->configs[shown[i]];
        const mean *m = &c->mean[EXPLORE_BY_SPEEDUP];

        begin_row(e, c, t);
        table_cell(t, mean_text(e, c, EXPLORE_BY_SPEEDUP));
        if (several)
            table_cell(
                t, explore_times(e, explore_complete(e, c) ? m->spread : NAN));
        table_cell(t, mean_text(e, c, EXPLORE_BY_ENERGY));
        table_cell(t, mean_text(e, c, EXPLORE_BY_EDP));
        table_cell(t, number_text(e, c->bits));
        if (e->part) {
            table_cell(t, mean_text(e, c, EXPLORE_BY_PART));
            table_cell(t, number_text(e, c->part_bits));
        } else {
            table_cell(t, bits_change(e, c));
        }
        for (size_t k = 0; k < e->figure_count; k++)
            table_cell(
                t, real_text(e, explore_wanted_figure(e, c, k, EXPLORE_NONE)));
        table_cell(t, front_letters(e, c));
    }
    table_print(t, 2, to);
}

/* Speed-ups of the workloads; what does not count says why in a word. */
static void put_workloads(const explore *e, const size_t *shown, size_t n,
                          FILE *to)
{
    table *t = table_new(e->mem, explore_width(e));

    fputs("\nspeed-up of each workload\n", to);
    begin_columns(e, t);
    for (size_t w = 0; w < e->workload_count; w++)
        table_column(t, e->workloads[w], false, false);
    for (size_t i = 0; i < n; i++) {
        const explore_config *c = &e->configs[shown[i]];

        begin_row(e, c, t);
        for (size_t w = 0; w < e->workload_count; w++) {
            const explore_cell *x = &c->cells[w];

            table_cell(t, !x->counts ? x->status
                          : isnan(x->ratio[EXPLORE_BY_SPEEDUP])
                              ? "no base"
                              : explore_times(e, x->ratio[EXPLORE_BY_SPEEDUP]));
        }
    }
    table_print(t, 2, to);
}

/* Why a mean is refused, or over what it is not. */
static void put_holes(const explore *e, const size_t *shown, size_t n, FILE *to)
{
    size_t told = 0, holed = 0;

    for (size_t i = 0; i < n; i++) {
        const explore_config *c = &e->configs[shown[i]];
        strbuf text = {0};

        holed += c->holes > 0;
        if (!c->holes || told == NOTES)
            continue;
        told++;
        strbuf_printf(&text, "#%" PRIu64 " %s %zu of %zu workloads:", c->number,
                      explore_complete(e, c) ? "is WITHOUT" : "lacks", c->holes,
                      e->workload_count);
        for (size_t w = 0; w < e->workload_count; w++)
            if (isnan(c->cells[w].ratio[EXPLORE_BY_SPEEDUP]))
                strbuf_printf(&text, " %s (%s)", e->workloads[w],
                              c->cells[w].counts ? "no base"
                                                 : c->cells[w].status);
        fprintf(to, "  %s\n",
                table_fit(e->mem, text.text, explore_width(e) - 2));
        strbuf_fini(&text);
    }
    if (holed > told)
        fprintf(to, "  and %s more configurations with holes\n",
                word_grouped(holed - told).s);
    if (holed && !e->options.allow_missing)
        fputs("  a mean over holes is REFUSED; --allow-missing makes it of "
              "what is there\n",
              to);
}

static void put_letters(const explore *e, FILE *to)
{
    paragraph p = start_paragraph(e, "  fronts:", to);

    for (size_t i = 0; i < e->front_count; i++)
        add_to_paragraph(&p,
                         arena_printf(e->mem, "%c %s%s", e->fronts[i].letter,
                                      e->fronts[i].name,
                                      i + 1 < e->front_count ? "," : ""));
    end_paragraph(&p);
}

static void put_config_list(const explore *e, const explore_view *v, FILE *to)
{
    size_t n, unknown, rows;
    size_t *shown = explore_shown(e, v, &n, &unknown);

    rows = v->rows && n > v->rows ? v->rows : n;
    fprintf(to, "\n%s configuration%s", word_grouped(n).s, word_plural(n));
    for (size_t i = 0; i < v->limit_count; i++)
        fprintf(to, "%s %.40s", i ? "," : " with", v->limits[i].text);
    if (v->limit_count)
        fprintf(to, ", of %s", word_grouped(e->config_count).s);
    if (rows < n)
        fprintf(to, "; %zu of them%s, --rows all shows all", rows,
                v->order ? "" : ", the fastest");
    fputc('\n', to);
    if (unknown)
        fprintf(to, "  %s left out: not known or refused\n",
                word_grouped(unknown).s);
    if (!n)
        return;
    put_figures(e, shown, rows, to);
    put_letters(e, to);
    put_holes(e, shown, rows, to);
    if (e->workload_count > 1)
        put_workloads(e, shown, rows, to);
}

void explore_text(const explore *e, const explore_view *v, FILE *to)
{
    put_heading(e, v, to);
    if (!e->config_count)
        return;
    put_config_list(e, v, to);
    if (!e->counting)
        return;
    explore_fronts_text(e, v, to);
    explore_effects_text(e, v, to);
    explore_contrasts_text(e, v, to);
    explore_crosses_text(e, to);
}
