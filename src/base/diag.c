/* src/base/diag.c - messages in a growing array, their texts in arenas. */
#include "base/diag.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/must.h"
#include "base/strbuf.h"

enum { MOST_ERRORS = 1000, WIDEST_LINE = 160 };

typedef struct source {
    struct source *next;
    const char *file, *text;
    size_t size;
} source;

struct diag {
    arena *texts; /* of items; replaced by diag_clear */
    arena *kept;  /* sources */
    source *sources;
    diag_item *items;
    size_t count, room;
    size_t errors; /* all of them, kept or not */
};

diag *diag_new(void)
{
    diag *dg = new0(1, sizeof *dg);

    dg->texts = arena_new();
    dg->kept = arena_new();
    return dg;
}

void diag_free(diag *dg)
{
    if (!dg)
        return;
    arena_free(dg->texts);
    arena_free(dg->kept);
    free(dg->items);
    free(dg);
}

static source *find_source(const diag *dg, const char *file)
{
    for (source *s = dg->sources; s; s = s->next)
        if (!strcmp(s->file, file))
            return s;
    return NULL;
}

void diag_source(diag *dg, const char *file, const char *text, size_t size)
{
    source *s = find_source(dg, file);

    if (!s) {
        s = ARENA_NEW(dg->kept, source);
        s->file = arena_strdup(dg->kept, file);
        s->next = dg->sources;
        dg->sources = s;
    } else if (s->size == size && !memcmp(s->text, text, size)) {
        return;
    }
    s->text = arena_strndup(dg->kept, text, size);
    s->size = size;
}

static void add_message(diag *dg, diag_item it, const char *fmt, va_list ap)
{
    strbuf b = {0};

    if (it.level == DIAG_ERROR && ++dg->errors > MOST_ERRORS)
        return;
    GROW(dg->items, dg->count + 1, dg->room);
    strbuf_vprintf(&b, fmt, ap);
    it.text = arena_strndup(dg->texts, b.text, b.size);
    strbuf_fini(&b);
    if (it.file)
        it.file = arena_strdup(dg->texts, it.file);
    if (it.length == 0)
        it.length = 1;
    dg->items[dg->count++] = it;
}

void diag_add(diag *dg, diag_level level, const char *file, unsigned line,
              unsigned column, unsigned length, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_message(dg, (diag_item){level, file, line, column, length, NULL}, fmt,
                ap);
    va_end(ap);
}

void diag_error(diag *dg, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_message(dg, (diag_item){DIAG_ERROR, NULL, 0, 0, 1, NULL}, fmt, ap);
    va_end(ap);
}

size_t diag_count(const diag *dg) { return dg->count; }
size_t diag_errors(const diag *dg) { return dg->errors; }

const diag_item *diag_get(const diag *dg, size_t i)
{
    MUST(i < dg->count);
    return &dg->items[i];
}

void diag_clear(diag *dg)
{
    arena *fresh = arena_new();

    dg->count = dg->errors = 0;
    arena_free(dg->texts);
    dg->texts = fresh;
}

/* Line `line` of `s`, without its end; false if there is none. */
static bool get_line(const source *s, unsigned line, const char **at, size_t *n)
{
    const char *p = s->text, *end = s->text + s->size, *stop;

    for (unsigned i = 1; i < line; i++) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p)
            return false;
        p++;
    }
    stop = memchr(p, '\n', (size_t)(end - p));
    if (!stop)
        stop = end;
    if (stop > p && stop[-1] == '\r')
        stop--;
    *at = p;
    *n = (size_t)(stop - p);
    return true;
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The line, then blanks (tabs stay tabs) up to the caret. Of a very long
 * line only the part around the caret. */
static void print_line(const diag_item *it, const char *at, size_t n, FILE *to,
                       const char *on, const char *off)
{
    size_t mark = it->column ? it->column - 1 : 0, from = 0, len;

    if (n > WIDEST_LINE && mark > WIDEST_LINE / 2)
        from = (mark < n ? mark : n) - WIDEST_LINE / 2;
    len = n - from < WIDEST_LINE ? n - from : WIDEST_LINE;
    fputs("  ", to);
    for (size_t i = from; i < from + len; i++) {
        unsigned char c = (unsigned char)at[i];
        fputc((c < ' ' && c != '\t') || c == 127 ? '?' : c, to);
    }
    fputc('\n', to);
    if (!it->column || mark > n)
        return;
    fputs("  ", to);
    for (size_t i = from; i < mark; i++)
        if (!is_continuation(at[i]))
            fputc(at[i] == '\t' ? '\t' : ' ', to);
    fputs(on, to);
    fputc('^', to);
    for (size_t i = 1; i < it->length && mark + i < from + len; i++)
        if (!is_continuation(at[mark + i]))
            fputc('~', to);
    fputs(off, to);
    fputc('\n', to);
}

void diag_print(const diag *dg, FILE *to, bool colour)
{
    static const struct {
        const char *name, *on;
    } level[] = {
        [DIAG_NOTE] = {"note", "\033[1;36m"},
        [DIAG_WARNING] = {"warning", "\033[1;35m"},
        [DIAG_ERROR] = {"error", "\033[1;31m"},
    };
    const char *off = colour ? "\033[0m" : "";

    for (size_t i = 0; i < dg->count; i++) {
        const diag_item *it = &dg->items[i];
        const char *on = colour ? level[it->level].on : "", *at;
        const source *s = it->file ? find_source(dg, it->file) : NULL;
        size_t n;

        if (it->file)
            fprintf(to, "%s:", it->file);
        if (it->file && it->line)
            fprintf(to, "%u:", it->line);
        if (it->file && it->line && it->column)
            fprintf(to, "%u:", it->column);
        fprintf(to, "%s%s%s:%s %s\n", it->file ? " " : "", on,
                level[it->level].name, off, it->text);
        if (s && it->line && get_line(s, it->line, &at, &n))
            print_line(it, at, n, to, on, off);
    }
    if (dg->errors > MOST_ERRORS)
        fprintf(to, "%zu more errors\n", dg->errors - MOST_ERRORS);
}
