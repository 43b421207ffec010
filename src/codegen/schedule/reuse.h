/* src/codegen/schedule/reuse.h - reuse bits of Volta, in the final order. */
#ifndef CODEGEN_SCHEDULE_REUSE_H
#define CODEGEN_SCHEDULE_REUSE_H

#include "isa/program.h"

/* Sets the reuse bits of the basic block code[0 .. n - 1]: a source is kept for
 * the next instruction that asks for its bank and operand slot if that is for
 * the same register and nothing writes this in between
 * [HUERTA:register-file-cache]. So a machine never takes an old value, whatever
 * other warps do in between. */
void cg_reuse(isa_inst *code, uint32_t n);

#endif
