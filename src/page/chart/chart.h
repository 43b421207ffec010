/* src/page/chart/chart.h - charts as SVG. Their widths follow the page:
 * horizontal places are percentages, texts keep their size. Each is a figure
 * with its title, a sentence for readers who do not see it, and a table of its
 * numbers behind it. Colours are numbers of a palette that can be told apart
 * without seeing red or green; from 8 on they come again, hatched, from 16 on
 * hatched the other way. */
#ifndef PAGE_CHART_CHART_H
#define PAGE_CHART_CHART_H

#include <stdint.h>

#include "page/page.h"
#include "text/word.h"

/* A value as a text: word_joules, ... */
typedef word chart_word(double);

typedef struct chart_title {
    const char *title;
    const char *about; /* what is to be seen, in a sentence */
    const char *file;  /* of the table behind, without .csv */
    const char *rows;  /* what a row of it is: "workload"; NULL: "name" */
} chart_title;

/* ---- Horizontal bars ---- */

typedef struct bars_row {
    const char *name;
    const double *values; /* of each series; NAN: none */
    const char *why;      /* there are none; NULL: there are */
    bool sum;             /* a mean of the others: set off */
} bars_row;

typedef struct bars {
    chart_title is;
    const char *const *series;
    size_t series_count;
    const bars_row *rows;
    size_t count;
    bool ratio;               /* from 1, logarithmic; else from 0 */
    const char *left, *right; /* what lies there: "slower"; NULL: nothing */
    chart_word *show;
    unsigned colour; /* of the first series */
    double full;     /* the axis goes up to that, at least; 0: as values need */
} bars;

void chart_bars(page *p, const bars *b);

/* ---- Stacked bars ---- */

typedef struct stack_bar {
    const char *name;
    const double *parts; /* of each part; 1 is the whole of a base */
} stack_bar;

typedef struct stack_group {
    const char *name;
    const stack_bar *bars;
    size_t count;
} stack_group;

typedef struct stack {
    chart_title is;
    const char *const *parts;
    size_t part_count;
    bool first; /* the first part stays the first; others come by size */
    /* Of each part, so that it looks the same in all charts; NULL: by size. */
    unsigned (*colour)(const char *part);
    const stack_group *groups;
    size_t count;
} stack;

void chart_stack(page *p, const stack *s);

/* ---- Points ---- */

typedef struct scatter_point {
    const char *name;
    const char *mark; /* for the name if not all names have room; or NULL */
    double x, y;
    bool front; /* of the Pareto front */
    bool base;  /* with a ring, which nothing hides */
    unsigned colour;
} scatter_point;

typedef struct scatter {
    chart_title is;
    const char *x, *y; /* labels of the axes, with units */
    bool x_less;       /* less of x is better */
    bool y_less;
    bool
        apart; /* the front has other goals, too: no lines between its points */
    const scatter_point *points;
    size_t count;
    chart_word *x_show, *y_show;
} scatter;

void chart_scatter(page *p, const scatter *s);

/* ---- What agrees with what ---- */

typedef struct agree_point {
    const char *name;
    double x, y; /* above 0 */
    size_t kind; /* its colour and shape */
} agree_point;

/* Both axes are logarithmic and the same; with the diagonal, and bands of 10
 * and 25 % around it. */
typedef struct agree {
    chart_title is;
    const char *x, *y;     /* labels of the axes: x is what is true */
    const char *kinds_are; /* "class" */
    const char *const *kinds;
    size_t kind_count;
    const agree_point *points;
    size_t count;
    chart_word *show;
} agree;

void chart_agree(page *p, const agree *a);

/* ---- Heat map ---- */

typedef struct heat {
    chart_title is;
    const char *rows_are, *columns_are; /* "l1.ways" */
    const char *const *rows, *const *columns;
    size_t row_count, column_count;
    const double *values; /* row by row; NAN: none */
    bool ratio;           /* colours from 1 to both sides; else from least */
    chart_word *show;
} heat;

void chart_heat(page *p, const heat *h);

/* ---- Many rows over time ---- */

typedef struct field_panel {
    const char *name;     /* "" if there is only one */
    const double *values; /* row by row, columns as long as each other */
    double end;           /* of its time; nothing is there afterwards */
} field_panel;

/* Panels of the same rows and the same time, one below the other. */
typedef struct field {
    chart_title is;
    const char *rows_are; /* "SM"; they are numbered */
    size_t rows, columns;
    const field_panel *panels;
    size_t count;
    double most;        /* the value of the full colour */
    const char *unit;   /* of the values: "warps" */
    double end;         /* of the last column */
    const char *x_unit; /* of it: "cycles" */
} field;

void chart_field(page *p, const field *f);

/* ---- Distributions ---- */

typedef struct hist_bin {
    double lo, hi; /* values from lo to below hi; INFINITY: no end */
    uint64_t n;    /* not 0 */
} hist_bin;

typedef struct hist_row {
    const char *name;
    const hist_bin *bins; /* by value */
    size_t count;
} hist_row;

typedef struct hists {
    chart_title is;
    const char *unit; /* of the values */
    const hist_row *rows;
    size_t count;
} hists;

void chart_hists(page *p, const hists *h);

/* ---- Values over time ---- */

typedef enum plot_scale {
    PLOT_EVEN,
    PLOT_SIZES, /* logarithmic; 1024 is 1 K */
    PLOT_CODES  /* numbers as 0x20 */
} plot_scale;

typedef struct plot {
    chart_title is;
    const char *x_unit; /* NULL: cycles */
    plot_scale scale;   /* of x */
    const char *unit;
    const double *x; /* rising */
    size_t points;
    const char *const *names;
    const double *const *y;  /* of each name; NAN: none */
    const unsigned *colours; /* of each name; NULL: from 0 on */
    const bool *points_only; /* of each name, no line; NULL: lines all */
    size_t count;
} plot;

/* The only chart that the script draws: the page carries uPlot then. */
void chart_series(page *p, const plot *s);

/* A small line as the next cell of a table; `about` describes it. */
void chart_spark(page *p, const double *values, size_t count,
                 const char *about);

/* ---- Warps over cycles ---- */

typedef struct waterfall {
    chart_title is;
    const char *data; /* in the format of src/page/waterfall.js */
    /* What the reasons in it mean, and their colours. */
    const char *const *names, *const *meanings;
    const unsigned *colours;
    size_t count;
} waterfall;

/* Drawn by a script of its own, which the page carries then. */
void chart_waterfall(page *p, const waterfall *w);

/* ---- Roofs ---- */

typedef struct roof {
    const char *name;
    double peak;     /* of y, or of y over x */
    unsigned colour; /* of what lies under it */
} roof;

typedef struct roofline_point {
    const char *name, *of; /* "saxpy, FP32", "DRAM" */
    double x, y;           /* above 0 */
    double roof;           /* the least over it */
    unsigned colour;
} roofline_point;

/* Both axes are logarithmic. `slopes` rise by 1, `flats` are level. */
typedef struct roofline {
    chart_title is;
    const char *x, *y;
    const roof *slopes, *flats;
    size_t slope_count, flat_count;
    const roofline_point *points;
    size_t count;
    chart_word *x_show, *y_show;
} roofline;

void chart_roofline(page *p, const roofline *r);

/* ---- What flows from one thing to another ---- */

typedef struct flow_box {
    const char *name, *about;
    double x, width; /* percent */
    unsigned row;    /* from the top */
    double busy;     /* share; NAN: unknown */
} flow_box;

/* From a row to the next one. */
typedef struct flow_arrow {
    const char *name, *about; /* what moves: "12.3 MB", "4.5 % of peak" */
    double x;                 /* percent */
    unsigned row;
    bool up, down;
    double share; /* of what could: its width and colour; NAN: unknown */
} flow_arrow;

typedef struct flow {
    chart_title is;
    const flow_box *boxes;
    const flow_arrow *arrows;
    size_t box_count, arrow_count;
} flow;

/* Behind it stands what page_table to page_table_end makes, then chart_end. */
void chart_flow(page *p, const flow *f);

/* ---- Steps ---- */

typedef struct stairs {
    chart_title is;
    const char *x, *y;
    const double *at, *values; /* at is rising; values stay to the next one */
    size_t count;
    double now; /* of x, marked */
    chart_word *x_show;
} stairs;

void chart_steps(page *p, const stairs *s);

/* ---- Shared by the files of this folder (chart.c) ---- */

/* Opens the figure: title, sentence, and, if there are several, a legend with
 * `count` names from colour `first` on. */
void chart_begin(page *p, const chart_title *t, const char *const *names,
                 size_t count, unsigned first);
const char *chart_rows(const chart_title *t);
/* An entry of a legend. */
void chart_key(page *p, const char *name, unsigned colour);
/* Behind what was drawn stands a table: page_table to page_table_end. */
void chart_behind(page *p);
void chart_end(page *p);
/* An area in a colour, with its title for pointers; in percent and pixels. */
void chart_box(page *p, double x, double width, unsigned y, unsigned height,
               unsigned colour, const char *title);

enum {
    CHART_COLOURS = 8,
    CHART_FAINT = 98, /* of a waterfall: nothing to worry about */
    CHART_REST = 99   /* what is left over: grey */
};

#endif
