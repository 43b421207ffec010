#include "pages/page_validate.h"

#include <math.h>
#include <string.h>

static const char *class_of(const validate_row *r)
{
    return *r->is->class ? r->is->class : "no class";
}

static word value_word(double v)
{
    word w = {"-"};

    if (fabs(v) < 1000)
        snprintf(w.s, sizeof w.s, "%.4g", v);
    else if (fabs(v) < 1e15)
        w = word_grouped((uint64_t)(v + 0.5));
    else if (!isnan(v))
        snprintf(w.s, sizeof w.s, "%.6g", v);
    return w;
}

/* ---- What matters ---- */

static void put_figures(page *p, const validate *v)
{
    const agreement *a = &validate_all(v)->is;
    char text[5][32], rows[64];
    const page_figure shown[] = {
        {text[0], "mean absolute error", NULL},
        {text[1], "median absolute error", NULL},
        {text[2], "correlation", "of logarithms"},
        {text[3], "ours / device", "geometric mean"},
        {text[4], "rows", rows},
    };

    snprintf(text[0], sizeof text[0], "%s", word_percent(a->mape).s);
    snprintf(text[1], sizeof text[1], "%s", word_percent(a->median).s);
    snprintf(text[2], sizeof text[2], "%s", word_real(a->correlation, 4).s);
    snprintf(text[3], sizeof text[3], "%s", word_real(a->geomean, 3).s);
    snprintf(text[4], sizeof text[4], "%zu", a->count);
    snprintf(rows, sizeof rows, "of %zu", v->count);
    page_figures(p, shown, sizeof shown / sizeof *shown);
    if (a->count)
        page_paragraph(p, "The worst row is %s: %+.1f %%.",
                       v->rows[a->worst].is->name,
                       100 * validate_error(&v->rows[a->worst]));
    if (v->interrupted)
        page_alarm(p, "Interrupted.", "Rows that were not run have no value.");
}

/* ---- The chart ---- */

/* Classes in the order of the rows. */
static size_t find_classes(const validate *v, const char **names)
{
    size_t n = 0;

    for (size_t i = 0; i < v->count; i++) {
        size_t k = 0;

        while (k < n && strcmp(names[k], class_of(&v->rows[i])))
            k++;
        if (k == n)
            names[n++] = class_of(&v->rows[i]);
    }
    return n;
}

static const char *point_name(const validate *v, const validate_row *r)
{
    return strcmp(r->is->unit, "cycles")
               ? arena_printf(v->mem, "%s (%s)", r->is->name, r->is->unit)
               : r->is->name;
}

static void put_chart(page *p, const validate *v)
{
    const char **kinds = ARENA_ARRAY(v->mem, const char *, v->count + 1);
    agree_point *points = ARENA_ARRAY(v->mem, agree_point, v->count + 1);
    size_t kind_count = find_classes(v, kinds), n = 0;

    for (size_t i = 0; i < v->count; i++) {
        const validate_row *r = &v->rows[i];
        size_t kind = 0;

        if (r->why || !(r->ours > 0))
            continue;
        while (strcmp(kinds[kind], class_of(r)))
            kind++;
        points[n++] = (agree_point){.name = point_name(v, r),
                                    .x = r->is->value,
                                    .y = r->ours,
                                    .kind = kind};
    }
    if (!n)
        return;
    page_section(p, "Ours over the device's");
    chart_agree(
        p,
        &(agree){.is = {.title = "What was simulated over what was measured",
                        .about = "each mark a row, on logarithmic axes; on "
                                 "the line both are equal, in the dark band "
                                 "within 10 %, in the light one within 25 %; "
                                 "above it ours takes longer",
                        .file = "agreement",
                        .rows = "row"},
                 .x = "device",
                 .y = "ours",
                 .kinds_are = "class",
                 .kinds = kinds,
                 .kind_count = kind_count,
                 .points = points,
                 .count = n,
                 .show = value_word});
}

/* ---- Tables ---- */

static void put_share(page *p, double share)
{
    page_number(p, share, "%s", word_percent(share).s);
}

static void put_scores(page *p, const validate *v)
{
    static const page_column columns[] = {
        {.name = "rows"},
        {.name = "n", .number = true, .help = "those with a value"},
        {.name = "of", .number = true},
        {.name = "MAPE", .number = true, .help = "mean absolute error"},
        {.name = "median", .number = true, .help = "of the absolute errors"},
        {.name = "correlation", .number = true, .help = "of logarithms"},
        {.name = "ours / device", .number = true, .help = "geometric mean"},
        {.name = "worst row"},
    };

    page_section(p, "Agreement");
    page_table(p, "errors of rows together", "scores", columns,
               sizeof columns / sizeof *columns);
    for (size_t i = 0; i < v->score_count; i++) {
        const validate_score *s = &v->scores[i];

        if (strcmp(s->group, "all"))
            page_cell(p, "%s: %s", s->group, s->name);
        else
            page_cell(p, "%s", s->name);
        page_number(p, (double)s->is.count, "%zu", s->is.count);
        page_number(p, (double)s->rows, "%zu", s->rows);
        put_share(p, s->is.mape);
        put_share(p, s->is.median);
        page_number(p, s->is.correlation, "%s",
                    word_real(s->is.correlation, 4).s);
        page_number(p, s->is.geomean, "%s", word_real(s->is.geomean, 3).s);
        page_cell(p, "%s", s->is.count ? v->rows[s->is.worst].is->name : "-");
    }
    page_table_end(p);
}

static void put_row(page *p, const validate_row *r)
{
    const truth_row *is = r->is;
    double error = validate_error(r);

    if (r->why)
        page_row_bad(p);
    page_cell(p, "%s", is->name);
    page_cell(p, "%s", is->kernel ? is->kernel : "all");
    page_cell(p, "%s", class_of(r));
    page_cell(p, "%s", truth_input_text(is->input));
    page_cell(p, "%s", is->fitted ? "yes" : "no");
    page_cell(p, "%s", is->metric);
    page_cell(p, "%s", is->unit);
    page_number(p, is->value, "%s", value_word(is->value).s);
    page_number(p, r->why ? NAN : r->ours, "%s",
                r->why ? "-" : value_word(r->ours).s);
    if (isnan(error))
        page_number(p, NAN, "-");
    else
        page_number(p, error, "%+.1f %%", 100 * error);
    page_cell(p, "%s", is->source);
}

static void put_rows(page *p, const validate *v)
{
    static const page_column columns[] = {
        {.name = "row"},
        {.name = "kernel", .help = "of one the mean of a launch"},
        {.name = "class"},
        {.name = "input", .help = "is it that of the measurement?"},
        {.name = "fitted", .help = "was a parameter fitted to it?"},
        {.name = "metric"},
        {.name = "unit"},
        {.name = "device", .number = true},
        {.name = "ours", .number = true},
        {.name = "error", .number = true},
        {.name = "source", .help = "docs/sources.md has the keys"},
    };

    for (size_t i = 0; i < v->count;) {
        const truth *t = v->rows[i].of;

        page_section(p, t->name);
        page_paragraph(p, "%s%sSimulated: %s.", t->device,
                       *t->device ? ". " : "", v->rows[i].is->gpu);
        page_table(p, t->name, "rows", columns,
                   sizeof columns / sizeof *columns);
        for (; i < v->count && v->rows[i].of == t; i++)
            put_row(p, &v->rows[i]);
        page_table_end(p);
    }
}

static void put_missing(page *p, const validate *v)
{
    if (v->measured == v->count && !v->note_count)
        return;
    page_section(p, "What is missing");
    page_open(p, "ul", NULL);
    for (size_t i = 0; i < v->count; i++)
        if (v->rows[i].why) {
            page_open(p, "li", NULL);
            page_strong(p, "%s", v->rows[i].is->name);
            page_printf(p, ": %s", v->rows[i].why);
            page_close(p, "li");
        }
    for (size_t i = 0; i < v->note_count; i++) {
        page_open(p, "li", NULL);
        page_printf(p, "%s", v->notes[i]);
        page_close(p, "li");
    }
    page_close(p, "ul");
}

page *page_validate(const validate *v, const page_origin *from)
{
    page *p = page_new("Validation", "what was simulated beside what was "
                                     "measured on real GPUs");

    put_figures(p, v);
    put_missing(p, v);
    put_chart(p, v);
    put_scores(p, v);
    put_rows(p, v);
    page_section(p, "About");
    words_origin(p, from);
    return p;
}
