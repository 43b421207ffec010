/* src/sass/inst_text.h - machine code as text. */
#ifndef SASS_INST_TEXT_H
#define SASS_INST_TEXT_H

#include <stdint.h>

#include "base/strbuf.h"

/* Appends the instruction of 16 bytes at `words` for capability `sm`, which
 * lies at `address`, as the vendor's tools write it, without the semicolon. */
void sass_print(unsigned sm, uint64_t address, const void *words, strbuf *out);

#endif
