/* src/config/yml_reader.h - what readers of config/yml.h trees have in common:
 * errors at their places, all of them rather than the first. Borrows
 * everything. */
#ifndef CONFIG_YML_READER_H
#define CONFIG_YML_READER_H

#include <stdint.h>

#include "config/yml.h"

typedef struct yml_reader {
    const char *path; /* of the file */
    diag *dg;
    bool good; /* no error yet */
} yml_reader;

void yml_wrong(yml_reader *r, yml_place at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same about a `word` of `what` ("key") that is none of `names`: with the
 * nearest of them, or the first few. */
void yml_unknown(yml_reader *r, yml_place at, const char *what,
                 const char *word, const char *const *names, size_t count);

/* Every key of `map` must be one of the names; NULL ends them. */
void yml_check_keys(yml_reader *r, const yml_node *map,
                    const char *const *names);

/* `what` names the node in the error. */
bool yml_is_kind(yml_reader *r, const yml_node *n, yml_kind kind,
                 const char *what);

/* A whole number, also hexadecimal. */
bool yml_number(yml_reader *r, const yml_node *n, uint64_t least, uint64_t most,
                uint64_t *out);

#endif
