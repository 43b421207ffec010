/* src/cli/commands/explore.h - the options of a table of a sweep or comparison,
 * and the table. */
#ifndef CLI_COMMANDS_EXPLORE_H
#define CLI_COMMANDS_EXPLORE_H

#include "cli/cli.h"
#include "sweep/sweep_plan.h"

enum { EXPLORE_ARGS_MOST = 64 };

typedef struct cli_explore {
    const char *base, *along, *between, *sort, *part;
    const char *studies[EXPLORE_ARGS_MOST];
    const char *show[EXPLORE_ARGS_MOST];
    const char *limits[EXPLORE_ARGS_MOST];
    size_t study_count, show_count, limit_count;
    uint64_t rows;     /* 0: all */
    size_t crossovers; /* 0: not given */
    double level, fade;
    unsigned width; /* 0: not given */
    bool allow_missing, all_pairs, by_workload, no_plots, effects;
} cli_explore;

/* Their rows in the table of a command. */
/* clang-format off */
#define EXPLORE_OPTIONS                                                        \
    {"base", 0, "AXIS=VALUE[,...]",                                            \
     "what configurations are compared with: the same with these values; "     \
     "default is what the plan says, else the first configuration",            \
     CLI_TABLE},                                                               \
    {"study", 0, "STUDY",                                                      \
     "of a file with several, by number, name or beginning of its uid; "       \
     "repeatable: they are joined", CLI_TABLE},                                \
    {"show", 0, "[NAME=]FORMULA",                                              \
     "also this figure, of counters, time, cycles, energy, edp, bits, "        \
     "warp_insts, thread_insts with + - * / and (); repeatable", CLI_TABLE},   \
    {"limit", 0, "FIGURE<=NUMBER",                                             \
     "only configurations within; also >=, <, >, =; speedup, energy, edp, "    \
     "bits, an axis or the NAME of --show; repeatable", CLI_TABLE},            \
    {"energy-part", 0, "PART",                                                 \
     "also energy and bits of this part, and fronts of these: hazard, l1 "     \
     "...; default is what the plan says", CLI_TABLE},                         \
    {"sort", 0, "FIGURE",                                                      \
     "speedup, energy, edp, bits, number or the NAME of --show", CLI_TABLE},   \
    {"rows", 0, "N|all",                                                       \
     "at most N rows of each part; default 30", CLI_TABLE},                    \
    {"crossovers", 0, "N|all",                                                 \
     "the N crossovers that matter most; default 10 if the plan or an option " \
     "asks for any, else only how many there are", CLI_EFFECTS},                 \
    {"along", 0, "AXIS",                                                       \
     "crossovers along this axis only; default all that are numbers",          \
     CLI_EFFECTS},                                                               \
    {"between", 0, "AXIS",                                                     \
     "crossovers between values of this axis only, or with the 'base'",        \
     CLI_EFFECTS},                                                               \
    {"all-pairs", 0, NULL,                                                     \
     "crossovers between any two values, not only with the base's",            \
     CLI_EFFECTS},                                                               \
    {"level", 0, "RATIO",                                                      \
     "speed-up that crossovers are about; default 1", CLI_EFFECTS},              \
    {"fade", 0, "PERCENT", "least gain that matters; default 1", CLI_EFFECTS},   \
    {"by-workload", 0, NULL,                                                   \
     "fronts and crossovers of each workload, not only of the mean",           \
     CLI_TABLE},                                                               \
    {"effects", 0, NULL,                                                       \
     "what each value does and what two do together beyond that, with bands; " \
     "as CSV a line for each, and nothing else",                    \
     CLI_EFFECTS},                                                               \
    {"no-plots", 0, NULL, "text without plots", CLI_TABLE},                    \
    {"allow-missing", 0, NULL,                                                 \
     "means also over points that are missing or failed", CLI_TABLE}
/* clang-format on */

void cli_explore_init(cli_explore *x);
/* True if the option was one of them. */
bool cli_explore_option(cli_explore *x, cli_args *a);

/* Prints the results file, in a FORMAT_. `planned` (NULL: unknown) has the
 * points that there should be, and the base. The exit code: 1 if points are
 * missing or failed and no option allows that. */
int cli_explore_show(const cli_explore *x, const char *path,
                     const sweep_plan *planned, int format, FILE *to);

#endif
