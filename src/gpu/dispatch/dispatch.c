#include "gpu/dispatch/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "gpu/dispatch/dispatch_match.h"
#include "gpu/dispatch/dispatch_policy.h"
#include "gpu/dispatch/dispatch_time.h"
#include "mem/port.h"
#include "noc/noc.h"

static const stat_desc descs[] = {
#define STAT(id, unit, help) STAT_DESC(dispatch_stats, id, unit, help),
#define HIST(id, bins, of, unit, help)                                         \
    STAT_HIST(dispatch_stats, id, bins, of, unit, help)
#include "gpu/dispatch/dispatch_stats.def"
#undef STAT
#undef HIST
};

const stats_block dispatch_stats_block = {"dispatch", "the CTA dispatcher",
                                          descs, COUNTOF(descs)};

static void line_init(dispatch *d, line *q)
{
    q->launch = new0(d->cfg->gpu.concurrent, sizeof *q->launch);
    q->match = new0((d->sms + 63) / 64, sizeof *q->match);
    q->lack = new0(d->sms, sizeof *q->lack);
    if (d->how->key)
        max_tree_init(&q->keys, d->sms);
}

static void line_fini(line *q)
{
    free(q->launch);
    free(q->match);
    free(q->lack);
    max_tree_fini(&q->keys);
}

/* Levels of a tree over all SMs, if each takes a cycle. */
static unsigned tree_depth(const config *cfg)
{
    return cfg->gpu.dispatch == CFG_DISPATCH_LOAD_WEIGHT &&
                   cfg->gpu.load_weight.tree == CFG_LOAD_TREE_PIPELINED
               ? bits_log2_up(cfg->gpu.sms)
               : 0;
}

static void groups_init(dispatch *d)
{
    unsigned size = d->cfg->gpu.cluster.size, n = (d->sms + size - 1) / size;

    if (size == 1)
        return;
    d->group = new0(n, sizeof *d->group);
    for (unsigned i = 0; i < n; i++) {
        unsigned left = d->sms - i * size;

        d->group[i].first = i * size;
        d->group[i].members = left < size ? left : size;
    }
}

static void init(dispatch *d)
{
    const config *cfg = d->cfg;

    d->off = new0(d->sms, sizeof *d->off);
    d->free = new0(d->sms, sizeof *d->free);
    d->idle_at = new0(d->sms, sizeof *d->idle_at);
    d->launch = new0(cfg->gpu.concurrent, sizeof *d->launch);
    d->request = new0(d->depth + 1, sizeof *d->request);
    d->line = new0(cfg->gpu.cta.queues, sizeof *d->line);
    groups_init(d);
    balance_init(&d->balance, cfg, noc_window(cfg));
    start_skew_init(&d->skew, cfg);
    gpcs_init(&d->gpcs, cfg);
    if (dispatch_by_weight(d))
        load_weight_init(&d->load, cfg);
    if (dispatch_measures(d))
        work_table_init(&d->work, cfg);
    if (dispatch_is_lazy(d))
        cta_limit_init(&d->limit, cfg);
    if (dispatch_in_pieces(d))
        pieces_init(&d->pieces, cfg);
    for (; d->lines < cfg->gpu.cta.queues; d->lines++)
        line_init(d, &d->line[d->lines]);
    for (unsigned i = 0; i < d->sms; i++)
        d->off[i] = config_listed(cfg->gpu.cta.disabled, i);
}

dispatch *dispatch_new(const config *cfg, stats *reg)
{
    dispatch *d = new0(1, sizeof *d);

    d->cfg = cfg;
    d->how = policy_of(cfg);
    d->sms = cfg->gpu.sms;
    d->depth = tree_depth(cfg);
    init(d);
    stats_add(reg, "dispatch", descs, COUNTOF(descs), &d->st);
    d->have = sm_resources_of(cfg);
    dispatch_clear(d, &d->have, 0);
    d->open = false;
    return d;
}

void dispatch_free(dispatch *d)
{
    if (!d)
        return;
    for (unsigned i = 0; i < d->cfg->gpu.cta.queues; i++)
        line_fini(&d->line[i]);
    balance_fini(&d->balance);
    start_skew_fini(&d->skew);
    gpcs_fini(&d->gpcs);
    cga_board_fini(&d->board);
    load_weight_fini(&d->load);
    work_table_fini(&d->work);
    cta_limit_fini(&d->limit);
    pieces_fini(&d->pieces);
    free(d->group);
    free(d->off);
    free(d->free);
    free(d->idle_at);
    free(d->launch);
    free(d->request);
    free(d->line);
    free(d);
}

/* ---- What CTAs hold ---- */

/* Takes what the next CTA of launch `n` needs out of SM `i`, all of it at once,
 * in cycle `now`. */
static void reserve_sm(dispatch *d, unsigned n, unsigned i, uint64_t now)
{
    queued *l = &d->launch[n];

    sm_resources_take(&d->free[i], &l->need);
    l->busy -= now;
    if (dispatch_is_lazy(d))
        cta_limit_take(&d->limit, i, n);
    if (dispatch_in_pieces(d))
        pieces_take(&d->pieces, i, n, l->next, &l->need);
    if (dispatch_by_weight(d))
        load_weight_take(&d->load, i, now, l->weight, l->need.warps);
    balance_note(&d->balance, now, i, (int)l->need.warps);
}

/* `warps` of launch `n` give back `what` of SM `i` behind cycle `when`. */
static void release_resources(dispatch *d, unsigned n, unsigned i,
                              uint64_t when, const sm_resources *what)
{
    sm_resources_give(&d->free[i], what);
    if (dispatch_by_weight(d))
        load_weight_give(&d->load, i, d->launch[n].weight, what->warps);
    balance_note(&d->balance, when + 1, i, -(int)what->warps);
}

static void release_warp(dispatch *d, unsigned i, const sm_done *w)
{
    const queued *l = &d->launch[w->launch];

    if (dispatch_in_pieces(d))
        pieces_give_warp(&d->pieces, i, w->launch, w->number, w->warp,
                         &l->part);
    release_resources(d, w->launch, i, w->cycle, &l->part);
}

/* The last CTA of `l` has ended: what it took is known. */
static void learn(dispatch *d, const queued *l)
{
    if (dispatch_measures(d))
        work_table_learn(&d->work, l->code, l->busy, l->total - l->skipped);
}

static void release_cta(dispatch *d, unsigned i, const sm_done *c)
{
    queued *l = &d->launch[c->launch];
    sm_resources rest = sm_resources_rest(&l->need, &l->part, c->given);

    if (dispatch_in_pieces(d))
        pieces_give(&d->pieces, i, c->launch, c->number, &l->need, &l->part);
    release_resources(d, c->launch, i, c->cycle, &rest);
    if (dispatch_is_lazy(d))
        cta_limit_give(&d->limit, i, c);
    d->idle_at[i] = c->cycle + 1;
    l->busy += c->cycle + 1;
    if (++l->finished == l->total)
        learn(d, l);
}

/* ---- Launches ---- */

void dispatch_clear(dispatch *d, const sm_resources *have, uint64_t now)
{
    d->have = *have;
    for (unsigned i = 0; i < d->sms; i++) {
        d->free[i] = *have;
        d->idle_at[i] = now;
    }
    if (dispatch_by_weight(d))
        load_weight_clear(&d->load);
    if (dispatch_in_pieces(d))
        pieces_clear(&d->pieces, have);
    balance_clear(&d->balance, now);
    rng_init(&d->random, d->cfg->gpu.seed, "gpu.dispatch");
    d->turn = d->serve = 0;
    d->pause_at = d->free_at = 0;
    d->requests = 0;
    d->charged = now;
    d->open = true;
    cga_board_clear(&d->board);
    for (unsigned i = 0; d->group && i < d->sms; i += d->cfg->gpu.cluster.size)
        match_group(d, i)->way = DISPATCH_SINGLY;
    for (unsigned k = 0; k < d->lines; k++)
        match_line(d, &d->line[k]);
}

/* The queue with the fewest launches. */
static line *emptiest(dispatch *d)
{
    line *best = &d->line[0];

    for (unsigned k = 1; k < d->lines; k++)
        best = d->line[k].count < best->count ? &d->line[k] : best;
    return best;
}

void dispatch_start(dispatch *d, unsigned n, const uint32_t grid[3],
                    const sm_resources *need, uint64_t now)
{
    line *q = emptiest(d);

    if (d->open)
        time_charge(d, now);
    d->launch[n] = (queued){
        .grid = {grid[0], grid[1], grid[2]},
        .need = *need,
        .part = sm_warp_part(d->cfg, need),
        .weight = load_weight_of_warp(d->cfg, need),
        .gang = 1,
        .total = (uint64_t)grid[0] * grid[1] * grid[2],
        .first = now + d->cfg->gpu.launch_latency,
    };
    d->launch[n].alike = d->launch[n].total;
    if (dispatch_is_lazy(d))
        cta_limit_start(&d->limit, n);
    if (!d->launch[n].total) /* it has ended */
        return;
    q->launch[q->count++] = n;
    d->waiting++;
    if (q->count == 1)
        match_line(d, q);
}

void dispatch_kernel(dispatch *d, unsigned n, uint64_t code)
{
    d->launch[n].code = code;
}

void dispatch_cga(dispatch *d, unsigned n, const uint32_t cga[3])
{
    queued *l = &d->launch[n];

    memcpy(l->cga, cga, sizeof l->cga);
    l->gang = exec_cga_ctas(cga);
    if (l->gang > 1)
        for (unsigned k = 0; k < d->lines; k++)
            match_line(d, &d->line[k]);
}

bool dispatch_skip(dispatch *d, unsigned n, uint64_t ctas)
{
    queued *l = &d->launch[n];

    MUST(ctas < l->total - l->next);
    if (l->requested != l->next || l->gang > 1 || d->group)
        return false;
    l->requested = l->next += ctas;
    l->finished += ctas;
    l->skipped += ctas;
    for (unsigned k = 0; d->cfg->gpu.cta.block > 1 && k < d->lines; k++)
        match_line(d, &d->line[k]);
    return true;
}

uint64_t dispatch_skipped(const dispatch *d, unsigned n)
{
    return d->launch[n].skipped;
}

bool dispatch_cga_take(dispatch *d, const sm_cga_word *w, uint64_t *last,
                       uint32_t *who)
{
    return cga_board_take(&d->board, w, last, who);
}

/* All CTAs of the first launch have been handed out. */
static void next_launch(dispatch *d, line *q)
{
    q->count--;
    d->waiting--;
    memmove(q->launch, q->launch + 1, q->count * sizeof *q->launch);
    match_line(d, q);
}

/* ---- Handing out ---- */

/* The first cycle from `now` on in which an SM can be chosen for the head of a
 * queue, NEVER: no head can be placed; *which is the queue. */
static uint64_t next_request(const dispatch *d, uint64_t now, unsigned *which)
{
    uint64_t best = NEVER, soon = d->free_at > now ? d->free_at : now;

    for (unsigned i = 0, k = d->serve; i < d->lines; i++) {
        const line *q = &d->line[k];
        const queued *l = q->room ? line_head(d, q) : NULL;
        uint64_t t = !l ? NEVER : l->first > soon ? l->first : soon;

        if (t < best) {
            best = t;
            *which = k;
        }
        k = k + 1 < d->lines ? k + 1 : 0;
    }
    return best;
}

/* When the oldest request leaves. */
static uint64_t leaves_at(const dispatch *d)
{
    return d->requests ? d->request[d->oldest].when : NEVER;
}

uint64_t dispatch_wakes(const dispatch *d, uint64_t now)
{
    unsigned which;
    uint64_t next = next_request(d, now, &which), leaves = leaves_at(d);

    return leaves < next ? leaves : next;
}

/* Weights of warps that were sent before `now`. */
static void look_at_loads(dispatch *d, uint64_t now)
{
    for (unsigned w = 0; w < (d->sms + 63) / 64; w++)
        for (uint64_t left = d->load.sending[w]; left; left &= left - 1) {
            unsigned i = 64 * w + bits_ctz64(left);

            if (load_weight_look(&d->load, i, now))
                match_sm(d, i);
        }
}

/* What is to be known of a choice among SMs that the policy compares. */
static void count_choice(dispatch *d, const line *q, unsigned to)
{
    if (!d->how->key)
        return;
    d->st.ties += max_tree_max(&q->keys).count > 1;
    if (dispatch_by_weight(d))
        d->st.left[bins_depths((uint64_t)d->load.left[to] * 16 /
                               d->load.full)]++;
}

/* Cycles from where a CTA of `l` leaves to where the next one may. */
static uint64_t gap_behind(const dispatch *d, const queued *l)
{
    uint64_t warps = d->cfg->gpu.cta.overlap ? 0 : l->need.warps;
    uint64_t interval = d->cfg->gpu.dispatch_interval;

    return warps > interval ? warps : interval;
}

/* Chooses an SM for the head of queue `k` in cycle `now`. */
static void send_request(dispatch *d, unsigned k, uint64_t now)
{
    line *q = &d->line[k];
    queued *l = line_head(d, q);
    uint64_t warps = d->cfg->gpu.cta.overlap ? 0 : l->need.warps * l->gang;
    uint64_t gap = gap_behind(d, l);

    time_charge(d, now);
    if (!l->requested && dispatch_measures(d))
        l->weight = work_table_weight(&d->work, l->code);
    if (d->load.queue)
        look_at_loads(d, now);
    unsigned to = d->how->choose(d, q);
    MUST(q->match[to / 64] >> to % 64 & 1);
    count_choice(d, q, to);
    MUST(d->requests <= d->depth);
    const group *g = match_group(d, to);
    bool row = (g && g->way != DISPATCH_SINGLY) || l->gang > 1;
    unsigned ctas = l->gang > 1 ? l->gang : row ? match_row(l, g) : q->block;
    d->request[(d->oldest + d->requests++) % (d->depth + 1)] =
        (request){k, q->launch[0], to, ctas, row ? ctas : 0, now + d->depth};
    l->requested += ctas;
    d->serve = k + 1 < d->lines ? k + 1 : 0;
    uint64_t last = row ? now : now + (ctas - 1) * gap;
    d->pause_at = last + d->cfg->gpu.dispatch_interval;
    d->free_at = d->pause_at;
    if (warps && last + d->depth + warps > d->free_at)
        d->free_at = last + d->depth + warps;
}

/* The SM has no room any more: what was requested since then is requested
 * again, so that CTAs stay in order. */
static void ask_again(dispatch *d, uint64_t now)
{
    d->st.retries++;
    for (; d->requests; d->requests--) {
        d->launch[d->request[d->oldest].launch].requested -=
            d->request[d->oldest].left;
        d->oldest = (d->oldest + 1) % (d->depth + 1);
    }
    d->pause_at = d->free_at = now + 1;
    for (unsigned k = 0; d->cfg->gpu.cta.block > 1 && k < d->lines; k++)
        match_line(d, &d->line[k]);
}

static dispatch_order order_of(dispatch *d, const request *r, unsigned to)
{
    const queued *l = &d->launch[r->launch];
    uint64_t when = r->when + d->cfg->gpu.cta.latency;

    return (dispatch_order){
        .when = start_skew_when(&d->skew, to, when, dispatch_vacant(d, to)),
        .number = l->next,
        .id = {(uint32_t)(l->next % l->grid[0]),
               (uint32_t)(l->next / l->grid[0] % l->grid[1]),
               (uint32_t)(l->next / l->grid[0] / l->grid[1])},
        .sm = to,
        .launch = r->launch,
        .row = r->row ? r->row : 1,
    };
}

/* The next CTA of a thread-block cluster, that of request `r`, goes to SM `o`
 * says. */
static void join_cga(dispatch *d, const request *r, dispatch_order *o)
{
    queued *l = &d->launch[r->launch];

    o->rank = l->gang - r->left;
    if (!o->rank)
        l->now = cga_board_begin(&d->board, l->gang);
    o->cga = l->now;
    o->cga->sm[o->rank] = (uint16_t)o->sm;
    o->number = exec_cga_id(l->cga, l->grid, l->next, o->id);
}

static void count_cta(dispatch *d, const queued *l, uint64_t now)
{
    uint64_t waited = now - l->first;

    d->st.ctas++;
    d->st.warps += l->need.warps;
    d->st.queue_cycles += waited;
    d->st.queued[bins_cycles(waited)]++;
}

/* A request of launch `l` has left: what its queue asks for may be another
 * matter. */
static void match_next(dispatch *d, line *q, const queued *l)
{
    if (l->next == l->total)
        next_launch(d, q);
    else if (d->group && l->requested + d->cfg->gpu.cluster.size > l->alike)
        match_line(d, q); /* rows are shorter now */
    else if (q->block > 1 && l->total - l->requested < q->block)
        match_line(d, q); /* too few for a block of that size */
}

/* A CTA of the oldest request leaves: what it needs is taken. */
static void leave(dispatch *d, dispatch_order *out)
{
    request *r = &d->request[d->oldest];
    line *q = &d->line[r->line];
    queued *l = &d->launch[r->launch];
    bool gang = l->gang > 1;
    unsigned to =
        gang ? gpc_choose(gpc_of(&d->gpcs, r->to), d->free, d->off, &l->need)
             : r->to;

    if (d->charged <= r->when)
        time_leave(d, r->when);
    *out = order_of(d, r, to);
    if (gang)
        join_cga(d, r, out);
    count_cta(d, l, r->when);
    reserve_sm(d, r->launch, to, r->when);
    l->next++;
    if (--r->left) {
        r->to += r->row != 0 && !gang;
        if (gang)
            match_sm(d, to);
        r->when += r->row ? 0 : gap_behind(d, l);
        return;
    }
    d->oldest = (d->oldest + 1) % (d->depth + 1);
    d->requests--;
    match_sm(d, to);
    match_next(d, q, l);
}

/* Has the SM of the oldest request still room? */
static bool still_fits(dispatch *d)
{
    const request *r = &d->request[d->oldest];
    uint64_t when = r->when;

    if (!d->depth ||
        !match_lacks(d, r->to, r->launch, &d->launch[r->launch].need))
        return true;
    time_charge(d, when);
    ask_again(d, when);
    return false;
}

bool dispatch_next(dispatch *d, uint64_t now, uint64_t end, dispatch_order *out)
{
    balance_open(&d->balance, now);
    for (;;) {
        unsigned which = 0;
        uint64_t next = next_request(d, now, &which), leaves = leaves_at(d);

        if (next >= end && leaves >= end)
            return false;
        if (next <= leaves)
            send_request(d, which, next);
        if ((next > leaves || !d->depth) && still_fits(d)) {
            leave(d, out);
            return true;
        }
    }
}

void dispatch_done(dispatch *d, uint64_t now, unsigned on, const sm_done *what)
{
    if (d->waiting)
        time_charge(d, now);
    if (what->warp == SM_WHOLE_CTA) {
        release_cta(d, on, what);
    } else {
        release_warp(d, on, what);
    }
    match_sm(d, on);
}

void dispatch_gathered(dispatch *d, uint64_t now)
{
    if (d->balance.events)
        balance_settle(&d->balance, now);
}

/* ---- Clusters ---- */

void dispatch_group(dispatch *d, uint64_t now, unsigned first, dispatch_way way,
                    unsigned owner)
{
    group *g = match_group(d, first);

    MUST(g && g->first == first && !d->requests);
    if (g->way == way && (way != DISPATCH_ROWS || g->owner == owner))
        return;
    time_charge(d, now);
    g->way = DISPATCH_NONE;
    for (unsigned i = 0; i < g->members; i++)
        match_sm(d, first + i);
    g->way = way;
    g->owner = owner;
    for (unsigned i = 0; i < g->members; i++)
        match_sm(d, first + i);
}

void dispatch_alike(dispatch *d, unsigned n, uint64_t ctas, bool lone)
{
    d->launch[n].alike = ctas;
    d->launch[n].lone = lone;
    match_line(d, &d->line[0]);
}

bool dispatch_head(const dispatch *d, unsigned *n, uint64_t *left, bool *others)
{
    const line *q = &d->line[0];

    if (!q->count)
        return false;
    *n = q->launch[0];
    *left = match_left(&d->launch[*n]);
    *others = q->count > 1;
    return true;
}

bool dispatch_vacant(const dispatch *d, unsigned i)
{
    return d->free[i].ctas == d->have.ctas;
}

bool dispatch_would_fit(const dispatch *d, unsigned i)
{
    const line *q = &d->line[0];

    return q->count && !q->room &&
           !match_lacks(d, i, q->launch[0], &d->launch[q->launch[0]].need);
}

/* ---- What is known ---- */

void dispatch_settle(dispatch *d, uint64_t now)
{
    const balance_sums *b = &d->balance.sums;

    if (!d->open)
        return;
    time_charge(d, now);
    balance_settle(&d->balance, now);
    d->st.held = b->held;
    d->st.held_squares = b->squares;
    d->st.held_total_squares = b->total_squares;
    d->st.held_most = b->most;
}

void dispatch_end(dispatch *d, uint64_t end)
{
    uint64_t idle_at = end;

    dispatch_settle(d, end);
    for (unsigned i = 0; i < d->sms; i++)
        if (!d->off[i] && d->idle_at[i] < idle_at)
            idle_at = d->idle_at[i];
    d->st.tail += end - idle_at;
    d->open = false;
}

const sm_resources *dispatch_offer(const dispatch *d) { return &d->have; }

uint64_t dispatch_finished(const dispatch *d, unsigned n)
{
    return d->launch[n].finished;
}

uint64_t dispatch_begun(const dispatch *d, unsigned n)
{
    return d->launch[n].next;
}

uint64_t dispatch_total(const dispatch *d, unsigned n)
{
    return d->launch[n].total;
}
