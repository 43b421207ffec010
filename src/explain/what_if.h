/* src/explain/what_if.h - every parameter of the machine by itself, changed to
 * what else it could be: numbers twice and half, flags the other way, choices
 * each other one. What breaks a rule between parameters is left out. */
#ifndef EXPLAIN_WHAT_IF_H
#define EXPLAIN_WHAT_IF_H

#include <stdio.h>

#include "base/arena.h"
#include "config/config.h"
#include "study/measure.h"
#include "text/json.h"

typedef struct what_if_change {
    const char *set;        /* "l1.mshrs=128" */
    const char *from;       /* "64" */
    const measure_run *run; /* of the caller; NULL: not simulated */
    double gain;            /* times as fast; 0: it has none */
} what_if_change;

typedef struct what_if {
    what_if_change *change;
    size_t count;
    size_t same;   /* after what_if_finish: those that change no cycle */
    size_t failed; /* those without a result */
} what_if;

/* All changes of `c` that can move cycles: not of energy, limits of the API or
 * the host. */
what_if what_if_list(const config *c, arena *mem);

/* Gains, the largest first. */
void what_if_finish(what_if *w, const measure_run *base);

/* The `rows` that gain most, and as many that cost most. */
void what_if_text(const what_if *w, size_t rows, FILE *to);
/* The member "what_if" of an object that is open. */
void what_if_json(const what_if *w, json *j);

#endif
