/* src/gpu/dispatch/dispatch_state.h - the dispatcher's state, which its sources
 * share: launches, queues and handing out (dispatch.c), which SMs match
 * (dispatch_match.c), which of them gets the CTA (dispatch_policy.c, and
 * load_weight.c for registers of the load, work_table.c for what earlier
 * launches took), how many of a launch it takes (cta_limit.c), where in the SM
 * it lies (pieces.c), what became of every cycle (dispatch_time.c, balance.c).
 */
#ifndef GPU_DISPATCH_DISPATCH_STATE_H
#define GPU_DISPATCH_DISPATCH_STATE_H

#include "base/rng.h"
#include "gpu/dispatch/balance.h"
#include "gpu/dispatch/cga_board.h"
#include "gpu/dispatch/cta_limit.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/dispatch/gpc.h"
#include "gpu/dispatch/load_weight.h"
#include "gpu/dispatch/max_tree.h"
#include "gpu/dispatch/pieces.h"
#include "gpu/dispatch/start_skew.h"
#include "gpu/dispatch/work_table.h"
#include "stats/bins.h"

typedef struct dispatch_stats {
#define STAT(id, unit, help)           uint64_t id;
#define HIST(id, bins, of, unit, help) uint64_t id[HIST_##bins];
#include "gpu/dispatch/dispatch_stats.def"
#undef STAT
#undef HIST
} dispatch_stats;

typedef struct queued { /* a launch */
    uint32_t grid[3];
    uint32_t cga[3];    /* CTAs of its thread-block clusters, */
    unsigned gang;      /* and in all, 1: they are alone */
    exec_cga *now;      /* the cluster whose CTAs leave */
    sm_resources need;  /* of a CTA */
    sm_resources part;  /* of it, of a warp: what that can give back alone */
    uint32_t weight;    /* of a warp, if weights are kept */
    uint64_t requested; /* next CTA for which an SM is chosen, */
    uint64_t next;      /* and that leaves: later with a pipelined tree */
    uint64_t total, finished, skipped;
    uint64_t alike; /* the first so many have equally many warps, */
    bool lone;      /* and each of the others is a row of its own, or in none */
    uint64_t first; /* cycle in which the first may leave */
    uint64_t code;  /* where that of the kernel lies, */
    uint64_t busy;  /* and cycles that its CTAs held SMs, modulo 2^64 while some
                       are there: weight=measured */
} queued;

/* What an SM can lack. */
typedef enum lack {
    LACK_CTAS,
    LACK_WARPS, /* or threads, of which a warp has 32 */
    LACK_REGISTERS,
    LACK_SHARED,
    LACK_PIECES, /* enough, but not in one piece */
    LACK_LIMIT,  /* the SM takes no more of the launch: gpu.cta.limit */
    LACKS
} lack;

/* A queue of launches; the next CTA of the first one is its head. */
typedef struct line {
    unsigned *launch; /* those with CTAs left, in order */
    unsigned count;   /* of them */
    unsigned block; /* CTAs, the head and those behind it, that go together, */
    sm_resources need; /* and what they need */
    uint64_t *match;   /* a bit of each SM: it has room for the head */
    unsigned room;     /* SMs that have */
    uint8_t *lack;     /* of each SM: what it lacks for the head, by bits, */
    unsigned lacking[LACKS]; /* and how many SMs lack it */
    max_tree keys;           /* of SMs that match, if the policy compares */
} line;

/* SMs that get CTAs together. */
typedef struct group {
    unsigned first, members;
    unsigned owner; /* launch whose CTAs they take */
    dispatch_way way;
} group;

/* A CTA for which an SM has been chosen; a row: of each SM from the first on
 * that has not got its own yet; or what is left of a block for an SM. */
typedef struct request {
    unsigned line, launch, to, left;
    unsigned row;  /* CTAs of the row, 0: it is none */
    uint64_t when; /* it leaves, or the next of them does */
} request;

typedef struct policy policy; /* gpu/dispatch/dispatch_policy.h */

struct dispatch {
    const config *cfg;
    const policy *how;
    unsigned sms;
    bool *off;          /* per SM: it gets no CTAs */
    sm_resources have;  /* of an empty SM */
    sm_resources *free; /* per SM: but for CTAs there or on their way */
    pieces pieces;      /* gpu.cta.allocation=contiguous */
    load_weight load;   /* gpu.dispatch=load_weight */
    work_table work;    /* gpu.load_weight.weight=measured */
    cta_limit limit;    /* gpu.cta.limit=lazy */
    start_skew skew;    /* gpu.cta.skew */
    gpcs gpcs;          /* gpu.cga.most: of thread-block clusters, */
    cga_board board;    /* and those that are on the machine */
    unsigned turn;      /* SM that is tried first, where they take turns */
    rng random;
    queued *launch;
    line *line;
    unsigned lines, waiting; /* waiting: launches in them */
    unsigned serve;          /* queue that is tried first */
    uint64_t pause_at;       /* the interval before the next CTA ends, */
    uint64_t free_at; /* and its warps have been sent: it can be requested */
    unsigned depth;   /* cycles from then until an SM is chosen */
    request *request; /* those on their way, a ring */
    unsigned requests, oldest;

    dispatch_stats st;
    bool open;         /* a group is */
    uint64_t charged;  /* cycles before it are in the counters */
    balance balance;   /* of warp slots held */
    uint64_t *idle_at; /* per SM: behind its last CTA's end */
    group *group;      /* by cluster of SMs; NULL: each SM for itself */
};

static inline bool dispatch_by_weight(const dispatch *d)
{
    return d->cfg->gpu.dispatch == CFG_DISPATCH_LOAD_WEIGHT;
}

static inline bool dispatch_measures(const dispatch *d)
{
    return dispatch_by_weight(d) &&
           d->cfg->gpu.load_weight.weight == CFG_LOAD_WEIGHT_MEASURED;
}

static inline bool dispatch_is_lazy(const dispatch *d)
{
    return d->cfg->gpu.cta.limit == CFG_CTA_LIMIT_LAZY;
}

static inline bool dispatch_in_pieces(const dispatch *d)
{
    return d->cfg->gpu.cta.allocation == CFG_ALLOCATION_CONTIGUOUS;
}

/* The launch that the head of `q` belongs to; NULL: none, or the last of its
 * CTAs is on its way. */
static inline queued *line_head(const dispatch *d, const line *q)
{
    queued *l = q->count ? &d->launch[q->launch[0]] : NULL;

    return l && l->requested < l->total ? l : NULL;
}

#endif
