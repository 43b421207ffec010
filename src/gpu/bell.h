/* src/gpu/bell.h - something that threads wait for without burning a core: they
 * look at it for a short time, then sleep. Plain data; owns and borrows
 * nothing. */
#ifndef GPU_BELL_H
#define GPU_BELL_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct bell {
    atomic_uint rung; /* times */
    atomic_uint asleep;
} bell;

/* How often it has rung so far, for bell_wait. */
unsigned bell_heard(bell *b);

/* Who waits goes on, and sees what was written before. */
void bell_ring(bell *b);

/* Returns when the bell has rung more than `heard` times, or `most` ns later.
 * Looks for up to `look` ns, then sleeps. Returns for how many ns it slept. */
uint64_t bell_wait(bell *b, unsigned heard, uint64_t look, uint64_t most);

enum { BELL_FOR_EVER = 0 }; /* most */

#endif
