/* src/cli/commands/sweep.h - what the files of `heddle sweep` share: its
 * options, and what it shows while it runs (sweep_live.c). */
#ifndef CLI_COMMANDS_SWEEP_H
#define CLI_COMMANDS_SWEEP_H

#include "cli/cached.h"
#include "cli/commands/explore.h"
#include "cli/commands/sweep_slurm.h"
#include "cli/machine.h"
#include "sweep/sweep_run.h"

typedef struct sweep_args {
    const cli_command *command;
    arena *mem;
    const char *output, *build, *dir;
    const char *only, *points, *part; /* of a worker */
    unsigned jobs;
    int format;
    bool retry, quiet, verbose, commands;
    cached cache;
    cli_explore explore; /* of table */
    sweep_slurm slurm;
    cli_machine machine; /* of the driver */
} sweep_args;

typedef struct sweep_live sweep_live;

/* Lines on standard error: a table that is drawn anew if that is a terminal,
 * else, if `verbose`, a line now and then; also a line for `each` point that
 * passed. */
sweep_live *sweep_live_new(const sweep_plan *p, bool quiet, bool verbose,
                           bool each);
void sweep_live_free(sweep_live *l); /* removes the table; NULL is fine */
/* Another line in the table, behind the counts: `text`, about points that run
 * elsewhere. Copied. */
void sweep_live_note(sweep_live *l, const char *text);
/* Removes the table until it is shown again. */
void sweep_live_clear(sweep_live *l);
void sweep_live_show(void *live, const sweep_now *now);
void sweep_live_ended(void *live, size_t point, const char *how,
                      const char *why, double seconds);

#endif
