/* heddle compare. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/strbuf.h"
#include "cli/commands/compare.h"
#include "cli/commands/report.h"
#include "cli/jobs.h"
#include "cli/signals.h"
#include "compare/compare_view.h"
#include "config/param.h"
#include "report/counters.h"
#include "study/formula.h"

/* ---- --share, --figure ---- */

static bool name_known(const cli_args *a, const char *name, arena *mem)
{
    const char *of;
    char *near = NULL;

    switch (view_name_of(name, mem, &of)) {
    case VIEW_ENERGY:
    case VIEW_PARAM:
        return true;
    case VIEW_BASE:
        return name_known(a, of, mem);
    case VIEW_MEAN:
    case VIEW_JAIN:
        if (report_histogram_known(of))
            return true;
        cli_usage(a->command, "'%s' is no histogram of 'heddle list stats'",
                  of);
        return false;
    case VIEW_COUNTER:
        break;
    }
    if (report_counter_known(name, &near))
        return true;
    cli_usage(a->command, "'%s' is no counter of 'heddle list stats'%s%s%s",
              name, near ? "; did you mean '" : "", near ? near : "",
              near ? "'?" : "");
    free(near);
    return false;
}

static bool names_known(const cli_args *a, const formula *f, arena *mem)
{
    for (size_t i = 0; i < formula_count(f); i++)
        if (!name_known(a, formula_name(f, i), mem))
            return false;
    return true;
}

/* "NAME=FORMULA". False after a message. */
static bool read_item(const cli_args *a, compare_args *x, view_item *to)
{
    const char *is = strchr(a->value, '=');
    diag *dg = diag_new();
    formula *f = NULL;

    if (!is || is == a->value) {
        cli_usage(a->command, "'%s' has no name: NAME=FORMULA", a->value);
    } else if (formula_parse(is + 1, x->mem, dg, &f) != ST_OK) {
        cli_report(dg);
    } else {
        to->name = arena_strndup(x->mem, a->value, (size_t)(is - a->value));
        to->formula = is + 1;
    }
    diag_free(dg);
    return f && names_known(a, f, x->mem);
}

static bool is_taken(const cli_args *a, const view *v, const char *name)
{
    for (size_t i = 0; i < view_count(v); i++)
        if (!strcmp(v->items[i].name, name)) {
            cli_usage(a->command, "'%s' is told twice", name);
            return true;
        }
    return false;
}

/* Parts stand before figures. */
static void take_item(cli_args *a, compare_args *x, view_kind kind)
{
    view_item *items = x->own.items, is = {.kind = kind};
    size_t n = view_count(&x->own), at = n;

    if (n == VIEW_ITEMS)
        cli_usage(a->command, "more than %d shares and figures", VIEW_ITEMS);
    if (n == VIEW_ITEMS || !read_item(a, x, &is) ||
        is_taken(a, &x->own, is.name)) {
        a->wrong = true;
        return;
    }
    if (kind == VIEW_PART)
        at = view_count_of(&x->own, VIEW_PART);
    memmove(&items[at + 1], &items[at], (n - at) * sizeof *items);
    items[at] = is;
}

/* ---- Arguments ---- */

void compare_take_option(cli_args *a, compare_args *x)
{
    uint64_t v;

    cached_option(&x->cache, a); /* --no-cache is of both kinds */
    if (cli_machine_option(&x->machine, a) ||
        cli_workload_option(&x->workloads, a) || cli_keep_option(&x->keep, a)) {
        return;
    } else if (cli_is(a, "with")) {
        if (x->with_count + 1 == SIDES_MOST) {
            cli_usage(a->command, "more than %d variants", SIDES_MOST - 1);
            a->wrong = true;
            return;
        }
        x->with[x->with_count++] = a->value;
    } else if (cli_is(a, "against")) {
        x->against = a->value;
    } else if (cli_is(a, "share")) {
        take_item(a, x, VIEW_PART);
    } else if (cli_is(a, "figure")) {
        take_item(a, x, VIEW_FIGURE);
    } else if (cli_is(a, "energy-part")) {
        x->part = cli_energy_part(a);
    } else if (cli_is(a, "output")) {
        x->output = a->value;
    } else if (cli_is(a, "html")) {
        x->html = a->value;
    } else if (cli_is(a, "from")) {
        x->from = a->value;
    } else if (cli_is(a, "jobs")) {
        if (cli_u64(a, JOBS_MOST, &v))
            x->jobs = v ? (unsigned)v : 1;
    } else if (cli_is(a, "null")) {
        if (cli_u64(a, COMPARE_NULLS_MOST, &v))
            x->nulls = v;
        x->nulls_said = true;
    } else if (cli_is(a, "by-kernel")) {
        x->by_kernel = true;
    } else if (cli_is(a, "allow-missing")) {
        x->allow_missing = true;
    } else if (cli_is(a, "allow-different")) {
        x->allow_different = true;
    }
}

/* ---- Sides ---- */

/* "l1.sets=64,l1.ways=6" as "sets=64,ways=6". */
static const char *short_label(arena *mem, const char *text)
{
    strbuf b = {0};
    const char *copy;

    while (*text) {
        size_t length = strcspn(text, ","), name = strcspn(text, "=,");

        while (name && text[name - 1] != '.')
            name--;
        strbuf_printf(&b, "%s%.*s", b.size ? "," : "", (int)(length - name),
                      text + name);
        text += length + (text[length] == ',');
    }
    copy = arena_strdup(mem, b.text ? b.text : "");
    strbuf_fini(&b);
    return copy;
}

unsigned compare_split_sets(arena *mem, const char *text,
                            const char *sets[SETS_MOST])
{
    unsigned n = 0;

    while (*text && n < SETS_MOST) {
        size_t length = strcspn(text, ",");

        sets[n++] = arena_strndup(mem, text, length);
        text += length + (text[length] == ',');
    }
    return n;
}

/* Splits "[NAME:]PATH=VALUE,..." ; a name has no '='. */
static unsigned split_side_option(arena *mem, const char *text,
                                  const char **label, const char **assignments,
                                  const char *sets[SETS_MOST])
{
    const char *colon = strchr(text, ':'), *equals = strchr(text, '=');

    if (colon && colon > text && (!equals || colon < equals)) {
        *label = arena_strndup(mem, text, (size_t)(colon - text));
        text = colon + 1;
    } else {
        *label = *text ? short_label(mem, text) : COMPARE_AS_IT_IS;
    }
    *assignments = text;
    return compare_split_sets(mem, text, sets);
}

/* The text of a side as --with has it; side 0 is the base. */
static const char *side_text(const compare_args *x, size_t s)
{
    return s ? x->with[s - 1] : x->against ? x->against : "";
}

int compare_make_machine(compare_args *x, unsigned g, cli_sets before,
                         cli_sets after, session_code runs, cli_machine *m,
                         measure_side *side)
{
    int code;

    cli_machine_vary(&x->machine, before, after, m);
    m->setup.code = runs;
    if (m->name_count) {
        m->names[0] = x->machine.names[g];
        m->name_count = 1;
    }
    m->sim.hash = true;
    code = cli_machine_make(m);
    if (code)
        return code;
    side->gpus = m->gpus;
    side->gpu_count = m->count;
    side->sheets = (const config_sheet *const *)m->sheets;
    side->keep = compare_keep_run;
    side->keep_arg = x;
    side->job = cli_workloads_job(&x->workloads, m, x->machine.env, &x->usual);
    if (cli_keep_counters(&x->keep) > side->job.each)
        side->job.each = cli_keep_counters(&x->keep);
    return 0;
}

static bool is_drawn(const workload *w)
{
    return w->program && suite_is_drawn(w->program);
}

/* As often as the mechanism says if there is anything to draw. */
static void take_draws(compare_args *x)
{
    const workload_list *w = &x->workloads.is;

    for (size_t i = 0; i < w->count && !x->nulls_said; i++)
        if (x->mechanism->draws && is_drawn(&w->list[i]))
            x->nulls = x->mechanism->draws - 1;
}

/* Adds what the k-th null changes of a side that was made without. */
static unsigned add_null(compare_args *x, const measure_side *of, size_t k,
                         measure_side *side, const char *sets[SETS_MOST],
                         unsigned n)
{
    const char *more[SETS_MOST], *text;
    unsigned count;

    text = compare_null_assignments(of->gpus[0].cfg, k, x->mem);
    side->label = arena_printf(x->mem, "%s ~%zu", side->label, k);
    side->draw = (unsigned)k + 1;
    side->assignments = arena_printf(x->mem, "%s%s%s", side->assignments,
                                     *side->assignments ? "," : "", text);
    count = compare_split_sets(x->mem, text, more);
    for (unsigned i = 0; i < count && n < SETS_MOST; i++)
        sets[n++] = more[i];
    return n;
}

/* Files have one code each. */
static int refuse_side_code(const compare_args *x, const char *what)
{
    const workload_list *w = &x->workloads.is;

    for (size_t i = 0; i < w->count; i++)
        if (!w->list[i].program)
            return cli_usage(cli_find(x->command),
                             "'%s' is of CUDA programs, not of '%s': 'heddle "
                             "diff k.ptx k.cubin' compares files",
                             what, w->list[i].label);
    return 0;
}

/* "code=ptx" among the sets of a side is no parameter of the GPU: it goes to
 * *runs. 0, or the exit code after a message. */
static int take_side_code(const compare_args *x, const char *sets[SETS_MOST],
                          unsigned *n, session_code *runs)
{
    unsigned kept = 0;
    int code = 0;

    for (unsigned i = 0; i < *n; i++) {
        if (strncmp(sets[i], "code=", 5) != 0)
            sets[kept++] = sets[i];
        else if (session_code_of(sets[i] + 5, runs))
            code = code ? code : refuse_side_code(x, sets[i]);
        else
            code = cli_usage(cli_find(x->command),
                             "'%s': code is auto, ptx or sass, for CUDA "
                             "programs",
                             sets[i]);
    }
    *n = kept;
    return code;
}

/* Side `s` of the k-th null on GPU `g`; 0: of the comparison itself. 0, or the
 * exit code after messages. */
static int make_side(compare_args *x, unsigned g, size_t k, size_t s)
{
    compare *c = &x->list[g];
    cli_machine *m =
        &x->machines[g * compare_runs_each(c) + k * c->side_count + s];
    measure_side *side = &c->sides[k * c->side_count + s];
    const char *sets[SETS_MOST], *firsts[SETS_MOST], *first = NULL;
    unsigned n = split_side_option(x->mem, side_text(x, s), &side->label,
                                   &side->assignments, sets);

    session_code runs = x->machine.setup.code;
    int code = take_side_code(x, sets, &n, &runs);

    if (code)
        return code;
    if (x->mechanism && x->machine.name_count)
        first = mechanism_set(x->mechanism, x->machine.names[g]);
    if (k)
        n = add_null(x, &c->sides[s], k, side, sets, n);
    return compare_make_machine(
        x, g,
        (cli_sets){firsts,
                   first ? compare_split_sets(x->mem, first, firsts) : 0},
        (cli_sets){sets, n}, runs, m, side);
}

/* Where a mechanism does nothing a comparison of it would say that it gains
 * nothing. */
static int check_needs(const compare_args *x, const cli_args *a)
{
    const char *needs = x->mechanism ? x->mechanism->needs : NULL;

    for (unsigned g = 0; needs && g < x->count; g++) {
        const report_gpu *on = x->list[g].sides[0].gpus;

        if (!config_number(on->cfg, config_param_find(needs)))
            return cli_usage(a->command,
                             "%s on %s: %s (%s=false); choose another GPU, or "
                             "--set %s=true",
                             x->mechanism->name, on->name,
                             x->mechanism->without, needs, needs);
    }
    return 0;
}

static int check_labels(const compare_args *x, const cli_args *a)
{
    const compare *c = &x->list[0];

    for (size_t i = 0; i < c->side_count; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(c->sides[i].label, c->sides[k].label))
                return cli_usage(a->command,
                                 "two sides are called '%s': give them names, "
                                 "as in --with 'big:l1.sets=64'",
                                 c->sides[i].label);
    return 0;
}

/* What the mechanism says where the user does not. */
static void take_mechanism(compare_args *x)
{
    const mechanism *m = x->mechanism;

    if (!x->against)
        x->against = m->against;
    for (size_t i = 0; !x->with_count && i < MECHANISM_VARIANTS; i++) {
        if (!m->with[i])
            break;
        x->with[i] = m->with[i];
        x->with_count += i + 1 == MECHANISM_VARIANTS || !m->with[i + 1]
                             ? (unsigned)i + 1
                             : 0;
    }
    if (!m->gpu || x->machine.name_count)
        return;
    x->machine.names = new0(1, sizeof *x->machine.names);
    x->machine.names[x->machine.name_count++] = m->gpu;
}

/* What is shown besides speed: the figures that the user names, else those of
 * the mechanism. */
static const view *view_of(const compare_args *x, const mechanism *m)
{
    if (view_count(&x->own))
        return &x->own;
    return m ? m->view : NULL;
}

static const char *part_to_compare(const compare_args *x, const mechanism *m)
{
    return x->part ? x->part : m ? m->part : NULL;
}

static void begin_comparison(compare_args *x, unsigned g)
{
    compare *c = &x->list[g];
    const workload_list *w = &x->workloads.is;

    *c = (compare){.mem = x->mem,
                   .mechanism = x->mechanism,
                   .view = view_of(x, x->mechanism),
                   .part = part_to_compare(x, x->mechanism),
                   .side_count = x->side_count,
                   .nulls = x->nulls,
                   .workloads = ARENA_ARRAY(x->mem, compare_workload, w->count),
                   .count = w->count,
                   .by_kernel = x->by_kernel,
                   .allow_missing = x->allow_missing,
                   .allow_different = x->allow_different};
    c->sides = ARENA_ARRAY(x->mem, measure_side, compare_runs_each(c));
    for (size_t i = 0; i < w->count; i++)
        c->workloads[i] = (compare_workload){
            .is = w->list[i],
            .drawn = x->nulls && is_drawn(&w->list[i]),
            .runs = ARENA_ARRAY(x->mem, measure_run, compare_runs_each(c))};
}

static int make_sides(compare_args *x, const cli_args *a)
{
    int code = 0;

    if (x->mechanism) {
        take_mechanism(x);
        take_draws(x);
    }
    if (!x->with_count)
        return cli_usage(a->command, "expected a mechanism or --with");
    x->count = x->machine.name_count ? x->machine.name_count : 1;
    x->side_count = x->with_count + 1;
    x->list = ARENA_ARRAY(x->mem, compare, x->count);
    x->machines = ARENA_ARRAY(x->mem, cli_machine,
                              x->count * x->side_count * (1 + x->nulls));
    for (unsigned g = 0; g < x->count; g++)
        begin_comparison(x, g);
    for (unsigned g = 0; g < x->count; g++)
        for (size_t k = 0; k <= x->nulls; k++)
            for (size_t s = 0; s < x->side_count && !code; s++)
                code = make_side(x, g, k, s);
    code = code ? code : check_needs(x, a);
    return code ? code : check_labels(x, a);
}

/* ---- Running ---- */

int compare_report(const compare_args *x, const compare *list, size_t count,
                   const compare_origin *from, FILE *to, int code)
{
    int page = 0;

    if (x->machine.sim.format == FORMAT_JSON)
        compare_json(list, count, to);
    else if (x->machine.sim.format == FORMAT_CSV)
        compare_csv(list, count, to);
    else
        compare_text(list, count,
                     cli_text_width(to, x->machine.sim.report.width), to);
    if (x->html)
        page = report_compare(list, count, from->command, from->file,
                              from->study, x->html);
    code = page ? page : code;
    return cli_output_end(x->command, x->output, to, code);
}

static status outcome_of_list(const compare *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].interrupted)
            return ST_INTERRUPTED;
    for (size_t i = 0; i < count; i++)
        if (!compare_good(&list[i]))
            return ST_MISMATCH;
    return ST_OK;
}

static int run_compare(compare_args *x)
{
    double began = clock_s();
    char *text = NULL;
    int code = cli_can_write(x->html);
    FILE *to = code ? NULL : cli_output("compare", x->output);

    if (!code && !to)
        code = cli_exit_code(ST_IO);
    if (x->html && !x->keep.path)
        cli_keep_for_now(&x->keep, x->mem);
    if (!code)
        code = cli_keep_begin(&x->keep, "compare",
                              x->mechanism ? x->mechanism->name : NULL);
    if (code)
        return code;
    x->keep.about.about = x->mechanism ? x->mechanism->about : NULL;
    x->keep.about.plan = text = compare_plan(x->list, x->count);
    x->keep.about.places =
        x->count * x->workloads.is.count * compare_runs_each(x->list);
    if (!cli_workloads_build(&x->workloads, &x->list->sides->job, "compare",
                             compare_not_built, x)) {
        code = cli_exit_code(ST_MISMATCH);
    } else if (!compare_run_all(x)) {
        code = CLI_NO_DRIVER;
    } else {
        for (unsigned g = 0; g < x->count; g++) {
            x->list[g].interrupted = *signals_stop() != 0;
            x->list[g].seconds = clock_s() - began;
            x->list[g].cached = x->cached;
            compare_finish(&x->list[g]);
        }
        code = cli_exit_code(outcome_of_list(x->list, x->count));
        code = compare_report(x, x->list, x->count,
                              &(compare_origin){x->keep.command.text,
                                                x->keep.store, x->keep.study},
                              to, code);
    }
    free(text);
    return code || !x->not_kept ? code : cli_exit_code(ST_IO);
}

/* ---- From a results file ---- */

static int compare_from_store(const compare_args *x, const cli_args *a)
{
    diag *dg = diag_new();
    store *from = NULL;
    compare_study is = {0};
    status st;
    FILE *to;
    int code;

    if (cli_operand(a, 0) || x->program || x->with_count || x->against ||
        x->nulls || x->keep.path) {
        diag_free(dg);
        return cli_usage(a->command, "--from tells a comparison again, so "
                                     "there is nothing else to say of it");
    }
    st = store_open(x->from, dg, &from);
    if (st == ST_OK)
        st = compare_load(from, 0, dg, &is);
    cli_report(dg);
    diag_free(dg);
    code = cli_exit_code(st);
    for (size_t i = 0; i < is.count; i++) {
        is.list[i].by_kernel |= x->by_kernel;
        is.list[i].allow_missing |= x->allow_missing;
        is.list[i].view = view_of(x, is.list[i].mechanism);
        is.list[i].part = part_to_compare(x, is.list[i].mechanism);
        compare_view_finish(&is.list[i]);
    }
    if (!code && !(to = cli_output("compare", x->output)))
        code = cli_exit_code(ST_IO);
    if (!code)
        code = compare_report(
            x, is.list, is.count, &(compare_origin){is.command, from, is.study},
            to, cli_exit_code(outcome_of_list(is.list, is.count)));
    compare_study_fini(&is);
    store_close(from);
    return code;
}

bool compare_refuses(const compare_args *x, const cli_args *a)
{
    const report_options *r = &x->machine.sim.report;

    return (r->by_line || r->by_instruction || r->has_top || r->per_block ||
            x->machine.sim.rt.functional) &&
           cli_usage(a->command, "--by-line, --by-instruction, --top, "
                                 "--per-block and --functional do not go "
                                 "with a comparison");
}

static int start_compare(compare_args *x, const cli_args *a)
{
    const report_options *r = &x->machine.sim.report;
    const char *first = cli_operand(a, 0);
    int code;

    if (x->from)
        return compare_from_store(x, a);
    if (compare_refuses(x, a))
        return cli_exit_code(ST_USAGE);
    if (r->energy_series && !x->keep.path && !x->html)
        return cli_usage(a->command, "--energy-series goes with --store or "
                                     "--html");
    if (x->machine.sim.occupancy && !x->keep.path && !x->html)
        return cli_usage(a->command, "--occupancy goes with --store or --html");
    x->mechanism = first ? mechanism_find(first) : NULL;
    code =
        cli_workloads_read(&x->workloads, a, x->mechanism != NULL, x->program);
    if (code)
        return code;
    if (workloads_programs(&x->workloads.is) &&
        !cli_machine_find_driver(&x->machine, "compare"))
        return CLI_NO_DRIVER;
    code = make_sides(x, a);
    if (code)
        return code;
    signals_catch(&x->usual);
    return run_compare(x);
}

void compare_args_fini(compare_args *x)
{
    for (unsigned g = 0; g < x->count; g++) {
        size_t each = compare_runs_each(&x->list[g]);

        compare_fini(&x->list[g]);
        for (size_t s = 0; s < each; s++)
            cli_machine_fini(&x->machines[g * each + s]);
    }
    cli_keep_fini(&x->keep);
    cli_workloads_fini(&x->workloads);
    cli_machine_fini(&x->machine);
    arena_free(x->mem);
}

int cli_compare(int argc, char **argv)
{
    compare_args x = {.command = "compare",
                      .jobs = 1,
                      .mem = arena_new(),
                      .own = {.title = "shares"}};
    int code = 2;

    cli_command_line(argv, &x.keep.command);
    x.program = cli_program(&argc, argv);
    cli_args a = cli_start("compare", argc, argv);
    cli_machine_init(&x.machine);
    cli_workloads_init(&x.workloads);
    while (cli_next(&a))
        compare_take_option(&a, &x);
    if (!a.wrong && !cli_machine_check(&x.machine, &a) &&
        cached_open(&x.cache, "compare"))
        code = start_compare(&x, &a);
    cached_close(&x.cache);
    compare_args_fini(&x);
    return code;
}
