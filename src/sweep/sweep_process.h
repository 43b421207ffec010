/* src/sweep/sweep_process.h - processes of a session: a point and all that it
 * started, in whatever groups they are. */
#ifndef SWEEP_SWEEP_PROCESS_H
#define SWEEP_SWEEP_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

/* Sends them a signal. */
void process_end_session(pid_t session, int number);

/* Bytes that are resident, without those of files, of one process; */
uint64_t process_memory(pid_t pid);
/* and of all in each of the sessions, added to `bytes`: slower. */
void process_session_memory(const pid_t *sessions, uint64_t *bytes,
                            size_t count);

#endif
