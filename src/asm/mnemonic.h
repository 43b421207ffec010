/* src/asm/mnemonic.h - operation and modifiers out of a mnemonic. */
#ifndef ASM_MNEMONIC_H
#define ASM_MNEMONIC_H

#include "asm/parser.h"

/* Sets op and mod of *in, which is otherwise isa_new. False: an error was
 * reported. */
bool asm_mnemonic(asm_parser *a, const asm_token *t, isa_inst *in);

#endif
