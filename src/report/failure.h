/* src/report/failure.h - calls that failed, in reports of programs:
 * as text and JSON, and as the likely reason why a program went wrong. */
#ifndef REPORT_FAILURE_H
#define REPORT_FAILURE_H

#include "base/strbuf.h"
#include "report/program.h"
#include "text/json.h"

/* Is anything to be reported? Minor failures are of interest only if something
 * else went wrong (`badly`). */
bool failures_matter(const report_process *o, bool badly);
/* Of a process: the first ones and the last. */
void failures_text(const report_process *o, FILE *to);
void failures_json(json *j, const report_process *o);

/* One line with what is most likely to have gone wrong: the error of the first
 * launch that failed, or else of a call of OpenCL, of a minor one only if
 * nothing was launched. False: there is none. */
bool failure_cause(const report_program *p, strbuf *to);

#endif
