/* src/exec/atom.h - what one atomic operation does to one value. */
#ifndef EXEC_ATOM_H
#define EXEC_ATOM_H

#include <stdint.h>

#include "isa/isa.h"

/* The value that replaces `old`; operands in the low bits. `flush`: denormals
 * of F32 additions become zero, as in global memory [PTX85:atom]. */
uint64_t exec_atom_apply(unsigned op, unsigned type, uint64_t old, uint64_t a,
                         uint64_t b, bool flush);

unsigned exec_atom_bytes(unsigned type); /* of a value, from isa_atype */

#endif
