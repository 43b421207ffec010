/* src/config/sheet.h - a configuration being put together: values, and where
 * each came from. Owns its texts. Errors go to a diag with file, line and
 * column, all of them rather than the first. */
#ifndef CONFIG_SHEET_H
#define CONFIG_SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/status.h"
#include "config/config.h"
#include "config/param.h"

typedef struct config_sheet config_sheet;

typedef enum config_origin_kind {
    CONFIG_FROM_DEFAULT,
    CONFIG_FROM_FILE, /* or preset */
    CONFIG_FROM_SET,  /* --set */
    CONFIG_FROM_AXIS  /* of a sweep */
} config_origin_kind;

typedef struct config_origin {
    config_origin_kind kind;
    const char *file; /* or the assignment, as "--set a.b=1"; NULL: default */
    unsigned line, column, length; /* CONFIG_FROM_FILE; from 1 */
    const char *note; /* the comment behind the value, "" if none */
} config_origin;

config_sheet *config_sheet_new(void);    /* defaults */
void config_sheet_free(config_sheet *s); /* NULL is fine */

/* The values, valid until the sheet is changed or freed. */
const config *config_sheet_values(const config_sheet *s);
config_origin config_sheet_origin(const config_sheet *s, const config_param *p);

/* Applies a preset by name, or a file if the name has a '/' or '.', on top of
 * what is there. ST_OK, ST_CONFIG, ST_IO or ST_NOMEM. */
status config_sheet_load(config_sheet *s, const char *name, diag *dg);

/* Applies a text; `file` names it in messages, relative paths in `extends`
 * start at its folder. All errors are reported; wrong values are not set. */
status config_sheet_read(config_sheet *s, const char *file, const char *text,
                         size_t size, diag *dg);

/* Applies "path=value"; `kind` is CONFIG_FROM_SET or CONFIG_FROM_AXIS. */
status config_sheet_set(config_sheet *s, const char *assignment,
                        config_origin_kind kind, diag *dg);

#endif
