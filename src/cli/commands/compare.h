/* src/cli/commands/compare.h - the options of `heddle compare`, shared by the
 * file that reads and prints (compare.c) and the one that runs (compare_run.c);
 * some are also those of `heddle diff` (diff.c). */
#ifndef CLI_COMMANDS_COMPARE_H
#define CLI_COMMANDS_COMPARE_H

#include <pthread.h>

#include "cli/cached.h"
#include "cli/keep.h"
#include "cli/progress_jobs.h"
#include "cli/workload.h"
#include "compare/compare_store.h"
#include "study/point_id.h"

enum { SIDES_MOST = 64, SETS_MOST = 256 };

typedef struct compare_args {
    const char *command; /* "compare", "diff" */
    cli_machine machine; /* without what the sides change */
    cli_workloads workloads;
    const mechanism *mechanism; /* NULL: the user's own */
    const char *with[SIDES_MOST], *against;
    unsigned with_count, jobs;
    const char *part; /* --energy-part */
    const char *output, *html, *from;
    view own;      /* of --share and --figure, no items: not given */
    cli_keep keep; /* has the whole line */
    cached cache;
    char **program; /* behind --, NULL: none */
    bool by_kernel, allow_missing, allow_different;
    uint64_t nulls;  /* --null, */
    bool nulls_said; /* else what the mechanism says */

    arena *mem;
    sigset_t usual;
    compare *list; /* of each GPU */
    unsigned count;
    size_t side_count;     /* of each of them, without those of nulls */
    cli_machine *machines; /* of each side and side of a null of each GPU */

    progress_jobs *line;
    pthread_mutex_t lock;       /* of what follows */
    bool *kept;                 /* of each run */
    const bool *skipped;        /* of each run, those that nobody wants; NULL:
                                   none */
    bool not_kept;              /* a run that should be kept is not */
    char (*ids)[POINT_ID_SIZE]; /* of each run; "": it has none */
    size_t cached;              /* runs whose results came from the cache */
} compare_args;

void compare_take_option(cli_args *a, compare_args *x);
/* Splits "PATH=VALUE,..."; copies in the arena. */
unsigned compare_split_sets(arena *mem, const char *text,
                            const char *sets[SETS_MOST]);
/* Options that do not go with it: a message was printed. */
bool compare_refuses(const compare_args *x, const cli_args *a);
/* A side on the g-th GPU that runs that code of CUDA programs; 0, or the exit
 * code after messages. */
int compare_make_machine(compare_args *x, unsigned g, cli_sets before,
                         cli_sets after, session_code runs, cli_machine *m,
                         measure_side *side);
void compare_args_fini(compare_args *x);

/* Where a comparison came from, or went to. */
typedef struct compare_origin {
    const char *command;
    store *file; /* NULL: nowhere */
    int64_t study;
} compare_origin;

/* Prints all of it; returns `code` if that went well. Closes `to`. */
int compare_report(const compare_args *x, const compare *list, size_t count,
                   const compare_origin *from, FILE *to, int code);

/* Runs everything, on the threads of -j. False: nothing ran, since the compiler
 * of kernels does not work, which was printed. */
bool compare_run_all(compare_args *x);

/* measure_side.keep of every side; the argument is the compare_args. */
bool compare_keep_run(void *arg, const measure_side *side, const workload *w,
                      const measure_run *r, const report_program *p);
/* A callback of cli_workloads_build. */
void compare_not_built(void *arg, size_t w, const char *why);

#endif
