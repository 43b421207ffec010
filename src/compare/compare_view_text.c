/* src/compare/compare_view_text.c - the view of a comparison for people: shares
 * of the base's whole, workload by workload and side by side, then figures. */
#include <math.h>
#include <string.h>

#include "compare/compare_view.h"
#include "text/word.h"

enum { SIDE = 13, WHOLE = VIEW_ITEMS };

/* Columns `first` to before `end` of a table, and where to. The sum of the
 * parts is a column behind them. */
typedef struct block {
    const compare *c;
    FILE *to;
    int name, column; /* their widths */
    size_t first, end;
    bool shares;
} block;

/* The item in a column, or WHOLE. */
static size_t item_of(const compare *c, size_t column)
{
    size_t parts = view_count_of(c->view, VIEW_PART);

    if (!parts || column < parts)
        return column;
    return column == parts ? WHOLE : column - 1;
}

/* Many digits only where there are few before the point. */
static word plain_number(double v)
{
    return word_real(v, fabs(v) < 10 ? 3 : fabs(v) < 1000 ? 1 : 0);
}

static void put_view_head(const block *b)
{
    fprintf(b->to, "%-*s %-*s", b->name, "workload", SIDE, "side");
    for (size_t i = b->first; i < b->end; i++) {
        size_t item = item_of(b->c, i);

        fprintf(b->to, " %*.*s", b->column, b->column,
                item == WHOLE ? "all" : b->c->view->items[item].name);
    }
    fputc('\n', b->to);
}

/* `told` has a value of each item and of the whole. */
static void put_view_line(const block *b, const char *name, size_t s,
                          const double told[WHOLE + 1])
{
    fprintf(b->to, "%-*.*s %-*.*s", b->name, b->name, s ? "" : name, SIDE, SIDE,
            b->c->sides[s].label);
    for (size_t i = b->first; i < b->end; i++) {
        double v = told[item_of(b->c, i)];

        fprintf(b->to, " %*s", b->column,
                b->shares ? word_real(100 * v, 1).s : plain_number(v).s);
    }
    fputc('\n', b->to);
}

static void put_sides(const block *b, const char *name, double *const *values)
{
    const compare *c = b->c;
    double told[WHOLE + 1];

    for (size_t s = 0; s < c->side_count; s++) {
        for (size_t i = 0; i < view_count(c->view); i++)
            told[i] = compare_view_shown(c, values[0], values[s], i);
        told[WHOLE] = compare_view_whole_shown(c, values[0], values[s]);
        put_view_line(b, name, s, told);
    }
}

/* Each workload counts the same, however many its base has. */
static void put_means(const block *b)
{
    const compare *c = b->c;
    size_t n = 0;
    double told[WHOLE + 1];
    char name[32];

    for (size_t s = 0; s < c->side_count; s++) {
        told[WHOLE] = 0;
        for (size_t i = view_count(c->view); i-- > 0;) {
            told[i] = compare_view_mean(c, s, i, &n);
            if (c->view->items[i].kind == VIEW_PART)
                told[WHOLE] += told[i];
        }
        snprintf(name, sizeof name, "mean of %zu", n);
        put_view_line(b, name, s, told);
    }
}

static void put_block(const block *b)
{
    const compare *c = b->c;
    size_t counted = 0;

    put_view_head(b);
    for (size_t w = 0; w < c->count; w++) {
        const compare_workload *x = &c->workloads[w];

        if (!compare_view_counts(c, x))
            continue;
        if (b->shares && !(compare_view_whole(c, x->view[0]) > 0)) {
            fprintf(b->to, "%-*.*s none on %.40s\n", b->name, b->name,
                    x->is.label, c->sides[0].label);
            continue;
        }
        put_sides(b, x->is.label, x->view);
        counted++;
    }
    if (counted < 2)
        return;
    if (b->shares)
        put_means(b);
    put_sides(b, "all together", c->view_all);
}

/* As many tables as are needed for the columns. */
static void put_blocks(block b, size_t first, size_t end, int width)
{
    size_t room = (size_t)((width - b.name - SIDE - 1) / (b.column + 1));

    for (size_t i = first; i < end; i += room) {
        b.first = i;
        b.end = i + room < end ? i + room : end;
        if (i > first || !b.shares)
            fputc('\n', b.to);
        put_block(&b);
    }
}

/* What the names of the columns stand for, where there is a help. */
static void put_legend(const compare *c, int width, FILE *to)
{
    for (size_t i = 0; i < view_count(c->view); i++) {
        const view_item *v = &c->view->items[i];
        int at = v->help ? fprintf(to, "  %s:", v->name) : 0;

        for (const char *s = v->help; s && *s; s += strspn(s, " ")) {
            int n = (int)strcspn(s, " ");

            if (at + 1 + n > width)
                at = fprintf(to, "\n   ") - 1;
            at += fprintf(to, " %.*s", n, s);
            s += n;
        }
        if (v->help)
            fputc('\n', to);
    }
}

void compare_view_text(const compare *c, int width, int name, FILE *to)
{
    block b = {.c = c, .to = to, .name = name, .column = width < 100 ? 6 : 8};
    size_t parts, shares, all;
    int left;

    if (!compare_view_any(c))
        return;
    parts = view_count_of(c->view, VIEW_PART);
    shares = view_first(c->view, VIEW_FIGURE) + (parts > 0);
    all = view_count(c->view) + (parts > 0);
    if (parts) {
        left = width - (int)strlen(c->view->title) - 10;
        fprintf(to, "\n%.*s, %% of %.*s's\n", width - 20, c->view->title,
                left < 10 ? 10 : left, c->sides[0].label);
        b.shares = true;
        put_blocks(b, 0, shares, width);
    }
    b.shares = false;
    b.column = width < 100 ? 7 : 8;
    put_blocks(b, shares, all, width);
    put_legend(c, width, to);
    if (c->view->note)
        fprintf(to, "  %s\n", c->view->note);
}
