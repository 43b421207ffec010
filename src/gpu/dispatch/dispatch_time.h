/* src/gpu/dispatch/dispatch_time.h - what the dispatcher did, or why it could
 * not, in every cycle. */
#ifndef GPU_DISPATCH_DISPATCH_TIME_H
#define GPU_DISPATCH_DISPATCH_TIME_H

#include "gpu/dispatch/dispatch_state.h"

/* Cycles before `now` are charged; nothing has changed since those that were.
 */
void time_charge(dispatch *d, uint64_t now);
/* In cycle `when`, behind those that were charged, CTAs leave. */
void time_leave(dispatch *d, uint64_t when);

#endif
