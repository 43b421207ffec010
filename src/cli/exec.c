/* heddle exec. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/simulation.h"
#include "config/print.h"
#include "session/server.h"

enum {
    DETAILED = 4,    /* launches told in full if nobody asks */
    GRACE_MS = 2000, /* for processes that outlive the program */
    NO_DRIVER = 125, /* exit statuses as those of env(1) */
    NOT_RUN = 126,
    NOT_FOUND = 127,
};

#define DRIVER "libheddle-opencl.so"

typedef struct exec_args {
    cli_gpu gpu; /* for the options of all */
    const char **gpus;
    unsigned gpu_count;
    cli_simulation sim;
    select_rules select; /* its rules' texts are in `mem` */
    arena *mem;
    uint64_t detailed;
    const char *output;
    bool no_cache, log;
} exec_args;

/* The simulated machines. */
typedef struct machines {
    config_sheet **sheet;
    const config **cfg;
    report_gpu *gpu;
    unsigned count;
} machines;

static volatile sig_atomic_t asked_to_end;

static void on_signal(int number) { asked_to_end = number; }

/* ---- Arguments ---- */

static void take_rule(cli_args *a, exec_args *x)
{
    select_rules *s = &x->select;
    size_t length;
    select_rule rule;

    if (!select_parse(a->value, &length, &rule)) {
        cli_usage(a->command,
                  "--timed: '%s' is not like gemm, gemm:3, gemm:3-7 or 'gemm*'",
                  a->value);
        a->wrong = true;
        return;
    }
    rule.kernel = arena_strndup(x->mem, a->value, length);
    s->rule = realloc(s->rule, (s->count + 1) * sizeof *s->rule);
    MUST(s->rule != NULL);
    s->rule[s->count++] = rule;
}

static void take_option(cli_args *a, exec_args *x)
{
    if (cli_is(a, "gpu")) {
        x->gpus = realloc(x->gpus, (x->gpu_count + 1) * sizeof *x->gpus);
        MUST(x->gpus != NULL);
        x->gpus[x->gpu_count++] = a->value;
    } else if (cli_gpu_option(&x->gpu, a) ||
               cli_simulation_option(&x->sim, a)) {
        return;
    } else if (cli_is(a, "timed")) {
        take_rule(a, x);
    } else if (cli_is(a, "skip-launches")) {
        cli_u64(a, UINT64_MAX, &x->select.skip);
    } else if (cli_is(a, "max-launches")) {
        if (cli_u64(a, UINT64_MAX, &x->select.max_timed) &&
            !x->select.max_timed)
            x->sim.rt.functional = true;
    } else if (cli_is(a, "launches")) {
        x->detailed = SIZE_MAX;
        if (strcmp(a->value, "all") != 0)
            cli_u64(a, SIZE_MAX, &x->detailed);
    } else if (cli_is(a, "output")) {
        x->output = a->value;
    } else if (cli_is(a, "no-cache")) {
        x->no_cache = true;
    } else if (cli_is(a, "log")) {
        x->log = true;
    }
}

/* ---- What the program gets ---- */

/* The driver beside this command, as it is built, or where it is installed.
 * NULL: it is nowhere; a message is printed. */
static const char *find_driver(const exec_args *x)
{
    static const char *const places[] = {"", "../" HEDDLE_LIBDIR "/heddle/",
                                         "../lib/heddle/"};
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    self[n > 0 ? n : 0] = '\0';
    slash = strrchr(self, '/');
    if (slash)
        slash[1] = '\0';
    for (size_t i = 0; i < COUNTOF(places); i++) {
        char *path = arena_printf(x->mem, "%s%s" DRIVER, self, places[i]);

        if (access(path, R_OK) == 0)
            return path;
    }
    fprintf(stderr,
            "heddle exec: the OpenCL driver " DRIVER " is missing; it should "
            "be in %s or in %s\n",
            self, arena_printf(x->mem, "%s%sheddle", self, "../lib/"));
    return NULL;
}

/* For both loaders: ocl-icd takes a driver in place of a folder, Khronos' has
 * a variable of its own. */
static const char *const *environment(const exec_args *x, const char *driver)
{
    const char **env = ARENA_ARRAY(x->mem, const char *, 5);
    size_t n = 0;

    env[n++] = arena_printf(x->mem, "OCL_ICD_VENDORS=%s", driver);
    env[n++] = arena_printf(x->mem, "OCL_ICD_FILENAMES=%s", driver);
    if (x->log)
        env[n++] = "HEDDLE_LOG=1";
    if (x->no_cache)
        env[n++] = "HEDDLE_CACHE=0";
    return env;
}

static int make_machines(const exec_args *x, machines *m)
{
    int code = 0;

    m->sheet = calloc(x->gpu_count + 1, sizeof(config_sheet *));
    m->cfg = calloc(x->gpu_count + 1, sizeof(config *));
    m->gpu = calloc(x->gpu_count + 1, sizeof *m->gpu);
    MUST(m->sheet && m->cfg && m->gpu);
    for (unsigned i = 0; i < (x->gpu_count ? x->gpu_count : 1); i++) {
        cli_gpu one = x->gpu;

        one.name = x->gpu_count ? x->gpus[i] : "v100";
        m->sheet[i] = cli_gpu_sheet(&one, NULL, &code);
        if (!m->sheet[i])
            return code;
        m->cfg[i] = config_sheet_values(m->sheet[i]);
        m->gpu[i] = (report_gpu){one.name, m->cfg[i]};
        m->count++;
    }
    return 0;
}

static void free_machines(machines *m)
{
    for (unsigned i = 0; i < m->count; i++)
        config_sheet_free(m->sheet[i]);
    free(m->sheet);
    free((void *)m->cfg);
    free(m->gpu);
}

static session_setup make_setup(const exec_args *x, const machines *m)
{
    const report_options *r = &x->sim.report;
    session_setup s = {.rt = x->sim.rt,
                       .select = x->select,
                       .max_cycles = x->sim.max_cycles,
                       .profile = r->by_line || r->by_instruction,
                       .sources = r->by_line || r->by_instruction,
                       .per_block = r->per_block,
                       .hash = x->sim.hash,
                       .device_count = m->count};

    s.select.functional = x->sim.rt.functional;
    s.devices = ARENA_ARRAY(x->mem, session_device, m->count);
    for (unsigned i = 0; i < m->count; i++) {
        strbuf text = {0};

        config_dump(m->cfg[i], &text);
        s.devices[i].name = m->gpu[i].name;
        s.devices[i].config = arena_strdup(x->mem, text.text);
        strbuf_fini(&text);
    }
    return s;
}

/* ---- Signals ---- */

/* The terminal sends its signals to the program, too: it decides what they
 * mean. Others are passed on. What was ignored stays so; `usual` is what the
 * program must get back. */
static void arrange_signals(sigset_t *usual)
{
    static const struct {
        int number;
        bool pass;
    } list[] = {
        {SIGINT, false}, {SIGQUIT, false}, {SIGTERM, true}, {SIGHUP, true}};

    sigemptyset(usual);
    for (size_t i = 0; i < COUNTOF(list); i++) {
        struct sigaction old,
            act = {.sa_handler = list[i].pass ? on_signal : SIG_IGN};

        sigaction(list[i].number, NULL, &old);
        if (old.sa_handler == SIG_IGN)
            continue;
        sigaddset(usual, list[i].number);
        sigaction(list[i].number, &act, NULL);
    }
}

/* ---- The report ---- */

static char *command_line(const exec_args *x, const char *const *argv)
{
    strbuf b = {0};
    char *line;

    for (; *argv; argv++) {
        bool plain = **argv && !strpbrk(*argv, " \t\n\"'\\$`*?[]{}();&|<>#~");

        strbuf_printf(&b, plain ? "%s%s" : "%s'%s'", b.size ? " " : "", *argv);
    }
    line = arena_strdup(x->mem, b.text);
    strbuf_fini(&b);
    return line;
}

static void print(const exec_args *x, const machines *m,
                  const char *const *argv, const session_outcome *o, FILE *to)
{
    report_program p = *session_outcome_get(o);

    p.command = command_line(x, argv);
    p.gpus = m->gpu;
    p.gpu_count = m->count;
    p.threads = x->sim.rt.threads ? x->sim.rt.threads : 1;
    p.detailed = x->detailed;
    p.options = x->sim.report;
    p.options.width = cli_width(to);
    if (x->sim.format == FORMAT_JSON)
        report_program_json(&p, to);
    else if (x->sim.format == FORMAT_CSV)
        report_program_csv(&p, to);
    else
        report_program_text(&p, to);
}

/* The program's status, but 1 if all went well except for the report. */
static int finish(const exec_args *x, const session_outcome *o, FILE *to)
{
    const report_program *p = session_outcome_get(o);
    int code = p->signal ? 128 + p->signal : p->exit_code;
    bool good;

    errno = 0;
    good = fflush(to) == 0 && !ferror(to);
    if (to != stderr && to != stdout)
        good = fclose(to) == 0 && good;
    if (good)
        return code;
    fprintf(stderr, "heddle exec: cannot write the report to %s: %s\n",
            x->output ? x->output : "standard error",
            strerror(errno ? errno : EIO));
    return code ? code : cli_exit_code(ST_IO);
}

static FILE *open_output(const exec_args *x)
{
    FILE *to;

    if (!x->output)
        return stderr;
    if (!strcmp(x->output, "-"))
        return stdout;
    to = fopen(x->output, "we");
    if (!to)
        fprintf(stderr, "heddle exec: cannot write %s: %s\n", x->output,
                strerror(errno));
    return to;
}

/* ---- Running ---- */

static int not_started(const char *program, int why)
{
    fprintf(stderr, "heddle exec: cannot run '%s': %s\n", program,
            strerror(why));
    return why == ENOENT ? NOT_FOUND : NOT_RUN;
}

static int simulate(const exec_args *x, const machines *m,
                    const char *const *argv, FILE *to)
{
    const char *driver = find_driver(x);
    session_setup setup = make_setup(x, m);
    progress *line = progress_new(!x->sim.quiet);
    session_outcome *o = NULL;
    diag *dg = diag_new();
    sigset_t usual;
    int why, code;

    MUST(dg != NULL);
    if (!driver) {
        progress_free(line);
        diag_free(dg);
        return NO_DRIVER;
    }
    arrange_signals(&usual);
    status st = session_run(&(session_request){.argv = argv,
                                               .env = environment(x, driver),
                                               .setup = &setup,
                                               .configs = m->cfg,
                                               .usual = &usual,
                                               .signal = &asked_to_end,
                                               .progress = progress_session,
                                               .progress_arg = line,
                                               .grace_ms = GRACE_MS},
                            &why, dg, &o);
    progress_clear(line);
    progress_free(line);
    cli_report(dg);
    diag_free(dg);
    if (st == ST_OK) {
        print(x, m, argv, o, to);
        code = finish(x, o, to);
    } else {
        code = st == ST_USAGE ? not_started(argv[0], why) : NO_DRIVER;
    }
    session_outcome_free(o);
    return code;
}

static int start(exec_args *x, cli_args *a)
{
    const char *const *argv;
    machines m = {.count = 0};
    FILE *to;
    int code;

    if (cli_simulation_check(&x->sim, a))
        return 2;
    if (x->sim.rt.functional && x->select.count)
        return cli_usage(a->command,
                         "with --functional nothing is timed: leave out "
                         "--timed or --functional");
    argv = (const char *const *)cli_operands(a);
    if (!argv[0])
        return cli_usage(a->command, "expected a program");
    code = make_machines(x, &m);
    if (!code) {
        to = open_output(x);
        code = to ? simulate(x, &m, argv, to) : cli_exit_code(ST_IO);
    }
    free_machines(&m);
    return code;
}

int cli_exec(int argc, char **argv)
{
    cli_args a = cli_start("exec", argc, argv);
    exec_args x = {.mem = arena_new(), .detailed = DETAILED};
    int code = 2;

    MUST(x.mem != NULL);
    while (cli_next(&a))
        take_option(&a, &x);
    if (!a.wrong)
        code = start(&x, &a);
    cli_gpu_free(&x.gpu);
    free(x.gpus);
    free(x.select.rule);
    arena_free(x.mem);
    return code;
}
