/* src/exec/fault.h - filling in exec_fault. */
#ifndef EXEC_FAULT_H
#define EXEC_FAULT_H

#include <stdint.h>

#include "base/strbuf.h"
#include "exec/exec.h"

/* A fault of warp `w` at its pc, in the first lane of `lanes`. */
exec_fault exec_fault_at(const exec_warp *w, enum exec_fault_kind kind,
                         uint32_t lanes);
/* Of one lane of an access. */
exec_fault exec_fault_of(const exec_warp *w, const exec_mem *m,
                         enum exec_fault_kind kind, unsigned lane);

/* What it is, in some words: "misaligned access". */
const char *exec_fault_kind_text(enum exec_fault_kind kind);

/* Appends the place of an instruction: "k.ptx:12", or "instruction 4". */
void exec_place_text(strbuf *b, const isa_kernel *k, uint32_t pc);

#endif
