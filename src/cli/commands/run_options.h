/* src/cli/commands/run_options.h - `heddle run` and `heddle watch`, which takes
 * the same, in the table of commands: their options, examples and rows. For
 * commands.c alone. */
#ifndef CLI_COMMANDS_RUN_OPTIONS_H
#define CLI_COMMANDS_RUN_OPTIONS_H

#include "cli/cli.h"
#include "cli/keep.h"
#include "cli/launch_options.h"
#include "cli/simulation.h"
#include "cli/tracing.h"

/* clang-format off */
#define RUN_OPTIONS                                                            \
    GPU_OPTIONS,                                                               \
    {"launch", 'l', "FILE",                                                    \
     "launch file: buffers, launches, expectations", CLI_LAUNCH},              \
    LAUNCH_OPTIONS,                                                            \
    {"dump", 'd', "BUFFER=FILE",                                               \
     "write a buffer at the end (.npy or raw); unnamed buffers are called by " \
     "the number of their argument, from 0", CLI_LAUNCH},                      \
    SERIES_OPTION,                                                             \
    KEEP_PAGE_OPTION,                                                          \
    TRACE_OPTIONS,                                                             \
    SAMPLE_PARTS_OPTION,                                                       \
    SIMULATION_OPTIONS,                                                        \
    {"window-profile", 0, NULL,                                                \
     "time each node and step of each window, and tell how long 1 to 32 "      \
     "threads would take; with one thread, which takes longer", CLI_HOST}
#define WATCH_OPTIONS                                                          \
    {"port", 'p', "N",                                                         \
     "port of the page on 127.0.0.1; default is one that is free", CLI_OWN},   \
    {"paused", 0, NULL,                                                        \
     "stand still before the first cycle, until the page says go", CLI_OWN},   \
    {"hold", 0, NULL,                                                          \
     "stand still where a launch fails, too, so that its warps can be looked " \
     "at", CLI_OWN}
#define RUN_EXAMPLES                                                           \
    {"run --gpu v100 --launch out/sgemm/launch.yaml",                          \
     "Buffers from files, results compared with what was expected:"},          \
    {"run k.ptx --kernel saxpy --grid 80 --block 256 \\\n"                     \
     "    --arg buf:f32[20480]=iota --arg buf:f32[20480] --arg f32:2",         \
     "One kernel, its arguments in their order:"},                             \
    {"run k.ptx --launch l.yaml --by-line --set l1.ways=8",                    \
     "In which source lines goes the time with a larger L1?"},                 \
    {"run --gpu v100 traces/kernelslist.g",                                    \
     "What Accel-Sim's tracer recorded on a GPU:"},                            \
    {NULL, NULL}
#define WATCH_EXAMPLES                                                         \
    {"watch --gpu v100 --launch out/sgemm/launch.yaml",                        \
     "Open the address that it prints:"},                                      \
    {"watch k.ptx --grid 1 --block 64 --paused --hold",                        \
     "Cycle by cycle, and what is left when it hangs:"},                       \
    {"watch --gpu k20 --port 8000 -- ./solver --size 256",                     \
     "A program, launch after launch:"},                                       \
    {NULL, NULL}
#define RUN_COMMAND                                                            \
    {.name = "run",                                                            \
     .synopsis = "[OPTION...] [PROGRAM]",                                      \
     .help = "run kernels on a simulated GPU",                                 \
     .text =                                                                   \
         "Runs PROGRAM, PTX, assembly or a cubin, and prints what the machine "\
         "did: "                                                               \
         "cycles, instructions, occupancy, where every issue slot went, "      \
         "caches, network and DRAM.\n\nOne launch is described by --kernel, "  \
         "--grid, --block and --arg; several, with buffers from files, by a "  \
         "launch file (docs/launch.md).\n\nPROGRAM may be a trace of "         \
         "Accel-Sim, a kernelslist.g or a single .traceg, which has its "      \
         "launches (docs/accel-sim.md).",                                      \
     .examples = (const cli_line[]){RUN_EXAMPLES},                             \
     .options = (const cli_option[]){RUN_OPTIONS, CLI_OPTIONS_END},            \
     .run = cli_run}
#define WATCH_COMMAND                                                          \
    {.name = "watch",                                                          \
     .synopsis = "[OPTION...] [PROGRAM] | [OPTION...] -- PROGRAM "             \
                 "[ARGUMENT...]",                                              \
     .help = "run kernels or a program, and watch them in a browser",          \
     .text =                                                                   \
         "Runs PROGRAM as 'heddle run' does, with the same options, results "  \
         "and report, and prints the address of a page that shows it while it "\
         "runs: progress and the time left, issue slots and bandwidth, what "  \
         "every warp waits for, the warps that wait longest. The page can "    \
         "pause the simulation, let it go on for some cycles, and look at the "\
         "registers of a warp.\n\nWhat stands behind -- is run as 'heddle "    \
         "exec' does, a CUDA or OpenCL program, with the options of that "     \
         "command and --port, --paused and --hold: the page follows its "      \
         "launches.\n\nThe page is for this machine only "          \
         "(127.0.0.1), and for those who know the token in the address; it is "\
         "gone when the run has ended. docs/watch.md says more.",              \
     .examples = (const cli_line[]){WATCH_EXAMPLES},                           \
     .options = (const cli_option[]){WATCH_OPTIONS, RUN_OPTIONS,               \
                                     CLI_OPTIONS_END},                         \
     .program_options = watch_options,                                         \
     .run = cli_watch}
/* clang-format on */

#endif
