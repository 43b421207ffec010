/* src/store/rows.c - rows of a query as text, CSV or JSON. */
#include "store/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/run.h"
#include "text/csv.h"
#include "text/json.h"
#include "text/table.h"
#include "text/word.h"

/* ---- Text ---- */

/* Line ends and other control characters would break the table. */
static const char *one_line(arena *mem, const char *text)
{
    char *copy = arena_strdup(mem, text);

    for (char *at = copy; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = ' ';
    return copy;
}

static const char *short_value(arena *mem, const store_query *q, int i,
                               bool grouped)
{
    double real;

    if (store_null(q, i))
        return "-";
    if (!store_number(q, i))
        return one_line(mem, store_text(q, i));
    real = store_real(q, i);
    if (strpbrk(store_text(q, i), ".eEnN"))
        return arena_printf(mem, "%.5g", real);
    if (!grouped)
        return arena_strdup(mem, store_text(q, i));
    return arena_printf(mem, "%s%s", real < 0 ? "-" : "",
                        word_grouped((uint64_t)llabs(store_int(q, i))).s);
}

static void print_text(store_query *q, bool grouped, size_t keys,
                       unsigned width, FILE *to, diag *dg)
{
    arena *mem = arena_new();
    table *t;
    bool first = true;

    t = table_new(mem, width);
    while (store_next(q, dg)) {
        for (int i = 0; first && i < store_columns(q); i++)
            table_column(t, one_line(mem, store_column(q, i)),
                         !store_null(q, i) && !store_number(q, i),
                         (size_t)i < keys);
        first = false;
        for (int i = 0; i < store_columns(q); i++)
            table_cell(t, short_value(mem, q, i, grouped));
    }
    if (first)
        fputs("no rows\n", to);
    else
        table_print(t, 0, to);
    arena_free(mem);
}

/* ---- Data ---- */

static void put_csv(const store_query *q, int i, csv *c)
{
    if (!store_number(q, i))
        csv_text(c, store_text(q, i));
    else if (strpbrk(store_text(q, i), ".eEnN"))
        csv_format(c, "%.17g", store_real(q, i));
    else
        csv_format(c, "%" PRId64, store_int(q, i));
}

static void print_csv(store_query *q, FILE *to, diag *dg)
{
    csv c = csv_start(to);

    for (int i = 0; i < store_columns(q); i++)
        csv_text(&c, store_column(q, i));
    csv_line(&c);
    while (store_next(q, dg)) {
        for (int i = 0; i < store_columns(q); i++)
            put_csv(q, i, &c);
        csv_line(&c);
    }
}

static void put_json(json *j, const store_query *q, int i)
{
    const char *name = store_column(q, i);
    int64_t v;

    if (store_null(q, i) || !store_number(q, i)) {
        json_text(j, name, store_text(q, i));
        return;
    }
    v = store_int(q, i);
    if (strpbrk(store_text(q, i), ".eEnN") || v < 0)
        json_real(j, name, store_real(q, i));
    else
        json_u64(j, name, (uint64_t)v);
}

static void print_json(store_query *q, bool lines, FILE *to, diag *dg)
{
    json j = lines ? json_start(to) : json_document(to);

    j.flat = lines;
    if (!lines)
        json_open(&j, "rows", '[');
    while (store_next(q, dg)) {
        json_open(&j, NULL, '{');
        for (int i = 0; i < store_columns(q); i++)
            put_json(&j, q, i);
        json_close(&j, '{');
        if (!lines)
            continue;
        json_end(&j);
        j.first = true;
    }
    if (lines)
        return;
    json_close(&j, '[');
    json_document_end(&j);
}

void store_rows_print(store_query *q, int format, size_t keys, unsigned width,
                      FILE *to, diag *dg)
{
    if (format == ROWS_TEXT || format == ROWS_PLAIN)
        print_text(q, format == ROWS_TEXT, keys, width, to, dg);
    else if (format == ROWS_CSV)
        print_csv(q, to, dg);
    else
        print_json(q, format == ROWS_JSONL, to, dg);
}
