/* src/report/stray.h - accesses outside of what was allocated in a report: once
 * for each place in a program, however often it was launched. */
#ifndef REPORT_STRAY_H
#define REPORT_STRAY_H

#include "base/strbuf.h"
#include "report/run.h"
#include "text/json.h"

/* Of all launches; the caller frees it. */
exec_strays stray_sum(const report_launch *l, size_t count);

/* A paragraph, or nothing. */
void stray_text(const exec_strays *s, FILE *to);
/* A line for each place, without an end behind the last: kept with runs, and
 * shown for several runs together. */
void stray_lines(const exec_strays *s, strbuf *to);
/* A member "outside" of the object that is open, a list; nothing of none. */
void stray_json(json *j, const exec_strays *s);

#endif
