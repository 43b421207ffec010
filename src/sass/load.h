/* src/sass/load.h - a cubin as a program of instruction records: kernels with
 * their constant banks, variables, what is patched at load. Owns nothing. */
#ifndef SASS_LOAD_H
#define SASS_LOAD_H

#include "base/diag.h"
#include "base/status.h"
#include "isa/program.h"

typedef struct sass_load_options {
    unsigned capability; /* of the GPU, times ten; 0: any */
    const char *gpu;     /* its name, for messages */
    bool partial;        /* kernels that cannot run are left out, with
                            warnings, not refused */
} sass_load_options;

/* Is machine code of that compute capability, times ten, known at all? */
bool sass_runs(unsigned capability);

/* `data` is not needed afterwards. ST_PROGRAM: all errors are in `dg`, and *out
 * is untouched. */
status sass_load(const char *file, const void *data, size_t size,
                 const sass_load_options *opt, diag *dg, isa_program **out);

#endif
