/* src/codegen/lower/lower.h - from PTX instructions to operations on virtual
 * registers: a kernel and what it calls. */
#ifndef CODEGEN_LOWER_LOWER_H
#define CODEGEN_LOWER_LOWER_H

#include "codegen/lower/parts.h"

/* Compiles the body of `fn` into `f`, and the functions it calls into parts
 * of their own. */
void lower_kernel(cg_unit *u, const ptx_func *fn, cg_func *f, isa_kernel *k,
                  lo_parts *parts);

/* Does the run-time perform the function of that name? */
bool lower_is_service(const char *name);

#endif
