/* src/validate/validate.h - rows of truth beside what was simulated, and how
 * well they agree: by class, by certainty of the input, of rows that parameters
 * were fitted to and others, and in all. Plain data, in an arena that the
 * caller owns; borrows the truth. */
#ifndef VALIDATE_VALIDATE_H
#define VALIDATE_VALIDATE_H

#include <stdio.h>

#include "probe/found.h"
#include "study/measure.h"
#include "validate/agreement.h"
#include "validate/truth.h"

typedef struct validate_row {
    const truth *of;
    const truth_row *is;
    double ours;     /* in the unit of the row; NAN: nothing */
    const char *why; /* there is nothing; NULL: there is */
} validate_row;

/* Rows that have something in common. */
typedef struct validate_score {
    const char *group, *name; /* "class", "compute" */
    const char *of;           /* another simulator; NULL: ours */
    size_t rows;              /* all of them, also those without a value */
    agreement is;             /* its worst is a number of validate.rows */
} validate_score;

typedef struct validate {
    arena *mem;
    validate_row *rows;
    size_t count;
    const char **notes; /* what was left out, and why */
    size_t note_count, note_room;
    bool interrupted;
    double seconds; /* of the host */
    size_t cached;  /* programs whose results came from the cache */

    /* Made by validate_finish. */
    size_t measured; /* rows with a value */
    validate_score *scores;
    size_t score_count;
} validate;

/* The value of a row of a program or launch file that was run. */
void validate_take_run(validate *v, validate_row *to, const measure_run *r);
/* That of a probe; `found` NULL: probes did not come to an end. */
void validate_take_probe(validate_row *to, const probe_found *found,
                         arena *mem);

void validate_note(validate *v, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Fills in the scores. */
void validate_finish(validate *v);
/* That of all rows. */
const validate_score *validate_all(const validate *v);

/* ours / theirs - 1; NAN: there is nothing. */
double validate_error(const validate_row *r);

/* ---- Output (validate_text.c, validate_data.c) ---- */

void validate_text(const validate *v, unsigned width, FILE *to);
void validate_json(const validate *v, FILE *to);
/* A line for each row. */
void validate_csv(const validate *v, FILE *to);

#endif
