/* src/gpu/event_merge.h - brings the events of all nodes together and hands
 * them out in order, between windows. Owns what waits to be handed out; borrows
 * the logs of the nodes and what the launch asks for. */
#ifndef GPU_EVENT_MERGE_H
#define GPU_EVENT_MERGE_H

#include "config/config.h"
#include "mem/event_log.h"

/* What a launch asks for. */
typedef struct gpu_trace {
    trace_filter filter; /* cycles since the launch */
    /* Gets events in the order of cycles, which are those since the launch;
     * false: no more. Those of queues also
     * of cycles before the first one asked for. */
    bool (*take)(void *arg, const trace_event *e, size_t n);
    void *arg;
} gpu_trace;

typedef struct tracer tracer;

/* `start` is the first cycle of the launch. NULL if memory runs out. */
tracer *tracer_new(const config *cfg, const gpu_trace *ask, uint64_t start,
                   unsigned logs);
void tracer_free(tracer *t); /* NULL is fine */

/* What the nodes are to record. */
const trace_filter *tracer_filter(const tracer *t);
void tracer_add(tracer *t, trace_log *log);

/* All cycles before `now` have been simulated; `end`: and no more will be. */
void tracer_deliver(tracer *t, uint64_t now, bool end) __attribute__((cold));

#endif
