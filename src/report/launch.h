/* src/report/launch.h - one launch as a part of a report: text, JSON, a line of
 * CSV. Shared by the writers of whole runs; borrows everything. */
#ifndef REPORT_LAUNCH_H
#define REPORT_LAUNCH_H

#include "report/figure.h"
#include "report/run.h"
#include "text/csv.h"
#include "text/json.h"

/* `note` stands behind the title, NULL: nothing. At most 100 columns, or 80
 * where there are less than 100; tables of profiles are as wide as they may. */
void launch_text(const report_options *o, const report_launch *l,
                 const char *note, FILE *to);

/* Part `i` of a group with what it has of its own: its kernel and profile. */
report_launch launch_part(const report_launch *l, size_t i);

/* Its members, in the object that is open. */
void launch_json(json *j, const report_options *o, const report_launch *l);

/* Which columns a table has: those that any of its launches fills. */
typedef struct launch_shape {
    figures with;      /* stall reasons and levels */
    const stats *last; /* counters that were looked at */
} launch_shape;

void launch_shape_add(launch_shape *s, const report_launch *l);
/* Names, and the fields of a launch, from `kernel` on, no line ends. */
void launch_csv_head(const launch_shape *s, csv *c);
void launch_csv(const launch_shape *s, const report_launch *l, csv *c);

#endif
