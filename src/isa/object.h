/* src/isa/object.h - whole programs as files (.hobj).
 *
 * A header of 32 bytes, then the program, all numbers little-endian:
 *   0  "HOBJ"          8   architecture, 32 bits   16  checksum of what follows
 *   4  version, 32     12  0                       24  bytes that follow
 * The program: user_const_bytes, symbol_const_bytes, then the number of
 * source files, variables, relocations and kernels, each followed by its items
 * in the order of the fields of program.h. A text or byte string is its length
 * (32 bits, UINT32_MAX for NULL; 64 bits for initial values) and its bytes. An
 * instruction is encoded as isa/encode.def says. */
#ifndef ISA_OBJECT_H
#define ISA_OBJECT_H

#include "base/diag.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "isa/program.h"

enum { OBJECT_VERSION = 6 };

/* Appends the file to `out`. `p` passes isa_program_check. */
void object_write(const isa_program *p, strbuf *out);

/* True if the bytes begin like an object file. */
bool object_file_is(const void *data, size_t size);

/* Reads what object_write wrote. `data` is not needed afterwards. ST_PROGRAM:
 * one error is in `dg` and *out is untouched. */
status object_read(const char *file, const void *data, size_t size, diag *dg,
                   isa_program **out);

#endif
