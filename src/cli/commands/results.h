/* src/cli/commands/results.h - what a query of `heddle results` gives, printed.
 */
#ifndef CLI_COMMANDS_RESULTS_H
#define CLI_COMMANDS_RESULTS_H

#include "cli/cli.h"
#include "store/store.h"

enum {
    RESULTS_TEXT,
    RESULTS_JSON,
    RESULTS_CSV,
    RESULTS_JSONL,
    RESULTS_PLAIN, /* a text whose numbers are not grouped */
};

/* Prints all rows; a text has `width` columns, its first `keys` ones stand in
 * every part. In texts numbers are short, in data they keep their digits. What
 * goes wrong is in `dg`. */
void results_print(store_query *q, int format, size_t keys, unsigned width,
                   FILE *to, diag *dg);

#endif
