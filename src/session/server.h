/* src/session/server.h - runs a program and receives the reports of its
 * processes on their launches. One thread; the program is not trusted: it may
 * never end, and its messages may be wrong. */
#ifndef SESSION_SERVER_H
#define SESSION_SERVER_H

#include <signal.h>

#include "report/program.h"
#include "session/client.h"

enum { SESSION_SIGNALS = 256 };

/* What is simulated at the moment, for a line of progress. */
typedef struct session_now {
    const char *kernel; /* NULL: no launch is under way */
    uint32_t pid;
    uint64_t launch;   /* of its process, from 0 */
    uint64_t launches; /* that have ended, of all processes */
    bool functional;
    const char *ended; /* kernel of the last of them; NULL: none, it failed */
    uint64_t ended_ctas, ended_insts;
    gpu_progress is;
    unsigned processes; /* that are there */
} session_now;

/* Somebody watches, who sees one process at a time: `now` is what that one
 * does. */
typedef struct session_watch {
    lookout_line line; /* what is asked, and who is told */
    int bell;          /* can be read when something has been asked */
    void (*now)(void *arg, const session_now *now);
    void *arg;
} session_watch;

typedef struct session_events {
    uint32_t pid;
    uint64_t number; /* of the launch in its process, from 1 */
    const report_launch *launch;
    const trace_event *event; /* valid ones */
    size_t n;
} session_events;

typedef struct session_request {
    const char *const *argv; /* NULL at its end; argv[0] is found by PATH */
    /* As session/environment.h has them; their number is small.
     * SESSION_VARIABLE is added. */
    const char *const *env;
    const char *folder; /* to run in, NULL: ours */
    const int *streams; /* its descriptors 0, 1 and 2; NULL: ours */
    /* In a process group of its own, which signals go to, and of which nothing
     * is left at the end. */
    bool group;
    const session_setup *setup;
    const config *const *configs; /* of the setup's devices */
    const sigset_t *usual;        /* signals that the program gets back */
    /* Modulo SESSION_SIGNALS a signal that is passed on to it each time that
     * the value changes; 0: none. Without `group` it waits a moment, as the
     * program may be among those that the signal was sent to. */
    const volatile sig_atomic_t *signal;
    /* Launches of each process whose counters and profiles are kept one by one:
     * of later ones there are the sums by kernel and GPU only. */
    uint64_t each;
    /* Called after messages, and a few times a second. */
    void (*progress)(void *arg, const session_now *now);
    void *progress_arg;
    /* Called with the events of launches that are traced, in order, and at the
     * end of each of them, or of any other, with n 0. Launches of several
     * processes or devices may come in between. NULL: there are none. */
    void (*trace)(void *arg, const session_events *e);
    void *trace_arg;
    const session_watch *watch; /* as the setup says; NULL: nobody */
    unsigned grace_ms;          /* for processes that outlive the first one */
} session_request;

typedef struct session_outcome session_outcome;

/* Runs it to its end. ST_OK, however the program ended. ST_USAGE: it could not
 * be started, *why is an errno; ST_IO, ST_NOMEM: our side failed, one error is
 * in `dg`. */
status session_run(const session_request *q, int *why, diag *dg,
                   session_outcome **out);
void session_outcome_free(session_outcome *o); /* NULL is fine */

/* What happened, all but command, gpus, threads and options, which are the
 * caller's to fill; it lives as long as the outcome. */
const report_program *session_outcome_get(const session_outcome *o);

#endif
