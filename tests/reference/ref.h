/* tests/reference/ref.h - a direct interpreter of PTX: what the manual says of
 * each instruction, one thread at a time, slow and obvious. Independent of the
 * compiler and of src/exec: of the simulator it uses only the parser and its
 * module. Floating point is exact arithmetic rounded once (tests/hardware/
 * number.h).
 *
 * Threads of a CTA run in turn until they wait for others or have run long
 * enough; CTAs run one after the other. A program whose result depends on the
 * order of its threads may give another one elsewhere.
 *
 * A ref owns the variables of the module, borrows the module and all memory
 * that is mapped. */
#ifndef REFERENCE_REF_H
#define REFERENCE_REF_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"

/* Generic addresses of shared and local memory, as offsets in windows. */
#define REF_SHARED_WINDOW 0x100000000ull
#define REF_LOCAL_WINDOW  0x200000000ull
#define REF_CONST_WINDOW  0x300000000ull
#define REF_WINDOW_BYTES  0x01000000ull
/* Where variables of the module lie that ref_place does not name. */
#define REF_GLOBAL_BASE 0x400000000ull
/* What a pointer to a function holds: this plus its number. */
#define REF_FUNC_BASE 0x500000000ull

typedef struct ref ref;

typedef struct ref_launch {
    const char *kernel; /* NULL: the first of the module */
    uint32_t grid[3], cta[3];
    uint32_t dynamic;   /* bytes of shared memory besides the declared */
    uint32_t env[4];    /* %envreg0 to 3 */
    const void *params; /* laid out with natural alignment */
    uint64_t max_steps; /* of all threads; 0: none */
    bool strict;        /* reading a register never written is a failure */
} ref_launch;

/* NULL if memory runs out. */
ref *ref_new(const ptx_module *m);
void ref_free(ref *r); /* NULL is fine */

/* [addr, addr + size) of global memory is `bytes`. */
void ref_map(ref *r, uint64_t addr, void *bytes, uint64_t size);

/* The variable `name` lies at `addr` from now on. False: there is none. */
bool ref_place(ref *r, const char *name, uint64_t addr);
/* Contents of a variable, NULL if there is none. */
uint8_t *ref_variable(ref *r, const char *name, uint64_t *size);

/* False: ref_error says why and where. */
bool ref_run(ref *r, const ref_launch *l);
const char *ref_error(const ref *r);

/* Instructions that threads have executed. */
uint64_t ref_steps(const ref *r);

#endif
