/* src/cli/commands/validate.h - the options of `heddle validate`, shared by the
 * file that reads and prints (validate.c) and the one that runs
 * (validate_run.c). */
#ifndef CLI_COMMANDS_VALIDATE_H
#define CLI_COMMANDS_VALIDATE_H

#include "cli/commands/compare.h"
#include "validate/hardware.h"

typedef struct validate_args {
    compare_args is; /* programs run as a comparison with one side */
    truth_list truth;
    const char *programs, *inputs; /* folders */
    uint64_t max_error;            /* percent; UINT64_MAX: none */
    suite_texts only;              /* --row; none: all */
    bool list;
    unsigned gpu_count; /* that rows need; names are in is.machine */
    diag *dg;
    validate v;

    const char *hardware, *clock; /* --hardware, --clock; NULL: not given */
    profile profile;
    hardware of_program; /* its launches beside the profile's */
} validate_args;

/* Fills in v.rows with what truth says of them, and the GPUs and workloads that
 * they need. 0, or the exit code after messages. */
int validate_plan(validate_args *x, const cli_args *a);
/* Runs all of them. 0, or the exit code after messages. */
int validate_run(validate_args *x);
/* The same of --hardware: the operands and what is behind -- name what is run.
 */
int validate_plan_hardware(validate_args *x, const cli_args *a);
/* --list: programs, whether they are there, and where they come from; 0, or 1
 * if one is missing. */
int validate_list(validate_args *x, FILE *to);

#endif
