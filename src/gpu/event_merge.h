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

typedef struct event_merge event_merge;

/* `start` is the first cycle of the launch. */
event_merge *event_merge_new(const config *cfg, const gpu_trace *ask,
                             uint64_t start, unsigned logs);
void event_merge_free(event_merge *t); /* NULL is fine */

/* What the nodes are to record. */
const trace_filter *event_merge_filter(const event_merge *t);
void event_merge_add(event_merge *t, event_log *log);

/* All cycles before `now` have been simulated; `end`: and no more will be. */
void event_merge_deliver(event_merge *t, uint64_t now, bool end)
    __attribute__((cold));

#endif
