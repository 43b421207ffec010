/* src/trace/trace.h - what happens in launches, event by event, written to
 * files: Kanata for the viewer Konata, protobuf for Perfetto, and a window of
 * it for reports. docs/traces.md is about them.
 *
 * Owns the files. One launch at a time, from one thread. Files are valid at
 * any time at which trace_end was called for the last launch; that of Kanata
 * always. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "base/diag.h"
#include "base/status.h"
#include "gpu/event_merge.h"
#include "stats/series.h"
#include "trace/flow.h"

enum {
    TRACE_LIMIT = 20 * 1000 * 1000
}; /* events, unless an option sets
      another limit */

typedef struct trace_options {
    const char *kanata, *perfetto;      /* files to write, NULL: not */
    bool waterfall;                     /* keep a window for the report */
    trace_filter filter;                /* cycles of the launch */
    uint64_t first_launch, last_launch; /* timed ones, from 1 */
    uint64_t limit;                     /* events */
} trace_options;

/* The first launch, SM 0, all of its warps, all cycles; nothing is written. */
trace_options trace_defaults(void);
/* True if a trace is wanted at all. */
bool trace_wanted(const trace_options *o);

typedef struct trace_set trace_set;

/* Opens the files. NULL: one error is in `dg`. */
trace_set *trace_open(const trace_options *o, diag *dg);

/* A timed launch begins. Not NULL: it is to be traced, with this. `l` is
 * borrowed until trace_end. */
const gpu_trace *trace_begin(trace_set *t, const trace_launch *l);
/* Takes events of the launch, as gpu_trace.take, which trace_begin sets; called
 * directly with the events of another process. */
bool trace_take(void *set, const trace_event *e, size_t n);
/* Its mean power from cycle `start` to the next sample. */
void trace_power(trace_set *t, uint64_t start, double watts);
/* The warps that each SM held, of a launch that is about to end. */
void trace_warps(trace_set *t, const stats_series *warps);
/* It has ended, in `cycles` cycles; nothing if it was not traced. */
void trace_end(trace_set *t, uint64_t cycles);

/* Closes the files. Errors, and a note if the limit was reached, are in `dg`.
 * Frees it. NULL is fine. */
status trace_close(trace_set *t, diag *dg);
/* The window that was kept, JSON as trace/waterfall.h has it; valid until
 * trace_close. NULL: none. */
const char *trace_window(trace_set *t, size_t *size);

#endif
