/* src/report/record.h - the record of a launch (stats/launch_record.def) as
 * values, in the order of each format. Texts and triples are borrowed from the
 * launch. */
#ifndef REPORT_RECORD_H
#define REPORT_RECORD_H

#include "base/strbuf.h"
#include "report/figure.h"
#include "report/run.h"
#include "text/csv.h"
#include "text/json.h"

/* Type of a row, and how people read it. */
typedef enum record_kind {
    RECORD_STATUS,  /* ok */
    RECORD_TEXT,    /* may be missing: NULL */
    RECORD_FLAG,    /* 0 or 1 */
    RECORD_NUMBER,  /* 12,345 */
    RECORD_COUNT,   /* the same, of 64 bits */
    RECORD_TRIPLE,  /* three numbers */
    RECORD_REAL,    /* 1.23 */
    RECORD_FINE,    /* 0.123 */
    RECORD_SHARE,   /* 12.3 % */
    RECORD_SECONDS, /* 1.23 us */
} record_kind;

/* Rows that every format keeps together. */
typedef enum record_group {
    RECORD_PLACE,
    RECORD_KERNEL,
    RECORD_STATE,
    RECORD_ERROR,
    RECORD_MODE,
    RECORD_MACHINE,
    RECORD_SIZE,
    RECORD_RESOURCES,
    RECORD_CYCLES,
    RECORD_ESTIMATE,
    RECORD_TIME,
    RECORD_WORK,
    RECORD_CTAS,
    RECORD_ENERGY,
    RECORD_HOST,
    RECORD_RATE,
    RECORD_SLOTS,
    RECORD_COLD,
    RECORD_MEMORY,
} record_group;

typedef enum record_id {
#define RESULT(id, ...) RECORD_##id,
#define SHOWN(id, ...)  RECORD_##id,
#include "stats/launch_record.def"
#undef RESULT
#undef SHOWN
    RECORD_ROWS
} record_id;

typedef struct record_row {
    const char *id;
    record_kind kind;
    record_group group;
    bool part; /* launches in flight together each have their own */
    const char *unit;
    const char *sql, *json, *csv, *text; /* NULL: not shown there */
    const char *help;
} record_row;

extern const record_row record_rows[RECORD_ROWS];

/* That member has it which is of the row's kind. */
typedef struct record_value {
    uint64_t count;
    double real; /* NAN: unknown */
    const char *text;
    const uint32_t *triple;
} record_value;

/* 't' text, 'u' count, or one of three, 'r' real. */
char record_letter(record_kind kind);

typedef struct record_values {
    record_value of[RECORD_ROWS];
    bool timed; /* there are counters, from which figures are worked out */
} record_values;

/* `groups, count` of functions below. */
#define RECORD_GROUPS(...)                                                     \
    (const record_group[]){__VA_ARGS__},                                       \
        sizeof((const record_group[]){__VA_ARGS__}) / sizeof(record_group)

record_values record_of(const report_launch *l, const figures *f);
/* Those of counters are NAN where there are none. */
double record_real(const record_values *v, const record_row *r);

/* ---- Formats: the rows of some groups, in the order of the groups ---- */

/* Members of the object that is open; with `part` only what a part has. */
void record_json(json *j, const record_values *v, const record_group *groups,
                 size_t count, bool part);
void record_csv_head(csv *c, const record_group *groups, size_t count);
void record_csv(csv *c, const record_values *v, const record_group *groups,
                size_t count);
void record_json_triple(json *j, const char *key, const uint32_t v[3]);
/* Two cells a line. */
void record_text(const record_values *v, const record_group *groups,
                 size_t count, FILE *to);

/* A section of docs/stats.md: every row. */
void record_doc(strbuf *out);

/* ---- SQL: columns of a results file ---- */

/* Lines of CREATE TABLE, each with a comma at its end. */
void record_sql_columns(strbuf *out);
/* The rows in the order of those columns; returns how many. */
size_t record_sql_rows(record_id row[RECORD_ROWS]);
int record_sql_name(const record_row *r); /* length of the name in r->sql */
/* What stands behind the name of a triple: "_x", "_y", "_z". */
extern const char *const record_triple[3];

#endif
