/* tests/hardware/bench.h - runs forms on a simulated GPU. Owns device, module
 * and diagnostics; 256 KiB, so not for the stack. */
#ifndef HARDWARE_BENCH_H
#define HARDWARE_BENCH_H

#include "base/diag.h"
#include "form.h"
#include "runtime/runtime.h"

typedef struct bench {
    rt_device *d;
    diag *dg;
    rt_module *m;
    const isa_kernel *kernel;
    uint64_t at[4]; /* result and operands */
    hw_input in;
    uint64_t want[HW_VECTORS], got[HW_VECTORS];
} bench;

/* False: b->dg says why, if there is one. */
bool bench_start(bench *b, const char *preset);
void bench_end(bench *b);
/* Makes this form the one that runs. Each is a module of its own, so that one
 * that cannot be compiled does not hide the others. */
bool bench_load(bench *b, const hw_form *f, unsigned number);
bool bench_run(bench *b); /* from b->in to b->got */

#endif
