/* src/slurm/slurm_sweep.c - what becomes of tasks and points; see
 * slurm_sweep.h. */
#include "slurm/slurm_sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "slurm/slurm_impl.h"

/* How long a task has ended before its points are looked for: file systems
 * that are shared show new files late. One that says it has run all of them is
 * believed for longer. */
#define GRACE_S           2.0
#define GRACE_COMPLETED_S 30.0

enum {
    FACTOR_MOST = 16,     /* limits grow to this factor at most */
    SIGNAL_NO_OUTPUT = 53 /* slurmd's, if it cannot open the log of a task
                             (seen with 22.05) */
};

static void report_event(const slurm_sweep *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void report_event(const slurm_sweep *s, const char *fmt, ...)
{
    strbuf b = {0};
    va_list ap;

    va_start(ap, fmt);
    strbuf_vprintf(&b, fmt, ap);
    va_end(ap);
    if (s->o->say)
        s->o->say(s->o->arg, b.text);
    strbuf_fini(&b);
}

/* ---- Looking ---- */

static array *array_of_name(slurm_sweep *s, const char *name)
{
    const char *dash = strrchr(name, '-');
    unsigned long number = dash ? strtoul(dash + 1, NULL, 10) : 0;

    for (size_t i = 0; i < s->array_count; i++)
        if (s->arrays[i].number == number)
            return &s->arrays[i];
    return NULL;
}

void slurm_sweep_update(slurm_sweep *s, const slurm_task *tasks, size_t count)
{
    for (size_t i = 0; i < s->array_count; i++)
        for (unsigned k = 0; k < s->arrays[i].task_count; k++)
            s->arrays[i].tasks[k].state = SLURM_GONE;
    s->why = NULL;
    for (size_t i = 0; i < count; i++) {
        const slurm_task *t = &tasks[i];
        array *a = array_of_name(s, t->name);

        if (!a || t->task >= a->task_count)
            continue;
        if (!a->job)
            a->job = t->job;
        a->tasks[t->task].state = t->state;
        a->tasks[t->task].exit_code = t->exit_code;
        a->tasks[t->task].signal = t->signal;
        if (*t->node)
            a->tasks[t->task].node = arena_strdup(s->mem, t->node);
        if (t->state == SLURM_WAITING && !s->why)
            s->why = arena_strdup(s->mem, t->reason);
    }
    for (size_t i = 0; i < s->array_count && !s->looked; i++)
        for (unsigned k = 0; k < s->arrays[i].task_count; k++)
            s->arrays[i].tasks[k].before =
                !slurm_state_alive(s->arrays[i].tasks[k].state);
    s->looked = true;
}

status slurm_sweep_look(slurm_sweep *s, diag *dg)
{
    arena *mem = arena_new();
    const char **names;
    slurm_task *tasks = NULL;
    size_t n = 0, count = 0;
    status st = ST_OK;

    names = ARENA_ARRAY(mem, const char *, s->array_count + 1);
    for (size_t i = 0; i < s->array_count; i++)
        if (s->arrays[i].accounted < s->arrays[i].task_count)
            names[n++] = slurm_job_name(s, s->arrays[i].number);
    if (n)
        st = slurm_look(names, n, mem, dg, &tasks, &count);
    if (st == ST_OK)
        slurm_sweep_update(s, tasks, count);
    arena_free(mem);
    return st;
}

/* ---- Accounting ---- */

/* What a task leaves behind. */
typedef struct remains {
    size_t finished, lost, busy;
    size_t first; /* of the lost ones: it ran when the task ended */
} remains;

static remains look_behind(const slurm_sweep *s, const array *a, unsigned k)
{
    remains r = {.first = SWEEP_NONE};

    for (size_t i = k; i < a->count; i += a->task_count) {
        size_t p = a->points[i];

        if (p == SWEEP_NONE || s->fates[p] != SUBMITTED ||
            s->holder[p] != (size_t)(a - s->arrays))
            continue;
        switch (sweep_folder_state(s->folder, p)) {
        case SWEEP_RUNNING:
            r.busy++;
            break;
        case SWEEP_LEFT:
            if (!r.lost++)
                r.first = p;
            break;
        case SWEEP_DONE:
        case SWEEP_FAILED:
        case SWEEP_STATES:
            r.finished++;
        }
    }
    return r;
}

/* What limits the next arrays get. */
static void grow_limits(slurm_sweep *s, const task *t, const remains *r)
{
    if (t->state == SLURM_MEMORY && s->memory_factor < FACTOR_MOST)
        s->memory_grows = true;
    if (t->state == SLURM_TIMEOUT && !r->finished &&
        s->time_factor < FACTOR_MOST)
        s->time_grows = true;
}

/* The one that ran is charged; it may be the reason. */
static void charge_try(slurm_sweep *s, size_t p, slurm_state why)
{
    if (++s->tries[p] < s->o->tries)
        return;
    s->fates[p] = GIVEN_UP;
    report_event(s, "%s: given up after %u tries: %s",
                 sweep_plan_label(sweep_folder_plan(s->folder), p), s->tries[p],
                 slurm_state_text(why));
}

static void release_points(slurm_sweep *s, const array *a, unsigned k,
                           const remains *r)
{
    const task *t = &a->tasks[k];
    bool wanted = t->state == SLURM_CANCELLED && !t->before;

    for (size_t i = k; i < a->count; i += a->task_count) {
        size_t p = a->points[i];

        if (p == SWEEP_NONE || s->fates[p] != SUBMITTED ||
            s->holder[p] != (size_t)(a - s->arrays) ||
            sweep_folder_state(s->folder, p) != SWEEP_LEFT)
            continue;
        s->fates[p] = wanted ? CANCELLED : TO_SUBMIT;
        if (!wanted) {
            s->resubmitted++;
            s->causes[t->state]++;
        }
    }
    if (wanted || t->before)
        return;
    grow_limits(s, t, r);
    charge_try(s, r->first, t->state);
}

/* The end of what a task wrote, "" if there is nothing. */
static const char *last_words(slurm_sweep *s, const array *a, unsigned k)
{
    const char *path =
        arena_printf(s->mem, "%s/logs/array-%u-%u.txt", s->dir, a->number, k);
    diag *dg = diag_new();
    const char *words = "";
    size_t size;
    char *text;

    if (file_read(path, dg, &text, &size) == ST_OK) {
        while (size && text[size - 1] == '\n')
            text[--size] = '\0';
        words = strrchr(text, '\n');
        words = arena_strdup(s->mem, words ? words + 1 : text);
        free(text);
    }
    diag_free(dg);
    return words;
}

/* Failures that come again however often it is tried. */
static status check_task(slurm_sweep *s, const array *a, unsigned k, diag *dg)
{
    const task *t = &a->tasks[k];

    if (t->state != SLURM_FAILED || t->before)
        return ST_OK;
    if (t->exit_code == SLURM_NOT_SHARED || t->signal == SIGNAL_NO_OUTPUT) {
        diag_error(dg,
                   "node %s does not see %s: the folder must be on a file "
                   "system that all nodes share, under the same name",
                   t->node ? t->node : "?", sweep_folder_path(s->folder));
        return ST_IO;
    }
    if (a->accounted == a->task_count && a->failed == a->task_count &&
        !a->finished) {
        diag_error(dg, "all tasks of job %" PRIu64 " failed at once: %s",
                   a->job, last_words(s, a, k));
        return ST_PROGRAM;
    }
    return ST_OK;
}

/* May its points still turn up? */
static bool is_fresh(task *t, double now_s)
{
    double grace = t->state == SLURM_COMPLETED ? GRACE_COMPLETED_S : GRACE_S;

    if (!t->over)
        t->over_s = now_s;
    t->over = true;
    return now_s - t->over_s < grace;
}

/* What came of the tasks of an array that ended since, by how they did. */
typedef struct events {
    size_t tasks[SLURM_STATES], points[SLURM_STATES];
    const char *node[SLURM_STATES];
} events;

static status account_task(slurm_sweep *s, array *a, unsigned k, double now_s,
                           events *e, diag *dg)
{
    task *t = &a->tasks[k];
    remains r = look_behind(s, a, k);
    diag *own;

    if (slurm_state_alive(t->state)) {
        t->over = false;
        return ST_OK;
    }
    if (r.busy || (r.lost && is_fresh(t, now_s)))
        return ST_OK;
    t->accounted = true;
    a->accounted++;
    a->finished += r.finished;
    a->failed += t->state == SLURM_FAILED && t->exit_code;
    if (t->state == SLURM_HELD && (own = diag_new())) {
        slurm_cancel(a->job, k, own); /* or it starts, and finds nothing */
        diag_free(own);
    }
    if (r.lost) {
        e->tasks[t->state]++;
        e->points[t->state] += r.lost;
        e->node[t->state] = t->node;
        release_points(s, a, k, &r);
    }
    return check_task(s, a, k, dg);
}

static void report_array_events(const slurm_sweep *s, const array *a,
                                const events *e)
{
    for (unsigned i = 0; i < SLURM_STATES; i++)
        if (e->tasks[i])
            report_event(
                s, "job %" PRIu64 ": %zu task%s: %s%s%s; %zu point%s left",
                a->job, e->tasks[i], e->tasks[i] > 1 ? "s" : "",
                slurm_state_text(i), e->node[i] ? " on " : "",
                e->node[i] ? e->node[i] : "", e->points[i],
                e->points[i] > 1 ? "s" : "");
}

status slurm_sweep_account(slurm_sweep *s, double now_s, diag *dg)
{
    status st = ST_OK;

    for (size_t i = 0; i < s->array_count && st == ST_OK; i++) {
        array *a = &s->arrays[i];
        events e = {0};

        for (unsigned k = 0; k < a->task_count && st == ST_OK; k++)
            if (!a->tasks[k].accounted)
                st = account_task(s, a, k, now_s, &e, dg);
        report_array_events(s, a, &e);
    }
    return st;
}

/* ---- Sums ---- */

bool slurm_to_submit(const slurm_sweep *s, size_t point)
{
    return s->fates[point] == TO_SUBMIT &&
           sweep_folder_state(s->folder, point) == SWEEP_LEFT;
}

slurm_sums slurm_sweep_sums(const slurm_sweep *s)
{
    slurm_sums sums = {.why = s->why, .resubmitted = s->resubmitted};

    memcpy(sums.causes, s->causes, sizeof sums.causes);
    for (size_t i = 0; i < s->points; i++) {
        sweep_state is = sweep_folder_state(s->folder, i);

        sums.left += slurm_to_submit(s, i);
        if (is != SWEEP_LEFT && is != SWEEP_RUNNING)
            continue;
        sums.held += s->fates[i] == SUBMITTED;
        sums.given_up += s->fates[i] == GIVEN_UP;
        sums.cancelled += s->fates[i] == CANCELLED;
    }
    for (size_t i = 0; i < s->array_count; i++)
        for (unsigned k = 0; k < s->arrays[i].task_count; k++) {
            sums.waiting += s->arrays[i].tasks[k].state == SLURM_WAITING;
            sums.running += s->arrays[i].tasks[k].state == SLURM_RUNNING;
        }
    return sums;
}

static bool is_alive(const array *a) { return a->accounted < a->task_count; }

void slurm_sweep_jobs(const slurm_sweep *s, char separator, strbuf *to)
{
    for (size_t i = 0; i < s->array_count; i++) {
        if (!s->arrays[i].job || !is_alive(&s->arrays[i]))
            continue;
        if (to->size)
            strbuf_putc(to, separator);
        strbuf_printf(to, "%" PRIu64, s->arrays[i].job);
    }
}

void slurm_sweep_cancel(slurm_sweep *s)
{
    diag *dg = diag_new();

    for (size_t i = 0; i < s->array_count; i++)
        if (s->arrays[i].job && is_alive(&s->arrays[i]))
            slurm_cancel(s->arrays[i].job, -1, dg);
    diag_free(dg);
}
