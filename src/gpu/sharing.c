#include "gpu/sharing.h"

#include <stdlib.h>

typedef struct notes { /* on a cluster */
    uint64_t formed;   /* number of the launch it last formed for */
    unsigned owner;    /* launch whose CTAs it takes while it shares */
} notes;

struct sharing {
    const config *cfg;
    dispatch *dispatch;
    cluster **cluster;
    unsigned clusters;
    notes *notes;
    uint64_t launches; /* that began */
    uint64_t *number;  /* of each in flight among them */
};

sharing *sharing_new(const config *cfg, cluster **c, unsigned clusters,
                     dispatch *d)
{
    sharing *h = calloc(1, sizeof *h);

    if (!h)
        return NULL;
    h->cfg = cfg;
    h->dispatch = d;
    h->cluster = c;
    h->clusters = clusters;
    h->notes = calloc(clusters, sizeof *h->notes);
    h->number = calloc(cfg->gpu.concurrent, sizeof *h->number);
    if (!h->notes || !h->number) {
        sharing_free(h);
        return NULL;
    }
    return h;
}

void sharing_free(sharing *h)
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

void sharing_launch(sharing *h, unsigned n, const exec_launch *l)
{
    uint64_t alike = first_smaller(l);

    h->number[n] = ++h->launches;
    if (alike < dispatch_total(h->dispatch, n))
        dispatch_alike(h->dispatch, n, alike);
}

static unsigned first_sm(const sharing *h, unsigned c)
{
    return c * h->cfg->gpu.cluster.size;
}

/* No CTA is there or on its way. */
static bool is_vacant(const sharing *h, unsigned c)
{
    unsigned first = first_sm(h, c);

    for (unsigned i = 0; i < cluster_sms(h->cluster[c]); i++)
        if (!dispatch_vacant(h->dispatch, first + i))
            return false;
    return cluster_idle(h->cluster[c]);
}

/* How the cluster gets CTAs of launch `head`, of which `left` are left. */
static dispatch_way way_of(sharing *h, unsigned c, unsigned head, uint64_t left,
                           uint64_t now, uint64_t *due)
{
    notes *n = &h->notes[c];
    bool vacant = is_vacant(h, c);
    bool enough = left >= cluster_sms(h->cluster[c]);
    bool again = h->cfg->gpu.cluster.reform != CFG_REFORM_KERNEL;
    bool before = n->formed == h->number[head];

    switch (cluster_mode(h->cluster[c])) {
    case CLUSTER_FORMING:
    case CLUSTER_SHARED:
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
    if (!enough || (before && !again))
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

/* Nobody can take the last CTAs of a launch, but SMs of clusters by
 * themselves. */
static void part_for(sharing *h, uint64_t now, uint64_t *due)
{
    for (unsigned c = 0; c < h->clusters; c++) {
        unsigned first = first_sm(h, c), n = cluster_sms(h->cluster[c]);
        bool fits = false;

        if (cluster_mode(h->cluster[c]) == CLUSTER_DISSOLVING)
            return; /* it will */
        if (cluster_mode(h->cluster[c]) != CLUSTER_SHARED)
            continue;
        for (unsigned i = 0; i < n; i++)
            fits = fits || dispatch_would_fit(h->dispatch, first + i);
        if (!fits)
            continue;
        dispatch_group(h->dispatch, now, first, DISPATCH_NONE, 0);
        cluster_dissolve(h->cluster[c], now, DISSOLVE_TAIL);
        due[c] = now < due[c] ? now : due[c];
        return;
    }
}

void sharing_update(sharing *h, uint64_t now, uint64_t *due)
{
    unsigned head;
    uint64_t left;

    if (!dispatch_head(h->dispatch, &head, &left))
        return;
    for (unsigned c = 0; c < h->clusters; c++) {
        if (cluster_sms(h->cluster[c]) == 1)
            continue;
        dispatch_way way = way_of(h, c, head, left, now, due);
        dispatch_group(h->dispatch, now, first_sm(h, c), way,
                       h->notes[c].owner);
    }
    if (left < h->cfg->gpu.cluster.size)
        part_for(h, now, due);
}
