/* src/asm/inst.h - one instruction of assembly text. */
#ifndef ASM_INST_H
#define ASM_INST_H

#include "asm/parser.h"

/* The instruction at the current token, finished and checked. False: an error
 * was reported. */
bool asm_inst(asm_parser *a, isa_inst *in);

#endif
