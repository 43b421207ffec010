/* src/asm/kernel.h - begin and end of a kernel, and what is computed when it
 * was not given. */
#ifndef ASM_KERNEL_H
#define ASM_KERNEL_H

#include "asm/parser.h"

/* `name` is the token behind .kernel; a->scope has the labels already. */
bool asm_kernel_begin(asm_parser *a, const asm_token *name);

/* Ends the kernel being read, if any. Reports what does not agree. */
void asm_kernel_end(asm_parser *a);

void asm_kernel_add(asm_parser *a, const isa_inst *in);

#endif
