/* src/session/message.h - the messages of a session, each written and read in
 * one place. The program sends HELLO, then per launch BEGIN, PROGRESS and
 * RESULT (and, now and then, the results so far as SOFAR, in case the process
 * is killed), and of one that is traced TRACEs between them; before them a
 * MODULE and the names of COUNTERS, once each; at any time that a call has
 * FAILED, and each ACTIVITY when it has ended. Launches in flight together are
 * one, of which each is reported as a PART when it has ended; those of several
 * devices may be under way at once. Where somebody watches, ASKs come back and
 * SEENs answer them. `put` appends a whole message. `get` reads
 * a payload; what it fills lies in the arena or is malloced, as the comment
 * says; false: the message is bad. */
#ifndef SESSION_MESSAGE_H
#define SESSION_MESSAGE_H

#include "energy/series.h"
#include "gpu/gpu.h"
#include "lookout/lookout.h"
#include "report/program.h"
#include "runtime/runtime.h"
#include "session/wire.h"

enum { /* part of the format: never reused */
       MSG_SETUP = 1,
       MSG_HELLO = 2,
       MSG_COUNTERS = 3,
       MSG_MODULE = 4,
       MSG_BEGIN = 5,
       MSG_PROGRESS = 6,
       MSG_RESULT = 7,
       MSG_NOTE = 8,
       MSG_BYE = 9,
       MSG_TRACE = 10,
       MSG_PART = 11,
       MSG_FAILED = 12,
       MSG_SOFAR = 13,
       MSG_ACTIVITY = 14,
       MSG_ASK = 15,
       MSG_SEEN = 16,
};

typedef struct msg_hello { /* in the arena */
    uint32_t pid, parent;
    const char *program; /* path */
    const char *command; /* line, for people */
    const char *version; /* of the driver */
} msg_hello;

void msg_hello_put(strbuf *b, const msg_hello *m);
bool msg_hello_get(wire *w, arena *mem, msg_hello *m);

/* The names of a device's counters: with `per_block` of every instance, else
 * only of kinds of blocks. `get` makes a registry of those names, which has
 * names and totals but no values; its names are in the arena. */
void msg_counters_put(strbuf *b, uint32_t device, bool per_block,
                      const stats *s);
bool msg_counters_get(wire *w, arena *mem, uint32_t *device, stats **out);

typedef struct msg_text {
    const char *file; /* as the program's code names it */
    const char *text;
} msg_text;

typedef struct msg_module {
    uint64_t number;
    const char *name;   /* in the arena */
    const void *object; /* isa/object.h; in the message */
    size_t object_size; /* 0: not sent */
    msg_text *texts;    /* in the arena */
    size_t text_count;
} msg_module;

void msg_module_put(strbuf *b, const msg_module *m);
bool msg_module_get(wire *w, arena *mem, msg_module *m);

typedef struct msg_kernel { /* texts in the arena */
    uint64_t module;
    const char *name;
    bool sass;                                /* machine code of a real GPU */
    uint32_t registers, shared, local, spill; /* bytes */
    uint32_t grid[3], block[3];
    uint32_t shared_bytes; /* dynamic */
} msg_kernel;

typedef struct msg_begin {
    uint64_t launch; /* of the process, from 0 */
    uint32_t device;
    bool functional;
    msg_kernel kernel;
} msg_begin;

void msg_begin_put(strbuf *b, const msg_begin *m);
bool msg_begin_get(wire *w, arena *mem, msg_begin *m);

/* Events of a launch. `get` gives them in the message; NULL: none, or it is
 * bad. */
void msg_trace_put(strbuf *b, uint64_t launch, const trace_event *e, size_t n);
const trace_event *msg_trace_get(wire *w, uint64_t *launch, size_t *n);

void msg_progress_put(strbuf *b, uint64_t launch, const gpu_progress *p);
bool msg_progress_get(wire *w, uint64_t *launch, gpu_progress *p);

typedef struct msg_part {
    uint64_t launch; /* of which it is one */
    msg_kernel kernel;
    const char *stream;      /* its queue; in the arena */
    launch_outcome outcome;  /* its texts in the arena */
    sm_profile_row *profile; /* malloced; NULL: none */
    size_t profile_count;
} msg_part;

void msg_part_put(strbuf *b, const msg_part *m);
bool msg_part_get(wire *w, arena *mem, msg_part *m);

/* Bytes between the program and its GPUs. */
typedef struct session_transfers {
    uint64_t read_bytes, write_bytes, copy_bytes;
} session_transfers;

typedef struct msg_result {
    uint64_t launch;
    char *error;      /* in the arena; NULL: none */
    rt_result is;     /* counters, totals, strays, lines: malloced; texts in
                         the arena */
    exec_spins spins; /* malloced; of `get`: what is.spins was */
    size_t counter_count, total_count;
    sm_profile_row *profile; /* malloced; NULL: none */
    size_t profile_count;
    energy_series series;    /* malloced; the receiver has the clocks */
    stats_series warps;      /* likewise */
    session_transfers moved; /* until now */
} msg_result;

void msg_result_put(strbuf *b, const msg_result *m);
/* The same of a launch that goes on, as it would be if it ended now. */
void msg_sofar_put(strbuf *b, const msg_result *m);
bool msg_result_get(wire *w, arena *mem, msg_result *m);
void msg_result_fini(msg_result *m); /* of `get` */

/* A call of OpenCL that failed. */
typedef struct msg_failed { /* texts in the arena */
    const char *function;
    int32_t code;
    const char *name; /* of the code */
    const char *text; /* why, perhaps several lines */
} msg_failed;

void msg_failed_put(strbuf *b, const msg_failed *m);
bool msg_failed_get(wire *w, arena *mem, msg_failed *m);

/* A command, or a wait of the host. `get` has the stream in the arena. */
void msg_activity_put(strbuf *b, const report_activity *a);
bool msg_activity_get(wire *w, arena *mem, report_activity *a);

typedef struct msg_bye {
    session_transfers moved;
    bool has_hash;
    uint64_t hash, memory_hash;
} msg_bye;

void msg_bye_put(strbuf *b, const msg_bye *m);
bool msg_bye_get(wire *w, msg_bye *m);

void msg_ask_put(strbuf *b, const lookout_ask *a);
bool msg_ask_get(wire *w, lookout_ask *a);

/* `get` has the texts in the arena. */
void msg_seen_put(strbuf *b, const lookout_seen *s);
bool msg_seen_get(wire *w, arena *mem, lookout_seen *s);

void msg_note_put(strbuf *b, const char *text);
const char *msg_note_get(wire *w, arena *mem); /* NULL: bad */

#endif
