/* src/sass/translate.h - machine code of real GPUs to instruction records. */
#ifndef SASS_TRANSLATE_H
#define SASS_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "isa/isa.h"

/* Machine code of `bytes` at `text` (16 bytes an instruction) for capability
 * `sm` (70, 75, 80, 86, 89, 90): out[i] is instruction i. False: `unknown`
 * lists, a line each, address, words and opcode of all that cannot be executed.
 * Branch targets are instruction indices relative to `text`; targets of
 * relocated instructions are patched before. */
bool sass_translate(unsigned sm, const void *text, size_t bytes, isa_inst *out,
                    strbuf *unknown);

#endif
