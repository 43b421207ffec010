/* src/sm/cta.h - CTA slots, warp slots and the resources behind them. CTA slot
 * c of a launch with n warps per CTA has the warp slots c*n to c*n+n-1 and the
 * registers, shared and local memory that belong to them. */
#ifndef SM_CTA_H
#define SM_CTA_H

struct sm;

/* The last lane of `w` has exited. */
void sm_warp_end(struct sm *s, unsigned w);

#endif
