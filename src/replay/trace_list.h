/* src/replay/trace_list.h - the file kernelslist.g of Accel-Sim: copies to the
 * device and kernels, in order. Owns its texts. */
#ifndef REPLAY_TRACE_LIST_H
#define REPLAY_TRACE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"

typedef struct trace_step {
    char *path; /* of a kernel's trace; NULL: a copy */
    uint64_t addr, bytes;
} trace_step;

typedef struct trace_list {
    trace_step *step;
    size_t count, room;
    size_t kernels;
} trace_list;

/* By its name: such a list, or the trace of one kernel. */
bool trace_list_is(const char *path);

/* A list, or a single trace as a list of it. ST_OK, or ST_INPUT and an error in
 * `dg`; to be freed with trace_list_fini in both cases. *l is zero. */
status trace_list_read(const char *path, diag *dg, trace_list *l);
void trace_list_fini(trace_list *l);

#endif
