/* heddle config and heddle list. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cli/cli.h"
#include "config/preset.h"
#include "config/print.h"
#include "report/counters.h"
#include "study/mechanism_fit.h"

static int show_config(const cli_gpu *g, bool canonical)
{
    int code;
    strbuf b = {0};
    config_sheet *s = cli_gpu_sheet(g, "v100", &code);

    if (!s)
        return code;
    if (canonical)
        config_dump(config_sheet_values(s), &b);
    else
        config_show(s, &b);
    fputs(b.text ? b.text : "", stdout);
    strbuf_fini(&b);
    config_sheet_free(s);
    return 0;
}

static int compare_configs(const cli_gpu *g, const char *first,
                           const char *second)
{
    cli_gpu one = *g, two = *g;
    strbuf b = {0};
    int code;

    one.name = first;
    two.name = second;
    config_sheet *s = cli_gpu_sheet(&one, NULL, &code);
    config_sheet *t = s ? cli_gpu_sheet(&two, NULL, &code) : NULL;
    if (s && t) {
        config_diff(config_sheet_values(s), config_sheet_values(t), &b);
        fputs(b.text ? b.text : "", stdout);
    }
    strbuf_fini(&b);
    config_sheet_free(s);
    config_sheet_free(t);
    return code;
}

static int explain_param(const cli_gpu *g, const char *path)
{
    int code;
    strbuf b = {0};
    config_sheet *s = cli_gpu_sheet(g, "v100", &code);
    diag *dg = diag_new();

    if (s) {
        code = cli_exit_code(config_explain(s, path, &b, dg));
        fputs(b.text ? b.text : "", stdout);
    }
    cli_report(dg);
    diag_free(dg);
    strbuf_fini(&b);
    config_sheet_free(s);
    return code;
}

static int check_config(const cli_gpu *g)
{
    int code;
    config_sheet *s = cli_gpu_sheet(g, "v100", &code);

    if (s)
        printf("%s: right, %zu parameters\n", g->name ? g->name : "v100",
               config_param_count());
    config_sheet_free(s);
    return code;
}

int cli_config(int argc, char **argv)
{
    cli_args a = cli_start("config", argc, argv);
    cli_gpu g = {0};
    bool canonical = false;
    int code;

    while (cli_next(&a)) {
        if (cli_gpu_option(&g, &a))
            continue;
        if (cli_is(&a, "canonical"))
            canonical = true;
    }
    const char *what = cli_operand(&a, 0), *x = cli_operand(&a, 1),
               *y = cli_operand(&a, 2);
    if (a.wrong)
        code = 2;
    else if (!what)
        code = cli_usage(a.command, "expected show, diff, explain or check");
    else if (!strcmp(what, "show") && !y) {
        g.name = x ? x : g.name;
        code = show_config(&g, canonical);
    } else if (!strcmp(what, "check") && !y) {
        g.name = x ? x : g.name;
        code = check_config(&g);
    } else if (!strcmp(what, "diff") && y && !cli_operand(&a, 3))
        code = compare_configs(&g, x, y);
    else if (!strcmp(what, "explain") && x && !y)
        code = explain_param(&g, x);
    else
        code = cli_usage(a.command,
                         "expected 'show [GPU]', 'check [GPU]', 'diff GPU GPU' "
                         "or 'explain PATH'");
    cli_gpu_free(&g);
    return cli_finish(code);
}

/* ---- list ---- */

static void list_gpus(void)
{
    for (size_t i = 0; i < config_preset_count(); i++) {
        const config_preset *p = config_preset_get(i);
        strbuf b = {0};

        config_preset_summary(p, &b);
        printf("%-10s %s\n", p->name, b.text ? b.text : "");
        strbuf_fini(&b);
    }
}

static void list_choices(const char *path)
{
    const config_param *p = config_param_find(path);

    printf("%s\n", path);
    for (size_t i = 0; p && i < p->choice_count; i++)
        printf("    %-16s %s\n", p->choices[i].text, p->choices[i].help);
}

enum { LIST_LEFT = 21 };

static void print_line(strbuf *b)
{
    printf("%*s", LIST_LEFT, "");
    cli_fold(b->text, LIST_LEFT, stdout);
    strbuf_fini(b);
}

/* The first preset that has the reason of preset `i`. */
static size_t first_of(const strbuf *why, size_t i)
{
    size_t k = 0;

    while (!why[k].text || strcmp(why[k].text, why[i].text))
        k++;
    return k;
}

/* "on a100 h100", and "not on k20: why" once for each reason. `why` has a text
 * for each preset on which the mechanism cannot be compared. */
static void list_where(const mechanism *m, const strbuf *why)
{
    const char *usual = m->gpu ? m->gpu : "v100";
    size_t presets = config_preset_count();
    strbuf line = {0};

    strbuf_puts(&line, "on");
    for (size_t i = 0; i < presets; i++) {
        const char *name = config_preset_get(i)->name;

        if (!why[i].text)
            strbuf_printf(&line, " %s%s", name,
                          !strcmp(usual, name) ? " (usual)" : "");
    }
    print_line(&line);
    for (size_t i = 0; i < presets; i++) {
        if (!why[i].text || first_of(why, i) < i)
            continue;
        strbuf_puts(&line, "not on");
        for (size_t k = i; k < presets; k++)
            if (why[k].text && first_of(why, k) == i)
                strbuf_printf(&line, " %s", config_preset_get(k)->name);
        strbuf_printf(&line, ": %s", why[i].text);
        print_line(&line);
    }
}

static void list_mechanism(const mechanism *m, config_sheet *const *sheets)
{
    strbuf about = {0};
    strbuf *why = new0(config_preset_count(), sizeof *why);

    printf("    %-16s ", m->name);
    cli_fold(m->about, LIST_LEFT, stdout);
    strbuf_printf(&about, "for %s", m->where);
    print_line(&about);
    for (size_t i = 0; i < config_preset_count(); i++)
        mechanism_fits(m, config_preset_get(i)->name,
                       config_sheet_values(sheets[i]), &why[i]);
    list_where(m, why);
    for (size_t i = 0; i < config_preset_count(); i++)
        strbuf_fini(&why[i]);
    free(why);
}

/* What can be compared by name: what it is, what for, and on which presets. */
static void list_comparisons(void)
{
    size_t presets = config_preset_count();
    config_sheet **sheets = new0(presets, sizeof *sheets);
    diag *dg = diag_new();

    for (size_t i = 0; i < presets; i++) {
        sheets[i] = config_sheet_new();
        config_sheet_load(sheets[i], config_preset_get(i)->name, dg);
    }
    for (size_t i = 0; i < mechanism_count(); i++)
        list_mechanism(mechanism_get(i), sheets);
    for (size_t i = 0; i < presets; i++)
        config_sheet_free(sheets[i]);
    free(sheets);
    diag_free(dg);
}

/* What can be compared by name, and every parameter that chooses among
 * policies. */
static void list_mechanisms(void)
{
    static const char *const paths[] = {
        "sm.issue.scheduler", "sm.issue.hazard", "sm.fetch.front_end",
        "sm.rf.collect",      "sm.rf.bank_map",  "sm.lsu.coalesce",
        "l1.queue",           "l1.alloc",        "l1.write",
        "l1.index",           "l2.write",        "gpu.dispatch",
        "dram.scheduler",     "dram.page"};

    puts("for 'heddle compare':");
    list_comparisons();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        list_choices(paths[i]);
}

int cli_list(int argc, char **argv)
{
    cli_args a = cli_start("list", argc, argv);

    while (cli_next(&a))
        continue;
    const char *what = cli_operand(&a, 0);
    if (a.wrong)
        return 2;
    if (!what || cli_operand(&a, 1))
        return cli_usage(a.command, "expected gpus, mechanisms or stats");
    if (!strcmp(what, "gpus"))
        list_gpus();
    else if (!strcmp(what, "mechanisms"))
        list_mechanisms();
    else if (!strcmp(what, "stats"))
        report_counter_list(stdout);
    else
        return cli_usage(a.command,
                         "unknown list '%s'; there are gpus, mechanisms, stats",
                         what);
    return cli_finish(0);
}
