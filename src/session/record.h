/* src/session/record.h - the messages of one process, in the form of a report.
 * Owns all of it; borrows the configurations. */
#ifndef SESSION_RECORD_H
#define SESSION_RECORD_H

#include "report/program.h"
#include "session/message.h"

typedef struct record record;

/* For a machine of `device_count` GPUs. Counters and profiles are kept of each
 * of the first `each` timed launches; those of the others are added up by
 * kernel and GPU, so that a long program does not fill the memory. */
record *record_new(const config *const *configs, unsigned device_count,
                   uint64_t each);
void record_free(record *r); /* NULL is fine */

/* Takes one message. False: it is not what a driver sends. */
bool record_take(record *r, uint8_t kind, wire *payload);

/* Launch `n` while it is under way, NULL: it is not; its progress. */
const report_launch *record_launch(const record *r, uint64_t n,
                                   gpu_progress *is);
/* Any launch that has begun. */
const report_launch *record_nth(const record *r, uint64_t n);
/* The launch that the last message was about. */
uint64_t record_last(const record *r);
uint32_t record_pid(const record *r); /* 0: no HELLO yet */

/* All that was received, as a report; called once, at the end. Lives as long as
 * the record. */
report_process record_report(record *r, bool running, bool broken);

#endif
