/* src/ptx/print_inst.h - one operand as text, for print_module.c. */
#ifndef PTX_PRINT_INST_H
#define PTX_PRINT_INST_H

#include "ptx/ptx.h"

void print_operand(const ptx_func *f, const ptx_operand *o, strbuf *to);

#endif
