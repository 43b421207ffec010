/* src/validate/truth.h - truth: what was measured on real devices, row by row,
 * and how to run the same here. Read from a YAML file, whose programs are
 * described as in suites; docs/validate.md describes it. Plain data, owned
 * through its arena. */
#ifndef VALIDATE_TRUTH_H
#define VALIDATE_TRUTH_H

#include "study/formula.h"
#include "suite/suite.h"

/* Is the input that of the measurement? */
#define TRUTH_INPUTS(X)                                                        \
    X(SAME, "same")       /* counters of the source agree, or there is none */ \
    X(LIKELY, "likely")   /* made as its description says */                   \
    X(UNKNOWN, "unknown") /* nothing is known */

typedef enum truth_input {
#define INPUT(id, text) TRUTH_##id,
    TRUTH_INPUTS(INPUT)
#undef INPUT
        TRUTH_INPUT_COUNT
} truth_input;

const char *truth_input_text(truth_input i);

/* Halves of a file's rows, where it says `halves: true`: parameters may be
 * fitted to those of the first, the second only reports. The rule is
 * truth_half_of; it knows nothing of values. */
#define TRUTH_HALVES(X)                                                        \
    X(NONE, "-") /* the file has no halves */                                  \
    X(TUNING, "tuning")                                                        \
    X(REPORTING, "reporting")

typedef enum truth_half {
#define HALF(id, text) TRUTH_HALF_##id,
    TRUTH_HALVES(HALF)
#undef HALF
        TRUTH_HALF_COUNT
} truth_half;

const char *truth_half_text(truth_half h);
/* By the lowest bit of hash_bytes of the row's name, seeded with that of the
 * file's name: docs/validate.md has the rule. */
truth_half truth_half_of(const char *file, const char *row);

/* What another simulator says of a row. */
typedef struct truth_other {
    const char *name;
    double value;
} truth_other;

typedef struct truth_row {
    const char *name;
    const char *gpu; /* preset or file */
    /* What is run: one of three. */
    const suite_program *program;
    const char *launch_file; /* path */
    const char *probe;       /* name; `metric` is that of its value */
    const char *kernel;      /* with the wildcards of shells; NULL: all */
    const char *metric;      /* a formula over figures and counters */
    const char *prints;      /* ours is the number behind that, at the start of
                                a line that the program prints; NULL: none */
    const formula *formula;  /* NULL: of a probe, or of what is printed */
    const char *unit;
    double value; /* of the device, above 0 */
    double scale; /* ours times that is in the unit */
    const char *source, *class;
    truth_input input;
    bool fitted; /* a parameter was fitted to it */
    truth_half half;
    truth_other *others;
    size_t other_count;
} truth_row;

typedef struct truth {
    arena *mem;
    const char *path, *name, *about;
    const char *device; /* that was measured, "" if it is not told */
    suite *suite;       /* its programs; may be none */
    truth_row *rows;
    size_t count;
} truth;

/* What {programs} and {inputs} stand for; borrowed. */
typedef struct truth_places {
    const char *programs, *inputs;
} truth_places;

/* Reads a file. On ST_OK the caller frees *out; otherwise errors with their
 * places are in `dg`. */
status truth_read(const char *path, const truth_places *where, diag *dg,
                  truth **out);
/* The same of a text; `path` names it. */
status truth_read_text(const char *path, const char *text, size_t size,
                       const truth_places *where, diag *dg, truth **out);
void truth_free(truth *t); /* NULL is fine */

typedef struct truth_list {
    truth **list;
    size_t count, room;
} truth_list;

/* Adds the file `path`, or all files NAME.yaml of that folder, by name. */
status truth_list_add(truth_list *l, const char *path,
                      const truth_places *where, diag *dg);
void truth_list_fini(truth_list *l);

/* ---- Figures of a metric ---- */

/* Is it one that there is, of all kernels or of a single one? */
bool truth_figure_known(const char *name, bool of_kernel);

#endif
