/* src/asm/asm.h - assembler and disassembler of whole programs.
 * docs/asm.md describes the language. Owns nothing. */
#ifndef ASM_ASM_H
#define ASM_ASM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/source.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "isa/program.h"

/* Assembles `text`, which need not be NUL-terminated and is not needed
 * afterwards. ST_PROGRAM: `dg` has all errors of the file and *out is
 * untouched. On ST_OK the caller owns *out. */
status asm_parse(const char *file, const char *text, size_t size, diag *dg,
                 isa_program **out);

typedef struct asm_print_options {
    bool address;           /* comment: where the instruction lies */
    bool encoding;          /* comment: its bytes in an object file */
    const sources *sources; /* of the program's files; comments quote lines */
} asm_print_options;

/* Appends text that asm_parse accepts and turns into the same program. `p`
 * passes isa_program_check. `options` NULL: none. */
void asm_print(const isa_program *p, strbuf *b,
               const asm_print_options *options);

/* One kernel of it. */
void asm_print_kernel(const isa_program *p, const isa_kernel *k, strbuf *b,
                      const asm_print_options *options);

#endif
