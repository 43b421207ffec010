/* src/pages/page_compare_view.c - the view of a comparison: parts of the base's
 * whole as bars, and everything as tables. */
#include <ctype.h>
#include <math.h>

#include "compare/compare_view.h"
#include "pages/page_compare.h"

static bool has_whole(const compare *c, const double *base)
{
    return compare_view_whole(c, base) > 0;
}

/* ---- Bars ---- */

/* The parts only, in their order. */
static const double *parts_of(const compare *c, const double *base,
                              const double *values)
{
    size_t n = view_count_of(c->view, VIEW_PART);
    double *to = ARENA_ARRAY(c->mem, double, n);

    for (size_t i = 0; i < n; i++)
        to[i] = compare_view_shown(c, base, values, i);
    return to;
}

static stack_group group_of(const compare *c, const char *name,
                            double *const *values)
{
    stack_bar *bar = ARENA_ARRAY(c->mem, stack_bar, c->side_count);

    for (size_t s = 0; s < c->side_count; s++)
        bar[s] =
            (stack_bar){c->sides[s].label, parts_of(c, values[0], values[s])};
    return (stack_group){name, bar, c->side_count};
}

static const char *capital(const compare *c, const char *text)
{
    return arena_printf(c->mem, "%c%s", toupper((unsigned char)*text),
                        text + 1);
}

static void put_view_bars(page *p, const compare *c)
{
    size_t parts = view_count_of(c->view, VIEW_PART), n = 0;
    stack_group *groups = ARENA_ARRAY(c->mem, stack_group, c->count + 1);
    const char **names = ARENA_ARRAY(c->mem, const char *, parts);

    for (size_t i = 0; i < parts; i++)
        names[i] = c->view->items[i].name;
    for (size_t w = 0; w < c->count; w++) {
        const compare_workload *x = &c->workloads[w];

        if (compare_view_counts(c, x) && has_whole(c, x->view[0]))
            groups[n++] = group_of(c, x->is.label, x->view);
    }
    if (!n) {
        page_paragraph(p, "None on %s.", words_base(c));
        return;
    }
    if (n > 1)
        groups[n++] = group_of(c, "all together", c->view_all);
    chart_stack(p,
                &(stack){.is = {capital(c, c->view->title),
                                arena_printf(c->mem,
                                             "in percent of those of %s on the "
                                             "same workload",
                                             words_base(c)),
                                "view", "workload"},
                         .parts = names,
                         .part_count = parts,
                         .groups = groups,
                         .count = n});
}

static void put_meanings(page *p, const compare *c)
{
    const view *v = c->view;

    if (!v->items[0].help)
        return;
    page_fold(p, "What the names mean");
    page_open(p, "ul", NULL);
    for (size_t i = 0; i < view_count(v); i++) {
        page_open(p, "li", NULL);
        page_strong(p, "%s", v->items[i].name);
        page_printf(p, " %s: ", v->items[i].help ? v->items[i].help : "");
        page_code(p, "%s", v->items[i].formula);
        page_close(p, "li");
    }
    page_close(p, "ul");
    page_fold_end(p);
}

/* ---- Tables ---- */

static void put_shown(page *p, double v, view_kind kind)
{
    double shown = kind == VIEW_FIGURE ? v : 100 * v;
    int digits = kind != VIEW_FIGURE ? 1
                 : fabs(v) < 10      ? 3
                 : fabs(v) < 1000    ? 1
                                     : 0;

    page_number(p, shown, "%s", word_real(shown, digits).s);
}

static void put_view_row(page *p, const compare *c, const char *name, size_t s,
                         double *const *values)
{
    const view *v = c->view;
    size_t parts = view_count_of(v, VIEW_PART);
    double whole = compare_view_whole_shown(c, values[0], values[s]);

    page_cell(p, "%s", name);
    page_cell(p, "%s", c->sides[s].label);
    for (size_t i = 0; i < view_count(v); i++) {
        put_shown(p, compare_view_shown(c, values[0], values[s], i),
                  v->items[i].kind);
        if (i + 1 == parts)
            put_shown(p, whole, VIEW_PART);
    }
}

static void put_view_table(page *p, const compare *c)
{
    page_column columns[VIEW_ITEMS + 3] = {{.name = "workload"},
                                           {.name = "side"}};
    const view *v = c->view;
    size_t n = 2, parts = view_count_of(v, VIEW_PART);

    for (size_t i = 0; i < view_count(v); i++) {
        columns[n++] =
            (page_column){.name = v->items[i].name,
                          .unit = v->items[i].kind == VIEW_FIGURE ? NULL : "%",
                          .number = true,
                          .help = v->items[i].help};
        if (i + 1 == parts)
            columns[n++] =
                (page_column){.name = "all", .unit = "%", .number = true};
    }
    page_table(p,
               parts ? arena_printf(c->mem, "Shares of those of %s; figures",
                                    words_base(c))
                     : "Figures",
               "view", columns, n);
    for (size_t w = 0; w < c->count; w++)
        for (size_t s = 0; s < c->side_count; s++)
            if (compare_view_counts(c, &c->workloads[w]))
                put_view_row(p, c, c->workloads[w].is.label, s,
                             c->workloads[w].view);
    for (size_t s = 0; s < c->side_count && c->count > 1; s++) {
        page_row_sum(p);
        put_view_row(p, c, "all together", s, c->view_all);
    }
    page_table_end(p);
}

void page_compare_view(page *p, const compare *c)
{
    if (!compare_view_any(c))
        return;
    page_section(p, view_count_of(c->view, VIEW_PART) ? "Shares and figures"
                                                      : "Figures");
    if (view_count_of(c->view, VIEW_PART))
        put_view_bars(p, c);
    put_meanings(p, c);
    put_view_table(p, c);
}
