/* src/suite/suite_run.c - see suite_run.h. The program writes to files in
 * memory, so its output need not be read while it runs. */
#include "suite/suite_run.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/must.h"
#include "report/failure.h"
#include "report/stray.h"
#include "suite/suite_judge.h"

enum {
    BUILD_MS = 3600 * 1000,
    OUTPUT_MOST = 256 << 20, /* bytes; a program that writes more is ended */
    TAIL_LINES = 10,
    TAIL_BYTES = 4000,
    SKIPPED_STATUS = 77, /* as test harnesses have it */
};

enum { IN, OUT, ERR, STREAMS };

typedef struct run {
    const suite_job *job;
    const suite_program *program;
    suite_values values;
    const char *folder; /* it runs in */
    int fd[STREAMS];
    double deadline_s;
    bool timed_out, flooded;
    volatile sig_atomic_t kill; /* for the program */
    suite_result *out;
} run;

const char *suite_verdict_text(suite_verdict v)
{
    static const char *const texts[SUITE_VERDICTS] = {
        [SUITE_PASS] = "pass",          [SUITE_FAIL] = "fail",
        [SUITE_WRONG] = "wrong output", [SUITE_CRASH] = "crash",
        [SUITE_TIMEOUT] = "timeout",    [SUITE_SKIPPED] = "skipped",
        [SUITE_UNBUILT] = "not built",  [SUITE_UNSTARTED] = "not started",
        [SUITE_STOPPED] = "stopped",
    };

    return texts[v];
}

bool suite_verdict_good(suite_verdict v)
{
    return v == SUITE_PASS || v == SUITE_SKIPPED;
}

/* The last lines of a text; the whole if it is short. */
static const char *tail_of(suite_output o, arena *mem)
{
    size_t begin = o.size, lines = 0;

    while (o.size && o.text[o.size - 1] == '\n')
        o.size--;
    for (begin = o.size; begin > 0 && o.size - begin < TAIL_BYTES; begin--)
        if (o.text[begin - 1] == '\n' && ++lines == TAIL_LINES)
            break;
    return arena_strndup(mem, o.text + begin, o.size - begin);
}

/* ---- Building ---- */

/* True if the command succeeded; otherwise *why is the end of its output. */
static bool run_build(const char *command, const char *folder, arena *mem,
                      const char **why)
{
    static const char in[] = "cd -- \"$1\" && eval \"$2\" 2>&1";
    const char *const argv[] = {"/bin/sh", "-c",    in,  "sh",
                                folder,    command, NULL};
    const child_request q = {.argv = argv, .timeout_ms = BUILD_MS};
    child_result r;
    diag *dg = diag_new();
    bool good;

    if (child_run(&q, dg, &r) != ST_OK) {
        *why = arena_strdup(mem, diag_count(dg) ? diag_get(dg, 0)->text : "");
        diag_free(dg);
        return false;
    }
    good = r.exit_code == 0 && !r.timed_out;
    if (!good)
        *why = tail_of((suite_output){r.out, r.out_size}, mem);
    child_result_fini(&r);
    diag_free(dg);
    return good;
}

bool suite_build(const suite *s, const suite_job *job, arena *mem,
                 const char **why)
{
    suite_values v = suite_values_of(s, NULL, job->build);

    v.tmp = job->tmp;
    return !s->build || job->skip_build ||
           run_build(suite_expand(mem, s->build, &v), s->folder, mem, why);
}

static bool build_program(const suite_program *p, const suite_values *v,
                          const suite_job *job, arena *mem, const char **why)
{
    return !p->build || job->skip_build ||
           run_build(suite_expand(mem, p->build, v), v->dir, mem, why);
}

bool suite_build_program(const suite *s, const suite_program *p,
                         const suite_job *job, arena *mem, const char **why)
{
    suite_values v = suite_values_of(s, p, job->build);

    v.tmp = job->tmp;
    v.size = suite_size_find(p, job->size);
    return build_program(p, &v, job, mem, why);
}

/* ---- A folder of its own ---- */

static int remove_one(const char *path, const struct stat *is, int type,
                      struct FTW *where)
{
    (void)is, (void)type, (void)where;
    remove(path);
    return 0;
}

static bool make_tmp(run *r)
{
    char *path =
        arena_printf(r->out->mem, "%s/heddle-suite-XXXXXX", r->job->tmp);

    r->values.tmp = mkdtemp(path);
    return r->values.tmp != NULL;
}

static void remove_tmp(run *r)
{
    if (r->values.tmp)
        nftw(r->values.tmp, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- Running ---- */

/* Called a few times a second: ends a program that takes too long or writes too
 * much. */
static void watch_program(void *arg, const session_now *now)
{
    run *r = arg;
    struct stat out, err;

    (void)now;
    if (*r->job->stop) {
        r->kill = SIGKILL;
    } else if (clock_s() >= r->deadline_s) {
        r->timed_out = true;
        r->kill = SIGKILL;
    } else if (fstat(r->fd[OUT], &out) == 0 && fstat(r->fd[ERR], &err) == 0 &&
               out.st_size + err.st_size > OUTPUT_MOST) {
        r->flooded = true;
        r->kill = SIGKILL;
    }
}

static void end_as(run *r, suite_verdict v, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void end_as(run *r, suite_verdict v, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    r->out->verdict = v;
    r->out->why = arena_strdup(r->out->mem, text);
}

static bool open_streams(run *r)
{
    const char *input = r->program->input;

    if (input) {
        input = suite_expand(r->out->mem, input, &r->values);
        if (*input != '/')
            input = arena_printf(r->out->mem, "%s/%s", r->values.dir, input);
    }
    r->fd[IN] = open(input ? input : "/dev/null", O_RDONLY | O_CLOEXEC);
    if (r->fd[IN] < 0) {
        end_as(r, SUITE_UNSTARTED, "cannot read %s: %s", input,
               strerror(errno));
        return false;
    }
    r->fd[OUT] = memfd_create("out", MFD_CLOEXEC);
    r->fd[ERR] = memfd_create("err", MFD_CLOEXEC);
    if (r->fd[OUT] >= 0 && r->fd[ERR] >= 0)
        return true;
    end_as(r, SUITE_UNSTARTED, "cannot keep its output: %s", strerror(errno));
    return false;
}

/* What was written to a stream; valid until it is unmapped. */
static suite_output map_stream(int fd)
{
    struct stat is;
    void *text;

    if (fstat(fd, &is) != 0 || !is.st_size)
        return (suite_output){"", 0};
    text = mmap(NULL, (size_t)is.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (text == MAP_FAILED)
        return (suite_output){"", 0};
    return (suite_output){text, (size_t)is.st_size};
}

static void unmap(suite_output o)
{
    if (o.size)
        munmap((void *)(uintptr_t)o.text, o.size);
}

/* ---- Judging ---- */

void suite_result_outside(suite_result *r, const report_program *p)
{
    exec_strays all = report_program_strays(p);
    strbuf text = {0};

    stray_lines(&all, &text);
    if (text.size)
        r->outside = arena_strndup(r->mem, text.text, text.size);
    strbuf_fini(&text);
    exec_strays_fini(&all);
}

static void add_program_launches(suite_result *to, const report_program *p)
{
    for (size_t i = 0; i < p->process_count; i++)
        for (size_t k = 0; k < p->processes[i].launch_count; k++) {
            const report_launch *l = &p->processes[i].launches[k];

            to->launches++;
            to->failed_launches += l->status != ST_OK || l->unfinished;
            to->timed_launches += !l->functional;
            to->warp_insts += l->warp_insts;
            to->thread_insts += l->thread_insts;
            to->cycles += l->cycles;
            to->simulated_s +=
                (double)l->cycles / ((double)l->cfg->gpu.clock_khz * 1e3);
        }
}

/* The likely cause of a failure, behind a colon; "": unknown, or it did not run
 * here. */
static const char *cause(const run *r, const report_program *p)
{
    strbuf text = {0};
    const char *out = "";

    if (r->job->env && failure_cause(p, &text))
        out = arena_printf(r->out->mem, ": %s", text.text);
    strbuf_fini(&text);
    return out;
}

/* The signal that ended it, 0: none. A shell passes it on in its status. */
static int ended_by(const run *r, const report_program *p)
{
    static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

    const suite_expect *x = &r->program->expect;

    if (!r->program->shell || x->any_status || p->exit_code == x->status)
        return p->signal;
    for (size_t i = 0; i < COUNTOF(crashes); i++)
        if (p->exit_code == 128 + crashes[i])
            return crashes[i];
    return p->signal;
}

static void judge_program(run *r, const report_program *p, suite_output out,
                          suite_output err)
{
    const suite_expect *x = &r->program->expect;
    int number = ended_by(r, p);
    const char *why;

    r->out->exit_code = p->exit_code;
    r->out->signal = number;
    if (r->timed_out)
        end_as(r, SUITE_TIMEOUT, "ended after %.0f s", r->out->host_s);
    else if (r->flooded)
        end_as(r, SUITE_FAIL, "ended after %d MB of output", OUTPUT_MOST >> 20);
    else if (*r->job->stop)
        end_as(r, SUITE_STOPPED, "stopped");
    else if (number)
        end_as(r, SUITE_CRASH, "signal %d (%s)", number, strsignal(number));
    else if (p->exit_code == SKIPPED_STATUS && x->status != SKIPPED_STATUS)
        end_as(r, SUITE_SKIPPED, "%s",
               tail_of(out.size ? out : err, r->out->mem));
    else if (!x->any_status && p->exit_code != x->status)
        end_as(r, SUITE_FAIL, "exit status %d, not %d%s", p->exit_code,
               x->status, cause(r, p));
    else if ((why =
                  suite_judge(x, out, err, r->folder, &r->values, r->out->mem)))
        end_as(r, SUITE_WRONG, "%s%s", why, cause(r, p));
    else if (r->job->env && !r->out->launches)
        end_as(r, SUITE_PASS, "it launched no kernel on a simulated GPU%s",
               cause(r, p));
    else
        r->out->verdict = SUITE_PASS;
    if (suite_verdict_good(r->out->verdict))
        return;
    why = tail_of(out, r->out->mem);
    r->out->tail =
        arena_printf(r->out->mem, "%s%s%s", why, *why && err.size ? "\n" : "",
                     tail_of(err, r->out->mem));
}

/* ---- One program ---- */

/* The loader's variables, and the program's own. */
static const char **run_environment(run *r)
{
    const suite_texts *own = &r->program->env;
    const char *const *loader = r->job->env;
    size_t n = 0;
    const char **env;

    while (loader && loader[n])
        n++;
    env = ARENA_ARRAY(r->out->mem, const char *, n + own->count + 1);
    for (size_t i = 0; i < n; i++)
        env[i] = loader[i];
    for (size_t i = 0; i < own->count; i++)
        env[n + i] = suite_expand(r->out->mem, own->text[i], &r->values);
    return env;
}

static const char **run_command(run *r)
{
    const suite_program *p = r->program;
    const char **argv;

    if (p->plain)
        return p->run.text;
    if (!p->shell)
        return suite_expand_all(r->out->mem, p->run, &r->values);
    argv = ARENA_ARRAY(r->out->mem, const char *, 4);
    argv[0] = "/bin/sh";
    argv[1] = "-c";
    argv[2] = suite_expand(r->out->mem, p->run.text[0], &r->values);
    return argv;
}

/* The program's own choice of launches, unless the user has made one. */
static session_setup setup_of_program(const run *r)
{
    session_setup setup = *r->job->setup;

    if (r->program->timed_count && !setup.filter.count) {
        setup.filter.rule = r->program->timed;
        setup.filter.count = r->program->timed_count;
    }
    return setup;
}

static void end_unstarted(run *r, const char *command, const char *why)
{
    const char *from = r->program->from;

    end_as(r, SUITE_UNSTARTED, "cannot run %s: %s%s%s", command, why,
           from ? "; it comes from " : "", from ? from : "");
}

static void run_and_judge(run *r)
{
    const session_setup setup = setup_of_program(r);
    const session_request q = {
        .argv = run_command(r),
        .env = run_environment(r),
        .setup = &setup,
        .configs = r->job->configs,
        .each = r->job->each,
        .usual = r->job->usual,
        .signal = &r->kill,
        .progress = watch_program,
        .progress_arg = r,
        .grace_ms = 1000,
        .streams = r->fd,
        .folder = r->folder,
        .group = true,
    };
    session_outcome *o = NULL;
    diag *dg = diag_new();
    double began = clock_s();
    unsigned limit =
        r->job->timeout_s ? r->job->timeout_s : r->program->timeout_s;
    int why = 0;
    status st;

    r->deadline_s = began + limit;
    st = session_run(&q, &why, dg, &o);
    r->out->host_s = clock_s() - began;
    if (st == ST_OK) {
        suite_output out = map_stream(r->fd[OUT]), err = map_stream(r->fd[ERR]);

        add_program_launches(r->out, session_outcome_get(o));
        suite_result_outside(r->out, session_outcome_get(o));
        judge_program(r, session_outcome_get(o), out, err);
        if (r->job->keep_output)
            r->out->out = (suite_output){
                arena_strndup(r->out->mem, out.text, out.size), out.size};
        if (r->job->keep &&
            !r->job->keep(r->job->keep_arg, r->program, q.argv, o))
            end_as(r, SUITE_FAIL, "its report could not be written");
        unmap(out);
        unmap(err);
    } else {
        end_unstarted(r, q.argv[0],
                      st == ST_USAGE   ? strerror(why)
                      : diag_count(dg) ? diag_get(dg, 0)->text
                                       : "out of memory");
    }
    session_outcome_free(o);
    diag_free(dg);
}

/* False: one of the files that it reads besides its arguments is missing. */
static bool have_inputs(run *r)
{
    for (size_t i = 0; i < r->program->inputs.count; i++) {
        const char *path =
            suite_expand(r->out->mem, r->program->inputs.text[i], &r->values);

        if (*path != '/')
            path = arena_printf(r->out->mem, "%s/%s", r->folder, path);
        if (access(path, R_OK) == 0)
            continue;
        end_as(r, SUITE_UNSTARTED, "cannot read its input %s: %s", path,
               strerror(errno));
        return false;
    }
    return true;
}

static void run_program(run *r)
{
    const suite_program *p = r->program;
    arena *mem = r->out->mem;
    const char *why;

    r->values.size = suite_size_find(p, r->job->size);
    r->values.draw = r->job->draw;
    if (p->size_count && !r->values.size) {
        end_as(r, SUITE_SKIPPED, "it has no size %s", r->job->size);
        return;
    }
    if (!make_tmp(r)) {
        end_as(r, SUITE_UNSTARTED, "cannot make a folder in %s: %s",
               r->job->tmp, strerror(errno));
        return;
    }
    r->folder = suite_expand(mem, p->folder, &r->values);
    if (*r->folder != '/')
        r->folder = arena_printf(mem, "%s/%s", r->values.dir, r->folder);
    if (!have_inputs(r))
        return;
    if (!build_program(p, &r->values, r->job, mem, &why)) {
        r->out->verdict = SUITE_UNBUILT;
        r->out->tail = why;
        return;
    }
    if (open_streams(r))
        run_and_judge(r);
}

void suite_run(const suite *s, const suite_program *p, const suite_job *job,
               suite_result *out)
{
    run r = {.job = job,
             .program = p,
             .values = suite_values_of(s, p, job->build),
             .fd = {-1, -1, -1},
             .out = out};

    r.values.tmp = NULL;
    *out = (suite_result){.program = p, .mem = arena_new(), .tail = ""};
    run_program(&r);
    for (int i = 0; i < STREAMS; i++)
        if (r.fd[i] >= 0)
            close(r.fd[i]);
    remove_tmp(&r);
}

void suite_result_fini(suite_result *r)
{
    arena_free(r->mem);
    *r = (suite_result){0};
}
