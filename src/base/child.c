/* src/base/child.c - posix_spawn and a poll loop over three channels. */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"

extern char **environ;

enum { MAX_OUTPUT = 64 << 20, CHUNK = 1 << 16 };
enum { IN, OUT, ERR, CHANNELS };

typedef struct run {
    const child_request *req;
    int ours[CHANNELS], theirs[CHANNELS]; /* -1: closed */
    size_t sent, max_output;
    strbuf text[CHANNELS]; /* OUT and ERR */
    int64_t deadline_ms;   /* < 0: none */
    bool truncated, timed_out;
    pid_t pid;
} run;

static void shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Its input is a socket, because a write to one can be told not to raise
 * SIGPIPE when the program ends without having read everything. */
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

static int start(run *r)
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
        r->sent = q->input_size; /* it does not want the rest */
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

/* Until both outputs are closed or the time is over. */
static void converse(run *r)
{
    while (r->ours[OUT] >= 0 || r->ours[ERR] >= 0) {
        struct pollfd p[CHANNELS];
        int wait = -1;

        if (r->deadline_ms >= 0) {
            int64_t left = r->deadline_ms - clock_ms();
            if (left <= 0) {
                r->timed_out = true;
                return;
            }
            wait = left > 60000 ? 60000 : (int)left;
        }
        for (int i = 0; i < CHANNELS; i++)
            p[i] = (struct pollfd){r->ours[i], i == IN ? POLLOUT : POLLIN, 0};
        if (poll(p, CHANNELS, wait) < 0)
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

    while (!r->timed_out && r->deadline_ms >= 0) {
        pid_t got = waitpid(r->pid, &how, WNOHANG);

        if (got == r->pid)
            return how;
        if (clock_ms() >= r->deadline_ms)
            r->timed_out = true;
        else
            poll(NULL, 0, 2);
    }
    if (r->timed_out)
        kill(-r->pid, SIGKILL);
    while (waitpid(r->pid, &how, 0) < 0 && errno == EINTR)
        ;
    return how;
}

static void fill(run *r, int how, child_result *out)
{
    for (int i = OUT; i <= ERR; i++)
        strbuf_write(&r->text[i], "", 0); /* never NULL */
    *out = (child_result){
        .exit_code = WIFEXITED(how) ? WEXITSTATUS(how) : -1,
        .signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0,
        .timed_out = r->timed_out,
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
             .deadline_ms = -1};
    status st = ST_IO;
    int rc;

    if (!open_channels(&r)) {
        diag_error(dg, "cannot run %s: %s", req->argv[0], strerror(errno));
        goto done;
    }
    if ((rc = start(&r)) != 0) {
        diag_error(dg, "cannot run %s: %s", req->argv[0], strerror(rc));
        goto done;
    }
    if (req->timeout_ms)
        r.deadline_ms = clock_ms() + req->timeout_ms;
    for (int i = 0; i < CHANNELS; i++)
        shut(&r.theirs[i]);
    if (!req->input_size)
        shut(&r.ours[IN]);
    converse(&r);
    fill(&r, wait_for_end(&r), out);
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
