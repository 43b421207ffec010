/* src/pages/page_words.h - what the pages of results have in common: numbers
 * and names as people write them. */
#ifndef PAGES_PAGE_WORDS_H
#define PAGES_PAGE_WORDS_H

#include "base/strbuf.h"
#include "compare/compare.h"
#include "page/chart/chart.h"
#include "page/page.h"

/* Where results come from; NULL: not shown. */
typedef struct page_origin {
    const char *command; /* line that makes them again */
    const char *date, *host, *version, *build;
} page_origin;

/* What the base is called in a sentence. */
const char *words_base(const compare *c);

word words_times(double ratio);  /* "1.444 x" */
word words_ratio(double ratio);  /* "1.44", for small places */
word words_change(double share); /* "+12.3 %" */
/* What a slot is lost for: the name, and what it means. */
const char *words_stall(const char *name);

/* Colours of reasons and of parts of energy, the same on all pages. */
unsigned words_stall_colour(const char *name);
unsigned words_part_colour(const char *name);

/* The machines' configurations: what differs between them, then all of the
 * first. */
void words_config_diff(page *p, const measure_side *sides, size_t count);
void words_origin(page *p, const page_origin *from);

/* The lines of what a program wrote last, each a line of its own behind a bar.
 */
void words_tail(strbuf *to, const char *tail);
/* Where kernels were outside of what was allocated, which that says; nothing if
 * it is empty. */
void words_outside(page *p, const strbuf *text);

#endif
