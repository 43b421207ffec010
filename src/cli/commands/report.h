/* src/cli/commands/report.h - pages for people, from the commands that make
 * results. */
#ifndef CLI_COMMANDS_REPORT_H
#define CLI_COMMANDS_REPORT_H

#include "compare/compare.h"
#include "explain/explain.h"
#include "probe/judge/probe_text.h"
#include "store/store.h"
#include "validate/validate.h"

/* Writes the page of comparisons, one for each GPU, which are that study of a
 * file; NULL: of none. 0, or the exit code after a message. */
int report_compare(const compare *list, size_t count, const char *command,
                   store *s, int64_t study, const char *path);

/* Writes the page of that study of a file, which `run` or `exec` made. */
int report_study(store *s, int64_t study, const char *path);

/* Writes the page of what probes found. */
int report_probes(const probe_sheet *s, const char *command, const char *path);

/* Writes the page of a validation. */
int report_validation(const validate *v, const char *command, const char *path);

/* Writes the page of what bounds kernels; `w` NULL: parameters were not tried.
 */
int report_explain(const explain *x, const what_if *w, const char *name,
                   const char *command, const char *path);

#endif
