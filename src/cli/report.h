/* src/cli/report.h - pages for people, from the commands that make results. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "lab/compare.h"

/* Writes the page of comparisons, one for each GPU. 0, or the exit code after a
 * message. */
int report_compare(const compare *list, size_t count, const char *command,
                   const char *path);

#endif
