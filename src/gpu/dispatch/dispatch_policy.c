#include "gpu/dispatch/dispatch_policy.h"

#include "base/bits.h"

/* The first SM from `from` on, and from 0 on behind the last, that matches. */
static unsigned first_match(const dispatch *d, const line *q, unsigned from)
{
    unsigned words = (d->sms + 63) / 64, w = from / 64;
    uint64_t bits = q->match[w] & ~bits_mask64(from % 64);

    while (!bits) {
        w = w + 1 < words ? w + 1 : 0;
        bits = q->match[w];
    }
    return 64 * w + bits_ctz64(bits);
}

static unsigned round_robin(dispatch *d, const line *q)
{
    unsigned it = first_match(d, q, d->turn);

    d->turn = it + 1 < d->sms ? it + 1 : 0;
    return it;
}

static unsigned first_fit(dispatch *d, const line *q)
{
    return first_match(d, q, 0);
}

static unsigned at_random(dispatch *d, const line *q)
{
    unsigned skip = rng_below(&d->random, q->room), w = 0;

    for (unsigned n; skip >= (n = bits_popcount64(q->match[w])); w++)
        skip -= n;
    uint64_t bits = q->match[w];
    while (skip--)
        bits &= bits - 1;
    return 64 * w + bits_ctz64(bits);
}

static uint32_t free_ctas(const dispatch *d, unsigned i)
{
    return d->free[i].ctas;
}

static unsigned least_ctas(dispatch *d, const line *q)
{
    (void)d;
    return max_tree_first(&q->keys, 0);
}

static uint32_t free_weight(const dispatch *d, unsigned i)
{
    return d->load.left[i];
}

static unsigned by_weight(dispatch *d, const line *q)
{
    unsigned it = max_tree_first(&q->keys, d->load.rotating ? d->turn : 0);

    d->turn = it + 1 < d->sms ? it + 1 : 0;
    return it;
}

const policy *policy_of(const config *cfg)
{
    static const policy policies[] = {
        [CFG_DISPATCH_ROUND_ROBIN] = {round_robin, NULL},
        [CFG_DISPATCH_FIRST_FIT] = {first_fit, NULL},
        [CFG_DISPATCH_RANDOM] = {at_random, NULL},
        [CFG_DISPATCH_LEAST_CTAS] = {least_ctas, free_ctas},
        [CFG_DISPATCH_LOAD_WEIGHT] = {by_weight, free_weight},
    };

    return &policies[cfg->gpu.dispatch];
}
