/* src/page/chart/chart_code.h - code side by side in several languages, each a
 * table of lines with what they cost. Lines with the same key belong together:
 * who points at one sees the others (src/page/code.js). Plain data. */
#ifndef PAGE_CHART_CHART_CODE_H
#define PAGE_CHART_CHART_CODE_H

#include "page/chart/chart.h"

enum { CODE_VALUES = 6 };

typedef struct code_row {
    unsigned key;        /* from 1, hottest first; 0: it belongs to none */
    uint32_t number;     /* of the line or instruction */
    bool nowhere;        /* it has no number */
    const char *text;    /* cut where it is very long */
    const char *begins;  /* the function that begins here; NULL: none */
    bool gap;            /* lines before it are left out */
    double slots, warps; /* shares; NAN: none are known */
    const char *stall;   /* NULL: none */
    double stalled;
    double value[CODE_VALUES]; /* NAN: none */
} code_row;

typedef struct code_pane {
    const char *title, *file; /* file: of its CSV, without .csv */
    const char *number;       /* what numbers are: "line" */
    bool plain;               /* nothing is known of what its lines cost */
    bool below;               /* the one before, not beside it */
    const code_row *rows;
    size_t count;
} code_pane;

typedef struct code_value {
    const char *name, *help;
    unsigned digits;
} code_value;

typedef struct code_view {
    chart_title is;
    unsigned id; /* of all views of the page; rows are #c<id>-<key> */
    const code_pane *panes; /* links go to the first one with the key */
    size_t count;
    code_value values[CODE_VALUES];
    size_t value_count;
} code_view;

/* Below that share of the slots a line is cold: stretches of them fold. */
#define CODE_COLD 0.002

void chart_code(page *p, const code_view *v);

#endif
