/* src/report/energy.h - what a launch spent, for people and for programs, in
 * total and over time. Borrows everything. */
#ifndef REPORT_ENERGY_H
#define REPORT_ENERGY_H

#include "report/figure.h"
#include "report/run.h"
#include "text/csv.h"
#include "text/json.h"

/* A block of the launch's text; narrow: of 80 columns. */
void energy_text(const report_launch *l, const figures *f, bool narrow,
                 FILE *to);
/* A member of the launch's object: parts, events, states; and the series, if
 * there is one. */
void energy_json(json *j, const report_launch *l, const figures *f);
/* Total and power alone, members of the object that is open. */
void energy_json_sum(json *j, const energy *e);

/* Columns of a launch. */
void energy_csv_head(csv *c);
void energy_csv(const report_launch *l, const figures *f, csv *c);

/* The series: header, and the rows of launch number `launch`; before it stands
 * the process, NULL: no such column. */
void energy_series_csv_head(csv *c);
void energy_series_csv(const report_launch *l, const uint32_t *pid,
                       size_t launch, csv *c);

#endif
