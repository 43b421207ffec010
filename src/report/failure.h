/* src/report/failure.h - calls of OpenCL that failed, in reports of programs:
 * as text and JSON, and what they say of why a program went wrong. */
#ifndef REPORT_FAILURE_H
#define REPORT_FAILURE_H

#include "base/strbuf.h"
#include "report/program.h"
#include "text/json.h"

/* Is anything to be told? Minor ones are of interest only if something else
 * went wrong, as `badly` says. */
bool failures_matter(const report_process *o, bool badly);
/* Of a process: the first ones and the last. */
void failures_text(const report_process *o, FILE *to);
void failures_json(json *j, const report_process *o);

/* One line with what is most likely to have gone wrong: what the first launch
 * that failed said, or else a call of OpenCL, a minor one only if nothing was
 * launched. False: nothing is known. */
bool failure_cause(const report_program *p, strbuf *to);

#endif
