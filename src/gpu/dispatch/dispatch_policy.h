/* src/gpu/dispatch/dispatch_policy.h - gpu.dispatch: which SM gets the head of
 * a queue. A policy names one of the SMs that match, which is all that it sees
 * of them but for what it compares: a key, the larger the better. It takes
 * nothing and does not learn what becomes of its answer; dispatch.c does the
 * rest. */
#ifndef GPU_DISPATCH_DISPATCH_POLICY_H
#define GPU_DISPATCH_DISPATCH_POLICY_H

#include "config/config.h"
#include "gpu/dispatch/dispatch_state.h"

struct policy {
    unsigned (*choose)(dispatch *d, const line *q); /* some SM matches */
    /* Compared, of SM i; NULL: nothing is. At most POLICY_KEYS - 1. */
    uint32_t (*key)(const dispatch *d, unsigned i);
};

/* Keys in a queue's tree are 0 for SMs that do not match and above this for
 * those that do: a valid bit, for a key may be 0. */
enum { POLICY_KEYS = 1 << 24 };

const policy *policy_of(const config *cfg);

#endif
