/* src/sm/cta.h - launches on an SM, CTA slots, warp slots and the resources
 * behind them. A CTA takes the lowest free slots, which need not follow each
 * other; registers, shared and local memory are those of its place among the
 * CTAs of its launch. */
#ifndef SM_CTA_H
#define SM_CTA_H

struct sm;

/* The last lane of `w` has exited. */
void sm_warp_end(struct sm *s, unsigned w);
/* Barriers do not wait for it any more. */
void sm_warp_leave(struct sm *s, unsigned w);
/* A store of launch `n` has landed. */
void sm_grid_stored(struct sm *s, unsigned n);
/* The CTA in `slot`, whose warps have ended, goes. */
void sm_cta_release(struct sm *s, unsigned slot);
void sm_grids_free(struct sm *s);

#endif
