/* src/validate/kernel_label.h - kernels by the names that profilers print:
 * "scan", "void ns::scan<float, (int)256>(float*, int)", "_Z4scanIfEvPT_". */
#ifndef VALIDATE_KERNEL_LABEL_H
#define VALIDATE_KERNEL_LABEL_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct kernel_label {
    const char *name;      /* as it was printed */
    const char *base;      /* "scan" */
    const char *arguments; /* of its template, "<float,256>"; NULL: unknown or
                              none */
} kernel_label;

kernel_label kernel_label_of(const char *name, arena *mem);

/* May both be the same kernel? Arguments of templates are compared where both
 * have them. */
bool kernel_label_equal(const kernel_label *a, const kernel_label *b);

#endif
