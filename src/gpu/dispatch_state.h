/* src/gpu/dispatch_state.h - the dispatcher's state, which its sources share:
 * launches and queues (dispatch.c), which SM gets the next CTA
 * (dispatch_policy.c), registers of the load (load_weight.c). */
#ifndef GPU_DISPATCH_STATE_H
#define GPU_DISPATCH_STATE_H

#include "base/rng.h"
#include "gpu/dispatch.h"
#include "gpu/load_weight.h"
#include "gpu/max_tree.h"

typedef struct queued { /* a launch */
    uint32_t grid[3];
    sm_resources need; /* of a CTA */
    uint32_t weight;   /* of a warp, if weights are kept */
    uint64_t next, total, finished;
    uint64_t alike; /* the first so many have equally many warps */
    uint64_t first; /* cycle in which the first may leave */
} queued;

/* A queue of launches; the first one's next CTA is its head. */
typedef struct line {
    unsigned *launch; /* those with CTAs left, in order */
    unsigned count;   /* of them */
    uint64_t *match;  /* a bit of each SM: it has room for the head */
    unsigned room;    /* SMs that have */
    max_tree keys;    /* of them, where the policy compares; else no nodes */
} line;

/* SMs that get CTAs together. */
typedef struct group {
    unsigned first, members;
    unsigned owner; /* launch whose CTAs they take */
    dispatch_way way;
} group;

/* A row that is being handed out, CTA by CTA. */
typedef struct row {
    unsigned launch, to, left;
    uint64_t when;
} row;

typedef struct policy policy; /* gpu/dispatch_policy.h */

struct dispatch {
    const config *cfg;
    const policy *how;
    unsigned sms;
    sm_resources have;  /* of an empty SM */
    sm_resources *free; /* per SM: but for CTAs there or on their way */
    load_weight load;   /* gpu.dispatch=load_weight */
    unsigned turn;      /* SM that is asked first, where they take turns */
    rng random;
    queued *launch;
    line line;
    uint64_t free_at; /* cycle in which the next CTA may leave */
    group *group;     /* by cluster of SMs; NULL: each SM for itself */
    row row;
};

#endif
