/* src/isa/check.h - what makes an instruction well formed, with the operand
 * at fault. Owns and borrows nothing. */
#ifndef ISA_CHECK_H
#define ISA_CHECK_H

#include "isa/isa.h"

/* As isa_check; *operand is the number of the operand at fault (order of
 * isa_operands), -1 for the instruction as a whole. */
const char *isa_check_operand(const isa_inst *in, isa_arch arch, int *operand);

/* Of an operation with ATOMOP and ATYPE: do these go together? */
const char *isa_check_atomic(const isa_inst *in);

#endif
