/* src/runtime/flight.h - launches in flight together on a device. The callers
 * decide when each begins (streams.h, OpenCL's queues).
 *
 *     prepare a launch; when rt_flight_room, begin it; advance
 *
 * What is in flight from an idle machine to an idle machine is a *group*. Of
 * the device no timed launch may run otherwise meanwhile. Launches that are not
 * timed are in flight in groups of their own, so that launches that wait for
 * each other end. Owns what launches need while they are in flight; borrows the
 * launches themselves, each until it has ended.
 */
#ifndef RUNTIME_FLIGHT_H
#define RUNTIME_FLIGHT_H

#include "runtime/runtime.h"

/* What is known of one launch of a group: the rows of stats/launch_record.def
 * that are a part's; the others are of the group, and 0 here. */
typedef struct rt_part {
    size_t number; /* the caller's */
    union {
        launch_outcome outcome; /* these members at once */
        struct {
#include "stats/outcome.inc"
        };
    };
    exec_fault fault; /* as in rt_result */
} rt_part;

typedef struct rt_group {
    /* A group is about to begin with the launch, for which a trace may still be
     * set. NULL: not called. */
    void (*begins)(void *arg, const rt_launch *first);
    /* It has ended, or failed, which is described by then: the sum of all, and
     * each launch in the order in which they ended, those that are lost
     * (ST_INTERRUPTED) last. Of one launch alone the sum is what rt_run gives.
     * Until the call returns. */
    void (*ended)(void *arg, const rt_result *sum, const rt_part *part,
                  size_t parts);
    void *arg;
} rt_group;

/* How an advance ended. */
typedef struct rt_event {
    bool paused;    /* time is there, or what is not timed has had a turn, and
                       none has ended */
    rt_part part;   /* the launch that ended, or that failed */
    bool lets_go;   /* paused, and part.number may be followed by the launch
                       that depends on it */
    bool idle;      /* and with it the group */
    uint64_t group; /* cycles since that began */
    /* Printed since the last launch of the group ended; until the group has. */
    const exec_line *lines;
    size_t line_count;
} rt_event;

typedef struct rt_flight rt_flight;

rt_flight *rt_flight_new(rt_device *d, const rt_group *calls);
void rt_flight_free(rt_flight *f); /* NULL is fine */

/* Checks a launch, which then is the next to begin. ST_OK, or why it cannot:
 * nothing has changed. `max_cycles`, `stop`, progress, samples, counters and
 * trace of the first of a group hold for the group; all have a profile or none
 * has. */
status rt_flight_prepare(rt_flight *f, const rt_launch *l, size_t number,
                         diag *dg);
bool rt_flight_prepared(const rt_flight *f); /* one waits to begin */
/* Has the machine room for what is prepared? An idle one has; beside what is
 * not timed only another that is not, when all in flight may wait for one. */
bool rt_flight_room(const rt_flight *f);
/* It begins now. */
void rt_flight_begin(rt_flight *f);
/* It never begins: what it does has been done otherwise. */
void rt_flight_skip(rt_flight *f);

unsigned rt_flight_count(const rt_flight *f); /* launches in flight */
/* Cycle of the device, as rt_result's start; 0 before it has a machine. */
uint64_t rt_flight_now(const rt_flight *f);

/* Simulates until one has ended, or, with `until` not 0, to that cycle or a few
 * beyond it; what is not timed: until one has ended or had a turn. ST_OK, or
 * the failure as rt_run has it, with which all that was in flight has ended. */
status rt_flight_advance(rt_flight *f, uint64_t until, rt_event *out, diag *dg);

/* What has come until now of a timed group of one launch that is paused:
 * cycles, CTAs, instructions and totals. False: nothing timed is in flight.
 * Until the next advance. */
bool rt_flight_sofar(rt_flight *f, rt_result *out);

/* Drops all launches in flight and the prepared one, without a report. */
void rt_flight_forget(rt_flight *f);

#endif
