/* src/cli/commands/sweep.h - what the files of `heddle sweep` share: its
 * options, and what it shows while it runs (sweep_live.c). */
#ifndef CLI_COMMANDS_SWEEP_H
#define CLI_COMMANDS_SWEEP_H

#include "cli/cached.h"
#include "cli/commands/explore.h"
#include "cli/commands/sweep_slurm.h"
#include "cli/machine.h"
#include "sweep/sweep_run.h"
#include "sweep/sweep_search.h"

typedef struct sweep_search_args {
    bool wanted;
    const char *given; /* one of its options, or NULL */
    sweep_search_options o;
} sweep_search_args;

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
    sweep_search_args search;
    cli_machine machine; /* of the driver */
} sweep_args;

/* Prints what is in `dg`; the exit code of `st`. */
int sweep_report(diag *dg, status st);

/* ---- Running (sweep.c) ---- */

/* What a plan that was read needs before it gets ids: the driver, which may be
 * NULL, and suites that are built; x->build is where. 0, or the exit code after
 * messages. */
int sweep_prepare(sweep_args *x, const sweep_plan *p, const char **driver);
/* Of the plan's path: -o, else NAME.sweep here. */
const char *sweep_folder_of(const sweep_args *x, const char *path);
/* Before points run here, all or those: is there one that needs the compiler
 * of kernels, and does that work? False: it does not, which was printed. */
bool sweep_can_compile(sweep_args *x, const sweep_folder *f,
                       const size_t *points, size_t count);
/* Runs what is left of the folder, or of the points. */
status sweep_run_folder(sweep_args *x, sweep_folder *f, bool merge,
                        const size_t *points, size_t count, diag *dg);
/* Tells how it ended and what came out; the exit code. */
int sweep_finish(sweep_args *x, sweep_folder *f, status st, diag *dg);

/* ---- Searches (sweep_search.c) ---- */

void sweep_search_init(sweep_search_args *x);
/* True if the option was one of them. */
bool sweep_search_option(sweep_search_args *x, cli_args *a);
/* Searches the plan's space; the exit code. */
int sweep_search_run(sweep_args *x, const char *path, diag *dg);

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
