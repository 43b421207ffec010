/* src/trace/writer.h - a form in which events are written: kanata, perfetto,
 * waterfall. Owns what it remembers, borrows the file. */
#ifndef TRACE_WRITER_H
#define TRACE_WRITER_H

#include <stdio.h>

#include "stats/series.h"
#include "trace/flow.h"

typedef struct trace_writer trace_writer;

typedef struct trace_writer_ops {
    /* Between the events of a launch; `l` is borrowed until `end`. */
    void (*begin)(trace_writer *w, const trace_launch *l);
    trace_flow_event *event; /* the first argument is the writer */
    /* All that is still under way at `cycle`, which `f` has, is cut off. */
    void (*end)(trace_writer *w, const trace_flow *f, uint64_t cycle);
    void (*free)(trace_writer *w);
} trace_writer_ops;

enum { TRACE_KANATA, TRACE_PERFETTO, TRACE_WATERFALL, TRACE_WRITERS };

struct trace_writer {
    const trace_writer_ops *ops;
};

/* */
trace_writer *trace_kanata_new(FILE *f);
trace_writer *trace_perfetto_new(FILE *f);

/* The mean power from cycle `start` of this launch to the next sample. */
void trace_perfetto_power(trace_writer *w, uint64_t start, double watts);
/* Warps that each SM held, mean of each step. */
void trace_perfetto_warps(trace_writer *w, const stats_series *warps);

#endif
