/* src/sm/observe/inspect.h - what a warp of an SM does at the moment, for those
 * who look at a machine between two windows. Changes nothing. */
#ifndef SM_OBSERVE_INSPECT_H
#define SM_OBSERVE_INSPECT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "exec/exec.h"
#include "sm/sm.h"
#include "sm/stats.h"

typedef struct sm_warp_state {
    const exec_warp *x; /* its lanes and registers, CTA and launch */
    sm_why why;         /* READY: waits for its turn only */
    unsigned launch;    /* of those in flight */
    uint32_t life;      /* tells warps apart that had the slot before; modulo
                           65,536 */
    uint32_t pc;        /* where it waits: the next instruction, or the one it
                           waits inside of, if that is known */
    unsigned loads, stores, queued; /* under way; in the load unit's queue */
} sm_warp_state;

/* What a state means, for people: "waiting for data from memory". */
extern const char *const sm_why_help[WHY_COUNT];

uint64_t sm_resident(const sm *s);      /* warp slots that are taken */
unsigned sm_resident_ctas(const sm *s); /* CTAs that are there */
/* Of a slot that is taken; valid until time goes on. */
sm_warp_state sm_inspect(const sm *s, unsigned slot);
/* It waits at a barrier where all have come, and goes on after its latency. */
bool sm_is_let_go(const sm *s, unsigned slot);
/* What it waits for, with what is known of it: "barrier 0: 96 of 128 threads
 * (1 loads, 0 stores, 0 queued)". */
void sm_put_wait(const sm *s, unsigned slot, FILE *f);

#endif
