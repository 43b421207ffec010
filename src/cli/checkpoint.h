/* src/cli/checkpoint.h - the options of `heddle exec` about checkpoints of
 * programs (docs/checkpoints.md). */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "cli/machine.h"

typedef struct cli_checkpoint {
    const char *file;   /* of --checkpoint; NULL: not said */
    const char *resume; /* of --resume; NULL: a program from its beginning */
    bool writes;        /* --checkpoint-after */
    char *whole;        /* the name of either, owned */
    bool existed;       /* a file of that name, whose number was */
    uint64_t inode;
} cli_checkpoint;

/* True if the option was one of them. */
bool cli_checkpoint_option(cli_checkpoint *c, cli_machine *m, cli_args *a);
/* After all options: 0, or 2 and a message if they contradict each other. */
int cli_checkpoint_check(const cli_checkpoint *c, cli_machine *m,
                         const cli_args *a);
/* Before the program `name` is started: 0, or the exit code after a message
 * that the file cannot be used. */
int cli_checkpoint_begin(cli_checkpoint *c, cli_machine *m, const char *name);
/* After it has ended with `code`: that, or another if there is no checkpoint
 * where one should be. */
int cli_checkpoint_end(const cli_checkpoint *c, int code);
void cli_checkpoint_fini(cli_checkpoint *c);

#endif
