/* src/cli/explore.h - the options of a table of a sweep or comparison, and the
 * table. */
#ifndef CLI_EXPLORE_H
#define CLI_EXPLORE_H

#include "cli/cli.h"
#include "lab/sweep_plan.h"

enum { EXPLORE_ARGS_MOST = 64 };

typedef struct cli_explore {
    const char *base, *along, *between, *sort, *part;
    const char *studies[EXPLORE_ARGS_MOST];
    const char *show[EXPLORE_ARGS_MOST];
    const char *limits[EXPLORE_ARGS_MOST];
    size_t study_count, show_count, limit_count;
    uint64_t rows; /* 0: all */
    double level, fade;
    bool allow_missing, all_pairs, by_workload, no_plots;
} cli_explore;

/* Their rows in the table of a command. */
/* clang-format off */
#define EXPLORE_OPTIONS                                                        \
    {"base", 0, "AXIS=VALUE[,...]",                                            \
     "table: what configurations are compared with: the same with these "      \
     "values; default is what the plan says, else the first configuration"},   \
    {"study", 0, "STUDY",                                                      \
     "table: of a file with several, by number, name or beginning of its uid; "\
     "repeatable: they are joined"},                                           \
    {"show", 0, "[NAME=]FORMULA",                                              \
     "table: also this figure, of counters, time, cycles, energy, edp, bits, " \
     "warp_insts, thread_insts with + - * / and (); repeatable"},              \
    {"limit", 0, "FIGURE<=NUMBER",                                             \
     "table: only configurations within; also >=, <, >, =; speedup, energy, "  \
     "edp, bits, an axis or the NAME of --show; repeatable"},                  \
    {"energy-part", 0, "PART",                                                 \
     "table: also energy and bits of this part, and fronts of these: hazard, " \
     "l1 ...; default is what the plan says"},                                 \
    {"sort", 0, "FIGURE",                                                      \
     "table: speedup, energy, edp, bits, number or the NAME of --show"},       \
    {"rows", 0, "N|all", "table: at most N rows of each part; default 30"},    \
    {"along", 0, "AXIS",                                                       \
     "table: crossovers along this axis only; default all that are numbers"},  \
    {"between", 0, "AXIS",                                                     \
     "table: crossovers between values of this axis only, or with the 'base'"},                    \
    {"all-pairs", 0, NULL,                                                     \
     "table: crossovers between any two values, not only with the base's"},    \
    {"level", 0, "RATIO", "table: speed-up that crossovers are about; default 1"},\
    {"fade", 0, "PERCENT", "table: least gain that matters; default 1"},       \
    {"by-workload", 0, NULL,                                                   \
     "table: fronts and crossovers of each workload, not only of the mean"},   \
    {"no-plots", 0, NULL, "table: text without plots"},                        \
    {"allow-missing", 0, NULL,                                                 \
     "table: means also over points that are missing or failed"}
/* clang-format on */

void cli_explore_init(cli_explore *x);
/* True if the option was one of them. */
bool cli_explore_option(cli_explore *x, cli_args *a);

/* Prints what the results file says, in a FORMAT_. `planned` (NULL: not known)
 * tells which points there should be, and the base. The exit code: 1 if points
 * are missing or failed and nobody said that this is fine. */
int cli_explore_show(const cli_explore *x, const char *path,
                     const sweep_plan *planned, int format, FILE *to);

#endif
