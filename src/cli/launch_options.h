/* src/cli/launch_options.h - the options that describe one launch, of `heddle
 * run` and of commands that take its kernels as workloads. */
#ifndef CLI_LAUNCH_OPTIONS_H
#define CLI_LAUNCH_OPTIONS_H

#include "cli/cli.h"
#include "launchfile/plan_line.h"

/* Their rows in the table of a command. */
/* clang-format off */
#define LAUNCH_OPTIONS                                                         \
    {"kernel", 'k', "NAME",                                                    \
     "kernel to launch; needed if there are several", CLI_LAUNCH},             \
    {"grid", 0, "X[,Y[,Z]]", "CTAs of the grid", CLI_LAUNCH},                  \
    {"block", 'b', "X[,Y[,Z]]", "threads of a CTA", CLI_LAUNCH},               \
    {"cluster", 0, "X[,Y[,Z]]", "CTAs of a thread-block cluster", CLI_LAUNCH}, \
    {"shared", 0, "BYTES", "dynamic shared memory of a CTA", CLI_LAUNCH},      \
    {"arg", 'a', "ARG",                                                        \
     "next kernel argument: NUMBER, TYPE:NUMBER, [NAME=]buf:TYPE[COUNT]=INIT " \
     "with INIT zero, iota, constant,value=V, uniform,seed=S,min=A,max=B or "  \
     "@FILE, the NAME of a buffer given before, or {ARG,...}: a structure of " \
     "TYPE:NUMBERs and NAMEs", CLI_LAUNCH},                                    \
    {"expect", 'e', "BUFFER=FILE",                                             \
     "compare a buffer at the end; 1 if unequal", CLI_LAUNCH},                 \
    {"tolerance", 0, "X",                                                      \
     "what --expect allows, absolute or relative; default 0", CLI_LAUNCH}
/* clang-format on */

/* True if the option was one of them. */
bool cli_launch_option(plan_line *l, cli_args *a);

#endif
