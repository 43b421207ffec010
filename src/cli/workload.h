/* src/cli/workload.h - the workloads of a command line, and how programs among
 * them are built and run. */
#ifndef CLI_WORKLOAD_H
#define CLI_WORKLOAD_H

#include "cli/launch_options.h"
#include "cli/machine.h"
#include "study/measure.h"

typedef struct cli_workloads {
    workload_list is;
    plan_line launch; /* of a lone kernel */
    const char *build;
    uint64_t timeout_s;
} cli_workloads;

/* Their rows in the table of a command. */
/* clang-format off */
#define WORKLOAD_OPTIONS                                                       \
    {"size", 0, "SIZE[,...]",                                                  \
     "which of the programs' sizes; default small; several are workloads of "  \
     "their own", CLI_WORKLOAD},                                               \
    {"tag", 0, "TAG",                                                          \
     "of suites only programs with this tag; repeatable: or that one",         \
     CLI_WORKLOAD},                                                            \
    {"timeout", 0, "SECONDS",                                                  \
     "for each run; default is what a suite says", CLI_WORKLOAD},              \
    {"build", 0, "FOLDER",                                                     \
     "what {build} stands for; default is the folder of this command, or "     \
     "that of the installed programs", CLI_WORKLOAD},                          \
    LAUNCH_OPTIONS
/* clang-format on */

void cli_workloads_init(cli_workloads *w);
void cli_workloads_fini(cli_workloads *w);

/* Takes what stands behind a lone -- off a command line: the program, NULL if
 * there is none. */
char **cli_program(int *argc, char **argv);

/* True if the option was one of them. */
bool cli_workload_option(cli_workloads *w, cli_args *a);
/* Operands from `first` on and the program behind --, if there is one. 0, or
 * an exit code after messages. */
int cli_workloads_read(cli_workloads *w, const cli_args *a, int first,
                       char **program);

/* How programs are run on that machine; `usual` as in suite_job. The machine
 * was made, `env` is that of its driver. */
suite_job cli_workloads_job(const cli_workloads *w, const cli_machine *m,
                            const char *const *env, const sigset_t *usual);

/* Runs the build commands of suites and of their programs. `failed` is called
 * for workloads that cannot be built, with the end of the output. False
 * after a message: a suite's own command failed. */
bool cli_workloads_build(const cli_workloads *w, const suite_job *job,
                         const char *command,
                         void (*failed)(void *arg, size_t i, const char *why),
                         void *arg);

#endif
