/* src/cli/keep.h - the option --store: what a command ran is added to a
 * results file, one study a command. Messages go to stderr. */
#ifndef CLI_KEEP_H
#define CLI_KEEP_H

#include "base/strbuf.h"
#include "cli/cli.h"
#include "store/store.h"

/* clang-format off */
#define KEEP_OPTION                                                            \
    {"store", 0, "FILE",                                                       \
     "also add everything that was measured, with the whole configuration, "   \
     "to a results file, made if it is not there; see 'heddle results'",       \
     CLI_OUTPUT},                                                              \
    {"store-launches", 0, "N|all",                                             \
     "--store: keep so many single launches with their counters; default "     \
     "1000, 32 of them with counters; sums of kernels are of all", CLI_OUTPUT}
/* Of commands that can make a page of it at once. */
#define KEEP_PAGE_OPTION                                                       \
    KEEP_OPTION,                                                               \
    {"html", 0, "FILE",                                                        \
     "also write a page to FILE: timeline of launches and copies, kernels, "   \
     "charts, tables; with what --store keeps", CLI_OUTPUT}
/* clang-format on */

/* Zeroed: nothing is kept. */
typedef struct cli_keep {
    const char *path;
    uint64_t launches; /* of --store-launches, 0: the usual */
    bool for_now;      /* the file has no name and goes with us */
    strbuf command;    /* the line */
    store *store;
    int64_t study; /* 0: not yet in the file */
    store_study about;
} cli_keep;

/* True if the option was one of them. */
bool cli_keep_option(cli_keep *k, cli_args *a);

/* There is no --store, but a page is to be made of what was measured. */
void cli_keep_for_now(cli_keep *k, arena *mem);

/* Opens the file, so that errors are reported before anything is simulated; for
 * the study `kind`, named `name`, both borrowed. Nothing without the option. 0,
 * or the exit code after messages. */
int cli_keep_begin(cli_keep *k, const char *kind, const char *name);

/* So many launches have their counters in the file; 0: there is none. */
uint64_t cli_keep_counters(const cli_keep *k);

/* Adds a run; place and build are filled in. False: a message was printed. Not
 * for several threads at once. */
bool cli_keep_run(cli_keep *k, const store_run *r);

void cli_keep_fini(cli_keep *k);

/* ---- Facts about this process ---- */

/* "heddle run k.ptx --kernel 'a b'", from the arguments of a subcommand, to be
 * called before options are parsed, which moves them. */
void cli_command_line(char **argv, strbuf *out);
/* What is behind the last '/'. */
const char *cli_last_part(const char *path);
/* "gcc 12.2.0, release" */
const char *cli_build(void);

#endif
