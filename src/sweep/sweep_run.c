/* src/sweep/sweep_run.c - see sweep_run.h. A child leads a session of its own:
 * whatever it starts can be found and ended with it. */
#include "sweep/sweep_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "sweep/sweep_point.h"
#include "sweep/sweep_process.h"

extern char **environ;

enum {
    TICK_MS = 100,
    GRACE_S = 10,       /* for a child that ends programs by itself */
    STOP_S = 5,         /* for children to end after a signal */
    LOG_MOST = 1 << 16, /* bytes kept of what a point wrote */
    ROUNDS = 3,         /* if results are damaged before they are merged */
    MERGE_POINTS = 200, /* finished points that are worth a merge, */
    MERGE_S = 20        /* and seconds after which any are */
};

/* Seconds between looks at limits, at what others do, and at that if there is
 * nothing else to do. */
static const double WATCH_S = 0.05, LOOK_S = 2, SOON_S = 0.2;

typedef struct child {
    size_t point;
    pid_t pid;
    int lock, log, handle; /* handle: of the process, -1: the kernel has none */
    double began;
    uint64_t memory;
    const char *ended_for; /* "timeout", "memory"; NULL: we did not end it */
} child;

typedef struct engine {
    sweep_folder *f;
    const sweep_plan *plan;
    const sweep_run_options *o;
    diag *dg;
    arena *mem;
    child *children;
    sweep_child *shown;
    size_t count;
    size_t next;  /* of the list of points */
    size_t taken; /* points that others run */
    size_t finished, cached, unmerged;
    double began, merged, looked, shown_at, watched;
    status st; /* not ST_OK: nothing more is begun */
} engine;

static bool is_stopped(const engine *e)
{
    return *e->o->stop || e->st != ST_OK;
}

/* ---- Starting ---- */

static int spawn_child(child *c, const char *const *argv)
{
    posix_spawn_file_actions_t act;
    posix_spawnattr_t attr;
    sigset_t none, all;
    int rc;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&act);
    posix_spawnattr_init(&attr);
    posix_spawn_file_actions_addopen(&act, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&act, c->log, 1);
    posix_spawn_file_actions_adddup2(&act, c->log, 2);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID |
                                        POSIX_SPAWN_SETSIGMASK |
                                        POSIX_SPAWN_SETSIGDEF);
    rc = posix_spawn(&c->pid, "/proc/self/exe", &act, &attr,
                     (char *const *)(uintptr_t)argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&act);
    return rc;
}

static void start_child(engine *e, size_t point, int lock)
{
    const char *const argv[] = {"heddle",
                                "sweep",
                                "point",
                                sweep_folder_path(e->f),
                                e->plan->points[point].id,
                                NULL};
    child c = {.point = point, .lock = lock, .began = clock_s()};
    int rc;

    c.log = memfd_create("log", MFD_CLOEXEC);
    rc = c.log < 0 ? errno : spawn_child(&c, argv);
    fcntl(lock, F_SETFD, FD_CLOEXEC); /* for this process alone */
    if (rc != 0) {
        if (c.log >= 0)
            close(c.log);
        sweep_folder_release(e->f, point, lock);
        diag_error(e->dg, "cannot start a process: %s", strerror(rc));
        e->st = ST_IO;
        return;
    }
    c.handle = (int)syscall(SYS_pidfd_open, c.pid, 0);
    e->children[e->count++] = c;
}

/* Is there something of it already? */
static bool take_cached(engine *e, size_t point, int lock)
{
    const char *id = e->plan->points[point].id;
    const char *tmp;

    if (!e->o->get)
        return false;
    tmp = sweep_folder_tmp(e->f, point, e->mem);
    if (!e->o->get(e->o->arg, id, tmp))
        return false;
    if (sweep_folder_finish(e->f, point, true, e->dg) != ST_OK) {
        unlink(tmp);
        return false;
    }
    sweep_folder_release(e->f, point, lock);
    e->finished++;
    e->cached++;
    e->unmerged++;
    return true;
}

static size_t list_count(const engine *e)
{
    return e->o->points ? e->o->point_count : e->plan->count;
}

static size_t list_point(const engine *e, size_t i)
{
    return e->o->points ? e->o->points[i] : i;
}

/* Begins as many as there is room for. */
static void start_some(engine *e)
{
    while (e->count < e->o->jobs && e->next < list_count(e) && !is_stopped(e)) {
        size_t point = list_point(e, e->next++);
        sweep_state is = sweep_folder_state(e->f, point);
        int lock;

        if (is == SWEEP_DONE || is == SWEEP_FAILED)
            continue;
        switch (sweep_folder_claim(e->f, point, &lock)) {
        case SWEEP_MINE:
            if (!take_cached(e, point, lock))
                start_child(e, point, lock);
            break;
        case SWEEP_TAKEN:
            e->taken++;
            break;
        case SWEEP_FINISHED:
            break;
        case SWEEP_LOST:
            diag_add(e->dg, DIAG_ERROR, sweep_folder_path(e->f), 0, 0, 1,
                     "cannot write to the folder: %s", strerror(errno));
            e->st = ST_IO;
        }
    }
}

/* ---- Ending ---- */

/* What it wrote, its last bytes; freed by the caller. */
static char *read_log(int fd, size_t *size)
{
    off_t end = lseek(fd, 0, SEEK_END);
    off_t from = end > LOG_MOST ? end - LOG_MOST : 0;
    char *text = new_array((size_t)(end - from) + 1, 1);
    ssize_t n;

    n = pread(fd, text, (size_t)(end - from), from);
    *size = n > 0 ? (size_t)n : 0;
    text[*size] = '\0';
    return text;
}

static const char *last_line(arena *mem, const char *text)
{
    size_t n = strlen(text), from;

    while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
        n--;
    for (from = n; from && text[from - 1] != '\n';)
        from--;
    return arena_strndup(mem, text + from, n - from < 300 ? n - from : 300);
}

typedef struct ending {
    const char *how, *why;
    int exit_code, number;
} ending;

/* Of a child that left no results. */
static ending explain_ending(engine *e, const child *c, int how,
                             const char *log)
{
    const sweep_limits *l = &e->plan->limits;
    ending x = {.how = "crash"};

    if (WIFSIGNALED(how))
        x.number = WTERMSIG(how);
    else
        x.exit_code = WEXITSTATUS(how);
    if (c->ended_for && !strcmp(c->ended_for, "timeout")) {
        x.how = c->ended_for;
        x.why = arena_printf(e->mem, "ended after %u s", l->time_s);
    } else if (c->ended_for) {
        x.how = c->ended_for;
        x.why = arena_printf(e->mem, "ended at %llu MiB, %llu are allowed",
                             (unsigned long long)(c->memory >> 20),
                             (unsigned long long)(l->memory >> 20));
    } else if (x.number == SIGKILL) {
        x.how = "killed";
        x.why = "somebody ended it with SIGKILL; if nobody did, the host's "
                "memory was full";
    } else if (x.number) {
        x.why = arena_printf(e->mem, "Heddle: signal %d (%s): %s", x.number,
                             strsignal(x.number), last_line(e->mem, log));
    } else {
        x.why = arena_printf(e->mem, "Heddle: exit status %d: %s", x.exit_code,
                             last_line(e->mem, log));
    }
    return x;
}

static void keep_log(engine *e, const child *c, const char *log, size_t size)
{
    diag *quiet = diag_new();

    if (size)
        file_write(sweep_folder_log(e->f, c->point, e->mem), log, size, quiet);
    diag_free(quiet);
}

static void report_ended(engine *e, const child *c, const char *how,
                         const char *why)
{
    if (e->o->ended)
        e->o->ended(e->o->arg, c->point, how, why, clock_s() - c->began);
}

/* Is it still what we began with? */
static void check_folder(engine *e)
{
    const char *path = sweep_folder_path(e->f);

    if (e->st != ST_OK || !sweep_folder_changed(e->f))
        return;
    if (access(path, F_OK) != 0) {
        diag_error(e->dg, "%s: the folder has been removed", path);
        e->st = ST_IO;
    } else {
        diag_error(e->dg, "%s: the folder has been given another plan", path);
        e->st = ST_CONFIG;
    }
}

/* It left no results: they are made, or the sweep ends. */
static void fail_point(engine *e, const child *c, int how, const char *log)
{
    int code = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    ending x;

    if (code == SWEEP_CHILD_STOPPED || (*e->o->stop && !c->ended_for))
        return;
    if (code == SWEEP_CHILD_IO || code == SWEEP_CHILD_CHANGED) {
        check_folder(e);
        if (e->st != ST_OK)
            return;
        diag_error(e->dg, "%s: %s", sweep_plan_label(e->plan, c->point),
                   last_line(e->mem, log));
        e->st = code == SWEEP_CHILD_IO ? ST_IO : ST_CONFIG;
        return;
    }
    x = explain_ending(e, c, how, log);
    if (e->o->leave_killed && x.number == SIGKILL && !c->ended_for) {
        if (e->st == ST_OK)
            diag_error(e->dg,
                       "%s: ended with SIGKILL, which is what happens "
                       "if memory is full",
                       sweep_plan_label(e->plan, c->point));
        e->st = ST_LIMIT;
        return;
    }
    if (sweep_point_fail(e->f, c->point, e->o->compiler, x.how, x.why,
                         x.exit_code, x.number, clock_s() - c->began,
                         e->dg) != ST_OK) {
        e->st = ST_IO;
        return;
    }
    report_ended(e, c, x.how, x.why);
}

static void end_child(engine *e, size_t i, int how)
{
    child c = e->children[i];
    size_t size;
    char *log = read_log(c.log, &size);
    bool wrote = WIFEXITED(how) && (WEXITSTATUS(how) == SWEEP_CHILD_PASSED ||
                                    WEXITSTATUS(how) == SWEEP_CHILD_FAILED);
    const char *id = e->plan->points[c.point].id;

    e->children[i] = e->children[--e->count];
    if (!wrote) {
        process_end_session(c.pid, SIGKILL); /* what it left behind */
        fail_point(e, &c, how, log);
    }
    sweep_folder_release(e->f, c.point, c.lock);
    switch (sweep_folder_state(e->f, c.point)) {
    case SWEEP_DONE:
        e->finished++;
        e->unmerged++;
        report_ended(e, &c, "pass", NULL);
        if (e->o->put)
            e->o->put(e->o->arg, id, sweep_folder_file(e->f, c.point, e->mem));
        break;
    case SWEEP_FAILED:
        e->finished++;
        e->unmerged++;
        keep_log(e, &c, log, size);
        if (wrote)
            report_ended(e, &c, "fail", last_line(e->mem, log));
        break;
    case SWEEP_LEFT:
    case SWEEP_RUNNING:
    case SWEEP_STATES:
        break; /* stopped */
    }
    free(log);
    close(c.log);
    if (c.handle >= 0)
        close(c.handle);
}

/* ---- Watching ---- */

static bool is_program(const engine *e, const child *c)
{
    return e->plan->workloads[e->plan->points[c->point].workload].is.program;
}

/* Simulations of programs are in processes of theirs. */
static void measure_memory(engine *e)
{
    pid_t *sessions = new0(e->count + 1, sizeof *sessions);
    uint64_t *bytes = new0(e->count + 1, sizeof *bytes);
    bool any = false;

    for (size_t i = 0; i < e->count; i++) {
        child *c = &e->children[i];

        if (is_program(e, c))
            sessions[i] = c->pid;
        else
            c->memory = process_memory(c->pid);
        any |= sessions[i] != 0;
    }
    if (any)
        process_session_memory(sessions, bytes, e->count);
    for (size_t i = 0; i < e->count; i++)
        if (sessions[i])
            e->children[i].memory = bytes[i];
    free(sessions);
    free(bytes);
}

static void watch_limits(engine *e)
{
    const sweep_limits *l = &e->plan->limits;
    double now = clock_s();

    if ((!l->memory && !l->time_s) || now - e->watched < WATCH_S)
        return;
    e->watched = now;
    if (l->memory)
        measure_memory(e);
    for (size_t i = 0; i < e->count; i++) {
        child *c = &e->children[i];
        double most = l->time_s + (is_program(e, c) ? GRACE_S : 0.0);

        if (c->ended_for)
            continue;
        if (l->memory && c->memory > l->memory)
            c->ended_for = "memory";
        else if (l->time_s && now - c->began > most)
            c->ended_for = "timeout";
        if (c->ended_for)
            process_end_session(c->pid, SIGKILL);
    }
}

/* Waits until a child ends, or for a tick. */
static void wait_some(engine *e)
{
    struct pollfd *p = new0(e->count + 1, sizeof *p);
    size_t n = 0;
    int how, ms = e->count || e->taken ? TICK_MS : 0;

    for (size_t i = 0; i < e->count; i++) {
        if (e->children[i].handle >= 0)
            p[n++] = (struct pollfd){e->children[i].handle, POLLIN, 0};
        else
            ms = 2;
    }
    poll(p, n, ms);
    free(p);
    for (size_t i = e->count; i-- > 0;)
        if (waitpid(e->children[i].pid, &how, WNOHANG) == e->children[i].pid)
            end_child(e, i, how);
}

static void show_children(engine *e)
{
    double now = clock_s();
    sweep_now is;

    if (!e->o->progress || now - e->shown_at < 0.1)
        return;
    e->shown_at = now;
    for (size_t i = 0; i < e->count; i++)
        e->shown[i] =
            (sweep_child){e->children[i].point, now - e->children[i].began,
                          e->children[i].memory};
    is = (sweep_now){
        .done = sweep_folder_count(e->f, SWEEP_DONE),
        .failed = sweep_folder_count(e->f, SWEEP_FAILED),
        .left = sweep_folder_count(e->f, SWEEP_LEFT),
        .here = e->count,
        .elsewhere = sweep_folder_count(e->f, SWEEP_RUNNING) - e->count,
        .finished = e->finished,
        .cached = e->cached,
        .seconds = now - e->began,
        .children = e->shown,
        .child_count = e->count,
    };
    e->o->progress(e->o->arg, &is);
}

static void merge_some(engine *e, bool all)
{
    double now = clock_s();

    if (!e->o->merge || (!all && e->unmerged < MERGE_POINTS &&
                         !(e->unmerged && now - e->merged > MERGE_S)))
        return;
    if (sweep_folder_merge(e->f, all, e->dg) != ST_OK && e->st == ST_OK)
        e->st = ST_IO;
    e->unmerged = 0;
    e->merged = clock_s();
}

/* What others do. Points that they had taken may be left again: they were
 * killed. */
static void look_again(engine *e)
{
    double since = clock_s() - e->looked;

    if (!e->taken || since < (e->count ? LOOK_S : SOON_S))
        return;
    e->looked = clock_s();
    if (sweep_folder_scan(e->f, true, e->dg) != ST_OK) {
        e->st = ST_IO;
    } else if (!e->count) {
        e->taken = 0;
        e->next = 0;
    }
}

/* Is there something that we could still have to do? */
static bool goes_on(engine *e)
{
    if (e->count || (e->next < list_count(e) && !is_stopped(e)))
        return true;
    return e->taken && !is_stopped(e);
}

static void stop_children(engine *e)
{
    double until = clock_s() + STOP_S;

    for (size_t i = 0; i < e->count; i++)
        kill(e->children[i].pid, SIGTERM);
    while (e->count && clock_s() < until) {
        wait_some(e);
        show_children(e);
    }
    for (size_t i = 0; i < e->count; i++)
        process_end_session(e->children[i].pid, SIGKILL);
    while (e->count)
        wait_some(e);
}

/* Runs what is left, and merges. */
static void run_left(engine *e)
{
    e->next = 0;
    while (goes_on(e)) {
        start_some(e);
        wait_some(e);
        watch_limits(e);
        if (is_stopped(e))
            stop_children(e);
        show_children(e);
        merge_some(e, false);
        look_again(e);
        check_folder(e);
    }
    merge_some(e, true);
}

/* Files that turned out to be damaged leave points behind. */
static bool is_any_left(const engine *e)
{
    for (size_t i = 0; i < list_count(e); i++)
        if (sweep_folder_state(e->f, list_point(e, i)) == SWEEP_LEFT)
            return true;
    return false;
}

status sweep_run(sweep_folder *f, const sweep_run_options *o, diag *dg)
{
    engine e = {.f = f,
                .plan = sweep_folder_plan(f),
                .o = o,
                .dg = dg,
                .mem = arena_new(),
                .began = clock_s(),
                .merged = clock_s()};

    e.children = ARENA_ARRAY(e.mem, child, o->jobs);
    e.shown = ARENA_ARRAY(e.mem, sweep_child, o->jobs);
    merge_some(&e, true);
    run_left(&e);
    for (int i = 1; i < ROUNDS && !is_stopped(&e) && is_any_left(&e); i++)
        run_left(&e);
    arena_free(e.mem);
    return *o->stop ? ST_INTERRUPTED : e.st;
}
