/* src/gpu/team.h - host threads that work through numbered items together.
 * Owns its threads. The caller of team_run is one of them, the others members.
 * Who waits looks for what it waits for only as long as waking it would take,
 * then sleeps; nobody waits for a member that has taken nothing. Where threads
 * get less of the cores than they want, other programs use them: members then
 * stay away for a while, as an item that one of them has would keep all. */
#ifndef GPU_TEAM_H
#define GPU_TEAM_H

#include <stdbool.h>

typedef struct team team;

/* `threads` counts the caller; each of the others calls `enter` first, unless
 * it is NULL. NULL if they cannot be started. */
team *team_new(unsigned threads, void (*enter)(void));
void team_free(team *t);              /* NULL is fine */
unsigned team_members(const team *t); /* threads besides the caller's */

/* Calls work(arg, i) once for each i < items, on any of the threads, and
 * returns when all calls have. A thread takes the items of its share from the
 * first to the last, or `backwards`. */
void team_run(team *t, void (*work)(void *arg, unsigned i), void *arg,
              unsigned items, bool backwards);

#endif
