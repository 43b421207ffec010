/* src/report/timeline.h - what a program did when, in simulated time: its
 * launches, copies and waits, each an activity, and how full the SMs were. What
 * a results file keeps of it is a text, which is written and read here. */
#ifndef REPORT_TIMELINE_H
#define REPORT_TIMELINE_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "report/program.h"
#include "text/json.h"

/* "memcpy_h2d", ...: as results files and JSON call it; NULL: no such kind. */
const char *activity_word(unsigned kind);

/* The launches of `heddle run`, one after the other or in streams, on a device
 * that did nothing else; in `mem`. */
const report_activity *timeline_of_launches(const report_launch *l, size_t n,
                                            arena *mem, size_t *count);

/* ---- JSON ---- */

/* The member `timeline` of a process; nothing if it has no activities. */
void timeline_json(json *j, const report_process *o);

/* ---- As a text ---- */

/* Appends the activities of all processes and the use of the SMs during their
 * launches. Nothing if there are no activities. */
void timeline_put(const report_program *p, strbuf *out);

/* An activity as it is read; texts are those of the timeline. */
typedef struct timeline_bar {
    activity_kind kind;
    unsigned device;
    unsigned stream; /* of the timeline's; not that of ACTIVITY_WAIT */
    uint64_t begin_ns, end_ns;
    unsigned flags; /* activity_flag */
    uint64_t bytes;
    /* Of a kernel. */
    uint64_t launch; /* of the process, from 0 */
    bool linked;     /* that is known */
    unsigned part;   /* from 1, of those in flight together; 0: it is all */
    unsigned name;   /* of the timeline's */
    uint32_t grid[3], block[3];
    uint64_t cycles;
} timeline_bar;

/* Means over a time. */
typedef struct timeline_use {
    unsigned device;
    uint64_t begin_ns, end_ns;
    double sms;   /* share of the SMs that hold a warp */
    double warps; /* share of the warps that all SMs can hold */
} timeline_use;

typedef struct timeline_process {
    uint32_t pid;
    const char *command;
    uint64_t lost; /* activities that came after too many */
    timeline_bar *bar;
    size_t count, bar_room;
    timeline_use *use;
    size_t uses, use_room;
} timeline_process;

typedef struct timeline {
    const char **name; /* of kernels */
    const char **stream;
    timeline_process *process;
    size_t names, streams, processes;
    size_t name_room, stream_room, process_room;
} timeline;

/* All in `mem`. False: it is damaged; what stands before is there. */
bool timeline_get(const char *text, size_t size, arena *mem, timeline *out);

#endif
