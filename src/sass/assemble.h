/* src/sass/assemble.h - machine code of real GPUs from text: what
 * sass_source writes, or people do (docs/machine-code.md#assembling). */
#ifndef SASS_ASSEMBLE_H
#define SASS_ASSEMBLE_H

#include "base/strbuf.h"
#include "isa/isa.h"
#include "sass/cubin.h"

/* Is it such text, by its first directive, .target? */
bool sass_is_source(const char *text, size_t size);

/* Gives the `count` instructions of a function control codes (isa_inst.ctl).
 * A basic block begins where `leader` says so; jumps by registers (BRX) go to
 * one of `places`. */
typedef void sass_coder(isa_arch arch, isa_inst *code, uint32_t count,
                        const bool *leader, const uint32_t *places,
                        uint32_t place_count);

/* Makes a cubin of it, in `mem`. `file` names it in messages; neither it nor
 * `text` is needed afterwards. Functions without any control codes get them by
 * `coder`; NULL: they are refused. ST_PROGRAM: errors are in `dg`, each with
 * its line. */
status sass_assemble(const char *file, const char *text, size_t size,
                     sass_coder *coder, arena *mem, diag *dg, cubin **out);

/* Appends the text that sass_assemble makes `c` of again: code with labels and
 * control codes, parameters, limits, variables and constants with what is
 * patched in them. Lines of source and attributes that only tools read are not
 * in it. An instruction that is unknown, or whose text does not say all of its
 * bits, is there as its words (.inst). */
void sass_source(const cubin *c, strbuf *out);

#endif
