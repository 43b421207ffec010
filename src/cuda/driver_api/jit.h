/* src/cuda/driver_api/jit.h - options of the compiler, as programs give them:
 * two lists, of which values are written, too. */
#ifndef CUDA_DRIVER_API_JIT_H
#define CUDA_DRIVER_API_JIT_H

#include "base/diag.h"
#include "cuda/door.h"

typedef struct jit_options {
    unsigned count;
    const int *what;
    void **value;
} jit_options;

/* Are the lists there? With the lock. */
cudaError_t jit_check(const jit_options *opt);
/* How many registers a thread may have; 0: any number. */
unsigned jit_registers(const jit_options *opt);
/* Writes messages into the logs that the options name: errors into one, all
 * others into the other. */
void jit_log(const jit_options *opt, const diag *dg);

#endif
