/* src/trace/joint_code.h - the code of launches that are traced together, as if
 * it were that of one kernel: events name instructions by their place in it.
 * Owns a copy of the code; borrows the kernels. */
#ifndef TRACE_JOINT_CODE_H
#define TRACE_JOINT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/program.h"

typedef struct trace_code_part {
    const isa_kernel *kernel;
    uint32_t first; /* of its instructions */
} trace_code_part;

typedef struct trace_joint_code {
    isa_kernel kernel; /* "a + b", nothing of it but its code */
    trace_code_part *code;
    size_t count;
} trace_joint_code;

/* Of kernels of one program. Returns where its instructions begin. */
uint32_t trace_joint_code_add(trace_joint_code *c, const isa_kernel *k);
void trace_joint_code_fini(trace_joint_code *c);

#endif
