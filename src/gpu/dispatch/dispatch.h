/* src/gpu/dispatch/dispatch.h - which SM gets the next CTA.
 * Sees the SMs as they are at the start of a window and hands out CTAs for
 * cycles within it, one per gpu.dispatch_interval. Launches stand in queues
 * (gpu.cta.queues) in the order in which they began, and only the first CTA of
 * a queue, its head, is handed out: launches behind begin when all of those
 * before have been [AMERT:scheduling-rules]. It goes to an SM that has room for
 * it, of all resources; which of them is gpu.dispatch
 * (gpu/dispatch/dispatch_policy.h). What it takes is taken as soon as it is
 * given the SM, all of it at once. Borrows the configuration and the registry.
 */
#ifndef GPU_DISPATCH_DISPATCH_H
#define GPU_DISPATCH_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/cga.h"
#include "sm/sm.h"
#include "stats/stats.h"

typedef struct dispatch dispatch;

/* A CTA on its way to an SM. */
typedef struct dispatch_order {
    uint64_t when;   /* cycle in which it starts */
    uint64_t number; /* linear index in the grid */
    uint32_t id[3];
    unsigned sm, launch;
    unsigned row;  /* CTAs of the row that it goes in, 1 if it goes singly */
    exec_cga *cga; /* its thread-block cluster, NULL: it is alone; */
    unsigned rank; /* and its number there */
} dispatch_order;

/* How the SMs of a cluster get CTAs. */
typedef enum dispatch_way {
    DISPATCH_SINGLY,
    DISPATCH_ROWS, /* one for each member in the same cycle, in order, only if
                      all have room; the last CTAs of a launch for the first
                      members, and the others are without */
    DISPATCH_NONE,
} dispatch_way;

dispatch *dispatch_new(const config *cfg, stats *reg);
void dispatch_free(dispatch *d); /* NULL is fine */

/* No launch is in flight but those that have just begun: in cycle `now` all SMs
 * are empty, each offers `have`. Ends with dispatch_end, behind the last of
 * them, which brings the counters up to date. */
void dispatch_clear(dispatch *d, const sm_resources *have, uint64_t now);
void dispatch_end(dispatch *d, uint64_t end);
/* Puts a grid at the end of a queue as launch `n`, below gpu.concurrent, in
 * cycle `now`; each CTA needs `need`, which an SM has. */
void dispatch_start(dispatch *d, unsigned n, const uint32_t grid[3],
                    const sm_resources *need, uint64_t now);

/* Where the code of launch `n` lies, which started last: by that its kernel is
 * known again. */
void dispatch_kernel(dispatch *d, unsigned n, uint64_t code);

/* Launch `n`, which started last, consists of thread-block clusters of so many
 * CTAs, which divide its grid: they are handed out cluster by cluster, all CTAs
 * of one in the same cycle, to the SMs of one GPC. */
void dispatch_cga(dispatch *d, unsigned n, const uint32_t cga[3]);
/* The next `ctas` CTAs of launch `n`, which has more left, are not handed out:
 * they have ended. False, and nothing is done, where some are on their way or
 * go together with others. */
bool dispatch_skip(dispatch *d, unsigned n, uint64_t ctas);
uint64_t dispatch_skipped(const dispatch *d, unsigned n); /* so far */
/* An SM says something about a cluster, see cga_board_take. */
bool dispatch_cga_take(dispatch *d, const sm_cga_word *w, uint64_t *last,
                       uint32_t *who);

/* The next order for a cycle before `end`; false: none. Call until false. */
bool dispatch_next(dispatch *d, uint64_t now, uint64_t end,
                   dispatch_order *out);

/* SMs `first` on, those of a cluster of gpu.cluster.size, from cycle `now` on;
 * in rows only of launch `owner`. Until said otherwise each SM gets them
 * singly. */
void dispatch_group(dispatch *d, uint64_t now, unsigned first, dispatch_way way,
                    unsigned owner);
/* Only the first `ctas` of launch `n`, which started last, have equally many
 * warps and go in rows with each other; of the others each is a row, if `lone`,
 * or goes singly. */
void dispatch_alike(dispatch *d, unsigned n, uint64_t ctas, bool lone);
/* The launch of the head, how many CTAs it has left that may go in rows, and
 * whether others wait behind it. False: there is none. */
bool dispatch_head(const dispatch *d, unsigned *n, uint64_t *left,
                   bool *others);
/* No CTA is on SM `i` or on its way there. */
bool dispatch_vacant(const dispatch *d, unsigned i);
/* SM `i` by itself has room for the head, which no SM can be given. */
bool dispatch_would_fit(const dispatch *d, unsigned i);

/* In a window that has ended with cycle `now`, a CTA or warp ended on SM `on`.
 * What it gives back can be taken from that cycle on. */
void dispatch_done(dispatch *d, uint64_t now, unsigned on, const sm_done *what);
/* All that ended in that window has been noted. */
void dispatch_gathered(dispatch *d, uint64_t now);

/* The cycle of the next order, NEVER while no SM has room or none is left. It
 * may be that of a decision that leads to one later. */
uint64_t dispatch_wakes(const dispatch *d, uint64_t now);

/* Brings the counters up to date. */
void dispatch_settle(dispatch *d, uint64_t now);

/* What a CTA could ever get of an SM. */
const sm_resources *dispatch_offer(const dispatch *d);
uint64_t dispatch_finished(const dispatch *d, unsigned n); /* CTAs */
uint64_t dispatch_begun(const dispatch *d, unsigned n);    /* handed out */
uint64_t dispatch_total(const dispatch *d, unsigned n);

extern const stats_block dispatch_stats_block;

#endif
