/* heddle probe. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/commands/report.h"
#include "cli/keep.h"
#include "cli/signals.h"
#include "cli/simulation.h"
#include "config/print.h"
#include "probe/judge/probe_device.h"
#include "probe/judge/probe_emit.h"
#include "probe/judge/probe_text.h"
#include "probe/probe.h"

enum { PROBES = 64 };

typedef struct probe_args {
    cli_gpu gpu;
    const char *output; /* NULL: standard output */
    const char *emit;   /* file of the configuration found; NULL: none */
    const char *html;   /* of the page; NULL: none */
    const char *command;
    int format;
    uint64_t threads;
    bool quiet, list;
    bool wanted[PROBES], some;
    diag *dg;
    bool shown;     /* a line of progress stands there */
    unsigned width; /* of text, 0: not given */
} probe_args;

/* ---- Arguments ---- */

static void take_probe_option(cli_args *a, probe_args *x)
{
    if (cli_gpu_option(&x->gpu, a))
        return;
    if (cli_is(a, "output"))
        x->output = a->value;
    else if (cli_is(a, "emit-config"))
        x->emit = a->value;
    else if (cli_is(a, "html"))
        x->html = a->value;
    else if (cli_is(a, "format"))
        cli_take_format(a, &x->format);
    else if (cli_is(a, "threads"))
        cli_u64(a, 256, &x->threads);
    else if (cli_is(a, "list"))
        x->list = true;
    else if (cli_is(a, "quiet"))
        x->quiet = true;
    else if (cli_is(a, "width"))
        cli_take_width(a, &x->width);
}

/* False: there is no such probe; a message is printed. */
static bool take_probe(const cli_command *c, probe_args *x, const char *name)
{
    const probe_kind *k = probe_find(name);
    const char *names[PROBES];
    size_t n = 0;

    x->some = true;
    if (k) {
        x->wanted[k - probe_table] = true;
        return true;
    }
    for (; probe_table[n].name; n++)
        names[n] = probe_table[n].name;
    const char *near = suggest_nearest(name, names, n);
    if (near)
        cli_usage(c, "no probe '%s' (did you mean '%s'?)", name, near);
    else
        cli_usage(c, "no probe '%s'; 'heddle probe --list' lists them", name);
    return false;
}

static bool take_probes(cli_args *a, probe_args *x)
{
    for (int i = 0; cli_operand(a, i); i++)
        if (!take_probe(a->command, x, cli_operand(a, i)))
            return false;
    for (size_t i = 0; !x->some && probe_table[i].name; i++)
        x->wanted[i] = !probe_table[i].on_request;
    return true;
}

/* ---- Running ---- */

static void show_current_probe(void *arg, const probe_kind *k)
{
    probe_args *x = arg;

    if (x->quiet || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K%s: %s", k->name, k->help);
    x->shown = true;
}

static void write_probe_report(const probe_args *x, const probe_sheet *s,
                               FILE *to)
{
    if (x->format == FORMAT_JSON)
        probe_json(s, to);
    else if (x->format == FORMAT_CSV)
        probe_csv(s, to);
    else
        probe_text(s, to);
}

/* A probe that is named must fit the machine. */
static status all_fit(probe_args *x, const probe_machine *m)
{
    status st = ST_OK;

    for (const probe_kind *k = probe_table; x->some && k->name; k++)
        if (x->wanted[k - probe_table] && !probe_fits(k, m->family)) {
            diag_error(x->dg, "probe '%s': %s has nothing of that kind (%s)",
                       k->name, x->gpu.name, k->help);
            st = ST_USAGE;
        }
    return st;
}

static status run_probes(probe_args *x, const config *cfg, probe_found *found,
                         probe_sheet *sheet)
{
    rt_options how = {.threads = (unsigned)x->threads};
    probe_device *d = probe_device_new(cfg, &how, signals_stop(), x->dg);
    double began = clock_s();

    if (!d)
        return ST_NOMEM;
    status st = all_fit(x, probe_device_machine(d));
    if (st == ST_OK)
        st = probe_suite(&(probe_options){.machine = probe_device_machine(d),
                                          .wanted = x->wanted,
                                          .begins = show_current_probe,
                                          .arg = x},
                         found, x->dg);
    probe_effort e = probe_device_effort(d);
    probe_device_free(d);
    if (x->shown)
        fputs("\r\033[K", stderr);
    *sheet = (probe_sheet){.gpu = x->gpu.name,
                           .cfg = cfg,
                           .found = found,
                           .launches = e.launches,
                           .cycles = e.cycles,
                           .warp_insts = e.warp_insts,
                           .host_seconds = clock_s() - began};
    return st;
}

/* Probes the preset of the family, unless it is this machine, and writes what
 * differs. */
static status emit_config(probe_args *x, const config *cfg,
                          const probe_found *found)
{
    cli_gpu family = {.name = probe_preset(cfg)};
    int code;
    config_sheet *sheet = cli_gpu_sheet(&family, NULL, &code);
    const config *preset = config_sheet_values(sheet);
    probe_found base;
    probe_sheet unused;
    strbuf text = {0};
    status st = ST_OK;

    MUST(sheet != NULL);
    probe_found_init(&base);
    if (config_hash(preset) != config_hash(cfg))
        st = run_probes(x, preset, &base, &unused);
    if (st == ST_OK) {
        FILE *to = cli_output("probe", x->emit);

        probe_emit(found, base.value_count ? &base : found, preset, family.name,
                   &text);
        st = to ? ST_OK : ST_IO;
        if (to) {
            fputs(text.text, to);
            if (cli_output_end("probe", x->emit, to, 0))
                st = ST_IO;
        }
    }
    strbuf_fini(&text);
    probe_found_fini(&base);
    config_sheet_free(sheet);
    return st;
}

static int probe(probe_args *x)
{
    int code;
    config_sheet *sheet = cli_gpu_sheet(&x->gpu, "v100", &code);
    probe_found found;
    probe_sheet result;

    if (!sheet)
        return code;
    if (!x->gpu.name)
        x->gpu.name = "v100";
    FILE *to = NULL;
    code = cli_can_write(x->html);
    if (!code && !(to = cli_output("probe", x->output)))
        code = cli_exit_code(ST_IO);
    if (code) {
        config_sheet_free(sheet);
        return code;
    }
    probe_found_init(&found);
    x->dg = diag_new();
    signals_catch(NULL);
    const config *cfg = config_sheet_values(sheet);
    status st = run_probes(x, cfg, &found, &result);
    if (st == ST_OK && x->emit)
        st = emit_config(x, cfg, &found);
    if (st == ST_INTERRUPTED)
        diag_add(x->dg, DIAG_WARNING, NULL, 0, 0, 0,
                 "interrupted: only what was found so far is told");
    cli_report(x->dg);
    result.width = cli_text_width(to, x->width);
    if (st == ST_OK || found.value_count)
        write_probe_report(x, &result, to);
    code = cli_exit_code(st);
    if (st == ST_OK && x->html)
        code = report_probes(&result, x->command, x->html);
    diag_free(x->dg);
    probe_found_fini(&found);
    config_sheet_free(sheet);
    return cli_output_end("probe", x->output, to, code);
}

static int list_probes(void)
{
    for (const probe_kind *k = probe_table; k->name; k++)
        printf("%-12s %s\n", k->name, k->help);
    return 0;
}

int cli_probe(int argc, char **argv)
{
    cli_args a = cli_start("probe", argc, argv);
    probe_args x = {.threads = 1};
    strbuf command = {0};
    int code = 2;

    cli_command_line(argv, &command);
    x.command = command.text;
    while (cli_next(&a))
        take_probe_option(&a, &x);
    if (!a.wrong && x.list)
        code = list_probes();
    else if (!a.wrong && take_probes(&a, &x))
        code = probe(&x);
    cli_gpu_free(&x.gpu);
    strbuf_fini(&command);
    return cli_finish(code);
}
