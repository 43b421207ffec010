/* heddle validate. */
#include "cli/commands/validate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands/report.h"
#include "cli/jobs.h"

/* ---- Arguments ---- */

static void take_row_option(cli_args *a, validate_args *x)
{
    suite_texts *to = &x->only;

    to->text = arena_renew(x->is.mem, to->text, to->count, to->count + 1,
                           sizeof *to->text);
    to->text[to->count++] = a->value;
}

static void take_validate_option(cli_args *a, validate_args *x)
{
    if (cli_is(a, "programs"))
        x->programs = a->value;
    else if (cli_is(a, "inputs"))
        x->inputs = a->value;
    else if (cli_is(a, "max-error"))
        cli_u64(a, 1000000, &x->max_error);
    else if (cli_is(a, "list"))
        x->list = true;
    else if (cli_is(a, "row"))
        take_row_option(a, x);
    else if (cli_is(a, "hardware"))
        x->hardware = a->value;
    else if (cli_is(a, "clock"))
        x->clock = a->value;
    else
        compare_take_option(a, &x->is);
}

/* Adds the folder truth of here; else the one that comes with Heddle. */
static status add_default_truth(validate_args *x, const truth_places *where)
{
    const char *there = arena_printf(x->is.mem, "%s/../share/heddle/truth",
                                     jobs_own_folder(x->is.mem));
    const char *folder = file_is_folder("truth") ? "truth" : there;

    if (file_is_folder(folder))
        return truth_list_add(&x->truth, folder, where, x->dg);
    diag_error(x->dg,
               "no rows of truth: there is no folder truth here, and no %s; "
               "name a file or folder of rows (Heddle's own are in its sources "
               "under truth/)",
               there);
    return ST_USAGE;
}

/* What is named; without a name what comes with Heddle. */
static int read_truth(validate_args *x, const cli_args *a)
{
    arena *mem = x->is.mem;
    const char *programs = jobs_absolute(mem, x->programs ? x->programs : ".");
    const truth_places where = {
        programs, x->inputs ? jobs_absolute(mem, x->inputs) : programs};
    status st = ST_OK;

    if (x->programs && !file_is_folder(x->programs))
        return cli_usage(a->command, "--programs: %s is no folder",
                         x->programs);
    if (x->inputs && !file_is_folder(x->inputs))
        return cli_usage(a->command, "--inputs: %s is no folder", x->inputs);
    if (!cli_operand(a, 0))
        st = add_default_truth(x, &where);
    for (int i = 0; cli_operand(a, i); i++) {
        status one =
            truth_list_add(&x->truth, cli_operand(a, i), &where, x->dg);

        st = st == ST_OK ? one : st;
    }
    cli_report(x->dg);
    return cli_exit_code(st);
}

/* ---- Output ---- */

static status outcome_of_validation(const validate_args *x)
{
    const validate *v = &x->v;
    const validate_score *all = validate_all(v);

    if (v->interrupted)
        return ST_INTERRUPTED;
    if (v->measured < v->count && !x->is.allow_missing)
        return ST_MISMATCH;
    if (x->max_error != UINT64_MAX && all && all->is.count &&
        100 * all->is.mape > (double)x->max_error)
        return ST_MISMATCH;
    return x->is.not_kept ? ST_IO : ST_OK;
}

static void write_validation(const validate_args *x, FILE *to)
{
    const cli_simulation *s = &x->is.machine.sim;

    if (s->format == FORMAT_JSON)
        validate_json(&x->v, to);
    else if (s->format == FORMAT_CSV)
        validate_csv(&x->v, to);
    else
        validate_text(&x->v, cli_text_width(to, s->report.width), to);
}

static int run_to(validate_args *x, FILE *to)
{
    compare_args *c = &x->is;
    int code = cli_keep_begin(&c->keep, "validate", NULL);

    c->keep.about.places = c->count * c->workloads.is.count;
    if (!code)
        code = validate_run(x);
    if (code)
        return code;
    write_validation(x, to);
    if (c->html)
        code = report_validation(&x->v, c->keep.command.text, c->html);
    return code ? code : cli_exit_code(outcome_of_validation(x));
}

/* Options of one mode in the other. */
static int check_mode(const validate_args *x, const cli_args *a)
{
    if (x->hardware && (x->programs || x->inputs || x->list || x->only.count))
        return cli_usage(a->command, "--programs, --inputs, --row and --list "
                                     "go with truth, not with --hardware");
    if (!x->hardware && (x->clock || x->is.by_kernel))
        return cli_usage(a->command,
                         "--clock and --by-kernel go with --hardware");
    if (!x->hardware && x->is.program)
        return cli_usage(a->command,
                         "a program behind -- goes with --hardware");
    return 0;
}

static int plan_runs(validate_args *x, const cli_args *a)
{
    int code =
        compare_refuses(&x->is, a) ? cli_exit_code(ST_USAGE) : check_mode(x, a);

    if (code)
        return code;
    if (x->hardware)
        return validate_plan_hardware(x, a);
    code = read_truth(x, a);
    return code ? code : validate_plan(x, a);
}

static int start_validation(validate_args *x, const cli_args *a)
{
    compare_args *c = &x->is;
    int code = plan_runs(x, a);
    FILE *to;

    if (code)
        return code;
    if ((code = cli_can_write(c->html)))
        return code;
    if (!(to = cli_output("validate", c->output)))
        return cli_exit_code(ST_IO);
    code = x->list ? validate_list(x, to) : run_to(x, to);
    return cli_output_end("validate", c->output, to, code);
}

int cli_validate(int argc, char **argv)
{
    validate_args x = {
        .is = {.command = "validate", .jobs = 1, .mem = arena_new()},
        .max_error = UINT64_MAX,
        .dg = diag_new()};
    compare_args *c = &x.is;
    int code = cli_exit_code(ST_USAGE);

    x.v.mem = c->mem;
    cli_command_line(argv, &c->keep.command);
    c->program = cli_program(&argc, argv);
    cli_args a = cli_start("validate", argc, argv);
    cli_machine_init(&c->machine);
    cli_workloads_init(&c->workloads);
    while (cli_next(&a))
        take_validate_option(&a, &x);
    if (!a.wrong && !cli_machine_check(&c->machine, &a) &&
        cached_open(&c->cache, "validate"))
        code = start_validation(&x, &a);
    cached_close(&c->cache);
    compare_args_fini(c);
    truth_list_fini(&x.truth);
    diag_free(x.dg);
    return code;
}
