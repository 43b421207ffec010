/* src/sass/translate.h - machine code to instructions that can be executed. */
#ifndef SASS_TRANSLATE_H
#define SASS_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "isa/isa.h"

/* The family whose machine runs code for capability `sm`, 70 to 90: from 7.5
 * on it has the uniform datapath. */
static inline isa_arch sass_arch(unsigned sm)
{
    return sm < 75 ? ARCH_VOLTA : sm < 90 ? ARCH_AMPERE : ARCH_HOPPER;
}

/* Machine code of `bytes` at `text`, 16 bytes an instruction, for capability
 * `sm` (70, 75, 80, 86, 89, 90): out[i] is instruction i, and jumps name
 * instructions counted from `text`. False: `unknown` has a line for each that
 * cannot be executed: its address, its words, its opcode, and what it is. */
bool sass_translate(unsigned sm, const void *text, size_t bytes, isa_inst *out,
                    strbuf *unknown);

/* Appends a listing line by line is cli's: this is one instruction at the byte
 * address `address`, with "?" and its opcode where it is not known. */
void sass_print(unsigned sm, uint64_t address, const void *words, strbuf *out);

#endif
