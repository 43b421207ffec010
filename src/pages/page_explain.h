/* src/pages/page_explain.h - what bounds the kernels of a run, what would help,
 * and their code, as a page. */
#ifndef PAGES_PAGE_EXPLAIN_H
#define PAGES_PAGE_EXPLAIN_H

#include "explain/explain.h"
#include "pages/page_words.h"

/* `w` NULL: parameters were not tried. The caller frees the page. */
page *page_explain(const explain *x, const what_if *w, const char *name,
                   const page_origin *from);

/* ---- For the files of this folder ---- */

enum { EXPLAIN_KERNELS = 8 }; /* told of in full */

/* Sizes and such of the k-th kernel, in a line. */
void page_explain_facts(page *p, const explain *x, size_t k);
/* The k-th kernel: units, memory, occupancy, waits. */
void page_explain_kernel(page *p, const explain *x, size_t k);
/* Dots of the kernels that are told of in full. */
void page_explain_roofs(page *p, const explain *x);
/* What would help. */
void page_explain_changes(page *p, const explain *x);
void page_explain_what_if(page *p, const what_if *w);

/* Its source, PTX and machine code. `room`: bytes that all kernels together
 * may still take; what does not fit is left out, and said. */
void page_explain_code(page *p, const explain *x, size_t k, size_t *room);
/* A link to a line of it, or, where it is not shown, the text alone. */
void page_explain_line(page *p, const explain *x, size_t k,
                       const look_line *line);

#endif
