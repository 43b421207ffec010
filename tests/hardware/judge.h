/* tests/hardware/judge.h - compares results of a form from two sources. */
#ifndef HARDWARE_JUDGE_H
#define HARDWARE_JUDGE_H

#include "form.h"

typedef struct hw_verdict {
    unsigned equal;   /* bit by bit */
    unsigned payload; /* both NaN, of other bits */
    unsigned close;   /* approximations: within the bound */
    unsigned wrong;
    unsigned first; /* vector of the first wrong one */
    double ulp;     /* largest distance of two numbers, approximations */
} hw_verdict;

/* `got` against `want`, both HW_VECTORS results of `f`. */
hw_verdict hw_judge(const hw_form *f, const hw_input *in, const uint64_t *got,
                    const uint64_t *want);
/* What the reference says of all vectors. */
void hw_reference(const hw_form *f, const hw_input *in, uint64_t *want);
/* Of all results, NaNs made alike; for tables of results. */
uint64_t hw_hash(const hw_form *f, const uint64_t *got);

#endif
