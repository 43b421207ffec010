/* src/replay/trace_folder.h - traces that Accel-Sim reads, of what Heddle
 * executes: a folder with kernelslist.g and a file for each kernel. Several
 * processes may write to one. Beside each trace lies the kernel's code, which
 * Accel-Sim does not look at: with it a replay here lacks nothing of the
 * instructions (docs/accel-sim.md). */
#ifndef REPLAY_TRACE_FOLDER_H
#define REPLAY_TRACE_FOLDER_H

#include "base/diag.h"
#include "base/status.h"
#include "exec/watcher.h"
#include "replay/pack.h"

typedef struct trace_folder trace_folder;

/* Makes the folder if it is not there, and an empty list in it. ST_IO: `dg` has
 * the error, also where there is a list already. */
status trace_folder_make(const char *path, diag *dg);

/* One that was made; `how` its traces are compressed. */
trace_folder *trace_folder_new(const char *path, pack_how how);
void trace_folder_free(trace_folder *f); /* NULL is fine */
/* What went wrong first; NULL: nothing. */
const char *trace_folder_error(const trace_folder *f);

/* The host has written to the device. */
void trace_folder_copied(trace_folder *f, uint64_t addr, uint64_t bytes);

typedef struct trace_out trace_out;

/* The trace of a launch, which has to be watched by trace_out_watcher from its
 * beginning. NULL: it cannot be written. */
trace_out *trace_out_new(trace_folder *f, const exec_launch *l);
exec_watcher *trace_out_watcher(trace_out *t);
/* The launch has ended: the list gets the trace. False: it could not be
 * written. */
bool trace_out_end(trace_out *t);
/* The launch is given up, and its trace with it. NULL is fine. */
void trace_out_drop(trace_out *t);

#endif
