/* src/isa/encode.h - instructions as bytes. Owns and borrows nothing. */
#ifndef ISA_ENCODE_H
#define ISA_ENCODE_H

#include "isa/isa.h"

enum { ISA_CODE_VERSION = 3, ISA_CODE_BYTES = 36 };

/* `in` is well formed (isa_check). */
void isa_encode(const isa_inst *in, uint8_t out[ISA_CODE_BYTES]);

/* NULL and *out, or a text saying what is wrong. Every byte string that is
 * accepted is what isa_encode makes of *out. */
const char *isa_decode(const uint8_t bytes[ISA_CODE_BYTES], isa_arch arch,
                       isa_inst *out);

#endif
