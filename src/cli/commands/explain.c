/* heddle explain: the run itself, with profiles; then the changes that its
 * counters speak for, as the variants of a comparison (compare.h). */
#include <string.h>

#include "cli/commands/compare.h"
#include "cli/commands/report.h"
#include "cli/signals.h"
#include "explain/explain.h"
#include "explain/what_if.h"
#include "text/word.h"

enum { TRIES = 2, TRIES_MOST = 64, ROWS = 20 };

typedef struct explain_args {
    compare_args is;   /* the trials; `list` has the run itself as its base */
    const char *names; /* --try, NULL: the most promising */
    uint64_t tries;
    bool every_parameter; /* --what-if */
    cli_machine machine;  /* of the run itself, with profiles */
    measure_side side;
    const char *unbuilt; /* why it could not be built; NULL: it could */
    measure_run run;
    explain what;
    what_if other;
} explain_args;

/* ---- Arguments ---- */

static void take_explain_option(cli_args *a, explain_args *x)
{
    if (cli_is(a, "try")) {
        x->names = a->value;
    } else if (cli_is(a, "tries")) {
        cli_u64(a, TRIES_MOST, &x->tries);
    } else if (cli_is(a, "what-if")) {
        x->every_parameter = true;
    } else {
        compare_take_option(a, &x->is);
    }
}

/* "all" is as many as there are. */
static void take_all(explain_args *x)
{
    if (!x->names || strcmp(x->names, "all") != 0)
        return;
    x->names = NULL;
    x->tries = TRIES_MOST;
}

/* Before anything runs. */
static int check_names(const explain_args *x, const cli_args *a)
{
    const char *at = x->names;

    while (at && *at) {
        size_t n = strcspn(at, ",");
        char *name = arena_strndup(x->is.mem, at, n);

        const explain_rule *r = explain_rule_find(name);

        if (!r || !r->sets) {
            cli_usage(a->command, "'%s' is no change that can be tried", name);
            fputs("    there are", stderr);
            for (size_t i = 0; i < explain_rule_count(); i++)
                if (explain_rule_get(i)->sets)
                    fprintf(stderr, " %s", explain_rule_get(i)->id);
            fputs(" and all\n", stderr);
            return cli_exit_code(ST_USAGE);
        }
        at += n + (at[n] == ',');
    }
    return 0;
}

/* ---- The run itself ---- */

static bool take_run(void *arg, const measure_side *side, const workload *w,
                     const measure_run *r, const report_program *p)
{
    explain_args *x = arg;

    (void)side;
    (void)w;
    if (p && suite_verdict_good(r->result.verdict))
        explain_look(&x->what, p);
    return true;
}

static int make_run(explain_args *x)
{
    compare_args *c = &x->is;
    int code;

    c->machine.sim.report.by_line = true;
    code = compare_make_machine(c, 0, (cli_sets){0}, (cli_sets){0},
                                c->machine.setup.code, &x->machine, &x->side);
    c->machine.sim.report.by_line = false;
    x->side.label = COMPARE_AS_IT_IS;
    x->side.assignments = "";
    x->side.keep = take_run;
    x->side.keep_arg = x;
    return code;
}

static const char *failure_of(const measure_run *r)
{
    return r->result.why ? r->result.why
                         : suite_verdict_text(r->result.verdict);
}

/* 0, or the exit code after a message. */
static int run_it(explain_args *x)
{
    compare_args *c = &x->is;
    const workload *w = &c->workloads.is.list[0];
    const measure_run *r = &x->run;

    c->line = progress_jobs_new(1, !c->machine.sim.quiet,
                                cli_machine_advice(&c->machine));
    progress_jobs_begin(c->line, 0, w->label);
    measure(w, &x->side, &x->run);
    progress_jobs_end(c->line, 0, suite_verdict_good(r->result.verdict));
    progress_jobs_free(c->line);
    c->line = NULL;
    if (*signals_stop())
        return cli_exit_code(ST_INTERRUPTED);
    if (!suite_verdict_good(r->result.verdict)) {
        fprintf(stderr, "heddle explain: %s: %s\n%s", w->label, failure_of(r),
                r->result.tail ? r->result.tail : "");
        return cli_exit_code(ST_MISMATCH);
    }
    if (!x->what.look_count) {
        fprintf(stderr, "heddle explain: %s launched nothing that was timed\n",
                w->label);
        return cli_exit_code(ST_MISMATCH);
    }
    return 0;
}

/* ---- The trials ---- */

/* The number of changes that are wanted, and which. */
static size_t list_sets(const explain_args *x, const char **sets,
                        const char **labels)
{
    size_t n = 0;

    if (x->every_parameter) {
        for (; n < x->other.count; n++)
            sets[n] = labels[n] = x->other.change[n].set;
        return n;
    }
    for (size_t i = 0; i < x->what.trial_count; i++) {
        const explain_trial *t = &x->what.trials[i];

        if (!t->wanted)
            continue;
        sets[n] = t->sets;
        labels[n++] = t->rule->id;
    }
    return n;
}

/* Side 0 is the run itself, which was made already. */
static int make_trials(explain_args *x, size_t count, const char **sets,
                       const char **labels)
{
    compare_args *c = &x->is;
    compare *all = c->list = ARENA_NEW(c->mem, compare);
    int code = 0;

    c->count = 1;
    c->side_count = count + 1;
    c->machines = ARENA_ARRAY(c->mem, cli_machine, count + 1);
    *all = (compare){.mem = c->mem,
                     .sides = ARENA_ARRAY(c->mem, measure_side, count + 1),
                     .side_count = count + 1,
                     .workloads = ARENA_NEW(c->mem, compare_workload),
                     .count = 1};
    all->workloads[0] =
        (compare_workload){.is = c->workloads.is.list[0],
                           .runs = ARENA_ARRAY(c->mem, measure_run, count + 1)};
    for (size_t s = 0; s <= count && !code; s++) {
        const char *list[SETS_MOST];
        unsigned n = s ? compare_split_sets(c->mem, sets[s - 1], list) : 0;

        code = compare_make_machine(c, 0, (cli_sets){0}, (cli_sets){list, n},
                                    c->machine.setup.code, &c->machines[s],
                                    &all->sides[s]);
        all->sides[s].label = s ? labels[s - 1] : COMPARE_AS_IT_IS;
        all->sides[s].assignments = s ? sets[s - 1] : "";
    }
    all->workloads[0].runs[0] = x->run;
    x->run = (measure_run){0};
    return code;
}

/* How long it will take. */
static void announce(const explain_args *x, size_t count)
{
    const compare_args *c = &x->is;
    double each = c->list->workloads[0].runs[0].result.host_s;
    unsigned jobs = c->jobs < count ? c->jobs : (unsigned)count;

    if (c->machine.sim.quiet || !count)
        return;
    fprintf(stderr, "heddle explain: the run took %s; ", word_duration(each).s);
    fprintf(stderr, "%zu change%s to simulate, about %s\n", count,
            word_plural(count),
            word_duration(each * (double)((count + jobs - 1) / jobs)).s);
}

static int run_trials(explain_args *x)
{
    size_t room = x->other.count + x->what.trial_count + 1, count, n = 1;
    const char **sets = ARENA_ARRAY(x->is.mem, const char *, room);
    const char **labels = ARENA_ARRAY(x->is.mem, const char *, room);
    measure_run *runs;
    int code;

    count = list_sets(x, sets, labels);
    code = make_trials(x, count, sets, labels);
    if (code)
        return code;
    runs = x->is.list->workloads[0].runs;
    announce(x, count);
    if (count && !compare_run_all(&x->is))
        return CLI_NO_DRIVER;
    for (size_t i = 0; i < x->other.count; i++)
        x->other.change[i].run = &runs[n++];
    for (size_t i = 0; i < x->what.trial_count && !x->every_parameter; i++)
        if (x->what.trials[i].wanted)
            x->what.trials[i].run = &runs[n++];
    explain_finish(&x->what, &runs[0]);
    what_if_finish(&x->other, &runs[0]);
    return *signals_stop() ? cli_exit_code(ST_INTERRUPTED) : 0;
}

/* ---- All of it ---- */

static void print_advice(const explain_args *x, FILE *to)
{
    const compare_args *c = &x->is;
    const char *command = c->keep.command.text;

    if (c->machine.sim.format == FORMAT_JSON) {
        explain_json(&x->what, x->every_parameter ? &x->other : NULL, command,
                     to);
        return;
    }
    fprintf(to, "%s on %s: %s cycles\n", c->workloads.is.list[0].label,
            x->side.gpus[0].cfg->gpu.name, word_grouped(x->what.cycles).s);
    explain_text(&x->what, cli_text_width(to, c->machine.sim.report.width), to);
    if (x->every_parameter)
        what_if_text(&x->other, ROWS, to);
}

static void note_unbuilt(void *arg, size_t w, const char *why)
{
    explain_args *x = arg;

    (void)w;
    x->unbuilt = why;
}

/* All but the output; 0, or the exit code after messages. */
static int simulate(explain_args *x)
{
    compare_args *c = &x->is;
    const suite_program *p = c->workloads.is.list[0].program;
    int code = make_run(x);

    if (code)
        return code;
    signals_catch(&c->usual);
    if (!cli_workloads_build(&c->workloads, &x->side.job, "explain",
                             note_unbuilt, x))
        return cli_exit_code(ST_MISMATCH);
    if (x->unbuilt) {
        fprintf(stderr, "heddle explain: cannot build %s: %s\n",
                c->workloads.is.list[0].label, x->unbuilt);
        return cli_exit_code(ST_MISMATCH);
    }
    code = run_it(x);
    if (code)
        return code;
    x->what.any_memory = p && p->expect.any_memory;
    explain_choose(&x->what, x->names, x->every_parameter ? 0 : x->tries);
    if (x->every_parameter)
        x->other = what_if_list(x->side.gpus[0].cfg, c->mem);
    return run_trials(x);
}

static int explain_it(explain_args *x)
{
    compare_args *c = &x->is;
    int code = cli_can_write(c->html), page = 0;
    FILE *to;

    if (code)
        return code;
    to = cli_output("explain", c->output);
    if (!to)
        return cli_exit_code(ST_IO);
    code = simulate(x);
    if (!code || code == cli_exit_code(ST_INTERRUPTED)) {
        if (x->what.trials) /* else the run itself was interrupted */
            print_advice(x, to);
        if (x->what.trials && c->html)
            page = report_explain(
                &x->what, x->every_parameter ? &x->other : NULL,
                c->workloads.is.list[0].label, c->keep.command.text, c->html);
    }
    return cli_output_end("explain", c->output, to, page ? page : code);
}

static int start_explain(explain_args *x, const cli_args *a)
{
    compare_args *c = &x->is;
    int code = compare_refuses(c, a) ? cli_exit_code(ST_USAGE) : 0;

    take_all(x);
    if (!code)
        code = check_names(x, a);
    if (!code && x->every_parameter && x->names)
        code = cli_usage(a->command, "--what-if changes parameters instead: "
                                     "leave out --try");
    if (!code && c->machine.sim.format == FORMAT_CSV)
        code = cli_usage(a->command, "text or json, not csv");
    if (!code && c->machine.name_count > 1)
        code = cli_usage(a->command, "one GPU at a time");
    if (!code)
        code = cli_workloads_read(&c->workloads, a, 0, c->program);
    if (!code && c->workloads.is.count != 1)
        code = cli_usage(a->command, c->workloads.is.count
                                         ? "one workload at a time"
                                         : "expected a workload");
    if (code)
        return code;
    if (workloads_programs(&c->workloads.is) &&
        !cli_machine_find_driver(&c->machine, "explain"))
        return CLI_NO_DRIVER;
    return explain_it(x);
}

int cli_explain(int argc, char **argv)
{
    explain_args x = {
        .is = {.command = "explain", .jobs = 1, .mem = arena_new()},
        .tries = TRIES};
    compare_args *c = &x.is;
    int code = cli_exit_code(ST_USAGE);

    x.what.mem = c->mem;
    cli_command_line(argv, &c->keep.command);
    c->program = cli_program(&argc, argv);
    cli_args a = cli_start("explain", argc, argv);
    cli_machine_init(&c->machine);
    cli_workloads_init(&c->workloads);
    while (cli_next(&a))
        take_explain_option(&a, &x);
    if (!a.wrong && !cli_machine_check(&c->machine, &a) &&
        cached_open(&c->cache, "explain"))
        code = start_explain(&x, &a);
    cached_close(&c->cache);
    measure_fini(&x.run);
    cli_machine_fini(&x.machine);
    compare_args_fini(c);
    return code;
}
