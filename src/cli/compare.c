/* heddle compare. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/jobs.h"
#include "cli/machine.h"
#include "lab/compare.h"

enum { SIDES_MOST = 64, SETS_MOST = 256 };

typedef struct compare_args {
    cli_machine machine; /* without what the sides change */
    const char *with[SIDES_MOST], *against;
    unsigned with_count, jobs;
    const char *size, *build, *output;
    uint64_t timeout_s;
    char **program; /* behind --, NULL: none */

    cli_machine sides[SIDES_MOST];
    sigset_t usual;
    suite *suites[SIDES_MOST];
    unsigned suite_count;
    size_t room; /* of workloads */
    compare is;

    pthread_mutex_t lock; /* of what follows */
    size_t begun, all;
    bool terminal;
} compare_args;

/* ---- Arguments ---- */

static void take_option(cli_args *a, compare_args *x)
{
    uint64_t v;

    if (cli_machine_option(&x->machine, a)) {
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
    } else if (cli_is(a, "size")) {
        x->size = a->value;
    } else if (cli_is(a, "build")) {
        x->build = a->value;
    } else if (cli_is(a, "output")) {
        x->output = a->value;
    } else if (cli_is(a, "jobs")) {
        if (cli_u64(a, JOBS_MOST, &v))
            x->jobs = v ? (unsigned)v : 1;
    } else if (cli_is(a, "timeout")) {
        cli_u64(a, UINT32_MAX, &x->timeout_s);
    } else if (cli_is(a, "by-kernel")) {
        x->is.by_kernel = true;
    } else if (cli_is(a, "allow-missing")) {
        x->is.allow_missing = true;
    } else if (cli_is(a, "allow-different")) {
        x->is.allow_different = true;
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

/* Splits "[NAME:]PATH=VALUE,..." ; a name has no '='. */
static unsigned split(arena *mem, const char *text, const char **label,
                      const char **assignments, const char *sets[SETS_MOST])
{
    const char *colon = strchr(text, ':'), *equals = strchr(text, '=');
    unsigned n = 0;

    if (colon && colon > text && (!equals || colon < equals)) {
        *label = arena_strndup(mem, text, (size_t)(colon - text));
        text = colon + 1;
    } else {
        *label = *text ? short_label(mem, text) : "as it is";
    }
    *assignments = text;
    while (*text && n < SETS_MOST) {
        size_t length = strcspn(text, ",");

        sets[n++] = arena_strndup(mem, text, length);
        text += length + (text[length] == ',');
    }
    return n;
}

/* 0, or the exit code after messages. */
static int make_side(compare_args *x, const char *text, size_t s)
{
    measure_side *side = &x->is.sides[s];
    const char *sets[SETS_MOST];
    unsigned n = split(x->is.mem, text, &side->label, &side->assignments, sets);
    int code;

    cli_machine_vary(&x->machine, sets, n, &x->sides[s]);
    x->sides[s].sim.hash = true;
    x->is.side_count = s + 1;
    code = cli_machine_make(&x->sides[s]);
    if (code)
        return code;
    side->gpus = x->sides[s].gpus;
    side->gpu_count = x->sides[s].count;
    side->job = (suite_job){
        .build = x->build ? jobs_absolute(x->is.mem, x->build)
                          : jobs_own_folder(x->is.mem),
        .tmp = jobs_tmp(),
        .size = x->size,
        .timeout_s = (unsigned)x->timeout_s,
        .skip_build = true,
        .setup = &x->sides[s].setup,
        .configs = x->sides[s].configs,
        .usual = &x->usual,
        .stop = jobs_stop(),
    };
    return 0;
}

static int check_labels(const compare_args *x, const cli_args *a)
{
    for (size_t i = 0; i < x->is.side_count; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(x->is.sides[i].label, x->is.sides[k].label))
                return cli_usage(a->command,
                                 "two sides are called '%s': give them names, "
                                 "as in --with 'big:l1.sets=64'",
                                 x->is.sides[i].label);
    return 0;
}

static int make_sides(compare_args *x, const cli_args *a)
{
    const mechanism *m = x->is.mechanism;
    int code;

    if (m && !x->against)
        x->against = m->against;
    for (size_t i = 0; m && !x->with_count && i < MECHANISM_VARIANTS; i++) {
        if (!m->with[i])
            break;
        x->with[i] = m->with[i];
        x->with_count += i + 1 == MECHANISM_VARIANTS || !m->with[i + 1]
                             ? (unsigned)i + 1
                             : 0;
    }
    if (!x->with_count)
        return cli_usage(a->command, "expected a mechanism or --with");
    if (m && m->gpu && !x->machine.name_count) {
        x->machine.names = calloc(1, sizeof *x->machine.names);
        MUST(x->machine.names != NULL);
        x->machine.names[x->machine.name_count++] = m->gpu;
    }
    x->is.sides = ARENA_ARRAY(x->is.mem, measure_side, SIDES_MOST);
    code = make_side(x, x->against ? x->against : "", 0);
    for (unsigned i = 0; i < x->with_count && !code; i++)
        code = make_side(x, x->with[i], i + 1);
    return code ? code : check_labels(x, a);
}

/* ---- Workloads ---- */

static compare_workload *add_workload(compare_args *x, const char *name)
{
    compare *c = &x->is;

    if (c->count == x->room) {
        compare_workload *more;

        x->room = x->room ? 2 * x->room : 64;
        more = ARENA_ARRAY(c->mem, compare_workload, x->room);
        if (c->count)
            memcpy(more, c->workloads, c->count * sizeof *more);
        c->workloads = more;
    }
    c->workloads[c->count] = (compare_workload){
        .is.name = name, .runs = ARENA_ARRAY(c->mem, measure_run, SIDES_MOST)};
    return &c->workloads[c->count++];
}

static void add_program(compare_args *x, const suite *s, const suite_program *p)
{
    compare_workload *w = add_workload(x, p->name);

    w->is.suite = s;
    w->is.program = p;
}

/* The program behind --, as the only one of a suite. */
static void add_command(compare_args *x)
{
    arena *mem = x->is.mem;
    char *here = getcwd(NULL, 0);
    suite *s = ARENA_NEW(mem, suite);
    suite_program *p = ARENA_NEW(mem, suite_program);
    const char *slash = strrchr(x->program[0], '/');

    s->folder = arena_strdup(mem, here ? here : "/");
    s->path = s->name = "";
    s->programs = p;
    s->count = 1;
    p->name = slash ? slash + 1 : x->program[0];
    p->about = "";
    p->folder = s->folder;
    p->plain = true;
    p->run.text = (const char **)x->program;
    while (x->program[p->run.count])
        p->run.count++;
    p->timeout_s = UINT32_MAX;
    free(here);
    add_program(x, s, p);
}

static void add_launch_file(compare_args *x, const char *path)
{
    const char *slash = strrchr(path, '/');

    add_workload(x, slash ? slash + 1 : path)->is.launch_file = path;
}

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && !strcmp(text + n - m, end);
}

static bool is_folder(const char *path)
{
    struct stat is;

    return stat(path, &is) == 0 && S_ISDIR(is.st_mode);
}

static int unknown_program(const suite *s, const char *name)
{
    const char **names = calloc(s->count + 1, sizeof *names), *near;

    MUST(names != NULL);
    for (size_t i = 0; i < s->count; i++)
        names[i] = s->programs[i].name;
    near = suggest_nearest(name, names, s->count);
    free(names);
    return cli_usage(cli_find("compare"), "no program '%s' in %s%s%s%s", name,
                     s->path, near ? " (did you mean '" : "", near ? near : "",
                     near ? "'?)" : "");
}

/* A suite at operand *i, and the names of its programs behind it. */
static int add_suite(compare_args *x, const cli_args *a, int *i)
{
    const char *path = cli_operand(a, *i), *name;
    diag *dg = diag_new();
    suite *s = NULL;
    status st;
    bool named = false;

    MUST(dg != NULL);
    st = suite_read(path, dg, &s);
    cli_report(dg);
    diag_free(dg);
    if (st != ST_OK)
        return cli_exit_code(st);
    x->suites[x->suite_count++] = s;
    while ((name = cli_operand(a, *i + 1)) && !is_folder(name) &&
           !ends_in(name, ".yaml")) {
        const suite_program *p = suite_find(s, name);

        if (!p)
            return unknown_program(s, name);
        add_program(x, s, p);
        named = true;
        ++*i;
    }
    for (size_t k = 0; !named && k < s->count; k++)
        add_program(x, s, &s->programs[k]);
    return 0;
}

static int add_workloads(compare_args *x, const cli_args *a, int first)
{
    int code = 0;

    for (int i = first; cli_operand(a, i) && !code; i++) {
        const char *what = cli_operand(a, i);

        if (x->suite_count == SIDES_MOST)
            code = cli_usage(a->command, "too many suites");
        else if (is_folder(what) || ends_in(what, "suite.yaml"))
            code = add_suite(x, a, &i);
        else if (ends_in(what, ".yaml"))
            add_launch_file(x, what);
        else
            code = cli_usage(a->command,
                             "'%s' is no mechanism, suite or launch file; "
                             "programs stand behind --",
                             what);
    }
    if (!code && x->program)
        add_command(x);
    if (!code && !x->is.count)
        code = cli_usage(a->command, "expected workloads: a suite, a launch "
                                     "file or -- PROGRAM");
    return code;
}

/* ---- Running ---- */

static void show_progress(const compare_args *x, size_t i)
{
    const compare *c = &x->is;

    if (!x->terminal)
        return;
    fprintf(stderr, "\r\033[K%zu of %zu: %.40s, %.24s ...", x->begun, x->all,
            c->workloads[i / c->side_count].is.name,
            c->sides[i % c->side_count].label);
    fflush(stderr);
}

static void run_one(void *arg, size_t i)
{
    compare_args *x = arg;
    size_t w = i / x->is.side_count;

    pthread_mutex_lock(&x->lock);
    x->begun++;
    show_progress(x, i);
    pthread_mutex_unlock(&x->lock);
    if (!x->is.workloads[w].runs[i % x->is.side_count].done) /* not built */
        measure(&x->is.workloads[w].is, &x->is.sides[i % x->is.side_count],
                &x->is.workloads[w].runs[i % x->is.side_count]);
}

static bool is_built(const compare_args *x, size_t w)
{
    for (size_t i = 0; i < w; i++)
        if (x->is.workloads[i].is.program == x->is.workloads[w].is.program)
            return true;
    return false;
}

/* Once for all sides. False: a suite's own command failed. */
static bool build(compare_args *x)
{
    suite_job job = x->is.sides[0].job;
    const char *why;

    job.skip_build = false;
    for (unsigned i = 0; i < x->suite_count; i++)
        if (!suite_build(x->suites[i], &job, x->is.mem, &why)) {
            fprintf(stderr, "heddle compare: cannot build %s:\n%s\n",
                    x->suites[i]->path, why);
            return false;
        }
    for (size_t w = 0; w < x->is.count && !*jobs_stop(); w++) {
        const compare_workload *is = &x->is.workloads[w];

        if (!is->is.program || is_built(x, w) ||
            suite_build_program(is->is.suite, is->is.program, &job, x->is.mem,
                                &why))
            continue;
        for (size_t s = 0; s < x->is.side_count; s++) {
            is->runs[s].result = (suite_result){
                .verdict = SUITE_UNBUILT, .why = why, .tail = why};
            is->runs[s].done = true;
        }
    }
    return true;
}

static void report(const compare_args *x, FILE *to)
{
    if (x->machine.sim.format == FORMAT_JSON)
        compare_json(&x->is, to);
    else if (x->machine.sim.format == FORMAT_CSV)
        compare_csv(&x->is, to);
    else
        compare_text(&x->is, to);
}

static int cannot_write(const char *path)
{
    fprintf(stderr, "heddle compare: cannot write %s: %s\n", path,
            strerror(errno));
    return cli_exit_code(ST_IO);
}

static int run(compare_args *x)
{
    bool file = x->output && strcmp(x->output, "-") != 0;
    double began = jobs_now_s();
    FILE *to = stdout;
    int code;

    if (file && !(to = fopen(x->output, "we")))
        return cannot_write(x->output);
    x->terminal = !x->machine.sim.quiet && isatty(STDERR_FILENO);
    x->all = x->is.count * x->is.side_count;
    if (!build(x))
        return cli_exit_code(ST_MISMATCH);
    pthread_mutex_init(&x->lock, NULL);
    jobs_run(x->all, x->jobs, run_one, x);
    pthread_mutex_destroy(&x->lock);
    if (x->terminal)
        fputs("\r\033[K", stderr);
    x->is.interrupted = *jobs_stop() != 0;
    x->is.seconds = jobs_now_s() - began;
    compare_finish(&x->is);
    report(x, to);
    code = cli_exit_code(x->is.interrupted      ? ST_INTERRUPTED
                         : compare_good(&x->is) ? ST_OK
                                                : ST_MISMATCH);
    if (!file)
        return cli_finish(code);
    return fclose(to) == 0 ? code : cannot_write(x->output);
}

static int start(compare_args *x, const cli_args *a)
{
    const report_options *r = &x->machine.sim.report;
    const char *first = cli_operand(a, 0);
    bool programs = x->program != NULL;
    int code;

    if (r->by_line || r->by_instruction || r->has_top || r->per_block ||
        x->machine.sim.rt.functional)
        return cli_usage(a->command, "--by-line, --by-instruction, --top, "
                                     "--per-block and --functional do not go "
                                     "with a comparison");
    x->is.mechanism = first ? mechanism_find(first) : NULL;
    x->is.size = x->size;
    code = add_workloads(x, a, x->is.mechanism != NULL);
    for (size_t i = 0; i < x->is.count; i++)
        programs |= x->is.workloads[i].is.program != NULL;
    if (!code)
        code = make_sides(x, a);
    if (!code && programs && !cli_machine_find_driver(&x->machine, "compare"))
        code = CLI_NO_DRIVER;
    if (code)
        return code;
    for (size_t s = 0; s < x->is.side_count; s++)
        x->is.sides[s].job.env = x->machine.env;
    jobs_signals(&x->usual);
    return run(x);
}

static void fini(compare_args *x)
{
    compare_fini(&x->is);
    for (size_t i = 0; i < x->is.side_count; i++)
        cli_machine_fini(&x->sides[i]);
    for (unsigned i = 0; i < x->suite_count; i++)
        suite_free(x->suites[i]);
    cli_machine_fini(&x->machine);
    arena_free(x->is.mem);
}

int cli_compare(int argc, char **argv)
{
    compare_args x = {.size = "small", .jobs = 1, .is.mem = arena_new()};
    int code = 2;

    MUST(x.is.mem != NULL);
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--")) {
            x.program = argv[i + 1] ? argv + i + 1 : NULL;
            argv[argc = i] = NULL;
        }
    cli_args a = cli_start("compare", argc, argv);
    cli_machine_init(&x.machine);
    while (cli_next(&a))
        take_option(&a, &x);
    if (!a.wrong && !cli_machine_check(&x.machine, &a))
        code = start(&x, &a);
    fini(&x);
    return code;
}
