/* src/report/windows.h - what windows took of the host (gpu/window_profile.h)
 * as text and JSON: shares, the longest nodes, what more threads would make of
 * it. */
#ifndef REPORT_WINDOWS_H
#define REPORT_WINDOWS_H

#include <stdio.h>

#include "gpu/window_profile.h"
#include "text/json.h"

/* Neither prints anything for NULL. */
void windows_text(const window_sums *s, FILE *to);
void windows_json(json *j, const window_sums *s); /* "windows" */

#endif
