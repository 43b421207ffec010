/* src/codegen/codegen.h - the compiler from PTX to machine code.
 * Borrows the module; the program it makes copies what it keeps. */
#ifndef CODEGEN_CODEGEN_H
#define CODEGEN_CODEGEN_H

#include "base/diag.h"
#include "base/source.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "codegen/ir/options.h"
#include "isa/program.h"
#include "ptx/ptx.h"

/* Everything that cannot be translated is reported to `dg`, all of it at
 * once; then, ST_PROGRAM. On ST_OK the caller owns *out; otherwise *out is
 * untouched. */
status cg_compile(const ptx_module *m, const cg_options *opt, diag *dg,
                  isa_program **out);

/* Appends a listing: figures of each kernel, then its machine code, with the
 * source lines between, if available (`from` may be NULL). */
void cg_list(const isa_program *p, const sources *from, strbuf *to);

/* Does the run-time perform the function of that name? */
bool cg_is_service(const char *name);

#endif
