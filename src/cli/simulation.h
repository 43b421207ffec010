/* src/cli/simulation.h - the options that `run` and `exec` share: how to
 * simulate, and what to report of it. */
#ifndef CLI_SIMULATION_H
#define CLI_SIMULATION_H

#include "cli/cli.h"
#include "report/run.h"
#include "runtime/runtime.h"
#include "text/output.h"

typedef struct cli_simulation {
    rt_options rt;
    uint64_t max_cycles;
    uint64_t series;       /* cycles between samples of energy, 0: none */
    bool lenient;          /* the option was given, also for kernels without a
                              program; see rt_options */
    bool occupancy;        /* samples of resident warps by SM are wanted */
    report_options report; /* the width: --width, 0: not given */
    int format;
    bool hash, quiet;
} cli_simulation;

/* Of commands that show samples. */
/* clang-format off */
#define SERIES_OPTION                                                          \
    {"occupancy", 0, NULL,                                                     \
     "also resident warps of every SM over time: a list in JSON, counters in " \
     "--perfetto; with --store a map in the report's page", CLI_REPORT},       \
    {"energy-series", 0, "CYCLES",                                             \
     "also power over time: energy in steps of so many cycles, at least; a "   \
     "list in JSON, the table of CSV", CLI_REPORT}
/* clang-format on */

/* Of commands that tell what was not simulated in full. */
/* clang-format off */
#define SAMPLE_OPTION                                                          \
    {"sample", 0, NULL,                                                        \
     "of launches that are alike time a few, and of long ones parts; compute " \
     "the rest and charge it by that, with an interval (docs/sampling.md)",    \
     CLI_SIMULATION}
#define SAMPLE_PARTS_OPTION                                                    \
    {"sample", 0, NULL,                                                        \
     "time parts of launches of many CTAs, compute the rest and charge it by " \
     "those, with an interval (docs/sampling.md)", CLI_SIMULATION}
#define VALIDATE_SAMPLING_OPTION                                               \
    {"validate-sampling", 0, NULL,                                             \
     "run the program in full and with --sample and tell of each kernel both, " \
     "the interval, the error and how much less was simulated; in the place "  \
     "of the report", CLI_REPORT}
/* clang-format on */

/* Their rows in the table of a command. */
/* clang-format off */
#define SIMULATION_OPTIONS                                                     \
    {"format", 'f', "FORMAT", "text, json or csv; default text", CLI_OUTPUT},  \
    WIDTH_OPTION,                                                              \
    {"per-block", 0, NULL,                                                     \
     "JSON: every counter of every block, not sums over all of a kind",        \
     CLI_REPORT},                                                              \
    {"by-line", 0, NULL,                                                       \
     "also a table by source line: issue slots, cycles of warps, stalls, "     \
     "lanes, memory; without .loc the lines are those of the PTX",             \
     CLI_REPORT},                                                              \
    {"by-instruction", 0, NULL,                                                \
     "the same by machine instruction", CLI_REPORT},                           \
    {"top", 0, "N",                                                            \
     "only the N hottest lines and instructions, 0: all in order; default 20 " \
     "lines and all instructions", CLI_REPORT},                                \
    {"functional", 0, NULL,                                                    \
     "compute results only, no timing", CLI_SIMULATION},                       \
    {"warm", 0, "N",                                                           \
     "perform each timed launch N times before the one that counts, with the " \
     "same data, so that caches of code, constants and L2 are warm",           \
     CLI_SIMULATION},                                                          \
    {"max-cycles", 0, "N",                                                     \
     "stop a launch after N cycles (functional: warp instructions)",           \
     CLI_SIMULATION},                                                          \
    {"max-registers", 0, "N",                                                  \
     "compile with at most N registers a thread", CLI_SIMULATION},             \
    {"stack", 0, "BYTES",                                                      \
     "stack of a thread for calls whose depth is not known; default 1024",     \
     CLI_SIMULATION},                                                          \
    {"heap", 0, "BYTES",                                                       \
     "heap of malloc in kernels, for each SM; default 8 MB", CLI_SIMULATION},  \
    {"strict", 0, NULL,                                                        \
     "every access outside of what was allocated is a fault; default for "     \
     "kernels and launch files", CLI_SIMULATION},                              \
    {"lenient", 0, NULL,                                                       \
     "those that a device would not notice do no harm, are counted and told "  \
     "at the end; default for OpenCL programs", CLI_SIMULATION},               \
    {"check-async", 0, NULL,                                                   \
     "tell of each access to shared memory or to registers of a warp group "   \
     "that lacks the fence or wait it needs beside copies in the background "  \
     "and tensor cores", CLI_SIMULATION},                                      \
    {"print-buffer", 0, "BYTES",                                               \
     "text of printf that is kept of a launch; default 1 MB", CLI_SIMULATION}, \
    {"threads", 't', "N",                                                      \
     "host threads; timed results do not depend on it", CLI_HOST},               \
    {"no-skip", 0, NULL,                                                       \
     "tick every block in every cycle; same results", CLI_HOST},               \
    {"shuffle", 0, "SEED",                                                     \
     "simulate nodes in another order; same results", CLI_HOST},               \
    {"hash", 0, NULL,                                                          \
     "print a hash of all counters and of memory", CLI_REPORT},                \
    {"quiet", 'q', NULL, "no progress line", CLI_HOST}
/* clang-format on */

/* The value of --format, as a FORMAT_; prints and sets wrong if it is none. */
void cli_take_format(cli_args *a, int *format);

/* True if the option was one of them. */
bool cli_simulation_option(cli_simulation *s, cli_args *a);
/* After all options: 0, or 2 and a message if they contradict each other. */
int cli_simulation_check(const cli_simulation *s, const cli_args *a);

#endif
