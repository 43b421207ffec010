/* src/gpu/dispatch/pieces.h - where in an SM the registers and the shared
 * memory of its CTAs lie, if each CTA's have to lie in one piece
 * (gpu.cta.allocation): room for it is the largest gap. Warps may give back
 * their part before. Owns its tables. */
#ifndef GPU_DISPATCH_PIECES_H
#define GPU_DISPATCH_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "gpu/dispatch/extents.h"
#include "sm/sm.h"

typedef struct pieces_cta { /* a CTA */
    uint64_t number, registers_at, shared_at;
    uint64_t ended; /* warps */
    unsigned launch;
    bool here;
} pieces_cta;

typedef struct pieces_sm { /* an SM */
    extents registers, shared;
    pieces_cta *cta; /* sm.ctas of them */
} pieces_sm;

typedef struct pieces {
    unsigned sms, ctas;
    pieces_sm *at; /* per SM */
} pieces;

void pieces_init(pieces *p, const config *cfg);
void pieces_fini(pieces *p);
void pieces_clear(pieces *p, const sm_resources *have); /* all are empty */

bool pieces_fit(const pieces *p, unsigned i, const sm_resources *need);

/* CTA `number` of launch `n`; it fits. */
void pieces_take(pieces *p, unsigned i, unsigned n, uint64_t number,
                 const sm_resources *need);
/* Warp `index` of it gives back `part`. */
void pieces_give_warp(pieces *p, unsigned i, unsigned n, uint64_t number,
                      unsigned index, const sm_resources *part);
/* It gives back what its warps, of which each had `part`, have not. */
void pieces_give(pieces *p, unsigned i, unsigned n, uint64_t number,
                 const sm_resources *need, const sm_resources *part);

#endif
