/* src/text/csv_rows.c - see csv_rows.h. */
#include "text/csv_rows.h"

#include <string.h>

#include "base/must.h"

enum { MARK = 3 }; /* bytes of UTF-8's mark of the order of bytes */

csv_rows csv_rows_of(const char *text, size_t size)
{
    size_t skip =
        size >= MARK && !memcmp(text, "\xef\xbb\xbf", MARK) ? MARK : 0;

    return (csv_rows){text + skip, text + size, 1};
}

/* Bytes up to the closing quote. */
static size_t quoted_size(const csv_rows *r)
{
    const char *at = r->at;

    while (at < r->end && (*at != '"' || (at + 1 < r->end && at[1] == '"')))
        at += *at == '"' ? 2 : 1;
    return (size_t)(at - r->at);
}

/* From behind the opening quote to behind the closing one. */
static char *quoted_cell(csv_rows *r, arena *mem, bool *open)
{
    char *to = arena_alloc(mem, quoted_size(r) + 1), *at = to;

    *open = true;
    for (; r->at < r->end; r->at++) {
        if (*r->at == '"') {
            if (r->at + 1 == r->end || r->at[1] != '"') {
                r->at++;
                *open = false;
                break;
            }
            r->at++;
        }
        r->line += *r->at == '\n';
        *at++ = *r->at;
    }
    return to;
}

static bool ends_cell(const csv_rows *r)
{
    return r->at == r->end || *r->at == ',' || *r->at == '\n' ||
           (*r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n');
}

static const char *next_cell(csv_rows *r, arena *mem, bool *open)
{
    const char *from = r->at, *in = "";

    if (r->at < r->end && *r->at == '"') {
        r->at++;
        in = quoted_cell(r, mem, open);
        from = r->at;
    }
    while (!ends_cell(r))
        r->at++;
    return arena_printf(mem, "%s%.*s", in, (int)(r->at - from), from);
}

static void skip_line_end(csv_rows *r)
{
    if (r->at < r->end && *r->at == '\r')
        r->at++;
    if (r->at < r->end && *r->at == '\n') {
        r->at++;
        r->line++;
    }
}

bool csv_rows_next(csv_rows *r, arena *mem, csv_row *out)
{
    size_t room = 0;

    while (r->at < r->end && (*r->at == '\n' || *r->at == '\r'))
        skip_line_end(r);
    *out = (csv_row){.line = r->line};
    if (r->at == r->end)
        return false;
    for (;;) {
        ARENA_GROW(mem, out->cells, out->count, room);
        out->cells[out->count++] = next_cell(r, mem, &out->open);
        if (r->at == r->end || *r->at != ',')
            break;
        r->at++;
    }
    skip_line_end(r);
    return true;
}
