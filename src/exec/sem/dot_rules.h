/* src/exec/sem/dot_rules.h - how the tensor cores of a generation sum. Pure. */
#ifndef EXEC_SEM_DOT_RULES_H
#define EXEC_SEM_DOT_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

/* Elements of factors. */
typedef enum dot_form {
    DOT_F16,
    DOT_BF16,
    DOT_TF32,
    DOT_E4M3,
    DOT_E5M2,
    DOT_FORMS
} dot_form;

typedef struct dot_rules {
    uint8_t block; /* products summed before a rounding */
    int8_t extra;  /* bits kept below those of a float; fewer, if negative */
    bool half;     /* results are halves */
    bool exact;    /* one rounding to nearest of the exact sum */
    int16_t floor; /* least exponent that is aligned to */
} dot_rules;

/* Those for factors `form`. `chosen`: what the configuration says; `own`: the
 * generation of the instruction, where that is to decide. A generation without
 * such factors sums them as the first that has them. */
const dot_rules *dot_rules_of(cfg_numerics chosen, cfg_numerics own,
                              dot_form form, bool half);

/* The sum of n finite numbers, each with at most 53 digits and none below
 * 2^-300, rounded once to a float, or to a half's value; others count as 0. */
float dot_exact(const double *term, unsigned n, bool half);

#endif
