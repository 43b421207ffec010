#include "pages/page_explain.h"

#include <math.h>

#include "page/chart/chart.h"

enum {
    CODE_ROOM = 2000 * 1000, /* bytes of all source views */
    TABLED = 300             /* kernels */
};

static void put_bound(page *p, const look *k)
{
    const bounds *b = &k->b;

    if (b->first.kind == BOUND_NOTHING) {
        page_printf(p, "nothing was timed");
        return;
    }
    page_printf(p, "bound %s by ", bound_sure_name(b->sure));
    page_strong(p, "%s", bound_name(&b->first));
    page_printf(p, ": %s", bound_figure(&b->first).s);
    if (b->next.kind != BOUND_NOTHING)
        page_printf(p, "; next %s, %s", bound_name(&b->next),
                    bound_figure(&b->next).s);
}

static const explain_trial *best_trial(const explain *x)
{
    const explain_trial *best = NULL;

    for (size_t i = 0; i < x->trial_count; i++)
        if (x->trials[i].gain > 0 && (!best || x->trials[i].gain > best->gain))
            best = &x->trials[i];
    return best;
}

/* The one sentence that matters. */
static void put_lead(page *p, const explain *x)
{
    const explain_trial *best = best_trial(x);
    const look *k = &x->looks[0];

    page_open(p, "p", "lead");
    page_code(p, "%s", k->name);
    page_printf(p, x->look_count > 1 ? ", %s of the cycles, is " : " is ",
                word_percent(k->share).s);
    put_bound(p, k);
    page_printf(p, ".");
    if (best && best->gain >= 1.005) {
        page_printf(p, " Of the changes that were tried, ");
        page_strong(p, "%s", best->rule->change);
        page_printf(p, " gains most: ");
        page_strong(p, "%.2f \u00d7 as fast", best->gain);
        if (best->worst) {
            page_printf(p, "; the line is ");
            page_explain_line(p, x, best->kernel, best->worst);
        }
        page_printf(p, ".");
    }
    page_close(p, "p");
}

static void put_kernel_list(page *p, const explain *x)
{
    static const page_column columns[] = {
        {.name = "kernel"},
        {.name = "of the cycles", .number = true},
        {.name = "cycles", .number = true},
        {.name = "launches", .number = true},
        {.name = "bound by"},
        {.name = "how sure"},
        {.name = "warps of an SM", .number = true},
        {.name = "lanes",
         .number = true,
         .help = "that execute, on average, of 32"}};

    page_section(p, "Kernels");
    page_table(p, "What bounds each kernel", "kernels", columns, 8);
    for (size_t i = 0; i < x->look_count && i < TABLED; i++) {
        const look *k = &x->looks[i];

        page_cell(p, "%s", k->name);
        page_number(p, k->share, "%s", word_percent(k->share).s);
        page_number(p, (double)k->cycles, "%s", word_grouped(k->cycles).s);
        page_number(p, (double)k->launches, "%s", word_grouped(k->launches).s);
        page_cell(p, "%s: %s", bound_name(&k->b.first),
                  bound_figure(&k->b.first).s);
        page_cell(p, "%s", bound_sure_name(k->b.sure));
        page_number(p, k->f.warps, "%s", word_real(k->f.warps, 1).s);
        page_number(p, k->lanes * ISA_WARP, "%s",
                    word_real(k->lanes * ISA_WARP, 1).s);
    }
    page_table_end(p);
    if (x->look_count > TABLED)
        page_note(p, "The %d that took longest of %zu.", (int)TABLED,
                  x->look_count);
}

static void put_facts(page *p, const explain *x, const char *name,
                      const page_origin *from)
{
    page_fact f[5];
    size_t n = 0;

    f[n++] = (page_fact){"workload", name};
    f[n++] = (page_fact){"GPU", x->looks[0].cfg->gpu.name};
    if (from->date)
        f[n++] = (page_fact){"date", from->date};
    if (from->version)
        f[n++] = (page_fact){"Heddle", from->version};
    page_facts(p, f, n);
}

static void put_kernels(page *p, const explain *x)
{
    size_t room = CODE_ROOM;

    for (size_t i = 0; i < x->look_count && i < EXPLAIN_KERNELS; i++) {
        const look *k = &x->looks[i];

        if (x->look_count > 1) {
            page_part(p, k->name);
            page_open(p, "p", NULL);
            page_printf(p, "It is ");
            put_bound(p, k);
            page_printf(p, ".");
            page_close(p, "p");
            page_explain_facts(p, x, i);
        }
        page_explain_kernel(p, x, i);
        page_explain_code(p, x, i, &room);
    }
    if (x->look_count > EXPLAIN_KERNELS)
        page_note(p,
                  "The %d kernels that took longest are told of here, of %zu; "
                  "--format json tells of all.",
                  (int)EXPLAIN_KERNELS, x->look_count);
}

page *page_explain(const explain *x, const what_if *w, const char *name,
                   const page_origin *from)
{
    strbuf title = {0};
    page *p;

    strbuf_printf(&title, "What bounds %s", name);
    p = page_new(title.text, "and what would make it faster");
    strbuf_fini(&title);
    put_facts(p, x, name, from);
    put_lead(p, x);
    if (x->look_count == 1)
        page_explain_facts(p, x, 0);
    else
        put_kernel_list(p, x);
    page_section(p, "What would help");
    page_explain_changes(p, x);
    if (w)
        page_explain_what_if(p, w);
    page_section(p, "Roofs");
    page_explain_roofs(p, x);
    put_kernels(p, x);
    if (x->look_count > 1)
        page_part(p, "How to reproduce");
    else
        page_section(p, "How to reproduce");
    words_origin(p, from);
    return p;
}
