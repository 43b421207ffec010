/* heddle config and heddle list. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "config/preset.h"
#include "config/print.h"
#include "report/counters.h"
#include "study/mechanism.h"

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
        printf("    %-14s %s\n", p->choices[i].text, p->choices[i].help);
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
    for (size_t i = 0; i < mechanism_count(); i++) {
        printf("    %-14s ", mechanism_get(i)->name);
        cli_fold(mechanism_get(i)->about, 19, stdout);
    }
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
