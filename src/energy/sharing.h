/* src/energy/sharing.h - what front ends that SMs share save, by the formula of
 * the source [FES]: of the time shared, f, all but one of S front ends save
 * the part g that can be switched off, and something is spent on links and
 * power switches. To be set beside what two simulations differ by. Plain
 * data. */
#ifndef ENERGY_SHARING_H
#define ENERGY_SHARING_H

#include "energy/energy.h"

typedef struct energy_sharing {
    unsigned size;   /* S: SMs of a cluster */
    double shared;   /* f: of the cycles in which SMs had a warp */
    double gated;    /* g */
    double formula;  /* f g (S - 1) / S */
    double overhead; /* links and switches, of what front ends would spend */
    double saved;    /* formula - overhead */
    double of_all;   /* the same, of all that would be spent in this time */
} energy_sharing;

/* Of `totals`, which spent `e`. False: each SM has a front end of its own. */
bool energy_sharing_of(const config *cfg, const stats *s,
                       const uint64_t *totals, const energy *e,
                       energy_sharing *out);

#endif
