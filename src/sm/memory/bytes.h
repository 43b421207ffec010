/* src/sm/memory/bytes.h - the sectors that the bytes of an access need at
 * least: counted for profiles, and all that it takes with sm.lsu.perfect. */
#ifndef SM_MEMORY_BYTES_H
#define SM_MEMORY_BYTES_H

#include "sm/memory/lsu.h"

/* Of the head of the queue, whose transactions are listed; `lines`: it fetches
 * whole lines. There is a profile. */
void sm_bytes_watch(struct sm *s, const sm_lsu_entry *e, bool lines);

/* Lists it anew, once it took effect: what it does is that of its lanes, the
 * transactions are only time. */
void sm_bytes_list(struct sm *s, const sm_lsu_entry *e, bool lines);

#endif
