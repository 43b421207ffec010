/* src/gpu/dependent.h - programmatic dependent launches (exec/dependent.h) on
 * the whole chip: when all CTAs of a launch have let the next one begin, and
 * who goes on when a launch has ended. Between windows; for gpu.c. */
#ifndef GPU_DEPENDENT_H
#define GPU_DEPENDENT_H

#include <stdbool.h>

#include "isa/program.h"

struct gpu;

/* Does a CTA of the kernel let the next launch begin before it ends? */
bool gpu_lets_go(const isa_kernel *k);
/* A launch *n all of whose CTAs have, for the first time. */
bool gpu_find_let_go(struct gpu *g, unsigned *n);
/* Launch `n` has ended: what waits for that goes on. */
void gpu_free_dependents(struct gpu *g, unsigned n);

#endif
