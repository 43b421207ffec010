/* src/asm/data.h - initial values of variables, and constants of kernels. */
#ifndef ASM_DATA_H
#define ASM_DATA_H

#include "asm/parser.h"

/* .byte and so on: numbers of `bytes` each, up to the end of the line. */
bool asm_data_int(asm_parser *a, unsigned bytes);
bool asm_data_float(asm_parser *a, unsigned bytes);

/* .zero COUNT */
bool asm_data_zero(asm_parser *a, unsigned unused);

/* No more data for what the last statements filled. */
void asm_data_end(asm_parser *a);

#endif
