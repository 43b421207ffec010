/* src/base/child.c - posix_spawn and a poll loop over three channels. */
#include "base/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"

extern char **environ;

enum {
    MAX_OUTPUT = 64 << 20,
    CHUNK = 1 << 16,
    LOOK_MS = 1000, /* at the time, at least so often */
};
enum { IN, OUT, ERR, CHANNELS };

typedef struct run {
    const child_request *req;
    int ours[CHANNELS], theirs[CHANNELS]; /* -1: closed */
    size_t sent, max_output;
    strbuf text[CHANNELS];     /* OUT and ERR */
    int64_t began_ms, look_ms; /* look_ms: when to read the clock next */
    unsigned cpu_ms;           /* used so far; measured only if it is limited */
    bool truncated, timed_out;
    pid_t pid;
} run;

static void shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Its input is a socket: a write to a socket need not raise SIGPIPE when the
 * program ends without having read everything. */
static bool open_channels(run *r)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    r->ours[IN] = pair[0];
    r->theirs[IN] = pair[1];
    for (int i = OUT; i <= ERR; i++) {
        if (pipe2(pair, O_CLOEXEC) != 0)
            return false;
        r->ours[i] = pair[0];
        r->theirs[i] = pair[1];
    }
    return true;
}

static int spawn_child(run *r)
{
    posix_spawn_file_actions_t act;
    posix_spawnattr_t attr;
    sigset_t none, usual;
    int rc;

    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    if ((rc = posix_spawn_file_actions_init(&act)) != 0)
        return rc;
    if ((rc = posix_spawnattr_init(&attr)) != 0) {
        posix_spawn_file_actions_destroy(&act);
        return rc;
    }
    for (int i = 0; i < CHANNELS && rc == 0; i++)
        rc = posix_spawn_file_actions_adddup2(&act, r->theirs[i], i);
    for (size_t i = 0; i < r->req->fd_count && rc == 0; i++)
        rc = posix_spawn_file_actions_adddup2(&act, r->req->fds[i],
                                              r->req->fds[i]);
    posix_spawnattr_setpgroup(&attr, 0);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &usual);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP |
                                        POSIX_SPAWN_SETSIGMASK |
                                        POSIX_SPAWN_SETSIGDEF);
    if (rc == 0)
        rc = posix_spawnp(&r->pid, r->req->argv[0], &act, &attr,
                          (char *const *)r->req->argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&act);
    return rc;
}

static void send_some(run *r)
{
    const child_request *q = r->req;
    ssize_t n = send(r->ours[IN], q->input + r->sent, q->input_size - r->sent,
                     MSG_NOSIGNAL | MSG_DONTWAIT);

    if (n > 0)
        r->sent += (size_t)n;
    else if (errno == EAGAIN || errno == EINTR)
        return;
    else
        r->sent = q->input_size; /* the program has closed its input */
    if (r->sent == q->input_size)
        shut(&r->ours[IN]);
}

static void receive_some(run *r, int which)
{
    char buf[CHUNK];
    strbuf *b = &r->text[which];
    ssize_t n = read(r->ours[which], buf, sizeof buf);
    size_t left = r->max_output - b->size;

    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        shut(&r->ours[which]);
        return;
    }
    if ((size_t)n > left) {
        r->truncated = true; /* read on, so that it can end */
        n = (ssize_t)left;
    }
    strbuf_write(b, buf, (size_t)n);
}

/* ---- Time ---- */

/* Processor time of a process and of the children it has waited for, from
 * /proc/PID/stat, in clock ticks; 0 if it is not in the group. */
static uint64_t ticks_of(const char *pid, pid_t group)
{
    char path[64], text[1024];
    unsigned long ticks[4];
    int of;

    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *p = strrchr(text, ')'); /* behind the name */
    if (!p ||
        sscanf(p + 1,
               " %*c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu",
               &of, &ticks[0], &ticks[1], &ticks[2], &ticks[3]) != 5 ||
        of != group)
        return 0;
    return ticks[0] + ticks[1] + ticks[2] + ticks[3];
}

static unsigned group_cpu_ms(pid_t group)
{
    DIR *d = opendir("/proc");
    uint64_t ticks = 0;

    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
            ticks += ticks_of(e->d_name, group);
    if (d)
        closedir(d);
    return (unsigned)(ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* Milliseconds until the clock must be read again; < 0: wait for an event. */
static int time_to_look(const run *r)
{
    int64_t left = r->look_ms - clock_ms();

    if (!r->req->timeout_ms && !r->req->cpu_ms)
        return -1;
    return left < 0 ? 0 : left > LOOK_MS ? LOOK_MS : (int)left;
}

/* So that a short time is not missed by much. */
static void plan_look(run *r)
{
    const child_request *q = r->req;
    int64_t now = clock_ms();

    r->look_ms = now + LOOK_MS;
    if (q->cpu_ms && q->cpu_ms / 8 < LOOK_MS)
        r->look_ms = now + 1 + q->cpu_ms / 8;
    if (q->timeout_ms && r->look_ms > r->began_ms + q->timeout_ms)
        r->look_ms = r->began_ms + q->timeout_ms;
}

/* Notes whether the time is over. */
static void look_at_time(run *r)
{
    const child_request *q = r->req;
    int64_t now = clock_ms(), wall = now - r->began_ms;

    if (now < r->look_ms)
        return;
    plan_look(r);
    if (q->timeout_ms && wall >= q->timeout_ms)
        r->timed_out = true;
    if (!q->cpu_ms)
        return;
    r->cpu_ms = group_cpu_ms(r->pid);
    if (r->cpu_ms >= q->cpu_ms ||
        (wall >= q->cpu_ms && wall / 100 >= r->cpu_ms))
        r->timed_out = true;
}

/* Until both outputs are closed or the time is over. */
static void converse(run *r)
{
    while (r->ours[OUT] >= 0 || r->ours[ERR] >= 0) {
        struct pollfd p[CHANNELS];

        look_at_time(r);
        if (r->timed_out)
            return;
        for (int i = 0; i < CHANNELS; i++)
            p[i] = (struct pollfd){r->ours[i], i == IN ? POLLOUT : POLLIN, 0};
        if (poll(p, CHANNELS, time_to_look(r)) < 0)
            continue; /* EINTR */
        if (p[IN].revents)
            send_some(r);
        for (int i = OUT; i <= ERR; i++)
            if (p[i].revents)
                receive_some(r, i);
    }
}

/* A program may close its outputs and run on, so the wait is bounded too. */
static int wait_for_end(run *r)
{
    int how = 0;

    while (!r->timed_out && time_to_look(r) >= 0) {
        pid_t got = waitpid(r->pid, &how, WNOHANG);

        if (got == r->pid)
            return how;
        look_at_time(r);
        if (!r->timed_out)
            poll(NULL, 0, 2);
    }
    if (r->timed_out)
        kill(-r->pid, SIGKILL);
    while (waitpid(r->pid, &how, 0) < 0 && errno == EINTR)
        ;
    return how;
}

static void fill_result(run *r, int how, child_result *out)
{
    for (int i = OUT; i <= ERR; i++)
        strbuf_write(&r->text[i], "", 0); /* never NULL */
    *out = (child_result){
        .exit_code = WIFEXITED(how) ? WEXITSTATUS(how) : -1,
        .signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0,
        .timed_out = r->timed_out,
        .cpu_ms = r->cpu_ms,
        .truncated = r->truncated,
        .out = r->text[OUT].text,
        .out_size = r->text[OUT].size,
        .err = r->text[ERR].text,
        .err_size = r->text[ERR].size,
    };
}

status child_run(const child_request *req, diag *dg, child_result *out)
{
    run r = {.req = req,
             .ours = {-1, -1, -1},
             .theirs = {-1, -1, -1},
             .max_output = req->max_output ? req->max_output : MAX_OUTPUT,
             .began_ms = clock_ms()};
    status st = ST_IO;
    int rc;

    if (!open_channels(&r)) {
        diag_error(dg, "cannot run %s: %s", req->argv[0], strerror(errno));
        goto done;
    }
    if ((rc = spawn_child(&r)) != 0) {
        diag_error(dg, "cannot run %s: %s", req->argv[0], strerror(rc));
        goto done;
    }
    plan_look(&r);
    for (int i = 0; i < CHANNELS; i++)
        shut(&r.theirs[i]);
    if (!req->input_size)
        shut(&r.ours[IN]);
    converse(&r);
    fill_result(&r, wait_for_end(&r), out);
    st = ST_OK;
done:
    for (int i = 0; i < CHANNELS; i++) {
        shut(&r.ours[i]);
        shut(&r.theirs[i]);
    }
    return st;
}

void child_result_fini(child_result *r)
{
    free(r->out);
    free(r->err);
    *r = (child_result){0};
}
