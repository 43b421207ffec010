/* src/validate/validate_text.c - rows and scores for people. */
#include <math.h>
#include <string.h>

#include "text/table.h"
#include "text/word.h"
#include "validate/validate.h"

enum { INDENT = 2 };

static const char *error_text(arena *mem, double error)
{
    return isnan(error) ? "-" : arena_printf(mem, "%+.1f %%", 100 * error);
}

static const char *number_text(arena *mem, double v)
{
    if (isnan(v))
        return "-";
    if (fabs(v) < 1000)
        return arena_printf(mem, "%.4g", v);
    if (fabs(v) < 1e15)
        return arena_strdup(mem, word_grouped((uint64_t)(fabs(v) + 0.5)).s);
    return arena_printf(mem, "%.6g", v);
}

/* ---- Rows ---- */

static bool begins_file(const validate *v, size_t i)
{
    return !i || v->rows[i].of != v->rows[i - 1].of;
}

static void put_file_head(const truth *t, const truth_row *first, FILE *to)
{
    fprintf(to, "%s", t->name);
    if (*t->device)
        fprintf(to, ", %s", t->device);
    fprintf(to, ", simulated: %s\n", first->gpu);
}

static const char *row_name(arena *mem, const truth_row *r)
{
    const char *plain = r->prints                     ? NULL
                        : r->probe                    ? r->metric
                        : strcmp(r->metric, "cycles") ? r->metric
                                                      : NULL;

    return plain && strcmp(plain, r->name)
               ? arena_printf(mem, "%s (%s)", r->name, plain)
               : r->name;
}

static table *rows_table(arena *mem, unsigned width)
{
    static const char *const heads[] = {"row",    "class", "input",
                                        "fitted", "half",  "unit",
                                        "device", "ours",  "error"};
    table *t = table_new(mem, width);

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        table_column(t, heads[i], i < 6, !i);
    return t;
}

static void add_row(const validate_row *r, arena *mem, table *t)
{
    const truth_row *is = r->is;

    table_cell(t, row_name(mem, is));
    table_cell(t, *is->class ? is->class : "-");
    table_cell(t, truth_input_text(is->input));
    table_cell(t, is->fitted ? "yes" : "no");
    table_cell(t, truth_half_text(is->half));
    table_cell(t, is->unit);
    table_cell(t, number_text(mem, is->value));
    table_cell(t, r->why ? "-" : number_text(mem, r->ours));
    table_cell(t, error_text(mem, validate_error(r)));
}

/* Of one file, from row `i` on; the row behind it. */
static size_t put_file(const validate *v, size_t i, unsigned width, FILE *to)
{
    arena *mem = arena_new();
    table *t = rows_table(mem, width);

    put_file_head(v->rows[i].of, v->rows[i].is, to);
    do
        add_row(&v->rows[i++], mem, t);
    while (i < v->count && !begins_file(v, i));
    table_print(t, INDENT, to);
    arena_free(mem);
    return i;
}

static void put_missing(const validate *v, FILE *to)
{
    if (v->measured == v->count)
        return;
    fprintf(to, "\nwithout a value: %zu of %zu rows\n", v->count - v->measured,
            v->count);
    for (size_t i = 0; i < v->count; i++)
        if (v->rows[i].why)
            fprintf(to, "  %s: %s\n", v->rows[i].is->name, v->rows[i].why);
}

/* ---- Scores ---- */

static table *scores_table(arena *mem, unsigned width)
{
    static const char *const heads[] = {"rows",        "n",     "MAPE",
                                        "median",      "corr.", "geomean",
                                        "worst error", "of row"};
    table *t = table_new(mem, width);

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        table_column(t, heads[i], !i || i == 7, !i);
    return t;
}

static const char *percent(arena *mem, double share)
{
    return isnan(share) ? "-" : arena_printf(mem, "%.1f %%", 100 * share);
}

/* The error of the worst row, by whoever the score is of. */
static double worst_error(const validate *v, const validate_score *s)
{
    const validate_row *r = &v->rows[s->is.worst];

    if (!s->is.count)
        return NAN;
    for (size_t i = 0; s->of && i < r->is->other_count; i++)
        if (!strcmp(r->is->others[i].name, s->of))
            return r->is->others[i].value / r->is->value - 1;
    return validate_error(r);
}

static void add_score_row(const validate *v, const validate_score *s,
                          arena *mem, table *t)
{
    const agreement *a = &s->is;

    table_cell(t, !strcmp(s->group, "all")
                      ? s->name
                      : arena_printf(mem, "%s: %s", s->group, s->name));
    table_cell(t, a->count == s->rows
                      ? arena_printf(mem, "%zu", s->rows)
                      : arena_printf(mem, "%zu of %zu", a->count, s->rows));
    table_cell(t, percent(mem, a->mape));
    table_cell(t, percent(mem, a->median));
    table_cell(t, isnan(a->correlation)
                      ? "-"
                      : arena_printf(mem, "%.4f", a->correlation));
    table_cell(t, isnan(a->geomean) ? "-"
                                    : arena_printf(mem, "%.3fx", a->geomean));
    table_cell(t, error_text(mem, worst_error(v, s)));
    table_cell(t, a->count ? v->rows[a->worst].is->name : "-");
}

static void put_scores(const validate *v, unsigned width, FILE *to)
{
    arena *mem = arena_new();
    table *t = scores_table(mem, width);

    fputs("\nagreement: errors are ours / device - 1, MAPE and median of their "
          "sizes\n",
          to);
    for (size_t i = 0; i < v->score_count; i++)
        add_score_row(v, &v->scores[i], mem, t);
    table_print(t, INDENT, to);
    arena_free(mem);
}

void validate_text(const validate *v, unsigned width, FILE *to)
{
    for (size_t i = 0; i < v->count;) {
        if (i)
            fputc('\n', to);
        i = put_file(v, i, width, to);
    }
    put_missing(v, to);
    for (size_t i = 0; i < v->note_count; i++)
        fprintf(to, "%s%s\n", i ? "" : "\n", v->notes[i]);
    put_scores(v, width, to);
    if (v->interrupted)
        fputs("\ninterrupted: rows that were not run have no value\n", to);
}
