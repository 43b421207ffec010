/* src/config/yml.h - a subset of YAML as a tree in which everything has its
 * place in the file. Mappings, lists and scalars; one document. Tags, anchors,
 * aliases and repeated keys are errors. All scalars are texts: their reader
 * gives them types. The arena owns the tree. Also used for launch and sweep
 * files. */
#ifndef CONFIG_YML_H
#define CONFIG_YML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

typedef enum yml_kind { YML_SCALAR, YML_MAP, YML_LIST } yml_kind;

typedef struct yml_place {
    unsigned line, column, length; /* from 1, in bytes */
} yml_place;

typedef struct yml_node {
    yml_kind kind;
    yml_place at;
    const char *text; /* scalars: the value; "" if nothing was written */
    bool quoted;      /* scalars */
    const char *note; /* comment behind it on its line, "" if none */

    const char *key; /* members of a mapping */
    yml_place key_at;

    struct yml_node *first, *next; /* children in the order of the text */
    size_t count;                  /* of children */
} yml_node;

/* On ST_OK *root is the tree; an empty text is an empty mapping. Otherwise
 * ST_CONFIG and at least one error with a place. */
status yml_read(const char *file, const char *text, size_t size, arena *a,
                diag *dg, yml_node **root);

/* The member `key` of a mapping, NULL if it has none. */
const yml_node *yml_get(const yml_node *map, const char *key);

#endif
