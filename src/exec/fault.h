/* src/exec/fault.h - filling in exec_fault. */
#ifndef EXEC_FAULT_H
#define EXEC_FAULT_H

#include <stdint.h>

#include "exec/exec.h"

/* A fault of warp `w` at its pc, in the first lane of `lanes`. */
exec_fault exec_fault_at(const exec_warp *w, enum exec_fault_kind kind,
                         uint32_t lanes);
/* Of one lane of an access. */
exec_fault exec_fault_of(const exec_warp *w, const exec_mem *m,
                         enum exec_fault_kind kind, unsigned lane);

#endif
