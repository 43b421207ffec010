/* src/monitor/monitor.h - a server, on this machine only, that shows a browser
 * what is simulated at the moment and lets it pause and step. docs/watch.md.
 *
 * What is simulated a lookout tells it over monitor_line, from this process or,
 * through session_request.watch, from those of a program; it never looks at the
 * machine. */
#ifndef MONITOR_MONITOR_H
#define MONITOR_MONITOR_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "config/config.h"
#include "lookout/lookout.h"
#include "session/server.h"

typedef struct monitor monitor;

/* How long a launch and all of them will still take, in seconds; NAN: nobody
 * knows. */
typedef struct monitor_left {
    double launch_s, all_s;
} monitor_left;

/* All is borrowed. */
typedef struct monitor_options {
    uint16_t port; /* 0: any that is free */
    bool paused;   /* stand still before the first cycle */
    bool program;  /* the kernels are those of a program */
    const config *const *configs;
    unsigned devices;    /* 1 at least */
    const char *command; /* line, for people; copied */
    /* Called where the lookout tells; NULL: nobody knows. */
    monitor_left (*left)(void *arg, const lookout_seen *s);
    void *left_arg;
} monitor_options;

/* The server is there. NULL: `dg` says why not. */
monitor *monitor_new(const monitor_options *how, diag *dg);
void monitor_free(monitor *m); /* NULL is fine */
/* "http://127.0.0.1:40123/?token=..." */
const char *monitor_address(const monitor *m);

/* For a lookout. */
lookout_line monitor_line(monitor *m);
/* Of a program: can be read when something has been asked. */
int monitor_bell(const monitor *m);
/* What stands still goes on: the run is to end. */
void monitor_release(monitor *m);
/* Of a program: what it does. */
void monitor_follow(monitor *m, const session_now *now);
/* Nothing more is simulated; `how` it ended, "ok" if well. If a browser is
 * there, it is given a moment to hear of it. */
void monitor_end(monitor *m, const char *how);

#endif
