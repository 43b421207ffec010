/* src/asm/directive.h - statements that begin with a point. */
#ifndef ASM_DIRECTIVE_H
#define ASM_DIRECTIVE_H

#include "asm/parser.h"

/* The directive at the current token. False: an error was reported. */
bool asm_directive(asm_parser *a);

/* Finds what the file named before it defined it. */
void asm_resolve(asm_parser *a);

#endif
