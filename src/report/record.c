#include "report/record.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/must.h"
#include "text/word.h"

const record_row record_rows[RECORD_ROWS] = {
#define ROW(id, kind, group, ...)                                              \
    {#id, RECORD_##kind, RECORD_##group, __VA_ARGS__},
#define RESULT(id, kind, group, part, ...)                                     \
    ROW(id, kind, group, part, __VA_ARGS__)
#define SHOWN(id, kind, group, part, value, ...)                               \
    ROW(id, kind, group, part, __VA_ARGS__)
#include "stats/launch_record.def"
#undef RESULT
#undef SHOWN
#undef ROW
};

/* ---- Values ---- */

char record_letter(record_kind kind)
{
    static const char letters[] = {
        [RECORD_STATUS] = 't', [RECORD_TEXT] = 't',  [RECORD_FLAG] = 'u',
        [RECORD_NUMBER] = 'u', [RECORD_COUNT] = 'u', [RECORD_TRIPLE] = 'u',
        [RECORD_REAL] = 'r',   [RECORD_FINE] = 'r',  [RECORD_SHARE] = 'r',
        [RECORD_SECONDS] = 'r'};

    return letters[kind];
}

static double record_joules(const energy *e)
{
    return e->overflow ? NAN : energy_joules(e->total_fj);
}

/* Where the value of a kind is. */
#define VALUE_STATUS(x)  .text = report_launch_status(l)
#define VALUE_TEXT(x)    .text = (x)
#define VALUE_FLAG(x)    .count = (x)
#define VALUE_NUMBER(x)  .count = (x)
#define VALUE_COUNT(x)   .count = (x)
#define VALUE_TRIPLE(x)  .triple = (x)
#define VALUE_REAL(x)    .real = (x)
#define VALUE_FINE(x)    .real = (x)
#define VALUE_SHARE(x)   .real = (x)
#define VALUE_SECONDS(x) .real = (x)

record_values record_of(const report_launch *l, const figures *f)
{
    record_values v = {.timed = report_launch_timed(l)};

#define RESULT(id, kind, ...)                                                  \
    v.of[RECORD_##id] = (record_value){VALUE_##kind(l->id)};
#define SHOWN(id, kind, group, part, value, ...)                               \
    v.of[RECORD_##id] = (record_value){VALUE_##kind(value)};
#include "stats/launch_record.def"
#undef RESULT
#undef SHOWN
    return v;
}

double record_real(const record_values *v, const record_row *r)
{
    static const bool counted[RECORD_MEMORY + 1] = {[RECORD_TIME] = true,
                                                    [RECORD_ENERGY] = true,
                                                    [RECORD_RATE] = true,
                                                    [RECORD_COLD] = true,
                                                    [RECORD_MEMORY] = true};

    return v->timed || !counted[r->group] ? v->of[r - record_rows].real : NAN;
}

/* ---- Order ---- */

/* The rows of a group, one after the other; `at` 0 before the first. */
static const record_row *next_row(record_group group, size_t *at)
{
    while (*at < RECORD_ROWS)
        if (record_rows[(*at)++].group == group)
            return &record_rows[*at - 1];
    return NULL;
}

#define EACH_ROW(row, groups, count)                                           \
    for (size_t g_ = 0; g_ < (count); g_++)                                    \
        for (size_t at_ = 0; (row = next_row((groups)[g_], &at_));)

static const record_value *value_of_row(const record_values *v,
                                        const record_row *r)
{
    return &v->of[r - record_rows];
}

/* ---- JSON ---- */

void record_json_triple(json *j, const char *key, const uint32_t v[3])
{
    json_open(j, key, '[');
    for (unsigned i = 0; i < 3; i++)
        json_u64(j, NULL, v[i]);
    json_close(j, '[');
}

static void json_value(json *j, const record_row *r, const record_value *v)
{
    if (r->kind == RECORD_TRIPLE)
        record_json_triple(j, r->json, v->triple);
    else if (r->kind == RECORD_FLAG)
        json_bool(j, r->json, v->count);
    else if (record_letter(r->kind) == 't')
        json_text(j, r->json, v->text);
    else if (record_letter(r->kind) == 'u')
        json_u64(j, r->json, v->count);
    else
        json_real(j, r->json, v->real);
}

void record_json(json *j, const record_values *v, const record_group *groups,
                 size_t count, bool part)
{
    const record_row *r;

    EACH_ROW(r, groups, count)
    if (r->json && (r->part || !part))
        json_value(j, r, value_of_row(v, r));
}

/* ---- CSV ---- */

const char *const record_triple[3] = {"_x", "_y", "_z"};

void record_csv_head(csv *c, const record_group *groups, size_t count)
{
    const record_row *r;

    EACH_ROW(r, groups, count)
    {
        for (unsigned i = 0; i < 3 && r->csv && r->kind == RECORD_TRIPLE; i++)
            csv_name(c, r->csv, record_triple[i]);
        if (r->csv && r->kind != RECORD_TRIPLE)
            csv_name(c, r->csv, "");
    }
}

static void csv_value(csv *c, const record_row *r, const record_values *all)
{
    const record_value *v = value_of_row(all, r);

    for (unsigned i = 0; i < 3 && r->kind == RECORD_TRIPLE; i++)
        csv_u64(c, v->triple[i]);
    if (r->kind == RECORD_TRIPLE)
        return;
    if (record_letter(r->kind) == 't')
        csv_text(c, v->text);
    else if (record_letter(r->kind) == 'u')
        csv_u64(c, v->count);
    else
        csv_real(c, record_real(all, r));
}

void record_csv(csv *c, const record_values *v, const record_group *groups,
                size_t count)
{
    const record_row *r;

    EACH_ROW(r, groups, count)
    if (r->csv)
        csv_value(c, r, v);
}

/* ---- Text ---- */

static word text_value(const record_row *r, const record_value *v)
{
    switch (r->kind) {
    case RECORD_STATUS:
    case RECORD_TEXT:
    case RECORD_TRIPLE:
        break;
    case RECORD_FLAG:
    case RECORD_NUMBER:
    case RECORD_COUNT:
        return word_grouped(v->count);
    case RECORD_REAL:
        return word_real(v->real, 2);
    case RECORD_FINE:
        return word_real(v->real, 3);
    case RECORD_SHARE:
        return word_percent(v->real);
    case RECORD_SECONDS:
        return word_duration(v->real);
    }
    MUST(!"the head has numbers alone");
}

void record_text(const record_values *v, const record_group *groups,
                 size_t count, FILE *to)
{
    const record_row *r;
    unsigned n = 0;

    EACH_ROW(r, groups, count)
    {
        if (!r->text)
            continue;
        word is = text_value(r, value_of_row(v, r));
        if (n++ % 2)
            fprintf(to, "    %-20s %15s\n", r->text, is.s);
        else
            fprintf(to, "  %-22s %15s", r->text, is.s);
    }
    if (n % 2)
        fputc('\n', to);
}

/* ---- SQL ---- */

static const record_group sql_groups[] = {
    RECORD_PLACE, RECORD_KERNEL, RECORD_SIZE,   RECORD_RESOURCES, RECORD_STATE,
    RECORD_ERROR, RECORD_MODE,   RECORD_CYCLES, RECORD_ESTIMATE,  RECORD_TIME,
    RECORD_WORK,  RECORD_CTAS,   RECORD_ENERGY, RECORD_HOST};

size_t record_sql_rows(record_id row[RECORD_ROWS])
{
    const record_row *r;
    size_t n = 0;

    EACH_ROW(r, sql_groups, COUNTOF(sql_groups))
    if (r->sql)
        row[n++] = (record_id)(r - record_rows);
    return n;
}

int record_sql_name(const record_row *r) { return (int)strcspn(r->sql, " "); }

static const char *sql_type(record_kind kind)
{
    char c = record_letter(kind);

    return c == 't' ? "TEXT" : c == 'u' ? "INTEGER" : "REAL";
}

/* "    registers INTEGER,          -- of a thread" */
void record_sql_columns(strbuf *out)
{
    enum { COMMENT = 32 }; /* its column */
    record_id row[RECORD_ROWS];
    size_t n = record_sql_rows(row);

    for (size_t k = 0; k < n; k++) {
        const record_row *r = &record_rows[row[k]];
        const char *type = sql_type(r->kind),
                   *more = r->sql + record_sql_name(r);
        const char *comment = strstr(more, " --");
        int name = record_sql_name(r),
            rest = comment ? (int)(comment - more) : (int)strlen(more);
        size_t begin = out->size;

        strbuf_puts(out, "   ");
        for (unsigned i = 0; i < 3 && r->kind == RECORD_TRIPLE; i++)
            strbuf_printf(out, " %.*s%s %s,", name, r->sql, record_triple[i],
                          type);
        if (r->kind != RECORD_TRIPLE)
            strbuf_printf(out, " %.*s %s%.*s,", name, r->sql, type, rest, more);
        if (comment)
            strbuf_printf(out, "%*s%s", COMMENT - (int)(out->size - begin), "",
                          comment + 1);
        strbuf_putc(out, '\n');
    }
}

/* ---- The document ---- */

static void doc_name(strbuf *out, const char *name, int length)
{
    if (name)
        strbuf_printf(out, "| `%.*s` ", length, name);
    else
        strbuf_puts(out, "| ");
}

void record_doc(strbuf *out)
{
    strbuf_puts(out,
                "\n## The record of a launch\n\n"
                "What JSON, CSV and the table `launch` of a results file tell "
                "of a launch beside its\ncounters. A name of three numbers "
                "stands for a list in JSON, for columns with `_x`,\n`_y`, `_z` "
                "behind it elsewhere.\n\n"
                "| JSON | CSV | results file | unit | meaning |\n"
                "|---|---|---|---|---|\n");
    for (const record_row *r = record_rows; r < record_rows + RECORD_ROWS;
         r++) {
        doc_name(out, r->json, INT_MAX);
        doc_name(out, r->csv, INT_MAX);
        doc_name(out, r->sql, r->sql ? record_sql_name(r) : 0);
        strbuf_printf(out, "| %s | %s |\n", r->unit, r->help);
    }
}
