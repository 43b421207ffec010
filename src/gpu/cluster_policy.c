#include "gpu/cluster_policy.h"

#include <stdlib.h>

#include "base/alloc.h"

typedef struct notes { /* on a cluster */
    uint64_t formed;   /* number of the launch it last formed for */
    unsigned owner;    /* launch whose CTAs it takes while it shares */
    bool shares;       /* nobody has told it to part */
    uint64_t since;    /* CTAs it had got when it formed */
    uint64_t until;    /* and will have got when it may try again */
    unsigned in_vain;  /* times that members parted in this launch */
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
    uint64_t total = dispatch_total(h->dispatch, n);

    /* a few smaller ones are rows of their own, which masters alone run; many
     * would be too much for masters */
    if (alike < total)
        dispatch_alike(h->dispatch, n, alike, total - alike <= h->clusters);
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
    h->notes[c].shares = false;
    cluster_dissolve(h->cluster[c], now, cause);
    due[c] = now < due[c] ? now : due[c];
    return DISPATCH_NONE;
}

/* The cluster shares with CTAs of `launch`. */
static void note_form(cluster_policy *h, unsigned c, unsigned launch)
{
    notes *n = &h->notes[c];

    if (n->formed != h->number[launch])
        n->in_vain = 0;
    n->owner = launch;
    n->formed = h->number[launch];
    n->shares = true;
    n->since = cluster_ordered(h->cluster[c]);
}

/* If members have parted by themselves since they were last looked at: how many
 * CTAs they take singly before they try again, with reform=row. To come
 * together they have to run empty, so each time twice as many. */
static void note_part(cluster_policy *h, unsigned c)
{
    enum { MOST = 32 };
    notes *n = &h->notes[c];
    uint64_t now = cluster_ordered(h->cluster[c]), shared = now - n->since;

    if (!n->shares || h->cfg->gpu.cluster.reform != CFG_REFORM_ROW)
        return;
    n->shares = false;
    n->until = now + (shared * h->cfg->gpu.cluster.backoff << n->in_vain);
    n->in_vain += n->in_vain < MOST;
}

/* Are members to run empty, to share again? */
static bool drains(const cluster_policy *h, unsigned c, uint64_t left)
{
    return h->cfg->gpu.cluster.reform == CFG_REFORM_ROW &&
           left >= cluster_sms(h->cluster[c]);
}

/* How the cluster gets CTAs of launch `head`, of which `left` are left that can
 * go in rows. As one launch owns it as long as it shares, it forms for one that
 * is alone or has CTAs for all SMs. */
static dispatch_way way_of(cluster_policy *h, unsigned c, unsigned head,
                           uint64_t left, bool others, uint64_t now,
                           uint64_t *due)
{
    notes *n = &h->notes[c];
    bool vacant = is_vacant(h, c);
    bool again = h->cfg->gpu.cluster.reform != CFG_REFORM_KERNEL;
    bool before = n->formed == h->number[head];

    switch (cluster_mode(h->cluster[c])) {
    case CLUSTER_FORMING:
    case CLUSTER_SHARED:
        if (!left && (vacant || n->owner == head)) /* no rows any more */
            return part(h, c, now, DISSOLVE_TAIL, due);
        if (vacant && n->formed != h->number[head])
            note_form(h, c, head);
        return DISPATCH_ROWS;
    case CLUSTER_DISSOLVING:
        note_part(h, c);
        return DISPATCH_NONE;
    case CLUSTER_ALONE:
        note_part(h, c);
        break;
    }
    if (left < 2 || (before && !again) || (others && left < h->cfg->gpu.sms))
        return DISPATCH_SINGLY;
    if (before && cluster_ordered(h->cluster[c]) < n->until)
        return DISPATCH_SINGLY;
    if (!vacant)
        return before && drains(h, c, left) ? DISPATCH_NONE : DISPATCH_SINGLY;
    note_form(h, c, head);
    cluster_form(h->cluster[c], now);
    due[c] = now < due[c] ? now : due[c];
    return DISPATCH_ROWS;
}

/* Nobody can take the head, but SMs of clusters by themselves, as launch `head`
 * is another than the cluster has. */
static void part_for(cluster_policy *h, unsigned head, uint64_t now,
                     uint64_t *due)
{
    for (unsigned c = 0; c < h->clusters; c++) {
        unsigned first = first_sm(h, c), n = cluster_sms(h->cluster[c]);
        bool fits = false;

        if (cluster_mode(h->cluster[c]) == CLUSTER_DISSOLVING)
            return; /* it will */
        if (cluster_mode(h->cluster[c]) != CLUSTER_SHARED ||
            h->notes[c].owner == head)
            continue;
        for (unsigned i = 0; i < n; i++)
            fits = fits || dispatch_would_fit(h->dispatch, first + i);
        if (!fits)
            continue;
        dispatch_way way = part(h, c, now, DISSOLVE_LAUNCH, due);
        dispatch_group(h->dispatch, now, first, way, 0);
        return;
    }
}

/* Clusters whose members have come to the same place share again. */
static void align(cluster_policy *h, uint64_t now, uint64_t *due)
{
    for (unsigned c = 0; c < h->clusters; c++) {
        unsigned launch;

        if (cluster_sms(h->cluster[c]) == 1 ||
            !cluster_aligned(h->cluster[c], &launch))
            continue;
        note_form(h, c, launch);
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
    part_for(h, head, now, due);
}
