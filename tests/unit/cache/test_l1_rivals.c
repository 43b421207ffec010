/* tests/unit/cache/test_l1_rivals.c - what holds of an L1 that puts loads
 * aside, or keeps lines by how often they were referenced, for any cache, any
 * surroundings and any requests. HEDDLE_POINTS=1000 in the environment makes it
 * try more of them. */
#include "l1_random.h"

static unsigned points(unsigned few)
{
    const char *more = getenv("HEDDLE_POINTS");

    return more ? (unsigned)strtoul(more, NULL, 10) : few;
}

/* -- order, from what the cache records of itself ---------------------------
 */

typedef struct orderly {
    event_log log;
    const point *p;
    bool done[RIG_TAGS]; /* by tag */
    unsigned performed;
    const char *broken;
} orderly;

/* `i` must not be performed before the earlier request `k`, which waits. */
static bool comes_after(const mem_msg *i, const mem_msg *k)
{
    bool ordered = i->ordered || i->kind == MEM_ATOMIC || i->kind == MEM_REDUCE;

    return i->addr == k->addr || (ordered && i->warp == k->warp);
}

static const char *check_request(orderly *o, const trace_event *e)
{
    unsigned i = 0;
    const mem_msg *ask = o->p->ask;

    while (i < o->p->n &&
           (o->done[i] || ask[i].addr != e->addr || ask[i].kind == MEM_FENCE))
        i++;
    if (i == o->p->n)
        return "a request is performed that nobody asked, or twice";
    if (ask[i].born != e->cycle - e->inst)
        return "requests to a line are not performed in their order";
    o->done[i] = true;
    o->performed++;
    for (unsigned k = 0; k < i; k++)
        if (!o->done[k] && ask[k].kind != MEM_FENCE &&
            comes_after(&ask[i], &ask[k]))
            return "a request is performed before one that comes first";
    return NULL;
}

static void observe(rig *r, bool after)
{
    orderly *o = r->observer;

    for (size_t i = 0; after && i < o->log.count && !o->broken; i++)
        if (o->log.event[i].kind == TRACE_L1_ACCESS)
            o->broken = check_request(o, &o->log.event[i]);
    o->log.count = 0;
    r->stop = o->broken != NULL;
}

/* A fence is answered when all that its warp asked before is performed. */
static void answered(rig *r, const mem_msg *m)
{
    orderly *o = r->observer;

    for (unsigned k = 0; m->kind == MEM_FENCE && k < m->tag; k++)
        if (!o->done[k] && o->p->ask[k].kind != MEM_FENCE &&
            o->p->ask[k].warp == m->warp)
            o->broken = "a fence is answered before what it fences";
}

static const char *stays_in_order(const point *p)
{
    rig *r = point_start(p);
    orderly *o = calloc(1, sizeof *o);
    unsigned fences = 0;

    CHECK(o != NULL);
    o->p = p;
    o->log.filter.to = NEVER;
    for (unsigned i = 0; i < p->n; i++)
        fences += p->ask[i].kind == MEM_FENCE;
    l1_trace(r->b, &o->log, 0);
    r->no_skip = true;
    r->observe = observe;
    r->answered = answered;
    r->observer = o;
    rig_run(r, LIMIT);
    const char *broken = o->broken;
    if (!broken && o->performed != p->n - fences)
        broken = "requests are never performed";
    if (!broken && (!l1_idle(r->b) || r->done + r->silent != r->entered))
        broken = "requests are never answered";
    if (!broken && r->saturated)
        broken = "memory is idle and said to be saturated";
    if (!broken && p->cfg.l1.queue == CFG_L1_QUEUE_MASCAR &&
        !p->cfg.l1.mascar.depth && rig_stat(r, "queue.entered") > 0)
        broken = "loads are put aside where there is no room for any";
    free(o->log.event);
    free(o);
    rig_free(r);
    return broken;
}

static const char *skips(const point *p)
{
    outcome slow = point_run(p, false, false);

    for (unsigned how = 1; how < 4; how++) {
        outcome fast = point_run(p, how & 1, how & 2);

        if (slow.broken || fast.broken)
            return slow.broken ? slow.broken : fast.broken;
        if (slow.replies != fast.replies)
            return "skipping or the order of the neighbours moves a reply";
        for (unsigned i = 0; i < COUNTERS; i++)
            if (slow.counter[i] != fast.counter[i])
                return "skipping moves a counter";
    }
    return NULL;
}

/* A cache of which one thing is other than plain. */
static void rival(point *p, unsigned seed, unsigned n, bool aside)
{
    rng g;

    point_init(p, seed, n);
    rng_init(&g, seed, "rivals");
    random_l1_rivals(&p->cfg, &g);
    if (aside)
        p->cfg.l1.queue = CFG_L1_QUEUE_MASCAR;
    else
        p->cfg.l1.bypass = CFG_L1_BYPASS_LOCALITY;
    /* Half of the requests are the owner's. */
    for (unsigned i = 0; i < p->n; i++) {
        p->ask[i].owner = p->ask[i].warp & 1;
        if (p->cfg.l1.queue == CFG_L1_QUEUE_FIFO)
            p->ask[i].kind =
                p->ask[i].kind == MEM_FENCE ? MEM_READ : p->ask[i].kind;
    }
}

static void rivals_hold(property *holds, bool aside, unsigned seed, unsigned n)
{
    point p;

    rival(&p, seed, n, aside);
    const char *why = holds(&p);
    if (why) {
        shrink_list(holds, &p, why);
        point_print(&p);
        TEST_FAIL("%s", why);
    }
    point_fini(&p);
}

TEST(loads_put_aside_are_performed_once_and_in_order)
{
    for (unsigned seed = 0; seed < points(150); seed++)
        rivals_hold(stays_in_order, true, 20000 + seed, 300);
}

TEST(loads_that_go_around_are_answered_once_and_in_order)
{
    for (unsigned seed = 0; seed < points(100); seed++)
        rivals_hold(stays_in_order, false, 30000 + seed, 300);
}

TEST(skipping_and_the_order_of_neighbours_change_nothing)
{
    for (unsigned seed = 0; seed < points(40); seed++) {
        rivals_hold(skips, true, 40000 + seed, 300);
        rivals_hold(skips, false, 45000 + seed, 300);
    }
}

/* -- limits ------------------------------------------------------------------
 */

static bool same(const outcome *a, const outcome *b)
{
    return a->replies == b->replies && a->end == b->end &&
           a->blocked == b->blocked;
}

static outcome plain(point p)
{
    p.cfg.l1.queue = CFG_L1_QUEUE_FIFO;
    p.cfg.l1.bypass = CFG_L1_BYPASS_NONE;
    return point_run(&p, true, false);
}

/* Without room for a load it is a fifo, apart from fences. */
static const char *no_room(const point *p)
{
    point q = *p;

    q.cfg.l1.mascar.depth = 0;
    q.cfg.l1.mascar.owner = false;
    q.cfg.l1.bypass = CFG_L1_BYPASS_NONE;
    for (unsigned i = 0; i < q.n; i++)
        if (q.ask[i].kind == MEM_FENCE)
            q.ask[i].kind = MEM_READ;
    outcome a = point_run(&q, true, false), b = plain(q);
    return same(&a, &b) ? NULL : "nothing can be put aside and a cycle differs";
}

/* If the first reference is enough all lines are kept. */
static const char *first_is_enough(const point *p)
{
    point q = *p;

    q.cfg.l1.queue = CFG_L1_QUEUE_FIFO;
    q.cfg.l1.locality.threshold = 1;
    outcome a = point_run(&q, true, false), b = plain(q);
    return same(&a, &b) ? NULL : "all lines are kept and a cycle differs";
}

TEST(without_room_it_is_a_fifo)
{
    for (unsigned seed = 0; seed < points(60); seed++)
        rivals_hold(no_room, true, 50000 + seed, 200);
}

TEST(at_one_reference_every_line_is_kept)
{
    for (unsigned seed = 0; seed < points(60); seed++)
        rivals_hold(first_is_enough, false, 55000 + seed, 200);
}
