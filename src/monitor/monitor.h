/* src/monitor/monitor.h - a server, on this machine only, that shows a browser
 * what is simulated at the moment and lets it pause and step. docs/watch.md.
 *
 *     monitor_new; for each launch: monitor_launch, then rt_run with
 *     monitor_look as rt_launch.look; monitor_end; monitor_free
 *
 * Changes nothing that is simulated. All is called by the thread that
 * simulates; the monitor's own thread sees only what this leaves for it. */
#ifndef MONITOR_MONITOR_H
#define MONITOR_MONITOR_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "config/config.h"
#include "runtime/runtime.h"

typedef struct monitor monitor;

/* How long a launch and all of them will still take, in seconds; NAN: nobody
 * knows. Given are the seconds that both have been simulated. */
typedef struct monitor_left {
    double launch_s, all_s;
} monitor_left;

/* All is borrowed. */
typedef struct monitor_options {
    uint16_t port; /* 0: any that is free */
    bool paused;   /* stand still before the first cycle */
    bool hold;     /* and where a launch has failed */
    const config *cfg;
    const char *command;               /* line, for people */
    const char *program;               /* path: sources are beside it */
    const volatile sig_atomic_t *stop; /* not 0: nobody waits any more */
    monitor_left (*left)(void *arg, const gpu_progress *is,
                         const monitor_left *ran); /* NULL: nobody knows */
    void *left_arg;
} monitor_options;

/* The server is there. NULL: `dg` says why not. */
monitor *monitor_new(const monitor_options *how, diag *dg);
void monitor_free(monitor *m); /* NULL is fine */
/* "http://127.0.0.1:40123/?token=..." */
const char *monitor_address(const monitor *m);

/* A launch, or a group, begins after so many that have ended, of `total`; 0:
 * unknown. */
void monitor_launch(monitor *m, size_t number, size_t total);
/* rt_launch.look; `m` is the monitor. */
uint64_t monitor_look(void *m, rt_device *d, const gpu *g, status st);
/* Nothing more is simulated. If a browser is there, it is given a moment to
 * hear how it ended. */
void monitor_end(monitor *m, status st);

#endif
