/* src/trace/codes.h - the code of launches that are traced together, as if it
 * were that of one kernel: events name instructions by their place in it. Owns
 * a copy of the code; borrows the kernels. */
#ifndef TRACE_CODES_H
#define TRACE_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/program.h"

typedef struct trace_code {
    const isa_kernel *kernel;
    uint32_t first; /* of its instructions */
} trace_code;

typedef struct trace_codes {
    isa_kernel kernel; /* "a + b", nothing of it but its code */
    trace_code *code;
    size_t count;
} trace_codes;

/* Of kernels of one program. Returns where its instructions begin. */
uint32_t trace_codes_add(trace_codes *c, const isa_kernel *k);
void trace_codes_fini(trace_codes *c);

#endif
