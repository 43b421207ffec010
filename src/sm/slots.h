/* src/sm/slots.h - where the cycles went. Nothing is counted cycle by cycle:
 * a scheduler's slots are charged when what it waits for changes, or when it
 * issues; a cycle belongs to what holds at its issue stage, a skipped one to
 * what held after the tick before it. */
#ifndef SM_SLOTS_H
#define SM_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/stats.h"

struct sm;

/* From cycle `when` on scheduler `n` waits for `why`. */
void sm_slots_wait(struct sm *s, unsigned n, uint64_t when, sm_why why);
/* Works out observe.stalls. To be called when an observer comes or goes; a warp
 * that waits for a line used for the first time just sets it. */
void sm_slots_observe(struct sm *s);
/* Scheduler `n` issues in cycle `when`. */
void sm_slots_issue(struct sm *s, unsigned n, uint64_t when);

/* In cycle `when` the slot of scheduler `n` is used by an instruction that the
 * front end of another SM issues. */
void sm_slots_issue_remote(struct sm *s, unsigned n, uint64_t when);

/* Its next instruction issues in the same cycle and takes no other slot. */
void sm_slots_again(struct sm *s, unsigned n);

/* Before a change in cycle `when` of the resident warps or of what blocks the
 * load/store unit: counts the cycles before. */
void sm_slots_count_cycles(struct sm *s, uint64_t when);

/* From cycle `when` on the front end's power is on or off: a matter of energy
 * alone, whoever switches it off sees to it that nothing is fetched or issued.
 * It is on to begin with. */
void sm_power_set(struct sm *s, uint64_t when, bool on);

/* sm.fetch.front_end=gated: there is no warp from cycle `when` on, so that the
 * power will end; a CTA starts in that cycle, whose warps may fetch from
 * awake_at on. Both after sm_slots_count_cycles(). */
void sm_power_idle(struct sm *s, uint64_t when);
void sm_power_wanted(struct sm *s, uint64_t when);

/* Before anything happens in cycle `now`: cycles since the last tick were
 * skipped and belong to the state as it is. */
void sm_slots_account(struct sm *s, uint64_t now);

/* At the end of a tick, in test builds: all slots are accounted for. */
void sm_slots_check(const struct sm *s);

#endif
