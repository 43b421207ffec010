/* src/sm/account.h - where the cycles went. Each issue slot is charged once:
 * in the tick of its cycle, or, if cycles are skipped, for all of them at the
 * next tick, to what held since the last one. */
#ifndef SM_ACCOUNT_H
#define SM_ACCOUNT_H

#include <stdint.h>

struct sm;

/* Charges all cycles before `now` that have not been. */
void sm_account(struct sm *s, uint64_t now);

/* Charges the cycle of a tick, at its end; its slots are charged already. */
void sm_account_tick(struct sm *s);

#endif
