/* src/slurm/slurm.c - see slurm.h. */
#include "slurm/slurm.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"

enum {
    PATIENCE_MS = 60000, /* for a command: slurmctld may be busy */
    NOT_FOUND = 127,     /* what a shell, or a C library, says of commands */
    ARRAY_MOST = 1001,   /* of Slurm as it comes [SLURM:slurm.conf] */
};

/* ---- States ---- */

static const struct {
    const char *word; /* of squeue */
    slurm_state state;
} words[] = {
    {"PENDING", SLURM_WAITING},      {"CONFIGURING", SLURM_RUNNING},
    {"RUNNING", SLURM_RUNNING},      {"COMPLETING", SLURM_RUNNING},
    {"SUSPENDED", SLURM_RUNNING},    {"STOPPED", SLURM_RUNNING},
    {"SIGNALING", SLURM_RUNNING},    {"STAGE_OUT", SLURM_RUNNING},
    {"RESIZING", SLURM_RUNNING},     {"REQUEUED", SLURM_WAITING},
    {"REQUEUE_FED", SLURM_WAITING},  {"RESV_DEL_HOLD", SLURM_WAITING},
    {"REQUEUE_HOLD", SLURM_HELD},    {"SPECIAL_EXIT", SLURM_HELD},
    {"COMPLETED", SLURM_COMPLETED},  {"FAILED", SLURM_FAILED},
    {"TIMEOUT", SLURM_TIMEOUT},      {"DEADLINE", SLURM_TIMEOUT},
    {"OUT_OF_MEMORY", SLURM_MEMORY}, {"NODE_FAIL", SLURM_NODE},
    {"BOOT_FAIL", SLURM_NODE},       {"PREEMPTED", SLURM_PREEMPTED},
    {"CANCELLED", SLURM_CANCELLED},  {"REVOKED", SLURM_CANCELLED},
};

const char *slurm_state_text(slurm_state s)
{
    static const char *const text[SLURM_STATES] = {
        [SLURM_GONE] = "unknown to Slurm",
        [SLURM_WAITING] = "waiting",
        [SLURM_RUNNING] = "running",
        [SLURM_HELD] = "node failed, requeued",
        [SLURM_COMPLETED] = "completed",
        [SLURM_FAILED] = "failed",
        [SLURM_TIMEOUT] = "time limit",
        [SLURM_MEMORY] = "out of memory",
        [SLURM_NODE] = "node failed",
        [SLURM_PREEMPTED] = "preempted",
        [SLURM_CANCELLED] = "cancelled",
    };

    return text[s];
}

bool slurm_state_alive(slurm_state s)
{
    return s == SLURM_WAITING || s == SLURM_RUNNING;
}

/* ---- Scripts ---- */

/* What neither a shell's '...' nor the "..." of an #SBATCH line can hold. */
bool slurm_path_good(const char *path)
{
    for (; *path; path++)
        if (strchr("'\"\\\n\r", *path))
            return false;
    return true;
}

static void print_option(strbuf *to, const char *name, const char *value)
{
    if (value)
        strbuf_printf(to, "#SBATCH \"--%s=%s\"\n", name, value);
}

/* 'A' 'B' ..., with "$SLURM_ARRAY_TASK_ID" for {task}. */
static void print_command(strbuf *to, const char *const *command)
{
    for (; *command; command++) {
        const char *word = *command, *task = strstr(word, "{task}");

        if (!task)
            strbuf_printf(to, " '%s'", word);
        else
            strbuf_printf(to, " '%.*s'\"$SLURM_ARRAY_TASK_ID\"'%s'",
                          (int)(task - word), word, task + strlen("{task}"));
    }
    strbuf_putc(to, '\n');
}

void slurm_script_print(const slurm_script *s, strbuf *to)
{
    strbuf_printf(to, "#!/bin/sh\n# %s\n", s->about);
    print_option(to, "job-name", s->name);
    if (s->tasks)
        strbuf_printf(to, "#SBATCH --array=0-%u\n", s->tasks - 1);
    print_option(to, "output", s->log);
    strbuf_puts(to, "#SBATCH --open-mode=append\n#SBATCH --requeue\n"
                    "#SBATCH --ntasks=1\n");
    print_option(to, "partition", s->partition);
    print_option(to, "time", s->time);
    print_option(to, "mem", s->memory);
    if (*s->after)
        strbuf_printf(to, "#SBATCH --dependency=afterany:%s\n", s->after);
    for (size_t i = 0; i < s->option_count; i++)
        strbuf_printf(to, "#SBATCH %s\n", s->options[i]);
    strbuf_printf(to,
                  "if [ \"$(cat '%s')\" != %s ]; then\n"
                  "    echo \"heddle: $(hostname) does not see '%s'\" >&2\n"
                  "    exit %d\n"
                  "fi\n"
                  "echo \"task ${SLURM_ARRAY_TASK_ID-} on "
                  "${SLURMD_NODENAME-?}\"\nexec",
                  s->token_file, s->token, s->token_file, SLURM_NOT_SHARED);
    print_command(to, s->command);
}

/* ---- Limits as Slurm writes them ---- */

uint64_t slurm_minutes(const char *text)
{
    uint64_t v[3] = {0}, days = 0, seconds;
    unsigned n = 0;
    char *end;

    if (!isdigit((unsigned char)*text))
        return 0;
    v[n++] = strtoull(text, &end, 10);
    bool has_days = *end == '-';
    if (has_days) {
        days = v[0];
        text = end + 1;
        if (!isdigit((unsigned char)*text))
            return 0;
        v[0] = strtoull(text, &end, 10);
    }
    while (*end == ':' && n < 3 && isdigit((unsigned char)end[1]))
        v[n++] = strtoull(end + 1, &end, 10);
    if (*end)
        return 0;
    if (has_days || n == 3) /* hours first */
        seconds = days * 86400 + v[0] * 3600 + v[1] * 60 + v[2];
    else /* minutes first */
        seconds = v[0] * 60 + v[1];
    return (seconds + 59) / 60;
}

uint64_t slurm_megabytes(const char *text)
{
    static const char units[] = "KMGT";
    const char *unit;
    uint64_t v;
    char *end;

    if (!isdigit((unsigned char)*text))
        return 0;
    v = strtoull(text, &end, 10);
    if (!*end)
        return v;
    unit = strchr(units, toupper((unsigned char)*end));
    if (!unit || (end[1] && strcasecmp(end + 1, "B")))
        return 0;
    if (unit == units)
        return (v + 1023) / 1024;
    return v << 10 * (unit - units - 1);
}

/* ---- Rows of squeue ---- */

/* The order in which slurm_read_row takes them. */
static const char format[] =
    "--Format=ArrayJobID:|,ArrayTaskID:|,State:|,Reason:|,RestartCnt:|,"
    "NodeList:|,exit_code:|,Name:|";

enum { JOB, TASK, STATE, REASON, RESTARTS, NODE, EXIT, NAME, FIELDS };

/* A requeued task whose start Slurm puts off, or that it will not start at all
 * without an administrator. */
static bool is_held(const char *reason, bool restarted)
{
    return (restarted && !strcmp(reason, "BeginTime")) ||
           !strcmp(reason, "JobHoldMaxRequeue") ||
           !strcmp(reason, "launch_failed_requeued_held") ||
           !strcmp(reason, "launch failed requeued held");
}

static slurm_state read_state(const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, word))
            return words[i].state;
    return SLURM_WAITING; /* of a Slurm that we do not know: wait and see */
}

/* As of wait(), or CODE:SIGNAL. */
static void read_exit(const char *text, slurm_task *t)
{
    char *end;
    long v = strtol(text, &end, 10);

    if (*end == ':') {
        t->exit_code = (int)v;
        t->signal = (int)strtol(end + 1, NULL, 10);
    } else {
        t->exit_code = WIFEXITED((int)v) ? WEXITSTATUS((int)v) : 0;
        t->signal = WIFSIGNALED((int)v) ? WTERMSIG((int)v) : 0;
    }
}

bool slurm_read_row(char *row, slurm_task *out)
{
    const char *field[FIELDS];
    char *end;

    for (unsigned i = 0; i < FIELDS; i++) {
        char *bar = strchr(row, '|');

        if (!bar)
            return false;
        *bar = '\0';
        field[i] = row;
        row = bar + 1;
    }
    *out = (slurm_task){.state = read_state(field[STATE]),
                        .name = field[NAME],
                        .node = field[NODE],
                        .reason = field[REASON]};
    out->job = strtoull(field[JOB], &end, 10);
    if (*end || end == field[JOB])
        return false;
    out->task = (unsigned)strtoul(field[TASK], NULL, 10); /* N/A: no array */
    read_exit(field[EXIT], out);
    if (out->state == SLURM_WAITING &&
        is_held(field[REASON], strtoul(field[RESTARTS], NULL, 10) != 0))
        out->state = SLURM_HELD;
    return true;
}

/* ---- Talking to it ---- */

/* The last line that says something. */
static void trim_line(char *text)
{
    size_t n = strlen(text);

    while (n && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
}

/* On ST_OK it ended with 0, and the caller calls child_result_fini. */
static status call(const char *const *argv, diag *dg, child_result *out)
{
    child_request q = {.argv = argv, .timeout_ms = PATIENCE_MS};
    diag *own = diag_new();
    status st = own ? child_run(&q, own, out) : ST_NOMEM;

    diag_free(own);
    if (st == ST_OK && out->exit_code == NOT_FOUND) {
        child_result_fini(out);
        st = ST_IO;
    }
    if (st != ST_OK) {
        diag_error(dg,
                   "cannot run %s: --slurm needs Slurm's commands, on a "
                   "machine from which jobs can be submitted",
                   argv[0]);
        return st;
    }
    if (out->exit_code == 0)
        return ST_OK;
    trim_line(out->err);
    if (out->timed_out)
        diag_error(dg, "%s does not answer within %d s", argv[0],
                   PATIENCE_MS / 1000);
    else
        diag_error(dg, "%s failed: %s", argv[0],
                   *out->err ? out->err : "it does not say why");
    child_result_fini(out);
    return ST_CONFIG;
}

status slurm_submit(const char *script, diag *dg, uint64_t *job)
{
    const char *argv[] = {"sbatch", "--parsable", script, NULL};
    child_result r;
    status st = call(argv, dg, &r);

    if (st != ST_OK)
        return st;
    *job = strtoull(r.out, NULL, 10);
    if (!*job) {
        diag_error(dg, "sbatch gave no job number but '%s'", r.out);
        st = ST_CONFIG;
    }
    child_result_fini(&r);
    return st;
}

status slurm_look(const char *const *names, size_t count, arena *mem, diag *dg,
                  slurm_task **tasks, size_t *task_count)
{
    strbuf name = {0}, user = {0};
    child_result r;
    size_t lines = 0;
    status st;

    strbuf_puts(&name, "--name=");
    for (size_t i = 0; i < count; i++)
        strbuf_printf(&name, "%s%s", i ? "," : "", names[i]);
    strbuf_printf(&user, "--user=%u", (unsigned)getuid());
    const char *argv[] = {"squeue",  "--noheader", "--array", "--states=all",
                          user.text, name.text,    format,    NULL};
    st = call(argv, dg, &r);
    strbuf_fini(&name);
    strbuf_fini(&user);
    if (st != ST_OK)
        return st;
    char *text = arena_strdup(mem, r.out);
    child_result_fini(&r);
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    *tasks = ARENA_ARRAY(mem, slurm_task, lines + 1);
    *task_count = 0;
    for (char *row = text, *end; (end = strchr(row, '\n')); row = end + 1) {
        *end = '\0';
        if (slurm_read_row(row, &(*tasks)[*task_count]))
            ++*task_count;
    }
    return ST_OK;
}

status slurm_cancel(uint64_t job, int64_t task, diag *dg)
{
    strbuf which = {0};
    child_result r;
    status st;

    strbuf_printf(&which, "%" PRIu64, job);
    if (task >= 0)
        strbuf_printf(&which, "_%" PRId64, task);
    const char *argv[] = {"scancel", which.text, NULL};
    st = call(argv, dg, &r);
    strbuf_fini(&which);
    if (st == ST_OK)
        child_result_fini(&r);
    return st;
}

unsigned slurm_array_most(void)
{
    const char *argv[] = {"scontrol", "show", "config", NULL};
    unsigned most = ARRAY_MOST;
    diag *dg = diag_new();
    child_result r;

    if (dg && call(argv, dg, &r) == ST_OK) {
        const char *at = strstr(r.out, "\nMaxArraySize");

        if (at && (at = strchr(at, '=')))
            most = (unsigned)strtoul(at + 1, NULL, 10);
        child_result_fini(&r);
    }
    diag_free(dg);
    return most ? most : 1; /* of which the highest is one less */
}
