/* src/sm/let_go.h - an SM's part in programmatic dependent launches
 * (exec/dependent.h): how many CTAs of a launch have let the next one go, and
 * warps that wait for the end of the launch before theirs. Between windows the
 * machine asks and tells. */
#ifndef SM_LET_GO_H
#define SM_LET_GO_H

#include <stdint.h>

struct sm;
struct sm_cta;

/* Warp `w` has executed PREEXIT or ACQBULK. */
void sm_dependent_go(struct sm *s, unsigned w);
void sm_dependent_wait(struct sm *s, unsigned w);
/* A CTA has let the next launch go: now, if it had not. */
void sm_dependent_let(struct sm *s, struct sm_cta *c);

/* CTAs of launch `n` that have. */
uint64_t sm_dependent_let_go(const struct sm *s, unsigned n);
/* Launch `n`, which begins, is behind one in flight. */
void sm_dependent_hold(struct sm *s, unsigned n);
/* That has ended: warps go on in cycle `when`. */
void sm_dependent_free(struct sm *s, unsigned n, uint64_t when);

#endif
