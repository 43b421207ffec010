/* src/page/page.h - a page for people: one HTML file with its style and script
 * inside, which needs no network, no server and no fonts but the reader's. The
 * page is appended to from its head to its end; all texts are plain, what is
 * HTML in them is escaped. Owns its text. */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include <stdbool.h>

#include "base/strbuf.h"

typedef struct page page;

page *page_new(const char *title, const char *about); /* about NULL: none */
void page_free(page *p);                              /* NULL is fine */
/* The whole file, appended to `out`. Nothing is added afterwards. */
void page_finish(page *p, strbuf *out);

/* ---- Structure ---- */

/* Several studies on a page; sections after it belong to it. */
void page_part(page *p, const char *title);
/* Stands in the table of contents. */
void page_section(page *p, const char *title);
/* Smaller, within a section. */
void page_heading(page *p, const char *title);
/* What follows until page_fold_end is shown when it is opened. */
void page_fold(page *p, const char *title);
void page_fold_end(page *p);

/* ---- Words ---- */

/* Elements of text: "p", "ul", "li". */
void page_open(page *p, const char *element, const char *class_name);
void page_close(page *p, const char *element);
void page_printf(page *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void page_strong(page *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void page_code(page *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* A link to a place of this page, "c1-3". */
void page_link(page *p, const char *place, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A number that the page gives once, for places. */
unsigned page_unique(page *p);
/* Links may lead here. */
void page_anchor(page *p, const char *place);
/* A paragraph of its own. */
void page_paragraph(page *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Explains a figure or table: smaller. */
void page_note(page *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Must not be overlooked. */
void page_alarm(page *p, const char *title, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Lines to copy, with a button for it. */
void page_lines(page *p, const char *text);

typedef struct page_fact {
    const char *name, *value;
} page_fact;

/* A line of names and values. */
void page_facts(page *p, const page_fact *facts, size_t count);

typedef struct page_figure {
    const char *value, *name, *note; /* "1.44 x", "speed-up", ... */
} page_figure;

/* The few numbers that matter, large. */
void page_figures(page *p, const page_figure *figures, size_t count);

/* ---- Tables ---- */

typedef struct page_column {
    const char *name, *unit, *help; /* unit, help NULL: none */
    const char *exact; /* unit of the exact values, where cells have their own;
                          or NULL */
    bool number;       /* to the right */
} page_column;

/* Sorted by clicks, saved as FILE.csv. Cells go from left to right; a row ends
 * with its last column. */
void page_table(page *p, const char *caption, const char *file,
                const page_column *columns, size_t count);
void page_cell(page *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Sorted by `value`, which the CSV has as well; NAN: there is none. */
void page_number(page *p, double value, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Links may lead to the next row. */
void page_row_place(page *p, const char *place);
/* The next row is something that failed. */
void page_row_bad(page *p);
/* The next row is a sum or mean: it stays at the end. */
void page_row_sum(page *p);
void page_table_end(page *p);

#endif
