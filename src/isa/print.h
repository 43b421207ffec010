/* src/isa/print.h - instructions as text, which src/asm reads back.
 * Owns and borrows nothing.
 *
 *   [B0-----:R-:W1:Y:S04] @!P0 FFMA.FTZ R0, -R1, |R2|, c[0x0][0x160]
 *
 * Control information stands in front. Volta and later, as in the listing
 * above: B, the scoreboards waited for; R and W, those released when the
 * sources are read and the destination is written; Y for yield; S and the
 * cycles to the next issue; R1.reuse at a source keeps it for the next
 * instruction. Kepler: {0x25}, the 8-bit code. */
#ifndef ISA_PRINT_H
#define ISA_PRINT_H

#include "base/strbuf.h"
#include "isa/isa.h"

/* Appends the name of a branch target. */
typedef void isa_label(void *arg, uint32_t target, strbuf *b);

/* Appends `in`, which is well formed, without a newline. `label` NULL: branch
 * targets are instruction numbers. */
void isa_print(const isa_inst *in, isa_arch arch, strbuf *b, isa_label *label,
               void *arg);

/* The mnemonic with its modifiers. */
void isa_print_mnemonic(const isa_inst *in, strbuf *b);

#endif
