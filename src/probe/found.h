/* src/probe/found.h - what probes find out: numbers with names, and curves.
 * Owns copies of all texts. */
#ifndef PROBE_FOUND_H
#define PROBE_FOUND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* A number, or a word where `word` is not NULL. */
typedef struct probe_value {
    const char *probe; /* that found it */
    const char *id;    /* "latency.fp32" */
    const char *what;  /* in words */
    const char *unit;
    double number;
    const char *word;
} probe_value;

/* Points of a curve. */
typedef struct probe_curve {
    const char *probe, *id, *what;
    const char *x_is, *y_is; /* with their units */
    const char *line;        /* of several in one figure; NULL: the only one */
    bool log_x;
    double *x, *y;
    size_t count, room;
} probe_curve;

/* Which pairs of registers conflict, the smaller one first. */
enum { PROBE_REGISTERS = 255 };
typedef bool probe_pairs[PROBE_REGISTERS][PROBE_REGISTERS];

typedef struct probe_found {
    arena *mem;
    const probe_pairs *conflicts; /* NULL: not found */
    unsigned registers;           /* of them */
    probe_value *values;
    size_t value_count, value_room;
    probe_curve *curves;
    size_t curve_count, curve_room;
} probe_found;

void probe_found_init(probe_found *f);
void probe_found_fini(probe_found *f);

void probe_found_number(probe_found *f, const char *probe, const char *id,
                        const char *what, const char *unit, double number);
void probe_found_word(probe_found *f, const char *probe, const char *id,
                      const char *what, const char *word);
/* NULL: not found (yet). */
const probe_value *probe_found_get(const probe_found *f, const char *id);

void probe_found_matrix(probe_found *f, unsigned registers,
                        const probe_pairs conflicts);

/* The number of a new curve, whose points follow. */
size_t probe_found_curve(probe_found *f, const probe_curve *like);
void probe_found_point(probe_found *f, size_t curve, double x, double y);

#endif
