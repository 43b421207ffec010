/* src/page/chart/axes.h - the axes of a plot of points or lines: a grid, and
 * what stands left of it and below. Between axes_open and axes_close stands
 * what is drawn. */
#ifndef PAGE_CHART_AXES_H
#define PAGE_CHART_AXES_H

#include "page/chart/chart.h"
#include "page/chart/scale.h"

typedef struct axes {
    scale x, y;
    const char *x_name, *y_name;
    const char *about; /* for readers who do not see it */
    const char *class_name;
    unsigned height; /* pixels */
} axes;

void axes_open(page *p, const axes *a);
void axes_close(page *p, const axes *a);
/* In percent from the left and from the top. */
double axes_x(const axes *a, double x);
double axes_y(const axes *a, double y);
/* A line between two points of it. */
void axes_line(page *p, const axes *a, const char *class_name, double x,
               double y, double to_x, double to_y);

#endif
