/* src/page/impl.h - what a page is made of, for the files of this folder. */
#ifndef PAGE_IMPL_H
#define PAGE_IMPL_H

#include <stdbool.h>

#include "page/page.h"
#include "text/html.h"

struct page {
    char *title;
    strbuf body, contents;
    size_t head_size; /* of the body: before the table of contents */
    unsigned sections, ids;
    bool in_part, in_section;
    bool contents_nested;
    bool has_series, has_waterfall, has_code, has_timeline, is_live;
    size_t columns, column; /* of the open table */
    bool *numbers;          /* of its columns */
    const char *row_class;
    char row_place[64]; /* "": none */
};

/* Appends to the body; the text may hold markup. */
void page_raw(page *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends to the body, escaped. */
void page_text(page *p, const char *text);
void page_textv(page *p, const char *fmt, va_list ap);
/* Between them stands the markup of the next cell of the open table. */
void page_markup_cell(page *p);
void page_markup_cell_end(page *p);

#endif
