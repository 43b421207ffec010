/* src/cli/machine.h - the options that `exec` and `suite` share: the simulated
 * GPUs that OpenCL programs see, and what is simulated on them. */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

#include "cli/keep.h"
#include "cli/simulation.h"
#include "session/server.h"

enum { CLI_NO_DRIVER = 125 }; /* exit status, as that of env(1) */

typedef struct cli_machine {
    arena *mem;
    cli_gpu gpu;        /* the options of all GPUs */
    const char **names; /* of --gpu */
    unsigned name_count;
    cli_simulation sim;
    bool no_cache, log;

    /* Made by cli_machine_make. */
    config_sheet **sheets;
    const config **configs;
    report_gpu *gpus;
    unsigned count;
    session_setup setup;
    const char *const *env; /* of cli_machine_find_driver */
    const char *driver;     /* its path */
} cli_machine;

/* Their rows in the table of a command. */
/* clang-format off */
#define MACHINE_OPTIONS                                                        \
    {"gpu", 'g', "GPU",                                                        \
     "preset or YAML file of a simulated GPU; repeatable: the program then "   \
     "sees several devices; default v100", CLI_GPU},                           \
    MACHINE_OPTIONS_BUT_GPU
#define MACHINE_OPTIONS_BUT_GPU                                                \
    {"set", 's', "PATH=VALUE",                                                 \
     "change a parameter of all of them, such as l1.ways=8; repeatable",       \
     CLI_GPU},                                                                 \
    {"timed", 0, "KERNEL[:N[-M]]",                                             \
     "time only launches of this kernel, of them only the N-th, or the N-th "  \
     "to M-th, from 1; the others are only computed; KERNEL may have "         \
     "wildcards; repeatable", CLI_SIMULATION},                                 \
    {"skip-launches", 0, "N",                                                  \
     "only compute the first N launches of each process", CLI_SIMULATION},     \
    {"max-launches", 0, "N",                                                   \
     "time at most N launches of each process, compute the others",            \
     CLI_SIMULATION},                                                          \
    {"slack", 0, "BYTES",                                                      \
     "so many bytes before and behind each buffer belong to it: what kernels " \
     "do there is neither told nor a fault, and hits no other; so do those "   \
     "behind shared and local memory, and around images; default 0",           \
     CLI_SIMULATION},                                                          \
    {"as-cpu", 0, NULL,                                                        \
     "the simulated GPUs call themselves CPUs, for programs that ask for one", \
     CLI_GPU},                                                                 \
    {"code", 0, "KIND",                                                        \
     "what of CUDA programs runs: sass, the machine code that is in them for " \
     "the GPU; ptx, which is compiled for it; or auto, machine code where "    \
     "there is some that can run, else PTX (the default)",                     \
     CLI_GPU},                                                                 \
    SAMPLE_OPTION,                                                             \
    {"no-cache", 0, NULL,                                                      \
     "neither read nor keep compiled programs", CLI_HOST},                     \
    {"log", 0, NULL,                                                           \
     "a sentence on standard error for every error of an OpenCL call",         \
     CLI_REPORT},                                                              \
    SIMULATION_OPTIONS
/* clang-format on */

void cli_machine_init(cli_machine *m);
void cli_machine_fini(cli_machine *m);

/* Assignments "PATH=VALUE". */
typedef struct cli_sets {
    const char *const *text;
    unsigned count;
} cli_sets;

/* Another of the same options, with more parameters set before and after
 * those; not made yet. It borrows the texts and what `from` has; all must
 * outlive it. */
void cli_machine_vary(const cli_machine *from, cli_sets before, cli_sets after,
                      cli_machine *out);

/* True if the option was one of them. */
bool cli_machine_option(cli_machine *m, cli_args *a);
/* After all options: 0, or 2 and a message if they contradict each other. */
int cli_machine_check(const cli_machine *m, const cli_args *a);
/* Configures the GPUs; 0, or the exit code after messages. */
int cli_machine_make(cli_machine *m);
/* Advice on how to time less of programs that take long; NULL: an option does
 * so already. */
const char *cli_machine_advice(const cli_machine *m);
/* Looks for the driver, beside this command, as it is built, or where it is
 * installed. False: it is nowhere; a message is printed. */
bool cli_machine_find_driver(cli_machine *m, const char *command);
/* The same without a message. */
bool cli_machine_look_for_driver(cli_machine *m);
/* Can the driver that was found compile OpenCL C? False: that was printed.
 * HEDDLE_CLANG=none says that nothing needs it. */
bool cli_machine_try_compiler(const cli_machine *m, const char *command);

enum { CLI_KERNELS = 4 }; /* reported in full by default */

/* Writes what a program did, in the chosen format; `kernels` and `detailed` as
 * in report_program. */
void cli_machine_report(const cli_machine *m, const char *const *argv,
                        const session_outcome *o, size_t kernels,
                        size_t detailed, FILE *to);

/* Adds what a program did to the results file; `how` is filled in but for what
 * the machine and the outcome know. As cli_keep_run. */
bool cli_machine_keep(const cli_machine *m, cli_keep *k,
                      const session_outcome *o, const store_run *how);

#endif
