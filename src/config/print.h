/* src/config/print.h - configurations as text: canonical, explained, compared,
 * documented. Appends to buffers, prints nothing. */
#ifndef CONFIG_PRINT_H
#define CONFIG_PRINT_H

#include <stddef.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "config/config.h"
#include "config/sheet.h"

/* Every value, sections and keys sorted, defaults included: what is stored
 * with results and hashed. config_sheet_read accepts it back. */
void config_dump(const config *cfg, strbuf *out);
uint64_t config_hash(const config *cfg);

/* As config_dump, in the order of the table, each value with its origin and
 * source as a comment. */
void config_show(const config_sheet *s, strbuf *out);

/* One line "path: a -> b" for each difference; their number. */
size_t config_diff(const config *a, const config *b, strbuf *out);

/* Value, origin, range, source and meaning of a parameter, or of all in a
 * section. ST_USAGE and one error if there is none of that path. */
status config_explain(const config_sheet *s, const char *path, strbuf *out,
                      diag *dg);

/* The text of docs/config.md. */
void config_doc(strbuf *out);

#endif
