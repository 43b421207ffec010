/* src/sm/register_pool.h - warps that wait for registers of their CTA's pool
 * (exec/pool.h), by USETMAXREG. */
#ifndef SM_REGISTER_POOL_H
#define SM_REGISTER_POOL_H

struct sm;

/* Warp `w` has executed USETMAXREG. It goes on after the latency of the class,
 * as soon as the pool has what it wants; what it gives back lets others go
 * that wait, those with the lower numbers first [guess]. */
void sm_register_pool_meet(struct sm *s, unsigned w);

#endif
