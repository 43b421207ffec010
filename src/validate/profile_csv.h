/* src/validate/profile_csv.h - launches on a real device, as the vendor's
 * profilers wrote them: `ncu --csv`, pages raw and details, and `nvprof --csv`
 * with --print-gpu-trace, --events or both. Columns are found by their names,
 * so what else is printed does not matter. Plain data, in an arena that the
 * caller owns. */
#ifndef VALIDATE_PROFILE_CSV_H
#define VALIDATE_PROFILE_CSV_H

#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "validate/kernel_label.h"

typedef struct profile_launch {
    kernel_label kernel;
    bool shaped; /* grid and block were printed */
    uint32_t grid[3], block[3];
    uint64_t count;  /* launches that the values are means of; mostly 1 */
    double cycles;   /* NAN: not measured */
    double time_s;   /* likewise */
    double clock_hz; /* of the SMs, likewise */
    unsigned line;
} profile_launch;

typedef struct profile {
    const char *path, *tool; /* "Nsight Compute" */
    bool of_all_sms;         /* cycles are the sum over all SMs */
    profile_launch *launches;
    size_t count, room;
    size_t passed_over; /* lines that are no rows of its tables */
} profile;

/* ST_INPUT, ST_CONFIG: errors, with lines where there are some, are in `dg`. */
status profile_read(const char *path, arena *mem, diag *dg, profile *out);
/* The same of a text; `path` names it. */
status profile_read_text(const char *path, const char *text, size_t size,
                         arena *mem, diag *dg, profile *out);

#endif
