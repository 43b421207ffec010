/* src/pages/page_explain_changes.c - what would help: gains that were tried,
 * and what the counters promise of the others. */
#include <math.h>

#include "pages/page_explain.h"

enum { BARS = 20 };

static word times_text(double v)
{
    word w;

    snprintf(w.s, sizeof w.s, "%.2f \u00d7", v);
    return w;
}

/* ---- Bars ---- */

static void put_gain_bars(page *p, const explain *x)
{
    static const char *const series[] = {"the whole run"};
    bars_row rows[BARS];
    size_t n = 0;

    for (size_t i = 0; i < x->trial_count && n < BARS; i++) {
        const explain_trial *t = &x->trials[i];

        if (t->gain > 0)
            rows[n++] = (bars_row){
                arena_printf(x->mem, "%s: %s", t->rule->id, t->rule->change),
                &t->gain, NULL, false};
    }
    if (n)
        chart_bars(p,
                   &(bars){.is = {"What changes gain",
                                  "times as fast as the run itself; each was "
                                  "simulated, everything else stayed",
                                  "gains", "change"},
                           .series = series,
                           .series_count = 1,
                           .rows = rows,
                           .count = n,
                           .ratio = true,
                           .left = "slower",
                           .right = "faster",
                           .show = times_text});
}

/* ---- In words ---- */

static void put_kernel_gains(page *p, const explain *x, const explain_trial *t)
{
    bool any = false;

    for (size_t i = 0; i < x->look_count; i++) {
        if (!explain_tells_gain(t, i, EXPLAIN_KERNELS))
            continue;
        page_printf(p, any ? ", %s %s" : " (%s %s", x->looks[i].name,
                    times_text(t->kernel_gain[i]).s);
        any = true;
    }
    if (any)
        page_printf(p, ")");
}

static void put_trial(page *p, const explain *x, const explain_trial *t)
{
    page_open(p, "li", NULL);
    if (t->gain > 0)
        page_strong(p, "%s", times_text(t->gain).s);
    else
        page_strong(p, "at most %s", times_text(explain_at_most(t->most)).s);
    page_printf(p, " %s: %s", t->rule->id, t->rule->change);
    if (t->gain > 0 && x->look_count > 1)
        put_kernel_gains(p, x, t);
    if (t->other_results)
        page_printf(p, " %s", EXPLAIN_OTHER_RESULTS);
    page_printf(p, ".");
    if (t->problem)
        page_printf(p, " Tried, without a result: %s.", t->problem);
    if (t->worst || x->look_count > 1) {
        page_printf(p, " ");
        page_code(p, "%s", x->looks[t->kernel].name);
        page_printf(p, t->worst ? ", " : ": ");
        if (t->worst)
            page_explain_line(p, x, t->kernel, t->worst);
        page_printf(p, t->worst ? ": " : "");
    } else {
        page_printf(p, " ");
    }
    page_printf(p, "%s", t->figure);
    if (t->rule->advice)
        page_printf(p, "%sWhat to do: %s", *t->figure ? ". " : "",
                    t->rule->advice);
    page_printf(p, ".");
    page_close(p, "li");
}

typedef enum group { TRIED, NOT_TRIED, OF_NO_MACHINE } group;

static group group_of(const explain_trial *t)
{
    if (t->gain > 0 || t->problem)
        return TRIED;
    return *t->sets ? NOT_TRIED : OF_NO_MACHINE;
}

static size_t put_group(page *p, const explain *x, group of, const char *title)
{
    size_t n = 0;

    for (size_t i = 0; i < x->trial_count; i++) {
        const explain_trial *t = &x->trials[i];

        if (group_of(t) != of || (of != TRIED && t->most < EXPLAIN_LEAST))
            continue;
        if (!n++) {
            page_heading(p, title);
            page_open(p, "ul", "changes");
        }
        put_trial(p, x, t);
    }
    if (n)
        page_close(p, "ul");
    return n;
}

void page_explain_changes(page *p, const explain *x)
{
    size_t n = 0;

    put_gain_bars(p, x);
    n += put_group(p, x, TRIED, "Tried in the simulator");
    n += put_group(p, x, NOT_TRIED, "Not tried; at most, by the counters");
    n += put_group(p, x, OF_NO_MACHINE,
                   "No change of the machine is like these; at most, by the "
                   "counters");
    if (!n)
        page_paragraph(p, "No rule says that there is something to gain.");
}

void page_explain_what_if(page *p, const what_if *w)
{
    static const page_column columns[] = {
        {.name = "parameter"},
        {.name = "instead of"},
        {.name = "times as fast", .number = true}};

    page_heading(p, "Every parameter of the machine by itself");
    page_table(p, "Parameters that change a cycle", "what-if", columns, 3);
    for (size_t i = 0; i < w->count; i++) {
        const what_if_change *c = &w->change[i];

        if (!(c->gain > 0) || fabs(c->gain - 1) < 0.001)
            continue;
        page_cell(p, "%s", c->set);
        page_cell(p, "%s", c->from);
        page_number(p, c->gain, "%.3f", c->gain);
    }
    page_table_end(p);
    page_note(p, "%zu others change less than 0.1 %%; %zu have no result.",
              w->same, w->failed);
}
