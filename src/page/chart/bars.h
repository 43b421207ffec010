/* src/page/chart/bars.h - what chart_bars.c and chart_strip.c share. */
#ifndef PAGE_CHART_BARS_H
#define PAGE_CHART_BARS_H

#include "page/chart/chart.h"
#include "page/chart/scale.h"

/* The lines at the ticks, behind a row. */
void bars_grid(page *p, const scale *s);
/* Row `row` as marks (chart_strip.c): its drawing and what stands for its
 * values. There are at least two series. */
void bars_strip(page *p, const bars *b, const scale *s, size_t row);

#endif
