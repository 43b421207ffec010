/* src/config/param.h - the registry: what describes a parameter besides its
 * value. Constant tables made from config/params.def. */
#ifndef CONFIG_PARAM_H
#define CONFIG_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "config/config.h"

typedef enum config_kind {
    CONFIG_INT,
    CONFIG_POW2,
    CONFIG_SIZE,
    CONFIG_BOOL,
    CONFIG_ENUM,
    CONFIG_STRING
} config_kind;

typedef struct config_choice {
    const char *text, *help;
} config_choice;

typedef struct config_param {
    const char *path; /* "sm.rf.banks" */
    size_t bytes;     /* of the path, its end included */
    const char *id;   /* its last part */
    config_kind kind;
    size_t offset; /* in struct config */
    uint64_t min, max;
    const config_choice *choices; /* CONFIG_ENUM; index is the value */
    size_t choice_count;
    const char *unit;   /* "" if none */
    const char *source; /* tag of the default */
    const char *help;
} config_param;

typedef struct config_section {
    const char *path, *help;
} config_section;

size_t config_param_count(void);
const config_param *config_param_get(size_t i); /* in the order of the table */
const config_param *config_param_find(const char *path); /* NULL: none */
size_t config_section_count(void);
const config_section *config_section_get(size_t i);
const config_section *config_section_find(const char *path); /* NULL: none */

/* The nearest path to an unknown one, NULL if none is near. */
const char *config_param_suggest(const char *path);

/* Appends a value as it stands in a file. */
void config_value(const config *cfg, const config_param *p, strbuf *out);
/* Numbers, flags and choices as a number; 0 for texts. */
uint64_t config_number(const config *cfg, const config_param *p);
const char *config_text(const config *cfg, const config_param *p); /* texts */

/* Reads "49152", "48K" of bytes, "1.4GHz" of clocks, whatever its range; false
 * if it is no such number. */
bool config_read_number(const config_param *p, const char *text, uint64_t *out);

/* Sets a value from its text. On false nothing is set and *why is the error, a
 * sentence that names the parameter. */
bool config_put(config *cfg, const config_param *p, const char *text,
                strbuf *why);
void config_put_number(config *cfg, const config_param *p, uint64_t v);

#endif
