/* src/text/table.c - see table.h. */
#include "text/table.h"

#include "base/must.h"

enum { CELL = 24, GAP = 2 };

typedef struct column {
    const char *head;
    bool left, key;
    size_t width;
} column;

struct table {
    arena *mem;
    unsigned width;
    column *columns;
    size_t columns_room, column_count;
    const char **cells;
    size_t room, count;
};

/* Code points of UTF-8. */
static size_t width_of(const char *s)
{
    size_t n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static const char *skip_points(const char *s, size_t points)
{
    for (; *s && (points || ((unsigned char)*s & 0xc0) == 0x80); s++)
        if (((unsigned char)s[1] & 0xc0) != 0x80 && points)
            points--;
    return s;
}

const char *table_fit(arena *mem, const char *text, size_t columns)
{
    size_t n = width_of(text), head, tail;
    const char *a, *b;

    if (n <= columns)
        return text;
    tail = columns > 2 ? (columns - 2) / 2 : 0;
    head = columns > 2 ? columns - 2 - tail : 0;
    a = skip_points(text, head);
    b = skip_points(text, n - tail);
    return arena_printf(mem, "%.*s..%s", (int)(a - text), text, b);
}

table *table_new(arena *mem, unsigned width)
{
    table *t = ARENA_NEW(mem, table);

    t->mem = mem;
    t->width = width;
    return t;
}

void table_column(table *t, const char *head, bool left, bool key)
{
    MUST(!t->count);
    ARENA_GROW(t->mem, t->columns, t->column_count, t->columns_room);
    head = table_fit(t->mem, head, CELL);
    t->columns[t->column_count++] = (column){head, left, key, width_of(head)};
}

void table_cell(table *t, const char *text)
{
    column *c = &t->columns[t->count % t->column_count];

    ARENA_GROW(t->mem, t->cells, t->count, t->room);
    text = table_fit(t->mem, text, CELL);
    if (width_of(text) > c->width)
        c->width = width_of(text);
    t->cells[t->count++] = arena_strdup(t->mem, text);
}

/* A line of the keys and columns `from` to `end`; `cells` NULL: the heads.
 * Nothing but text ends it. */
static void put_table_line(const table *t, const char *const *cells,
                           unsigned indent, size_t from, size_t end, FILE *to)
{
    size_t blanks = indent;

    for (size_t i = 0; i < end; i++) {
        const column *c = &t->columns[i];
        const char *text = cells ? cells[i] : c->head;
        size_t n = width_of(text), pad = c->width - n;

        if (i < from && !c->key)
            continue;
        blanks += c->left ? 0 : pad;
        if (n) {
            fprintf(to, "%*s%s", (int)blanks, "", text);
            blanks = 0;
        }
        blanks += GAP + (c->left ? pad : 0);
    }
    fputc('\n', to);
}

/* The end of the columns that fit beside the keys, at least one more. */
static size_t part_end(const table *t, unsigned indent, size_t from)
{
    size_t width = indent, i;

    for (i = 0; i < from; i++)
        width += t->columns[i].key ? t->columns[i].width + GAP : 0;
    for (i = from; i < t->column_count; i++) {
        if (i > from && width + t->columns[i].width > t->width)
            break;
        width += t->columns[i].width + GAP;
    }
    return i;
}

void table_print(const table *t, unsigned indent, FILE *to)
{
    size_t n = t->column_count, end;

    for (size_t from = 0; from < n; from = end) {
        end = part_end(t, indent, from);
        if (from)
            fputc('\n', to);
        put_table_line(t, NULL, indent, from, end, to);
        for (size_t i = 0; i + n <= t->count; i += n)
            put_table_line(t, &t->cells[i], indent, from, end, to);
    }
}
