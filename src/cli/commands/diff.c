/* heddle diff. */
#include <string.h>

#include "cli/commands/compare.h"
#include "cli/signals.h"
#include "compare/diff.h"

typedef struct differ {
    compare_args is; /* list: what is run, of all GPUs */
    diff_side *sides;
    size_t count;
    diag *dg;
} differ;

/* ---- What is named ---- */

/* Words that name results make sides; the others name workloads. */
static int read_words(differ *d, const cli_args *a)
{
    compare_args *x = &d->is;
    size_t n = 0, words = 0;
    const char **work;
    status st = ST_OK;

    while (cli_operand(a, (int)words))
        words++;
    work = ARENA_ARRAY(x->mem, const char *, words + 1);
    d->sides = ARENA_ARRAY(x->mem, diff_side, words + SIDES_MOST);
    for (size_t i = 0; i < words && st == ST_OK; i++) {
        const char *word = cli_operand(a, (int)i);

        if (diff_is_result(word))
            st = diff_load(word, x->mem, d->dg, &d->sides[d->count++]);
        else
            work[n++] = word;
    }
    x->workloads.is.launch = &x->workloads.launch;
    x->workloads.is.same_launch = true;
    if (st == ST_OK && n)
        st = workloads_add(&x->workloads.is, work, n, d->dg);
    cli_report(d->dg);
    if (st == ST_OK && x->program)
        workloads_add_program(&x->workloads.is,
                              (const char *const *)x->program);
    return cli_exit_code(st);
}

/* Is each workload a side? Else each GPU is one. */
static bool by_workload(const differ *d)
{
    return !d->count && d->is.side_count == 1;
}

static size_t sides_to_run(const differ *d)
{
    size_t n = d->is.workloads.is.count;

    return !n ? 0 : by_workload(d) ? n : d->is.side_count;
}

static int check_sides(const differ *d, const cli_args *a)
{
    const workload_list *w = &d->is.workloads.is;
    size_t n = d->count + sides_to_run(d);

    if (n < 2)
        return cli_usage(a->command,
                         n ? "that is one side: name another results file, GPU "
                             "or kernel"
                           : "expected two results: files, or GPUs (--gpu A "
                             "--gpu B) or kernels to run");
    if (n > SIDES_MOST)
        return cli_usage(a->command, "more than %d sides", SIDES_MOST);
    for (size_t i = 0; w->count && by_workload(d) && i < w->count; i++)
        if (w->list[i].program && *w->list[i].suite->path)
            return cli_usage(a->command, "programs of a suite do different "
                                         "work: name two GPUs, or results");
    return 0;
}

/* ---- Running ---- */

/* What is run, on each GPU. */
static int make_runs(differ *d)
{
    compare_args *x = &d->is;
    const workload_list *w = &x->workloads.is;
    compare *c = x->list = ARENA_NEW(x->mem, compare);
    int code = 0;

    x->count = 1;
    x->machines = ARENA_ARRAY(x->mem, cli_machine, x->side_count);
    *c = (compare){.mem = x->mem,
                   .sides = ARENA_ARRAY(x->mem, measure_side, x->side_count),
                   .workloads = ARENA_ARRAY(x->mem, compare_workload, w->count),
                   .count = w->count};
    for (size_t i = 0; i < w->count; i++)
        c->workloads[i] = (compare_workload){
            .is = w->list[i],
            .runs = ARENA_ARRAY(x->mem, measure_run, x->side_count)};
    for (unsigned s = 0; s < x->side_count && !code; s++) {
        c->side_count = s + 1;
        c->sides[s].assignments = "";
        code = compare_make_machine(x, s, (cli_sets){0}, (cli_sets){0},
                                    x->machine.setup.code, &x->machines[s],
                                    &c->sides[s]);
        if (!code)
            c->sides[s].label = c->sides[s].gpus[0].name;
    }
    return code;
}

static diff_side *begin_side(differ *d, const char *from, const report_gpu *on,
                             size_t entries)
{
    diff_side *to = &d->sides[d->count++];

    *to = (diff_side){.from = from,
                      .gpu = on->name,
                      .cfg = on->cfg,
                      .entries = ARENA_ARRAY(d->is.mem, diff_entry, entries)};
    return to;
}

static void add_entry(diff_side *to, const compare_workload *w, size_t s)
{
    to->entries[to->count++] =
        (diff_entry){.name = w->is.name, .size = w->is.size, .run = w->runs[s]};
}

/* As it was named. */
static const char *name_of_workload(const workload *w)
{
    return w->launch_file ? w->launch_file
           : w->launch    ? w->launch->program
                          : w->label;
}

static void take_runs(differ *d)
{
    const compare *c = d->is.list;
    bool each = by_workload(d);

    for (size_t i = 0; each && i < c->count; i++)
        add_entry(begin_side(d, name_of_workload(&c->workloads[i].is),
                             &c->sides->gpus[0], 1),
                  &c->workloads[i], 0);
    for (size_t s = 0; !each && s < c->side_count; s++) {
        const report_gpu *on = &c->sides[s].gpus[0];
        diff_side *to = begin_side(d, on->name, on, c->count);

        for (size_t i = 0; i < c->count; i++)
            add_entry(to, &c->workloads[i], s);
    }
}

static int run_sides(differ *d)
{
    compare_args *x = &d->is;
    int code = make_runs(d);

    if (code)
        return code;
    signals_catch(&x->usual);
    if (!cli_workloads_build(&x->workloads, &x->list->sides->job, "diff",
                             compare_not_built, x))
        return cli_exit_code(ST_MISMATCH);
    if (!compare_run_all(x))
        return CLI_NO_DRIVER;
    take_runs(d);
    return 0;
}

/* ---- Output ---- */

/* A workload that a side does not have has not failed. */
static bool has_failed(const measure_run *r)
{
    return r->result.verdict != SUITE_PASS || r->sum.failed;
}

static status outcome_of_diff(const compare *c)
{
    status st = ST_OK;

    for (size_t w = 0; w < c->count; w++)
        for (size_t s = 0; s < c->side_count; s++)
            st = has_failed(&c->workloads[w].runs[s]) ? ST_MISMATCH : st;
    return c->interrupted ? ST_INTERRUPTED : st;
}

static int print_difference(differ *d)
{
    compare_args *x = &d->is;
    compare all;
    status st = diff_join(d->sides, d->count, x->mem, d->dg, &all);
    FILE *to;

    cli_report(d->dg);
    if (st != ST_OK)
        return cli_exit_code(st);
    all.by_kernel = x->by_kernel;
    all.interrupted = *signals_stop() != 0;
    to = cli_output("diff", x->output);
    if (!to)
        return cli_exit_code(ST_IO);
    return compare_report(x, &all, 1,
                          &(compare_origin){x->keep.command.text, NULL, 0}, to,
                          cli_exit_code(outcome_of_diff(&all)));
}

static int start_diff(differ *d, const cli_args *a)
{
    compare_args *x = &d->is;
    int code =
        compare_refuses(x, a) ? cli_exit_code(ST_USAGE) : read_words(d, a);

    x->side_count = x->machine.name_count ? x->machine.name_count : 1;
    if (!code)
        code = check_sides(d, a);
    if (!code && workloads_programs(&x->workloads.is) &&
        !cli_machine_find_driver(&x->machine, "diff"))
        return CLI_NO_DRIVER;
    if (!code && x->workloads.is.count)
        code = run_sides(d);
    return code ? code : print_difference(d);
}

int cli_diff(int argc, char **argv)
{
    differ d = {.is = {.command = "diff", .jobs = 1, .mem = arena_new()},
                .dg = diag_new()};
    compare_args *x = &d.is;
    int code = cli_exit_code(ST_USAGE);

    cli_command_line(argv, &x->keep.command);
    x->program = cli_program(&argc, argv);
    cli_args a = cli_start("diff", argc, argv);
    cli_machine_init(&x->machine);
    cli_workloads_init(&x->workloads);
    while (cli_next(&a))
        compare_take_option(&a, x);
    if (!a.wrong && !cli_machine_check(&x->machine, &a) &&
        cached_open(&x->cache, "diff"))
        code = start_diff(&d, &a);
    cached_close(&x->cache);
    compare_args_fini(x);
    diag_free(d.dg);
    return code;
}
