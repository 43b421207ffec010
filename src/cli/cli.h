/* src/cli/cli.h - what the subcommands share: options, messages, exit codes.
 * Only this folder prints, exits or reads the environment. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/status.h"
#include "config/config.h"
#include "config/rules.h"
#include "config/sheet.h"

/* What an option is about: help and manual print them under these headings, in
 * this order. */
#define CLI_GROUPS(X)                                                          \
    X(OWN, "options")                                                          \
    X(LAUNCH, "the launch")                                                    \
    X(GPU, "the simulated GPU")                                                \
    X(WORKLOAD, "workloads")                                                   \
    X(SIMULATION, "what is simulated, and how")                                \
    X(REPORT, "what is reported")                                              \
    X(OUTPUT, "where it goes")                                                 \
    X(TRACE, "traces, cycle by cycle")                                         \
    X(SEARCH, "search of a large space")                                       \
    X(TABLE, "the verb 'table'")                                               \
    X(EFFECTS, "effects and crossovers of the verb 'table'")                   \
    X(WORKER, "the verb 'worker'")                                             \
    X(SLURM, "on a cluster with Slurm")                                        \
    X(HOST, "on this computer; results do not depend on it")                   \
    X(PROGRAM, "for programs alone")

typedef enum cli_group {
#define GROUP(id, title) CLI_##id,
    CLI_GROUPS(GROUP)
#undef GROUP
        CLI_GROUP_COUNT
} cli_group;

/* One option of a subcommand: everything about it is one row. */
typedef struct cli_option {
    const char *name; /* without dashes */
    char letter;      /* short form, 0: none */
    const char *arg;  /* placeholder of its value, NULL: a flag */
    const char *help;
    cli_group group;
} cli_option;

enum {
    CLI_WIDTH = 100, /* of text that goes to no terminal */
    CLI_WIDTH_LEAST = 80,
    CLI_WIDTH_MOST = 1000,
};

/* The row of commands that fit text to a width. */
/* clang-format off */
#define WIDTH_OPTION                                                           \
    {"width", 0, "N",                                                          \
     "text: N columns, 80 to 1000; default is COLUMNS of the environment, "     \
     "else the terminal's, else 100", CLI_OUTPUT}
/* clang-format on */

#define CLI_OPTIONS_END                                                        \
    {                                                                          \
        NULL, 0, NULL, NULL, CLI_OWN                                           \
    }

/* A verb of a command and what it does, or a command line and what it answers.
 */
typedef struct cli_line {
    const char *line, *text;
} cli_line;

typedef struct cli_command {
    const char *name;
    const char *synopsis;      /* behind the name */
    const char *help;          /* one line; NULL: help does not list it */
    const char *text;          /* paragraphs for `help NAME` and the manual */
    const cli_line *verbs;     /* ended by a NULL line; NULL: none */
    const cli_line *examples;  /* the same, without "heddle" before them */
    const cli_option *options; /* ended by a NULL name */
    /* In place of these where a program stands behind --; NULL: the same. */
    const cli_option *program_options;
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand */
    bool starts_program; /* options end at the first operand: what follows
                            belongs to that program */
} cli_command;

extern const cli_command cli_commands[]; /* ended by a NULL name */

const cli_command *cli_find(const char *name); /* NULL: none */

/* ---- Parsing ---- */

typedef struct cli_args {
    const cli_command *command;
    const cli_option *options; /* its own, or those for a program */
    int argc;
    char **argv;
    int next;          /* argument to look at */
    const char *name;  /* of the last option */
    const char *value; /* NULL for flags */
    bool handled;      /* its name was asked for: it is not forgotten */
    bool wrong;        /* an error was printed */
} cli_args;

cli_args cli_start(const char *command, int argc, char **argv);
/* The same where a program stands behind --. */
cli_args cli_start_program(const char *command, int argc, char **argv);

/* The next option; false at the end or after an error (then wrong is set).
 * Operands are moved behind the options: see cli_operand. */
bool cli_next(cli_args *a);
/* The option of that word, as "--name", "--name=..." or "-n"; NULL: none. */
const cli_option *cli_option_find(const cli_command *c, const char *word);
/* The first option, or the one behind `o`: a command's own, then those that it
 * has for programs alone. NULL: no more. */
const cli_option *cli_option_next(const cli_command *c, const cli_option *o);
/* Under which heading it stands; CLI_PROGRAM: it is for programs alone. */
cli_group cli_option_group(const cli_command *c, const cli_option *o);
/* Is the last option that one? Each row of a table has to be asked for:
 * cli_next aborts behind an option that nobody knew. */
bool cli_is(cli_args *a, const char *name);
/* Operand i, NULL if there are fewer. Valid after cli_next returned false. */
const char *cli_operand(const cli_args *a, int i);
char **cli_operands(const cli_args *a); /* all of them, NULL at the end */

/* The value as a number up to `most`; prints and sets wrong otherwise. */
bool cli_u64(cli_args *a, uint64_t most, uint64_t *out);
/* The value of --width. */
bool cli_take_width(cli_args *a, unsigned *out);
/* The value as the name of a part of the energy; NULL after a message. */
const char *cli_energy_part(cli_args *a);

/* Prints `heddle COMMAND: text` and where to find help; returns 2. */
int cli_usage(const cli_command *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

void cli_help(const cli_command *c, FILE *to); /* NULL: the overview */
const char *cli_group_title(cli_group g);
void cli_manual(FILE *to);                               /* mdoc */
void cli_manual_command(const cli_command *c, FILE *to); /* the page of one */
bool cli_completion(const char *shell, FILE *to);

/* ---- Messages and results ---- */

/* What the exit codes of all commands mean, for manual and help. */
typedef struct cli_exit {
    int code;
    const char *text;
} cli_exit;

extern const cli_exit cli_exits[]; /* ended by a NULL text */

/* Exit code of a status. */
int cli_exit_code(status st);

/* Prints what is in `dg` to stderr and empties it. */
void cli_report(diag *dg);

/* Writes to a file, or to standard output if `path` is NULL or "-". */
status cli_write_out(const char *path, const strbuf *b, diag *dg);
unsigned cli_width(FILE *to); /* columns of the terminal there, 0: none */
/* Columns from COLUMNS of the environment or from the terminal; 0: unknown. */
unsigned cli_columns(FILE *to);
/* Columns of text: --width, else cli_columns, else 100. */
unsigned cli_text_width(FILE *to, unsigned asked);

/* Ends a command that wrote results to stdout: a write that failed (disk full)
 * is reported and turns 0 into 1. */
int cli_finish(int code);

/* Before anything is simulated: whether what the end writes to `path` ("-" and
 * NULL: to no file) could be written. 0, or the exit code after a message. */
int cli_can_write(const char *path);

/* Where results go: a new file, or stdout for NULL and "-". NULL: it cannot be
 * opened, and a message of `command` ("compare") was printed. */
FILE *cli_output(const char *command, const char *path);
/* Closes it, or does as cli_finish. */
int cli_output_end(const char *command, const char *path, FILE *to, int code);

/* The words of `text` from column `left` on, in lines as wide as help is: as
 * the terminal, but not so wide that they are hard to read; 80 without one. */
void cli_fold(const char *text, unsigned left, FILE *to);

/* ---- Configurations ---- */

/* Values of the options --gpu and --set, in order; of several GPUs `name` is
 * the last. */
typedef struct cli_gpu {
    const char *name;
    const char **set;
    unsigned set_count;
} cli_gpu;

/* Their rows in the table of a command. */
/* clang-format off */
#define GPU_OPTIONS                                                            \
    {"gpu", 'g', "GPU",                                                        \
     "preset or YAML file of the simulated GPU; see 'heddle list gpus'",       \
     CLI_GPU},                                                                 \
    {"set", 's', "PATH=VALUE",                                                 \
     "change a parameter, such as l1.ways=8; repeatable", CLI_GPU}
/* clang-format on */

/* True if the option was one of them. */
bool cli_gpu_option(cli_gpu *g, cli_args *a);
/* Builds the configuration; `fallback` names the GPU if none was given. NULL:
 * *code is the exit code, messages are printed. */
config_sheet *cli_gpu_sheet(const cli_gpu *g, const char *fallback, int *code);
void cli_gpu_free(cli_gpu *g);

/* ---- Subcommands ---- */

int cli_run(int argc, char **argv);
int cli_watch(int argc, char **argv);
int cli_exec(int argc, char **argv);
int cli_suite(int argc, char **argv);
int cli_results(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_diff(int argc, char **argv);
int cli_explain(int argc, char **argv);
int cli_validate(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_report_page(int argc, char **argv);
int cli_cost(int argc, char **argv);
int cli_probe(int argc, char **argv);
int cli_asm(int argc, char **argv);
int cli_disasm(int argc, char **argv);
int cli_compile(int argc, char **argv);
int cli_config(int argc, char **argv);
int cli_list(int argc, char **argv);
int cli_doc(int argc, char **argv);

#endif
