/* src/pages/page_compare.h - a comparison as a page for people. */
#ifndef PAGES_PAGE_COMPARE_H
#define PAGES_PAGE_COMPARE_H

#include "pages/page_run.h"

/* Appends to `p`; `c` is finished, and the `nth` of those that the
 * study holds: single launches and power come from there. `y` NULL: it is
 * nowhere. What is wrong with the file is in y->dg. */
void page_compare(page *p, const compare *c, const page_origin *from,
                  const page_study *y, size_t nth);
/* The title of the page of a lone comparison, and the line below. */
const char *page_compare_title(const compare *c);
const char *page_compare_about(const compare *c);

/* ---- For the files of this folder ---- */

void page_compare_summary(page *p, const compare *c, const page_origin *from);
void page_compare_variants(page *p, const compare *c);
void page_compare_traffic(page *p, const compare *c);
void page_compare_view(page *p, const compare *c);   /* study/view.h, if any */
void page_compare_energy(page *p, const compare *c); /* by part */
void page_compare_part(page *p, const compare *c);   /* compare.part, if any */
void page_compare_cost(page *p, const compare *c);
void page_compare_tables(page *p, const compare *c);

/* Points of a study: from one to before another. */
typedef struct page_points {
    int64_t first, end;
} page_points;

void page_compare_launches(page *p, const compare *c, const page_study *y,
                           page_points at);
void page_compare_power(page *p, const compare *c, const page_study *y,
                        page_points at);
/* Resident warps of all SMs over time, if they were sampled. */
void page_compare_warps(page *p, const compare *c, const page_study *y,
                        page_points at);

#endif
