/* src/gpu/dispatch/start_skew.h - by how many cycles each SM starts late:
 * gpu.cta.skew. No hardware, but what no two runs of a chip have in common:
 * results that depend on it are noise. Owns its arrays. */
#ifndef GPU_DISPATCH_START_SKEW_H
#define GPU_DISPATCH_START_SKEW_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

typedef struct start_skew {
    uint32_t *late; /* per SM: cycles; NULL: none is late */
    uint64_t *last; /* per SM: when its last CTA starts */
} start_skew;

/* Draws by gpu.seed. The SMs of a cluster are late together, by what the first
 * of them is without clusters, so that they meet. */
void start_skew_init(start_skew *s, const config *cfg);
void start_skew_fini(start_skew *s);

/* When a CTA starts on SM `sm` that would in cycle `when`; `empty`: the SM has
 * no other. Never before the one that was asked for last on that SM. */
uint64_t start_skew_when(start_skew *s, unsigned sm, uint64_t when, bool empty);

#endif
