/* src/study/formula.h - a figure that a user defines: "cycles", "sm[*].issued /
 * sm[*].slots", "1e9 * energy / insts". Numbers, names, + - * / and
 * parentheses. A name is a letter and letters, digits, '_', '.' and what stands
 * in brackets: so "sm[*].issued" is one; so is a name that has one in
 * parentheses behind it, "mean(sm[*].l1.miss_cycles)". Owns nothing: lives in
 * an arena. */
#ifndef STUDY_FORMULA_H
#define STUDY_FORMULA_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

typedef struct formula formula;

/* ST_USAGE: one error, which shows where, is in `dg`. */
status formula_parse(const char *text, arena *mem, diag *dg, formula **out);

/* The different names in it, in order. */
size_t formula_count(const formula *f);
const char *formula_name(const formula *f, size_t i);

/* With the values of the names; a division by 0 is NAN. */
double formula_value(const formula *f, const double *values);

#endif
