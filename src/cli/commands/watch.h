/* src/cli/commands/watch.h - what `heddle watch` adds to `heddle run` and, for
 * a program behind --, to `heddle exec`. */
#ifndef CLI_COMMANDS_WATCH_H
#define CLI_COMMANDS_WATCH_H

#include "cli/cli.h"
#include "cli/progress.h"
#include "monitor/monitor.h"

typedef struct watching {
    bool paused, hold;
    uint64_t port;
    const progress *progress; /* of time left; borrowed, until the end */
    monitor *monitor;         /* owned; NULL: not yet */
} watching;

/* True if the option was one of its own. */
bool watch_option(watching *w, cli_args *a);
/* Starts the server and prints its address; `how` is filled in but for the
 * options and the time left, which is that of `progress`. False: `dg` says why
 * not. */
bool watch_start(watching *w, monitor_options *how, diag *dg);
/* The run has ended, as `how` says. Nothing where nobody watches. */
void watch_end(watching *w, const char *how);

/* `heddle run` and `heddle exec` that are watched. */
int run_watched(watching *w, int argc, char **argv);
int exec_watched(watching *w, int argc, char **argv);

#endif
