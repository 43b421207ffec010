/* heddle cost. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/simulation.h"
#include "report/storage.h"

typedef struct cost_args {
    cli_gpu gpu; /* --set */
    const char **gpus;
    report_storage is; /* owns the texts of axes, the machines */
    int format;
} cost_args;

/* ---- Arguments ---- */

static void add_gpu(cost_args *x, const char *name)
{
    x->gpus = renew(x->gpus, x->is.gpu_count + 1, sizeof *x->gpus);
    x->gpus[x->is.gpu_count++] = name;
}

static void take_axis(cli_args *a, cost_args *x)
{
    char *text = new_text(a->value), *to = strchr(text, '='), *save = NULL;
    report_axis s = {.path = text};

    if (to)
        *to++ = '\0';
    for (char *v = to ? strtok_r(to, ",", &save) : NULL; v;
         v = strtok_r(NULL, ",", &save)) {
        s.values = renew(s.values, s.count + 1, sizeof *s.values);
        s.values[s.count++] = v;
    }
    if (s.count && *s.path && x->is.axis_count < REPORT_AXES) {
        x->is.axes[x->is.axis_count++] = s;
        return;
    }
    a->wrong = true;
    if (x->is.axis_count == REPORT_AXES)
        cli_usage(a->command, "--over: more than two parameters");
    else
        cli_usage(a->command, "--over: '%s' is not PATH=VALUE,VALUE,...",
                  a->value);
    free(s.values);
    free(text);
}

static void take_structure(cli_args *a, cost_args *x)
{
    const char *ids[COST_STRUCTURES];

    for (size_t i = 0; i < COST_STRUCTURES; i++) {
        ids[i] = cost_table[i].id;
        if (!strcmp(ids[i], a->value)) {
            x->is.wanted[i] = x->is.some = true;
            return;
        }
    }
    const char *near = suggest_nearest(a->value, ids, COST_STRUCTURES);
    a->wrong = true;
    if (near)
        cli_usage(a->command, "no structure '%s' (did you mean '%s'?)",
                  a->value, near);
    else
        cli_usage(a->command, "no structure '%s'; docs/cost.md lists them",
                  a->value);
}

static void take_cost_option(cli_args *a, cost_args *x)
{
    if (cli_is(a, "gpu"))
        add_gpu(x, a->value);
    else if (cli_gpu_option(&x->gpu, a))
        return;
    else if (cli_is(a, "over"))
        take_axis(a, x);
    else if (cli_is(a, "structure"))
        take_structure(a, x);
    else if (cli_is(a, "format"))
        cli_take_format(a, &x->format);
}

/* ---- Machines ---- */

static char *first_error_text(const diag *dg)
{
    for (size_t i = 0; i < diag_count(dg); i++)
        if (diag_get(dg, i)->level == DIAG_ERROR)
            return new_text(diag_get(dg, i)->text);
    return NULL;
}

static status set_all(const cost_args *x, const report_machine *p,
                      config_sheet *s, diag *dg)
{
    status st = config_sheet_load(s, p->gpu, dg);

    for (unsigned i = 0; i < x->gpu.set_count && st == ST_OK; i++)
        st = config_sheet_set(s, x->gpu.set[i], CONFIG_FROM_SET, dg);
    for (unsigned i = 0; i < x->is.axis_count && st == ST_OK; i++) {
        strbuf b = {0};

        strbuf_printf(&b, "%s=%s", x->is.axes[i].path, p->value[i]);
        st = config_sheet_set(s, b.text, CONFIG_FROM_AXIS, dg);
        strbuf_fini(&b);
    }
    return st;
}

/* 0, or the exit code after messages. */
static int make_point(const cost_args *x, report_machine *p)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    status st = ST_NOMEM;

    if (s && dg)
        st = set_all(x, p, s, dg);
    if (st == ST_OK) {
        diag_clear(dg);
        if (config_sheet_check(s, dg) != ST_OK)
            p->wrong = first_error_text(dg);
        cost_of(config_sheet_values(s), p->item);
        p->sum = cost_total(config_sheet_values(s));
    } else if (dg) {
        cli_report(dg);
    }
    diag_free(dg);
    config_sheet_free(s);
    return st == ST_OK ? 0 : cli_exit_code(st);
}

static int make_points(cost_args *x)
{
    unsigned n[REPORT_AXES] = {1, 1};
    int code = 0;

    for (unsigned i = 0; i < x->is.axis_count; i++)
        n[i] = x->is.axes[i].count;
    x->is.machines =
        new0((size_t)x->is.gpu_count * n[0] * n[1], sizeof *x->is.machines);
    for (unsigned g = 0; g < x->is.gpu_count; g++)
        for (unsigned i = 0; i < n[0]; i++)
            for (unsigned k = 0; k < n[1] && !code; k++) {
                report_machine *p = &x->is.machines[x->is.count++];

                p->gpu = x->gpus[g];
                p->value[0] =
                    x->is.axis_count > 0 ? x->is.axes[0].values[i] : NULL;
                p->value[1] =
                    x->is.axis_count > 1 ? x->is.axes[1].values[k] : NULL;
                code = make_point(x, p);
            }
    return code;
}

static void put_notes(const cost_args *x)
{
    for (size_t i = 0; i < x->is.count; i++) {
        const report_machine *p = &x->is.machines[i];

        if (!p->wrong)
            continue;
        fprintf(stderr, "heddle cost: note: %s", p->gpu);
        for (unsigned k = 0; k < x->is.axis_count; k++)
            fprintf(stderr, ", %s=%s", x->is.axes[k].path, p->value[k]);
        fprintf(stderr, " cannot be simulated: %s\n", p->wrong);
    }
}

static void put_cost_text(const cost_args *x)
{
    report_storage_text(&x->is, stdout);
    fflush(stdout);
    put_notes(x);
}

/* ---- The command ---- */

static void cost_args_fini(cost_args *x)
{
    for (size_t i = 0; i < x->is.count; i++)
        free(x->is.machines[i].wrong);
    for (unsigned i = 0; i < x->is.axis_count; i++) {
        free(x->is.axes[i].path);
        free(x->is.axes[i].values);
    }
    free(x->is.machines);
    free(x->gpus);
    cli_gpu_free(&x->gpu);
}

int cli_cost(int argc, char **argv)
{
    cli_args a = cli_start("cost", argc, argv);
    cost_args x = {0};
    int code = 2;

    while (cli_next(&a))
        take_cost_option(&a, &x);
    if (!a.wrong) {
        for (int i = 0; cli_operand(&a, i); i++)
            add_gpu(&x, cli_operand(&a, i));
        if (!x.is.gpu_count)
            add_gpu(&x, "v100");
        code = make_points(&x);
    }
    if (!code && x.format == FORMAT_JSON)
        report_storage_json(&x.is, stdout);
    else if (!code && x.format == FORMAT_CSV)
        report_storage_csv(&x.is, stdout);
    else if (!code)
        put_cost_text(&x);
    cost_args_fini(&x);
    return cli_finish(code);
}
