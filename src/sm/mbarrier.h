/* src/sm/mbarrier.h - warps that wait at mbarriers (exec/mbarrier.h): until an
 * arrival ends the phase, or as long as a warp may wait. Then it looks at the
 * word again, by itself. */
#ifndef SM_MBARRIER_H
#define SM_MBARRIER_H

#include <stdint.h>

struct sm;

/* Warp `w` waits at the mbarrier that s->bar[w] names. */
void sm_mbarrier_wait(struct sm *s, unsigned w);
/* Or it need not wait. */
void sm_mbarrier_look(struct sm *s, unsigned w);
/* Something has arrived at an mbarrier of the CTA in that slot. */
void sm_mbarrier_arrived(struct sm *s, unsigned cta);
/* Warp `w` has waited for as long as it may, if it still does what wait number
 * `n` of the SM was. */
void sm_mbarrier_late(struct sm *s, unsigned w, uint32_t n);

#endif
