/* src/gpu/dispatch.h - which SM gets the next CTA.
 * Sees the SMs as they are at the start of a window and hands out CTAs for
 * cycles within it, one per gpu.dispatch_interval. Borrows nothing. */
#ifndef GPU_DISPATCH_H
#define GPU_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

typedef struct dispatch dispatch;

/* A CTA on its way to an SM. */
typedef struct dispatch_order {
    uint64_t when;   /* cycle in which it starts */
    uint64_t number; /* linear index in the grid */
    uint32_t id[3];
    unsigned sm;
} dispatch_order;

dispatch *dispatch_new(const config *cfg); /* NULL if memory runs out */
void dispatch_free(dispatch *d);           /* NULL is fine */

/* Starts a grid; its first CTA leaves in cycle `first`, each SM holds at most
 * `per_sm`. */
void dispatch_start(dispatch *d, const uint32_t grid[3], unsigned per_sm,
                    uint64_t first);

/* The next order for a cycle before `end`; false: none. Call until false. */
bool dispatch_next(dispatch *d, uint64_t now, uint64_t end,
                   dispatch_order *out);

/* `count` CTAs of `sm` have finished. */
void dispatch_done(dispatch *d, unsigned sm, unsigned count);

/* The cycle of the next order, NEVER while no SM has room or none is left. */
uint64_t dispatch_wakes(const dispatch *d, uint64_t now);

uint64_t dispatch_finished(const dispatch *d); /* CTAs */
uint64_t dispatch_total(const dispatch *d);

#endif
