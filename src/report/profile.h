/* src/report/profile.h - where a launch spent its time: rows by source line or
 * by instruction, as tables for people and for programs. Every count is in
 * exactly one row, so rows add up to the launch. */
#ifndef REPORT_PROFILE_H
#define REPORT_PROFILE_H

#include "base/strbuf.h"
#include "report/run.h"
#include "text/csv.h"
#include "text/json.h"

typedef enum profile_kind { PROFILE_LINES, PROFILE_INSTS } profile_kind;

typedef struct profile_row {
    sm_profile_row sum;
    uint64_t slots; /* issue slots: used and lost */
    uint64_t waits; /* cycles of warps */
    uint32_t first; /* its first instruction; code_count: of none */
    uint32_t count; /* instructions */
    uint16_t file;  /* as in isa_inst, 0 unknown */
    uint32_t line;
} profile_row;

typedef struct profile {
    profile_row *row; /* in order of file and line, or of instructions; the
                         last one is of slots without an instruction */
    size_t count;
    profile_row total;
} profile;

profile profile_make(const report_launch *l, profile_kind kind);
void profile_free(profile *p);

/* Row numbers, those with most slots (functional: instructions) first; the
 * caller frees them. */
size_t *profile_hottest(const profile *p, bool functional);

/* The instruction of a row, without control information. */
void profile_inst_text(const report_launch *l, uint32_t index, strbuf *to);

/* The numbers of a row as CSV and the library have them: the counters of
 * sm/observe/profile.def, slots, why they stayed empty, cycles of warps, and
 * what these waited for. */
typedef struct profile_column {
    const char *name, *unit, *help; /* "stall_raw_mem" */
} profile_column;
size_t profile_column_count(void);
profile_column profile_column_at(size_t i);
uint64_t profile_cell(const profile_row *r, size_t i);

/* The file of a row, and its line of source or its instruction, for which `b`
 * is room. NULL: unknown. */
const char *profile_file(const report_launch *l, const profile_row *row);
const char *profile_row_text(const report_launch *l, profile_kind kind,
                             const profile_row *row, strbuf *b);

/* The table of the selected lines. */
void profile_text(const report_options *o, const report_launch *l,
                  profile_kind kind, FILE *to);
void profile_json(json *j, const report_launch *l, profile_kind kind);
/* The header, and the rows of launch number `launch`; before it stands the
 * process, NULL: no such column. */
void profile_csv_head(profile_kind kind, csv *c);
void profile_csv(const report_launch *l, const uint32_t *pid, size_t launch,
                 profile_kind kind, csv *c);

#endif
