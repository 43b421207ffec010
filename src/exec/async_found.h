/* src/exec/async_found.h - the list of what exec/async.h finds. */
#ifndef EXEC_ASYNC_FOUND_H
#define EXEC_ASYNC_FOUND_H

#include "exec/async.h"

/* Of a warp on that SM; each SM has a list of its own. */
void exec_findings_add(exec_findings *f, uint32_t sm, const exec_finding *is);

#endif
