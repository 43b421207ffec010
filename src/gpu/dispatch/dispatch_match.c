#include "gpu/dispatch/dispatch_match.h"

#include "gpu/dispatch/dispatch_policy.h"

unsigned match_lacks(const dispatch *d, unsigned i, unsigned n,
                     const sm_resources *need)
{
    const sm_resources *free = &d->free[i];
    unsigned lacks =
        (unsigned)(free->ctas < need->ctas) << LACK_CTAS |
        (unsigned)(free->warps < need->warps || free->threads < need->threads)
            << LACK_WARPS |
        (unsigned)(free->registers < need->registers) << LACK_REGISTERS |
        (unsigned)(free->shared_bytes < need->shared_bytes) << LACK_SHARED;

    if (!lacks && dispatch_in_pieces(d) && !pieces_fit(&d->pieces, i, need))
        lacks = 1u << LACK_PIECES;
    if (dispatch_is_lazy(d) && cta_limit_reached(&d->limit, i, n))
        lacks |= 1u << LACK_LIMIT;
    return lacks;
}

static void count(line *q, unsigned lacks, unsigned more)
{
    for (unsigned k = 0; lacks; k++, lacks >>= 1)
        q->lacking[k] += lacks & 1 ? more : 0;
}

/* Have the members that the next row is for room for it? The first stands for
 * them. */
static bool row_fits(const dispatch *d, const line *q, const group *g)
{
    const queued *l = &d->launch[q->launch[0]];
    unsigned row = match_row(l, g);
    bool fits = q->launch[0] == g->owner && row;

    for (unsigned i = g->first; fits && i < g->first + row; i++)
        fits = !match_lacks(d, i, q->launch[0], &l->need);
    return fits;
}

static bool is_candidate(const dispatch *d, const line *q, unsigned i)
{
    const group *g = match_group(d, i);

    if (!q->count)
        return false;
    const queued *l = &d->launch[q->launch[0]];
    if (l->gang > 1)
        return gpc_room(gpc_of(&d->gpcs, i), d->free, d->off, &l->need,
                        l->gang) == l->gang;
    if (!g || g->way == DISPATCH_SINGLY)
        return !q->lack[i];
    return g->way == DISPATCH_ROWS && i == g->first && row_fits(d, q, g);
}

/* What SM `i` lacks for the head and what goes with it. */
static void look_for(dispatch *d, line *q, unsigned i)
{
    unsigned lacks = q->count ? match_lacks(d, i, q->launch[0], &q->need) : 0;

    if (lacks == q->lack[i])
        return;
    count(q, q->lack[i], -1u);
    count(q, lacks, 1);
    d->st.scattered += lacks == 1u << LACK_PIECES;
    q->lack[i] = (uint8_t)lacks;
}

static void mark(dispatch *d, line *q, unsigned i, bool fits)
{
    uint64_t *word = &q->match[i / 64], bit = (uint64_t)1 << i % 64;

    if (fits != ((*word & bit) != 0)) {
        *word ^= bit;
        q->room += fits ? 1 : -1u;
    }
    if (d->how->key)
        max_tree_set(&q->keys, i, fits ? POLICY_KEYS + d->how->key(d, i) : 0);
}

/* The head of `q` is one of a thread-block cluster: the first SM of the GPC
 * stands for all of it, so that none of the others is a candidate. */
static unsigned stands_for(dispatch *d, line *q, unsigned i)
{
    unsigned first = gpc_of(&d->gpcs, i)->first;

    if (i != first)
        mark(d, q, i, false);
    return first;
}

static void look_at(dispatch *d, line *q, unsigned i)
{
    const group *g = match_group(d, i);

    if (d->off[i])
        return;
    look_for(d, q, i);
    if (g && g->way == DISPATCH_ROWS)
        i = g->first;
    if (d->gpcs.of && q->count && d->launch[q->launch[0]].gang > 1)
        i = stands_for(d, q, i);
    mark(d, q, i, is_candidate(d, q, i));
}

void match_sm(dispatch *d, unsigned i)
{
    for (unsigned k = 0; k < d->lines; k++)
        if (d->line[k].count)
            look_at(d, &d->line[k], i);
}

/* As many as gpu.cta.block says, if so many are left and an SM holds them. */
static void size_block(const dispatch *d, line *q)
{
    const queued *l = &d->launch[q->launch[0]];
    uint64_t left = l->total - l->requested;
    sm_resources free = d->have;

    q->block = 1;
    q->need = l->need;
    if (d->cfg->gpu.cta.block == 1 || !sm_has_room(&free, &l->need))
        return;
    sm_resources_take(&free, &l->need);
    while (q->block < d->cfg->gpu.cta.block && q->block < left &&
           sm_has_room(&free, &l->need)) {
        sm_resources_take(&free, &l->need);
        sm_resources_give(&q->need, &l->need);
        q->block++;
    }
}

void match_line(dispatch *d, line *q)
{
    if (q->count)
        size_block(d, q);
    for (unsigned i = 0; i < d->sms; i++)
        look_at(d, q, i);
}
