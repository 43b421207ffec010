/* src/sm/barrier.h - CTA barriers: arrivals are counted in threads of whole
 * warps; the last one lets all that wait go on in a later cycle. */
#ifndef SM_BARRIER_H
#define SM_BARRIER_H

#include <stdint.h>

struct sm;

/* `w` has executed a barrier instruction; s->bar[w] describes it. */
void sm_barrier_arrive(struct sm *s, unsigned w);

/* The same without time, for sm/forward.h, at a numbered barrier: the warps
 * that go on now. If `w` is none of them it waits. */
uint64_t sm_barrier_pass(struct sm *s, unsigned w);

/* A warp of CTA slot `cta` has ended: barriers that wait for all living
 * threads may be complete. */
void sm_barrier_leave(struct sm *s, unsigned cta);

#endif
