#include "gpu/cluster_policy.h"

#include <stdlib.h>

#include "base/alloc.h"

typedef struct notes { /* on a cluster */
    uint64_t formed;   /* number of the launch it last formed for */
    unsigned owner;    /* launch whose CTAs it takes while it shares */
} notes;

struct cluster_policy {
    const config *cfg;
    dispatch *dispatch;
    cluster **cluster;
    unsigned clusters;
    notes *notes;
    uint64_t launches; /* that began */
    uint64_t *number;  /* of each in flight among them */
};

cluster_policy *cluster_policy_new(const config *cfg, cluster **c,
                                   unsigned clusters, dispatch *d)
{
    cluster_policy *h = new0(1, sizeof *h);

    h->cfg = cfg;
    h->dispatch = d;
    h->cluster = c;
    h->clusters = clusters;
    h->notes = new0(clusters, sizeof *h->notes);
    h->number = new0(cfg->gpu.concurrent, sizeof *h->number);
    return h;
}

void cluster_policy_free(cluster_policy *h)
{
    if (!h)
        return;
    free(h->notes);
    free(h->number);
    free(h);
}

/* The first CTA without some of its warps: the last CTAs of a dimension may
 * have fewer threads. */
static uint64_t first_smaller(const exec_launch *l)
{
    uint64_t first = UINT64_MAX;

    for (unsigned last = 0; last < 8; last++) {
        exec_cta c = {.launch = l};

        for (unsigned i = 0; i < 3; i++)
            c.id[i] = last >> i & 1 ? l->grid[i] - 1 : 0;
        exec_cta_start(&c);
        uint64_t number =
            c.id[0] +
            (uint64_t)l->grid[0] * (c.id[1] + (uint64_t)l->grid[1] * c.id[2]);
        if (c.live_warps < l->warps && number < first)
            first = number;
    }
    return first;
}

void cluster_policy_launch(cluster_policy *h, unsigned n, const exec_launch *l)
{
    uint64_t alike = first_smaller(l);

    h->number[n] = ++h->launches;
    if (alike < dispatch_total(h->dispatch, n))
        dispatch_alike(h->dispatch, n, alike);
}

static unsigned first_sm(const cluster_policy *h, unsigned c)
{
    return c * h->cfg->gpu.cluster.size;
}

/* No CTA is there or on its way. */
static bool is_vacant(const cluster_policy *h, unsigned c)
{
    unsigned first = first_sm(h, c);

    for (unsigned i = 0; i < cluster_sms(h->cluster[c]); i++)
        if (!dispatch_vacant(h->dispatch, first + i))
            return false;
    return cluster_idle(h->cluster[c]);
}

static dispatch_way part(cluster_policy *h, unsigned c, uint64_t now,
                         sm_dissolve_cause cause, uint64_t *due)
{
    cluster_dissolve(h->cluster[c], now, cause);
    due[c] = now < due[c] ? now : due[c];
    return DISPATCH_NONE;
}

/* How the cluster gets CTAs of launch `head`, of which `left` are left. As one
 * launch owns it as long as it shares, it forms for one that is alone or has
 * CTAs for all SMs. */
static dispatch_way way_of(cluster_policy *h, unsigned c, unsigned head,
                           uint64_t left, bool others, uint64_t now,
                           uint64_t *due)
{
    notes *n = &h->notes[c];
    bool vacant = is_vacant(h, c);
    bool enough = left >= cluster_sms(h->cluster[c]);
    bool again = h->cfg->gpu.cluster.reform != CFG_REFORM_KERNEL;
    bool before = n->formed == h->number[head];

    switch (cluster_mode(h->cluster[c])) {
    case CLUSTER_FORMING:
    case CLUSTER_SHARED:
        if (vacant && !enough) /* they are of more use by themselves */
            return part(h, c, now, DISSOLVE_TAIL, due);
        if (vacant) {
            n->owner = head;
            n->formed = h->number[head];
        }
        return DISPATCH_ROWS;
    case CLUSTER_DISSOLVING:
        return DISPATCH_NONE;
    case CLUSTER_ALONE:
        break;
    }
    if (!enough || (before && !again) || (others && left < h->cfg->gpu.sms))
        return DISPATCH_SINGLY;
    if (!vacant) /* drains, to share again */
        return before && h->cfg->gpu.cluster.reform == CFG_REFORM_ROW
                   ? DISPATCH_NONE
                   : DISPATCH_SINGLY;
    n->owner = head;
    n->formed = h->number[head];
    cluster_form(h->cluster[c], now);
    due[c] = now < due[c] ? now : due[c];
    return DISPATCH_ROWS;
}

/* Nobody can take the head, but SMs of clusters by themselves: CTAs of launch
 * `head` are too few for a row, or others than the cluster has. */
static void part_for(cluster_policy *h, unsigned head, uint64_t left,
                     uint64_t now, uint64_t *due)
{
    for (unsigned c = 0; c < h->clusters; c++) {
        unsigned first = first_sm(h, c), n = cluster_sms(h->cluster[c]);
        bool own = h->notes[c].owner == head, fits = false;

        if (cluster_mode(h->cluster[c]) == CLUSTER_DISSOLVING)
            return; /* it will */
        if (cluster_mode(h->cluster[c]) != CLUSTER_SHARED || (own && left >= n))
            continue;
        for (unsigned i = 0; i < n; i++)
            fits = fits || dispatch_would_fit(h->dispatch, first + i);
        if (!fits)
            continue;
        dispatch_way way =
            part(h, c, now, own ? DISSOLVE_TAIL : DISSOLVE_LAUNCH, due);
        dispatch_group(h->dispatch, now, first, way, 0);
        return;
    }
}

/* Clusters whose members have come to the same place share again. */
static void align(cluster_policy *h, uint64_t now, uint64_t *due)
{
    for (unsigned c = 0; c < h->clusters; c++) {
        notes *n = &h->notes[c];

        if (cluster_sms(h->cluster[c]) == 1 ||
            !cluster_aligned(h->cluster[c], &n->owner))
            continue;
        n->formed = h->number[n->owner];
        cluster_align(h->cluster[c], now);
        due[c] = now < due[c] ? now : due[c];
    }
}

void cluster_policy_update(cluster_policy *h, uint64_t now, uint64_t *due)
{
    unsigned head;
    uint64_t left;
    bool others;
    bool more = dispatch_head(h->dispatch, &head, &left, &others);

    if (h->cfg->gpu.cluster.reform == CFG_REFORM_ALIGNED &&
        (!more || left >= h->cfg->gpu.cluster.size))
        align(h, now, due);
    if (!more)
        return;
    for (unsigned c = 0; c < h->clusters; c++) {
        if (cluster_sms(h->cluster[c]) == 1)
            continue;
        dispatch_way way = way_of(h, c, head, left, others, now, due);
        dispatch_group(h->dispatch, now, first_sm(h, c), way,
                       h->notes[c].owner);
    }
    part_for(h, head, left, now, due);
}
