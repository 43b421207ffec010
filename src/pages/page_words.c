/* src/pages/page_words.c - see page_words.h. */
#include "pages/page_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "config/param.h"
#include "sm/sm.h"

const char *words_base(const compare *c)
{
    const char *label = c->sides[0].label;

    return strcmp(label, COMPARE_AS_IT_IS) ? label : "the base";
}

word words_times(double ratio)
{
    word w = {"-"};

    if (!isnan(ratio))
        snprintf(w.s, sizeof w.s, "%.3f \u00d7", ratio);
    return w;
}

word words_ratio(double ratio)
{
    word w = {"-"};

    if (!isnan(ratio))
        snprintf(w.s, sizeof w.s, "%.*f",
                 ratio > 0.9 && ratio < 1.1 ? 3
                 : ratio < 9.995            ? 2
                                            : 1,
                 ratio);
    return w;
}

word words_change(double share)
{
    word w = {"-"};

    if (!isnan(share) && !isinf(share))
        snprintf(w.s, sizeof w.s, "%s%.1f %%",
                 share < -0.0005  ? "\u2212"
                 : share > 0.0005 ? "+"
                                  : "",
                 fabs(share) < 0.0005 ? 0. : 100 * fabs(share));
    return w;
}

const char *words_stall(const char *name)
{
    if (!strcmp(name, "issued"))
        return "an instruction issued";
    for (size_t i = 0; i < sm_stats_block.count; i++)
        if (!strncmp(sm_stats_block.desc[i].id, "stall_", 6) &&
            !strcmp(sm_stats_block.desc[i].id + 6, name))
            return sm_stats_block.desc[i].help;
    return name;
}

/* The place of a name in a list; behind it if it is not there. */
static unsigned index_of_name(const char *const *list, size_t count,
                              const char *name)
{
    unsigned i = 0;

    while (i < count && strcmp(list[i], name) != 0)
        i++;
    return i;
}

/* Those that are seen most have colours of their own. */
unsigned words_stall_colour(const char *name)
{
    static const char *const order[] = {
        "issued", "raw_mem",  "no_warp",   "constant", "raw_alu",   "lsu_full",
        "icache", "barrier",  "fetch",     "raw_pred", "unit_busy", "branch",
        "drain",  "converge", "collector", "waw",      "fence",     "sleep"};

    return index_of_name(order, sizeof order / sizeof *order, name);
}

unsigned words_part_colour(const char *name)
{
    static const char *const order[] = {
        "sm_static", "board",     "sm_idle", "mem_static",   "dram",
        "l1",        "registers", "l2",      "front_static", "fetch",
        "noc",       "int",       "fp32",    "shared",       "pipeline",
        "lsu",       "scheduler", "ibuffer", "hazard",       "fp64",
        "half",      "tensor",    "sfu",     "constant",     "texture",
        "control",   "wake"};

    return index_of_name(order, sizeof order / sizeof *order, name);
}

/* ---- Configurations ---- */

static void put_param_value(const config *cfg, const config_param *x, page *p)
{
    strbuf b = {0};

    config_value(cfg, x, &b);
    page_cell(p, "%s", b.text ? b.text : "");
    strbuf_fini(&b);
}

static bool differs(const measure_side *sides, size_t count, size_t at,
                    const config_param *x)
{
    strbuf a = {0}, b = {0};
    bool found = false;

    config_value(sides[0].gpus[at].cfg, x, &a);
    for (size_t s = 1; s < count && !found; s++) {
        b.size = 0;
        config_value(sides[s].gpus[at].cfg, x, &b);
        found = strcmp(a.text ? a.text : "", b.size ? b.text : "") != 0;
    }
    strbuf_fini(&a);
    strbuf_fini(&b);
    return found;
}

static void put_difference(page *p, const measure_side *sides, size_t count,
                           size_t at)
{
    page_column *columns = new0(count + 3, sizeof *columns);
    size_t n = 0;
    char title[160];

    columns[n++] = (page_column){.name = "parameter"};
    for (size_t s = 0; s < count; s++)
        columns[n++] = (page_column){.name = sides[s].label, .number = true};
    columns[n++] = (page_column){.name = "unit"};
    columns[n++] = (page_column){.name = "meaning"};
    if (sides[0].from)
        snprintf(title, sizeof title, "Parameters that differ");
    else
        snprintf(title, sizeof title, "What differs on %.100s",
                 sides[0].gpus[at].name);
    page_table(p, title, "difference", columns, n);
    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *x = config_param_get(i);

        if (!differs(sides, count, at, x))
            continue;
        page_cell(p, "%s", x->path);
        for (size_t s = 0; s < count; s++)
            put_param_value(sides[s].gpus[at].cfg, x, p);
        page_cell(p, "%s", x->unit);
        page_cell(p, "%s", x->help);
    }
    page_table_end(p);
    free(columns);
}

static void put_all(page *p, const report_gpu *g, const char *label)
{
    const page_column columns[] = {{.name = "parameter"},
                                   {.name = "value", .number = true},
                                   {.name = "unit"},
                                   {.name = "meaning"}};
    char title[160];

    snprintf(title, sizeof title, "Every parameter of %.60s, %.60s", g->name,
             label);
    page_fold(p, title);
    page_table(p, title, "configuration", columns, 4);
    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *x = config_param_get(i);

        page_cell(p, "%s", x->path);
        put_param_value(g->cfg, x, p);
        page_cell(p, "%s", x->unit);
        page_cell(p, "%s", x->help);
    }
    page_table_end(p);
    page_fold_end(p);
}

void words_config_diff(page *p, const measure_side *sides, size_t count)
{
    for (size_t g = 0; g < sides[0].gpu_count; g++) {
        put_difference(p, sides, count, g);
        put_all(p, &sides[0].gpus[g], sides[0].label);
    }
}

/* ---- Origin ---- */

void words_origin(page *p, const page_origin *from)
{
    page_fact facts[4];
    size_t n = 0;

    if (from->command) {
        page_paragraph(p, "This command makes these results again, to the "
                          "last bit on any host and with any number of "
                          "jobs:");
        page_lines(p, from->command);
    }
    if (from->version)
        facts[n++] = (page_fact){"Heddle", from->version};
    if (from->build)
        facts[n++] = (page_fact){"build", from->build};
    if (from->date)
        facts[n++] = (page_fact){"date", from->date};
    if (from->host)
        facts[n++] = (page_fact){"host", from->host};
    page_facts(p, facts, n);
}

void words_tail(strbuf *to, const char *tail)
{
    while (*tail) {
        size_t n = strcspn(tail, "\n");

        strbuf_printf(to, "\n| %.*s", (int)n, tail);
        tail += n + (tail[n] == '\n');
    }
}

void words_outside(page *p, const strbuf *text)
{
    if (text->size)
        page_alarm(p, "Outside of buffers",
                   "Kernels accessed what lies beside what was allocated, "
                   "which no device notices (--strict makes it a fault):%s",
                   text->text);
}
