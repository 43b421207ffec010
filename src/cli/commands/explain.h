/* src/cli/commands/explain.h - `heddle explain` in the table of commands: its
 * options, examples and row. For commands.c alone. */
#ifndef CLI_COMMANDS_EXPLAIN_H
#define CLI_COMMANDS_EXPLAIN_H

#include "cli/cached.h"
#include "cli/workload.h"

/* clang-format off */
#define EXPLAIN_OPTIONS \
    {"try", 0, "CHANGE[,...]|all", \
     "simulate these changes; default are those that the counters promise most " \
     "of", CLI_OWN}, \
    {"tries", 0, "N", "so many of them; default 2", CLI_OWN}, \
    {"what-if", 0, NULL, \
     "change every parameter of the machine by itself instead, numbers to twice " \
     "and half, flags, choices: hundreds of simulations", CLI_OWN}, \
    {"jobs", 'j', "N", \
     "run N at once; the results do not depend on it", CLI_HOST}, \
    {"output", 'o', "FILE", \
     "where it goes; default standard output", CLI_OUTPUT}, \
    {"html", 0, "FILE", \
     "also a page for people: charts, and the source beside its machine code; " \
     "see docs/report.md", CLI_OUTPUT}, \
    {"fresh", 0, NULL, \
     "simulate also what other commands have simulated", CLI_HOST}, \
    {"gpu", 'g', "GPU", \
     "preset or YAML file of the simulated GPU; default v100", CLI_GPU}, \
    WORKLOAD_OPTIONS, \
    MACHINE_OPTIONS_BUT_GPU, \
    CLI_OPTIONS_END
/* clang-format on */

#define EXPLAIN_EXAMPLES                                                       \
    {"explain k.ptx --grid 80 --block 256 --arg 'buf:f32[20480]=iota'",        \
     "What bounds this kernel, and what would help?"},                         \
        {"explain --gpu a100 -- ./solver 100",                                 \
         "The same of a CUDA or OpenCL program."},                             \
        {"explain --try all -j 2 workloads transpose_naive",                   \
         "Everything that can be tried, on a program of a suite."},            \
        {"explain k.ptx --grid 80 --block 256 --arg 'buf:f32[20480]=iota' "    \
         "--html k.html",                                                      \
         "A page with the source beside its machine code."},                   \
        {"explain --what-if -j 2 launch.yaml",                                 \
         "Which parameter of the hardware would help it most?"},               \
    {                                                                          \
        NULL, NULL                                                             \
    }

#define EXPLAIN_COMMAND                                                        \
    {                                                                          \
        .name = "explain",                                                     \
        .synopsis = "[OPTION...] WORKLOAD | [OPTION...] -- PROGRAM...",        \
        .help = "what bounds a kernel, and what would make it faster?",        \
        .text =                                                                \
            "Runs the WORKLOAD, tells of each kernel what bounds it, the "     \
            "speed of "                                                        \
            "light of each unit, roofs, occupancy and where its time goes, "   \
            "and "                                                             \
            "then tries what the counters speak for in the simulator: the "    \
            "same "                                                            \
            "run on a machine without bank conflicts, with accesses side by "  \
            "side, "                                                           \
            "with loads that always hit ... What that gains stands beside "    \
            "the "                                                             \
            "line of the source that is the cause and what to do there. A "    \
            "WORKLOAD is as in 'heddle compare', one of them."                 \
            "\n\nIt takes three simulations, and says how long the last two "  \
            "will "                                                            \
            "take. The exit status is 1 if the run failed. docs/explain.md "   \
            "lists "                                                           \
            "the changes.",                                                    \
        .examples = (const cli_line[]){EXPLAIN_EXAMPLES},                      \
        .options = (const cli_option[]){EXPLAIN_OPTIONS}, .run = cli_explain   \
    }

#endif
