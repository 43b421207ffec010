/* src/gpu/dispatch.h - which SM gets the next CTA.
 * Sees the SMs as they are at the start of a window and hands out CTAs for
 * cycles within it, one per gpu.dispatch_interval. Launches stand in a queue in
 * the order in which they began, and only the first CTA of it, the head, is
 * handed out: launches behind begin when all of those before have been
 * [AMERT:scheduling-rules]. Which SM gets it is gpu.dispatch
 * (gpu/dispatch_policy.h). Borrows the configuration. */
#ifndef GPU_DISPATCH_H
#define GPU_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/sm.h"

typedef struct dispatch dispatch;

/* A CTA on its way to an SM. */
typedef struct dispatch_order {
    uint64_t when;   /* cycle in which it starts */
    uint64_t number; /* linear index in the grid */
    uint32_t id[3];
    unsigned sm, launch;
} dispatch_order;

/* How the SMs of a cluster get CTAs. */
typedef enum dispatch_way {
    DISPATCH_SINGLY,
    DISPATCH_ROWS, /* one for each member in the same cycle, in order; only if
                      all have room and so many are left of the launch */
    DISPATCH_NONE,
} dispatch_way;

dispatch *dispatch_new(const config *cfg); /* NULL if memory runs out */
void dispatch_free(dispatch *d);           /* NULL is fine */

/* No launch is in flight: all SMs are empty, each offers `have`. */
void dispatch_clear(dispatch *d, const sm_resources *have);
/* Puts a grid at the end of the queue as launch `n`, below gpu.concurrent; its
 * first CTA leaves in cycle `first` or later, each needs `need`, which an SM
 * has. */
void dispatch_start(dispatch *d, unsigned n, const uint32_t grid[3],
                    const sm_resources *need, uint64_t first);

/* The next order for a cycle before `end`; false: none. Call until false. */
bool dispatch_next(dispatch *d, uint64_t now, uint64_t end,
                   dispatch_order *out);

/* SMs `first` on, those of a cluster of gpu.cluster.size; in rows only of
 * launch `owner`. Until said otherwise each SM gets them singly. */
void dispatch_group(dispatch *d, unsigned first, dispatch_way way,
                    unsigned owner);
/* Only the first `ctas` of launch `n`, which started last, go in rows. */
void dispatch_alike(dispatch *d, unsigned n, uint64_t ctas);
/* The launch of the head and how many CTAs it has left that may go in rows.
 * False: there is none. */
bool dispatch_head(const dispatch *d, unsigned *n, uint64_t *left);
/* No CTA is on SM `i` or on its way there. */
bool dispatch_vacant(const dispatch *d, unsigned i);
/* SM `i` by itself has room for the head, which nobody can be given. */
bool dispatch_would_fit(const dispatch *d, unsigned i);

/* A CTA of launch `n` has finished on SM `on`. */
void dispatch_done(dispatch *d, unsigned n, unsigned on);

/* The cycle of the next order, NEVER while no SM has room or none is left. */
uint64_t dispatch_wakes(const dispatch *d, uint64_t now);

/* What a CTA could ever get of an SM. */
const sm_resources *dispatch_offer(const dispatch *d);
uint64_t dispatch_finished(const dispatch *d, unsigned n); /* CTAs */
uint64_t dispatch_total(const dispatch *d, unsigned n);

#endif
