/* src/suite/suite_judge.h - is what a program wrote what its suite expects? */
#ifndef SUITE_SUITE_JUDGE_H
#define SUITE_SUITE_JUDGE_H

#include "suite/suite.h"

typedef struct suite_output {
    const char *text;
    size_t size;
} suite_output;

/* NULL if it is, otherwise the first difference, in the arena. Files that it
 * made lie in `folder` unless their names begin with a slash. */
const char *suite_judge(const suite_expect *x, suite_output out,
                        suite_output err, const char *folder,
                        const suite_values *v, arena *mem);

#endif
